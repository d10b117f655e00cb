"""Check the column chunks of a Parquet footer against its schema.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

import numpy as np

from byteloom.kernels.parquet_chunks import (
    BOUND,
    CODEC,
    ENCRYPTED,
    FIELDS,
    HISTOGRAM,
    TEXT_SIZE,
    TYPE,
    UNKNOWN_CODEC,
    chunk_at,
)
from byteloom.kernels.parquet_fields import numbers
from byteloom.kernels.thrift import LIST, list_head, next_field, passed
from byteloom.native.kernel import kernel
from byteloom_generated.parquet.footers import FILE_META_DATA, ROW_GROUP

__all__ = ["BOUND", "HISTOGRAM", "TEXT_SIZE", "TYPE", "check_chunks"]

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
