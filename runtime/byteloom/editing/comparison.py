"""Compare a record, part by part, with the record that its bytes are read as.

A part that was never accessed must be read as before.  A part that was not edited itself may
still be read differently, if it is another view of edited bytes.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.editing.differences import edited_parameters, edits
from byteloom.editing.pairs import aligned
from byteloom.editing.places import MISSING, MOST, bare, inside, part
from byteloom.errors import FormatError, count_of_elements
from byteloom.wire.members import is_record, stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.editing.edited import Edited
    from byteloom.editing.places import Leaf, Place
    from byteloom.wire.record import Record

__all__ = ["difference", "shortly"]

_SHOWN: Final = 60
"""The most characters of a value in an error."""

_NOTHING: Final[tuple[object, ...]] = (None, b"", "", [])


class _Value(NamedTuple):
    """A value as written, as first read, and as read back.

    path     its path in the record
    origin   its path in the record as it was read
    is_part  whether it is, or is inside, a part that is read on demand
    """

    path: str
    origin: str
    written: Any
    before: Any
    read: Any
    is_part: bool = False

    def error(self) -> FormatError:
        """Return the error that it would be read back differently."""
        wanted = f"{shortly(self.read)}, as it would be read back"
        return FormatError(self.path, None, shortly(self.written), wanted)


def difference(record: Record, found: Record, edited: Edited | None = None) -> FormatError | None:
    """Return an error if *found*, read from the bytes of *record*, differs from it, else None.

    edited  what is known of *record* as it was read; None for one made by hand
    """
    was = MISSING if edited is None else edited.as_read
    waiting = deque([_Value(record.NAME, record.NAME, record, was, found)])
    aliases, left = None if edited is None else _Aliases(edited), MOST
    longer: _Value | None = None
    while waiting:
        value = waiting.popleft()
        if value.is_part:
            if not left:
                continue
            left -= 1
        if is_record(value.written) and type(value.written) is type(value.read):
            waiting += _members(value)
        elif _holds_records(value):
            waiting += _elements(value)
            if len(value.written) != len(value.read) and not _is_alias(value, aliases):
                longer = longer or value  # its elements may give a more precise error
        else:
            different = _different(value, aliases)
            if different is not None:
                return different.error()
    return None if longer is None else longer.error()


def _different(value: _Value, aliases: _Aliases | None) -> _Value | None:
    """Return *value*, or the first of its elements, that is read differently without a reason."""
    if _equal(value.written, value.read) and not _is_lost(value):
        return None
    if _are_lists(value):
        for each in _elements(value):
            if not (_equal(each.written, each.read) or _is_alias(each, aliases)):
                return each
        if len(value.written) == len(value.read):
            return None
    return None if _is_alias(value, aliases) else value


def _members(value: _Value) -> Iterator[_Value]:
    """Yield the fields of a record, and the parts that it can read on demand."""
    path, origin, written, before, read, is_part = value
    if type(before) is not type(written):
        before = MISSING
    for name in (*stored(written), *edited_parameters(written, before)):
        values = getattr(written, name), getattr(before, name, MISSING), getattr(read, name)
        yield _Value(f"{path}.{name}", f"{origin}.{name}", *values, is_part)
    for name, hidden in type(written).LAZY.items():
        now, was = getattr(written, hidden), MISSING
        if before is not MISSING:
            was = part(before, name)
        if now is None:
            now = was if before is not MISSING else part(written, name)
            if before is MISSING:
                setattr(written, hidden, None)
        if now is not MISSING:
            yield _Value(
                f"{path}.{name}", f"{origin}.{name}", now, was, part(read, name), is_part=True
            )


def _are_lists(value: _Value) -> bool:
    return isinstance(value.written, list | tuple) and isinstance(value.read, list)


def _holds_records(value: _Value) -> bool:
    return _are_lists(value) and any(is_record(each) for each in value.written[:1])


def _elements(value: _Value) -> Iterator[_Value]:
    path, origin, written, before, read, is_part = value
    partners: list[int | None] = [None] * len(written)
    if isinstance(before, list | tuple):
        partners = aligned(written, before)
    for number, index in enumerate(partners[: len(read)]):
        was = MISSING if index is None else before[index]
        at = f"{origin}[{len(partners) if index is None else index}]"
        yield _Value(f"{path}[{number}]", at, written[number], was, read[number], is_part)


def _equal(written: Any, read: Any) -> bool:
    """Whether two values are equal; None equals an empty value."""
    if written == read or (written in _NOTHING and read in _NOTHING):
        return True
    floats = isinstance(written, float) or isinstance(read, float)  # not all are stored exactly
    compares = any("__eq__" in vars(each) for each in type(written).__mro__[:-1])
    return floats or (type(written) is type(read) and not compares)


def _is_lost(value: _Value) -> bool:
    """Whether an edit made *value* empty, and nothing is read for it."""
    was_there = value.before is not MISSING and value.before not in _NOTHING
    return was_there and value.read is None and value.written is not None


def _is_alias(value: _Value, aliases: _Aliases | None) -> bool:
    """Whether a part that was not edited is another view of edited bytes."""
    if aliases is None or not value.is_part or value.read is MISSING:
        return False
    return aliases.covers(value.origin)


def shortly(value: object) -> str:
    """Return a value as errors show it."""
    if value is MISSING:
        return "no readable value"
    if isinstance(value, list):
        return count_of_elements(len(value))
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


class _Aliases:
    """Which parts of a record share bytes with its edited fields."""

    def __init__(self, edited: Edited) -> None:
        """Take an edited record; where its fields were is found out when it is needed."""
        self._edited = edited

    def covers(self, path: str) -> bool:
        """Whether the value at *path*, not edited itself, shares bytes with an edited one.

        A number that followed an edit may be seen as that number only, not as data.
        """
        if any(inside(each, path) for each in self._paths):
            return False
        mine = list(self._edited.places.inside(bare(path)))
        return any(
            (_name(seen.path), seen.place) == (_name(other.path), other.place)
            if has_followed
            else _overlap(seen.place, other.place)
            for other, has_followed in self._edited_fields
            for seen in mine
        )

    @cached_property
    def _paths(self) -> list[str]:
        return list(edits(self._edited.record, self._edited.as_read))

    @cached_property
    def _edited_fields(self) -> list[tuple[Leaf, bool]]:
        """The fields of what was edited, and whether that followed another edit.

        A part at a place of its own stays where it is if what leads to it goes.
        """
        places = self._edited.places
        return [
            (leaf, path not in self._edited.by_hand)
            for path in self._paths
            for outer in (self._footprint(bare(path)),)
            for leaf in places.inside(outer)
            if not places.is_part(leaf.path, after=len(outer))
        ]

    def _footprint(self, path: str) -> str:
        """Return *path*; for elements that were added to a list, the last one that it had."""
        outer, _, index = path.rpartition("[")
        if not index.endswith("]") or any(self._edited.places.inside(path)):
            return path
        return f"{outer}[{int(index[:-1]) - 1}]"


def _name(path: str) -> str:
    return path.rpartition(".")[2]


def _overlap(one: Place, other: Place) -> bool:
    return one.tree == other.tree and max(one.start, other.start) < min(one.end, other.end)
