"""Columns of values, and the two ways to hash them into a sketch.

- `hashes` is NumPy: it gives a hash for every row, without a start-up cost.
- `keep` is compiled: it puts the hashes that a sketch keeps straight into its table, at memory
  speed.
- Both skip nulls, and both skip empty values: Java's sketch returns RejectedNullOrEmpty for a
  buffer of no bytes, so an empty string is not among the distinct values it counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.kernels.kmv import keep_bytes, keep_decimals, keep_fixed, keep_words
from byteloom.kernels.murmur3 import hash_slices, hash_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Bytes", "Column", "Decimals", "Fixed", "Words"]

_WORD: Final = 8
_SIGN_BIT: Final = 0x80


@dataclass(frozen=True, slots=True)
class Column(ABC):
    """The values of a column, in any of the forms below.

    Attributes:
        first: The bit of *validity* that belongs to the first value.
        validity: Arrow's bitmap, lowest bit first; empty if no value is null.
    """

    first: int
    validity: NDArray[np.uint8]

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def widest(self) -> int:
        """Bytes of the longest value."""

    @abstractmethod
    def hashes(self) -> NDArray[np.uint64]:
        """Return the hash of each value that is neither null nor empty."""

    @abstractmethod
    def keep(self, table: NDArray[np.uint64], state: NDArray[np.uint64]) -> None:
        """Put the hashes below theta into *table* (see `byteloom.kernels.kmv`)."""

    def valid(self) -> NDArray[np.bool_] | slice:
        """Return which rows are not null."""
        if len(self.validity) == 0:
            return slice(None)
        whole = self.validity[self.first // 8 : (self.first + len(self) + 7) // 8]
        bits = np.unpackbits(whole, bitorder="little")
        return bits[self.first % 8 :][: len(self)].view(np.bool_)


@dataclass(frozen=True, slots=True)
class Words(Column):
    """Numbers of *size* bytes, as unsigned integers of the same bits."""

    values: NDArray[Any]
    size: int

    def __len__(self) -> int:
        return len(self.values)

    @property
    def widest(self) -> int:
        """Bytes of every value."""
        return self.size

    def hashes(self) -> NDArray[np.uint64]:
        """Return the hash of each value that is neither null nor empty."""
        return hash_words(self.values[self.valid()], self.size)

    def keep(self, table: NDArray[np.uint64], state: NDArray[np.uint64]) -> None:
        """Put the hashes below theta into *table*."""
        keep_words(self.values, self.size, self.first, self.validity, table, state)


@dataclass(frozen=True, slots=True)
class Bytes(Column):
    """Runs of *data* between neighbouring *offsets*."""

    offsets: NDArray[Any]
    data: NDArray[np.uint8]

    def __len__(self) -> int:
        return max(len(self.offsets) - 1, 0)

    @property
    def widest(self) -> int:
        """Bytes of the longest value."""
        return int(np.diff(self.offsets).max(initial=0))

    def hashes(self) -> NDArray[np.uint64]:
        """Return the hash of each value that is neither null nor empty."""
        offsets = self.offsets.astype(np.int64)
        sizes, starts = np.diff(offsets), offsets[:-1]
        if len(sizes) and not (offsets[0] >= 0 <= sizes.min() and offsets[-1] <= len(self.data)):
            raise self._damaged()
        sizes, starts = sizes[self.valid()], starts[self.valid()]
        return hash_slices(self.data, starts[sizes > 0], sizes[sizes > 0])

    def _damaged(self) -> FormatError:
        return FormatError("column", None, "offsets outside its data", "ascending ones inside")

    def keep(self, table: NDArray[np.uint64], state: NDArray[np.uint64]) -> None:
        """Put the hashes below theta into *table*."""
        data = _at_least_a_word(self.data)
        if not keep_bytes(self.offsets, data, self.first, self.validity, table, state):
            raise self._damaged()


@dataclass(frozen=True, slots=True)
class Fixed(Column):
    """Values of *size* bytes, one after another in *data*."""

    data: NDArray[np.uint8]
    size: int

    def __len__(self) -> int:
        return len(self.data) // self.size if self.size else 0

    @property
    def widest(self) -> int:
        """Bytes of every value."""
        return self.size

    def hashes(self) -> NDArray[np.uint64]:
        """Return the hash of each value that is neither null nor empty."""
        starts = np.arange(len(self), dtype=np.int64)[self.valid()] * self.size
        return hash_slices(self.data, starts, np.full(len(starts), self.size))

    def keep(self, table: NDArray[np.uint64], state: NDArray[np.uint64]) -> None:
        """Put the hashes below theta into *table*."""
        data = _at_least_a_word(self.data)
        keep_fixed(data, self.size, len(self), self.first, self.validity, table, state)


@dataclass(frozen=True, slots=True)
class Decimals(Column):
    """Unscaled values in two's complement, one row of *words* per value, the lowest word first."""

    words: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def widest(self) -> int:
        """Bytes of the longest possible value."""
        return int(8 * self.words.shape[1])

    def hashes(self) -> NDArray[np.uint64]:
        """Return the hash of each value that is not null, in its shortest big-endian form."""
        rows = self.words[self.valid()]
        width = self.widest
        data = rows.view(np.uint8).reshape(len(rows), width)[:, ::-1]
        # A leading byte is needless if it, and the bit after it, only repeat the sign.
        unsigned = data ^ (data[:, :1] >> 7) * np.uint8(0xFF)
        needless = (unsigned[:, :-1] == 0) & (unsigned[:, 1:] < _SIGN_BIT)
        sizes = width - np.logical_and.accumulate(needless, axis=1).sum(axis=1)
        starts = np.arange(1, len(rows) + 1) * width - sizes
        return hash_slices(np.ascontiguousarray(data).reshape(-1), starts, sizes)

    def keep(self, table: NDArray[np.uint64], state: NDArray[np.uint64]) -> None:
        """Put the hashes below theta into *table*."""
        keep_decimals(self.words, self.first, self.validity, table, state)


def _at_least_a_word(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return *data*, padded with zeros to the eight bytes that a compiled load reads."""
    return data if len(data) >= _WORD else np.pad(data, (0, _WORD - len(data)))
