"""Pages without chunks, of the layouts FullZip and Constant.

- FullZip has entries one after the other, each its levels and its value.
- Constant has only levels, or one value for all rows.

Source: https://lance.org/format/file/encoding/#full-zip-page-layout,
https://lance.org/format/file/encoding/#constant-page-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import Unsupported
from byteloom.lance.units import LEVEL_BITS
from byteloom.lance.writing.integers import levels_of
from byteloom.lance.writing.pieces import Pieces
from byteloom.lance.writing.values import FixedValues, VariableValues
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.writing.levels import Levels
    from byteloom.lance.writing.options import Options
    from byteloom.lance.writing.values import Values

__all__ = ["bare_page", "constant_page", "full_zip_page", "null_page"]

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


_MOST_INLINE: Final = 32
"""Bytes of a value in the description of a page."""


def null_page(levels: Levels, options: Options) -> tuple[e.PageLayout, list[np.ndarray]]:
    """Return a page without values: only levels, or not even these if all rows are null."""
    message = e.ConstantLayout(layers=levels.layers)
    if levels.rep is None and levels.max_def == 1 and len(levels.layers) == 1:
        return e.PageLayout(constant_layout=message), []
    buffers = []
    cuts = np.array([0, levels.entries], np.int64)
    for name, each in (("rep", levels.rep), ("def", levels.definition)):
        found = np.zeros(0, np.uint16) if each is None else each
        if options.has_constants and len(found):
            encoded = levels_of(found, cuts, options)
            getattr(message, f"{name}_compression").CopyFrom(encoded.encoding)
            setattr(message, f"num_{name}_values", len(found))
            found = encoded.part(cuts).data
        buffers.append(found)
    return e.PageLayout(constant_layout=message), buffers


def constant_page(levels: Levels, values: Values) -> tuple[e.PageLayout, list[np.ndarray]] | None:
    """Return a page of one value for all rows; None if some are null, or differ.

    Fixed-size lists have no such pages: pylance does not read them.
    """
    if levels.rep is not None or levels.definition is not None or values.count < 1:
        return None
    parts = _fixed(values) if isinstance(values, FixedValues) else _variable(values)
    if parts is None:
        return None
    message, buffers = e.ConstantLayout(layers=levels.layers), []
    if isinstance(values, FixedValues) and len(parts[0]) <= _MOST_INLINE:
        message.inline_value = parts[0].tobytes()
    else:
        head = np.array([len(parts), *map(len, parts)], "<u4")
        buffers = [np.concatenate([head.view(np.uint8), *parts])]
    return e.PageLayout(constant_layout=message), buffers


def _fixed(values: FixedValues) -> list[np.ndarray] | None:
    """The bytes of the value, if it is the only one."""
    if not values.is_plain:
        return None
    ((bits, data),) = values.buffers
    if bits == 1:
        truths = np.unpackbits(data, count=values.count, bitorder="little")
        return [truths[:1]] if (truths == truths[0]).all() else None
    rows = data.reshape(values.count, -1)
    if bits in {16, 32, 64}:
        rows = data.view(f"<u{bits // 8}")
    is_one = bool((rows[-1] == rows[0]).all()) and bool((rows == rows[0]).all())
    return [data[: bits // 8]] if is_one else None


def _variable(values: VariableValues) -> list[np.ndarray] | None:
    """The offsets and the bytes of the value, if it is the only one."""
    sizes = np.diff(values.offsets)
    size = int(sizes[0])
    if (sizes != size).any():
        return None
    rows = values.data.reshape(values.count, size)
    if not (rows == rows[0]).all():
        return None
    offsets = np.array([0, size], f"<i{values.width}")
    return [offsets.view(np.uint8), rows[0]]


def bare_page(levels: Levels, path: str) -> tuple[e.PageLayout, list[np.ndarray]]:
    """Return a page of structs without fields, which has no levels.

    Neither these structs nor structs around them are null.

    Args:
        path: Their name in errors.

    Raises:
        Unsupported: For structs that are null, or are inside others that are.
    """
    if levels.definition is not None:
        wanted = "structs that are not null, around structs without fields"
        raise Unsupported(f"rows.{path}", None, "nulls", wanted)
    layers = [e.RepDefLayer.REPDEF_NULLABLE_ITEM]
    return e.PageLayout(constant_layout=e.ConstantLayout(layers=layers)), []
