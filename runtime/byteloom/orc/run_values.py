"""The values in a stream of ORC's runs, any number at a time, from bytes that come in parts.

Source: https://orc.apache.org/specification/ORCv1/ ("Run Length Encoding")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError, Truncated
from byteloom.kernels.orc_values import AT, LONGEST, PRESENT, ROW, whole_runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["PRESENT", "RunValues"]

_PATH: Final = "orc.stream"
_SECOND: Final = 2


class RunValues:
    """The values of a stream, in their order.

    Only one part of the bytes is in memory at a time, with the values of the current run that were
    not taken yet.
    """

    def __init__(self, parts: Iterable[bytes], version: int) -> None:
        """Set up the stream; nothing is read yet.

        parts    the bytes of the stream, decompressed
        version  of its runs, 1 or 2; PRESENT if each value is a bit
        """
        self._parts, self._version = iter(parts), version
        self._data = np.zeros(0, np.uint8)
        self._held = np.zeros(0, np.int64)
        self._state = np.zeros(2, np.int64)

    @property
    def is_beyond(self) -> bool:
        """Whether the last run of version 2 has more values than the stream should have."""
        return self._version == _SECOND and len(self._held) > 0

    def take(self, count: int) -> NDArray[np.int64]:
        """Return the next *count* values.

        FormatError  there are fewer values, or a run is damaged
        """
        if count > len(self._held):
            self._fill(count)
        found, self._held = self._held[:count], self._held[count:]
        return found

    def _fill(self, count: int) -> None:
        """Make at least *count* values ready."""
        out, state = np.empty(count + LONGEST, np.int64), self._state
        state[ROW] = len(self._held)
        out[: len(self._held)] = self._held
        while state[ROW] < count:
            if not whole_runs(self._data, self._version, count, out, state):
                raise FormatError(_PATH, None, "a patch after the last value", "a patch of a value")
            if state[ROW] < count:
                self._read()
        self._held = out[: state[ROW]]

    def _read(self) -> None:
        """Take another part of the bytes."""
        if (part := next(self._parts, None)) is None:
            raise Truncated(_PATH, None, "the end of the stream", "another value")
        rest = self._data[self._state[AT] :]
        self._data = np.concatenate([rest, np.frombuffer(part, np.uint8)])
        self._state[AT] = 0
