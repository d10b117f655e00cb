"""Overlays of a fragment: new values of some of its rows, in files of their own.

- A bitmap says which rows have new values, by their positions in the fragment, deleted ones
  counted.  The value of a row is at the number of rows in the bitmap before it.
- Of those for one value, that of the highest version holds, and of one version the last.
- A value is replaced whole: that of a field, or of a list or a map with all that is inside.  Fields
  of a struct are replaced one by one; whether the struct is null stays as it is.

Source: specs/lance/table.proto
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.lance.arrays import rows_at
from byteloom.lance.dataset.deletions import bitmap_of
from byteloom.lance.decoding import rows_of
from byteloom.lance.field_reading import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from pyroaring import BitMap

    from byteloom.lance.field_reading import FieldReader, Rows
    from byteloom.lance.fields import Field
    from byteloom.lance.reader import LanceFile
    from byteloom_generated.lance.table import DataFile, DataFragment, DataOverlayFile

__all__ = ["Overlay", "coverage_of", "open_overlays", "overlaid"]

_POSITIONS: Final = 1 << 32
"""Number of the positions that bitmaps can have."""


class Overlay(NamedTuple):
    """An overlay whose file is open.

    Attributes:
        stored: Its message.
        path: The name of the message in errors.
        file: The file of the new values.
        ids: The ids of the fields that it has values of.
    """

    stored: DataOverlayFile
    path: str
    file: LanceFile
    ids: frozenset[int]


def open_overlays(
    fragment: DataFragment,
    path: str,
    wanted: frozenset[int],
    opened: Callable[[DataFile, str], LanceFile],
) -> list[Overlay]:
    """Open the overlays of any of the *wanted* fields, and return those that hold first, first.

    Args:
        path: The name of the fragment in errors.
        opened: Opens a file; it takes its message and the name of that in errors.
    """
    found = []
    numbered = enumerate(fragment.overlays)
    order = sorted(numbered, key=lambda each: (each[1].committed_version, each[0]), reverse=True)
    for number, stored in order:
        ids = wanted.intersection(stored.data_file.fields)
        if ids:
            own = f"{path}.overlays[{number}]"
            file = opened(stored.data_file, f"{own}.data_file")
            found.append(Overlay(stored, own, file, ids))
    return found


def coverage_of(stored: DataOverlayFile, ids: frozenset[int], path: str) -> BitMap:
    """Return the positions of rows that have new values of one of the fields *ids*.

    Args:
        path: The name of the overlay in errors.

    Raises:
        FormatError: For damage.
    """
    kind = stored.WhichOneof("coverage")
    if kind is None:
        raise FormatError(f"{path}.coverage", None, "nothing", "a bitmap of rows")
    data, path = stored.shared_offset_bitmap, f"{path}.{kind}"
    if kind == "field_coverage":
        fields, bitmaps = stored.data_file.fields, stored.field_coverage.offset_bitmaps
        if len(bitmaps) != len(fields):
            wanted = f"{len(fields)}, one for each field of the file"
            raise FormatError(f"{path}.offset_bitmaps", None, f"{len(bitmaps)} bitmaps", wanted)
        number = next(at for at, each in enumerate(fields) if each in ids)
        data, path = bitmaps[number], f"{path}.offset_bitmaps[{number}]"
    return bitmap_of(data, path)


def overlaid(
    field: Field,
    reader: FieldReader,
    overlays: Sequence[Overlay],
    values: Callable[[frozenset[int], LanceFile], FieldReader],
) -> FieldReader:
    """Return a reader of a field with the values of overlays in place of those of *reader*.

    Args:
        values: Returns the reader of the part of the field that has some ids in a file.

    Raises:
        FormatError: For damage.
        LimitExceeded: For new values of too many rows.
        Unsupported: For overlays of blobs and packed structs, which pylance ignores, and of parts
            of lists.
    """
    if not overlays:
        return reader
    parts = []
    for path, each in _wholes(field):
        leaves = frozenset(one.id for one in each.walk() if not one.children)
        names = leaves | {one.id for one in each.walk() if one.is_packed}
        new = []
        for one in overlays:
            if names & one.ids:
                _check_whole(each, leaves, one)
                rows = coverage_of(one.stored, leaves, one.path)
                rows.remove_range(min(reader.length, _POSITIONS), _POSITIONS)
                found = values(leaves, one.file)
                _check_count(len(rows), found.length, one)
                new.append(_Values(np.array(rows.to_array(), np.int64), found))
        if new:
            parts.append(_Part(path, new))
    return _OverlaidField(reader, parts) if parts else reader


def _wholes(field: Field, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Field]]:
    """Yield the fields in *field* whose values are replaced whole, with their places in structs."""
    if not field.is_struct or field.is_packed:
        yield path, field
        return
    for at, each in enumerate(field.children):
        yield from _wholes(each, (*path, at))


def _check_whole(field: Field, leaves: frozenset[int], overlay: Overlay) -> None:
    """Refuse an overlay that does not replace the values of a field whole."""
    path = f"{overlay.path}.data_file.fields"
    for each in field.walk():
        if each.is_packed or each.is_blob:
            kind = "blobs" if each.is_blob or each.is_descriptor else "packed structs"
            wanted = f"an overlay of fields other than {kind}"
            raise Unsupported(path, None, f"an overlay of {each.path}", wanted)
    if missing := leaves - overlay.ids:
        names = ", ".join(each.path for each in field.walk() if each.id in missing)
        raise Unsupported(path, None, f"an overlay without {names}", f"one of all of {field.path}")


class _Values(NamedTuple):
    """New values of a field: the rows that have one, and their reader."""

    rows: NDArray[np.int64]
    reader: FieldReader


class _Part(NamedTuple):
    """A field that has new values: where it is in structs, and the values, the newest first."""

    path: tuple[int, ...]
    values: list[_Values]


def _check_count(count: int, values: int, overlay: Overlay) -> None:
    """Refuse an overlay of more rows than it has values, or than may be in memory."""
    path, found, most = f"{overlay.path}.coverage", f"{count} rows", overlay.file.limits.elements
    if count > values:
        wanted = f"at most {values}, as many as {overlay.file.file_name} has values"
        raise FormatError(path, None, found, wanted)
    if count > most:
        raise LimitExceeded(path, None, found, f"at most {most} (limits.elements)")


class _OverlaidField:
    """A field some of whose values are in overlays."""

    def __init__(self, reader: FieldReader, parts: Sequence[_Part]) -> None:
        self._reader, self._parts = reader, parts
        self.length, self.leaves, self.joins = reader.length, reader.leaves, False

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        array, numbers = self._reader.made(parts, rows), np.asarray(rows, np.int64)
        for each in self._parts:
            array = _with_values(array, numbers, each.path, each)
        return array


def _with_values(array: pa.Array, rows: np.ndarray, path: Sequence[int], part: _Part) -> pa.Array:
    """The values of *rows* with new ones of the field at *path* in it."""
    if path:
        children = [array.field(at) for at in range(array.type.num_fields)]
        children[path[0]] = _with_values(children[path[0]], rows, path[1:], part)
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(children, fields=list(array.type), mask=mask)
    sources, places = [array], np.arange(len(array))
    left, count = np.ones(len(array), np.bool_), len(array)
    for each in part.values:
        at = np.searchsorted(each.rows, rows)
        is_new = left & (at < len(each.rows))
        is_new[is_new] = each.rows[at[is_new]] == rows[is_new]
        new = np.flatnonzero(is_new)
        if len(new):
            found = rows_of(each.reader, at[new])
            for _ in part.path:
                (found,) = found.flatten()  # null where the struct is
            sources.append(found)
            places[new] = count + np.arange(len(new))
            left[new], count = False, count + len(new)
    return array if len(sources) == 1 else rows_at(joined(array.type, sources), places)
