"""The content of many blocks in one buffer that grows.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Content"]


class Content:
    """Bytes, one block after the other.

    data  the buffer, which may be longer than its content
    size  bytes of its content
    """

    def __init__(self, room: int = 0) -> None:
        """Begin empty, with *room* bytes reserved; unused ones take no memory."""
        self.data: NDArray[np.uint8] = np.empty(room, np.uint8)
        self.size = 0

    @property
    def held(self) -> NDArray[np.uint8]:
        """The bytes added so far."""
        return self.data[: self.size]

    def reserve(self, room: int) -> None:
        """Make room for *room* bytes in total."""
        if len(self.data) < room:
            longer = np.empty(room, np.uint8)
            longer[: self.size] = self.held
            self.data = longer

    def append(self, part: bytes | memoryview | NDArray[np.uint8]) -> None:
        """Add *part*."""
        end = self.size + len(part)
        if end > len(self.data):
            self.reserve(2 * end)
        self.data[self.size : end] = np.frombuffer(part, np.uint8)
        self.size = end
