"""What a Parquet footer says of one column chunk, compared with its leaf of the schema.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.kernels.parquet_fields import numbers
from byteloom.kernels.parquet_statistics import check_bounds, check_sizes
from byteloom.kernels.thrift import I32, I64, STRUCT, next_field, number_at, passed
from byteloom.wire.kernel import kernel
from byteloom_generated.parquet.footers import COLUMN_CHUNK, COLUMN_META_DATA

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "CODEC",
    "DICTIONARY",
    "ENCRYPTED",
    "FIELDS",
    "IS_PLAIN",
    "IS_THERE",
    "PAGES",
    "RAW",
    "STORED",
    "TYPE",
    "VALUES",
    "chunk_at",
]

TYPE: Final = 1
ENCRYPTED: Final = 5
"""What is wrong with a chunk, beside what is wrong with its statistics."""

FIELDS: Final = 8
VALUES, CODEC, RAW, STORED, PAGES, DICTIONARY, IS_THERE, IS_PLAIN = range(FIELDS)
"""What is found of a chunk: values, codec, bytes when decompressed and as stored, where data pages
begin and the dictionary; whether it is described at all, and nothing is said around that but where
it is indexed."""

_FILE_OFFSET, _META_DATA, _FIRST_INDEX, _LAST_INDEX, _CRYPTO, _SEALED = numbers(
    COLUMN_CHUNK,
    "file_offset",
    "meta_data",
    "offset_index_offset",
    "column_index_length",
    "crypto_metadata",
    "encrypted_column_metadata",
)
_TYPE, _CODEC, _VALUES, _RAW, _STORED, _PAGES, _DICTIONARY, _STATISTICS, _SIZES = numbers(
    COLUMN_META_DATA,
    "type",
    "codec",
    "num_values",
    "total_uncompressed_size",
    "total_compressed_size",
    "data_page_offset",
    "dictionary_page_offset",
    "statistics",
    "size_statistics",
)


@kernel
def chunk_at(data: np.ndarray, at: int, leaf: np.ndarray, here: np.ndarray) -> tuple[int, int]:
    """What is wrong with a column chunk, 0 for nothing, and its end; fills in what it says.

    leaf  physical type, bytes of a bound or -1, the highest repetition and definition levels
    here  int64[FIELDS]
    """
    number = wrong = 0
    is_inside = False
    here[:] = 0
    here[VALUES] = here[STORED] = -1
    here[IS_PLAIN] = 1
    while True:
        number, kind, at = next_field(data, at, number)
        code = 0
        if not kind:
            if not is_inside:
                return wrong, at
            number, is_inside = _META_DATA, False
        elif not is_inside and number == _META_DATA and kind == STRUCT:
            number, is_inside = 0, True
            here[IS_THERE] = 1
        elif not is_inside:
            if not (number == _FILE_OFFSET or _FIRST_INDEX <= number <= _LAST_INDEX):
                here[IS_PLAIN] = 0
                code = ENCRYPTED if number in (_CRYPTO, _SEALED) else 0
            at = passed(data, at, kind)
        elif number == _TYPE and kind == I32:
            of, at = number_at(data, at)
            code = 0 if of == leaf[0] else TYPE
        elif number == _CODEC and kind == I32:
            here[CODEC], at = number_at(data, at)
        elif number == _VALUES and kind == I64:
            here[VALUES], at = number_at(data, at)
        elif number == _RAW and kind == I64:
            here[RAW], at = number_at(data, at)
        elif number == _STORED and kind == I64:
            here[STORED], at = number_at(data, at)
        elif number == _PAGES and kind == I64:
            here[PAGES], at = number_at(data, at)
        elif number == _DICTIONARY and kind == I64:
            here[DICTIONARY], at = number_at(data, at)
        elif number == _STATISTICS and kind == STRUCT:
            code, at = check_bounds(data, at, leaf[1])
        elif number == _SIZES and kind == STRUCT:
            code, at = check_sizes(data, at, leaf)
        else:
            at = passed(data, at, kind)
        wrong = wrong or code
