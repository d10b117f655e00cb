"""Deletion vectors: which rows of a data file are deleted.

- A vector is a set of positions, 0 the first row of the file, held as Roaring bitmaps of 2 to the
  32 positions each.
- The bytes written are those that Java's writer makes of the same positions.
- Bytes are used only after length, magic, checksum, order and every container were checked.

Source: https://iceberg.apache.org/puffin-spec/#deletion-vector-v1-blob-type
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import index
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from pyroaring import BitMap

from byteloom.codecs.roaring import Bytes
from byteloom.errors import ArgumentError, FormatError, LimitExceeded
from byteloom.late import pa
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.puffin.metadata import BlobMetadata
from byteloom.puffin.pieces import BlobPieces, as_bytes
from byteloom.puffin.positions import as_positions, bitmaps_of, mask_of
from byteloom.puffin.roaring import MAX_KEY, read_map, write_map
from byteloom.wire import Reader
from byteloom_generated.puffin.deletion_vector import DeletionVector as Form

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["BLOB_TYPE", "DeletionVector"]

BLOB_TYPE: Final = "deletion-vector-v1"

_VECTOR_AT: Final = 8


class DeletionVector:
    """A set of positions; it never changes, and operations return another.

    Example:
        >>> from byteloom.puffin import DeletionVector
        >>> vector = DeletionVector.from_positions([7, 3, 3])
        >>> vector.cardinality, vector.mask(2, 3).tolist()
        (2, [False, True, False])
        >>> DeletionVector.from_bytes(vector.to_bytes()) == vector
        True
    """

    __slots__ = ("_cardinality", "bitmaps")

    def __init__(self, bitmaps: Mapping[int, BitMap] | None = None) -> None:
        """Keep *bitmaps* by the upper 32 bits of their positions; they must not be changed."""
        kept = {key: bitmap for key, bitmap in sorted((bitmaps or {}).items()) if bitmap}
        if kept and not 0 <= min(kept) <= max(kept) <= MAX_KEY:
            raise FormatError("bitmaps", None, f"{min(kept)} to {max(kept)}", f"0 to {MAX_KEY}")
        self.bitmaps: Final = kept
        self._cardinality: Final = sum(len(bitmap) for bitmap in kept.values())

    @classmethod
    def from_positions(
        cls,
        positions: pa.Array | pa.ChunkedArray | NDArray[Any] | Sequence[int] | AbstractSet[int],
    ) -> Self:
        """Return the vector of integers in any order, repeated or not; a range is never expanded.

        Args:
            positions: Numbers of rows, from 0 to 9223372030412324864, the last one that Java's
                bitmaps can hold.
        """
        return cls(bitmaps_of(positions))

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """Return the vector in *data*, the whole content of a blob.

        Raises:
            FormatError: For anything but a sound vector.
        """
        r = Reader(as_bytes(Form.NAME, data))
        form = r.record(Form.NAME, Form.read)
        if not r.eof:
            raise FormatError(Form.NAME, r.offset, f"{r.left} bytes after its end", "none")
        return cls(read_map(Bytes(form.vector, f"{Form.NAME}.vector", _VECTOR_AT)))

    @classmethod
    def from_roaring(cls, data: bytes | bytearray | memoryview) -> Self:
        """Return the vector in *data*, a 64-bit Roaring map in portable form, without a frame.

        Raises:
            FormatError: For anything but a sound map.
        """
        return cls(read_map(Bytes(as_bytes("roaring_map", data), "roaring_map")))

    @classmethod
    def union(cls, vectors: Iterable[DeletionVector]) -> Self:
        """Return the vector of all positions that are in any of *vectors*."""
        found: dict[int, list[BitMap]] = {}
        for vector in vectors:
            if not isinstance(vector, DeletionVector):
                raise ArgumentError("vector", None, type(vector).__name__, "a DeletionVector")
            for key, bitmap in vector.bitmaps.items():
                found.setdefault(key, []).append(bitmap)
        return cls({key: BitMap.union(*bitmaps) for key, bitmaps in found.items()})

    def to_bytes(self, *, limits: Limits = DEFAULT_LIMITS) -> bytes:
        """Return the blob's bytes.

        Args:
            limits: Bounds of its size, since a position near 2 to the 60 would take gigabytes.

        Raises:
            LimitExceeded: It would be larger.
        """
        return Form(vector=self.to_roaring(limits=limits)).to_bytes()

    def to_roaring(self, *, limits: Limits = DEFAULT_LIMITS) -> bytes:
        """Return the positions as a 64-bit Roaring map in portable form.

        Args:
            limits: Bounds of its size.

        Raises:
            LimitExceeded: It would be larger.
        """
        return write_map(self.bitmaps, limits)

    def blob(self, referenced_data_file: str) -> BlobPieces:
        """Return type, bytes and properties of the Puffin blob for the data file at that location.

        In the footer its snapshot-id and sequence-number are -1, and it is never compressed.
        """
        properties = {"referenced-data-file": referenced_data_file, "cardinality": str(len(self))}
        return BlobPieces(BLOB_TYPE, self.to_bytes(), properties)

    def contradictions(self, blob: BlobMetadata) -> Iterator[FormatError]:
        """Yield what the footer says wrongly of this vector, the content of *blob*.

        Readers take the bytes of a vector from the place that a manifest names, as they are stored.
        """
        if blob.compression_codec is not None:
            found, wanted = blob.compression_codec, "no compression of a deletion vector"
            yield FormatError("compression-codec", None, found, wanted)
        for key in ("referenced-data-file", "cardinality"):
            if key not in blob.properties:
                yield FormatError(f"properties.{key}", None, "nothing", "a value for each vector")
        count = blob.properties.get("cardinality", str(self.cardinality))
        if count != str(self.cardinality):
            wanted = f"{self.cardinality}, as many as the vector holds"
            yield FormatError("properties.cardinality", None, count, wanted)

    @property
    def cardinality(self) -> int:
        """The number of positions."""
        return self._cardinality

    def mask(self, start: int, length: int) -> NDArray[np.bool_]:
        """Return whether each of the *length* rows from *start* on is deleted.

        Args:
            start: The first row.
            length: The number of rows.
        """
        return mask_of(self.bitmaps, start, length)

    def contains(
        self, positions: pa.Array | pa.ChunkedArray | NDArray[Any] | Sequence[int]
    ) -> NDArray[np.bool_]:
        """Return whether each of *positions* is deleted."""
        wanted = as_positions(positions)
        if len(wanted) == 0:
            return np.zeros(0, np.bool_)
        first = int(wanted.min())
        span = int(wanted.max()) - first + 1
        if span <= 64 * len(wanted):
            return mask_of(self.bitmaps, first, span)[wanted - first]
        deleted = DeletionVector(
            {
                key: self.bitmaps[key] & bitmap
                for key, bitmap in bitmaps_of(wanted).items()
                if key in self.bitmaps
            }
        )
        return np.isin(wanted, deleted.positions())

    def positions(self, *, limits: Limits = DEFAULT_LIMITS) -> NDArray[np.int64]:
        """Return all positions, ascending.

        Args:
            limits: Bounds of their number.

        Raises:
            LimitExceeded: There are more.
        """
        if self._cardinality > limits.elements:
            raise LimitExceeded(
                "positions", None, self._cardinality, f"at most {limits.elements} (limits.elements)"
            )
        found = np.empty(self._cardinality, np.int64)
        at = 0
        for key, bitmap in self.bitmaps.items():
            found[at : at + len(bitmap)] = bitmap.to_array()
            found[at : at + len(bitmap)] += key << 32
            at += len(bitmap)
        return found

    def to_arrow(self, *, limits: Limits = DEFAULT_LIMITS) -> pa.Array:
        """Return all positions, ascending, as an int64 array.

        Args:
            limits: Bounds of their number.

        Raises:
            LimitExceeded: There are more.
        """
        return pa.array(self.positions(limits=limits))

    def __len__(self) -> int:
        return self._cardinality

    def __contains__(self, position: object) -> bool:
        try:
            position = index(position)  # type: ignore[arg-type]  # the check is what it raises
        except TypeError:
            return False
        bitmap = self.bitmaps.get(position >> 32)
        return bitmap is not None and position & 0xFFFFFFFF in bitmap

    def __or__(self, other: DeletionVector) -> DeletionVector:
        if not isinstance(other, DeletionVector):
            return NotImplemented
        return DeletionVector.union([self, other])

    def __eq__(self, other: object) -> bool:
        return (
            self.bitmaps == other.bitmaps if isinstance(other, DeletionVector) else NotImplemented
        )

    def __hash__(self) -> int:
        return hash((self._cardinality, *self.bitmaps))

    def __repr__(self) -> str:
        return f"<DeletionVector of {self._cardinality} positions>"
