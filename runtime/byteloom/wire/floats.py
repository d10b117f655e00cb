"""Four-byte NaNs that keep their exact bits.

Python's floats have eight bytes, and widening a signaling NaN makes it quiet.  Such a NaN remembers
the bits that it was read from, and a writer writes these bits again.
"""

from __future__ import annotations

from math import isnan
from struct import Struct, calcsize, pack, pack_into
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Sequence
    from mmap import mmap

__all__ = ["StoredFloat", "as_stored", "exact", "nan_of"]


class StoredFloat(float):
    """A NaN that keeps the 32 bits it was stored in as `bits`."""

    __slots__ = ("bits",)

    bits: int

    def __new__(cls, value: float, bits: int = 0) -> Self:
        """Make a NaN from *value*, which keeps *bits*."""
        self = super().__new__(cls, value)
        self.bits = bits
        return self


def nan_of(value: float, bits: int) -> float:
    """Return the NaN *value*, which keeps its 32 *bits* if storing it would change them."""
    return value if pack("<f", value) == pack("<I", bits) else StoredFloat(value, bits)


def exact(values: tuple[Any, ...], form: str, data: bytes | mmap, at: int) -> tuple[Any, ...]:
    """Return *values*, read as *form* (of `struct`) at *at*, with NaNs that keep their bits."""
    if not isnan(sum(values)):
        return values
    bits = Struct(form.replace("f", "I")).unpack_from(data, at)
    return tuple(
        nan_of(value, stored) if letter == "f" and isnan(value) else value
        for letter, value, stored in zip(form[1:], values, bits, strict=True)
    )


def as_stored(sink: bytearray, at: int, form: str, values: Sequence[float]) -> None:
    """Restore the bits of NaNs among *values*, which were put into *sink* at *at* as *form*."""
    if StoredFloat not in set(map(type, values)):
        return
    for letter, value in zip(form[1:], values, strict=True):
        if letter == "f" and isinstance(value, StoredFloat):
            pack_into(f"{form[0]}I", sink, at, value.bits)
        at += calcsize(form[0] + letter)
