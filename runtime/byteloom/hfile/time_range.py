"""Between which times the cells of a file are, as the entry TIMERANGE of its file info says.

HBase passes over a file where a reader asks for other times.

Source: specs/hfile/file_info.ksy, type time_range; messages.proto, TimeRangeTracker
"""

from __future__ import annotations

from byteloom_generated.hfile.file_info import FileInfo, TimeRange
from byteloom_generated.hfile.messages import TimeRangeTracker

__all__ = ["time_range"]


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
