"""Theta sketches: how many distinct values a column has, from some 32 kB for any number of rows.

- A sketch is a value: the hashes below theta, ascending, and theta.  It depends only on the set of
  values, not on their order, batches or duplicates: the k smallest hashes, and the next one as
  theta.  A union of the library's own sketches has the same form.
- The form written is the compact ordered one, serial version 3, with the same bytes as Java's.
- Of a column in batches, NumPy hashes the first rows.  Longer columns go to compiled loops, with a
  table that lives as long as the builder.
- Both skip empty strings and empty bytes, since Java's ``UpdateSketch.update(ByteBuffer)`` returns
  RejectedNullOrEmpty for them and Iceberg ignores the result.
- Bytes are used only if they obey all rules of the form: hashes ascending, none 0, none at or
  above theta, made with the default seed.

Source: https://iceberg.apache.org/puffin-spec/#apache-datasketches-theta-v1-blob-type
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from byteloom.errors import ArgumentError, FormatError
from byteloom.kernels.kmv import keep_ascending
from byteloom.puffin import theta_bounds, theta_form
from byteloom.puffin.metadata import BlobMetadata
from byteloom.puffin.pieces import BlobPieces, as_bytes

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.puffin.hashed_columns import Column

__all__ = ["BLOB_TYPE", "DEFAULT_K", "ThetaSketch", "ThetaSketchBuilder"]

BLOB_TYPE: Final = "apache-datasketches-theta-v1"
DEFAULT_K: Final = 4096

_FEW_ROWS: Final = 100_000
"""Rows that NumPy hashes in some ten milliseconds; loading compiled code takes half a second."""

_FEW_HASHES: Final = 1 << 18
"""The same for hashes of merged sketches: most that wait to be merged."""

_FEW_BYTES: Final = 4 << 20
"""Most bytes that NumPy uses for values, each padded to the length of the longest."""


@dataclass(frozen=True, slots=True, eq=False)
class ThetaSketch:
    """A sample of a set of values, from which the number of distinct values is estimated.

    Attributes:
        hashes: The kept hashes, ascending, below theta64; read-only.
        theta64: Theta in units of 2 to the minus 63: MAX_THETA while every hash is kept.
        is_empty: Whether no value was seen; False for a union that happens to keep no hash.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom.puffin import ThetaSketch
        >>> sketch = ThetaSketch.from_arrow(pa.array(range(100_000)))
        >>> sketch.is_estimation_mode, sketch.lower_bound() < 100_000 < sketch.upper_bound()
        (True, True)
    """

    hashes: NDArray[np.uint64]
    theta64: int = theta_form.MAX_THETA
    is_empty: bool = False

    @classmethod
    def from_arrow(
        cls,
        values: pa.Array | pa.ChunkedArray,
        *,
        iceberg_type: str | None = None,
        k: int = DEFAULT_K,
    ) -> ThetaSketch:
        """Return the sketch of a column.

        Args:
            values: The column; nulls are skipped, and so is the empty string, which Java's
                sketch rejects.
            iceberg_type: The type whose single-value form is hashed, such as ``long``; inferred
                if None.
            k: Number of hashes to keep, a power of 2 from 16 to 2 to the 26: the standard
                deviation is about 1 / sqrt(k).
        """
        return ThetaSketchBuilder(iceberg_type=iceberg_type, k=k).update(values).sketch()

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """Return the sketch in the compact form of serial version 1 to 4, ordered or not.

        Args:
            data: The bytes of the sketch.

        Raises:
            FormatError: For anything but a sound sketch with the default seed.
        """
        return cls(*theta_form.parse(as_bytes("theta_sketch", data)))

    def to_bytes(self) -> bytes:
        """Return the compact ordered form, serial version 3."""
        return theta_form.compose(self.hashes, self.theta64, is_empty=self.is_empty)

    @staticmethod
    def union(sketches: Iterable[ThetaSketch], *, k: int = DEFAULT_K) -> ThetaSketch:
        """Return the union of *sketches*; k as in `from_arrow`.

        Args:
            sketches: The sketches, any number of them.
            k: The number of hashes to keep, as for `from_arrow`.
        """
        builder = ThetaSketchBuilder(k=k)
        for sketch in sketches:
            builder.merge(sketch)
        return builder.sketch()

    @staticmethod
    def of_hashes(hashes: NDArray[np.uint64], theta64: int, *, k: int = DEFAULT_K) -> ThetaSketch:
        """Return the sketch of values with these *hashes*; those from theta64 on are dropped.

        Args:
            hashes: Hashes in any order, repeated or not.
            theta64: Theta in units of 2 to the minus 63.
            k: The number of hashes to keep, as for `from_arrow`.
        """
        kept = np.sort(hashes[(hashes > 0) & (hashes < theta64)])
        if len(kept):  # np.unique would hash them first, at five times the cost
            kept = kept[np.concatenate(([True], kept[1:] != kept[:-1]))]
        if len(kept) > k:
            kept, theta64 = kept[:k], int(kept[k])
        kept.setflags(write=False)
        return ThetaSketch(kept, theta64)

    @property
    def theta(self) -> float:
        """The share of all possible hashes that is below theta: 0 to 1."""
        return self.theta64 / theta_form.MAX_THETA

    @property
    def num_retained(self) -> int:
        """The number of kept hashes."""
        return len(self.hashes)

    @property
    def is_estimation_mode(self) -> bool:
        """Whether hashes were dropped; if not, the estimate is the exact number."""
        return self.theta64 < theta_form.MAX_THETA and not self.is_empty

    @property
    def estimate(self) -> float:
        """The estimated number of distinct values."""
        return len(self.hashes) / self.theta

    def lower_bound(self, num_std_devs: int = 2) -> float:
        """Return a lower bound of the estimate, at 1, 2 or 3 standard deviations.

        Args:
            num_std_devs: 1, 2 or 3: the true number is above the bound with a probability of
                about 84, 97.7 or 99.9 per cent.
        """
        return theta_bounds.lower_bound(len(self.hashes), self.theta, _checked(num_std_devs))

    def upper_bound(self, num_std_devs: int = 2) -> float:
        """Return an upper bound of the estimate, at 1, 2 or 3 standard deviations.

        Args:
            num_std_devs: 1, 2 or 3, as for `lower_bound`.
        """
        return theta_bounds.upper_bound(len(self.hashes), self.theta, _checked(num_std_devs))

    def properties(self) -> dict[str, str]:
        """The blob's property: ``ndv``, the estimate cut to an integer, as Java writes it."""
        return {"ndv": str(int(self.estimate))}

    def contradictions(self, blob: BlobMetadata) -> Iterator[FormatError]:
        """Yield what the footer says wrongly of this sketch, the content of *blob*.

        The property ``ndv`` is optional; some writers round the estimate, which Java cuts.
        """
        ndv = blob.properties.get("ndv")
        if ndv not in {None, str(int(self.estimate)), str(round(self.estimate))}:
            wanted = f"{int(self.estimate)}, the estimate of the sketch"
            yield FormatError("properties.ndv", None, ndv, wanted)

    def blob(self) -> BlobPieces:
        """Return type, bytes and properties of the blob; the caller supplies field and snapshot."""
        return BlobPieces(BLOB_TYPE, self.to_bytes(), self.properties())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ThetaSketch):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        low, high = self.lower_bound(), self.upper_bound()
        return f"<ThetaSketch of about {self.estimate:.0f} values ({low:.0f} to {high:.0f})>"

    def _key(self) -> tuple[Any, ...]:
        return self.is_empty, self.theta64, self.hashes.tobytes()


def _checked(num_std_devs: int) -> int:
    if num_std_devs not in {1, 2, 3}:
        raise ArgumentError("num_std_devs", None, num_std_devs, "1, 2 or 3")
    return num_std_devs


class ThetaSketchBuilder:
    """A sketch to which batches of values are added.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import puffin
        >>> builder = puffin.ThetaSketchBuilder()
        >>> for batch in (pa.array([1, 2, None]), pa.array([2, 3])):
        ...     builder = builder.update(batch)
        >>> builder.sketch().estimate
        3.0
    """

    def __init__(self, *, iceberg_type: str | None = None, k: int = DEFAULT_K) -> None:
        """Begin without values.

        Args:
            iceberg_type: The type whose single-value form is hashed; None infers it from each
                batch.
            k: The number of hashes to keep, as for `ThetaSketch.from_arrow`.
        """
        if k not in {1 << lg_k for lg_k in range(4, 27)}:
            raise ArgumentError("k", None, k, "a power of 2 from 16 to 67108864")
        self._iceberg_type = iceberg_type
        self._k = int(k)
        self._rows = 0
        self._hashes = np.empty(0, np.uint64)
        self._theta = theta_form.MAX_THETA
        self._waiting: list[NDArray[np.uint64]] = []
        self._num_waiting = 0
        self._table: NDArray[np.uint64] | None = None
        self._state = np.zeros(2, np.uint64)
        self._keep: Callable[..., None]
        self._is_empty = True

    def update(self, values: pa.Array | pa.ChunkedArray) -> Self:
        """Add a batch of the column; nulls are skipped.

        Args:
            values: The batch.

        Returns:
            The builder.
        """
        from byteloom.puffin.single_value import single_values

        for array in getattr(values, "chunks", [values]):
            self._add(single_values(array, self._iceberg_type))
        return self

    def merge(self, sketch: ThetaSketch) -> Self:
        """Add all values that *sketch* has seen.

        Args:
            sketch: A sketch of other values.

        Returns:
            The builder.
        """
        if not isinstance(sketch, ThetaSketch):
            raise ArgumentError("sketch", None, type(sketch).__name__, "a ThetaSketch")
        if sketch.is_empty:
            return self
        self._is_empty = False
        if self._table is not None:
            self._keep(sketch.hashes, np.uint64(sketch.theta64), self._table, self._state)
            return self
        self._waiting.append(sketch.hashes)
        self._num_waiting += len(sketch.hashes)
        self._theta = min(self._theta, sketch.theta64)
        if self._num_waiting > _FEW_HASHES:
            self._grown()
        return self

    def sketch(self) -> ThetaSketch:
        """Return the sketch of all values so far; more values can be added afterwards."""
        if self._table is not None:
            hashes, theta = self._table[self._table != 0], int(self._state[0])
        else:
            self._settle()
            hashes, theta = self._hashes, self._theta
        if self._is_empty and len(hashes) == 0:
            return ThetaSketch(hashes, is_empty=True)
        return ThetaSketch.of_hashes(hashes, theta, k=self._k)

    def _add(self, column: Column) -> None:
        self._rows += len(column)
        if self._table is None and self._is_small(column):
            self._waiting.append(column.hashes())
            self._settle()
        elif len(column):
            column.keep(self._grown(), self._state)

    def _is_small(self, column: Column) -> bool:
        return self._rows <= _FEW_ROWS and len(column) * (column.widest + 16) <= _FEW_BYTES

    def _settle(self) -> None:
        """Merge the waiting hashes into those that are kept."""
        if self._waiting:
            hashes = np.concatenate([self._hashes, *self._waiting])
            kept = ThetaSketch.of_hashes(hashes, self._theta, k=self._k)
            self._hashes, self._theta = kept.hashes, kept.theta64
            self._waiting.clear()

    def _grown(self) -> NDArray[np.uint64]:
        """Return the table of the compiled loops, with all hashes so far."""
        if self._table is None:
            self._keep = keep_ascending  # looked up once: a merge takes three microseconds
            self._table = np.zeros(4 * self._k, np.uint64)
            self._state[:] = self._theta, 0
            for hashes in (self._hashes, *self._waiting):
                keep_ascending(hashes, np.uint64(self._theta), self._table, self._state)
            self._waiting.clear()
        return self._table
