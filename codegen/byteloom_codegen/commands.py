"""`byteloom generate`: specs in, files out, and nothing written that has not changed.

With no spec named, the specs of the repository around the working directory are generated, each
where its folder says: ``specs/puffin/puffin.ksy`` becomes ``puffin/puffin.py`` in
``generated/byteloom_generated`` and ``puffin/puffin.md`` and ``.html`` in ``generated/reference``.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from byteloom_codegen.errors import GenerateError
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.emit import emit
from byteloom_codegen.reference.outputs import Folder, index_file, reference_files
from byteloom_codegen.scanners.emit import emit_scanners

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom_codegen.model import Spec
    from byteloom_codegen.reference.examples import Tracer

__all__ = [
    "Output",
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
            return self.path.read_text(encoding="utf-8") == self.text
        except (OSError, UnicodeError):
            return False

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


def outputs_of_repository(start: Path, tracer: Tracer | None = None) -> list[Output]:
    """Return everything that the specs of the repository around *start* become.

    tracer  runs generated modules on examples, for the reference pages; without it there are none
    """
    root = _repository(start)
    specs, reference = root / "specs", root / "generated" / "reference"
    outputs, folders = [], []
    for home in sorted({path.parent for path in specs.rglob("*.ksy")}):
        below = home.relative_to(specs)
        named = [
            (load_spec(path), path.relative_to(root).as_posix())
            for path in sorted(home.glob("*.ksy"))
        ]
        texts = {spec.name: emit(spec, name) for spec, name in named}
        package = root / "generated" / "byteloom_generated" / below
        outputs += [Output(package / f"{name}.py", text) for name, text in texts.items()]
        outputs += _asked_scanners(named, package)
        folders.append(
            Folder(
                name=below.as_posix(),
                specs=named,
                vectors=home / "vectors.yaml",
                modules=texts,
                output=reference / below,
            )
        )
    if tracer is not None:
        files = [*reference_files(folders, tracer), index_file(reference, folders)]
        outputs += [Output(path, text) for path, text in files]
    return outputs


def outputs_of_specs(
    specs: Iterable[Path], output: Path, include_dirs: Sequence[Path] = ()
) -> list[Output]:
    """Return what *specs* (files, or folders of them) and all they import become, in *output*."""
    named = [(spec, Path(spec.file).name) for spec in _loaded(specs, include_dirs)]
    records = [Output(output / f"{spec.name}.py", emit(spec, name)) for spec, name in named]
    return [*records, *_asked_scanners(named, output)]


def scanners_of_specs(
    specs: Iterable[Path], output: Path, include_dirs: Sequence[Path] = ()
) -> tuple[list[Output], list[str]]:
    """Return scanners for all that can be scanned in *specs* and their imports, in *output*.

    returns  the files, and for each repeated record without a scanner where it stands and why
    """
    outputs, reasons = list[Output](), list[str]()
    for spec in _loaded(specs, include_dirs):
        made = emit_scanners(spec, Path(spec.file).name, everything=True)
        outputs += [Output(output / f"{spec.name}_scan.py", made.text)] if made.text else []
        reasons += map(str, made.refused)
    return outputs, reasons


def _asked_scanners(named: Iterable[tuple[Spec, str]], output: Path) -> list[Output]:
    """Return the scanners that specs ask for themselves (``-loom-scan``)."""
    outputs = []
    for spec, name in named:
        made = emit_scanners(spec, name)
        if made.refused:
            raise GenerateError("\n".join(map(str, made.refused)))
        outputs += [Output(output / f"{spec.name}_scan.py", made.text)] if made.text else []
    return outputs


def pages_of_specs(
    specs: Iterable[Path], output: Path, tracer: Tracer, include_dirs: Sequence[Path] = ()
) -> list[Output]:
    """Return the reference pages of *specs* and all they import, in *output*.

    tracer  runs generated modules on the examples of ``vectors.yaml`` beside the specs
    """
    loaded = _loaded(specs, include_dirs)
    folders = [
        Folder(
            name=home.resolve().name,
            specs=[
                (spec, Path(spec.file).name) for spec in loaded if Path(spec.file).parent == home
            ],
            vectors=home / "vectors.yaml",
            modules={spec.name: emit(spec, Path(spec.file).name) for spec in loaded},
            output=output,
        )
        for home in sorted({Path(spec.file).parent for spec in loaded})
    ]
    return [Output(path, text) for path, text in reference_files(folders, tracer)]


def write(outputs: Iterable[Output]) -> list[Path]:
    """Write the files that are not current; return their paths."""
    written = []
    for output in outputs:
        if not output.is_current:
            output.path.parent.mkdir(parents=True, exist_ok=True)
            output.path.write_text(output.text, encoding="utf-8")
            written.append(output.path)
    return written


def _repository(start: Path) -> Path:
    for folder in (start, *start.parents):
        if (folder / "specs").is_dir() and (folder / "generated").is_dir():
            return folder
    raise GenerateError(
        f"{start}: no repository with specs/ and generated/ here or above; name a SPEC and -o DIR"
    )


def _files(specs: Iterable[Path]) -> Iterator[Path]:
    for path in specs:
        if path.is_dir():
            yield from sorted(path.rglob("*.ksy"))
        else:
            yield path


def _loaded(specs: Iterable[Path], include_dirs: Sequence[Path]) -> list[Spec]:
    """Return *specs* and all they import, each name once."""
    found: dict[str, Spec] = {}
    for path in _files(specs):
        for spec in _with_imports(load_spec(path, include_dirs=include_dirs)):
            found.setdefault(spec.name, spec)
    return list(found.values())


def _with_imports(spec: Spec, seen: set[str] | None = None) -> Iterator[Spec]:
    seen = set() if seen is None else seen
    if spec.file in seen:
        return
    seen.add(spec.file)
    yield spec
    for each in spec.imports:
        yield from _with_imports(each, seen)
