"""The marks by which a file says that the generator wrote it, and from which spec.

Every generated file has one of these marks in its first bytes; a file without was written by hand.
By them, files are found that an earlier run made of a spec that was removed since:

- In a repository each run makes all of ``generated/``, so any other file in it is left over.
- Elsewhere a file says in its first lines which spec it was made from.  Where a folder of specs was
  named, it means all specs; where only files were, modules of other specs may be beside them.
- The scanner of a spec is left over where the spec is made without one: `left_scanners`.
- Left-over files are reported and never deleted: a spec may have been renamed by mistake.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from byteloom_codegen.model import Spec

__all__ = [
    "GENERATOR",
    "is_generated",
    "left_in",
    "left_in_repository",
    "left_scanners",
    "made_from",
]


GENERATOR: Final = "byteloom-codegen"
"""The program's name, where a format has a place for such."""

_WRITTEN: Final = re.compile(rb"Written by byteloom(?:-codegen)?(?: from (.+))?; do not edit")
_NAMED: Final = re.compile(rb'"generator"(?: content=|: )"byteloom-codegen"')
"""In the head of a page of HTML, and in JSON."""

_HEAD: Final = 1024
"""Bytes in which a file says what it was made from."""


def is_generated(path: Path) -> bool:
    """Whether the file at *path* says that the generator wrote it."""
    head = _head(path)
    return bool(_WRITTEN.search(head) or _NAMED.search(head))


def made_from(path: Path) -> str | None:
    """Return the name of the spec that a file says it was made from."""
    found = _WRITTEN.search(_head(path))
    return Path(found[1].decode("utf-8", "replace")).name if found and found[1] else None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


_BY_HAND: Final = {"__init__.py", "py.typed"}


def left_in_repository(roots: Iterable[Path], made: Collection[Path]) -> list[Path]:
    """Return the files below *roots* that no spec becomes.

    made  the files that specs become
    """
    return [
        path
        for root in roots
        for path in sorted(root.rglob("*"))
        if path.is_file() and path not in made and not _is_by_hand(path.relative_to(root))
    ]


def left_in(folder: Path, paths: Sequence[Path], specs: Iterable[Spec]) -> list[Path]:
    """Return the modules and pages in *folder* that were made from none of a run's specs.

    paths  the files and folders that were named; without a folder among them nothing is left over
    specs  what was read from there, with all that it imports
    """
    homes = [path for path in paths if path.is_dir()]
    if not homes or not folder.is_dir():
        return []
    forms = ("*.ksy", "*.proto")
    there = {each.name for home in homes for form in forms for each in home.rglob(form)}
    there |= {path.name for path in paths} | {Path(spec.file).name for spec in specs}
    files = sorted(path for path in folder.iterdir() if path.suffix in {".py", ".md"})
    gone = [path for path in files if path.is_file() and made_from(path) not in {None, *there}]
    pages = [path.with_suffix(".html") for path in gone if path.suffix == ".md"]
    return sorted([*gone, *(path for path in pages if path.is_file())])


def left_scanners(folder: Path, specs: Iterable[Spec], made: Collection[Path]) -> list[Path]:
    """Return the scanners of *specs* in *folder* that a run did not make again.

    made  the files that the run makes
    """
    paths = {folder / f"{spec.name}_scan.py": Path(spec.file).name for spec in specs}
    return sorted(
        path
        for path, name in paths.items()
        if path not in made and path.is_file() and made_from(path) == name
    )


def _is_by_hand(path: Path) -> bool:
    """Whether a file belongs to Python or a tool."""
    hidden = any(part == "__pycache__" or part.startswith(".") for part in path.parts)
    return hidden or path.name in _BY_HAND
