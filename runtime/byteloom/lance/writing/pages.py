"""Pages of a leaf: which layout some rows get, and their buffers.

Source: https://lance.org/format/file/encoding/#structural-encoding
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import Unsupported
from byteloom.lance.writing.full_zip import full_zip_page
from byteloom.lance.writing.levels import shred
from byteloom.lance.writing.mini_block import mini_block_page
from byteloom.lance.writing.values import FixedValues, values_of
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from byteloom.lance.writing.levels import Levels

__all__ = ["MadePage", "pages_of"]

_LARGE: Final = 256
"""Bytes of a value from which on it is stored on its own."""

MadePage = tuple[int, e.PageLayout, list[np.ndarray]]
"""Rows of a page, its layout, its buffers."""


def pages_of(
    array: pa.Array, way: Sequence[int], path: str, *, is_large: bool
) -> Iterator[MadePage]:
    """Yield the pages of rows of a leaf: one, unless its levels do not fit.

    array     of the field at the top, one row or more
    way       to the leaf, as `leaf_paths` has it
    path      what errors call the leaf's field
    is_large  whether chunks are those of version 2.2
    """
    found = _page(shred(array, way), is_large=is_large)
    if found is not None:
        yield len(array), *found
        return
    half = len(array) // 2
    if not half:
        problem = "too many null or empty lists between truth values of a row"
        raise Unsupported(path, None, problem, "as many as a chunk of 32,768 bytes can have")
    for part in (array[:half], array[half:]):
        yield from pages_of(part, way, path, is_large=is_large)


def _page(levels: Levels, *, is_large: bool) -> tuple[e.PageLayout, list[np.ndarray]] | None:
    if not len(levels.values) or (levels.definition is not None and levels.definition.all()):
        return _constant(levels)
    values = values_of(levels.values)
    is_bits = isinstance(values, FixedValues) and values.buffers[-1][0] != 8 * (
        len(values.buffers[-1][1]) // max(1, values.count)
    )
    if values.largest < _LARGE or is_bits:
        found = mini_block_page(levels, values, is_large=is_large)
        if found is not None or is_bits:
            return found
    return full_zip_page(levels, values)


def _constant(levels: Levels) -> tuple[e.PageLayout, list[np.ndarray]]:
    """A page without values: levels alone, or not even these where all rows are null."""
    message = e.PageLayout(constant_layout=e.ConstantLayout(layers=levels.layers))
    if levels.rep is None and levels.max_def == 1 and len(levels.layers) == 1:
        return message, []
    none = np.zeros(0, np.uint16)
    return message, [none if each is None else each for each in (levels.rep, levels.definition)]
