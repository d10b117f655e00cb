"""`byteloom generate`: specs in, files out, and nothing written that has not changed.

With no spec named, the specs of the repository around the working directory are generated, each where
its folder says: ``specs/puffin/puffin.ksy`` becomes ``generated/byteloom_generated/puffin/puffin.py``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from byteloom_codegen.errors import GenerateError
from byteloom_codegen.frontend import load_spec
from byteloom_codegen.model import Spec
from byteloom_codegen.python.emit import emit

__all__ = ["Output", "outputs_of_repository", "outputs_of_specs", "write"]


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


def outputs_of_repository(start: Path) -> list[Output]:
    """Return everything that the specs of the repository around *start* become."""
    root = _repository(start)
    outputs = []
    for path in sorted((root / "specs").rglob("*.ksy")):
        name = path.relative_to(root).as_posix()
        package = root / "generated" / "byteloom_generated" / path.parent.relative_to(root / "specs")
        spec = load_spec(path)
        outputs.append(Output(package / f"{spec.name}.py", emit(spec, name)))
    return outputs


def outputs_of_specs(
    specs: Iterable[Path], output: Path, include_dirs: Sequence[Path] = ()
) -> list[Output]:
    """Return what *specs* (files, or folders of them) and all they import become, in *output*."""
    found: dict[str, Output] = {}
    for path in _files(specs):
        for spec in _with_imports(load_spec(path, include_dirs=include_dirs)):
            found.setdefault(spec.name, Output(output / f"{spec.name}.py", emit(spec, Path(spec.file).name)))
    return list(found.values())


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
    raise GenerateError(f"{start}: no repository with specs/ and generated/ here or above; name a SPEC and -o DIR")


def _files(specs: Iterable[Path]) -> Iterator[Path]:
    for path in specs:
        if path.is_dir():
            yield from sorted(path.rglob("*.ksy"))
        else:
            yield path


def _with_imports(spec: Spec, seen: set[str] | None = None) -> Iterator[Spec]:
    seen = set() if seen is None else seen
    if spec.file in seen:
        return
    seen.add(spec.file)
    yield spec
    for each in spec.imports:
        yield from _with_imports(each, seen)
