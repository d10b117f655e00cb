"""Data blocks end by the size of their cells, plain, encoded or compressed."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pytest

from byteloom import hfile
from byteloom.errors import FormatError
from byteloom.hfile import HFileWriter

_CELL = 100
"""Bytes of each cell below: 4 + 4 for its lengths, 23 of key, 68 of value and one of mvcc."""


def _written(count: int, value: bytes = b"v", **options: Any) -> bytes:
    rows = [b"%09d" % each for each in range(count)]
    table = pa.table({"row": rows, "value": [value * 70] * count})
    out = io.BytesIO()
    with HFileWriter(out, **options) as writer:
        writer.write(table)
    return out.getvalue()


def _sizes(data: bytes) -> list[int]:
    """Return the sizes of the data blocks' payloads, uncompressed."""
    with hfile.open(data) as file:
        found = [each for each in file.stored_blocks() if each.type.endswith("data")]
        return [each.header.len_uncompressed for each in found]


def test_the_size_of_a_cell() -> None:
    """A cell of the tests in this module takes `_CELL` bytes."""
    assert _sizes(_written(1)) == [_CELL]


@pytest.mark.parametrize(
    ("ratio", "cells"), [(0.0, 10), (1.0, 10), (0.5, 5), (0.501, 6), (0.0001, 10), (2.0, 20)]
)
def test_a_part_of_the_block_size(ratio: float, cells: int) -> None:
    """A ratio limits encoded bytes to a part of the block size, rounded down; 0 means no ratio."""
    sizes = _sizes(_written(60, block_size=1_000, encoded_ratio=ratio))
    assert sizes == [cells * _CELL] * (60 // cells)


def test_plain_cells_do_not_count_with_a_ratio() -> None:
    """With a ratio, a block ends by its encoded size; without one, by that of its plain cells."""
    options: dict[str, Any] = {"encoding": "FAST_DIFF", "block_size": 1_000}
    with hfile.open(_written(200, **options, encoded_ratio=1.0)) as file:
        assert file.verify() == 200
        blocks = [bytes(each.stored) for each in file.stored_blocks() if "data" in each.type]
    plain = [int.from_bytes(each[2:6], "big") for each in blocks]
    assert len(plain) < 20
    assert min(plain[:-1]) > 1_000
    assert all(1_000 <= len(each) - 6 < 1_100 for each in blocks[:-1])
    assert len(_sizes(_written(200, **options))) == 20


@pytest.mark.parametrize("threads", [0, 2])
def test_blocks_grow_by_the_rate_of_the_one_before(threads: int) -> None:
    """The first block has the block size; each next one grows by the last one's compression."""
    options: dict[str, Any] = {"compression": "GZ", "level": 6, "threads": threads}
    options["block_size"] = 1_000
    data = _written(500, **options, by_compressed_size=True, max_uncompressed_size=1 << 20)
    with hfile.open(data) as file:
        assert file.verify() == 500
        blocks = [each for each in file.stored_blocks() if each.type.endswith("data")]
    sizes = _sizes(data)
    assert sizes[0] == 1_000
    for before, size in zip(blocks[:-2], sizes[1:-1], strict=True):
        rate = before.header.len_uncompressed // before.header.len_data
        assert size == max(rate, 1) * 1_000 > 1_000


def test_blocks_do_not_grow_beyond_their_limit() -> None:
    """Blocks grow to the given limit, or else to ten times the block size."""
    options: dict[str, Any] = {"compression": "GZ", "by_compressed_size": True, "block_size": 1_000}
    assert max(_sizes(_written(500, **options, max_uncompressed_size=3_000))) == 3_000
    assert max(_sizes(_written(500, **options, max_uncompressed_size=3_001))) == 3_100
    assert max(_sizes(_written(5_000, b"\0", **options))) == 10_000


def test_a_rate_beyond_32_bits() -> None:
    """A product that overflows 32 bits to a negative number is ignored, as in HBase."""
    options: dict[str, Any] = {"compression": "GZ", "level": 9, "block_size": 3 << 20}
    out = io.BytesIO()
    with HFileWriter(
        out, by_compressed_size=True, max_uncompressed_size=1 << 30, **options
    ) as writer:
        for row in range(4):
            writer.add(b"%d" % row, bytes(3 << 20))
    with hfile.open(out.getvalue()) as file:
        first = next(file.stored_blocks()).header
        rate = first.len_uncompressed // first.len_data
        assert 1 << 31 < rate * (3 << 20) < 1 << 32
    assert len(_sizes(out.getvalue())) == 4


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"encoded_ratio": -0.1}, "encoded_ratio: found -0.1, wanted 0 to "),
        ({"encoded_ratio": float("nan")}, "encoded_ratio: found nan"),
        ({"encoded_ratio": 16384.5}, "encoded_ratio: found 16384.5, wanted 0 to 16384"),
        ({"max_uncompressed_size": 0}, "max_uncompressed_size: found 0, wanted 1 to 1073741824"),
        ({"max_uncompressed_size": (1 << 30) + 1}, "max_uncompressed_size: found 1073741825"),
    ],
)
def test_settings_that_no_block_ends_by(options: dict[str, Any], says: str) -> None:
    """Invalid settings for block sizes are refused by their name."""
    with pytest.raises(FormatError, match=f"^{says}"):
        HFileWriter(io.BytesIO(), **options)
