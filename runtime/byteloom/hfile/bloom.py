"""Bloom filters of HBase: which keys a file may have, found without reading its data.

- A filter's chunks are among the data, are read when a key first needs them, and are kept with the
  other blocks of the file, within the same bound.
- The file info says what a key is: the row (ROW), the row and the qualifier (ROWCOL), the first
  bytes of the row (ROWPREFIX_FIXED_LENGTH); rows in which a family was deleted have a filter of
  their own.
- A filter that is impossible is an error: using it could hide a row.

Source: specs/hfile/bloom.ksy
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from byteloom.errors import FormatError
from byteloom.hfile import info_entries
from byteloom.hfile.blocks import Block, Blocks
from byteloom.hfile.bloom_build import DELETE_FAMILY, KINDS, ROW, ROWCOL, ROWPREFIX
from byteloom.hfile.bloom_keys import ALL, Binaries, Keys, column_keys, keys_of, no_names
from byteloom.hfile.cache import BlockCache
from byteloom.hfile.keys import FIRST, ROW_AT, SUFFIX, row_of, sized_row
from byteloom.kernels import hfile_blooms
from byteloom.kernels.hfile_cells import ROW_MOST
from byteloom.storage.naming import naming
from byteloom_generated.hfile.bloom import Bloom

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["DELETE_FAMILY", "ROW", "ROWCOL", "ROWPREFIX", "BloomFilter"]

_OVERHEAD = 512


@dataclass(frozen=True, slots=True, eq=False)
class _Chunk:
    """The bits of a chunk, as a cache keeps them."""

    bits: NDArray[np.uint8]

    @property
    def cost(self) -> int:
        """The bytes of memory that it takes."""
        return self.bits.nbytes + _OVERHEAD


@naming
class BloomFilter:
    """One filter of a file.

    Attributes:
        kind: ROW, ROWCOL, ROWPREFIX_FIXED_LENGTH or DELETE_FAMILY.
        record: Its metadata as stored.
        offset: Where its metadata is in the file.
        longest: Most bytes of a row that are hashed.
        last_key: The greatest key in it, according to the file info; None if that does not name
            one.
        file_name: The name of the file in errors; None where it has no name.
    """

    def __init__(  # noqa: PLR0913, PLR0917  what the file that has it knows
        self,
        blocks: Blocks,
        block: Block,
        info: Mapping[bytes, bytes],
        end: int,
        cache: BlockCache | None = None,
        file_name: str | None = None,
    ) -> None:
        """Read the metadata in *block*.

        Args:
            end: Offset before which all chunks of the filter are.
            cache: Keeps the chunks that were read.
        """
        self._blocks, self._end, self.offset, self._cache = blocks, end, block.offset, cache
        self.file_name = file_name
        payload = blocks.payload(block)
        self.record = Bloom.from_bytes(payload, limits=blocks.limits, origin=block.offset)
        self.kind = _kind(block, info)
        self.longest = _prefix(info) if self.kind == ROWPREFIX else ALL
        self.last_key = None if self.kind == DELETE_FAMILY else info.get(info_entries.BLOOM_LAST)
        self._first_rows, self._first_names = self._starts()

    def key(self, row: bytes, qualifier: bytes = b"") -> bytes:
        """Return the bytes that are hashed for a row."""
        if self.kind == ROWCOL:
            return sized_row(row) + b"\0" + qualifier + FIRST
        return row[: self.longest]

    def may_contain(self, row: bytes, qualifier: bytes = b"") -> bool:
        """Return whether a cell of *row* (with ROWCOL also of *qualifier*) may be in the file."""
        return bool(self.might_contain([row], [qualifier])[0])

    def might_contain(
        self, rows: Binaries, qualifiers: Binaries | None = None
    ) -> NDArray[np.bool_]:
        """Return for each row whether the file may have it; with ROWCOL, the row and its qualifier.

        Args:
            rows: In any order; only the chunks that they fall into are read.
            qualifiers: One for each row, empty for a row alone; used only with ROWCOL.

        Returns:
            False where the file certainly has no such cell.
        """
        keys = keys_of(rows)
        if self.kind != ROWCOL or qualifiers is None:
            return self._ask(keys, no_names(len(keys)), self.longest)
        return self._ask(keys, keys_of(qualifiers), self.longest)

    def passes(self, key: bytes) -> bool:
        """Return whether *key*, as returned by `key`, may have been added."""
        row, name = key, b""
        if self.kind == ROWCOL:
            row = row_of(key)
            name = key[3 + len(row) : -SUFFIX]
        return bool(self._ask(keys_of([row]), keys_of([name]), ALL)[0])

    def _ask(self, rows: Keys, names: Keys, longest: int) -> NDArray[np.bool_]:
        keys = column_keys(rows, names) if self.kind == ROWCOL else rows
        numbers = self.chunk_numbers(rows, names, longest)
        out = np.zeros(len(keys), np.bool_)
        num_hashes, kind = self.record.num_hashes, int(self.record.hash_type)
        for number in np.unique(numbers[numbers >= 0]).tolist():
            picked = np.flatnonzero(numbers == number)
            hfile_blooms.ask(*keys, longest, picked, self.bits(number), num_hashes, kind, out)
        return out

    def chunk_numbers(
        self, rows: Keys, names: Keys, longest: int | None = None
    ) -> NDArray[np.int64]:
        """Return the number of the chunk of each row (with ROWCOL, of row and qualifier), or -1."""
        most = self.longest if longest is None else longest
        starts = (*self._first_rows, *self._first_names)
        numbers = np.empty(len(rows), np.int64)
        hfile_blooms.chunk_numbers(*rows, *names, most, *starts, numbers)
        return numbers

    def bits(self, number: int) -> NDArray[np.uint8]:
        """Return the bits of a chunk, from the cache if they are there."""
        entry = self.record.chunks[number]
        kept = None if self._cache is None else self._cache.get(self, entry.offset)
        if kept is not None:
            found: NDArray[np.uint8] = kept.bits
            return found
        block = self._blocks.at(entry.offset, entry.len_block, self._end)
        if block.type != "bloom_chunk" or not block.header.len_uncompressed:
            other = f"{block.header.len_uncompressed} bytes of {block.type}"
            raise FormatError(f"bloom.chunks[{number}]", entry.offset, other, "a bloom_chunk")
        chunk = _Chunk(np.frombuffer(self._blocks.payload(block), np.uint8))
        if self._cache is not None:
            self._cache.put(self, entry.offset, chunk)
        return chunk.bits

    def _starts(self) -> tuple[Keys, Keys]:
        """Return the rows and qualifiers of the chunks' first keys, in ascending order."""
        keys = [chunk.key for chunk in self.record.chunks]
        try:
            parts = [self._split(key) for key in keys]
        except FormatError as error:
            error.offset = self.offset
            raise error.inside("bloom.chunks") from error.__cause__
        for number in range(1, len(parts)):
            if parts[number] <= parts[number - 1]:
                wanted = "first keys of chunks that ascend"
                path = f"bloom.chunks[{number}].key"
                raise FormatError(path, self.offset, keys[number], wanted)
        return keys_of([row for row, _ in parts]), keys_of([name for _, name in parts])

    def _split(self, key: bytes) -> tuple[bytes, bytes]:
        if self.kind != ROWCOL:
            return key, b""
        row = row_of(key)
        at = ROW_AT + len(row)
        if len(key) < at + 1 + SUFFIX or key[at]:
            raise FormatError("key", None, key, "a key of a column, without a family")
        return row, key[at + 1 : -SUFFIX]


def _kind(block: Block, info: Mapping[bytes, bytes]) -> str:
    if block.type == "delete_family_bloom_meta":
        return DELETE_FAMILY
    kind = info.get(info_entries.BLOOM_KIND, b"").decode("ascii", "replace")
    if kind not in KINDS[:3]:
        raise FormatError("file_info.BLOOM_FILTER_TYPE", block.offset, kind, " or ".join(KINDS[:3]))
    return kind


def _prefix(info: Mapping[bytes, bytes]) -> int:
    stored = info.get(info_entries.BLOOM_PREFIX, b"")
    length = int.from_bytes(stored, "big")
    if not 0 < length <= ROW_MOST:
        raise FormatError("file_info.BLOOM_FILTER_PARAM", None, stored, "the bytes of a prefix")
    return length
