"""Edits drawn by chance, and what any reader must find in the bytes that are written after one.

An edit changes a text, some bytes or a list of a record that was read.  Afterwards a reader must
find the edited value, and every other value as it was: texts, bytes and floats wherever they are,
lengths of lists, numbers in sequence as the edited record has them.  Only what had bytes in common
with the edited value may differ.
"""

from __future__ import annotations

from collections import deque
from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.support.scalars import scalar

from byteloom.editing.places import leaves_of, read_all
from byteloom.errors import ByteloomError
from byteloom.wire.members import parameter_names
from byteloom.wire.reader import Reader
from byteloom.wire.trace import TracingReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from byteloom.wire import Record

__all__ = ["Edit", "Path", "Sample", "Written", "found_in", "lookup"]

Path = tuple[str | int, ...]
_OF_LISTS = ("append", "pop", "first")
_KINDS = ("content", "longer", "shorter", *_OF_LISTS)
_NOTHING = ("", "None", "bytes b''", "text ''")
_MOST = 3000
"""Values of a record that are compared."""


class Edit(NamedTuple):
    """An edit of the value at *path*."""

    path: Path
    kind: str


class Written(NamedTuple):
    """What was written after an edit, and what must be read from it.

    expected  values by path
    was       the path that each had before the edit
    """

    edit: Edit
    data: bytes
    expected: dict[Path, str]
    was: dict[Path, Path]

    def wrong(self, before: Callable[[Path], str], after: Callable[[Path], str]) -> list[str]:
        """Return the differences between what was expected and the values read after the edit.

        before, after  the value at a path, as read before and after the edit

        A record that is met twice may be shown once, elsewhere: nothing is compared there.
        """
        at = self.edit.path
        edited = {at, (*at, "#")} if before(at) or before((*at, "#")) else set()
        return [
            f"{path}: found {after(path) or None}, wanted {wanted}"
            for path, wanted in self.expected.items()
            if not _alike(after(path), wanted)
            and (path in edited or _alike(before(self.was[path]), wanted))
        ]


def _alike(found: str, wanted: str) -> bool:
    """Whether two values are equal; an absent field equals an empty one."""
    if found == "again":
        return True  # it is shown elsewhere
    return found == wanted or (found in _NOTHING and wanted in _NOTHING)


class Sample:
    """A file, read by the class *kind* of generated records."""

    def __init__(self, kind: type[Record], data: bytes) -> None:
        """Read it, and find out which fields its bytes belong to."""
        self._kind, self._data = kind, data
        record = kind.from_bytes(data)
        read_all(record)
        self.found = found_in(record)
        r = TracingReader(data)
        read_all(r.whole("", kind.read))
        self._within: dict[Path, list[Any]] = {}
        for steps, where in {_split(each.path): each.place for each in leaves_of(r)}.items():
            for depth in range(len(steps) + 1):
                self._within.setdefault(steps[:depth], []).append(where)

    def edits(self, dice: Random, most: int) -> list[Edit]:
        """Return up to *most* edits."""
        record = self._kind.from_bytes(self._data)
        read_all(record)
        targets = [
            Edit(path, kind)
            for path, value in _values(record)
            for kind in _KINDS
            if _is_target(value, path, self.found) and _takes(value, kind)
        ]
        return dice.sample(targets, min(most, len(targets)))

    def written(self, edit: Edit, *, read_before: bool) -> Written | None:
        """Make an edit and write the record; None where that is refused.

        read_before  whether all parts are read before
        """
        record, whole = self._kind.from_bytes(self._data), self._kind.from_bytes(self._data)
        read_all(whole)
        if read_before:
            read_all(record)
        try:
            _make(record, edit)
            _make(whole, edit)
            data = record.to_bytes()
        except ByteloomError:
            return None
        expected = {path: text for path, text in found_in(whole).items() if not _is_number(text)}
        numbers = found_in(record, parts=False).items()
        expected |= {path: text for path, text in numbers if _is_number(text)}
        was = {path: self._before(path, edit) for path in expected}
        edited = self._ranges_in(self._footprint(edit))
        for path in list(expected):
            apart = path[: len(edit.path)] != edit.path
            if apart and self._shares_bytes(was[path], edited):
                del expected[path]
        return Written(edit, data, expected, was)

    def _before(self, path: Path, edit: Edit) -> Path:
        """Return the path that a value had before *edit*."""
        at = len(edit.path)
        if edit.kind not in {"append", "first"} or path[:at] != edit.path or len(path) == at:
            return path
        index = path[at]
        if not isinstance(index, int):
            return path
        last = int(self.found[*edit.path, "#"]) - 1
        index = index + 1 if edit.kind == "first" else min(index, last)
        return (*edit.path, index, *path[at + 1 :])

    def _footprint(self, edit: Edit) -> Path:
        """Return the path of the value that is edited, copied or gone."""
        if edit.kind in {"content", "longer", "shorter"}:
            return edit.path
        last = int(self.found[*edit.path, "#"]) - 1
        return (*edit.path, 0 if edit.kind == "first" else last)

    def _shares_bytes(self, path: Path, edited: list[Any]) -> bool:
        mine = self._ranges_in(path[:-1] if path[-1:] == ("#",) else path)
        return any(
            one.tree == other.tree and max(one.start, other.start) < min(one.end, other.end)
            for one in mine
            for other in edited
        )

    def _ranges_in(self, path: Path) -> list[Any]:
        return self._within.get(path, [])


def _members(record: Any, *, parts: bool) -> Iterator[tuple[str, Any]]:
    """Yield the stored values of a record, each with its name in the spec."""
    hidden = record.LAZY if parts else {}
    kind: Any = type(record)
    given = parameter_names(kind)
    for each in fields(record):
        if (each.compare or each.name in given) and not isinstance(
            value := getattr(record, each.name), Reader
        ):
            yield each.name.rstrip("_"), value
    for name, attribute in hidden.items():
        value = getattr(record, attribute)
        if value is not None:
            yield name.rstrip("_"), value


def _values(record: Any, *, parts: bool = True) -> Iterator[tuple[Path, Any]]:
    """Yield all values in a record, breadth first, each with its path; records once."""
    waiting: deque[tuple[Path, Any]] = deque([((), record)])
    seen = {id(record)}
    for _ in range(_MOST):
        if not waiting:
            return
        path, value = waiting.popleft()
        if isinstance(value, list):
            yield path, value
            inner: Iterator[tuple[str | int, Any]] = iter(enumerate(value))
        elif hasattr(value, "LAZY") and is_dataclass(value):
            inner = iter(_members(value, parts=parts))
        else:
            yield path, value
            continue
        for step, each in inner:
            is_again = hasattr(each, "LAZY") and id(each) in seen
            if not is_again:
                seen.add(id(each))
                waiting.append(((*path, step), each))


def found_in(record: Any, *, parts: bool = True) -> dict[Path, str]:
    """Return the values in a record as texts, by path; ``#`` is the length of a list."""
    found: dict[Path, str] = {}
    for path, value in _values(record, parts=parts):
        if isinstance(value, list):
            found[*path, "#"] = str(len(value))
        else:
            found[path] = scalar(value)
    return found


def lookup(tree: Any, path: Path) -> str:
    """Return the value at *path* of a tree of maps, lists and texts; "" where it has none.

    Where the tree says that a record was met before, this is "again".
    """
    at: Any = tree
    for step in path:
        if step == "#":
            return str(len(at)) if isinstance(at, list) else ""
        known = range(len(at)) if isinstance(at, list) else at
        if isinstance(at, str) or step not in known:
            return "again" if at == "again" else ""
        at = at[step]
    return at if isinstance(at, str) else ""


def _is_number(text: str) -> bool:
    return text.startswith("enum ") or text in {"True", "False"} or text.lstrip("-").isdecimal()


def _is_target(value: Any, path: Path, found: dict[Path, str]) -> bool:
    if isinstance(value, list):
        return bool(value) and (*path, "#") in found
    return isinstance(value, bytes | str) and path in found


def _takes(value: Any, kind: str) -> bool:
    """Whether a value has an edit of a kind; lists are not copied to find out."""
    return kind in _OF_LISTS if isinstance(value, list) else _changed(value, kind) is not None


def _changed(value: Any, kind: str) -> Any:
    """Return another value in the place of *value*; None where that kind of edit has none."""
    if isinstance(value, list):
        if kind == "append":
            return [*value, deepcopy(value[-1])]
        return {"pop": value[:-1], "first": value[1:]}.get(kind)
    plain, more = (str(value), "Qz7") if isinstance(value, str) else (bytes(value), b"Qz7")
    if kind == "longer":
        return plain + more  # type: ignore[operator]
    if not plain or kind not in {"content", "shorter"}:
        return None
    if kind == "shorter":
        return plain[: len(plain) - 1 - len(plain) // 3]
    other = more[:1] if plain[-1:] != more[:1] else more[1:2]
    return plain[:-1] + other  # type: ignore[operator]


def _make(record: Any, edit: Edit) -> None:
    """Make an edit; the list or record that has the value is reached by its path."""
    owner = record
    for step in edit.path[:-1]:
        owner = owner[step] if isinstance(step, int) else getattr(owner, _attribute(owner, step))
    last = edit.path[-1]
    if isinstance(last, int):
        owner[last] = _changed(owner[last], edit.kind)
    else:
        name = _attribute(owner, last)
        setattr(owner, name, _changed(getattr(owner, name), edit.kind))


def _attribute(owner: Any, name: str) -> str:
    """Return what the class calls the field *name*."""
    names = [*(each.name for each in fields(owner)), *owner.LAZY]
    found: str = next(each for each in names if each.rstrip("_") == name)
    return found


def _split(path: str) -> Path:
    """Return a path of the tracing reader in steps, without the name of the record."""
    steps = path.replace("[", ".").replace("]", "").split(".")
    return tuple(int(each) if each.isdecimal() else each for each in steps if each)
