"""Opening Lance files: footers, tables of extents, columns, and what is refused."""

from __future__ import annotations

from struct import pack
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.lance_files import StoredPage, lance_field, lance_file

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Unsupported
from byteloom.limits import Limits
from byteloom_generated.lance.tail import Footer

if TYPE_CHECKING:
    from pathlib import Path

URL = "/lance.encodings.ArrayEncoding"


def one_column(**values: Any) -> bytes:
    """A file of one column of one page of 4 bytes."""
    page = StoredPage(1, URL, b"", [b"\1\0\0\0"], **values)
    return lance_file([lance_field("x", "int32")], [[page]], rows=1)


def with_footer(data: bytes, **values: int) -> bytes:
    """A file with other numbers in its footer."""
    footer = Footer.from_bytes(data[-Footer.SIZE :])
    for name, value in values.items():
        setattr(footer, name, value)
    return data[: -Footer.SIZE] + footer.to_bytes()


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    """An open file gives its version, rows, size and path."""
    place = tmp_path / "x.lance"
    place.write_bytes(one_column())
    with lance.open(place) as file:
        assert (file.version, file.num_rows, file.size) == ("2.0", 1, place.stat().st_size)
        assert repr(file) == f"<LanceFile {place}: 1 row, version 2.0>"


def test_a_column_has_its_pages_and_their_buffers() -> None:
    """A column lists its pages with their rows, buffers and encodings; each knows its first row."""
    pages = [
        StoredPage(3, URL, b"\x0a\x00", [b"abc", b""]),
        StoredPage(2, URL, b"", [b"de"], priority=3),
    ]
    data = lance_file([lance_field("x", "uint8")], [pages], rows=5)
    with lance.open(data) as file:
        (column,) = file.columns()
    assert (column.path, column.length) == ("columns[0]", 5)
    first, second = column.pages
    assert [each.path for each in column.pages] == ["columns[0].pages[0]", "columns[0].pages[1]"]
    assert (first.first, second.first, second.priority) == (0, 3, 3)
    assert first.encoding == (URL, b"\x0a\x00")
    assert [data[offset:][:size] for offset, size in first.buffers] == [b"abc", b""]


def test_a_global_buffer_is_read_by_its_number() -> None:
    """Global buffer 0 is the schema; the number of an absent one is refused."""
    with lance.open(one_column()) as file:
        assert b"int32" in file.global_buffer(0)
        with pytest.raises(FormatError, match=r"buffer: found 1, wanted a number below 1"):
            file.global_buffer(1)


@pytest.mark.parametrize("pair", [(0, 3), (2, 0)])
def test_version_2_0_has_two_pairs(pair: tuple[int, int]) -> None:
    """The pair 0/3 of files and the pair 2/0 of manifests both mean version 2.0."""
    data = lance_file([lance_field("x", "int32")], [[]], rows=0, pair=pair)
    with lance.open(data) as file:
        assert file.version == "2.0"


@pytest.mark.parametrize("pair", [(0, 4), (2, 4), (3, 0)])
def test_a_version_that_is_not_read_is_named(pair: tuple[int, int]) -> None:
    """The error for a version that no release wrote shows its pair of numbers."""
    data = lance_file([lance_field("x", "int32")], [[]], rows=0, pair=pair)
    with pytest.raises(Unsupported, match=rf"version at byte \d+ .*: found {pair[0]}/{pair[1]}"):
        lance.open(data)


def test_every_beginning_of_a_file_is_refused() -> None:
    """Every file that is cut at its end is refused."""
    data = one_column()
    for size in range(len(data)):
        with pytest.raises(ByteloomError):
            lance.open(data[:size])


def test_every_ending_of_a_file_is_refused() -> None:
    """Every file that is cut at its beginning is refused."""
    data = one_column()
    for start in range(1, len(data)):
        with pytest.raises(ByteloomError):
            lance.open(data[start:])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_columns", (1 << 32) - 1),
        ("num_buffers", (1 << 32) - 1),
        ("ofs_column_extents", 1 << 63),
        ("ofs_buffer_extents", 1 << 63),
    ],
)
def test_a_table_outside_of_the_file_is_refused(name: str, value: int) -> None:
    """A table of extents outside the file is refused, at the field of the footer that says so."""
    data = one_column()
    at = len(data) - Footer.SIZE
    place = at + Footer.PLACES[name]
    found = rf"footer\.{name} at byte {place} \(0x{place:x}\): found {value}, wanted at most -?\d+"
    with pytest.raises(FormatError, match=f"^{found}, .* the footer at byte {at}$"):
        lance.open(with_footer(data, **{name: value}))


def test_a_table_may_end_where_the_footer_begins() -> None:
    """A table of extents may end where the footer begins, and not a byte later."""
    data = one_column()
    at = len(data) - Footer.SIZE
    table = data[Footer.from_bytes(data[-Footer.SIZE :]).ofs_column_extents :][:16]
    moved = data[:at] + table + data[at:]
    lance.open(with_footer(moved, ofs_column_extents=at)).close()
    with pytest.raises(
        FormatError, match=rf"ofs_column_extents .* found {at + 1}, wanted at most {at}, so that"
    ):
        lance.open(with_footer(moved, ofs_column_extents=at + 1))


def test_an_extent_outside_of_the_file_is_refused() -> None:
    """An extent may end where the footer begins; one byte more is refused."""
    data = one_column()
    at = Footer.from_bytes(data[-Footer.SIZE :]).ofs_column_extents
    end = len(data) - Footer.SIZE
    sound = data[:at] + pack("<QQ", end - 1, 1) + data[at + 16 :]
    damaged = data[:at] + pack("<QQ", end - 1, 2) + data[at + 16 :]
    lance.open(sound).close()
    with pytest.raises(FormatError, match=rf"columns\[0\] at byte {at} .* wanted at most {end}"):
        lance.open(damaged)


def test_a_buffer_outside_of_the_file_is_refused() -> None:
    """A buffer outside of the file is refused when its column is read."""
    with (
        lance.open(one_column(metadata={"buffer_offsets": [1 << 62]})) as file,
        pytest.raises(FormatError, match=r"columns\[0\]\.pages\[0\]\.buffers\[0\] at byte"),
    ):
        file.columns()


def test_buffers_that_overlap_are_refused() -> None:
    """Buffers that overlap by one byte are refused; adjacent ones are read."""
    page = StoredPage(1, URL, b"", [bytes(8)])
    for offset, is_sound in ((4, True), (3, False)):
        page.metadata = {"buffer_offsets": [0, offset], "buffer_sizes": [4, 4]}
        data = lance_file([lance_field("x", "int32")], [[page]], rows=1)
        with lance.open(data) as file:
            if is_sound:
                assert len(file.columns()[0].pages[0].buffers) == 2
                continue
            with pytest.raises(FormatError, match=r"buffers\[1\] .*found 3, wanted at least 4"):
                file.columns()


def test_offsets_and_sizes_of_buffers_are_as_many() -> None:
    """A page with fewer buffer sizes than offsets is refused."""
    with (
        lance.open(one_column(metadata={"buffer_sizes": []})) as file,
        pytest.raises(FormatError, match=r"pages\[0\]\.buffer_sizes at .*: found 0, wanted 1"),
    ):
        file.columns()


def test_a_column_has_no_more_rows_than_arrow_counts() -> None:
    """The pages of a column have 2^63 - 1 rows at most; one more is refused."""
    pages = [StoredPage((1 << 63) - 2, URL, b""), StoredPage(1, URL, b"")]
    fields = [lance_field("x", "null")]
    with lance.open(lance_file(fields, [pages], rows=1)) as file:
        assert file.columns()[0].length == (1 << 63) - 1
    pages.append(StoredPage(1, URL, b""))
    with (
        lance.open(lance_file(fields, [pages], rows=1)) as file,
        pytest.raises(FormatError, match=r"pages\[2\]\.length"),
    ):
        file.columns()


def test_metadata_is_bounded() -> None:
    """A schema or column metadata larger than ``limits.metadata_size`` is refused."""
    data = one_column()
    with lance.open(data) as file:
        schema, column = file.tail.buffers[0].size, file.tail.columns[0].size
    with lance.open(data, limits=Limits(metadata_size=schema)) as file:
        assert file.num_rows == 1
    with pytest.raises(LimitExceeded, match=r"buffers\[0\]\.size"):
        lance.open(data, limits=Limits(metadata_size=schema - 1))
    most = max(schema, column)
    with lance.open(data, limits=Limits(metadata_size=most)) as file:
        assert len(file.columns()) == 1
    with (
        lance.open(data, limits=Limits(metadata_size=max(schema, column - 1))) as file,
        pytest.raises(LimitExceeded, match=r"columns\[0\]"),
    ):
        file.columns()


def test_another_format_is_named(tmp_path: Path) -> None:
    """The error for a Parquet file that is opened as Lance says that it is Parquet."""
    place = tmp_path / "x.lance"
    place.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    with pytest.raises(FormatError, match="found a Parquet file, wanted a Lance file"):
        lance.open(place)
