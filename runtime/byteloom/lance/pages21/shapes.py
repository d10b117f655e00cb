"""What pages of the layout MiniBlock share that are decoded as if they were pages of one column.

Source: https://lance.org/format/file/encoding/#mini-block-page-layout
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import pyarrow as pa

from byteloom.lance.pages21.mini_block import has_symbols
from byteloom_generated.lance.encodings21 import PageLayout

__all__ = ["shape_of"]

_SHORT: Final = 1 << 9
"""Most bytes of a layout that other pages are likely to share: it has no table of symbols."""


def shape_of(layout: PageLayout, data: bytes, type_: pa.DataType) -> bytes:
    """Return the shape that pages read together share; empty for a page that is read alone.

    Args:
        data: The bytes of the layout.
    """
    if layout.WhichOneof("layout") != "mini_block_layout":
        return b""
    found = _shape(data) if len(data) <= _SHORT else _shape.__wrapped__(data)
    if found.has_dictionary and _has_dictionary(type_):
        return b""
    # Releases 0.33 to 0.37 wrote the places of blobs so, which are read from one file.
    return b"" if found.is_packed and not _ends_with_struct(type_) else found.data


class _Shape(NamedTuple):
    """What pages share: a layout without counts and tables."""

    data: bytes
    has_dictionary: bool
    is_packed: bool


@lru_cache(maxsize=256)
def _shape(data: bytes) -> _Shape:
    """The shape of pages with the layout *data*."""
    shape = PageLayout.parse(data).mini_block_layout
    shape.num_items = shape.num_dictionary_items = 0
    if has_symbols(shape):
        shape.value_compression.fsst.ClearField("symbol_table")
    is_packed = shape.value_compression.WhichOneof("compression") == "packed_struct"
    return _Shape(shape.SerializeToString(), shape.HasField("dictionary"), is_packed)


def _has_dictionary(type_: pa.DataType) -> bool:
    """Whether values of *type_* have Arrow dictionaries, which differ between pages."""
    if pa.types.is_dictionary(type_):
        return True
    return any(_has_dictionary(type_.field(each).type) for each in range(type_.num_fields))


def _ends_with_struct(type_: pa.DataType) -> bool:
    """Whether the innermost values are structs of several fields."""
    while type_.num_fields == 1:
        type_ = type_.field(0).type
    return bool(type_.num_fields > 1)
