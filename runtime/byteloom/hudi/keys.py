r"""Keys of the rows of Hudi's metadata table, and the file group that a key belongs to.

- Keys are text; their bytes in a file are UTF-8.
- Columns and partitions go into keys as 64 bits of XXH64, names of files as their MD5, each in
  Base64.  The seed is a Java int, sign-extended to 64 bits.
- A table without partitions calls its only one ``.``, which is hashed.
- A secondary key is the value, ``$`` and the record key, with ``\`` before ``\``, ``$`` and NUL in
  both; a null value is the one character NUL without it.

Source: https://hudi.apache.org/docs/metadata_indexing
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import md5
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import xxhash
from pyarrow import types

from byteloom.arguments import whole_number
from byteloom.errors import ArgumentError, FormatError, beginning, found_by
from byteloom.kernels.hudi import file_groups as deal
from byteloom.kernels.hudi import split_secondary

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ALL_PARTITIONS",
    "NON_PARTITIONED",
    "bloom_filter_key",
    "column_stats_key",
    "escape_file_name",
    "expression_partition_stats_key",
    "file_group",
    "file_groups",
    "partition_stats_key",
    "record_index_prefix",
    "secondary_group",
    "secondary_key",
    "secondary_prefix",
    "split_secondary_key",
    "split_secondary_keys",
]

ALL_PARTITIONS: Final = "__all_partitions__"
"""Key of the row of ``files`` that lists the partitions."""

NON_PARTITIONED: Final = "."
"""The name of the only partition in a table without partitions."""

_SEED: Final = 0xFFFFFFFFDABADABA
_PARTITION_STATS: Final = "__partition_stat__"

_ESCAPED_IN_PATHS: Final = {*map(chr, range(0x20)), *"\"#%'*/:=?\\\x7f{[]^"}
_IN_FILE_NAMES: Final = str.maketrans(
    {each: f"%{ord(each):02X}" for each in _ESCAPED_IN_PATHS | {"_", "-"}}
)
_IN_SECONDARY_KEYS: Final = str.maketrans({each: "\\" + each for each in "\\$\0"})


# Statistics and Bloom filters


def column_stats_key(column: str, partition: str, file: str) -> str:
    """Return the key of the statistics of a column of a file.

    Args:
        column: The column's name, with dots between the parts of a nested one.
        partition: The path of the partition's folder; empty or ``.`` in a table without
            partitions.
        file: The file's name, without a folder.
    """
    return _hashed(column) + _partition(partition) + _file(file)


def partition_stats_key(column: str, partition: str) -> str:
    """Return the key of the statistics of a column of a partition.

    Args:
        column: The column's name, with dots between the parts of a nested one.
        partition: The path of the partition's folder; empty or ``.`` in a table without partitions.
    """
    return _hashed(column) + _partition(partition)


def expression_partition_stats_key(column: str, partition: str) -> str:
    """Return the key of an expression's statistics of a partition, in an expression index.

    Args:
        column: The name of the column that the expression is over.
        partition: The path of the partition's folder; empty or ``.`` in a table without partitions.
    """
    return _hashed(column) + _hashed(_PARTITION_STATS) + _partition(partition)


def bloom_filter_key(partition: str, file: str) -> str:
    """Return the key of the Bloom filter of a file.

    Args:
        partition: The path of the partition's folder; empty or ``.`` in a table without partitions.
        file: The file's name, without a folder.
    """
    return _partition(partition) + _file(file)


def _hashed(text: str) -> str:
    return b64encode(xxhash.xxh64_digest(_utf8(text), _SEED)).decode()


def _partition(path: str) -> str:
    return _hashed(NON_PARTITIONED if path == "" else path)


def _file(name: str) -> str:
    return b64encode(md5(_utf8(name), usedforsecurity=False).digest()).decode()


# File groups


def file_group(key: str, groups: int) -> int:
    """Return the number of the file group, of *groups*, that holds *key*.

    Example:
        >>> from byteloom.hudi import keys
        >>> keys.file_group("key-00001", 10)
        5
    """
    return int(file_groups([key], groups)[0])


def file_groups(keys: pa.Array | Iterable[str], groups: int) -> NDArray[np.int64]:
    """Return the number of the file group of each of *keys*.

    Args:
        keys: Record keys or prefixes, text without null.
        groups: How many file groups there are, 1 or more.

    Raises:
        ArgumentError: For other keys, or fewer groups.
    """
    groups = whole_number("groups", groups, "a number of file groups, 1 or more", least=1)
    offsets, data = _parts(keys)
    out = np.empty(len(offsets) - 1, np.int64)
    deal(data, offsets, groups, out)
    return out


def escape_file_name(text: str) -> str:
    """Return *text* for use in a file id: ``_``, ``-`` and invalid characters become ``%XX``."""
    return _text(text).translate(_IN_FILE_NAMES)


def record_index_prefix(partition: str) -> str:
    """Return the prefix of the file ids that index *partition*, in a partitioned record index."""
    return f"record-index-{escape_file_name(partition)}-"


# Secondary keys


def secondary_key(value: str | None, record_key: str) -> str:
    r"""Return the key for the fact that *record_key* has *value*.

    Args:
        value: The value as text; None for null.
        record_key: The key of the record.

    Example:
        >>> from byteloom.hudi import keys
        >>> print(keys.secondary_key("a$b", "key-1"))
        a\$b$key-1
    """
    return secondary_prefix(value) + _text(record_key).translate(_IN_SECONDARY_KEYS)


def secondary_prefix(value: str | None) -> str:
    """Return the prefix of the keys of all records that have *value*, None for null."""
    return ("\0" if value is None else _text(value).translate(_IN_SECONDARY_KEYS)) + "$"


def secondary_group(value: str | None, record_key: str, groups: int, *, version: int) -> int:
    """Return the number of the file group that holds a secondary key.

    Args:
        value: The value as text; None for null.
        record_key: The key of the record.
        groups: How many file groups there are, 1 or more.
        version: 1: hashes the whole key; 2: its prefix, so that all keys of a value are
            together.
    """
    if version not in (1, 2):
        raise FormatError("version", None, repr(version), "1 or 2")
    whole = secondary_key(value, record_key)
    return file_group(whole if version == 1 else secondary_prefix(value), groups)


def split_secondary_key(key: str) -> tuple[str | None, str]:
    """Return the value and the record key of a secondary key; undoes `secondary_key`."""
    values, records = split_secondary_keys([key])
    return values[0].as_py(), records[0].as_py()


def split_secondary_keys(keys: pa.Array | Iterable[str]) -> tuple[pa.Array, pa.Array]:
    """Return the values, null among them, and the record keys of secondary keys.

    Raises:
        FormatError: For a key without ``$``, or with an escape at its end.
    """
    offsets, data = _parts(keys)
    count = len(offsets) - 1
    out = np.empty(max(len(data), 1), np.uint8)
    values, records = (np.empty(count + 1, np.int64) for _ in range(2))
    nulls = np.zeros(count, np.uint8)
    wrong = split_secondary(data, offsets, out, values, nulls, records)
    if wrong >= 0:
        found = bytes(data[offsets[wrong] : offsets[wrong + 1]])
        raise FormatError(f"key[{wrong}]", None, found, "a value, `$` and a record key, escaped")
    mask = pa.py_buffer(np.packbits(nulls == 0, bitorder="little"))
    shared = pa.py_buffer(out)
    text = (
        pa.Array.from_buffers(pa.large_string(), count, [valid, pa.py_buffer(at), shared])
        for valid, at in ((mask, values), (None, records))
    )
    one, other = (each.cast(pa.string()) for each in text)
    return one, other


def _parts(keys: Any) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return where each text begins and ends, and the bytes of all, which are valid UTF-8."""
    if not isinstance(keys, pa.Array | pa.ChunkedArray):
        if isinstance(keys, str | bytes) or not isinstance(keys, Iterable):
            raise ArgumentError("keys", None, beginning(keys, 60), "a list of keys")
        keys = pa.array([_utf8(key) for key in keys], pa.large_binary())
    if isinstance(keys, pa.ChunkedArray):
        keys = keys.combine_chunks()
    if not _is_text(keys.type):
        raise ArgumentError("keys", None, f"{keys.type}", "text")
    if keys.null_count:
        raise ArgumentError("keys", None, f"{keys.null_count} nulls", "text")
    try:
        keys = keys.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        found = found_by("invalid UTF-8", error)
        raise ArgumentError("keys", None, found, "text in UTF-8") from error
    _, at, data = keys.buffers()
    if not len(keys):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    offsets = np.frombuffer(at, np.int64)[keys.offset : keys.offset + len(keys) + 1]
    return offsets, np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)


def _is_text(of: pa.DataType) -> bool:
    """Return whether a column's type is text, bytes (which may be UTF-8) or null."""
    if types.is_dictionary(of):
        of = of.value_type
    kinds = (
        types.is_string, types.is_large_string, types.is_string_view, types.is_null,
        types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary,
    )  # fmt: skip
    return any(is_kind(of) for is_kind in kinds)


def _text(given: str) -> str:
    """Return *given* as text; `FormatError` if it is not valid UTF-8."""
    _utf8(given)
    return given


def _utf8(text: str) -> bytes:
    try:
        return str.encode(text)
    except (UnicodeEncodeError, TypeError) as error:
        raise FormatError("key", None, ascii(text), "text of valid Unicode") from error
