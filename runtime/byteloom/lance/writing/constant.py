"""Pages of the layout Constant: only levels, or one value for all rows.

Source: https://lance.org/format/file/encoding/#constant-page-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import Unsupported
from byteloom.lance.writing.blocks import levels_of
from byteloom.lance.writing.values import FixedValues, VariableValues
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.writing.levels import Levels
    from byteloom.lance.writing.options import Options
    from byteloom.lance.writing.values import Values

__all__ = ["bare_page", "constant_page", "null_page"]

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
