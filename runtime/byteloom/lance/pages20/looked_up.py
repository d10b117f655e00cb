"""Take rows of text that is looked up in dictionaries, from several pages of version 2.0 at once.

Each page has a dictionary of its own.  Opening each of them takes longer than reading all pages.

- Damage is only noticed here: rows are then taken page by page, so that errors name the page.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.lance.encodings import array_encoding_of
from byteloom.lance.looking_up import items_at
from byteloom.lance.pages20.forms import Form, form_in, pages_as_one, plain_flat
from byteloom.lance.stored_pages import held_buffers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.stored_pages import StoredPage
    from byteloom.limits import Limits

__all__ = ["Coded", "coded_of", "looked_up"]

_BYTE: Final = 8
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
