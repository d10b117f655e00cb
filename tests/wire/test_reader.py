"""Readers accept everything up to the last byte and bit, and refuse one more by its exact error."""

from __future__ import annotations

import struct
import zlib
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import pytest

from byteloom.errors import ArgumentError, ByteloomError, FormatError, LimitExceeded, Truncated
from byteloom.limits import FREE_EXPANSION, Limits
from byteloom.wire import FieldRun, Reader

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS: Final = {
    "u1": "B", "s1": "b", "u2le": "<H", "u2be": ">H", "s2le": "<h", "s2be": ">h", "u4le": "<I",
    "u4be": ">I", "s4le": "<i", "s4be": ">i", "u8le": "<Q", "u8be": ">Q", "s8le": "<q",
    "s8be": ">q", "f4le": "<f", "f4be": ">f", "f8le": "<d", "f8be": ">d",
}  # fmt: skip


def refused(call: Callable[[], object]) -> tuple[type[ByteloomError], str]:
    """Return the type and the text of the error that a call ends in."""
    with pytest.raises(ByteloomError) as error:
        call()
    return type(error.value), str(error.value)


@pytest.mark.parametrize("method", NUMBERS)
def test_a_number_has_its_form_and_all_its_bytes(method: str) -> None:
    """A number takes all its bytes, inside a window too, at an offset from the file's start."""
    data = bytes(range(0x3F, 0x4B))
    size = struct.calcsize(NUMBERS[method])
    reader = Reader(b"_" + data, origin=100)
    reader.u1("before")
    window = reader.window("window", size)
    (wanted,) = struct.unpack(NUMBERS[method], data[:size])
    assert (getattr(window, method)("name"), window.left, window.eof) == (wanted, 0, True)
    assert reader.offset == 101 + size
    short = Reader(b"_" + data, origin=100).window("window", size)
    short.u1("first")
    unit = "1 byte" if size == 1 else f"{size} bytes"
    stated = "1 byte left" if size == 2 else f"{size - 1} bytes left"
    place = 101
    assert refused(lambda: getattr(short, method)("name")) == (
        Truncated,
        f"name at byte {place} ({place:#x}): found {stated}, wanted {unit}",
    )
    assert short.offset == place


@pytest.mark.parametrize("data", ["file.bin", 5, None, [1, 2], BytesIO(b"ab")])
def test_only_buffers_are_read(data: Any) -> None:
    """A reader refuses a path, a number or an open file as bytes."""
    found = f"a value of type {type(data).__name__}"
    wanted = "bytes or another buffer; a record's `from_file` takes a path"
    said = f"data: found {found}, wanted {wanted}"
    assert refused(lambda: Reader(data)) == (ArgumentError, said)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_every_buffer_is_read(kind: Callable[[bytes], Any]) -> None:
    """A reader accepts every buffer, including a memoryview with strides."""
    assert Reader(kind(b"abc")).bytes("all", 3) == b"abc"
    assert Reader(memoryview(b"abcd")[::2]).bytes("all", 2) == b"ac"


def test_a_run_of_numbers_is_taken_whole_or_not_at_all() -> None:
    """A run of numbers that is cut off names the first missing number, at its offset."""
    layout = FieldRun(">HBI", "a", "b", "c")
    assert Reader(bytes(7)).run(layout) == (0, 0, 0)
    wanted = {
        0: "a at byte 5 (0x5): found 0 bytes left, wanted 2 bytes",
        1: "a at byte 5 (0x5): found 1 byte left, wanted 2 bytes",
        2: "b at byte 7 (0x7): found 0 bytes left, wanted 1 byte",
        3: "c at byte 8 (0x8): found 0 bytes left, wanted 4 bytes",
        6: "c at byte 8 (0x8): found 3 bytes left, wanted 4 bytes",
    }
    for size, said in wanted.items():
        reader = Reader(bytes(size), origin=5)
        assert refused(partial(reader.run, layout)) == (Truncated, said)


class TestBits:
    """Runs of bits, each of which continues where the last one ended."""

    DATA: Final = bytes([0b1011_0010, 0b0111_0001, 0xFF])

    @pytest.mark.parametrize("widths", [[1] * 24, [3, 5, 8, 8], [4, 9, 3, 8], [24], [0, 7, 17]])
    def test_bits_are_those_of_the_number_that_the_bytes_are(self, widths: list[int]) -> None:
        """Bits are read from the highest in big-endian order, from the lowest in the other."""
        big = f"{int.from_bytes(self.DATA, 'big'):024b}"
        little = int.from_bytes(self.DATA, "little")
        be, le, at = Reader(self.DATA), Reader(self.DATA), 0
        for width in widths:
            assert be.bits_be("name", width) == int(big[at : at + width] or "0", 2)
            assert le.bits_le("name", width) == little >> at & (1 << width) - 1
            at += width
            assert be.eof == le.eof == (at == 24)
        for reader, method in ((be, be.bits_be), (le, le.bits_le)):
            said = "name at byte 3 (0x3): found 0 bytes left, wanted 1 byte"
            assert refused(partial(method, "name", 1)) == (Truncated, said)
            assert reader.offset == 3

    def test_what_is_left_of_a_byte_can_be_dropped(self) -> None:
        """Unread bits of a byte can be dropped, so that the next byte is whole."""
        be, le = Reader(self.DATA), Reader(self.DATA)
        be.bits_be("name", 3)
        le.bits_le("name", 3)
        assert (be.align(), le.align()) == (0b1_0010, 0b10110)
        assert (be.u1("next"), le.u1("next")) == (0x71, 0x71)
        assert (be.align(), le.align()) == (0, 0)


class TestVarints:
    """Integers of variable length."""

    CASES: Final[list[tuple[str, bytes, int]]] = [
        *(("uleb128", data, value) for data, value in [
            (b"\0", 0), (b"\x7f", 127), (b"\x80\1", 128), (b"\xff" * 9 + b"\1", (1 << 64) - 1),
        ]),
        *(("zigzag", data, value) for data, value in [
            (b"\0", 0), (b"\1", -1), (b"\2", 1), (b"\xff" * 9 + b"\1", -(1 << 63)),
            (b"\xfe" + b"\xff" * 8 + b"\1", (1 << 63) - 1),
        ]),
        *(("hadoop", data, value) for data, value in [
            (b"\0", 0), (b"\x7f", 127), (b"\x90", -112), (b"\xff", -1), (b"\x8f\x80", 128),
            (b"\x87\x70", -113), (b"\x88" + b"\x7f" + b"\xff" * 7, (1 << 63) - 1),
            (b"\x80" + b"\x7f" + b"\xff" * 7, -(1 << 63)),
        ]),
    ]  # fmt: skip

    @pytest.mark.parametrize(("form", "data", "value"), CASES)
    def test_integers_are_taken_at_the_ends_of_what_they_hold(
        self, form: str, data: bytes, value: int
    ) -> None:
        """Variable-length integers at the ends of their range are read, and truncated if cut."""
        reader = Reader(data + b"\5")
        assert (getattr(reader, form)("name"), reader.offset) == (value, len(data))
        reader = Reader(data * 3 + b"\5")
        assert (reader.varints("name", 3, form), reader.offset) == ([value] * 3, 3 * len(data))
        kind, said = refused(lambda: getattr(Reader(data[:-1]), form)("name"))
        assert (kind, said.partition(" at byte")[0]) == (Truncated, "name")
        if len(data) > 1:
            kind, said = refused(lambda: Reader(data * 3).window("", 3 * len(data) - 1)
                                 .varints("name", 3, form))  # fmt: skip
            assert (kind, said.partition(":")[0]) == (
                Truncated,
                f"name[2] at byte {2 * len(data)} ({2 * len(data):#x})",
            )

    @pytest.mark.parametrize(
        ("form", "data"),
        [
            ("uleb128", b"\xff" * 9 + b"\2"),
            ("uleb128", b"\x80" * 10 + b"\1"),
            ("zigzag", b"\xff" * 9 + b"\2"),
            ("hadoop", b"\x88" + b"\x80" + bytes(8)),
            ("hadoop", b"\x80" + b"\x80" + bytes(8)),
        ],
    )
    def test_integers_of_more_than_64_bits_are_refused(self, form: str, data: bytes) -> None:
        """An integer of more than 64 bits is refused with up to ten of its bytes."""
        said = (
            f"name at byte 0 (0x0): found {data[:10]!r}, wanted an integer of variable length "
            f"({form})"
        )
        for after in (b"", bytes(9)):
            taken = getattr(Reader(data + after), form)
            assert refused(partial(taken, "name")) == (FormatError, said)


class TestBytes:
    """Runs of bytes, and windows."""

    @pytest.mark.parametrize("method", ["bytes", "window"])
    @pytest.mark.parametrize(
        ("size", "kind", "said"),
        [
            (3, None, ""),
            (0, None, ""),
            (4, Truncated, "name at byte 2 (0x2): found 3 bytes left, wanted 4 bytes"),
            (-1, FormatError, "name at byte 2 (0x2): found a size of -1, wanted 0 or more bytes"),
        ],
    )
    def test_a_size_is_what_is_left_at_most(
        self, method: str, size: int, kind: type[ByteloomError] | None, said: str
    ) -> None:
        """A negative size, or one beyond the bytes left, is refused."""
        reader = Reader(b"abcdef").window("", 5)
        reader.bytes("before", 2)
        if kind is not None:
            assert refused(lambda: getattr(reader, method)("name", size)) == (kind, said)
            return
        found = getattr(reader, method)("name", size)
        assert reader.offset == 2 + size
        assert (found if method == "bytes" else found.rest("all")) == b"cde"[:size]

    def test_positions_in_a_window_begin_at_its_start(self) -> None:
        """Positions in a window count from its start, offsets of errors from the file's start."""
        reader = Reader(b"abcdefgh", origin=10)
        reader.bytes("before", 2)
        window = reader.window("window", 4)
        assert (window.pos, window.size, window.left, window.offset) == (0, 4, 4, 12)
        assert window.bytes("name", 3) == b"cde"
        assert (window.pos, window.size, window.left, window.offset) == (3, 4, 1, 15)
        assert refused(lambda: window.done("name")) == (
            FormatError,
            "name at byte 15 (0xf): found 1 byte left, wanted the end, and no more",
        )
        window.u1("last")
        window.done("name")
        there = window.view("name", 1)
        assert (there.bytes("two", 2), window.left, there.offset) == (b"de", 0, 15)
        assert refused(lambda: window.view("name", -1)) == (
            FormatError,
            "name: found position -1, wanted 0 to 4, the size of its stream",
        )
        beyond = window.view("name", 5)
        assert (beyond.left, beyond.eof) == (0, True)
        assert refused(lambda: beyond.u1("one")) == (
            FormatError,
            "one: found position 5, wanted 0 to 4, the size of its stream",
        )

    def test_a_magic_is_compared(self) -> None:
        """The error for a wrong magic has the bytes found and wanted."""
        assert refused(lambda: Reader(b"ab", origin=7).magic("name", b"ac")) == (
            FormatError,
            "name at byte 7 (0x7): found b'ab', wanted b'ac'",
        )
        assert refused(lambda: Reader(b"a").magic("name", b"ac"))[0] is Truncated

    def test_a_checksum_is_that_of_the_bytes_of_the_window(self) -> None:
        """A checksum is computed over a range of positions in the window."""
        reader = Reader(b"abcdefgh")
        reader.bytes("before", 2)
        assert reader.window("window", 5).crc32(1, 4) == zlib.crc32(b"def")

    @pytest.mark.parametrize(
        ("form", "size"), [("<H", 2), (">H", 2), (">q", 8), ("<f", 4), (">d", 8)]
    )
    def test_arrays_have_a_number_for_each(self, form: str, size: int) -> None:
        """An array has the requested number of elements, or is truncated if bytes are missing."""
        data = bytes(range(3 * size))
        reader = Reader(data + b"_")
        assert reader.array("name", 3, form) == list(struct.unpack(f"{form[0]}3{form[1]}", data))
        assert reader.left == 1
        assert refused(lambda: Reader(data[:-1]).array("name", 3, form)) == (
            Truncated,
            (
                f"name at byte 0 (0x0): found {3 * size - 1} bytes left, "
                f"wanted 3 elements of at least {size} bytes"
            ),
        )


class TestCounts:
    """Limits on the number of elements and records."""

    @staticmethod
    def loops(count: int, each: int, data: bytes, **limits: int) -> Any:
        """Return calls that read the elements of one loop, in each possible way."""

        def byte(reader: Reader) -> int:
            return reader.u1("one") if each else 0

        def made() -> Reader:
            return Reader(data, limits=Limits(**limits))

        return [
            lambda: made().records("name", count, byte, each=each),
            lambda: [byte(r) for r in [made()] for _ in r.times("name", count, each=each)],
        ]

    @pytest.mark.parametrize("count", [0, 1, 5])
    def test_as_many_elements_as_the_limit_and_no_more(self, count: int) -> None:
        """More elements than `limits.elements` are refused before any is read."""
        for loop in self.loops(count, 1, bytes(9), elements=count):
            assert loop() == [0] * count
        for loop in self.loops(count + 1, 1, bytes(9), elements=count):
            said = (
                f"name at byte 0 (0x0): found {count + 1}, wanted at most {count} (limits.elements)"
            )
            assert refused(loop) == (LimitExceeded, said)

    def test_no_more_elements_than_bytes(self) -> None:
        """A count that is negative, or exceeds the bytes left, is refused."""
        for loop in self.loops(9, 1, bytes(9)):
            assert loop() == [0] * 9
        for loop in self.loops(10, 1, bytes(9)):
            said = "name at byte 0 (0x0): found 9 bytes left, wanted 10 elements of at least 1 byte"
            assert refused(loop) == (Truncated, said)
        for loop in (*self.loops(-1, 1, bytes(9)), *self.loops(-1, 0, bytes(9))):
            said = "name at byte 0 (0x0): found -1, wanted a count of 0 or more"
            assert refused(loop) == (FormatError, said)

    def test_elements_of_no_bytes_are_paid_for_by_the_file(self) -> None:
        """Empty elements are limited to one for each byte of the file, and a free allowance."""
        for loop in self.loops(9 + 5, 0, bytes(9), empty_elements=5):
            assert loop() == [0] * 14
        names = ("name", "name[14]")
        for name, loop in zip(names, self.loops(15, 0, bytes(9), empty_elements=5), strict=True):
            said = (
                f"{name} at byte 0 (0x0): found 15 elements, too many of 0 bytes, wanted at most "
                "one for each byte, and 5 (limits.empty_elements)"
            )
            assert refused(loop) == (LimitExceeded, said)
        most = 8 * 9 + 9 + 5
        for loop in self.loops(most + 1, 0, bytes(9), empty_elements=5):
            said = f"name at byte 0 (0x0): found {most + 1} elements, most of 0 bytes, wanted"
            kind, stated = refused(loop)
            assert kind is LimitExceeded
            assert stated.startswith(said)

    @pytest.mark.parametrize("depth", [1, 4])
    def test_records_nest_as_deep_as_the_limit_and_no_deeper(self, depth: int) -> None:
        """Each record and each loop is one level of `limits.nesting`."""

        def nested(reader: Reader, left: int) -> int:
            return reader.record("r", nested, (left - 1,)) if left else 7

        def looped(reader: Reader, left: int) -> int:
            return reader.records("r", 1, lambda r: looped(r, left - 1), each=1)[0] if left else 7

        for way in (nested, looped):
            assert way(Reader(b"abc", limits=Limits(nesting=depth)), depth) == 7
            kind, said = refused(
                partial(way, Reader(b"abc", limits=Limits(nesting=depth)), depth + 1)
            )
            assert kind is LimitExceeded
            assert said.endswith(f"found {depth + 1}, wanted at most {depth} (limits.nesting)")

    def test_a_read_makes_as_many_records_as_the_limit(self) -> None:
        """The records of all fields of a read together are limited by `limits.objects`."""

        def one(reader: Reader) -> int:
            return reader.u1("one")

        def together(reader: Reader) -> int:
            found = len(reader.records("a", 3, one, each=1))
            return found + len(reader.records_to_end("b", one))

        assert together(Reader(bytes(7), limits=Limits(objects=7))) == 7
        for most, place in [(2, "a at byte 0"), (6, "b[")]:
            kind, said = refused(partial(together, Reader(bytes(7), limits=Limits(objects=most))))
            assert kind is LimitExceeded
            assert said.startswith(place)
            assert f"at most {most} (limits.objects)" in said
        several = Reader(b"abc", limits=Limits(objects=2))
        assert [several.record("r", one) for _ in range(2)] == [97, 98]
        assert refused(lambda: several.record("r", one)) == (
            LimitExceeded,
            "r at byte 2 (0x2): found 3, wanted at most 2 (limits.objects)",
        )

    def test_elements_to_the_end_take_bytes(self) -> None:
        """A loop to the end of the bytes refuses an element of 0 bytes."""
        said = (
            FormatError,
            "name[1] at byte 2 (0x2): found an element of 0 bytes, wanted elements up to the end",
        )

        def take(reader: Reader) -> bytes:
            return reader.bytes("two", 2 if reader.pos == 0 else 0)

        assert refused(lambda: Reader(b"abc").records_to_end("name", take)) == said
        reader = Reader(b"abc")
        assert refused(lambda: [take(reader) for _ in reader.to_end("name")]) == said
        assert Reader(b"ab").records_to_end("name", take) == [b"ab"]


class TestInflated:
    """Bytes that zlib decompresses."""

    def test_content_has_the_limit_and_no_more(self) -> None:
        """Decompressed content may have as many bytes as `limits.decompressed_size`."""
        raw = zlib.compress(bytes(1_000))
        assert Reader(b"", limits=Limits(decompressed_size=1_000)).inflated("name", raw) == bytes(
            1_000
        )
        reader = Reader(b"", limits=Limits(decompressed_size=999))
        assert refused(lambda: reader.inflated("name", raw)) == (
            LimitExceeded,
            "name at byte 0 (0x0): found 1000, wanted at most 999 (limits.decompressed_size)",
        )

    def test_all_contents_of_a_file_have_a_limit_together(self) -> None:
        """All decompressed content of a file is limited by its size and `limits.expansion`."""
        raw = zlib.compress(bytes(FREE_EXPANSION))
        reader = Reader(bytes(10), limits=Limits(expansion=3))
        assert len(reader.inflated("a", raw)) == FREE_EXPANSION
        assert len(reader.inflated("b", zlib.compress(bytes(30)))) == 30
        assert refused(lambda: reader.inflated("c", zlib.compress(b"x"))) == (
            LimitExceeded,
            (
                "c at byte 0 (0x0): found 1, wanted at most 0 bytes more from decompression "
                "(limits.expansion)"
            ),
        )

    def test_streams_are_whole(self) -> None:
        """A zlib stream that is cut is truncated; an invalid one is refused with its offset."""
        raw = zlib.compress(b"some content")
        reader = Reader(raw[:-1])
        short = reader.rest("raw")
        assert refused(lambda: reader.inflated("name", short))[0] is Truncated
        reader = Reader(b"no zlib")
        other = reader.rest("raw")
        kind, said = refused(lambda: reader.inflated("name", other))
        assert kind is FormatError
        assert said.startswith("name at byte 0 (0x0): found damaged data")
        assert said.endswith("wanted a zlib stream")


def test_text_that_is_none_has_its_place() -> None:
    """The error for invalid text has the offset of its first invalid byte, and 8 bytes from it."""
    reader = Reader(b"__ab" + b"\xff" * 48, origin=10)
    reader.bytes("before", 2)
    raw = reader.bytes("raw", 50)
    assert refused(partial(reader.text, "name", raw, "utf-8")) == (
        FormatError,
        f"name at byte 14 (0xe): found {raw[2:10]!r}, wanted text in utf-8",
    )
    assert reader.text("name", b"a\xe4", "latin-1") == "a\u00e4"


def test_levels_are_left_again() -> None:
    """Consecutive loops and records are not deeper than one of them."""
    reader = Reader(bytes(40), limits=Limits(nesting=1))
    for _ in range(5):
        assert reader.records("a", 2, lambda r: r.u1("one"), each=1) == [0, 0]
        assert reader.record("b", lambda r: r.u1("one")) == 0
        assert [reader.u1("one") for _ in reader.times("c", 2, each=1)] == [0, 0]
        assert [reader.u1("one") for _ in reader.times("d", 1, each=1)] == [0]
    assert len([reader.u1("one") for _ in reader.to_end("e")]) == 10


def test_streams_are_one_where_bytes_and_start_are() -> None:
    """Views of one window are equal streams; windows of other bytes or starts are not."""
    reader = Reader(b"_abcdef")
    reader.u1("before")
    window = reader.window("window", 3)
    assert window.is_on(window.view("name", 1))
    for other in (None, reader, reader.window("window", 3), reader.stream(b"abc"), Reader(b"abc")):
        assert not window.is_on(other)
    assert (window.written(), window.view("name", 2).written()) == (b"abc", b"abc")


def test_nothing_can_be_taken_anywhere() -> None:
    """Zero bytes can be read at any position, even after the end of a stream."""
    beyond = Reader(b"abc").view("name", 9)
    assert beyond.bytes("none", 0) == b""
    assert refused(partial(beyond.bytes, "name", 1))[1].startswith("name: found position 9, wanted")


@pytest.mark.parametrize(("left", "has_stream"), [(0, False), (1, True)])
def test_a_record_that_leaves_bytes_remembers_its_window(left: int, *, has_stream: bool) -> None:
    """A record that leaves bytes or bits unread keeps its window."""

    class Record:
        """A record with room for a stream."""

    def read(reader: Reader) -> Record:
        reader.bytes("all", 2)
        reader.bits_be("bits", 8 - left)
        return Record()

    value = Reader(b"abc").whole("record", read)
    assert hasattr(value, "_stream") == has_stream


@pytest.mark.parametrize(
    ("attributes", "remembers"), [({}, False), ({"_io": None}, True), ({"REREAD": True}, True)]
)
def test_a_record_that_may_read_more_remembers_its_window(
    attributes: dict[str, object], *, remembers: bool
) -> None:
    """A record with lazy parts, or one that is compared when written, keeps its window."""
    kind = type("Record", (), attributes)

    def read(reader: Reader) -> object:
        reader.bytes("all", 3)
        return kind()

    assert hasattr(Reader(b"abc").whole("record", read), "_stream") == remembers


@pytest.mark.parametrize("order", "<>")
def test_arrays_keep_the_bits_of_what_is_no_number(order: str) -> None:
    """An array of 4-byte floats keeps the bits of a signalling NaN."""
    bits = [0x7F80_0001, 0x3F80_0000, 0xFFC0_0002]
    values = Reader(struct.pack(f"{order}3I", *bits)).array("values", 3, f"{order}f")
    assert [getattr(each, "bits", each) for each in values[:2]] == [bits[0], 1.0]
    assert struct.pack(">f", values[2]) == struct.pack(">I", bits[2])
    doubles = Reader(struct.pack(f"{order}2d", float("nan"), 1.5)).array("values", 2, f"{order}d")
    assert [type(each) for each in doubles] == [float, float]
    assert str(doubles) == "[nan, 1.5]"
