"""Bloom filters of HBase: which keys a file may have, without its data.

- A filter's chunks lie among the data and are read when a key first needs them.
- What a key is, the file info says: the row (ROW), the row and the qualifier (ROWCOL), the first
  bytes of the row (ROWPREFIX_FIXED_LENGTH); rows that have a family deleted have their own filter.

Source: specs/hfile/bloom.ksy
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.hfile.keys import LATEST, order_of_cells
from byteloom_generated.hfile.bloom import Bloom

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from byteloom.hfile.blocks import Block, Blocks
    from byteloom.limits import Limits

__all__ = ["BloomFilter"]

ROWCOL: Final = "ROWCOL"
ROWPREFIX: Final = "ROWPREFIX_FIXED_LENGTH"


class BloomFilter:
    """One filter of a file.

    kind    ROW, ROWCOL, ROWPREFIX_FIXED_LENGTH or DELETE_FAMILY
    record  its metadata as stored
    """

    def __init__(
        self, blocks: Blocks, block: Block, info: Mapping[bytes, bytes], end: int, limits: Limits
    ) -> None:
        """Read the metadata in *block*; chunks lie before *end* of the file."""
        self._blocks, self._end, self._offset = blocks, end, block.offset
        self.record = Bloom.from_bytes(blocks.payload(block), limits=limits, origin=block.offset)
        kind = info.get(b"BLOOM_FILTER_TYPE", b"").decode("ascii", "replace")
        self.kind = "DELETE_FAMILY" if block.type == "delete_family_bloom_meta" else kind
        param = info.get(b"BLOOM_FILTER_PARAM", b"")
        self._prefix = int.from_bytes(param, "big") if self.kind == ROWPREFIX else None
        order = order_of_cells if self.kind == ROWCOL else bytes
        self._order = order
        self._starts = [order(chunk.key) for chunk in self.record.chunks]
        self._chunks: dict[int, NDArray[np.uint8]] = {}

    def key(self, row: bytes, qualifier: bytes = b"") -> bytes:
        """Return what is hashed for a row."""
        if self.kind == ROWCOL:
            tail = LATEST.to_bytes(8, "big") + b"\xff"
            return len(row).to_bytes(2, "big") + row + b"\0" + qualifier + tail
        return row[: self._prefix]

    def may_contain(self, row: bytes, qualifier: bytes = b"") -> bool:
        """Whether a cell of *row*, and of *qualifier* with ROWCOL, may be in the file."""
        return self.passes(self.key(row, qualifier))

    def passes(self, key: bytes) -> bool:
        """Whether what is hashed may have been added."""
        from byteloom.kernels.hfile_hashes import passes

        number = bisect_right(self._starts, self._order(key)) - 1
        if number < 0:
            return False
        record = self.record
        data = np.frombuffer(key, np.uint8)
        return bool(passes(data, self._bits(number), record.num_hashes, int(record.hash_type)))

    def _bits(self, number: int) -> NDArray[np.uint8]:
        """Return the bits of a chunk."""
        if number not in self._chunks:
            entry = self.record.chunks[number]
            block = self._blocks.at(entry.offset, entry.len_block, self._end)
            if block.type != "bloom_chunk" or not block.header.len_uncompressed:
                found = f"{block.header.len_uncompressed} bytes of {block.type}"
                raise FormatError(f"bloom.chunks[{number}]", self._offset, found, "a bloom_chunk")
            self._chunks[number] = np.frombuffer(self._blocks.payload(block), np.uint8)
        return self._chunks[number]
