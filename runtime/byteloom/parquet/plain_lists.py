"""Lists of plain values in Parquet files, decoded for the rows that are wanted.

Source: https://parquet.apache.org/docs/file-format/nestedencoding/
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.kernels.parquet_forms import DECIMAL, FLAGS, NUMBERS
from byteloom.kernels.parquet_lists import LIST_FIELDS, take_list
from byteloom.kernels.parquet_plain_pages import VALUES
from byteloom.parquet.plain_types import OFFSET

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["ListPages", "taken_list"]

_LINE: Final = 64
"""Bytes whose multiples are the sizes of buffers."""


@dataclass(frozen=True, slots=True)
class ListPages:
    """The pages of a column of lists.

    data, file  decompressed pages, and those that are in the file as they are
    pages       int64[page, PAGE_FIELDS]
    count       number of rows in all pages
    index       int64[4, value]: memory for any page, and one value more
    most        most bytes of the lists
    """

    data: Bytes
    file: Bytes
    pages: Numbers
    count: int
    index: Numbers
    most: int


def taken_list(
    held: ListPages, form: int, leaf: Numbers, of: pa.DataType, rows: Numbers | None
) -> tuple[pa.Array, int] | None:
    """Return the wanted rows of a column, and their bytes; None for unusual or too large pages.

    form  of the values
    leaf  see `plain_type`
    of    the type of a large list
    rows  numbers of the wanted rows, ascending; None for all
    """
    item, deepest = of.value_field, int(leaf[3])
    width = int(leaf[1]) if form != FLAGS else 0
    count = held.count if rows is None else len(rows)
    room = int(held.pages[:, VALUES].sum())
    made = width if form == NUMBERS else DECIMAL
    bits = (room + 7) // 8
    sizes = OFFSET * (count + 1), (count + 7) // 8, bits if form == FLAGS else made * room, bits
    ends = list(accumulate(-(-size // _LINE) * _LINE for size in sizes))
    begins = [0, *ends[:-1]]
    if ends[-1] > held.most:
        return None
    buffer = pa.allocate_buffer(ends[-1])
    column = np.zeros(LIST_FIELDS, np.int64)
    column[:8] = form, width, deepest - item.nullable, deepest, *begins
    is_usual = take_list(
        held.data, held.file, held.pages, column, np.zeros(0, np.int64) if rows is None else rows,
        held.count, np.frombuffer(buffer, np.uint8), held.index,
    )  # fmt: skip
    if not is_usual:
        return None
    nulls, items, of_items = column[8:].tolist()
    offsets, valid, values, items_valid = map(buffer.slice, begins, sizes)
    own = [items_valid if of_items else None, values]
    child = pa.Array.from_buffers(item.type, items, own, of_items)
    own = [valid if nulls else None, offsets]
    return pa.Array.from_buffers(of, count, own, nulls, children=[child]), buffer.size
