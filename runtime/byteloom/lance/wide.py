"""Decode the columns of a wide file together, without an object for each of them.

A column's reader, its page and its arrays take longer to make than a few kilobytes take to decode.
Columns with one small page each are read by arrays of their places: those of one type and encoding
are decoded as one column, of which each gets its part.

- Nothing is refused here: columns with several pages, with a large one or with any damage are left
  to their readers, so that errors name the column and its page.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import ByteloomError
from byteloom.lance.arrays import rows_at
from byteloom.lance.column_metadata import description
from byteloom.lance.encodings import ARRAY_ENCODING, PAGE_LAYOUT, layout_of
from byteloom.lance.field_reading import SMALL_PAGE, InMemory
from byteloom.lance.pages20.forms import Form, form_of, pages_as_one
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom.lance.pages21.shapes import shape_of
from byteloom.lance.stored_pages import StoredPages, fetched
from byteloom.lance.types import arrow_type, is_bounded

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from byteloom.lance.column_metadata import SinglePages
    from byteloom.lance.fields import Field
    from byteloom.lance.stored_columns import StoredColumns

__all__ = ["FEW_COLUMNS", "columns_together"]

FEW_COLUMNS: Final = 16
"""Number of columns that are worth a look at all of them."""

_MOST: Final = 1 << 25
"""Bytes of pages that are decoded together."""


class _Kind(NamedTuple):
    """How the values of a page are stored.

    key         pages with the same one are decoded together
    layout      the layout of the page; in 2.0 its form
    adjustment  the number added to the ends of null texts in 2.0
    """

    key: Hashable
    layout: Any
    adjustment: int


_Member: TypeAlias = "tuple[int, _Kind, list[int], list[int]]"
"""The index of a page, how it is stored, and the offsets and sizes of its buffers."""


class _Group(NamedTuple):
    """Pages that are decoded together.

    indexes  of the pages among those of all columns, ascending
    kinds    how each is stored
    places   int64[page, buffer, 2]: offset and size of each buffer in the file
    type     the type of their values
    """

    indexes: np.ndarray
    kinds: list[_Kind]
    places: np.ndarray
    type: pa.DataType

    def some(self, chosen: np.ndarray) -> _Group:
        """Return the pages for which *chosen* is true."""
        kinds = [self.kinds[each] for each in np.flatnonzero(chosen).tolist()]
        return _Group(self.indexes[chosen], kinds, self.places[chosen], self.type)


def columns_together(
    file: StoredColumns, fields: Sequence[Field], rows: range | np.ndarray
) -> list[InMemory | None]:
    """Return the values of *fields*; None for each field that its reader has to read.

    rows  a range of rows, or ascending numbers of rows
    """
    found: list[InMemory | None] = [None] * len(fields)
    plain, numbers = _plain_columns(file, fields) if len(rows) else ({}, [])
    try:
        pages = file.single_pages(numbers) if plain else None
        if pages is None:
            return found
        chosen = {index: fields[each] for index, each in plain.items()}
        groups = _groups(pages, chosen, file.num_rows)
        for part in _parts(groups, len(numbers)):
            for group, values in _decoded(file, pages, part):
                arrays = _rows(values, len(group.indexes), file.num_rows, rows)
                for index, array in zip(group.indexes.tolist(), arrays, strict=True):
                    found[plain[index]] = InMemory(array, rows)
    except ByteloomError:
        pass  # pages that are left are read again to raise their error
    return found


def _plain_columns(
    file: StoredColumns, fields: Sequence[Field]
) -> tuple[dict[int, int], list[int]]:
    """Which of *fields* have just one column, and the numbers of the columns of all fields.

    Fields are given by the index of their column among those.  Nothing if there are few of them,
    or if an early release wrote the file in its own way.
    """
    if len(fields) < FEW_COLUMNS or not file.tail.columns or file.tail.is_early:
        return {}, []
    columns = file.column_map
    if columns.text_is_lists:
        return {}, []
    plain: dict[int, int] = {}
    numbers: list[int] = []
    for at, each in enumerate(fields):
        number = columns.first.get(each.id)
        if number is None or each.children or each.is_blob or columns.types[number] != each.type:
            numbers += columns.of(each)
        else:
            plain[len(numbers)] = at
            numbers.append(number)
    return (plain, numbers) if len(plain) >= FEW_COLUMNS else ({}, [])


def _groups(pages: SinglePages, fields: Mapping[int, Field], rows: int) -> list[_Group]:
    """The pages with all *rows* that may be decoded with others.

    fields  by the indexes of their pages
    """
    types = {each.type: arrow_type(each) for each in fields.values()}
    kinds: dict[tuple[bytes, str], _Kind | None] = {}
    members: dict[tuple[Hashable, str, int, int], list[_Member]] = {}
    for index, field in fields.items():
        page = pages.messages[index]
        stored = page.encoding.direct.encoding
        known = stored, field.type
        if known not in kinds:
            kinds[known] = _kind(pages, index, types[field.type], rows)
        kind = kinds[known]
        if kind is not None and page.length == rows:
            offsets, sizes = list(page.buffer_offsets), list(page.buffer_sizes)
            key = kind.key, field.type, len(offsets), len(sizes)
            members.setdefault(key, []).append((index, kind, offsets, sizes))
    found = [_group(each, types[key[1]]) for key, each in members.items() if key[2] == key[3]]
    return [each.some(_is_sound(each.places, pages)) for each in found]


def _kind(pages: SinglePages, index: int, type_: pa.DataType, rows: int) -> _Kind | None:
    """How a page of *rows* is stored; None for one that is read alone."""
    found = description(pages.messages[index].encoding, "", 0, pages.limits)
    if found.type == PAGE_LAYOUT:
        layout = layout_of(found.data, pages.limits)
        shape, chunks = shape_of(layout, found.data, type_), layout.mini_block_layout
        is_plain = chunks.num_items == rows and not chunks.HasField("rep_compression")
        return _Kind(shape, chunks, 0) if shape and is_plain else None
    # Buffers may be in the reverse order where columns have no encoding of their own.
    if found.type != ARRAY_ENCODING or not pages.encoding.type:
        return None
    form = form_of(found.data, pages.limits)
    return None if form is None else _Kind(form[0], *form)


def _group(members: Sequence[_Member], type_: pa.DataType) -> _Group:
    """The pages *members*, which have the same number of buffers."""
    indexes, kinds, offsets, sizes = zip(*members, strict=True)
    try:
        places = np.array([offsets, sizes], np.int64).transpose(1, 2, 0)
    except OverflowError:  # a place of 8 exbibytes or more, which no file has
        places = np.full((len(indexes), 1, 2), -1, np.int64)
    return _Group(np.array(indexes), list(kinds), places, type_)


def _is_sound(places: np.ndarray, pages: SinglePages) -> np.ndarray:
    """Whether the buffers of each page are small, inside the file, and one after the other."""
    offsets, sizes = places[:, :, 0], places[:, :, 1]
    total = sizes.sum(axis=1)
    most = min(SMALL_PAGE - 1, pages.limits.decompressed_size)
    found = ((offsets >= 0) & (sizes >= 0) & (sizes <= most)).all(axis=1)
    found &= (total > 0) & (total < SMALL_PAGE) & (offsets <= pages.end - sizes).all(axis=1)
    follows: np.ndarray = offsets[:, 1:] >= offsets[:, :-1] + sizes[:, :-1]
    sound: np.ndarray = found & follows.all(axis=1)
    return sound


def _parts(groups: Sequence[_Group], count: int) -> Iterator[list[_Group]]:
    """Yield the pages of *count* columns, as many at a time as are decoded together."""
    sizes = np.zeros(count, np.int64)
    for each in groups:
        sizes[each.indexes] = each.places[:, :, 1].sum(axis=1)
    numbers = np.cumsum(sizes) // _MOST
    for number in np.unique(numbers).tolist():
        parts = [each.some(numbers[each.indexes] == number) for each in groups]
        yield [each for each in parts if len(each.indexes)]


def _decoded(
    file: StoredColumns, pages: SinglePages, groups: Sequence[_Group]
) -> Iterator[tuple[_Group, pa.Array]]:
    """Yield each group with the rows of all of its pages, if there is no damage in any."""
    if not groups:
        return
    places = np.concatenate([each.places.reshape(-1, 2) for each in groups])
    data, starts = fetched(file.data, places[:, 0], places[:, 1])
    at = 0
    for each in groups:
        own = each.places.shape[:2]
        begin, at = at, at + own[0] * own[1]
        places = starts[begin:at].reshape(own)
        indexes = each.indexes.tolist()
        stored = StoredPages(pages, indexes, file.data, pages.limits, each.places, data, places)
        try:
            values = _values(stored, each, file.num_rows)
        except ByteloomError:
            continue
        if values is not None and len(values) == len(indexes) * file.num_rows:
            yield each, values


def _values(stored: StoredPages, group: _Group, rows: int) -> pa.Array | None:
    """The rows of all pages of a group; None for damage."""
    kinds, type_ = group.kinds, group.type
    if isinstance(kinds[0].key, Form):
        form = kinds[0].key
        if not form.fits(type_, stored.num_buffers):
            return None
        adjustments = np.array([each.adjustment for each in kinds])
        counts = np.full(len(kinds), rows)
        found = pages_as_one(stored, form, counts, adjustments, type_)
    else:
        opened = MiniBlockPages(stored, [each.layout for each in kinds], type_)
        found = opened.whole() if opened.nesting.size == 1 else None
    if found is not None and is_bounded(type_):
        try:
            found.validate(full=True)
        except pa.ArrowInvalid:
            return None
    return found


def _rows(values: pa.Array, pages: int, count: int, rows: range | np.ndarray) -> list[pa.Array]:
    """The asked *rows* of each of some pages, whose *count* rows each are in *values*."""
    if not isinstance(rows, range):
        numbers = (np.arange(pages)[:, None] * count + rows).ravel()
        values, count, rows = rows_at(values, numbers), len(rows), range(len(rows))
    size = len(rows)
    return [values.slice(at, size) for at in range(rows.start, pages * count, count)]
