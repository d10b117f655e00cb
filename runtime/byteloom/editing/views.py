"""Carry the edits of a view over to the fields that were read from the same bytes.

A part at a place of its own may be another view of bytes that other fields have, too: an entry of
a directory leads to the header of a file, a pointer to a name before it.  An edit in such a view is
an edit of those fields.  They get the edited value, so that they are written with it, and whatever
depends on them follows.

- A field gets the value of one that was read as the same value from exactly the same bytes.
- A list gets the elements of one whose elements were its own, or its last ones; elements that
  stay keep their index.
- A field that was edited itself keeps its value.
- A view all of whose edits were carried over is not written: it is read from the result again.
"""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy, deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from byteloom.editing.differences import note_followed
from byteloom.editing.formulas import Member
from byteloom.editing.pairs import aligned
from byteloom.editing.places import MISSING, bare, inside, part
from byteloom.wire.members import is_record, stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.editing.edited import Edited
    from byteloom.editing.places import Place

__all__ = ["Carried"]


class _Field(NamedTuple):
    """A field: its path, where it is stored, and its value as it was read."""

    path: str
    at: Member
    was: Any


class Carried:
    """The fields of a record that got values of edited views of their bytes."""

    def __init__(self, edited: Edited) -> None:
        """Carry the edits of views over to other fields of the record."""
        self._record = edited.record
        self._edited = sorted(map(bare, edited.by_hand))
        self._pairs = edited.pairs()
        self._changed: list[tuple[_Field, Any]] = []
        self._dropped: dict[str, tuple[_Field, Any]] = {}
        views = [path for path in self._edited if self._pairs.parts.depth(path)]
        if views:
            self._fields = {field.path: field for field in self._all_fields()}
            self._places = edited.places
            self._drop([field.path for field in self._fields_at(views) if self._carry(field)])

    def __bool__(self) -> bool:
        """Whether any field got another value."""
        return bool(self._changed)

    def undo(self) -> None:
        """Give all fields back what they had."""
        for field, value in reversed(self._changed):
            field.at.put(value)

    @contextmanager
    def without_views(self) -> Iterator[None]:
        """Take the views away from the record during the block."""
        for field, _ in self._dropped.values():
            field.at.put(None)
        try:
            yield
        finally:
            for field, value in self._dropped.values():
                field.at.put(value)

    def keep(self) -> None:
        """Remember in the record that these values followed others."""
        note_followed(self._record, (field.at for field, _ in self._changed))

    def _all_fields(self) -> Iterator[_Field]:
        """Yield the fields of all records, and the parts that were read."""
        for path, now, was in self._pairs.records:
            for name in stored(now):
                yield _Field(f"{path}.{bare(name)}", Member(now, name), getattr(was, name))
            for name, hidden in type(now).LAZY.items():
                if getattr(now, hidden) is not None:
                    yield _Field(f"{path}.{bare(name)}", Member(now, hidden), part(was, name))

    def _fields_at(self, paths: list[str]) -> Iterator[_Field]:
        """Yield the edited fields; of lists, those elements that changed, or else all."""
        seen = set[str]()
        for path in paths:
            field = self._fields.get(path) or self._element(path)
            if field is not None and field.path not in seen:
                seen.add(field.path)
                yield field

    def _element(self, path: str) -> _Field | None:
        """Return the element of a list at *path*; the list itself if elements came or went."""
        outer, _, index = path.removesuffix("]").rpartition("[")
        field = self._fields.get(outer) if index.isdecimal() else None
        if field is None or not isinstance(field.at.value, list) or not isinstance(field.was, list):
            return None
        if len(field.at.value) != len(field.was):
            return field
        return _Field(path, Member(field.at.value, int(index)), field.was[int(index)])

    def _drop(self, carried: list[str]) -> None:
        """Find the views that need not be written: all their edits are among those *carried*."""
        kept = [path for path in self._edited if not any(inside(path, each) for each in carried)]
        for outer in {self._pairs.parts.innermost(path) for path in self._edited} - {""}:
            field = self._fields.get(outer)
            if field is not None and not any(inside(path, outer) for path in kept):
                self._dropped[outer] = field, field.at.value

    def _carry(self, view: _Field) -> bool:
        """Give the value of *view* to the fields with the same bytes; return whether any has it."""
        if isinstance(view.was, list) and self._places.of(view.path) is None:
            found = [(each, self._spliced(each, first, view)) for each, first in self._lists(view)]
        else:
            found = [(each, copy(view.at.value)) for each in self._same(view)]
        depths = [self._pairs.parts.depth(field.path) for field, _ in found]
        for depth, (field, value) in zip(depths, found, strict=True):
            if depth == min(depths):
                self._changed.append((field, field.at.value))
                field.at.put(value)
        return bool(found)

    def _same(self, view: _Field) -> Iterator[_Field]:
        """Yield unedited fields with the same bytes and value as *view*, nearer to the sequence."""
        place, depth = self._places.of(view.path), self._pairs.parts.depth(view.path)
        if place is None or view.was is MISSING or is_record(view.was) or is_record(view.at.value):
            return
        for other in self._places.at(place):
            if self._pairs.parts.depth(other) < depth and not self._is_edited(other):
                field = self._fields.get(other) or self._element(other)
                if (
                    field is not None
                    and field.path == other
                    and type(field.was) is type(view.was)
                    and field.was == view.was
                ):
                    yield field

    def _is_edited(self, path: str) -> bool:
        return any(inside(each, path) for each in self._edited)

    def _lists(self, view: _Field) -> Iterator[tuple[_Field, int]]:
        """Yield unedited lists that have the elements of *view*, each with the first one's index.

        Elements that stay have to keep their index: others would take their place.
        """
        kept = [index for index in aligned(view.at.value, view.was) if index is not None]
        if kept != list(range(len(kept))):
            return
        places = [self._places.span(f"{view.path}[{index}]") for index in range(len(view.was))]
        depth = self._pairs.parts.depth(view.path)
        for field in self._fields.values():
            if (
                isinstance(field.was, list)
                and len(field.was) >= len(places) > 0
                and type(field.was[0]) is type(view.was[0])
                and len(field.at.value) == len(field.was)
                and self._pairs.parts.depth(field.path) < depth
            ):
                first = self._begin(field, places)
                if first is not None and not any(
                    self._is_edited(f"{field.path}[{index}]")
                    for index in range(first, len(field.was))
                ):
                    yield field, first

    def _begin(self, field: _Field, places: list[Place | None]) -> int | None:
        """Return the index from which on the last elements of *field* have the *places*."""
        first = len(field.was) - len(places)
        spans = (self._places.span(f"{field.path}[{first + at}]") for at in range(len(places)))
        pairs = zip(spans, places, strict=True)
        return first if all(mine is not None and mine == other for mine, other in pairs) else None

    @staticmethod
    def _spliced(field: _Field, first: int, view: _Field) -> list[Any]:
        """Return the elements of *field*, those from *first* on as *view* has them now."""
        mine = field.at.value
        elements = [
            deepcopy(new) if index is None else mine[first + index]
            for new, index in zip(view.at.value, aligned(view.at.value, view.was), strict=True)
        ]
        return [*mine[:first], *elements]
