"""Names of entries of the file info, and the bytes of their numbers.

Source: specs/hfile/info_entries.yaml
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from byteloom_generated.hfile.info_entries import INFO_ENTRIES

__all__ = [
    "AVERAGE_KEY",
    "AVERAGE_VALUE",
    "BIGGEST_KEY",
    "BIGGEST_SIZE",
    "BLOOM_KIND",
    "BLOOM_LAST",
    "BLOOM_PREFIX",
    "CREATED",
    "DELETED_FAMILIES",
    "EARLIEST_PUT",
    "ENCODING",
    "HUDI_BLOOM_KIND",
    "HUDI_FIRST",
    "HUDI_LAST",
    "HUDI_SCHEMA",
    "INDEX_ENCODING",
    "LAST_KEY",
    "MOST_MVCC",
    "MOST_SEQUENCE",
    "MOST_TAGS",
    "MVCC_VERSION",
    "PACKED_TAGS",
    "SIZES",
    "TIME_RANGE",
    "numbers",
]

_ENTRIES: Final = {each.id: each for each in INFO_ENTRIES}
SIZES: Final = {each.name.encode(): each.size for each in INFO_ENTRIES if each.size}
"""The bytes of each entry that is a number."""


def _named(entry: str) -> bytes:
    return _ENTRIES[entry].name.encode()


LAST_KEY: Final = _named("last_key")
AVERAGE_KEY: Final = _named("average_key")
AVERAGE_VALUE: Final = _named("average_value")
CREATED: Final = _named("created")
BIGGEST_KEY: Final = _named("biggest_key")
BIGGEST_SIZE: Final = _named("biggest_size")
MOST_TAGS: Final = _named("most_tags")
PACKED_TAGS: Final = _named("packed_tags")
ENCODING: Final = _named("encoding")
INDEX_ENCODING: Final = _named("index_encoding")
MOST_MVCC: Final = _named("most_mvcc")
MVCC_VERSION: Final = _named("mvcc_version")
BLOOM_KIND: Final = _named("bloom_kind")
BLOOM_PREFIX: Final = _named("bloom_prefix")
BLOOM_LAST: Final = _named("bloom_last")
DELETED_FAMILIES: Final = _named("deleted_families")
EARLIEST_PUT: Final = _named("earliest_put")
TIME_RANGE: Final = _named("time_range")
MOST_SEQUENCE: Final = _named("most_sequence")
HUDI_FIRST: Final = _named("hudi_first")
HUDI_LAST: Final = _named("hudi_last")
HUDI_BLOOM_KIND: Final = _named("hudi_bloom_kind")
HUDI_SCHEMA: Final = _named("hudi_schema")


def numbers(values: Mapping[bytes, int]) -> dict[bytes, bytes]:
    """Return the given numbers as entries of the file info, by name."""
    return {
        entry: value.to_bytes(SIZES[entry], "big", signed=True) for entry, value in values.items()
    }
