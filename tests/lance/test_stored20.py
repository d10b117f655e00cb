"""Pages of version 2.0: how much of a buffer is read, nested nulls, and damage that is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pytest
from tests.lance.test_pages20 import FLAT, check_reads, packed, row_by_row, struct_file
from tests.support.lance_chunks import ints
from tests.support.lance_files import StoredPage, lance_field, lance_file
from tests.support.lance_pages import (
    binary,
    bitmap,
    dictionary,
    ends,
    fixed_lists,
    flat,
    lists,
    no_nulls,
    old_file,
    old_files,
    page,
    some_nulls,
)

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.lance.pages20.arrays import text_array, with_validity
from byteloom.lance.pages20.stored import InFile
from byteloom.limits import Limits
from byteloom.storage.sources import BytesSource
from byteloom_generated.lance import encodings20 as e

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


ORDERED: Final[dict[str, tuple[str, e.ArrayEncoding, list[bytes], list[Any]]]] = {
    "text": ("string", binary(5), [ends(1, 3, 5), b"abcde"], ["a", "bc", "de"]),
    "text without nulls": (
        "string",
        no_nulls(binary(5)),
        [ends(1, 3, 5), b"abcde"],
        ["a", "bc", "de"],
    ),
    "words": (
        "string",
        dictionary(no_nulls(flat(8)), binary(4, 1), 2),
        [b"\2\0\1", ends(1, 4), b"abcd"],
        ["bcd", None, "a"],
    ),
    "pairs": (
        "fixed_size_list:int32:2",
        some_nulls(flat(1), fixed_lists(2, flat(32, 1))),
        [bitmap(1, 0, 1), ints("<i4", 1, 2, 3, 4, 5, 6)],
        [[1, 2], None, [5, 6]],
    ),
}


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("case", ORDERED)
def test_sizes_of_buffers_show_their_order(case: str, is_reversed: bool) -> None:
    """Sizes of buffers show their order, in encodings made of others too."""
    kind, encoding, buffers, expected = ORDERED[case]
    stored = page(3, encoding, *(reversed(buffers) if is_reversed else buffers))
    data = lance_file([lance_field("x", kind)], [[stored]], rows=3, column_encoding=None)
    with lance.open(data) as file:
        check_reads(file, expected)


def test_a_page_of_one_buffer_has_no_order() -> None:
    """A page of one buffer is read where the column has no encoding."""
    data = lance_file(
        [lance_field("x", "int32")], [[page(1, FLAT, ints("<i4", 7))]], rows=1, column_encoding=None
    )
    with lance.open(data) as file:
        check_reads(file, [7])


def encoded(kind: str, encoding: e.ArrayEncoding, *buffers: bytes) -> bytes:
    """A file of a page of two rows."""
    return old_file(kind, 2, page(2, encoding, *buffers))


def indices(encoding: e.ArrayEncoding) -> bytes:
    """A dictionary of two texts with other indices."""
    return encoded("string", dictionary(encoding, binary(3, 1), 2), b"\1\2", ends(1, 3), b"abc")


def list_file(encoding: e.ArrayEncoding, *offsets: int) -> bytes:
    """A file of two lists of numbers."""
    columns = [[page(2, encoding, ends(*offsets))], [page(3, FLAT, ints("<i4", 1, 2, 3))]]
    return old_files(["list", "int32"], 2, columns)


def list_of(adjustment: int) -> e.ArrayEncoding:
    """Lists of three items whose nulls end so much later."""
    return lists(3, adjustment)


PLACE: Final = r"columns\[0\]\.pages\[0\]"
BUFFER: Final = rf"{PLACE}\.buffers\[0\]"
FIXED: Final = e.FixedSizeBinary(bytes=flat(12), byte_width=2)
STRUCTS: Final[dict[str, Any]] = {"metadata": {"packed": b"true"}}

REFUSED: Final[list[tuple[bytes, type[ByteloomError], str]]] = [
    (
        encoded("int32", e.ArrayEncoding(nullable=e.Nullable()), ints("<i4", 1, 2)),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found neither nulls nor values, wanted an encoding of int32$",
    ),
    (
        struct_file([page(2, row_by_row(FLAT), ints("<i4", 1, 2))], **STRUCTS),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found a packed struct of 1 fields, wanted an encoding of s",
    ),
    (
        struct_file([page(2, row_by_row(FLAT, flat(64)), bytes(24))], **STRUCTS),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found flat in a packed struct, wanted an encoding of int32$",
    ),
    (
        struct_file([page(2, row_by_row(FLAT, flat(12)), bytes(24))], **STRUCTS),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found flat in a packed struct, wanted an encoding of int32$",
    ),
    (
        struct_file([page(2, row_by_row(FLAT, flat(32, scheme="zstd")), bytes(24))], **STRUCTS),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found flat in a packed struct, wanted an encoding of int32$",
    ),
    (
        indices(binary(1)),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found binary, wanted an encoding of indices$",
    ),
    (
        indices(flat(24)),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found 24 bits, wanted an encoding of indices$",
    ),
    (
        encoded("string", e.ArrayEncoding(fixed_size_binary=FIXED), b"abcd"),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found flat, wanted an encoding of bytes$",
    ),
    (
        encoded(
            "string",
            e.ArrayEncoding(fixed_size_binary=e.FixedSizeBinary(bytes=packed(7, 16), byte_width=1)),
            b"abcd",
        ),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found bitpacked, wanted an encoding of bytes$",
    ),
    (
        encoded("int32", binary(2), ends(1, 2), b"ab"),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found binary, wanted an encoding of int32$",
    ),
    (
        list_file(FLAT, 1, 3),
        Unsupported,
        rf"{PLACE}\.encoding at .*: found nullable, wanted an encoding of lists$",
    ),
    (
        list_file(list_of(3), 1, 3),
        FormatError,
        rf"{PLACE}\.encoding\.list at .*: found null_offset_adjustment 3, wanted more than 3$",
    ),
    (
        list_file(list_of(1 << 62), 1, 3),
        FormatError,
        rf"{PLACE}\.encoding\.list at .*: found null_offset_adjustment {1 << 62}, wanted more",
    ),
    (
        old_files(
            ["list", "int32"],
            2,
            [[page(2, lists(4), ends(1, 4))], [page(3, FLAT, ints("<i4", 1, 2, 3))]],
        ),
        FormatError,
        r"columns\[1\] at .*: found 3 rows, wanted rows \d to 4$",
    ),
]


@pytest.mark.parametrize(("data", "error", "wanted"), REFUSED)
def test_encodings_that_values_do_not_have_are_refused(
    data: bytes, error: type[ByteloomError], wanted: str
) -> None:
    """The error for an unfitting encoding has the page, what was found and what was wanted."""
    with lance.open(data) as file, pytest.raises(error, match=wanted):
        file.to_table()


def test_items_that_are_not_there_are_not_taken() -> None:
    """A list whose items are beyond their column is refused when it is taken."""
    with (
        lance.open(list_file(lists(4), 1, 4)) as file,
        pytest.raises(FormatError, match=r"columns\[1\] at .*: found row 3, wanted rows of 3$"),
    ):
        file.take([1])


def test_lists_of_the_largest_adjustment_are_read() -> None:
    """Lists are read with null adjustments of 4 and of 2^62 - 1."""
    for adjustment in (4, (1 << 62) - 1):
        with lance.open(list_file(list_of(adjustment), 1, adjustment + 1)) as file:
            check_reads(file, [[1], None])


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("is_packed", [False, True])
def test_indices_of_texts_are_integers_of_any_width(bits: int, is_packed: bool) -> None:
    """Indices of a text dictionary have any width, bit-packed or not, nullable or not."""
    encoding, stored = flat(bits), ints(f"<u{bits // 8}", 2, 1)
    if is_packed:
        encoding, stored = packed(5, bits), b"\x22\0"
    data = encoded("string", dictionary(encoding, binary(3, 1), 2), stored, ends(1, 3), b"abc")
    with lance.open(data) as file:
        check_reads(file, ["bc", "a"])
    some = some_nulls(flat(1, 3), flat(bits))
    data = encoded(
        "string",
        dictionary(some, binary(3, 1), 2),
        ints(f"<u{bits // 8}", 2, 1),
        ends(1, 3),
        b"abc",
        bitmap(1, 0),
    )
    with lance.open(data) as file:
        check_reads(file, ["bc", None])


PACKED: Final[dict[str, StoredPage]] = {
    "indices of five bits": page(
        2, dictionary(packed(5, 8), binary(3, 1), 2), b"\x22\0", ends(1, 3), b"abc"
    ),
    "bytes of seven bits": page(
        2,
        e.ArrayEncoding(fixed_size_binary=e.FixedSizeBinary(bytes=packed(7, 8), byte_width=1)),
        bytes([0x61 | 0x80 * (0x62 & 1), 0x62 >> 1]),
    ),
    "bytes without nulls": page(
        2,
        e.ArrayEncoding(fixed_size_binary=e.FixedSizeBinary(bytes=FLAT, byte_width=4)),
        b"abcdefgh",
    ),
}


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("indices of five bits", ["bc", "a"]),
        ("bytes of seven bits", ["a", "b"]),
        ("bytes without nulls", ["abcd", "efgh"]),
    ],
)
def test_parts_of_text_may_be_packed(case: str, expected: list[str]) -> None:
    """The indices and the bytes of text may be bit-packed."""
    with lance.open(old_file("string", 2, PACKED[case])) as file:
        check_reads(file, expected)


@pytest.mark.parametrize("adjustment", [(1 << 63) - 1, 1 << 63])
def test_text_ends_at_numbers_of_63_bits(adjustment: int) -> None:
    """A null adjustment of text has 63 bits; a larger one is refused."""
    encoding = binary(2)
    encoding.binary.null_adjustment = adjustment
    with lance.open(encoded("string", encoding, ends(2, 2), b"ab")) as file:
        if adjustment < 1 << 63:
            assert file.to_table()["x"].to_pylist() == ["ab", ""]
            return
        wanted = (
            rf"{PLACE}\.encoding\.binary\.null_adjustment at .*: found {1 << 63}, wanted at most"
        )
        with pytest.raises(FormatError, match=wanted):
            file.to_table()


@pytest.mark.parametrize("rows", [None, [1]])
def test_ends_that_are_null_are_refused(rows: list[int] | None) -> None:
    """The ends of texts and of lists are numbers; one that is null would be read as any number."""
    valid, values = bitmap(1, 0), ends(1, 2)
    text = binary(2)
    text.binary.indices.CopyFrom(some_nulls(flat(1, 2), flat(64, 0)))
    column = lists(2)
    column.list.offsets.CopyFrom(some_nulls(flat(1, 1), flat(64, 0)))
    columns = [[page(2, column, values, valid)], [page(2, FLAT, ints("<i4", 4, 5))]]
    listed = old_files(["list", "int32"], 2, columns)
    for data in (encoded("string", text, values, b"ab", valid), listed):
        with (
            lance.open(data) as file,
            pytest.raises(FormatError, match="found null, wanted the number"),
        ):
            file.to_table() if rows is None else file.take(rows)


@pytest.mark.parametrize("most", [8, 7])
def test_packed_integers_are_bounded(most: int) -> None:
    """Bit-packed integers count against the limits by the bytes that they unpack to."""
    data = encoded("int32", packed(3, 32), b"\x11")
    with lance.open(data, limits=Limits(decompressed_size=most)) as file:
        if most == 8:
            assert file.to_table()["x"].to_pylist() == [1, 2]
            return
        wanted = rf"{BUFFER} at .*: found 2 values of 32 bits, wanted at most 7 bytes \(limits\.dec"
        with pytest.raises(LimitExceeded, match=wanted):
            file.to_table()


@pytest.mark.parametrize("most", [2, 1])
def test_items_of_dictionaries_are_bounded(most: int) -> None:
    """The items of a dictionary count against ``limits.elements`` before they are read."""
    with lance.open(indices(flat(8)), limits=Limits(elements=most)) as file:
        if most == 2:
            assert file.to_table()["x"].to_pylist() == ["a", "bc"]
            return
        wanted = rf"{PLACE} at .*: found 2, wanted at most 1 items \(limits\.elements\)$"
        with pytest.raises(LimitExceeded, match=wanted):
            file.to_table()
