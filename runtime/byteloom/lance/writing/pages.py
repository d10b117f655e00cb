"""Make the pages of a leaf: choose a layout for some rows, and make their buffers.

Source: https://lance.org/format/file/encoding/#structural-encoding
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.lance.units import LEVEL_BITS
from byteloom.lance.writing.encoding_choice import Choice, choose, choose_large, choose_numbers
from byteloom.lance.writing.layouts import bare_page, constant_page, full_zip_page, null_page
from byteloom.lance.writing.levels import Levels, leaves_of, shred
from byteloom.lance.writing.mini_block import mini_block_page
from byteloom.lance.writing.options import MadePage, PlannedPage, options_of
from byteloom.lance.writing.packed import is_zipped, packed_rows, packed_widths, zipped_structs
from byteloom.lance.writing.values import FixedValues, flat, values_of, written_blobs
from byteloom_generated.lance import encodings21 as e
from byteloom_generated.lance.encodings20 import ColumnEncoding
from byteloom_generated.lance.encodings20 import Values as ColumnValues

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.lance.writing.levels import Leaf
    from byteloom.lance.writing.options import Options
    from byteloom.lance.writing.values import Values
    from byteloom_generated.lance.tail import Extent

__all__ = ["LeafColumns"]

_LARGE: Final = 256
"""Least bytes of a value that is stored on its own."""

_ITEM: Final = e.RepDefLayer.REPDEF_ALL_VALID_ITEM

_Page = tuple["e.PageLayout", list["np.ndarray"]]


@dataclass(frozen=True, slots=True)
class _Made:
    """A page without its place: its layout, its buffers, their names, and the reason for them."""

    page: _Page
    layout: str
    encoding: str
    reason: str
    tried: dict[str, int]


class LeafColumns:
    """The columns of a top-level field, one for each leaf, and their pages.

    Attributes:
        count: How many there are.
    """

    def __init__(self, field: pa.Field, version: str, put: Callable[[Any], Extent]) -> None:
        """Number the leaves of *field*.

        Args:
            put: Writes the bytes of a blob, and returns their place.

        Raises:
            FormatError: For invalid values of the format's own metadata.
            Unsupported: pylance does not read such fields.
        """
        leaves = leaves_of(field)
        _check_items(field, leaves)
        _check_bare(leaves)
        self._leaves = [(each, options_of(each.field, each.path, version)) for each in leaves]
        self.count, self._put = len(leaves), put

    def pages(self, array: pa.Array, first: int) -> Iterator[tuple[int, MadePage]]:
        """Yield pages of some rows with the numbers of their columns.

        Args:
            array: The array of the field at the top, one row or more.
            first: The number of the first row.
        """
        for number, (leaf, options) in enumerate(self._leaves):
            if leaf.is_blob:
                yield number, self._blobs(array, leaf, options, first)
                continue
            for made in _pages(array, leaf, options, first):
                yield number, made

    def last(self) -> Iterator[tuple[int, MadePage]]:
        """Yield nothing: all pages are those of some rows."""
        return iter(())

    def encoding(self, number: int) -> ColumnEncoding:
        """Return the encoding of a column as a whole."""
        del number
        return ColumnEncoding(values=ColumnValues())

    def _blobs(self, array: pa.Array, leaf: Leaf, options: Options, first: int) -> MadePage:
        """A page with the places of blobs; the place of a null has its level."""
        levels = shred(array, leaf.way)
        nulls = np.zeros(len(array), np.uint64)
        if levels.definition is not None:
            nulls = levels.definition.astype(np.uint64) << np.uint64(LEVEL_BITS)
        places = written_blobs(levels.values, nulls, self._put)
        plain = Levels([_ITEM], None, None, None, 0, 0, levels.values)
        page = mini_block_page(plain, _packed([8, 8], places.view(np.uint8)), options)
        if page is None:
            raise Unsupported(leaf.path, None, "no chunks", "chunks of 16 bytes a value")
        inner, buffers = page
        layout = e.PageLayout(blob_layout=e.BlobLayout(inner_layout=inner, layers=levels.layers))
        size = sum(each.nbytes for each in buffers)
        plan = PlannedPage(
            leaf.path, first, len(array), "blob", "places", size, "metadata asks for blobs"
        )
        return MadePage(layout, buffers, plan)


def _packed(widths: list[int], rows: np.ndarray) -> FixedValues:
    """Rows of bytes, of fields of these *widths*."""
    bits = [8 * each for each in widths]
    message = e.PackedStruct(bits_per_value=bits, values=flat(sum(bits)))
    encoding = e.CompressiveEncoding(packed_struct=message)
    return FixedValues(len(rows), encoding, [(sum(bits), rows.ravel())])


def _pages(array: pa.Array, leaf: Leaf, options: Options, first: int) -> Iterator[MadePage]:
    """The pages of rows of a leaf: one, unless its levels do not fit."""
    levels = shred(array, leaf.way)
    made = _bare(levels, leaf) if leaf.is_bare else _page(levels, leaf, options)
    if made is not None:
        layout, buffers = made.page
        size = sum(each.nbytes for each in buffers)
        plan = PlannedPage(
            leaf.path, first, len(array), made.layout, made.encoding, size, made.reason, made.tried
        )
        yield MadePage(layout, buffers, plan, leaf.items)
        return
    half = len(array) // 2
    if not half:
        problem = "too many null or empty lists between truth values of a row"
        raise Unsupported(leaf.path, None, problem, "as many as a chunk of 32,768 bytes can have")
    yield from _pages(array[:half], leaf, options, first)
    yield from _pages(array[half:], leaf, options, first + half)


def _bare(levels: Levels, leaf: Leaf) -> _Made:
    return _Made(bare_page(levels, leaf.path), "null", "none", "structs have no fields", {})


def _page(levels: Levels, leaf: Leaf, options: Options) -> _Made | None:
    if not len(levels.values) or (levels.definition is not None and levels.definition.all()):
        return _Made(null_page(levels, options), "null", "levels", "there are no values", {})
    if pa.types.is_dictionary(levels.values.type):
        choice = choose_numbers(levels.values, options)
        page = mini_block_page(levels, choice.values, options, choice.dictionary)
        return _chosen(page, "mini-block", choice, options)
    if pa.types.is_struct(levels.values.type):
        return _packed_page(levels, leaf, options)
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


def _packed_page(levels: Levels, leaf: Leaf, options: Options) -> _Made | None:
    """A page of packed structs, zipped if their length varies."""
    values: Values
    if is_zipped(levels.values.type):
        values = zipped_structs(levels.values, leaf.path, options.version)
        choice = Choice("packed", values, None, {"packed": values.size})
        return _chosen(full_zip_page(levels, values), "full-zip", choice, options)
    rows = packed_rows(levels.values, leaf.path)
    values = _packed(packed_widths(levels.values.type, leaf.path), rows)
    choice = Choice("packed", values, None, {"packed": values.size})
    return _chosen(mini_block_page(levels, values, options), "mini-block", choice, options)


def _large_page(levels: Levels, values: Values, options: Options) -> _Made | None:
    """Return a page of large values; pylance decompresses nulls too, which LZ4 refuses."""
    used = options
    if levels.definition is not None and options.compression == "lz4":
        used = replace(options, compression="zstd", level=None)
    choice, stored = choose_large(levels.values, values, used)
    return _chosen(full_zip_page(levels, stored), "full-zip", choice, options)


def _chosen(page: _Page | None, layout: str, choice: Choice, options: Options) -> _Made | None:
    if page is None:
        return None
    name = "dictionary" if choice.dictionary else choice.name
    return _Made(page, layout, name, _reason(choice, options), choice.sizes)


def _reason(choice: Choice, options: Options) -> str:
    if (options.compression, choice.name) == ("lz4", "zstd"):
        return "metadata asks for compression lz4, which pylance does not read beside nulls"
    if options.compression:
        return f"metadata asks for compression {options.compression}"
    others = ", ".join(
        f"{size} {name}" for name, size in choice.sizes.items() if name != choice.name
    )
    if not others:
        return "nothing else fits the values"
    return f"values take {choice.size} bytes, where others take {others}"


def _check_items(field: pa.Field, leaves: list[Leaf]) -> None:
    """Refuse a struct whose leaves have different numbers of items in a row, as pylance does."""
    counts = sorted({each.items for each in leaves})
    if pa.types.is_struct(field.type) and len(counts) > 1:
        found = f"fields of {' and '.join(map(str, counts))} items a row"
        wanted = "as many in each, with fixed-size lists of structs in a struct"
        raise Unsupported(f"schema.{field.name}", None, found, wanted)


def _check_bare(leaves: list[Leaf]) -> None:
    """Refuse a field after a struct without fields, in one column: pylance reads it as nulls."""
    for before, leaf in pairwise(leaves):
        if before.is_bare and not leaf.is_bare:
            found = f"{before.path}, a struct without fields, before it"
            wanted = "such structs after all other fields of the column"
            raise Unsupported(f"schema.{leaf.path}", None, found, wanted)
