"""The statistics that a file has of its own parts: row groups of Parquet, stripes of ORC.

Bounds are bytes: numbers as little-endian ones of their type, decimals as two's complement
with the most significant byte first, text and bytes as they are.

Source: Iceberg table spec, "Appendix D: Single-value serialization", whose form this is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["UNKNOWN", "PartStats", "Stated"]


class Stated(NamedTuple):
    """What a part states of a column; -1 and None for unknown.

    value_count  values, nulls and NaNs included
    null_count   nulls
    lower        the lower bound
    upper        the upper bound
    """

    value_count: int
    null_count: int
    lower: bytes | None
    upper: bytes | None


UNKNOWN: Final = Stated(-1, -1, None, None)


class PartStats(Protocol):
    """The statistics of each part, one row per part."""

    @property
    def record_count(self) -> NDArray[np.int64]:
        """The number of rows of each part."""

    def stated(self, field_id: int) -> Sequence[Stated]:
        """Return what each part states of a column; `UNKNOWN` if it is absent or inside a list."""
