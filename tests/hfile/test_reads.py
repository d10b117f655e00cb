"""How much of a file of a gigabyte, generated on request, is read and kept."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from tests.support.hfile_damage import places
from tests.support.hfile_files import Built, Given

from byteloom import hfile
from byteloom.hfile import HFileWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

CELLS = 600
"""The number of cells of one block; each takes 112 bytes."""


class Made:
    """A file of a gigabyte whose blocks are generated when they are read; it counts all reads."""

    name = "made"

    def __init__(self, num_blocks: int) -> None:
        """Lay out blocks of one size, and the index after them."""
        self._built = Built(blocks=[])
        one = self._block(0)
        entries = b"".join(
            (number * len(one)).to_bytes(8, "big") + len(one).to_bytes(4, "big")
            + bytes([len(self._cell(number, 0).key)]) + self._cell(number, 0).key
            for number in range(num_blocks)
        )  # fmt: skip
        self.load, self.len_block = num_blocks * len(one), len(one)
        root = self._built.block(b"IDXROOT2", entries)
        empty = Built(blocks=[[self._cell(num_blocks - 1, CELLS - 1)]])
        info_at = self.load + len(root) + len(empty.block(b"IDXROOT2", b""))
        said: dict[int, int | bytes | None] = {
            1: info_at, 2: self.load, 5: num_blocks, 7: num_blocks * CELLS,
            9: 0, 10: self.load - len(one),
        }  # fmt: skip
        empty.said = said
        behind = empty.data()
        info = behind.index(b"FILEINF2")
        before = info - len(empty.block(b"IDXROOT2", b""))
        self._tail = root + behind[before:]
        self.size = self.load + len(self._tail)
        self.num_reads = self.num_bytes = 0

    @staticmethod
    def _cell(block: int, number: int) -> Given:
        return Given(row=b"%010d" % (2 * (block * CELLS + number)), value=b"v" * 80)

    def _block(self, number: int) -> bytes:
        cells = (self._cell(number, at).stored for at in range(CELLS))
        return self._built.block(b"DATABLK*", b"".join(cells))

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes of a range."""
        self.num_reads += 1
        self.num_bytes += length
        if offset >= self.load:
            return self._tail[offset - self.load : offset - self.load + length]
        first, last = offset // self.len_block, (offset + length - 1) // self.len_block
        made = b"".join(map(self._block, range(first, last + 1)))
        start = offset - first * self.len_block
        return made[start : start + length]

    def read_tail(self, length: int) -> bytes:
        """Return the end of the file."""
        return self.read(max(self.size - length, self.load), min(length, len(self._tail)))

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several ranges, in one request."""
        found = [self.read(*each) for each in ranges]
        self.num_reads -= len(ranges) - 1
        return found

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture(scope="module")
def made() -> Made:
    """Make a file of a gigabyte in blocks of 67 KB."""
    file = Made(15_000)
    assert file.size > 10**9
    return file


def test_opening_a_gigabyte_reads_less_than_a_megabyte(made: Made) -> None:
    """Opening a file of a gigabyte takes at most three requests and less than a megabyte."""
    made.num_reads = made.num_bytes = 0
    with hfile.open(made) as file:
        assert file.num_cells == 15_000 * CELLS
    assert made.num_bytes < 1 << 20
    assert made.num_reads <= 3


def test_a_lookup_reads_the_blocks_it_hits(made: Made) -> None:
    """A lookup of a row reads one block, and a second one in that block reads nothing."""
    with hfile.open(made) as file:
        made.num_bytes = 0
        assert file.get(b"%010d" % 8_000_002).num_rows == 1
        assert made.num_bytes == made.len_block
        assert file.get(b"%010d" % 8_000_003).num_rows == 0
        assert made.num_bytes == made.len_block


def test_many_lookups_fetch_their_blocks_together(made: Made) -> None:
    """A lookup of many rows fetches each block once, in few requests."""
    with hfile.open(made) as file:
        made.num_bytes = made.num_reads = 0
        asked = [b"%010d" % (2 * CELLS * block + 2) for block in range(0, 15_000, 150)]
        assert file.lookup(asked[::-1] + asked).num_rows == 200
        assert made.num_bytes == 100 * made.len_block
        assert made.num_reads <= 4


def test_memory_stays_at_the_bound_of_the_cache(made: Made) -> None:
    """The cache stays within its size, however many blocks are read."""
    cache = hfile.BlockCache(1 << 20)
    with hfile.open(made, cache=cache) as file:
        asked = [b"%010d" % (2 * CELLS * block) for block in range(0, 15_000, 100)]
        for row in asked:
            assert file.get(row).num_rows == 1
            assert cache.used <= cache.size
        assert 10 < len(cache) < 15


def test_rows_that_a_filter_denies_cost_no_block() -> None:
    """Rows that a Bloom filter denies read no data block."""
    out = BytesIO()
    with HFileWriter(out, blooms=["ROW"], threads=0, block_size=500) as writer:
        for number in range(500):
            writer.add(b"%06d" % number, b"value")
    with hfile.open(out.getvalue()) as file:
        absent = [b"%06dx" % number for number in range(500)]
        passed = [row for row in absent if file.bloom_filters[0].may_contain(row)]
        assert file.lookup(absent).num_rows == 0
        assert file.cache.misses <= 1 + 2 * len(passed)  # the chunk of the filter
        present = [b"%06d" % number for number in range(0, 500, 100)]
        found = file.lookup([*absent[:5], *present])
        assert found["asked"].to_pylist() == [5, 6, 7, 8, 9]
        assert found["row"].to_pylist() == present


def test_an_index_block_that_is_fetched_alone_is_compared_with_its_blocks() -> None:
    """An index block between two data blocks longer than a fetch is read and checked."""
    out, long = BytesIO(), bytes(8 << 20)
    with HFileWriter(
        out, block_size=1, index_block_max_size=1, index_block_min_entries=2, threads=0
    ) as writer:
        for row in (b"a", b"b", b"c"):
            writer.add(row, long, family=b"f", qualifier=b"", timestamp=9)
    _, leaf, behind, *_ = places(out.getvalue())
    assert leaf.magic == b"IDXLEAF2"
    read: list[tuple[int, int]] = []

    class Noting(BytesIO):
        """A file that notes which ranges are read."""

        def read(self, size: int | None = -1) -> bytes:
            """Note and read the range."""
            read.append((self.tell(), size or 0))
            return super().read(size)

    with hfile.open(Noting(out.getvalue())) as file:
        assert file.read(["row"]).num_rows == 3
    assert any(
        start == leaf.start and start + size < behind.start + behind.size for start, size in read
    )
