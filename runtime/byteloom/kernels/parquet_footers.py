"""Find the schema of a Parquet footer and the leaves of its tree, and check its chunks by them.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import Final

import numpy as np

from byteloom.kernels.parquet_structs import (
    BOUND,
    CODEC,
    ENCRYPTED,
    FIELDS,
    HISTOGRAM,
    TEXT_SIZE,
    TYPE,
    UNKNOWN_CODEC,
    chunk_at,
    layout,
    numbers,
    take_struct,
)
from byteloom.kernels.thrift import (
    BINARY,
    LIST,
    list_head,
    next_field,
    passed,
    varint,
)
from byteloom.native.kernel import kernel
from byteloom_generated.parquet.footers import (
    FILE_META_DATA,
    KEY_VALUE,
    REPETITIONS,
    ROW_GROUP,
    TYPES,
)

__all__ = [
    "ARROW_KEY",
    "BOUND",
    "FILE_FIELDS",
    "HISTOGRAM",
    "KEYS",
    "SCHEMA",
    "TEXT_SIZE",
    "TYPE",
    "check_chunks",
    "find_arrow_schema",
    "find_schema",
    "schema_leaves",
]

FILE_FIELDS: Final = 6
"""Fields of a file: the range of its schema, the range of ``ARROW:schema``, its rows,
its row groups."""

SCHEMA, KEYS = numbers(FILE_META_DATA, "schema", "key_value_metadata")
ARROW_KEY: Final = np.frombuffer(b"ARROW:schema", np.uint8)

_WIDTHS: Final = np.array([each.size or -1 for each in TYPES], np.int64)
(_FIXED,) = numbers(TYPES, "FIXED_LEN_BYTE_ARRAY")
_REQUIRED, _REPEATED = numbers(REPETITIONS, "REQUIRED", "REPEATED")
_TYPE, _LENGTH, _REPETITION, _CHILDREN = range(1, 5)
_ELEMENT: Final = layout(
    "SchemaElement",
    {
        "type": _TYPE,
        "type_length": _LENGTH,
        "repetition_type": _REPETITION,
        "num_children": _CHILDREN,
    },
)
_KEY, _VALUE = numbers(KEY_VALUE, "key", "value")
_LEVELS: Final = 200


@kernel(work=lambda data, *_: len(data))
def schema_leaves(data: np.ndarray, at: int, leaves: np.ndarray) -> int:
    """Fill in the leaves of a schema; return their number, -1 if the schema is not a tree.

    leaves  int64[leaf, 4]: physical type, size of a bound or -1, the highest repetition level and
            the highest definition level
    """
    size, _, at = list_head(data, at)
    left = np.zeros(_LEVELS, np.int64)
    levels = np.zeros((_LEVELS, 2), np.int64)
    found = np.zeros(5, np.int64)
    depth = count = 0
    for element in range(size):
        found[:] = 0
        found[_TYPE] = -1
        at = take_struct(data, at, _ELEMENT, found)
        if at > len(data):
            return -1
        kind, children, repetition = found[_TYPE], found[_CHILDREN], found[_REPETITION]
        if element == 0:
            left[0] = children
            continue
        while depth and not left[depth]:
            depth -= 1
        if not left[depth]:
            return -1
        left[depth] -= 1
        repeated = levels[depth, 0] + (repetition == _REPEATED)
        defined = levels[depth, 1] + (repetition != _REQUIRED)
        if children > 0:
            depth += 1
            if depth >= _LEVELS:
                return -1
            left[depth] = children
            levels[depth, 0], levels[depth, 1] = repeated, defined
            continue
        if count >= len(leaves) or not 0 <= kind < len(_WIDTHS):
            return -1
        leaves[count, 0], leaves[count, 1] = (
            kind,
            found[_LENGTH] if kind == _FIXED else _WIDTHS[kind],
        )
        leaves[count, 2], leaves[count, 3] = repeated, defined
        count += 1
    return count


@kernel
def find_arrow_schema(data: np.ndarray, at: int) -> tuple[int, int, int]:
    """Return the range of the value of ``ARROW:schema``, 0 if there is none, and the list's end."""
    size, _, at = list_head(data, at)
    first = last = 0
    for _ in range(size):
        number, is_it = 0, False
        while True:
            number, kind, at = next_field(data, at, number)
            if not kind:
                break
            if kind == BINARY:
                length, start = varint(data, at)
                if not 0 <= length <= len(data) - start:
                    return -1, -1, at
                if number == _KEY:
                    is_it = length == len(ARROW_KEY)
                    for step in range(length if is_it else 0):
                        is_it = is_it and data[start + step] == ARROW_KEY[step]
                elif number == _VALUE and is_it:
                    first, last = start, start + length
                at = start + length
            else:
                at = passed(data, at, kind)
        if at > len(data):
            return -1, -1, at
    return first, last, at


@kernel
def find_schema(data: np.ndarray, file: np.ndarray) -> None:
    """Fill in the ranges of the schema of a footer and of ``ARROW:schema``; zeros for none.

    data  the footer
    """
    number = at = 0
    file[:] = 0
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind or at > len(data):
            return
        first = at
        if number == KEYS and kind == LIST:
            file[2], file[3], at = find_arrow_schema(data, at)
            continue
        at = passed(data, at, kind)
        if number == SCHEMA and kind == LIST and at <= len(data):
            file[0], file[1] = first, at


(_ROW_GROUPS,) = numbers(FILE_META_DATA, "row_groups")
(_COLUMNS,) = numbers(ROW_GROUP, "columns")


@kernel
def check_chunks(
    data: np.ndarray, leaves: np.ndarray, encrypted: np.ndarray, codecs: np.ndarray
) -> tuple[int, int, int]:
    """Return the code of an error, or 0, and its row group and column.

    data       the footer, in Thrift's compact protocol
    leaves     int64[leaf, 4]: physical type, size of a bound or -1, the highest repetition level
               and the highest definition level
    encrypted  uint8[leaf]: set to 1 for leaves with an encrypted chunk
    codecs     int64[leaf]: set to the codec of a chunk if it is one that cannot be read
    """
    here = np.zeros(FIELDS, np.int64)
    number = at = 0
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            return 0, 0, 0
        if number != _ROW_GROUPS or kind != LIST:
            at = passed(data, at, kind)
            continue
        groups, _, at = list_head(data, at)
        for group in range(groups):
            inner = 0
            while True:
                inner, kind, at = next_field(data, at, inner)
                if not kind:
                    break
                if inner != _COLUMNS or kind != LIST:
                    at = passed(data, at, kind)
                    continue
                columns, _, at = list_head(data, at)
                for column in range(min(columns, len(leaves))):
                    code, at = chunk_at(data, at, leaves[column], here)
                    if code == ENCRYPTED:
                        encrypted[column] = 1
                    elif code == UNKNOWN_CODEC:
                        codecs[column] = here[CODEC]
                    elif code:
                        return code, group, column
