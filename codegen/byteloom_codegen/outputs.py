"""The files that specs become, of a repository or of specs that were named; and writing them.

A file without the generator's mark was written by hand, and is left alone.

With no spec named, the specs of the repository around the working directory are generated, each
where its folder says: ``specs/puffin/puffin.ksy`` becomes ``puffin/puffin.py`` in
``generated/byteloom_generated`` and ``puffin/puffin.md`` and ``.html`` in ``generated/reference``.

What prints drop-ins, scanners, pages and tables is imported by the function that needs it: half of
what one spec takes is imports.
"""

from __future__ import annotations

import difflib
import os
from collections import defaultdict
from dataclasses import dataclass
from errno import EEXIST, EISDIR
from pathlib import Path
from typing import TYPE_CHECKING

from byteloom_codegen.errors import GenerateError, SpecError, SpecErrors
from byteloom_codegen.load import load_spec
from byteloom_codegen.marks import is_generated, left_in_repository
from byteloom_codegen.python.module import emit
from byteloom_codegen.python.names import module_name
from byteloom_codegen.spec_lines import spec_lines_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom_codegen.model import Spec
    from byteloom_codegen.reference.examples import Tracer
    from byteloom_codegen.reference.outputs import Folder
    from byteloom_codegen.tables.forms import Made

__all__ = [
    "Output",
    "drop_ins_of_specs",
    "leftovers_of_repository",
    "outputs_of_messages",
    "outputs_of_repository",
    "outputs_of_specs",
    "pages_of_specs",
    "scanners_of_specs",
    "write",
]


@dataclass(frozen=True, slots=True)
class Output:
    """One file that a spec becomes: where it belongs, and its text."""

    path: Path
    text: str

    @property
    def is_current(self) -> bool:
        """Whether the file is there and holds just this text."""
        try:
            if not self.path.is_file():  # to open a pipe would block
                return False
            return self.path.read_text(encoding="utf-8") == self.text
        except (OSError, UnicodeError):
            return False

    @property
    def replaces_other(self) -> bool:
        """Whether there is a file at this place that the generator did not write."""
        return self.path.is_file() and not self.is_current and not is_generated(self.path)

    def diff(self) -> str:
        """Return what would change, as a unified diff; empty where nothing would."""
        old = self.path.read_text(encoding="utf-8", errors="replace") if self.path.is_file() else ""
        lines = difflib.unified_diff(
            old.splitlines(keepends=True),
            self.text.splitlines(keepends=True),
            str(self.path),
            f"{self.path} (generated)",
        )
        return "".join(lines)


def outputs_of_repository(
    start: Path, tracer: Tracer | None = None, *, room: str = ""
) -> list[Output]:
    """Return everything that the specs of the repository around *start* become.

    tracer  runs generated modules on examples for the reference pages; without it no pages are made
    room    a folder of ``specs``, whose specs are to be generated alone
    """
    from byteloom_codegen.reference.outputs import index_files, pages_of, reference_files

    root = _repository(start)
    specs, reference = root / "specs", root / "generated" / "reference"
    homes = sorted({path.parent for path in (specs / room).rglob("*.ksy")})
    folders = [_folder(root, home) for home in homes]
    package = root / "generated" / "byteloom_generated"
    outputs = [each for folder in folders for each in _modules(folder, package / folder.name)]
    made = _tables(specs, root, room)
    outputs += [Output(_module(package / below), each.module) for below, _, each in made]
    if tracer is not None:
        titles = [(reference / below, each.title) for below, _, each in made]
        tables = [(reference / below, name) for below, name, _ in made]
        pages = pages_of(folders, reference / "index", tables)
        begin = [place for place, _ in pages.begin.values()]
        files = [
            *reference_files(folders, tracer, pages),
            *index_files(reference, folders, titles, begin),
        ]
        for below, _, each in made:
            files += each.files(pages, reference / below)
        outputs += [Output(path, text) for path, text in files]
    return outputs


def _folder(root: Path, home: Path) -> Folder:
    """Return the specs of one folder of the repository at *root*, with their modules of records."""
    from byteloom_codegen.reference.outputs import Folder

    below = home.relative_to(root / "specs")
    paths = sorted(home.glob("*.ksy"))
    named = [(load_spec(path), path.relative_to(root).as_posix()) for path in paths]
    importers = _importers(spec for spec, _ in named)
    modules = {
        module_name(spec.name): emit(spec, name, importers=importers[spec.name])
        for spec, name in named
    }
    return Folder(
        name=below.as_posix(),
        specs=named,
        vectors=home / "vectors.yaml",
        modules=modules,
        output=root / "generated" / "reference" / below,
    )


def _modules(folder: Folder, package: Path) -> list[Output]:
    """Return what is written in *package* for a folder: records, their lines in specs, scanners."""
    records = [Output(package / f"{name}.py", text) for name, text in folder.modules.items()]
    lines = [
        Output(package / f"{module_name(spec.name)}.lines.json", spec_lines_text(spec, name))
        for spec, name in folder.specs
    ]
    return [*records, *lines, *_asked_scanners(folder.specs, package)]


def leftovers_of_repository(start: Path, outputs: Iterable[Output]) -> list[Path]:
    """Return the generated files around *start* whose source is gone.

    outputs  everything that there is to be, pages included
    """
    generated = _repository(start) / "generated"
    roots = [generated / "byteloom_generated", generated / "reference"]
    return left_in_repository(roots, {each.path for each in outputs})


def _tables(specs: Path, root: Path, room: str) -> list[tuple[Path, str, Made]]:
    """Return what the tables (``.yaml`` but ``vectors.yaml``) and the messages of *root* become.

    room     the folder of *specs* that they are in
    returns  each with its place below *specs*, without a suffix, and the name of its file
    """
    from byteloom_codegen.tables.forms import make_messages, make_table

    files = sorted((specs / room).rglob("*.yaml"))
    paths = [each for each in files if each.name != "vectors.yaml"]
    tables = [(path, make_table(path, path.relative_to(root).as_posix())) for path in paths]
    messages = [
        (path, make_messages(path, specs, path.relative_to(root).as_posix()))
        for path in sorted((specs / room).rglob("*.proto"))
    ]
    made = [*tables, *messages]
    return [(path.relative_to(specs).with_suffix(""), path.name, each) for path, each in made]


def _module(place: Path) -> Path:
    """Return the file of the module that belongs at *place*."""
    return place.with_name(f"{module_name(place.name)}.py")


def outputs_of_specs(specs: Iterable[Spec], output: Path, *, flat: bool) -> list[Output]:
    """Return the modules of records that *specs* become in *output*.

    flat  *output* is no package
    """
    named = [(spec, Path(spec.file).name) for spec in specs]
    importers = _importers(spec for spec, _ in named)
    made = [
        Output(
            output / f"{module_name(spec.name)}.py",
            emit(spec, name, flat=flat, importers=importers[spec.name]),
        )
        for spec, name in named
    ]
    return [*made, *_asked_scanners(named, output, flat=flat)]


def _importers(specs: Iterable[Spec]) -> defaultdict[str, list[Spec]]:
    """Return which of *specs* import each spec, itself or through others, by its name."""
    found = defaultdict[str, list["Spec"]](list)
    for spec in specs:
        for each in spec.with_imports():
            if each is not spec:
                found[each.name].append(spec)
    return found


def outputs_of_messages(
    paths: Iterable[Path], output: Path | None, reference: Path | None, *, flat: bool
) -> list[Output]:
    """Return the modules that `.proto` files become in *output*, and their pages in *reference*.

    flat  *output* is no package
    """
    named = list(paths)
    if not named:
        return []
    from byteloom_codegen.reference.pages import Pages
    from byteloom_codegen.tables.forms import make_messages

    outputs = []
    pages = Pages()
    if reference is not None:
        pages.files = {reference / path.name: reference / path.stem for path in named}
    for path in named:
        made = make_messages(path, path.parent, path.name, flat=flat)
        if output is not None:
            outputs.append(Output(_module(output / path.stem), made.module))
        if reference is not None:
            files = made.files(pages, reference / path.stem)
            outputs += [Output(place, text) for place, text in files]
    return outputs


def drop_ins_of_specs(
    specs: Iterable[Spec], output: Path, *, read_write: bool = False
) -> list[Output]:
    """Return the modules with the official compiler's API that *specs* become in *output*.

    read_write  whether it is that of the compiler's read-write mode
    """
    from byteloom_codegen.kaitaistruct.modules import emit_module

    return [
        Output(output / f"{module_name(spec.name)}.py", emit_module(spec, read_write=read_write))
        for spec in specs
    ]


def scanners_of_specs(
    specs: Iterable[Spec], output: Path, *, flat: bool
) -> tuple[list[Output], list[str]]:
    """Return scanners for all that can be scanned in *specs*, in *output*.

    returns  the files, and for each repeated record without a loop, or a scanner, where it is and
             why
    """
    from byteloom_codegen.scanners.module import emit_scanners

    outputs, reasons = list[Output](), list[str]()
    for spec in specs:
        made = emit_scanners(spec, Path(spec.file).name, everything=True, flat=flat)
        outputs += [Output(output / f"{spec.name}_scan.py", made.text)] if made.text else []
        reasons += [f"{each}: no scanner" for each in made.refused]
        reasons += [f"{each}: its scanner reads record by record" for each in made.slow]
    return outputs, reasons


def _asked_scanners(
    named: Iterable[tuple[Spec, str]], output: Path, *, flat: bool = False
) -> list[Output]:
    """Return the scanners that specs ask for themselves (``-loom-scan``)."""
    outputs = []
    for spec, name in named:
        if not _asks_for_scanners(spec):
            continue
        from byteloom_codegen.scanners.module import emit_scanners

        made = emit_scanners(spec, name, flat=flat)
        if made.refused:
            once = {str(each): each for each in made.refused}.values()
            hint = "a loop is asked for by `-loom-scan` or `-loom-put`: leave that key out"
            raise SpecErrors(tuple(SpecError(each.location, each.reason, hint) for each in once))
        outputs += [Output(output / f"{spec.name}_scan.py", made.text)] if made.text else []
    return outputs


def _asks_for_scanners(spec: Spec) -> bool:
    """Whether *spec*, or one that it imports, has a type to be scanned or put."""
    types = (each for one in spec.with_imports() for each in one.top.walk())
    return any("scan" in each.loom or "put" in each.loom for each in types)


def pages_of_specs(
    specs: Iterable[Spec], output: Path, tracer: Tracer, sample: Path | None = None
) -> list[Output]:
    """Return the reference pages of *specs* in *output*; those of several have a list of all.

    tracer  runs generated modules on the examples of ``vectors.yaml`` beside the specs
    sample  a file of the format of the first spec, for its page
    """
    from byteloom_codegen.reference.outputs import Folder, index_files, pages_of, reference_files

    loaded = list(specs)
    samples = {loaded[0].name: sample} if loaded and sample is not None else {}
    folders = [
        Folder(
            name=home.resolve().name,
            specs=[
                (spec, Path(spec.file).name) for spec in loaded if Path(spec.file).parent == home
            ],
            vectors=home / "vectors.yaml",
            modules={module_name(spec.name): emit(spec, Path(spec.file).name) for spec in loaded},
            output=output,
            samples=samples,
        )
        for home in sorted({Path(spec.file).parent for spec in loaded})
    ]
    lists = [] if len(loaded) == 1 else [Output(*each) for each in index_files(output, folders)]
    if any(each.replaces_other for each in lists):  # somebody's own README.md
        lists = []
    index = output / "index" if lists else None
    files = reference_files(folders, tracer, pages_of(folders, index))
    return [*(Output(path, text) for path, text in files), *lists]


def write(outputs: Iterable[Output]) -> list[Path]:
    """Write the files that are not current; return their paths.

    All new files are written under temporary names before the first one replaces an old file.
    """
    stale = [output for output in outputs if not output.is_current]
    staged: list[Path] = []
    try:
        for output in stale:
            if output.path.is_dir():
                raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(output.path))
            if output.path.exists() and not output.path.is_file():
                raise FileExistsError(EEXIST, "not a regular file", str(output.path))
            output.path.parent.mkdir(parents=True, exist_ok=True)
            staged.append(output.path.with_name(f".{output.path.name}.{os.getpid()}"))
            staged[-1].write_text(output.text, encoding="utf-8")
        for output, complete in zip(stale, staged, strict=True):
            complete.replace(output.path)
    finally:
        for each in staged:
            each.unlink(missing_ok=True)
    return [output.path for output in stale]


def _repository(start: Path) -> Path:
    for folder in (start, *start.parents):
        if (folder / "specs").is_dir() and (folder / "generated").is_dir():
            return folder
    raise GenerateError(
        f"{start}: no repository with specs/ and generated/ here or above; name a SPEC and -o DIR"
    )
