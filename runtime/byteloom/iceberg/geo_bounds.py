"""Bounds of geometry and geography columns: a corner of the box around all shapes in a file.

    x  y  [z  [m]]    float64 each, little-endian; z is NaN if there is only m

The rules:

- A bound is a point, not a shape: 16, 24 or 32 bytes, unlike the values, which are WKB.
- A geography may cross the antimeridian: its lower x is then greater than its upper one.

Source: Iceberg table spec, "Appendix D", Bound serialization of geometry and geography.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Final, Self

from byteloom.errors import FormatError

__all__ = ["SIZES", "GeoBound"]

_FORMS: Final = {struct.calcsize(form): struct.Struct(form) for form in ("<2d", "<3d", "<4d")}

SIZES: Final = frozenset(_FORMS)
"""The possible numbers of bytes of a bound."""


@dataclass(frozen=True, slots=True)
class GeoBound:
    """A corner of a box.

    Attributes:
        x, y: Easting and northing, or longitude and latitude.
        z, m: Height and measure; None where the shapes have none.
    """

    x: float
    y: float
    z: float | None = None
    m: float | None = None

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the corner that *data* holds; `FormatError` for another number of bytes."""
        form = _FORMS.get(len(data))
        if form is None:
            raise FormatError("bound", None, f"{len(data)} bytes", "16, 24 or 32")
        x, y, *rest = form.unpack(data)
        z, m = (*rest, None, None)[:2]
        return cls(x, y, None if z is None or (m is not None and math.isnan(z)) else z, m)

    def to_bytes(self) -> bytes:
        """Return the bytes that `from_bytes` reads."""
        parts = [self.x, self.y]
        if self.z is not None or self.m is not None:
            parts.append(math.nan if self.z is None else self.z)
        if self.m is not None:
            parts.append(self.m)
        return struct.pack(f"<{len(parts)}d", *parts)
