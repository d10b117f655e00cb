"""Entries of the file info: their names, the bytes of their numbers, and the range of times.

HBase passes over a file where a reader asks for times outside TIMERANGE.

Source: specs/hfile/info_entries.yaml; specs/hfile/file_info.ksy, type time_range; messages.proto,
TimeRangeTracker
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from byteloom_generated.hfile.file_info import FileInfo, TimeRange
from byteloom_generated.hfile.info_entries import INFO_ENTRIES
from byteloom_generated.hfile.messages import TimeRangeTracker

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
    "time_range",
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


def time_range(value: bytes) -> tuple[int, int]:
    """Return the earliest and the latest time, in milliseconds since 1970.

    The earliest is greater than the latest in a file without cells.

    Raises:
        FormatError: For what is neither two numbers nor a message.
    """
    if value.startswith(FileInfo.magic):
        start = len(FileInfo.magic)
        message = TimeRangeTracker.parse(value[start:], origin=start, path=TimeRange.NAME)
        return message.first, message.last
    stated = TimeRange.from_bytes(value, whole=True)
    return stated.first, stated.last
