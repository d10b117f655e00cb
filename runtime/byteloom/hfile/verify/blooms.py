"""Check Bloom filters against the rows of a file: only the bits of its keys may be set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.hfile.bloom import DELETE_FAMILY, ROWCOL, BloomFilter
from byteloom.hfile.bloom_keys import Keys, column_keys, keys_of, no_names
from byteloom.hfile.verify.findings import Findings
from byteloom.hfile.verify.walk import FoundBlock
from byteloom.kernels import hfile_blooms
from byteloom.late import pc
from byteloom_generated.hfile.cell import KeyType

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["BloomAudit", "check_chunks"]

_TYPES: Final = (KeyType.DELETE_FAMILY_VERSION, KeyType.DELETE_FAMILY)
"""The types of cells that delete a family."""


class BloomAudit:
    """One filter, rebuilt from the cells of the file.

    Attributes:
        filter: The stored one.
    """

    def __init__(self, filter_: BloomFilter, findings: Findings) -> None:
        """Begin without cells, and report the chunks that cannot be read."""
        self.filter, self._findings = filter_, findings
        self._stored: dict[int, NDArray[np.uint8]] = {}
        for number in range(len(filter_.record.chunks)):
            with findings.collected(filter_.offset):
                self._stored[number] = filter_.bits(number)
        self._made = {number: np.zeros_like(bits) for number, bits in self._stored.items()}
        self._firsts: dict[int, bytes] = {}
        self._last = b""
        self._num_keys = 0
        self._orphans = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Add the keys of cells, in the order of the file."""
        filter_ = self.filter
        column = batch.column("row").cast(pa.large_binary())
        if filter_.kind == DELETE_FAMILY:
            column = column.filter(pc.is_in(batch.column("type"), pa.array(_TYPES, pa.uint8())))
        rows = keys = keys_of(column)
        names = no_names(len(rows))
        if filter_.kind == ROWCOL:
            names = keys_of(batch.column("qualifier"))
            keys = column_keys(rows, names)
        last = np.frombuffer(self._last, np.uint8)
        is_new = np.empty(len(keys), np.bool_)
        hfile_blooms.changes(*keys, filter_.longest, last, is_new)
        if not self._num_keys and len(is_new):
            is_new[0] = True
        self._mark(keys, filter_.chunk_numbers(rows, names), is_new)
        if len(keys):
            self._last = keys.at(len(keys) - 1)[: filter_.longest]

    def _mark(self, keys: Keys, numbers: NDArray[np.int64], is_new: NDArray[np.bool_]) -> None:
        self._num_keys += int(is_new.sum())
        self._orphans += int(((numbers < 0) & is_new).sum())
        record = self.filter.record
        for number in np.unique(numbers[is_new]).tolist():
            picked = np.flatnonzero(is_new & (numbers == number))
            self._firsts.setdefault(number, keys.at(int(picked[0]))[: self.filter.longest])
            bits = self._made.get(number)
            if bits is not None:
                kind = int(record.hash_type)
                longest = self.filter.longest
                hfile_blooms.add(*keys, longest, picked, bits, record.num_hashes, kind)

    def close(self) -> None:
        """Report differences between the stored filter and the rebuilt one."""
        filter_, findings = self.filter, self._findings
        if self._orphans:
            found = f"{self._orphans} keys before that of the first chunk"
            findings.add("bloom.chunks", filter_.offset, found, "none")
        for number, bits in self._made.items():
            stored = self._stored[number]
            if not np.array_equal(bits, stored):
                missing = int(np.bitwise_count(bits & ~stored).sum())
                extra = int(np.bitwise_count(stored & ~bits).sum())
                found = (
                    f"{missing} bits clear that rows of the file set, {extra} bits set by no row"
                )
                at = filter_.record.chunks[number].offset
                findings.add(f"bloom.chunks[{number}]", at, found, "the bits of all rows")
            elif number in self._firsts:
                path, first = f"bloom.chunks[{number}].key", self._firsts[number]
                findings.expect(path, filter_.offset, filter_.record.chunks[number].key, first)
        record = filter_.record
        findings.expect("bloom.num_keys", filter_.offset, record.num_keys, self._num_keys)
        if len(self._stored) == len(record.chunks):
            size = sum(len(bits) for bits in self._stored.values())
            findings.expect("bloom.len_chunks", filter_.offset, record.len_chunks, size)
        if record.max_keys < record.num_keys:
            wanted = f"{record.num_keys} at least, the keys it has"
            findings.add("bloom.max_keys", filter_.offset, record.max_keys, wanted)
        last = filter_.last_key
        if last is not None:
            findings.expect("file_info.LAST_BLOOM_KEY", filter_.offset, last, self._last)


def check_chunks(
    filters: Sequence[BloomFilter], met: Sequence[FoundBlock], findings: Findings
) -> None:
    """Report chunks that belong to no filter, and those that belong to two."""
    listed = [chunk.offset for each in filters for chunk in each.record.chunks]
    found = [each.offset for each in met if each.type == "bloom_chunk"]
    for offset in sorted(set(found) - set(listed)):
        error = FormatError(
            "bloom_chunk", offset, "a chunk that no filter names", "a chunk of a filter"
        )
        findings.extend([error])
    for offset in sorted({each for each in listed if listed.count(each) > 1}):
        findings.add("bloom.chunks", offset, "a chunk that is named twice", "once")
