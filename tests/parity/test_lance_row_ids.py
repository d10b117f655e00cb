"""Sequences of row ids that NumPy reads are those that a plain reader finds, number by number."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples

from byteloom.errors import ByteloomError
from byteloom.lance.dataset.row_ids import ids_of
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.lance.rowids import EncodedU64Array, RowIdSequence, U64Segment

if TYPE_CHECKING:
    from collections.abc import Iterator

STARTS = st.sampled_from([0, 1, 70_000, (1 << 64) - 40])
WIDTHS = {"u16_array": 2, "u32_array": 4, "u64_array": 8}


@st.composite
def arrays(draw: st.DrawFn, least: int = 0, most: int = 39) -> EncodedU64Array:
    """Numbers from *least* to *most*, in one of the forms."""
    numbers = draw(st.lists(st.integers(0, most - least), max_size=6))
    kind = draw(st.sampled_from(sorted(WIDTHS)))
    if kind == "u64_array":
        data = b"".join((least + each).to_bytes(8, "little") for each in numbers)
        return EncodedU64Array(u64_array=EncodedU64Array.U64Array(values=data))
    data = b"".join(each.to_bytes(WIDTHS[kind], "little") for each in numbers)
    if kind == "u16_array":
        return EncodedU64Array(u16_array=EncodedU64Array.U16Array(base=least, offsets=data))
    return EncodedU64Array(u32_array=EncodedU64Array.U32Array(base=least, offsets=data))


@st.composite
def segments(draw: st.DrawFn) -> U64Segment:
    """A segment in any form."""
    start, count = draw(STARTS), draw(st.integers(0, 39))
    end = start + count
    kind = draw(st.sampled_from(["range", "holes", "bitmap", "sorted_array", "array"]))
    if kind == "range":
        return U64Segment(range=U64Segment.Range(start=start, end=end))
    if kind == "holes":
        holes = draw(arrays(start, end - 1)) if count else EncodedU64Array()
        held = U64Segment.RangeWithHoles(start=start, end=end, holes=holes)
        return U64Segment(range_with_holes=held)
    if kind == "bitmap":
        bits = draw(st.binary(min_size=-(-count // 8), max_size=-(-count // 8)))
        with_bits = U64Segment.RangeWithBitmap(start=start, end=end, bitmap=bits)
        return U64Segment(range_with_bitmap=with_bits)
    numbers = draw(arrays(start, start + 39))
    return U64Segment(array=numbers) if kind == "array" else U64Segment(sorted_array=numbers)


def numbers_of(stored: EncodedU64Array) -> Iterator[int]:
    """Yield the numbers of an array, read one by one."""
    kind = stored.WhichOneof("array")
    if kind is None:
        return
    found: Any = getattr(stored, kind)
    data, base = (found.values, 0) if kind == "u64_array" else (found.offsets, found.base)
    for at in range(0, len(data), WIDTHS[kind]):
        yield base + int.from_bytes(data[at : at + WIDTHS[kind]], "little")


def plain(segment: U64Segment) -> list[int]:
    """The ids of a segment, read one by one."""
    kind = segment.WhichOneof("segment")
    assert kind is not None
    found: Any = getattr(segment, kind)
    if kind in {"array", "sorted_array"}:
        return list(numbers_of(found))
    wanted = range(found.start, found.end)
    if kind == "range_with_holes":
        holes = set(numbers_of(found.holes))
        return [each for each in wanted if each not in holes]
    if kind == "range_with_bitmap":
        bitmap = int.from_bytes(found.bitmap, "little")
        return [each for number, each in enumerate(wanted) if bitmap >> number & 1]
    return list(wanted)


@given(st.lists(segments(), max_size=4))
def test_ids_are_those_of_a_plain_reader(found: list[U64Segment]) -> None:
    """Segments of every form have the ids that a reader of one number at a time finds."""
    wanted = [each for segment in found for each in plain(segment)]
    data = RowIdSequence(segments=found).SerializeToString()
    ids = ids_of(data, len(wanted), DEFAULT_LIMITS, "ids")
    assert ids.dtype == np.uint64
    assert ids.tolist() == wanted


@examples(2)
@given(st.lists(segments(), min_size=1, max_size=2), st.data())
def test_damaged_sequences_are_read_or_refused(found: list[U64Segment], drawn: Any) -> None:
    """A changed byte gives as many ids as there are rows, or a `ByteloomError`."""
    count = sum(len(plain(each)) for each in found)
    data = bytearray(RowIdSequence(segments=found).SerializeToString())
    at = drawn.draw(st.integers(0, len(data) - 1))
    data[at] ^= 1 << drawn.draw(st.integers(0, 7))
    with suppress(ByteloomError):
        assert len(ids_of(bytes(data), count, DEFAULT_LIMITS, "ids")) == count
