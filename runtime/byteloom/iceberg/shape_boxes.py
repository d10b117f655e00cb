"""The box around the shapes of a column: the bounds of geometry and geography.

The rules:

- Empty shapes, and numbers that are NaN, are in no box.
- Edges on a globe leave the box around their ends: the box of a geography is known for points only.
- Points on both sides of the antimeridian get the narrower of two boxes; the one across it has its
  western side in the east.

Source: Iceberg table spec, "Appendix D", Bound serialization of geometry and geography.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.geo_bounds import GeoBound
from byteloom.iceberg.types import GeographyType
from byteloom.kernels.wkb import EAST, MOST, WEST, Y, box_around

if TYPE_CHECKING:
    from byteloom.iceberg.types import Type

__all__ = ["ShapeBox"]

_DIMENSIONS: Final = 5
_TURN: Final = 360


class ShapeBox:
    """The box around some shapes.

    Attributes:
        is_known: Whether all values were shapes.
    """

    def __init__(self) -> None:
        """Begin without shapes."""
        self._box = np.empty((2, _DIMENSIONS), np.int64)
        self._box[0], self._box[1] = MOST, ~MOST
        self._edges = np.zeros(1, np.int64)
        self.is_known = True

    def add(self, array: pa.Array) -> int:
        """Add shapes in WKB.

        Returns:
            The number, among those that are not null, of a value that is no shape; -1 for none.
        """
        held = array.drop_null().cast(pa.large_binary())
        _, offsets, data = held.buffers()
        if not len(held) or offsets is None:
            return -1
        ends = np.frombuffer(offsets, np.int64)[held.offset : held.offset + len(held) + 1]
        raw = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        for each in (raw, ends):
            each.setflags(write=False)  # one kind of machine code is enough
        wrong = box_around(raw, ends[:-1], ends[1:], self._box, self._edges)
        self.is_known &= wrong < 0
        return int(wrong)

    def bounds(self, of: Type) -> tuple[bytes, bytes] | None:
        """Return the bounds of a column of these shapes; None if they have none."""
        is_globe = isinstance(of, GeographyType)
        if not self.is_known or self._ends(Y) is None or (is_globe and self._edges[0]):
            return None
        west, east = self._ends(WEST), self._ends(EAST)
        sides = [each for each in (west, east) if each is not None]
        if not sides:
            return None
        x = min(each[0] for each in sides), max(each[1] for each in sides)
        if is_globe and west and east and _TURN - east[0] + west[1] < x[1] - x[0]:
            x = east[0], west[1]
        rest = [self._ends(each) or (None, None) for each in range(Y, _DIMENSIONS)]
        corners = [
            GeoBound(x[end], *(each[end] for each in rest))  # type: ignore[arg-type]  # y is there
            for end in (0, 1)
        ]
        return corners[0].to_bytes(), corners[1].to_bytes()

    def _ends(self, at: int) -> tuple[float, float] | None:
        """Return the least and the greatest number of a dimension; None if there is none."""
        least, greatest = self._box[:, at].tolist()
        return (_number(least), _number(greatest)) if least <= greatest else None


def _number(key: int) -> float:
    """Return the number that an integer of a box stands for."""
    bits = key ^ ((key >> 63) & MOST)
    number: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return number
