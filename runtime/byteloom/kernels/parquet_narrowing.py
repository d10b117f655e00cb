"""Make the footer of a Parquet file with only some of its columns, which is parsed in less time.

- The wanted chunks are copied unchanged, with bounds and offsets: pages are read from the file.
- Anything unusual ends a loop: such a footer is parsed whole, which reports what is wrong.
- Lengths come from files: each is checked against the remaining bytes before it is used.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import Final

import numpy as np

from byteloom.kernels.parquet_footers import FILE_FIELDS, KEYS, SCHEMA, find_arrow_schema
from byteloom.kernels.parquet_structs import (
    DICTIONARY,
    FIELDS,
    IS_THERE,
    PAGES,
    chunk_at,
    heads,
    numbers,
)
from byteloom.kernels.parquet_writing import (
    copied,
    put_arrow_schema,
    put_binary,
    put_ending,
)
from byteloom.kernels.thrift import (
    BINARY,
    I32,
    I64,
    LIST,
    STRUCT,
    list_head,
    next_field,
    number_at,
    passed,
    put_list,
    put_number,
    varint,
)
from byteloom.native.kernel import kernel
from byteloom_generated.parquet.footers import FILE_META_DATA, ROW_GROUP, SCHEMA_ELEMENT
from byteloom_generated.parquet.parquet import Parquet

__all__ = [
    "COLUMN_FIELDS",
    "FOOTER_FIELDS",
    "GROUP_FIELDS",
    "find_chunks",
    "put_footer",
    "schema_columns",
]

FOOTER_FIELDS: Final = FILE_FIELDS + 3
"""Fields of a footer: the range of its schema, the range of ``ARROW:schema``, its rows,
its row groups, its version, the range of ``created_by``."""

COLUMN_FIELDS: Final = 6
"""Fields of a column: the range of its elements, their number, its first leaf, the leaf after
its last, its id or -1."""

GROUP_FIELDS: Final = 3
"""Fields of a row group: its rows, its size when decompressed, the offset of its first page."""

_MAGIC: Final = np.frombuffer(Parquet.magic, np.uint8)

_VERSION, _ROWS, _GROUPS, _CREATED_BY, _ORDERS = numbers(
    FILE_META_DATA, "version", "num_rows", "row_groups", "created_by", "column_orders"
)
_COLUMNS, _GROUP_SIZE, _GROUP_ROWS = numbers(ROW_GROUP, "columns", "total_byte_size", "num_rows")
_CHILDREN, _FIELD_ID = numbers(SCHEMA_ELEMENT, "num_children", "field_id")

_PUT_VERSION, _PUT_SCHEMA, _PUT_ROWS, _PUT_GROUPS = heads(
    FILE_META_DATA, "version", "schema", "num_rows", "row_groups"
)
_PUT_COLUMNS, _PUT_GROUP_SIZE, _PUT_GROUP_ROWS = heads(
    ROW_GROUP, "columns", "total_byte_size", "num_rows"
)


@kernel(work=lambda data, *_: len(data))
def schema_columns(data: np.ndarray, at: int, columns: np.ndarray) -> tuple[int, int, int, int]:
    """Find the columns of a schema, which is a tree.

    columns  int64[column, COLUMN_FIELDS], filled in
    return   the number of columns, -1 without a root that counts them, or if one is incomplete;
             the offset of the root, and the range of the number of its columns
    """
    size, _, at = list_head(data, at)
    root, first, last = at, 0, 0
    count = leaf = left = wanted = 0
    for element in range(size):
        begin, number, children = at, 0, 0
        field_id = np.int64(-1)
        while True:
            number, kind, at = next_field(data, at, number)
            if not kind or at > len(data):
                break
            if number == _CHILDREN and kind == I32:
                head = at
                children, at = number_at(data, at)
                if not element:
                    first, last, wanted = head, at, children
            elif number == _FIELD_ID and kind == I32:
                field_id, at = number_at(data, at)
            else:
                at = passed(data, at, kind)
        if at > len(data) or not 0 <= children < size:
            return -1, 0, 0, 0
        if not element:
            continue
        if not left:
            if count >= len(columns):
                return -1, 0, 0, 0
            columns[count, 0], columns[count, 3], columns[count, 5] = begin, leaf, field_id
            count += 1
            left = 1
        left += children - 1
        leaf += children == 0
        here = columns[count - 1]
        here[1], here[2], here[4] = at, here[2] + 1, leaf
    is_whole = first > 0 and not left and count == wanted
    return (count if is_whole else -1), root, first, last


@kernel(work=lambda data, *_: len(data))
def find_chunks(
    data: np.ndarray,
    leaves: np.ndarray,
    file: np.ndarray,
    groups: np.ndarray,
    chunks: np.ndarray,
    orders: np.ndarray,
) -> bool:
    """Find the row groups of a footer and their chunks, unless anything is unusual.

    leaves  the leaves of the schema
    file    int64[FOOTER_FIELDS], filled in; the number of row groups even if there is no room
    groups  int64[group, GROUP_FIELDS], filled in
    chunks  int64[group * leaves, 2]: the range of each, filled in
    orders  int64[leaf, 2]: the range of each column order, filled in; zeros for none
    """
    number = at = 0
    total = np.int64(0)
    file[:] = 0
    file[4] = file[5] = file[6] = -1
    orders[:] = 0
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            break
        if number == _VERSION and kind == I32:
            file[6], at = number_at(data, at)
        elif number == SCHEMA and kind == LIST:
            file[0] = at
            at = passed(data, at, kind)
            file[1] = at
        elif number == _ROWS and kind == I64:
            file[4], at = number_at(data, at)
        elif number == _GROUPS and kind == LIST:
            file[5], _, at = list_head(data, at)
            if file[5] > len(groups) or file[5] * len(leaves) > len(chunks):
                return False
            for group in range(file[5]):
                at = _find_group(data, at, leaves, groups, group, chunks)
                if at < 0:
                    return False
                total += groups[group, 0]
        elif number == KEYS and kind == LIST:
            file[2], file[3], at = find_arrow_schema(data, at)
        elif number == _CREATED_BY and kind == BINARY:
            length, at = varint(data, at)
            file[7] = at
            at += length
            file[8] = at
        elif number == _ORDERS and kind == LIST:
            size, _, at = list_head(data, at)
            if size != len(leaves):
                return False
            for leaf in range(size):
                orders[leaf, 0] = at
                at = passed(data, at, STRUCT)
                orders[leaf, 1] = at
                if not orders[leaf, 0] < at <= len(data):
                    return False
        elif number > _ORDERS:
            return False  # encryption
        else:
            at = passed(data, at, kind)
        if not 0 <= at <= len(data):
            return False
    is_whole = at == len(data) and file[1] > file[0] > 0 and file[8] >= file[7]
    return is_whole and file[2] >= 0 and file[5] >= 0 and file[6] >= 0 and total == file[4]


@kernel
def _find_group(
    data: np.ndarray,
    at: int,
    leaves: np.ndarray,
    groups: np.ndarray,
    group: int,
    chunks: np.ndarray,
) -> int:
    """Fill in the fields of a row group; return its end, -1 if it is unusual."""
    held = np.zeros(FIELDS, np.int64)
    number, rows, size = 0, np.int64(-1), np.int64(-1)
    is_there = False
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            break
        if number == _COLUMNS and kind == LIST:
            columns, _, at = list_head(data, at)
            if columns != len(leaves) or is_there:
                return -1
            is_there = True
            for leaf in range(columns):
                begin = at
                wrong, at = chunk_at(data, at, leaves[leaf], held)
                if wrong or not held[IS_THERE] or not begin < at <= len(data):
                    return -1
                chunk = group * columns + leaf
                chunks[chunk, 0], chunks[chunk, 1] = begin, at
                if not leaf:
                    groups[group, 2] = held[DICTIONARY] or held[PAGES]
        elif number == _GROUP_SIZE and kind == I64:
            size, at = number_at(data, at)
        elif number == _GROUP_ROWS and kind == I64:
            rows, at = number_at(data, at)
        else:
            at = passed(data, at, kind)
        if not 0 <= at <= len(data):
            return -1
    groups[group, 0], groups[group, 1] = rows, size
    return at if is_there and rows >= 0 and size >= 0 else -1


@kernel(work=lambda *args: len(args[6]) + len(args[4]))
def put_footer(
    data: np.ndarray,
    file: np.ndarray,
    groups: np.ndarray,
    chunks: np.ndarray,
    orders: np.ndarray,
    leaves: np.ndarray,
    schema: np.ndarray,
    arrow: np.ndarray,
    out: np.ndarray,
) -> int:
    """Write a file without pages whose footer has only some leaves; return its length.

    data    a footer, in which the other arguments were found
    leaves  int64[wanted]: the wanted leaves, ascending
    schema  the list of their elements, in the form of the footer
    arrow   the value of ``ARROW:schema``; none if it is empty
    """
    columns = len(orders)
    footer = at = copied(out, 0, _MAGIC, 0, 4)
    at = put_number(out, at, _PUT_VERSION, file[6])
    out[at] = _PUT_SCHEMA
    at = copied(out, at + 1, schema, 0, len(schema))
    at = put_number(out, at, _PUT_ROWS, file[4])
    at = put_list(out, at, _PUT_GROUPS, file[5], STRUCT)
    for group in range(file[5]):
        at = put_list(out, at, _PUT_COLUMNS, len(leaves), STRUCT)
        for leaf in leaves:
            here = chunks[group * columns + leaf]
            at = copied(out, at, data, here[0], here[1])
        at = put_number(out, at, _PUT_GROUP_SIZE, groups[group, 1])
        at = put_number(out, at, _PUT_GROUP_ROWS, groups[group, 0])
        out[at] = 0
        at += 1
    before = _GROUPS
    if len(arrow):
        at = put_arrow_schema(out, at, arrow, 0, len(arrow))
        before = KEYS
    if file[7]:
        out[at] = (_CREATED_BY - before) << 4 | BINARY
        at = put_binary(out, at + 1, data, file[7], file[8])
        before = _CREATED_BY
    if columns and orders[0, 0]:
        at = put_list(out, at, (_ORDERS - before) << 4 | LIST, len(leaves), STRUCT)
        for leaf in leaves:
            at = copied(out, at, data, orders[leaf, 0], orders[leaf, 1])
    return put_ending(out, at, footer)
