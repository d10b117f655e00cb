"""The size of rows of Parquet files is bounded by page headers, levels and lengths."""

from __future__ import annotations

import re
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.kernel_ways import bytes_of, ways

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels.parquet_weights import longest_rows, longest_text, sum_of_lengths
from byteloom.limits import Limits
from byteloom.parquet import pages as room
from byteloom.parquet.contents import Contents
from byteloom.parquet.pages import DATA_PAGE, DATA_PAGE_V2, DICTIONARY_PAGE, pages
from byteloom.parquet.weights import row_bytes
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Sequence

CODECS = ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]
VERSIONS = ["1.0", "2.0"]
DELTA = "DELTA_BYTE_ARRAY"


def written(array: pa.Array, **options: Any) -> tuple[BytesSource, Any]:
    """Return a file of one column, and its footer."""
    out = BytesIO()
    pq.write_table(pa.table({"s": array}), out, **options)
    return BytesSource(out.getvalue()), pq.read_metadata(BytesIO(out.getvalue()))


def weights(array: pa.Array, size: int = 1 << 30, **options: Any) -> tuple[int, int]:
    """Return the bound on the size of a row, under a limit of *size*."""
    source, footer = written(array, **options)
    return row_bytes(source, footer, [0], 0, Limits(decompressed_size=size, expansion=0))


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("checksum", [False, True])
def test_headers_of_the_common_form_are_read_as_field_by_field(
    codec: str, version: str, *, checksum: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Headers matched by the common expression have the fields that parsing one by one gives."""
    texts = pa.array([f"{each % 900:05}" for each in range(50_000)])
    for statistics in (False, True):
        source, footer = written(
            texts,
            compression=codec,
            data_page_version=version,
            write_statistics=statistics,
            write_page_checksum=checksum,
            data_page_size=4_096,
        )
        chunk = footer.row_group(0).column(0)
        matched = list(pages(source, chunk, ""))
        with monkeypatch.context() as patch:
            patch.setattr(room, "_COMMON", {})
            assert list(pages(source, chunk, "")) == matched
        first, *rest = matched
        kind = {"1.0": DATA_PAGE, "2.0": DATA_PAGE_V2}[version]
        assert (first.kind, first.values, first.raw) == (DICTIONARY_PAGE, 900, 900 * 9)
        assert {each.kind for each in rest} == {kind}
        assert sum(each.values for each in rest) == 50_000
        assert {each.encoding for each in rest} == {8}
        for one, other in pairwise(matched):
            assert one.start + one.packed == other.header
        heads = [source.read(each.header, each.start - each.header) for each in matched]
        assert all(room._COMMON[each[1]].fullmatch(each) for each in heads)


def test_headers_longer_than_what_is_read_at_first_are_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A header longer than the first read, as with long bounds, is read again in full."""
    source, footer = written(pa.array(["a" * 50, "b" * 90] * 40), data_page_size=64)
    held = list(pages(source, footer.row_group(0).column(0), ""))
    monkeypatch.setattr(room, "_HEAD", 7)
    assert list(pages(source, footer.row_group(0).column(0), "")) == held


@pytest.mark.parametrize(
    "wrong",
    [b"\x19", b"\x15" + b"\xff" * 11 + b"\0", b"\x15\x01", b"\x1c\0\x15\x02\x15\x02\0"],
)
def test_damaged_headers_are_refused(wrong: bytes) -> None:
    """A header with a list, a number above 64 bits, or a wrong type is refused at its offset."""
    source, footer = written(pa.array(["a"] * 9))
    chunk = footer.row_group(0).column(0)
    at = chunk.dictionary_page_offset
    data = source.read(0, source.size)
    damaged = BytesSource(data[:at] + wrong + data[at + len(wrong) :])
    said = rf"^here at byte {at} .*: found a damaged page header"
    with pytest.raises(FormatError, match=said):
        list(pages(damaged, chunk, "here"))


def test_a_number_in_place_of_what_is_said_of_a_page_is_passed_over() -> None:
    """A number in place of a page's struct is skipped, and the page has no values."""
    source, footer = written(pa.array(["a"] * 9))
    chunk = footer.row_group(0).column(0)
    at = chunk.dictionary_page_offset
    data = source.read(0, source.size)
    head = b"\x15\x04\x15\x02\x15\x02\x45\x02\0"
    first = next(pages(BytesSource(data[:at] + head + data[at + len(head) :]), chunk, ""))
    assert (first.kind, first.raw, first.values, first.encoding) == (DICTIONARY_PAGE, 1, 0, -1)


TEXTS = st.lists(st.sampled_from(["", "a", "ab" * 40, "ab" * 41 + "c", "x" * 700]), min_size=1)


@given(TEXTS, st.sampled_from(CODECS), st.sampled_from(VERSIONS), st.booleans())
def test_texts_that_begin_as_the_one_before_are_added_up(
    drawn: list[str], codec: str, version: str, is_list: bool
) -> None:
    """Texts stored as differences are bounded by the average of their page, or by the longest."""
    texts: Sequence[Any] = drawn * 3
    array = pa.array([texts, None, texts[:1]] if is_list else [*texts, None])
    options: dict[str, Any] = {
        "use_dictionary": False,
        "column_encoding": DELTA,
        "compression": codec,
        "data_page_version": version,
    }
    held = [*texts, *texts[:1]] if is_list else texts
    total = sum(map(len, held))
    values = len(held) + 1
    row = -(-values // 3) if is_list else 1
    assert weights(array, **options) == (0, row * (total // values))


def test_texts_that_repeat_beyond_the_limits_count_by_the_longest() -> None:
    """If the texts of a page exceed the limit together, each counts as much as the longest."""
    texts = pa.array(["x" * 9_000] * 50 + ["x" * 3])
    options = {"use_dictionary": False, "compression": "zstd", "column_encoding": DELTA}
    total = 9_000 * 50 + 3
    assert weights(texts, total, **options) == (0, total // 51)
    longest, dense = weights(texts, total - 1, **options)
    assert dense == 0
    assert 9_000 <= longest <= 18_000


@pytest.mark.parametrize(
    "wrong", ["", "80 01 04", "80 01 00 03 00", "80 01 04 ff ff ff ff 0f 00", "80 01 04 09 02 00"]
)
def test_damaged_lengths_count_as_the_whole_page(wrong: str) -> None:
    """Damaged lengths have no sum, so that their whole page counts."""
    out = np.zeros(2, np.int64)
    assert sum_of_lengths(np.frombuffer(bytes.fromhex(wrong), np.uint8), 0, 9, out, out) == -1


def test_pages_of_more_lengths_than_the_limits_allow_are_refused() -> None:
    """A page of more lengths than the limit allows is refused, even if its texts are empty."""
    texts = pa.array([""] * 1_000)
    options = {"use_dictionary": False, "compression": "zstd", "column_encoding": DELTA}
    assert weights(texts, 8_000, **options) == (0, 0)
    said = r"columns\[0\] at byte \d+ .*: found a page of 1000 lengths, wanted at most 999 "
    with pytest.raises(LimitExceeded, match=said):
        weights(texts, 7_999, **options)


@given(
    st.lists(st.integers(0, 90), min_size=1, max_size=60),
    st.sampled_from(CODECS),
    st.sampled_from(VERSIONS),
)
def test_the_row_of_most_values_counts_where_all_may_be_its(
    sizes: list[int], codec: str, version: str
) -> None:
    """The row of most values is read if the limit is exactly its size, and refused below that."""
    array = pa.array([[each] * each for each in sizes], pa.list_(pa.int64()))
    options = {"compression": codec, "data_page_version": version, "data_page_size": 256}
    most, values = max([*sizes, 1]), sum(max(each, 1) for each in sizes)
    source, footer = written(array, **options)
    largest = max(each.raw for each in pages(source, footer.row_group(0).column(0), ""))
    size = max(most * 8, largest)
    if values * 8 <= size:
        return
    assert weights(array, size, **options) == (0, most * 8)
    if largest < most * 8:
        said = rf"^row_groups\[0\]\.columns\[0\]: found {most} values a row of up to 8 bytes each"
        with pytest.raises(LimitExceeded, match=said):
            weights(array, size - 1, **options)


def test_rows_count_on_over_pages_and_lists_in_lists() -> None:
    """The values of a row of nested lists are counted over all of its pages."""
    inner = [[1, 2, 3]] * 40
    array = pa.array([inner, [[1]], inner * 9], pa.list_(pa.list_(pa.int32())))
    options = {"data_page_size": 64, "write_batch_size": 8, "use_dictionary": False}
    assert weights(array, 8 * 1_080, **options) == (0, 8 * 1_080)
    with pytest.raises(LimitExceeded, match=r"found 1080 values a row"):
        weights(array, 8 * 1_080 - 1, **options)


LISTS = st.lists(
    st.none() | st.lists(st.sampled_from([None, "", "ab", "c" * 90, "x" * 900]), max_size=40),
    min_size=1,
    max_size=12,
)
ENCODINGS: list[dict[str, Any]] = [
    {},
    *(
        {"use_dictionary": False, "column_encoding": each}
        for each in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", DELTA)
    ),
]


@examples(0.5)
@given(LISTS, st.sampled_from(CODECS), st.sampled_from(VERSIONS), st.sampled_from(ENCODINGS))
def test_a_row_of_a_list_counts_by_its_own_texts(
    rows: list[list[str | None] | None], codec: str, version: str, encoding: dict[str, Any]
) -> None:
    """A row counts its own texts, even if the longest row and the longest text are of two rows."""
    rows = [*rows, ["x" * 900] * 4, ["ab"] * 400]
    array = pa.array(rows, pa.list_(pa.string()))
    options = {"compression": codec, "data_page_version": version, "data_page_size": 256}
    options |= encoding | {"write_batch_size": 16}
    heavy = max(sum(max(len(each or ""), 8) for each in row or [None]) for row in rows)
    source, footer = written(array, **options)
    chunk = footer.row_group(0).column(0)
    assume(max(each.raw for each in pages(source, chunk, "")) < heavy)
    assert weights(array, heavy, **options) == (heavy, 0)
    said = rf"columns\[0\]: found a row of {heavy} bytes, wanted at most {heavy - 1} bytes"
    with pytest.raises(LimitExceeded, match=said):
        weights(array, heavy - 1, **options)


def test_rows_of_lists_in_lists_count_by_their_own_texts() -> None:
    """A row of nested lists counts its own texts, with nulls at every level, over pages."""
    short, long = [["a", None], None, []] * 30, [["x" * 900] * 2, None]
    array = pa.array([short, long, None, []], pa.list_(pa.list_(pa.string())))
    options = {"data_page_size": 64, "write_batch_size": 8}
    heavy = 2 * 900 + 8
    assert weights(array, heavy, **options) == (heavy, 0)
    with pytest.raises(LimitExceeded, match=rf"found a row of {heavy} bytes"):
        weights(array, heavy - 1, **options)


def test_a_row_of_a_list_beyond_the_limits_by_its_values_alone_is_refused() -> None:
    """A row whose values alone exceed the limit, at eight bytes each, is refused."""
    array = pa.array([["a"] * 1_000, ["x" * 900]], pa.list_(pa.string()))
    said = r"found 1000 values a row of up to 8 bytes each, wanted at most 7999 bytes"
    with pytest.raises(LimitExceeded, match=said):
        weights(array, 7_999)
    assert weights(array, 8_000) == (8_000, 0)


@pytest.mark.parametrize("codec", ["zstd", "brotli", "gzip"])
def test_pages_of_numbers_are_bounded_by_their_headers(codec: str) -> None:
    """A page of numbers is bounded by the size in its header, with every codec."""
    numbers = pa.array(np.zeros(20_000, np.int64))
    options = {"use_dictionary": False, "compression": codec, "write_statistics": False}
    source, footer = written(numbers, **options)
    (page,) = pages(source, footer.row_group(0).column(0), "")
    assert weights(numbers, page.raw, **options) == (0, 0)
    with pytest.raises(LimitExceeded, match=rf"found a page of {page.raw} bytes"):
        weights(numbers, page.raw - 1, **options)


def test_pages_that_are_held_at_a_time_are_bounded_together() -> None:
    """One page of each column counts against a common limit."""
    out = BytesIO()
    table = pa.table({f"c{each}": np.zeros(20_000) for each in range(5)})
    pq.write_table(table, out, use_dictionary=False, compression="zstd", write_statistics=False)
    source, footer = BytesSource(out.getvalue()), pq.read_metadata(BytesIO(out.getvalue()))
    (page,) = pages(source, footer.row_group(0).column(0), "")
    most = Limits(decompressed_size=5 * page.raw, expansion=0)
    assert row_bytes(source, footer, range(5), 0, most) == (0, 0)
    less = Limits(decompressed_size=5 * page.raw - 1, expansion=0)
    said = re.escape(f"row_groups[0]: found pages of {5 * page.raw} bytes, wanted at most")
    with pytest.raises(LimitExceeded, match=said):
        row_bytes(source, footer, range(5), 0, less)
    assert row_bytes(source, footer, range(4), 0, less) == (0, 0)


@pytest.mark.parametrize("size", [1, 0x0100, 0x01_0000, 0x0100_0000, 0x0102_0304])
def test_the_longest_text_is_as_long_as_its_four_bytes_say(size: int) -> None:
    """The length of a text is read from all four of its bytes, the lowest one first."""
    data = bytes(4) + size.to_bytes(4, "little")
    assert longest_text(np.frombuffer(data, np.uint8)) == size


def test_a_page_without_lengths_has_a_sum_of_nothing() -> None:
    """The sums of a page without lengths are set to zero."""
    out = np.full(2, 7, np.int64)
    none = np.zeros(0, np.int64)
    data = np.frombuffer(bytes.fromhex("8001040000"), np.uint8)
    assert sum_of_lengths(data, 0, 9, out, none) == 5
    assert out.tolist() == [0, 0]


def test_rows_of_lists_of_one_text_come_to_one_text() -> None:
    """Rows of one text each are read under a limit that all texts together exceed."""
    array = pa.array([["x" * 900]] * 100, pa.list_(pa.string()))
    assert weights(array, 1_000) == (900, 8)


@pytest.mark.parametrize(("most", "longest"), [(99_999, 900), (100_000, 1_000)])
def test_a_dictionary_that_all_rows_may_repeat_counts_as_one_text(most: int, longest: int) -> None:
    """A dictionary is not read if all rows stay within bounds even if each has all of its text."""
    source, footer = written(pa.array(["x" * 900, "y" * 92] * 50))
    assert row_bytes(source, footer, [0], 0, Limits(), texts=most) == (longest, 0)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_what_is_not_compressed_is_as_long_as_it_is(more: int) -> None:
    """An uncompressed page has its stored content, whatever size its header states."""
    source, footer = written(pa.array(["text"] * 9), compression="none")
    chunk = footer.row_group(0).column(0)
    page = next(pages(source, chunk, ""))
    contents = Contents(source, footer.schema.column(0), chunk)
    assert contents.dictionary(page._replace(raw=page.raw + more)) == b"\4\0\0\0text"


@pytest.mark.parametrize("codec", ["snappy", "gzip", "brotli", "lz4", "zstd"])
@pytest.mark.parametrize("more", [-1, 0, 1, 9])
def test_a_page_of_another_length_than_its_header_says_has_no_content(
    codec: str, more: int
) -> None:
    """A page that decompresses to another size than its header states has no content."""
    source, footer = written(pa.array(["x" * 99] * 9), compression=codec)
    chunk = footer.row_group(0).column(0)
    page = next(pages(source, chunk, ""))
    contents = Contents(source, footer.schema.column(0), chunk)
    wanted = b"" if more else b"c\0\0\0" + b"x" * 99
    assert contents.dictionary(page._replace(raw=page.raw + more)) == wanted


WIDTH = 9

Run = tuple[int, list[int]]
"""The form of a run, 0 for one level many times and 1 for packed ones, and its levels."""

level = st.integers(0, 3) | st.integers(0, (1 << WIDTH) - 1)
repeated = st.builds(lambda one, count: (0, [one] * count), level, st.integers(0, 200))
packed = st.lists(level, min_size=8, max_size=24).map(lambda some: (1, some[: len(some) & ~7]))
level_pages = st.lists(st.lists(repeated | packed, max_size=4), max_size=3)


def stored(runs: list[Run]) -> bytes:
    """Return runs as a page stores them."""
    out = b""
    for form, levels in runs:
        head = (len(levels) // 8 if form else len(levels)) << 1 | form
        low = bytes([head & 0x7F | 0x80, head >> 7]) if head >> 7 else bytes([head])
        size = len(levels) * WIDTH // 8 if form else 2
        each = sum(one << i * WIDTH for i, one in enumerate(levels if form else levels[:1]))
        out += low + each.to_bytes(size, "little")
    return out


@ways
@given(level_pages)
def test_the_longest_row_is_the_most_levels_from_one_0_to_the_next(
    way: Any, runs_of_pages: list[list[Run]]
) -> None:
    """The longest row is found even if it begins in one page and ends in another."""
    state, rows = np.zeros(2, np.int64), [0]
    for runs in runs_of_pages:
        levels = [one for _, some in runs for one in some]
        data = bytes_of(stored(runs))
        assert way(longest_rows)(data, WIDTH, len(levels), state) == len(levels)
        for one in levels:
            rows = [*rows[:-1], rows[-1] + 1] if one else [*rows, 1]
        assert state.tolist() == [rows[-1], max(rows)]


@ways
@pytest.mark.parametrize(
    ("runs", "values", "seen", "longest"),
    [
        ([], 3, 0, 0),
        ([(0, [1] * 5)], 8, 5, 5),
        ([(1, [1] * 8)], 9, 8, 8),
        ([(0, [1] * 5), (0, [1] * 4)], 8, 8, 8),
        ([(0, [0] * 3), (1, [1] * 16)], 5, 5, 3),
        ([(0, [1] * 3), (0, [1] * 3)], 3, 3, 3),
        ([(0, [1] * 3), (1, [1] * 8)], 3, 3, 3),
    ],
)
def test_a_page_has_as_many_levels_as_values(
    way: Any, runs: list[Run], values: int, seen: int, longest: int
) -> None:
    """Levels after the last value of a page do not count, and a page may have fewer levels."""
    state = np.zeros(2, np.int64)
    assert way(longest_rows)(bytes_of(stored(runs)), WIDTH, values, state) == seen
    assert state[1] == longest
