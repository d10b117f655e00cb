"""Pages of a leaf: which layout some rows get, and their buffers.

Source: https://lance.org/format/file/encoding/#structural-encoding
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.lance.writing.choosing import choose, choose_large, choose_numbers
from byteloom.lance.writing.constant import constant_page, null_page
from byteloom.lance.writing.full_zip import full_zip_page
from byteloom.lance.writing.levels import leaves_of, shred
from byteloom.lance.writing.made import MadePage
from byteloom.lance.writing.mini_block import mini_block_page
from byteloom.lance.writing.options import options_of
from byteloom.lance.writing.plan import PlannedPage
from byteloom.lance.writing.values import FixedValues, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from byteloom.lance.writing.choosing import Choice
    from byteloom.lance.writing.levels import Leaf, Levels
    from byteloom.lance.writing.options import Options
    from byteloom.lance.writing.values import Values
    from byteloom_generated.lance import encodings21 as e

__all__ = ["LeafColumns"]

_LARGE: Final = 256
"""Bytes of a value from which on it is stored on its own."""


_Page = tuple["e.PageLayout", list["np.ndarray"]]


@dataclass(frozen=True, slots=True)
class _Made:
    """A page without its place: its layout, its buffers, what both are called, and why."""

    page: _Page
    layout: str
    encoding: str
    reason: str
    tried: dict[str, int]


class LeafColumns:
    """The columns of a field at the top, one for each leaf, and their pages.

    count  how many there are
    """

    def __init__(self, field: pa.Field, version: str) -> None:
        """Number the leaves of *field*.

        raises  `FormatError` for metadata of the format's own that means nothing
        """
        leaves = leaves_of(field)
        self._leaves = [(each, options_of(each.field, each.path, version)) for each in leaves]
        self.count = len(leaves)

    def pages(self, array: pa.Array, first: int) -> Iterator[tuple[int, MadePage]]:
        """Yield pages of some rows with the numbers of their columns.

        array  of the field at the top, one row or more
        first  the number of the first row
        """
        for number, (leaf, options) in enumerate(self._leaves):
            for made in _pages(array, leaf, options, first):
                yield number, made

    def last(self) -> Iterator[tuple[int, MadePage]]:
        """Yield nothing: all pages are those of some rows."""
        return iter(())


def _pages(array: pa.Array, leaf: Leaf, options: Options, first: int) -> Iterator[MadePage]:
    """The pages of rows of a leaf: one, unless its levels do not fit."""
    made = _page(shred(array, leaf.way), options)
    if made is not None:
        layout, buffers = made.page
        size = sum(each.nbytes for each in buffers)
        plan = PlannedPage(
            leaf.path, first, len(array), made.layout, made.encoding, size, made.reason, made.tried
        )
        yield MadePage(layout, buffers, plan)
        return
    half = len(array) // 2
    if not half:
        problem = "too many null or empty lists between truth values of a row"
        raise Unsupported(leaf.path, None, problem, "as many as a chunk of 32,768 bytes can have")
    yield from _pages(array[:half], leaf, options, first)
    yield from _pages(array[half:], leaf, options, first + half)


def _page(levels: Levels, options: Options) -> _Made | None:
    if not len(levels.values) or (levels.definition is not None and levels.definition.all()):
        return _Made(null_page(levels, options), "null", "levels", "there are no values", {})
    if pa.types.is_dictionary(levels.values.type):
        choice = choose_numbers(levels.values, options)
        page = mini_block_page(levels, choice.values, options, choice.dictionary)
        return _chosen(page, "mini-block", choice, options)
    values = values_of(levels.values, options.chunk_size)
    if options.has_constants and (found := constant_page(levels, values)):
        return _Made(found, "constant", "one value", "all values are equal", {})
    is_bits = isinstance(values, FixedValues) and values.has_bits
    is_small = values.largest < _LARGE
    if options.structure and not is_bits:
        is_small = options.structure == "miniblock"
    if is_small or is_bits:
        choice = choose(levels.values, values, options)
        page = mini_block_page(levels, choice.values, options, choice.dictionary)
        if page is not None or is_bits:
            return _chosen(page, "mini-block", choice, options)
    return _large_page(levels, values, options)


def _large_page(levels: Levels, values: Values, options: Options) -> _Made | None:
    choice, stored = choose_large(levels.values, values, options)
    return _chosen(full_zip_page(levels, stored), "full-zip", choice, options)


def _chosen(page: _Page | None, layout: str, choice: Choice, options: Options) -> _Made | None:
    if page is None:
        return None
    name = "dictionary" if choice.dictionary else choice.name
    return _Made(page, layout, name, _reason(choice, options), choice.sizes)


def _reason(choice: Choice, options: Options) -> str:
    if options.compression:
        return f"metadata asks for compression {options.compression}"
    others = ", ".join(
        f"{size} {name}" for name, size in choice.sizes.items() if name != choice.name
    )
    if not others:
        return "nothing else fits the values"
    return f"values take {choice.size} bytes, where others take {others}"
