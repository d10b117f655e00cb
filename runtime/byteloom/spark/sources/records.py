"""``byteloom.records``: reads records of any format with a ``.ksy`` spec, one row per record.

The spec is compiled by the planner into Python modules that scan its records; executors get them
as text with the query.  They are put into the user's cache, under a name that depends on their
content; numba stores the machine code of their loops there, for all processes of the machine.  A
file is read whole.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.sql.types import StructType

from byteloom.columns.scan_plan import ScanPlan
from byteloom.errors import (
    ArgumentError,
    ByteloomError,
    FormatError,
    LimitExceeded,
    Unsupported,
    found_by,
)
from byteloom.extras import installing
from byteloom.spark.caching import cached_folder
from byteloom.spark.files import located
from byteloom.spark.options import SIZE, TEXT, Option, Options
from byteloom.spark.sources.file_source import (
    COLUMNS,
    PATHS,
    SPLIT_SIZE,
    STORAGE,
    FileReader,
    FileSource,
)
from byteloom.storage import open_source
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from byteloom.columns.chosen_records import ChosenRecords

__all__ = ["OPTIONS", "CompiledSpec", "RecordsSource", "compiled_spec"]

_OPTION: Final = "byteloom.records option"
_PACKAGE: Final = "byteloom_records_"


@dataclass(frozen=True)
class CompiledSpec:
    """The modules of a spec, of which one scans some repeated records.

    Attributes:
        plan: The modules, and how they find the records.
    """

    plan: ScanPlan

    @property
    def records(self) -> ChosenRecords:
        """The records, as they are read from a file."""
        package = self._package()
        return self.plan.chosen(lambda module, name: vars(sys.modules[f"{package}.{module}"])[name])

    @property
    def _modules(self) -> dict[str, str]:
        """The text of each module by its name, that of the scanner last."""
        return self.plan.modules | dict([self.plan.scanner])

    def _package(self) -> str:
        """Return the name of the package with the modules, imported from the cache."""
        modules = self._modules
        text = "\0".join(f"{name}\0{text}" for name, text in sorted(modules.items()))
        package = f"{_PACKAGE}{blake2b(text.encode(), digest_size=12).hexdigest()}"
        if f"{package}.{self.plan.scanner[0]}" not in sys.modules:
            folder = cached_folder(package, self._fill)
            _import(package, folder / "__init__.py", [str(folder)])
            for each in modules:
                _import(f"{package}.{each}", folder / f"{each}.py", None)
        return package

    def _fill(self, folder: Path) -> None:
        (folder / "__init__.py").touch()
        for name, text in self._modules.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")


def _import(name: str, path: Path, places: list[str] | None) -> None:
    """Import a module from a file under *name*.

    Args:
        places: Where the modules of a package are.
    """
    if name in sys.modules:
        return
    loader = SourceFileLoader(name, str(path))
    spec: Any = spec_from_loader(name, loader, is_package=places is not None)
    spec.submodule_search_locations = places
    module = sys.modules[name] = module_from_spec(spec)
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


def compiled_spec(given: str, records: str | None = None) -> CompiledSpec:
    """Return the modules that scan a repeated field by a spec.

    Args:
        given: The path of a ``.ksy`` file, or its text.
        records: The path of the field, as ``header.entries``; None for that nearest the top.

    Raises:
        FormatError: For an invalid spec, with all its mistakes.
        Unsupported: For records that cannot be scanned.
        ByteloomError: Where the generator is not installed.
    """
    try:
        import_module("byteloom_codegen.scanners.module")  # needs all that the extra installs
        import_module("byteloom_codegen.load")
        from byteloom_codegen.errors import GenerateError, SpecErrors
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("byteloom"):
            raise
        wanted = f"wanted what `{installing('codegen')}` installs"
        raise ByteloomError(f"byteloom.records: found no module {error.name}, {wanted}") from error
    try:
        if "\n" not in given:
            return _compiled(Path(given), records)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "spec.ksy")
            path.write_text(given, encoding="utf-8")
            return _compiled(path, records)
    except SpecErrors as error:
        mistakes = "; ".join(str(each) for each in error.errors)
        raise FormatError(f"{_OPTION} spec", None, mistakes, "a spec") from error
    except (GenerateError, OSError) as error:
        found = found_by(repr(given.partition("\n")[0]), error)
        raise FormatError(f"{_OPTION} spec", None, found, "a spec") from error


def _compiled(path: Path, records: str | None) -> CompiledSpec:
    from byteloom_codegen.load import load_spec
    from byteloom_codegen.scanners.refusals import NotScannableError
    from byteloom_codegen.scanners.scan_modules import ChoiceError, choose, scan_modules

    spec = load_spec(path)
    if spec.top.params:
        raise Unsupported(f"{_OPTION} spec", None, "a spec with parameters", "one without")
    try:
        made = scan_modules(list(spec.with_imports()), choose(spec, records))
    except ChoiceError as error:
        raise Unsupported(f"{_OPTION} records", None, repr(records), error.wanted) from error
    except NotScannableError as error:
        wanted = f"records that can be scanned ({error})"
        raise Unsupported(f"{_OPTION} records", None, repr(records), wanted) from error
    return CompiledSpec(ScanPlan.of(asdict(made)))


_ROWS: Final = 1 << 16
"""Rows of a batch."""

OPTIONS: Final = Options(
    "byteloom.records",
    *PATHS,
    Option("spec", TEXT, "The spec: the path of a `.ksy` file, or its text."),
    Option(
        "records",
        TEXT,
        "The repeated field whose elements are the rows, as `header.entries`.",
        default_text="that nearest the top",
    ),
    COLUMNS,
    SPLIT_SIZE,
    Option("max_file_size", SIZE, "Largest size of a file, which is read whole.", 1 << 30, "1g"),
    prefixes=STORAGE,
)


class RecordsSource(FileSource):
    """The source ``byteloom.records``: records of files that a user's spec describes."""

    OPTIONS = OPTIONS

    def __init__(self, options: Mapping[str, str]) -> None:
        """Read the options; `ArgumentError` for an unknown one or a wrong value."""
        super().__init__(options)
        self._compiled: CompiledSpec | None = None

    def compiled(self) -> CompiledSpec:
        """Return the modules of the spec, which is compiled once."""
        if self._compiled is None:
            given = self.settings["spec"]
            if not given:
                wanted = "the path or the text of a spec"
                raise ArgumentError(f"{self.name()} option spec", None, "nothing", wanted)
            self._compiled = compiled_spec(given, self.settings["records"])
        return self._compiled

    def columns(self) -> pa.Schema:
        """Return all columns of a record."""
        return self.compiled().records.schema

    def reader(self, schema: StructType) -> RecordsReader:
        """Return the reader of records."""
        return RecordsReader(schema, self)


class RecordsReader(FileReader):
    """Scans files."""

    def __init__(self, schema: StructType, source: RecordsSource) -> None:
        """Store the options; nothing is read yet."""
        super().__init__(schema, source)
        self._compiled = source.compiled()
        self._most: int = source.settings["max_file_size"]

    def batches(self, value: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the records of files at these places."""
        records = self._compiled.records
        for place in value:
            with about_file(place):
                for found in records.batches(self._content(place)):
                    kept = found.select(self.columns.names)
                    for first in range(0, kept.num_rows, _ROWS):
                        yield kept.slice(first, _ROWS)

    def _content(self, place: str) -> bytes:
        path, filesystem = located(place, self.storage)
        source = open_source(path, filesystem=filesystem)
        try:
            if source.size > self._most:
                wanted = f"at most {self._most} (option max_file_size)"
                raise LimitExceeded("", None, f"{source.size} bytes", wanted)
            return source.read(0, source.size)
        finally:
            source.close()
