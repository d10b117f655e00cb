"""How much of a large buffer is read, and text of 2 GiB.

No file of a test is as large, so the readers of buffers and arrays are called by themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_pages import (
    bitmap,
)

from byteloom.errors import LimitExceeded, Truncated
from byteloom.lance.pages20.arrays import text_array, with_validity
from byteloom.lance.pages20.stored import InFile
from byteloom.lance.pages21.values import Variable, array_of
from byteloom.lance.stored_pages import fetched
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SMALL: Final = 1 << 16
LARGE: Final = 8 * 4096 * 4


class _Asked(BytesSource):
    """Bytes that note which of them are read."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.data = data
        self.asked: list[tuple[int, int]] = []

    def read(self, offset: int, length: int) -> bytes:
        self.asked.append((offset, length))
        return super().read(offset, length)

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        self.asked += ranges
        return [super(_Asked, self).read(*each) for each in ranges]

    read_into = None


def stored(size: int) -> tuple[_Asked, InFile]:
    """A buffer at byte 3 of a file, and the file."""
    source = _Asked(bytes(3) + np.arange(size, dtype=np.uint8).tobytes() + b"more")
    return source, InFile(source, 3, size, "b")


@pytest.mark.parametrize(
    ("size", "stop", "expected"),
    [
        (SMALL, 9, (3, SMALL)),
        (SMALL + 2, SMALL // 2 + 1 + 5, (3, SMALL + 2)),
        (SMALL + 2, SMALL // 2 + 5, (8, SMALL // 2)),
        (SMALL + 2, 9, (8, 4)),
    ],
)
def test_a_part_of_a_large_buffer_is_read_alone(
    size: int, stop: int, expected: tuple[int, int]
) -> None:
    """Less than half of a buffer above 64 KiB is read alone; loaded bytes are not read again."""
    source, buffer = stored(size)
    found = buffer.slice(5, stop).to_pybytes()
    assert found == source.data[8 : 3 + stop]
    assert source.asked == [expected]
    _ = buffer.whole
    source.asked.clear()
    assert buffer.slice(5, 7).to_pybytes() == found[:2]
    assert source.asked == []


@pytest.mark.parametrize(("size", "count"), [(LARGE, 8), (LARGE + 4096, 3), (LARGE + 1000, 3)])
def test_rows_of_a_large_buffer_are_read_alone_where_that_pays(size: int, count: int) -> None:
    """Ranges of a buffer are read by themselves where eight times their cost is below its size.

    A request for a range costs as much as 4 KiB.
    """
    pays = 8 * (count * 4 + count * 4096) < size
    starts = np.arange(count) * 12
    for is_ranges in (False, True):
        source, buffer = stored(size)
        if is_ranges:
            found = buffer.ranges(starts, np.full(count, 4))
        else:
            found = buffer.rows(starts // 4, 4)
        ranges = [(3 + each, 4) for each in starts.tolist()]
        assert source.asked == (ranges if pays else [(3, size)])
        assert found.to_pybytes() == b"".join(source.data[a : a + n] for a, n in ranges)


@pytest.mark.parametrize("size", [7, SMALL + 9])
def test_bytes_after_the_end_of_a_buffer_are_refused(size: int) -> None:
    """A read up to the end of a buffer succeeds; one byte further is refused."""
    _, buffer = stored(size)
    last = np.array([size - 1])
    one = np.array([1])
    reads: tuple[Callable[[int], pa.Buffer], ...] = (
        lambda more: buffer.slice(size - 2, size + more),
        lambda more: buffer.rows(last + more, 1),
        lambda more: buffer.ranges(last + more, one),
        lambda more: buffer.ranges(last, one + more),
    )
    for read in reads:
        assert len(read(0)) in {1, 2}
        with pytest.raises(
            Truncated,
            match=rf"^b at byte 3 \(0x3\): found {size} bytes, wanted at least {size + 1} bytes$",
        ):
            read(1)
    assert buffer.rows(np.zeros(0, np.int64), 4).to_pybytes() == b""


def bits(*values: int) -> pa.Buffer:
    """A bitmap."""
    return pa.py_buffer(bitmap(*values))


def test_values_are_null_where_either_bitmap_says_so() -> None:
    """A value is null where its own bitmap or an outer one says so, whatever its type."""
    valid = bits(1, 1, 0)
    plain = pa.array([1, None, 3], pa.int8())
    assert with_validity(plain, valid).to_pylist() == [1, None, None]
    structs = pa.StructArray.from_arrays([pa.array([1, 2, 3])], ["a"])
    assert with_validity(structs, valid).to_pylist() == [{"a": 1}, {"a": 2}, None]
    words = pa.DictionaryArray.from_arrays(pa.array([0, None, 0], pa.int8()), pa.array(["a"]))
    assert with_validity(words, valid).to_pylist() == ["a", None, None]
    pairs = pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int8(), 2))
    assert with_validity(pairs, valid).to_pylist() == [[1, 2], [3, 4], None]


def test_text_has_offsets_of_31_bits() -> None:
    """Text of 2^31 bytes is refused in a type with 32-bit offsets, and read in a large one."""
    data, place = pa.py_buffer(np.empty(1 << 31, np.uint8)), ("b", 3)
    for size, type_, is_read in [
        ((1 << 31) - 1, pa.binary(), True),
        (1 << 31, pa.binary(), False),
        (1 << 31, pa.large_binary(), True),
    ]:
        offsets = np.array([0, size])
        if is_read:
            assert len(text_array(type_, offsets, data, None, place)) == 1
            continue
        wanted = (
            r"^b at byte 3 \(0x3\): found 2147483648 bytes of binary, wanted at most 2147483647$"
        )
        with pytest.raises(LimitExceeded, match=wanted):
            text_array(type_, offsets, data, None, place)


def test_an_array_of_32_bit_offsets_has_less_than_2_gib() -> None:
    """Values of 2 GiB are refused in a type with 32-bit offsets, and read in a large one."""
    data = np.empty(1 << 31, np.uint8)  # none of which is touched
    most, more = (Variable.of(np.array([0, n]), data[:n]) for n in [(1 << 31) - 1, 1 << 31])
    assert [each.offsets.dtype.itemsize for each in (most, more)] == [4, 8]
    assert len(array_of(most, pa.binary(), None, "v", 9)) == 1
    assert len(array_of(more, pa.large_binary(), None, "v", 9)) == 1
    wanted = r"^v at byte 9 \(0x9\): found 2147483648 bytes, wanted less than 2 GiB"
    with pytest.raises(LimitExceeded, match=wanted):
        array_of(more, pa.binary(), None, "v", 9)


@pytest.mark.parametrize(("gap", "requests"), [(1 << 14, 1), ((1 << 14) + 8, 2)])
def test_ranges_that_are_near_to_each_other_are_read_together(gap: int, requests: int) -> None:
    """Ranges up to 16 KiB apart are read by one request."""
    data = np.random.default_rng(1).integers(0, 256, 1 << 16, np.uint8)
    source = _Asked(data.tobytes())
    offsets, sizes = np.array([100 + 16 + gap, 100, 3]), np.array([24, 16, 5])
    found, places = fetched(source, offsets, sizes)
    assert len(source.asked) == requests + 1, "bytes that are 97 apart are not at multiples of 8"
    assert len(found) <= sum(size for _, size in source.asked) + 8 * len(source.asked)
    assert not (places % 8).any()
    for offset, size, place in zip(offsets, sizes, places, strict=True):
        assert np.array_equal(found[place : place + size], data[offset : offset + size])
