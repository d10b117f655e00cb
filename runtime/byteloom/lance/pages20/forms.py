"""Decode pages of version 2.0 that are stored alike, of many columns or files, by one call.

- Values of fixed width and text are decoded here, with nulls or without, unless they are coded.
- Rows of text that is looked up in dictionaries are taken from several pages at once, each of which
  has a dictionary of its own.  Opening each of them takes longer than reading all pages.
- Damage is only noticed here: pages are then decoded one by one, so that errors name the page.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.arrow.texts import is_text
from byteloom.kernels.lance_values import join_bits, join_buffers, join_ends
from byteloom.lance.arrays import empty, items_at
from byteloom.lance.encodings import array_encoding_of
from byteloom.lance.pages21.values import Fixed, Variable, array_of, offset_type
from byteloom.lance.stored_pages import (
    StoredPages,
    buffers_of,
    held_buffers,
    joined_ranges,
    places_of,
)
from byteloom.lance.types import width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.stored_pages import StoredPage
    from byteloom.limits import Limits
    from byteloom_generated.lance.encodings20 import ArrayEncoding, Flat

__all__ = [
    "Coded",
    "Form",
    "coded_of",
    "form_in",
    "form_of",
    "looked_up",
    "pages_as_one",
    "plain_flat",
]

_BYTE: Final = 8
_WORD: Final = 8
_END: Final = 64
"""Bits of the end of a text."""

_MOST_ADJUSTMENT: Final = 1 << 62


class Form(NamedTuple):
    """How the values of a page are stored.

    Attributes:
        bits: The bits of a value, or of the end of a text.
        values: The number of their buffer.
        validity: The number of the buffer of their validity; -1 if nothing is null.
        text: The number of the buffer of the bytes of texts; -1 for values of fixed width.
    """

    bits: int
    values: int
    validity: int
    text: int

    def fits(self, type_: pa.DataType, buffers: int) -> bool:
        """Whether values of *type_* may be stored so, in a page of as many *buffers*."""
        if max(self[1:]) >= buffers:
            return False
        return self.bits == width_of(type_) if self.text < 0 else is_text(type_)


@lru_cache(maxsize=256)
def form_of(data: bytes, limits: Limits) -> tuple[Form, int] | None:
    """Return the form of pages with the encoding *data*, and the adjustment of null texts.

    None for pages that are read alone.
    """
    return form_in(array_encoding_of(data, limits))


def form_in(encoding: ArrayEncoding) -> tuple[Form, int] | None:
    """Return the form of values with this *encoding*, and the adjustment; see `form_of`."""
    if encoding.WhichOneof("array_encoding") == "binary":
        binary = encoding.binary
        ends, text = plain_flat(binary.indices), plain_flat(binary.bytes)
        sound = ends and text and ends.bits_per_value == _END and text.bits_per_value == _BYTE
        if not sound or ends is None or text is None or binary.null_adjustment > _MOST_ADJUSTMENT:
            return None
        places = ends.buffer.buffer_index, -1, text.buffer.buffer_index
        return Form(_END, *places), binary.null_adjustment
    validity: Flat | None = None
    if encoding.WhichOneof("array_encoding") == "nullable":
        kind = encoding.nullable.WhichOneof("nullability")
        if kind == "some_nulls":
            validity = plain_flat(encoding.nullable.some_nulls.validity)
            encoding = encoding.nullable.some_nulls.values
            if validity is None or validity.bits_per_value != 1:
                return None
    values = plain_flat(encoding)
    if values is None or values.bits_per_value % _BYTE > 1:
        return None
    number = -1 if validity is None else validity.buffer.buffer_index
    return Form(values.bits_per_value, values.buffer.buffer_index, number, -1), 0


def plain_flat(encoding: ArrayEncoding) -> Flat | None:
    """Return the flat encoding of values that are not null or compressed; None for any other."""
    kind = encoding.WhichOneof("array_encoding")
    if kind == "nullable" and encoding.nullable.WhichOneof("nullability") == "no_nulls":
        return plain_flat(encoding.nullable.no_nulls.values)
    if kind != "flat" or encoding.flat.HasField("compression") or encoding.flat.buffer.buffer_type:
        return None
    return encoding.flat


def pages_as_one(
    pages: Sequence[StoredPage],
    form: Form,
    counts: np.ndarray,
    adjustments: np.ndarray,
    type_: pa.DataType,
) -> pa.Array | None:
    """Return the rows of *pages* of one form; None for damage.

    The bytes of texts were fetched; other values are read into the array of all.

    Args:
        counts: The number of rows of each page.
        adjustments: The number added to the ends of null texts in each page; 0 if nothing is null.
        type_: The type of the rows, which *form* fits.
    """
    page = pages[0]
    total = int(counts.sum())
    if total > page.limits.elements:
        return None
    if form.text >= 0:
        texts = _texts(pages, form, counts, adjustments)
        return None if texts is None else array_of(texts[0], type_, texts[1], page.path, page.at)
    values = _joined(pages, form.values, counts, form.bits)
    valid = None if form.validity < 0 else _joined(pages, form.validity, counts, 1)
    if values is None or (valid is None) != (form.validity < 0):
        return None
    return array_of(Fixed(form.bits, values, total), type_, valid, page.path, page.at)


def _joined(
    pages: Sequence[StoredPage], number: int, counts: np.ndarray, bits: int
) -> np.ndarray | None:
    """The values of one buffer of each page; None if one of the buffers is too short."""
    wanted = (counts * bits + _BYTE - 1) // _BYTE
    places = places_of(pages, number)
    if (places[:, 1] < wanted).any():
        return None
    if not isinstance(pages, StoredPages) and pages[0].held is None:
        if bits > 1:
            return joined_ranges(pages, places[:, 0], wanted)
        data, _, found = buffers_of(pages, [number])
        starts = found[number]
    else:
        data, starts, _ = held_buffers(pages, number)
    if bits == 1:
        out = np.zeros((int(counts.sum()) + _BYTE - 1) // _BYTE, np.uint8)
        join_bits(data, starts, counts, out)
    else:
        out = empty(int(wanted.sum()), np.uint8)
        join_buffers(data, starts, wanted, out)
    return out


def _texts(
    pages: Sequence[StoredPage], form: Form, counts: np.ndarray, adjustments: np.ndarray
) -> tuple[Variable, np.ndarray | None] | None:
    """The texts of pages, and which are not null; None for ends that do not ascend."""
    data, places, held = held_buffers(pages, form.values)
    _, starts, sizes = held_buffers(pages, form.text)
    total = int(counts.sum())
    if (held < counts * _END // _BYTE).any():
        return None
    words = data[: len(data) // _WORD * _WORD].view("<i8")
    offsets = empty(total + 1, offset_type(int(sizes.sum())))
    valid = np.zeros((total + _BYTE - 1) // _BYTE, np.uint8)
    nulls = np.zeros(len(counts), np.int64)
    if join_ends(words, places // _WORD, counts, adjustments, sizes, offsets, valid, nulls) >= 0:
        return None
    ended = offsets[np.cumsum(counts)].astype(np.int64)
    ended[1:] -= ended[:-1].copy()
    out = empty(int(ended.sum()), np.uint8)
    join_buffers(data, starts, ended, out)
    return Variable(offsets, out), valid if nulls.any() else None


_INDICES: Final = (8, 16, 32, 64)
"""Bits of an index."""


class Coded(NamedTuple):
    """How text is stored that is looked up in a dictionary.

    Attributes:
        bits: The bits of an index; 0 is null, other indices count from 1.
        indices: The number of their buffer.
        items: How the items are stored.
        adjustment: The number added to the ends of null items.
        num_items: How many items there are.
    """

    bits: int
    indices: int
    items: Form
    adjustment: int
    num_items: int


@lru_cache(maxsize=256)
def coded_of(data: bytes, limits: Limits) -> Coded | None:
    """Return how pages with the encoding *data* are stored; None for any other way."""
    encoding = array_encoding_of(data, limits)
    if encoding.WhichOneof("array_encoding") != "dictionary":
        return None
    found = encoding.dictionary
    indices, items = plain_flat(found.indices), form_in(found.items)
    if indices is None or items is None or items[0].text < 0:
        return None
    bits, number = indices.bits_per_value, indices.buffer.buffer_index
    return Coded(bits, number, *items, found.num_dictionary_items) if bits in _INDICES else None


def looked_up(
    pages: Sequence[StoredPage],
    coded: Sequence[Coded],
    wanted: Sequence[np.ndarray],
    type_: pa.DataType,
) -> pa.Array | None:
    """Return rows of pages that are stored alike, whose bytes were fetched; None for damage.

    Args:
        wanted: Ascending rows of each page.
        type_: The type of the text.
    """
    first = coded[0]
    fits = (max(first.indices, *first.items[1:]) < len(each.places) for each in pages)
    if not first.items.fits(type_, len(pages[0].places)) or not all(fits):
        return None
    width = first.bits // _BYTE
    data, starts, sizes = held_buffers(pages, first.indices)
    if (sizes < np.array([each.length for each in pages]) * width).any():
        return None
    words = data[: len(data) // width * width].view(f"<u{width}")
    places = [start // width + rows for start, rows in zip(starts, wanted, strict=True)]
    numbers = words[np.concatenate(places)].astype(np.int64)
    counts = np.array([each.num_items for each in coded])
    own = np.repeat(np.arange(len(pages)), [len(rows) for rows in wanted])
    if ((numbers < 0) | (numbers > counts[own])).any():
        return None
    adjustments = np.array([each.adjustment for each in coded])
    items = pages_as_one(pages, first.items, counts, adjustments, type_)
    if items is None or items.null_count:
        return None
    among_all = numbers - 1 + (np.cumsum(counts) - counts)[own]
    is_null = numbers == 0
    if is_null.any():
        return items.take(pa.array(among_all, mask=is_null))
    return items_at(items, pa.array(among_all))
