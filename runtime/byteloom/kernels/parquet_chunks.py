"""Check a Parquet footer's column chunk against its leaf of the schema.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.kernels.parquet_fields import numbers
from byteloom.kernels.parquet_structs import OTHERS, layout, take_struct
from byteloom.native.kernel import kernel
from byteloom_generated.parquet.footers import CODECS, TYPES

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "BOUND",
    "CODEC",
    "CODECS_READ",
    "DICTIONARY",
    "ENCRYPTED",
    "FIELDS",
    "HISTOGRAM",
    "IS_PLAIN",
    "IS_THERE",
    "PAGES",
    "RAW",
    "STORED",
    "TEXT_SIZE",
    "TYPE",
    "UNKNOWN_CODEC",
    "VALUES",
    "chunk_at",
]

TYPE, BOUND, HISTOGRAM, TEXT_SIZE, ENCRYPTED, UNKNOWN_CODEC = range(1, 7)
"""Codes for what is wrong with a chunk."""

FIELDS: Final = 20
VALUES, CODEC, RAW, STORED, PAGES, DICTIONARY, IS_THERE, IS_PLAIN = range(1, 9)
"""The fields of a chunk: values, codec, bytes when decompressed and as stored, the offsets of data
pages and of
the dictionary; whether it has metadata, and nothing else but the offsets of indexes."""

_OF, _MAX, _MIN, _MAX_VALUE, _MIN_VALUE = range(9, 14)
_TEXT, _REPETITIONS, _DEFINITIONS, _CRYPTO, _SEALED, _PASSED = range(14, 20)

_CHUNK: Final = layout(
    "ColumnChunk",
    {
        "file_offset": _PASSED,
        "offset_index_offset": _PASSED,
        "offset_index_length": _PASSED,
        "column_index_offset": _PASSED,
        "column_index_length": _PASSED,
        "crypto_metadata": _CRYPTO,
        "encrypted_column_metadata": _SEALED,
        "meta_data": IS_THERE,
        "meta_data.type": _OF,
        "meta_data.codec": CODEC,
        "meta_data.num_values": VALUES,
        "meta_data.total_uncompressed_size": RAW,
        "meta_data.total_compressed_size": STORED,
        "meta_data.data_page_offset": PAGES,
        "meta_data.dictionary_page_offset": DICTIONARY,
        "meta_data.statistics.max": _MAX,
        "meta_data.statistics.min": _MIN,
        "meta_data.statistics.max_value": _MAX_VALUE,
        "meta_data.statistics.min_value": _MIN_VALUE,
        "meta_data.size_statistics.unencoded_byte_array_data_bytes": _TEXT,
        "meta_data.size_statistics.repetition_level_histogram": _REPETITIONS,
        "meta_data.size_statistics.definition_level_histogram": _DEFINITIONS,
    },
)
_ABSENT: Final = -(1 << 63)
(_BYTE_ARRAY,) = numbers(TYPES, "BYTE_ARRAY")

CODECS_READ: Final = tuple(each.name for each in CODECS if each.name != "LZO")
"""The codecs that can be read: all that the format has but LZO, which pyarrow lacks."""

_CODECS_READ: Final = numbers(CODECS, *CODECS_READ)


@kernel
def chunk_at(data: np.ndarray, at: int, leaf: np.ndarray, here: np.ndarray) -> tuple[int, int]:
    """Fill in the fields of a column chunk; return the code of an error, or 0, and the chunk's end.

    leaf  physical type, size of a bound or -1, the highest repetition and definition levels
    here  int64[FIELDS]
    """
    here[:] = 0
    here[VALUES] = here[STORED] = here[_CRYPTO] = here[_SEALED] = -1
    here[_OF], here[_TEXT] = leaf[0], _ABSENT
    here[_MAX] = here[_MIN] = here[_MAX_VALUE] = here[_MIN_VALUE] = leaf[1]
    at = take_struct(data, at, _CHUNK, here)
    here[IS_THERE] = here[IS_THERE] > 0
    here[IS_PLAIN] = here[OTHERS] == 0
    if here[_CRYPTO] >= 0 or here[_SEALED] >= 0:
        return ENCRYPTED, at
    if here[_OF] != leaf[0]:
        return TYPE, at
    bounds = here[_MAX] == here[_MIN] == here[_MAX_VALUE] == here[_MIN_VALUE] == leaf[1]
    if leaf[1] >= 0 and not bounds:
        return BOUND, at
    for level in range(2):
        size = here[_REPETITIONS + level]
        if size not in (0, leaf[2 + level] + 1):
            return HISTOGRAM, at
    if here[_TEXT] != _ABSENT and leaf[0] != _BYTE_ARRAY:
        return TEXT_SIZE, at
    if here[CODEC] not in _CODECS_READ:
        return UNKNOWN_CODEC, at
    return 0, at
