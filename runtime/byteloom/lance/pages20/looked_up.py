"""Take rows of text that is looked up in dictionaries, from several pages of version 2.0 at once.

Each page has a dictionary of its own.  Opening each of them takes longer than reading all pages.

- Nothing is refused here: where anything is unusual or damaged, rows are taken page by page, so
  that errors name the page.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import ByteloomError
from byteloom.lance.encodings import array_encoding_of
from byteloom.lance.looking_up import items_at
from byteloom.lance.pages20.together import Form, form_in, pages_as_one, plain_flat
from byteloom.lance.pages21.stored import fetch_together, held_buffers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from byteloom.lance.pages20.leaf import LeafReader
    from byteloom.limits import Limits

__all__ = ["looked_up_rows"]

_BYTE: Final = 8
_INDICES: Final = (8, 16, 32, 64)
"""Bits of an index."""

_SMALL: Final = 1 << 20
"""Bytes of a page that are read in the time of opening its dictionary."""

_MOST: Final = 1 << 24
"""Bytes of pages that are read together."""


class _Coded(NamedTuple):
    """How text is stored that is looked up in a dictionary.

    bits        of an index; 0 is null, other indices count from 1
    indices     the number of their buffer
    items       how the items are stored
    adjustment  the number added to the ends of null items
    num_items   how many items there are
    """

    bits: int
    indices: int
    items: Form
    adjustment: int
    num_items: int


def looked_up_rows(leaf: LeafReader, wanted: Mapping[int, np.ndarray]) -> tuple[pa.Array, int]:
    """Return rows of text of the first of some local pages, and the number of these pages.

    All others have to be taken page by page; a last page of few rows often has no dictionary.

    wanted  ascending rows in each page, by the number of the page
    """
    nothing = pa.nulls(0, leaf.type), 0
    if leaf.is_remote:
        return nothing
    coded: list[_Coded] = []
    left = _MOST
    try:
        for each in wanted:
            size, own = leaf.bytes_of(each), _coded(leaf.encoded(each), leaf.limits)
            left -= size
            if own is None or size >= _SMALL or left < 0 or own[:3] != (coded or [own])[0][:3]:
                break
            coded.append(own)
        found = _taken(leaf, coded, [*wanted.items()][: len(coded)]) if len(coded) > 1 else None
    except ByteloomError:
        return nothing
    return nothing if found is None else (found, len(coded))


@lru_cache(maxsize=256)
def _coded(data: bytes, limits: Limits) -> _Coded | None:
    """How pages with the encoding *data* are stored; None for any other way."""
    encoding = array_encoding_of(data, limits)
    if encoding.WhichOneof("array_encoding") != "dictionary":
        return None
    found = encoding.dictionary
    indices, items = plain_flat(found.indices), form_in(found.items)
    if indices is None or items is None or items[0].text < 0:
        return None
    bits, number = indices.bits_per_value, indices.buffer.buffer_index
    return _Coded(bits, number, *items, found.num_dictionary_items) if bits in _INDICES else None


def _taken(
    leaf: LeafReader, coded: list[_Coded], wanted: Sequence[tuple[int, np.ndarray]]
) -> pa.Array | None:
    """Rows of pages that are stored alike; None for damage."""
    first, pages = coded[0], [leaf.stored(number) for number, _ in wanted]
    fits = (max(first.indices, *first.items[1:]) < len(each.places) for each in pages)
    if not first.items.fits(leaf.type, len(pages[0].places)) or not all(fits):
        return None
    fetch_together(pages)
    width = first.bits // _BYTE
    data, starts, sizes = held_buffers(pages, first.indices)
    if (sizes < np.array([each.length for each in pages]) * width).any():
        return None
    words = data[: len(data) // width * width].view(f"<u{width}")
    places = [start // width + rows for start, (_, rows) in zip(starts, wanted, strict=True)]
    numbers = words[np.concatenate(places)].astype(np.int64)
    counts = np.array([each.num_items for each in coded])
    own = np.repeat(np.arange(len(pages)), [len(rows) for _, rows in wanted])
    if ((numbers < 0) | (numbers > counts[own])).any():
        return None
    adjustments = np.array([each.adjustment for each in coded])
    items = pages_as_one(pages, first.items, counts, adjustments, leaf.type)
    if items is None or items.null_count:
        return None
    among_all = numbers - 1 + (np.cumsum(counts) - counts)[own]
    is_null = numbers == 0
    if is_null.any():
        return items.take(pa.array(among_all, mask=is_null))
    return items_at(items, pa.array(among_all))
