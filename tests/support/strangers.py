"""Specs as strangers write them, with bytes to read: everyday formats, and small nasty ones."""

import importlib
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.support.everyday import FILES

from byteloom_codegen.kaitaistruct import emit as emit_drop_in
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.module import emit

__all__ = [
    "FORMATS",
    "SNIPPETS",
    "emit_all",
    "hard_inputs",
    "hard_specs",
    "imported_from",
    "inputs",
    "specs",
    "write_records",
]

_TESTS = Path(__file__).parents[1]
FORMATS = _TESTS / "conformance/formats"
SNIPPETS = _TESTS / "cases/snippets"
_EDITS = _TESTS / "cases/edits"


def specs() -> list[Path]:
    """Return all of them."""
    return sorted([*FORMATS.glob("*.ksy"), *SNIPPETS.glob("*.ksy")])


def hard_specs() -> list[Path]:
    """Return those in which an edit of one value changes many numbers."""
    return sorted(_EDITS.glob("*.ksy"))


def inputs() -> Iterator[tuple[str, bytes]]:
    """Yield the name of a spec and bytes for it; a snippet has them in its first line."""
    for name, makers in FILES.items():
        for make in makers:
            yield name, make()
    yield from _examples(sorted(SNIPPETS.glob("*.ksy")))


def hard_inputs() -> Iterator[tuple[str, bytes]]:
    """Yield the names of specs that make edits hard, with bytes for them."""
    yield from _examples(hard_specs())


def _examples(paths: list[Path]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        for data in first.removeprefix("# data: ").split("|"):
            yield path.stem, bytes.fromhex(data)


@cache
def _records(path: Path) -> str:
    """Return the module of records of a spec; to generate all of them takes a second."""
    return emit(load_spec(path), path.name, flat=True)


def write_records(paths: Iterable[Path], folder: Path) -> None:
    """Write the modules of records of specs into a folder."""
    for path in paths:
        (folder / f"{path.stem}.py").write_text(_records(path), encoding="utf-8")


def emit_all(records: Path, drop_in: Path) -> None:
    """Write the modules of all specs, as records and as drop-ins, into two folders."""
    write_records(specs(), records)
    for path in specs():
        for name, module in emit_drop_in(load_spec(path)).items():
            (drop_in / name).write_text(module, encoding="utf-8")


@contextmanager
def imported_from(folder: Path) -> Iterator[None]:
    """Have the modules of all specs found in *folder*, whoever imported others of their names."""
    names = {path.stem for path in (*specs(), *hard_specs())}
    others = {name: sys.modules.pop(name) for name in names & sys.modules.keys()}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield
    sys.path.remove(str(folder))
    for name in names & sys.modules.keys():
        del sys.modules[name]
    sys.modules.update(others)
