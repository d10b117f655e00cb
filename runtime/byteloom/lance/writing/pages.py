"""Pages of a leaf: which layout some rows get, and their buffers.

Source: https://lance.org/format/file/encoding/#structural-encoding
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import Unsupported
from byteloom.lance.writing.choosing import choose
from byteloom.lance.writing.constant import constant_page, null_page
from byteloom.lance.writing.full_zip import full_zip_page
from byteloom.lance.writing.levels import shred
from byteloom.lance.writing.mini_block import mini_block_page
from byteloom.lance.writing.values import FixedValues, values_of
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import pyarrow as pa

    from byteloom.lance.writing.levels import Levels
    from byteloom.lance.writing.options import Options

__all__ = ["MadePage", "pages_of"]

_LARGE: Final = 256
"""Bytes of a value from which on it is stored on its own."""

MadePage = tuple[int, e.PageLayout, list["np.ndarray"]]
"""Rows of a page, its layout, its buffers."""


def pages_of(
    array: pa.Array, way: Sequence[int], path: str, options: Options
) -> Iterator[MadePage]:
    """Yield the pages of rows of a leaf: one, unless its levels do not fit.

    array  of the field at the top, one row or more
    way    to the leaf, as `leaf_paths` has it
    path   what errors call the leaf's field
    """
    found = _page(shred(array, way), options)
    if found is not None:
        yield len(array), *found
        return
    half = len(array) // 2
    if not half:
        problem = "too many null or empty lists between truth values of a row"
        raise Unsupported(path, None, problem, "as many as a chunk of 32,768 bytes can have")
    for part in (array[:half], array[half:]):
        yield from pages_of(part, way, path, options)


def _page(levels: Levels, options: Options) -> tuple[e.PageLayout, list[np.ndarray]] | None:
    if not len(levels.values) or (levels.definition is not None and levels.definition.all()):
        return null_page(levels, options)
    values = values_of(levels.values)
    if options.has_constants and (found := constant_page(levels, values)):
        return found
    is_bits = isinstance(values, FixedValues) and values.buffers[-1][0] != 8 * (
        len(values.buffers[-1][1]) // max(1, values.count)
    )
    if values.largest < _LARGE or is_bits:
        choice = choose(levels.values, values, options)
        found = mini_block_page(levels, choice.values, options, choice.dictionary)
        if found is not None or is_bits:
            return found
    return full_zip_page(levels, values)
