"""Build Bloom filters exactly as HBase does, bit for bit.

    builder = BloomBuilder("ROW", chunk_size=1 << 17)
    builder.add(rows)                  # in the order of the file; with ROWCOL also qualifiers
    for chunk in builder.ready():      # after each data block; at the end once, closing=True
        ... write chunk.bits as a block of magic BLMFBLK2 ...
        builder.placed(offset, size)   # of that block, header and checksums included
    payload = builder.metadata()       # of a block with `builder.magic`; None without any key
    builder.file_info()                # its entries of the file info

- A key that consecutive cells share is added once; the caller need not remove duplicates.
- A chunk is as large as asked for, rounded up so that it can be folded in half *max_fold* times; it
  takes as many keys as its rate of errors allows.  A chunk that gets fewer keys is folded.
- A lookup asks a filter of rows and columns twice, for the column and for the row, so each answer
  has about half the rate of errors.

Source: specs/hfile/bloom.ksy; https://hbase.apache.org/book.html#_bloom_filters
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from byteloom.errors import ArgumentError, FormatError
from byteloom.hfile import info_entries
from byteloom.hfile.blocks import MAGICS
from byteloom.hfile.bloom_keys import ALL, Binaries, Keys, column_keys, keys_of
from byteloom.hfile.messages import hadoop_vlong
from byteloom.kernels import hfile_blooms
from byteloom_generated.hfile.bloom import Bloom, HashType
from byteloom_generated.hfile.index import RootEntry

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DELETE_FAMILY", "KINDS", "ROW", "ROWCOL", "ROWPREFIX", "BloomBuilder", "Chunk"]

ROW: Final = "ROW"
ROWCOL: Final = "ROWCOL"
ROWPREFIX: Final = "ROWPREFIX_FIXED_LENGTH"
DELETE_FAMILY: Final = "DELETE_FAMILY"
KINDS: Final = (ROW, ROWCOL, ROWPREFIX, DELETE_FAMILY)

COMPARATOR: Final = b"org.apache.hadoop.hbase.CellComparatorImpl"
"""The comparator that orders the chunks of a filter of rows and columns."""

_MOST_BITS: Final = (1 << 31) - 1


class Chunk(NamedTuple):
    """A part of a filter that is ready to be written as a block.

    Attributes:
        first_key: The first key in it, as the filter's metadata names it.
    """

    first_key: bytes
    bits: bytes


class BloomBuilder:
    """A filter that is being built.

    Attributes:
        kind: ROW, ROWCOL, ROWPREFIX_FIXED_LENGTH or DELETE_FAMILY.
        num_keys: Keys that were added.
        magic: The magic of the block that holds its metadata.
    """

    def __init__(  # noqa: PLR0913  HBase's settings, each with its default
        self,
        kind: str = ROW,
        *,
        chunk_size: int = 1 << 17,
        error_rate: float = 0.01,
        hash_type: str = "murmur",
        max_fold: int = 7,
        prefix_length: int | None = None,
    ) -> None:
        """Start a filter.

        Args:
            kind: What is hashed: ROW, ROWCOL, ROWPREFIX_FIXED_LENGTH or DELETE_FAMILY.
            chunk_size: Approximate bytes of a chunk.
            error_rate: Share of absent keys that the filter wrongly lets pass.
            hash_type: ``jenkins``, ``murmur`` or ``murmur3``.
            max_fold: How many times a chunk can be folded in half.
            prefix_length: Bytes of a row that are hashed, with ROWPREFIX_FIXED_LENGTH.

        Raises:
            FormatError: For settings that leave no room for a key.
        """
        _check(kind, hash_type, prefix_length)
        if not (0 < error_rate < 1 and chunk_size > 0 and 0 <= max_fold < 31):  # noqa: PLR2004
            found = f"{chunk_size} bytes, {error_rate}, {max_fold}"
            raise FormatError("bloom", None, found, "a size, a rate between 0 and 1, 0 to 30 folds")
        self.kind, self.num_keys = kind, 0
        is_general = kind != DELETE_FAMILY
        self.magic = MAGICS["bloom_meta" if is_general else "delete_family_bloom_meta"]
        self._hash = HashType[hash_type.upper()]
        self._prefix = prefix_length
        rate = _rate(error_rate, is_squared=kind == ROWCOL)
        self._size = _foldable(chunk_size, max_fold)
        self._num_hashes, self._room = _capacity(8 * self._size, rate)
        self._open: _Open | None = None
        self._ready: list[Chunk] = []
        self._unplaced: list[bytes] = []
        self._entries: list[RootEntry] = []
        self._last = b""
        self._len_chunks = self._max_keys = 0

    def add(self, rows: Binaries, qualifiers: Binaries | None = None) -> None:
        """Add the keys of cells, which continue those added before in the order of the file.

        Args:
            rows: The rows of the cells.
            qualifiers: The qualifiers of the same cells, with ROWCOL.
        """
        keys = keys_of(rows)
        if self.kind == ROWCOL:
            if qualifiers is None:
                raise ArgumentError("keys", None, "no qualifiers", "one for each row, with ROWCOL")
            keys = column_keys(keys, keys_of(qualifiers))
        longest = ALL if self._prefix is None else self._prefix
        last = np.frombuffer(self._last, np.uint8)
        is_new = np.empty(len(keys), np.bool_)
        hfile_blooms.changes(*keys, longest, last, is_new)
        if not self.num_keys and len(is_new):
            is_new[0] = True  # an empty first key would look like a repetition
        picked = np.flatnonzero(is_new)
        while len(picked):
            picked = self._fill(keys, longest, picked)
        if len(keys):
            self._last = keys.at(len(keys) - 1)[:longest]

    def _fill(self, keys: Keys, longest: int, picked: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add keys to the open chunk; return those for which it has no room."""
        if self._open is not None and self._open.num_keys >= self._room:
            self._close()
        if self._open is None:
            first = keys.at(int(picked[0]))[:longest]
            self._open = _Open(first, np.zeros(self._size, np.uint8))
        now = picked[: self._room - self._open.num_keys]
        hfile_blooms.add(*keys, longest, now, self._open.bits, self._num_hashes, int(self._hash))
        self._open.num_keys += len(now)
        self.num_keys += len(now)
        return picked[len(now) :]

    def _close(self) -> None:
        chunk = self._open
        if chunk is None:
            return
        size, room = _folded(self._size, self._room, chunk.num_keys)
        bits = np.bitwise_or.reduce(chunk.bits.reshape(-1, size), axis=0)
        self._size, self._room = size, room  # HBase makes the next chunk as large as this one
        self._ready.append(Chunk(chunk.first_key, bits.tobytes()))
        self._len_chunks += size
        self._max_keys += room
        self._open = None

    def ready(self, *, closing: bool = False) -> list[Chunk]:
        """Return the chunks that have become full; at the end of the data, all that are left.

        Args:
            closing: Whether the data has ended.
        """
        if closing or (self._open is not None and self._open.num_keys >= self._room):
            self._close()
        out, self._ready = self._ready, []
        self._unplaced += [chunk.first_key for chunk in out]
        return out

    def placed(self, offset: int, size: int) -> None:
        """Record where the block of the next chunk of `ready` was written, and its size.

        Args:
            offset: Where the block begins in the file.
            size: Its bytes, header and checksums included.
        """
        key = self._unplaced.pop(0)
        entry = RootEntry(offset=offset, len_block=size, len_key=hadoop_vlong(len(key)), key=key)
        self._entries.append(entry)

    def metadata(self) -> bytes | None:
        """Return the payload of the filter's metadata block; None where no key was added."""
        if self._open is not None or self._ready or self._unplaced:
            raise FormatError(
                "bloom.chunks", None, "chunks without a place", "the place of each chunk"
            )
        if not self.num_keys:
            return None
        comparator = COMPARATOR if self.kind == ROWCOL else b""
        return Bloom(
            len_chunks=self._len_chunks,
            num_hashes=self._num_hashes,
            hash_type=self._hash,
            num_keys=self.num_keys,
            max_keys=self._max_keys,
            len_comparator=hadoop_vlong(len(comparator)),
            comparator=comparator,
            chunks=self._entries,
        ).to_bytes()

    def file_info(self) -> dict[bytes, bytes]:
        """Return the pairs of the file info about it; none for a filter of deleted families.

        The writer itself counts the cells that delete a family, DELETE_FAMILY_COUNT.
        """
        if self.kind == DELETE_FAMILY or not self.num_keys:
            return {}
        info = {info_entries.BLOOM_KIND: self.kind.encode(), info_entries.BLOOM_LAST: self._last}
        if self._prefix is not None:
            info |= info_entries.numbers({info_entries.BLOOM_PREFIX: self._prefix})
        return info


class _Open:
    """The chunk that keys are being added to."""

    def __init__(self, first_key: bytes, bits: NDArray[np.uint8]) -> None:
        self.first_key, self.bits, self.num_keys = first_key, bits, 0


def _check(kind: str, hash_type: str, prefix_length: int | None) -> None:
    if kind not in KINDS:
        raise FormatError("bloom.kind", None, kind, " or ".join(KINDS))
    if hash_type.upper() not in HashType.__members__:
        raise FormatError("bloom.hash_type", None, hash_type, "jenkins, murmur or murmur3")
    if (kind == ROWPREFIX) != (prefix_length is not None and prefix_length > 0):
        wanted = f"one of at least 1 with {ROWPREFIX}, none with others"
        raise FormatError("bloom.prefix_length", None, prefix_length, wanted)


def _foldable(size: int, max_fold: int) -> int:
    """Return the size of a chunk: at least *size* bytes, and divisible in half *max_fold* times."""
    return -(-size >> max_fold) << max_fold


def _rate(error_rate: float, *, is_squared: bool) -> float:
    """Return the error rate of one probe, rounded to 32 bits as in HBase.

    The rounding changes how many keys a chunk takes.

    Args:
        is_squared: Whether a lookup probes twice, for the row and for the column.
    """
    rate = np.float32(error_rate)
    return float(np.float32(1 - math.sqrt(np.float32(1) - rate)) if is_squared else rate)


def _capacity(num_bits: int, rate: float) -> tuple[int, int]:
    """Return how many hashes a key has, and how many keys that many bits can take.

    Numbers are truncated where HBase truncates them, since that decides where a chunk ends.
    """
    if not 0 < rate < 1:
        raise FormatError("bloom.error_rate", None, rate, "a rate between 0 and 1 in 32 bits")
    ideal = int(num_bits * (math.log(2) ** 2 / -math.log(rate)))
    if ideal <= 0 or num_bits > _MOST_BITS:
        raise FormatError("bloom.chunk_size", None, num_bits // 8, "room for a key, below 256 MiB")
    num_hashes = math.ceil(math.log(2) * (num_bits // ideal))
    room = 0
    if num_hashes:
        room = int(-num_bits / num_hashes * math.log(1 - math.exp(math.log(rate) / num_hashes)))
    if room < 1 or num_hashes > 255:  # noqa: PLR2004  the most that its metadata may say
        raise FormatError("bloom.error_rate", None, rate, f"one for {num_bits} bits")
    return num_hashes, room


def _folded(size: int, room: int, num_keys: int) -> tuple[int, int]:
    """Return the size of a chunk and its room for keys, halved while over half would be free."""
    while size % 2 == 0 and room > 2 * num_keys > 0:
        size, room = size // 2, room // 2
    return size, room
