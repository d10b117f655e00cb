"""Pages of the layout FullZip: entries one after the other, each its levels and its value.

Source: https://lance.org/format/file/encoding/#full-zip-page-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.lance.units import LEVEL_BITS
from byteloom.lance.writing.pieces import Pieces
from byteloom.lance.writing.values import FixedValues
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.writing.levels import Levels
    from byteloom.lance.writing.values import Values, VariableValues

__all__ = ["full_zip_page"]

_BYTE = 8
_WIDTHS: Final = (1, 2, 4, 8)


def full_zip_page(levels: Levels, values: Values) -> tuple[e.PageLayout, list[np.ndarray]]:
    """Return the layout and the buffers of a page."""
    is_fixed = isinstance(values, FixedValues)
    pieces = Pieces(levels.entries)
    _add_control(pieces, levels)
    if isinstance(values, FixedValues):
        _add_fixed(pieces, levels, values)
    else:
        _add_variable(pieces, levels, values)
    message = e.FullZipLayout(
        bits_rep=levels.max_rep.bit_length(),
        bits_def=levels.max_def.bit_length(),
        num_items=levels.entries,
        num_visible_items=values.count,
        value_compression=values.encoding,
        layers=levels.layers,
    )
    if isinstance(values, FixedValues):
        message.bits_per_value = values.zipped_size * _BYTE
    else:
        message.bits_per_offset = values.width * _BYTE
    buffers = [pieces.joined()]
    if levels.rep is not None or not is_fixed:
        buffers.append(_index(pieces.sizes, levels))
    return e.PageLayout(full_zip_layout=message), buffers


def _add_control(pieces: Pieces, levels: Levels) -> None:
    """Add both levels of each entry in one word, of the fewest bytes that hold them."""
    bits = levels.max_rep.bit_length() + levels.max_def.bit_length()
    if not bits:
        return
    words = np.zeros(levels.entries, np.uint32)
    if levels.rep is not None:
        words |= levels.rep.astype(np.uint32) << np.uint32(levels.max_def.bit_length())
    if levels.definition is not None:
        words |= levels.definition
    width = 1 if bits <= _BYTE else 2 if bits <= LEVEL_BITS else 4
    pieces.add_rows(words.astype(f"<u{width}")[:, None])


def _spread(items: np.ndarray, levels: Levels) -> np.ndarray:
    """Return the item of each entry among *items*; 0 for an entry without a value."""
    if levels.visible is None:
        return items
    found = np.zeros(levels.entries, np.int64)
    found[levels.visible] = items
    return found


def _add_fixed(pieces: Pieces, levels: Levels, values: FixedValues) -> None:
    """The bitmaps of each value, and its bytes."""
    numbers = np.arange(values.count, dtype=np.int64)
    for rows in values.zipped():
        size = rows.shape[1]
        sizes = np.full(values.count, size, np.int64)
        pieces.add(rows, _spread(numbers * size, levels), _spread(sizes, levels))


def _add_variable(pieces: Pieces, levels: Levels, values: VariableValues) -> None:
    """The length of each value, and its bytes; nothing for null."""
    starts = _spread(values.offsets[:-1], levels)
    sizes = _spread(np.diff(values.offsets), levels)
    has = np.ones(levels.entries, bool)
    if levels.definition is not None:
        has = levels.definition == 0
    numbers = np.arange(levels.entries, dtype=np.int64)
    pieces.add(sizes.astype(f"<u{values.width}"), numbers * values.width, has * values.width)
    pieces.add(values.data, starts, np.where(has, sizes, 0))


def _index(sizes: np.ndarray, levels: Levels) -> np.ndarray:
    """The place where each row begins, and where the last one ends."""
    places = np.append(0, np.cumsum(sizes))
    if levels.rep is not None:
        places = places[np.append(np.flatnonzero(levels.rep == levels.max_rep), levels.entries)]
    width = next(each for each in _WIDTHS if int(places[-1]) < 1 << each * _BYTE)
    return places.astype(f"<u{width}")
