"""What the footer of a Parquet file says of its column chunks, compared with its schema.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.kernels.parquet_fields import numbers
from byteloom.kernels.parquet_statistics import (
    BOUND,
    HISTOGRAM,
    TEXT_SIZE,
    check_bounds,
    check_sizes,
)
from byteloom.kernels.thrift import LIST, STRUCT, list_head, next_field, passed, varint
from byteloom.wire.kernel import kernel
from byteloom_generated.parquet.footers import (
    COLUMN_CHUNK,
    COLUMN_META_DATA,
    FILE_META_DATA,
    ROW_GROUP,
)

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BOUND", "ENCRYPTED", "HISTOGRAM", "TEXT_SIZE", "TYPE", "check_chunks"]

TYPE: Final = 1
ENCRYPTED: Final = 5

(_ROW_GROUPS,) = numbers(FILE_META_DATA, "row_groups")
(_COLUMNS,) = numbers(ROW_GROUP, "columns")
_META_DATA, _CRYPTO, _SEALED = numbers(
    COLUMN_CHUNK, "meta_data", "crypto_metadata", "encrypted_column_metadata"
)
_TYPE, _STATISTICS, _SIZES = numbers(COLUMN_META_DATA, "type", "statistics", "size_statistics")


@kernel
def _chunk(data: np.ndarray, at: int, leaf: np.ndarray) -> tuple[int, int]:
    """What is wrong with a column chunk, and the place behind it."""
    number = inner = wrong = 0
    is_inside = False
    while True:
        number, kind, at = next_field(data, at, number)
        code = 0
        if not kind:
            if not is_inside:
                return wrong, at
            number, is_inside = _META_DATA, False
        elif not is_inside and number == _META_DATA and kind == STRUCT:
            number, is_inside = 0, True
        elif not is_inside:
            code = ENCRYPTED if number in (_CRYPTO, _SEALED) else 0
            at = passed(data, at, kind)
        elif number == _TYPE:
            inner, at = varint(data, at)
            code = 0 if inner == 2 * leaf[0] else TYPE  # zigzag
        elif number == _STATISTICS and kind == STRUCT:
            code, at = check_bounds(data, at, leaf[1])
        elif number == _SIZES and kind == STRUCT:
            code, at = check_sizes(data, at, leaf)
        else:
            at = passed(data, at, kind)
        wrong = wrong or code


@kernel
def check_chunks(data: np.ndarray, leaves: np.ndarray) -> tuple[int, int, int]:
    """Return what is wrong, 0 for nothing, and the row group and the column where it is.

    data    the footer, as Thrift's compact protocol has it
    leaves  int64[leaf, 4]: physical type, bytes of a bound or -1, the highest repetition level and
            the highest definition level
    """
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
                    code, at = _chunk(data, at, leaves[column])
                    if code:
                        return code, group, column
