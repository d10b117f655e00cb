"""The bound on the size of rows of ORC stripes is never too low and not far too high."""

from __future__ import annotations

from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import orc
from tests.support.iceberg_rows import File, TableMaker
from tests.support.orc_files import TYPES, orc_file, same
from tests.support.varints import folded, varint

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.kernels.orc_sizes import MOST
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.orc.layout import OrcLayout
from byteloom.orc.runs import Numbers, check_scales, check_tags
from byteloom.orc.weights import StripeWeights, check_kinds
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = (1, 2, 511, 512, 513, 700, 1_024, 5_000)


def windows(lengths: list[int], count: int) -> int:
    """Return the largest sum of *count* successive lengths, by looking at all of them."""
    sums = [0, *accumulate(lengths)]
    return max(sums[min(at + count, len(lengths))] - sums[at] for at in range(len(lengths)))


def weighed(data: bytes, **limits: int) -> StripeWeights:
    """Return the weights of all columns of a file's stripe."""
    layout = OrcLayout(BytesSource(data), Limits(**limits))
    return StripeWeights(layout, 0, layout.types[0].subtypes, Limits(**limits))


LENGTHS = st.one_of(
    st.integers(0, 7).map(lambda each: [each] * 9),  # one value over and over
    st.lists(st.integers(0, 200), min_size=1, max_size=40),
    st.integers(0, 100).map(lambda each: list(range(each, each + 30))),  # steps
    st.integers(0, 100).map(lambda each: [*[each % 9] * 15, 3_000, *[each % 7] * 15]),  # patches
    st.integers(1, 60).map(lambda each: [at * at for at in range(each)]),
)


@given(st.lists(LENGTHS, min_size=1, max_size=60), st.sampled_from(["uncompressed", "zstd"]))
@example([[1] * 600, [900] * 600], "zlib")
def test_bounds_of_texts_are_never_too_low_and_not_far_too_high(
    drawn: list[list[int]], codec: str
) -> None:
    """The bound holds for any number of rows of text whose lengths pyarrow packed."""
    lengths = [each for run in drawn for each in run]
    out = BytesIO()
    table = pa.table({"s": ["x" * each for each in lengths]})
    orc.write_table(table, out, compression=codec, dictionary_key_size_threshold=0)
    held = weighed(out.getvalue())
    for count in COUNTS:
        assert windows(lengths, count) + 8 * count <= held.of(count)
    assert held.of(1) - 8 <= 2 * max(lengths) + 255
    assert held.of(1 << 20) - (8 << 20) <= 2 * sum(lengths) + 255 * len(lengths)


def first_form(lengths: list[int]) -> bytes:
    """Return runs of version 1 of single values, as many in a run as it may have."""
    parts = [lengths[at : at + 128] for at in range(0, len(lengths), 128)]
    return b"".join(bytes([256 - len(each)]) + b"".join(map(varint, each)) for each in parts)


@given(st.lists(st.integers(0, 1 << 20), min_size=1, max_size=2_000), st.integers(1, 900))
def test_runs_of_version_1_are_added_up_as_they_are(lengths: list[int], part: int) -> None:
    """Sums of runs of version 1 are exact, however the stream is split into parts."""
    data = first_form(lengths)
    parts = [data[at : at + part] for at in range(0, len(data), part)]
    held = Numbers(parts, 1, len(lengths))
    assert (held.total, held.longest) == (sum(lengths), max(lengths))
    assert all(held.of(count) >= windows(lengths, count) for count in COUNTS)


@pytest.mark.parametrize(
    ("run", "total", "longest"),
    [
        (bytes([7, 2]) + varint(5), sum(range(5, 25, 2)), 23),
        (bytes([7, 254]) + varint(50), 10 * 50, 50),
        (bytes([127, 0]) + varint(3), 130 * 3, 3),
        (bytes([0, 1]) + varint((1 << 64) - 1), 3 * MOST, MOST),
    ],
)
def test_runs_of_version_1_with_steps(run: bytes, total: int, longest: int) -> None:
    """Each value of a run with steps counts at most as much as the largest value of the run."""
    held = Numbers([run], 1, 1_000)
    assert held.longest == longest
    assert total <= held.total <= longest * 130


def test_no_more_runs_are_looked_at_than_there_are_values() -> None:
    """Runs after the last value do not count, and those up to it do."""
    assert Numbers([same(3, 512), same(9, 512)], 2, 512).longest == 3
    assert Numbers([same(3, 512), same(9, 512)], 2, 513).longest == 9


def test_runs_that_are_cut_off_count_with_the_next_part() -> None:
    """A stream split in two at any byte, of any kind of run, has the same sums as in one part."""
    data = b"\x0a\x27\x10" + same(70_000, 300) + b"\x5e\x03\x5c\xa1\xab\x1e\xde\xad\xbe\xef"
    data += b"\x8e\x13\x2b\x21\x07\xd0\x1e\x00\x14\x70\x28\x32\x3c\x46\x50\x5a\x64\x6e\x78\x82\x8c"
    data += b"\x96\xa0\xaa\xb4\xbe\xfc\xe8" + b"\xc6\x09\x02\x02\x22\x42\x42\x46"
    whole = Numbers([data], 2, 1 << 20)
    values = 5 + 300 + 4 + 20 + 10
    assert whole._state[0] == values
    for at in range(len(data)):
        assert (Numbers([data[:at], data[at:]], 2, 1 << 20)._state == whole._state).all()


def texts(lengths: bytes, rows: int, entries: int | None = None) -> bytes:
    """Return a file of one column of text, of which only the lengths matter."""
    kept = {} if entries is None else {1: entries}
    streams = [(1, "DATA", b"abc"), (1, "LENGTH", lengths)]
    return orc_file([(TYPES.STRING, [])], rows, streams, dictionaries=kept)


def test_a_row_beyond_the_limits_is_refused() -> None:
    """A row of exactly the limit is read; one byte more is an error that names the column."""
    data = texts(same(1_000, 9), 9)
    assert weighed(data, decompressed_size=1_008).rows_within(2_000, 1 << 17) == 1
    said = (
        r"^orc\.stripes\[0\]\.columns\[1\] at byte 3 \(0x3\): found a row of up to 1008 bytes, "
        r"wanted at most 1007 \(limits\.decompressed_size\)$"
    )
    with pytest.raises(LimitExceeded, match=said):
        weighed(data, decompressed_size=1_007).rows_within(2_000, 1 << 17)


def test_dictionaries_beyond_the_limits_are_refused() -> None:
    """A dictionary counts by the lengths and the number of its entries, and may reach the limit."""
    data = texts(same(100, 10), 9, 10)
    assert weighed(data, decompressed_size=1_080).of(1) == 108
    said = r"columns\[1\] at byte 6 .*: found a dictionary of 10 entries, up to 1080 bytes, wanted"
    with pytest.raises(LimitExceeded, match=said):
        weighed(data, decompressed_size=1_079)


def test_all_that_is_kept_is_bounded_together() -> None:
    """One limit bounds dictionaries together with the chunk that each stream may decompress.

    It grows with the bytes of the stripe, those of its index among them.
    """
    index = [(0, "ROW_INDEX", b"index")]
    streams = [(each, name, b"abc") for each in range(1, 9) for name in ("PRESENT", "DATA")]
    data = orc_file([(TYPES.LONG, [])] * 8, 3, index + streams, chunk=1 << 16)
    stripe = OrcLayout(BytesSource(data), DEFAULT_LIMITS).stripes[0]
    spare = 50 * (stripe.indexLength + stripe.dataLength)
    most = (16 << 16) - spare
    weighed(data, decompressed_size=most)
    said = rf"^orc\.stripes\[0\] at byte 3 .*: found {16 << 16} bytes of dictionaries and chunks"
    with pytest.raises(LimitExceeded, match=said):
        weighed(data, decompressed_size=most - 1)


def test_rows_of_lists_have_what_is_inside_of_them() -> None:
    """The size of a row includes the texts in a list in a struct, counted at each level."""
    columns = [(TYPES.STRUCT, [2]), (TYPES.LIST, [3]), (TYPES.STRING, [])]
    streams = [(2, "LENGTH", same(3, 600)), (3, "LENGTH", same(10, 1_800)), (3, "DATA", b"")]
    held = weighed(orc_file(columns, 600, streams))
    assert held.of(1) == 8 + 8 + 3 * (8 + 10)
    assert held.of(600) == 600 * (8 + 8 + 3 * (8 + 10))


def test_a_row_of_a_list_counts_by_the_longest_text() -> None:
    """A row that limits do not allow if the longest list has the longest text is refused."""
    columns = [(TYPES.LIST, [2]), (TYPES.STRING, [])]
    streams = [(1, "LENGTH", same(3, 4)), (2, "LENGTH", same(50, 12)), (2, "DATA", b"")]
    data = orc_file(columns, 4, streams)
    bound = weighed(data).of(1)
    assert bound == 8 + 3 * (8 + 50)
    weighed(data, decompressed_size=bound).rows_within(1, 1)
    with pytest.raises(LimitExceeded, match=rf"found a row of up to {bound} bytes"):
        weighed(data, decompressed_size=bound - 1).rows_within(1, 1)


def test_footers_of_many_chunks_are_bounded_together() -> None:
    """A footer may take up to ``limits.metadata_size``, whatever its chunks are."""
    data = orc_file([(TYPES.LONG, [])], 1, [(1, "DATA", b"abc")], chunk=16)
    footer = OrcLayout(BytesSource(data), DEFAULT_LIMITS).footer.SerializeToString()
    size = len(footer)
    OrcLayout(BytesSource(data), Limits(metadata_size=size))
    said = (
        rf"^orc\.chunk: found more than {size // 16 * 16} bytes when decompressed, wanted at most"
    )
    with pytest.raises(LimitExceeded, match=said):
        OrcLayout(BytesSource(data), Limits(metadata_size=size - 1))


def test_values_inside_of_lists_are_as_many_as_these_say() -> None:
    """A list column has as many items as its lengths say, and runs after those are ignored."""
    streams = [(1, "LENGTH", same(2, 4)), (2, "LENGTH", same(5, 8) + same(9_000, 600))]
    held = weighed(orc_file([(TYPES.LIST, [2]), (TYPES.STRING, [])], 4, streams))
    assert held.of(4) == 4 * 8 + 8 * (8 + 5)
    assert np.iinfo(np.int64).max > held.of(1 << 40)


def test_files_of_version_0_11_have_runs_of_version_1() -> None:
    """In files of version 0.11, lengths of texts and lists without steps are added up exactly."""
    squares = [each * each for each in range(2_000)]
    texts, lists = (
        ["x" * (each * 7 % 300) for each in squares],
        [[1] * (each % 5) for each in squares],
    )
    out = BytesIO()
    table = pa.table({"s": texts, "l": lists})
    orc.write_table(table, out, file_version="0.11", dictionary_key_size_threshold=0)
    held = weighed(out.getvalue())
    assert held._lengths[1].longest == max(map(len, texts))
    assert held._lengths[1].total == sum(map(len, texts))
    assert held._lengths[2].total == sum(map(len, lists))


def test_columns_without_an_encoding_have_runs_of_version_1() -> None:
    """A column for which the stripe's footer has no encoding is read as runs of version 1."""
    lengths = first_form([5, 9, 3])
    streams = [(1, "LENGTH", lengths), (1, "DATA", b"")]
    held = weighed(orc_file([(TYPES.STRING, [])], 3, streams, encodings=1))
    assert (held.of(1), held.of(3)) == (8 + 9, 3 * 8 + 5 + 9 + 3)


@pytest.mark.parametrize(("size", "rows"), [(8_064, 8), (8_063, 4), (4_032, 4), (1_008, 1)])
def test_as_many_rows_are_read_as_come_to_a_size(size: int, rows: int) -> None:
    """A batch is the largest power of 2 of rows that fits the size and the number asked for."""
    held = weighed(texts(same(1_000, 9), 9))
    assert [held.rows_within(size, most) for most in (8, 15)] == [rows] * 2
    assert held.rows_within(1 << 30, 7) == 4


@pytest.mark.parametrize("level", range(3))
def test_windows_of_a_power_of_two_have_a_bound_of_their_own(level: int) -> None:
    """A power of 2 of rows has a bound of its own; any other count uses that of the next power."""
    lengths = ([100] + [1] * 1_023) * 8
    held, count = Numbers([first_form(lengths)], 1, len(lengths)), 512 << level
    assert windows(lengths, count) <= held.of(count) < held.of(count + 1)
    assert held.of(count + 1) == min(held.of(2 * count), 100 * (count + 1))


BELOW = {
    1: [bytes([2, 255, 3]), bytes([0, 128]) + varint(255)],
    2: [
        bytes([0xC0, 4, 7, 3]),  # 7, and steps of -2
        bytes([0xC0, 1, 7]) + varint((1 << 64) - 1),  # a step of -2^63
        bytes([0xC6, 3, 7, 3, 0x42]),  # steps of -2, -4 and -2
        bytes([0xFE, 2, 7, 1]) + b"\x80" + bytes(7),  # a step of -2^63 in 64 bits
        bytes([0x80, 0, 0, 0, 0x81, 0x80]),  # 1, from -1 on
    ],
}
"""Runs of each version with a value below 0, or with a base of such."""

LEAST = {
    1: [bytes([1, 255, 3]), bytes([0, 128]) + varint(256)],
    2: [
        bytes([0xC0, 3, 7, 3]),
        bytes([0xC0, 1, 7, 13]),
        bytes([0xC6, 3, 7, 3, 0x41]),
        bytes([0xC0, 0, 7]) + varint((1 << 64) - 1),  # one value, and a step that is not taken
        bytes([0x80, 0, 0, 0, 0x80, 0x80]),
    ],
}
"""Runs of each version with lengths down to 0."""

ENDLESS = {
    1: [b"\x05\x01" + b"\xff" * 10 + b"\x01", b"\xfe\x03", b"\x05"],
    2: [
        b"\xc0\x1d" + b"\xff" * 10 + b"\x01\x00",
        b"\xc0\x1d\x03" + b"\xff" * 11 + b"\x01",
        b"\x0a\x27",
    ],
}
"""Runs of each version that are cut off, or have a number of more than 64 bits."""


@pytest.mark.parametrize("of", [TYPES.STRING, TYPES.BINARY, TYPES.LIST, TYPES.MAP, "dictionary"])
@pytest.mark.parametrize(
    ("runs", "found"),
    [(BELOW, "a length below 0"), (ENDLESS, "a run of lengths that does not end")],
)
def test_lengths_of_no_sound_writer_are_refused(
    of: int | str, runs: dict[int, list[bytes]], found: str
) -> None:
    """A length below 0, and a run that does not end, is an error that names the column."""
    said = rf"^orc\.stripes\[0\]\.columns\[1\] at byte 6 .*: found {found}, wanted lengths from 0"
    for version, damaged in runs.items():
        for run in damaged:
            with pytest.raises(FormatError, match=said):
                weighed(of_lengths(of, run, version))


@pytest.mark.parametrize("of", [TYPES.STRING, TYPES.LIST, "dictionary"])
def test_lengths_down_to_0_are_sound(of: int | str) -> None:
    """Runs whose lengths fall to 0, or that have bits of no value, are weighed."""
    for version, sound in LEAST.items():
        for run in sound:
            weighed(of_lengths(of, run, version))


def of_lengths(of: int | str, runs: bytes, version: int) -> bytes:
    """Return a file with a column of texts, lists or maps whose lengths are runs of a version."""
    first = TYPES.STRING if of == "dictionary" else int(of)
    inner = [2] if first == TYPES.LIST else [2, 3] if first == TYPES.MAP else []
    columns = [(first, inner), *[(TYPES.LONG, [])] * len(inner)]
    kept = {1: 9} if of == "dictionary" else {}
    streams = [(1, "DATA", b"abc"), (1, "LENGTH", runs)]
    kinds = None if version == 2 else {1: "DICTIONARY" if kept else "DIRECT"}
    return orc_file(columns, 9, streams, dictionaries=kept, kinds=kinds)


@pytest.mark.parametrize(("column", "is_refused"), [(1, True), (2, True), (3, False)])
def test_two_streams_of_a_kind_are_refused(column: int, *, is_refused: bool) -> None:
    """Two streams of a kind, of a column that is read or inside one, are an error."""
    columns = [(TYPES.LIST, [2]), (TYPES.STRING, []), (TYPES.STRING, [])]
    streams = [(each, "LENGTH", same(1, 9)) for each in (1, 2, 3, column)]
    layout = OrcLayout(BytesSource(orc_file(columns, 9, streams)), DEFAULT_LIMITS)
    if not is_refused:
        assert StripeWeights(layout, 0, [1], DEFAULT_LIMITS).of(1) == 17
        return
    said = (
        rf"^orc\.stripes\[0\]\.columns\[{column}\]: found two streams of kind LENGTH, wanted one$"
    )
    with pytest.raises(FormatError, match=said):
        StripeWeights(layout, 0, [1], DEFAULT_LIMITS)


@pytest.mark.parametrize(("column", "is_refused"), [(1, False), (2, True), (3, False)])
def test_maps_with_null_keys_are_refused(column: int, *, is_refused: bool) -> None:
    """A map some of whose keys are null is an error; maps and values may be null."""
    columns = [(TYPES.MAP, [2, 3]), (TYPES.LONG, []), (TYPES.LONG, [])]
    streams = [(1, "LENGTH", same(1, 9)), (column, "PRESENT", b"\xff\x00")]
    data = orc_file(columns, 9, streams)
    if not is_refused:
        assert weighed(data).of(1) == 24
        return
    with pytest.raises(Unsupported, match=r"columns\[1\]: found null keys of a map, wanted keys$"):
        weighed(data)


@pytest.mark.parametrize("what", ["type", "encoding", "stream"])
def test_kinds_that_the_library_would_misread_are_refused(what: str) -> None:
    """A type, an encoding and a stream of an unknown kind are errors that name the column."""
    streams = [(1, "DATA", b"abc"), (1, "LENGTH", same(1, 9))]
    layout = OrcLayout(BytesSource(orc_file([(TYPES.STRING, [])], 9, streams)), DEFAULT_LIMITS)
    stripe = layout.streams(layout.stripes[0])
    kinds = {
        "type": layout.types[1],
        "encoding": stripe.footer.columns[1],
        "stream": stripe.footer.streams[1],
    }
    check_kinds(layout.types, stripe.footer, {1}, "s")
    proto: Any = kinds[what]
    proto.MergeFromString(b"\x08\x63")
    check_kinds(layout.types, stripe.footer, {0}, "s")
    said = rf"^s\.columns\[1\]: found an? {what} of kind 99, wanted a kind that ORC has$"
    with pytest.raises(Unsupported, match=said):
        check_kinds(layout.types, stripe.footer, {1}, "s")


def test_runs_after_the_last_value_are_not_read() -> None:
    """Runs after the last value are ignored, in the same part of a stream and in later ones."""
    parts = iter([same(3, 512), same(9, 512)])
    assert Numbers(parts, 2, 512).total == 3 * 512
    assert len(list(parts)) == 1


@pytest.mark.parametrize(
    ("kind", "size"), [(TYPES.LONG, 8), (TYPES.DECIMAL, 16), (TYPES.TIMESTAMP, 16)]
)
def test_values_of_one_size_count_by_their_type(kind: int, size: int) -> None:
    """A number counts 8 bytes; a decimal and a timestamp count 16, as two numbers."""
    held = weighed(orc_file([(kind, [])], 9, []))
    assert [held.of(rows) for rows in (1, 9)] == [size, 9 * size]


def check_written(table: pa.Table, **options: str) -> None:
    """Check the streams of a file that the library writes."""
    out = BytesIO()
    orc.write_table(table, out, **options)
    layout = OrcLayout(BytesSource(out.getvalue()), DEFAULT_LIMITS)
    StripeWeights(layout, 0, layout.types[0].subtypes, DEFAULT_LIMITS)


def tags_checked(*parts: bytes, inner: int = 2, most: int = 9) -> None:
    """Check the tags of a stream in parts."""
    check_tags(parts, inner, most, "c", 7)


@pytest.mark.parametrize("data", [b"\x06\x01", b"\xfd\x00\x01\x00\x03\x01", b""])
def test_tags_of_types_are_sound(data: bytes) -> None:
    """Tags below the number of types are taken, in runs and one by one, however they are split."""
    tags_checked(data)
    for at in range(len(data) + 1):
        tags_checked(data[:at], data[at:])


@pytest.mark.parametrize("data", [b"\x06\x02", b"\xfd\x00\x01\xff\x03\x01", b"\x00\x01\x00\x02"])
def test_tags_of_no_type_are_refused(data: bytes) -> None:
    """A tag that is not below the number of types is an error with the column and the tag."""
    said = r"^c at byte 7 \(0x7\): found a tag of (2|255), wanted tags below 2$"
    for at in range(len(data) + 1):
        with pytest.raises(FormatError, match=said):
            tags_checked(data[:at], data[at:])
    tags_checked(data, inner=256)


def test_tags_after_the_last_value_are_not_tags_checked() -> None:
    """Runs after the last value are ignored, in the same part of a stream and in later ones."""
    tags_checked(b"\x06\x01\x06\x02", b"\x06\x02")
    with pytest.raises(FormatError, match="a tag of 2"):
        tags_checked(b"\x06\x01\x06\x02", most=10)


@pytest.mark.parametrize("codec", ["uncompressed", "zstd"])
def test_tags_of_written_files_are_sound(codec: str) -> None:
    """Unions that the library writes, with runs of tags and single ones, pass."""
    tags = pa.array([at % 3 if at % 1_000 < 500 else 1 for at in range(5_000)], pa.int8())
    inner = [
        pa.array(range(5_000)),
        pa.array(["x"] * 5_000),
        pa.array([[at] for at in range(5_000)]),
    ]
    table = pa.table({"u": pa.UnionArray.from_sparse(tags, inner)})
    check_written(table, compression=codec)


@pytest.mark.parametrize(("tag", "count"), [(1, 0), (2, 1), (200, 1)])
def test_verify_reports_tags_of_no_type(tmp_path: Path, tag: int, count: int) -> None:
    """Verification of a file with a tag of no type is an error; it ended the process."""
    columns = [(TYPES.UNION, [2, 3]), (TYPES.LONG, []), (TYPES.LONG, [])]
    streams = [(1, "DATA", bytes([6, tag])), *((each, "DATA", same(1, 9)) for each in (2, 3))]
    path = tmp_path / "a.orc"
    path.write_bytes(orc_file(columns, 9, streams, kinds={1: "DIRECT"}))
    table = TableMaker(tmp_path / "t", [(9, "c9", "long")]).commit(File(path, 9)).open()
    found = [str(each) for each in table.verify()]
    assert len(found) == count
    assert all(f"found a tag of {tag}, wanted tags below 2" in each for each in found)


def scales_checked(*parts: bytes, version: int = 2, most: int = 9) -> None:
    """Check the scales of a stream in parts."""
    check_scales(parts, version, most, "c", 7)


def stored(value: int) -> bytes:
    """Return a number with its sign as the lowest bit."""
    return varint(folded(value))


@pytest.mark.parametrize("scale", [0, 4, 38, 255])
def test_scales_of_a_decimal_are_sound(scale: int) -> None:
    """Scales from 0 to 255 are left to the library, in runs of both versions."""
    scales_checked(same(scale, 9, signed=True))
    scales_checked(b"\x06\x00" + stored(scale), version=1)


@pytest.mark.parametrize("scale", [-1, -5, -(1 << 30), 256, 1 << 20, 1 << 62])
def test_scales_of_no_decimal_are_refused(scale: int) -> None:
    """A scale below 0 or beyond 255 is an error that names the column, and shows it."""
    shown = min(scale, 1 << 40)
    said = rf"^c at byte 7 \(0x7\): found a scale of {shown}, wanted scales from 0 to 38$"
    first, step = stored(scale), stored(scale - 4)
    runs = [b"\xc0\x08" + first + b"\0", b"\xc0\x01\x08" + step]
    for run in runs:
        with pytest.raises(FormatError, match=said):
            scales_checked(run)
        with pytest.raises(FormatError, match=said):
            scales_checked(run[:2], run[2:])
    with pytest.raises(FormatError, match=said):
        scales_checked(b"\x06\x00" + first, version=1)


def test_a_run_of_scales_that_does_not_end_is_refused() -> None:
    """A run of scales that is cut off, or has a number of more than 64 bits, is an error."""
    for run in (b"\xc0\x08", b"\xc0\x08" + b"\xff" * 12, b"\x0a"):
        with pytest.raises(FormatError, match=r"found a run of scales that does not end, wanted"):
            scales_checked(run)


def test_scales_after_the_last_value_are_not_scales_checked() -> None:
    """Runs after the last value are ignored, in the same part of a stream and in later ones."""
    scales_checked(same(4, 9, signed=True) + same(-1, 9, signed=True), b"\xc0", most=9)
    with pytest.raises(FormatError, match=r"found a scale of -1, wanted"):
        scales_checked(same(4, 9, signed=True) + same(-1, 9, signed=True), most=10)


@pytest.mark.parametrize("version", ["0.11", "0.12"])
@pytest.mark.parametrize("codec", ["uncompressed", "zstd"])
def test_scales_of_written_files_are_sound(version: str, codec: str) -> None:
    """Decimals that the library writes, in lists and with nulls too, pass."""
    values = pa.array([None, 1, 2] * 700, pa.int32()).cast(pa.decimal128(30, 4))
    lists = pa.ListArray.from_arrays(list(range(0, 2_101, 3)), values)
    table = pa.table({"d": values.slice(0, 700), "l": lists})
    check_written(table, file_version=version, compression=codec)


@pytest.mark.parametrize("precision", [9, 30])
def test_a_scan_of_scales_of_no_decimal_ends_with_an_error(tmp_path: Path, precision: int) -> None:
    """A scan of decimals with a scale below 0 ends with an error; it did not end."""
    streams = [(1, "DATA", b"\x06" * 9), (1, "SECONDARY", same(-1, 9, signed=True))]
    path = tmp_path / "a.orc"
    path.write_bytes(orc_file([(TYPES.DECIMAL, [])], 9, streams, digits={1: (precision, 4)}))
    columns = [(1, "c1", f"decimal({precision}, 4)")]
    table = TableMaker(tmp_path / "t", columns).commit(File(path, 9)).open()
    said = r"a\.orc: orc\.stripes\[0\]\.columns\[1\] at byte .*: found a scale of -1, wanted"
    with pytest.raises(FormatError, match=said):
        table.scan().to_table()
