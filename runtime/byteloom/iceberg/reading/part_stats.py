"""The statistics that a file has of its own parts: row groups of Parquet, stripes of ORC.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from byteloom.iceberg.expressions.stats import FieldStats, Spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["UNKNOWN", "PartStats", "Stated"]


class Stated(NamedTuple):
    """What a part states of a column; -1 and None for unknown.

    value_count  values, nulls and NaNs included
    null_count   nulls
    lower        the lower bound, in the binary form of Appendix D
    upper        the upper bound, likewise
    """

    value_count: int
    null_count: int
    lower: bytes | None
    upper: bytes | None


UNKNOWN: Final = Stated(-1, -1, None, None)


class PartStats(ABC):
    """The statistics of each part, one row per part."""

    @property
    @abstractmethod
    def record_count(self) -> NDArray[np.int64]:
        """The number of rows of each part."""

    @abstractmethod
    def stated(self, field_id: int) -> Sequence[Stated]:
        """Return what each part states of a column; `UNKNOWN` if it is absent or inside a list."""

    def of(self, field_id: int) -> FieldStats:
        """Return the same as columns."""
        parts = self.stated(field_id)
        counts = np.array([each[:2] for each in parts], np.int64).reshape(-1, 2)
        nans = np.full(len(parts), -1, np.int64)
        lower = Spans.of(each.lower for each in parts)
        upper = Spans.of(each.upper for each in parts)
        return FieldStats(counts[:, 0], counts[:, 1], nans, lower, upper)
