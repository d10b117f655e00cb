"""Specs as Python modules that scan their records, made once and sent to executors as text.

The modules are put into the user's cache, under a name that depends on their content; numba stores
the machine code of their loops there, for all processes of the machine.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ByteloomError, FormatError, Unsupported, found_by
from byteloom.extras import installing
from byteloom.spark.caching import cached_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    import pyarrow as pa

__all__ = ["CompiledSpec", "compiled_spec"]

_SCAN: Final = "scan_"
_PACKAGE: Final = "byteloom_records_"


@dataclass(frozen=True)
class CompiledSpec:
    """The modules of a spec.

    modules  the text of each, by name
    module   the name of the module with the scanners
    refused  why other repeated fields have no scanner
    """

    modules: dict[str, str]
    module: str
    refused: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The repeated fields that can be scanned."""
        names = vars(self._loaded())["__all__"]
        return [each.removeprefix(_SCAN) for each in names if each.startswith(_SCAN)]

    def chosen(self, name: str | None) -> str:
        """Return the name of the field to scan: *name*, or the only one there is.

        raises  `Unsupported` for a field that cannot be scanned
        """
        names = self.names
        if name is None and len(names) == 1:
            return names[0]
        if name not in names:
            why = f" ({'; '.join(self.refused)})" if self.refused else ""
            wanted = f"one of {', '.join(names)}{why}" if names else f"a field that repeats{why}"
            raise Unsupported("byteloom.records option records", None, repr(name), wanted)
        return name

    def schema(self, name: str) -> pa.Schema:
        """Return the columns of a field's records."""
        schema: pa.Schema = vars(self._loaded())[f"_{name.upper()}"].schema
        return schema

    def scanner(self, name: str) -> Callable[..., pa.RecordBatch]:
        """Return the function that scans the records of the field *name* in some bytes."""
        scan: Callable[..., pa.RecordBatch] = vars(self._loaded())[f"{_SCAN}{name}"]
        return scan

    def _loaded(self) -> ModuleType:
        """Return the module of scanners, imported from the cache."""
        text = "\0".join(f"{name}\0{text}" for name, text in sorted(self.modules.items()))
        package = f"{_PACKAGE}{blake2b(text.encode(), digest_size=12).hexdigest()}"
        name = f"{package}.{self.module}"
        if name not in sys.modules:
            folder = cached_folder(package, self._fill)
            _import(package, folder / "__init__.py", [str(folder)])
            for each in self.modules:
                _import(f"{package}.{each}", folder / f"{each}.py", None)
        return sys.modules[name]

    def _fill(self, folder: Path) -> None:
        (folder / "__init__.py").touch()
        for name, text in self.modules.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")


def _import(name: str, path: Path, places: list[str] | None) -> None:
    """Import a module from a file under *name*.

    places  where the modules of a package are
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


def compiled_spec(given: str) -> CompiledSpec:
    """Return the modules of a spec, given as the path of a ``.ksy`` file or as its text.

    raises  `FormatError` for an invalid spec, with all its mistakes, `ByteloomError` where the
            generator is not installed
    """
    try:
        import_module("byteloom_codegen.scanners.emit")  # needs everything that the extra installs
        import_module("byteloom_codegen.load")
        from byteloom_codegen.errors import GenerateError, SpecErrors
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("byteloom"):
            raise
        wanted = f"wanted what `{installing('codegen')}` installs"
        raise ByteloomError(f"byteloom.records: found no module {error.name}, {wanted}") from error
    try:
        if "\n" not in given:
            return _compiled(Path(given))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "spec.ksy")
            path.write_text(given, encoding="utf-8")
            return _compiled(path)
    except SpecErrors as error:
        mistakes = "; ".join(str(each) for each in error.errors)
        raise FormatError("byteloom.records option spec", None, mistakes, "a spec") from error
    except (GenerateError, OSError) as error:
        found = found_by(repr(given.partition("\n")[0]), error)
        raise FormatError("byteloom.records option spec", None, found, "a spec") from error


def _compiled(path: Path) -> CompiledSpec:
    from byteloom_codegen.load import load_spec
    from byteloom_codegen.python.emit import emit
    from byteloom_codegen.python.names import module_name
    from byteloom_codegen.scanners.emit import emit_scanners

    spec = load_spec(path)
    modules = {
        module_name(each.name): emit(each, Path(each.file).name) for each in spec.with_imports()
    }
    found = emit_scanners(spec, path.name, everything=True)
    module = f"{spec.name}_scan"
    modules[module] = found.text or "__all__ = []\n"
    return CompiledSpec(modules, module, tuple(map(str, found.refused)))
