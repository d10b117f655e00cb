"""Headers of pages, column chunks and footers are found with their exact beginnings and ends."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import pytest

from byteloom.errors import FormatError
from byteloom.parquet import pages as of_pages
from byteloom.parquet.footer import footer_bytes
from byteloom.parquet.pages import Page, chunk_range, header_fields, pages
from byteloom.parquet.whole import _is_below
from byteloom.storage.sources import BytesSource, LocalSource
from byteloom.wire.varints import zigzag_bytes

if TYPE_CHECKING:
    from pathlib import Path


def number(step: int, value: int) -> bytes:
    """Return a field that is an i32, *step* after the previous field."""
    return bytes([step << 4 | 5]) + zigzag_bytes(value)


def header(kind: int, raw: int, packed: int, *inside: bytes, tail: bytes = b"") -> bytes:
    """Return a page's header with the struct of its type; *tail* are the fields after that."""
    step = {0: 2, 2: 4, 3: 5}[kind]
    struct = bytes([step << 4 | 12]) + b"".join(inside) + b"\0"
    return number(1, kind) + number(1, raw) + number(1, packed) + struct + tail + b"\0"


VALUES: Final = 300
FIRST: Final = number(1, VALUES), number(1, 8), number(1, 3), number(1, 3)
KEPT: Final = number(1, VALUES), number(1, 2)
SECOND: Final = number(1, VALUES), number(1, 7), number(1, 9), number(1, 8), number(1, 0)
FORMS: Final = {
    "first": (header(0, 70, 60, *FIRST), 0, 8),
    "dictionary": (header(2, 70, 60, *KEPT), 2, 2),
    "dictionary, sorted": (header(2, 70, 60, *KEPT, b"\x11"), 2, 2),
    "second": (header(3, 70, 60, *SECOND), 3, 8),
    "second, not compressed": (header(3, 70, 60, *SECOND, b"\x22"), 3, 8),
    "bounds": (header(0, 70, 60, *FIRST, b"\x1c\x18\x3f" + bytes(63) + b"\0"), 0, 8),
    "long bounds": (header(0, 70, 60, *FIRST, b"\x1c\x18\x40" + bytes(64) + b"\0"), 0, 8),
    "two bounds": (header(0, 70, 60, *FIRST, b"\x1c\x58\x01a\x18\x01b\x16\x04\0"), 0, 8),
}


def read(data: bytes, length: int | None = None, at: int = 0) -> list[Page]:
    """Return the pages of a chunk that begins at *at* and has *length* bytes."""
    size = len(data) - at if length is None else length
    chunk = SimpleNamespace(
        data_page_offset=at, has_dictionary_page=False, total_compressed_size=size
    )
    return list(pages(BytesSource(data), chunk, "x"))


@pytest.mark.parametrize("common", [True, False], ids=["expression", "fields"])
@pytest.mark.parametrize("name", FORMS)
def test_a_header_says_what_its_page_is(
    name: str, common: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A header gives type, sizes and encoding, by the common expression and field by field."""
    head, kind, encoding = FORMS[name]
    if not common:
        monkeypatch.setattr(of_pages, "_COMMON", {})
    second = Page(kind, 70, 60, 5 + len(head) + 60, 5 + 2 * len(head) + 60, VALUES, encoding)
    first = Page(kind, 70, 60, 5, 5 + len(head), VALUES, encoding)
    assert read(b"....." + (head + bytes(60)) * 2, at=5) == [first, second]
    for size in range(1, len(head)):
        assert of_pages._head(head[:size]) is None


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("size", [10, 128, 129, 2_047, 2_048, 2_049, 40_000])
def test_headers_of_any_length_are_read(size: int, local: bool, tmp_path: Path) -> None:
    """Headers of any length are read, from local files and from bytes in memory."""
    bound = size - 3
    text = b"\x1c\x18" + bytes([bound & 0x7F | 0x80, bound >> 7 & 0x7F | 0x80, bound >> 14])
    head = header(0, 9, 4, *FIRST, text + bytes(bound) + b"\0")
    data = head + b"abcd" + header(0, 5, 2, *FIRST) + b"ef"
    (tmp_path / "file").write_bytes(data)
    source: Any = LocalSource(tmp_path / "file") if local else BytesSource(data)
    chunk = SimpleNamespace(
        data_page_offset=0, has_dictionary_page=False, total_compressed_size=len(data)
    )
    found = list(pages(source, chunk, "x"))
    source.close()
    assert [(each.start, each.packed) for each in found] == [(len(head), 4), (len(data) - 2, 2)]


def test_a_page_ends_with_its_chunk_and_its_file() -> None:
    """A page that would end after its chunk or its file is left out."""
    head = header(0, 9, 4, *FIRST)
    data = head + b"abcd"
    assert len(read(data)) == len(read(data + b"more", len(data))) == 1
    assert len(read(data, len(data) + 1)) == 1
    assert read(data, len(data) - 1) == read(data[:-1], len(data)) == []
    assert read(data, len(head)) == read(data, 0) == read(data, 3, at=len(data)) == []
    assert read(header(0, 0, 0, *FIRST))[0].packed == 0


@pytest.mark.parametrize(
    "head",
    [
        header(0, -1, 4, *FIRST),
        header(0, 9, -1, *FIRST),
        header(0, 9, 4, number(1, -1), *FIRST[1:]),
        number(1, -1) + number(1, 9) + number(1, 4) + b"\0",
        number(1, 0) + number(1, 9) + b"\0",
        number(1, 0) + number(2, 4) + b"\0",
        number(1, 9) + b"\x13" + bytes(9),
        b"\x05" + bytes(9),
    ],
)
@pytest.mark.parametrize("at", [0, 7])
def test_a_damaged_header_is_refused(head: bytes, at: int) -> None:
    """A header with a negative or missing number, or an unknown field, is refused at its offset."""
    said = rf"^x at byte {at} .*: found a damaged page header, wanted type and sizes of a page$"
    with pytest.raises(FormatError, match=said):
        read(bytes(at) + head + bytes(20), at=at)


def test_pages_of_other_types_have_no_values() -> None:
    """A page of another type, or without the struct of its type, has no values or encoding."""
    head = number(1, 1) + number(1, 9) + number(1, 4) + b"\0"
    assert read(head + bytes(4)) == [Page(1, 9, 4, 0, len(head), 0, -1)]
    head = number(1, 0) + number(1, 9) + number(1, 4) + b"\0"
    assert read(head + bytes(4)) == [Page(0, 9, 4, 0, len(head), 0, -1)]


@pytest.mark.parametrize(
    ("data", "at", "found"),
    [
        (b"\0", 0, ({}, 1)),
        (b"..\x15\x02\0", 2, ({1: 1}, 5)),
        (b"\x15\x02\x26\x01\x34\x04\0", 0, ({1: 1, 3: -1, 6: 2}, 7)),
        (b"\xf5\x02\x15\x04\0", 0, ({15: 1, 16: 2}, 5)),
        (b"\x11\x12\x15\x02\0", 0, ({3: 1}, 5)),
        (b"\x18\3abc\x15\x02\0", 0, ({2: 1}, 8)),
        (b"\x1c\x15\x02\0\x15\x04\0", 0, ({-1: {1: 1}, 2: 2}, 7)),
        (b"\x1c" * 4 + b"\x15\x02" + b"\0" * 5, 0, ({-1: {-1: {-1: {-1: {1: 1}}}}}, 11)),
        (b"\x15" + b"\x80" * 9 + b"\x01\0", 0, ({1: 1 << 62}, 12)),
    ],
)
def test_fields_of_a_struct(data: bytes, at: int, found: tuple[dict[int, Any], int]) -> None:
    """Fields of a struct are read by number, nested structs under negative numbers.

    Every prefix raises an `IndexError`.
    """
    assert header_fields(data, at) == found
    for size in range(at, len(data)):
        with pytest.raises(IndexError):
            header_fields(data[:size], at)


@pytest.mark.parametrize(
    "data",
    [
        b"\x05\x02\0",
        b"\x13\x02\0",
        b"\x19\x02\0",
        b"\x1d\x02\0",
        b"\x1c" * 5 + b"\x15\x02" + b"\0" * 6,
    ],
)
def test_what_no_header_has_is_damage(data: bytes) -> None:
    """A field without a number, an unknown type, or a struct more than four deep is damage."""
    with pytest.raises(ValueError, match=r"^\d+$"):
        header_fields(data + bytes(20))


@pytest.mark.parametrize(
    ("has", "dictionary", "begins"),
    [(True, 50, 50), (True, 99, 99), (True, 100, 100), (True, 101, 100), (True, 0, 100),
     (True, 1, 1), (True, -1, 100), (False, 50, 100)],
)  # fmt: skip
def test_a_chunk_begins_with_its_dictionary(has: bool, dictionary: int, begins: int) -> None:
    """A chunk begins at its dictionary page, if its offset is valid and before the data."""
    chunk = SimpleNamespace(
        data_page_offset=100,
        has_dictionary_page=has,
        dictionary_page_offset=dictionary,
        total_compressed_size=9,
    )
    assert chunk_range(chunk) == (begins, 9)


class Counted(BytesSource):
    """A source of bytes that counts how often it is read."""

    count = 0

    def _fetch(self, offset: int, length: int) -> bytes:
        self.count += 1
        return super()._fetch(offset, length)


@pytest.mark.parametrize(
    ("size", "requests"), [(1, 1), (200, 1), ((1 << 16) - 8, 1), ((1 << 16) - 7, 2), (70_000, 2)]
)
def test_a_footer_of_any_length_is_read(size: int, requests: int) -> None:
    """A footer is read in one request if it takes up to 64 KiB with its length and magic."""
    footer = bytes(each % 251 for each in range(size))
    data = bytes(100) + footer + size.to_bytes(4, "little") + b"PAR1"
    source = Counted(data)
    assert (footer_bytes(source), source.count) == (footer, requests)
    assert footer_bytes(BytesSource(data[100:])) == footer


@pytest.mark.parametrize("size", [0, 21, 22, 1 << 31])
def test_a_footer_is_inside_of_its_file(size: int) -> None:
    """A footer is not empty and inside its file, and only Parquet's magic follows it."""
    end = size.to_bytes(4, "little")
    assert footer_bytes(BytesSource(bytes(20) + end + b"PAR1")) is None
    assert footer_bytes(BytesSource(bytes(20) + b"\x14\0\0\0PAR1")) == bytes(20)
    assert footer_bytes(BytesSource(bytes(20) + b"\x14\0\0\0PARE")) is None
    assert footer_bytes(BytesSource(b"PAR1")) is footer_bytes(BytesSource(b"")) is None


@pytest.mark.parametrize(
    ("path", "is_below"),
    [("a", True), ("a.b", True), ("a.list.element", True), ("ab", False), ("b.a", False),
     ("c.d", True), ("c.d.e", True), ("c", False), ("c.de", False)],
)  # fmt: skip
def test_leaves_are_below_their_columns(path: str, is_below: bool) -> None:
    """A leaf belongs to a column if its path begins with the whole names of the column's path."""
    assert _is_below(path, ["a", "c.d"]) == is_below
    assert not _is_below(path, [])
