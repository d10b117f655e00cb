"""Values of version 2.0 in every array encoding, and the damage that is refused."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import lz4.block
import numpy as np
import pyarrow as pa
import pytest
import zstandard
from tests.support.lance_chunks import symbols
from tests.support.lance_files import StoredPage, lance_field, lance_file
from tests.support.lance_pages import (
    all_nulls,
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
from byteloom.limits import Limits
from byteloom_generated.lance import bit_packing
from byteloom_generated.lance import encodings20 as e

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def ints(*values: int) -> bytes:
    """32-bit integers."""
    return np.array(values, "<i4").tobytes()


def bit_packed(values: Sequence[int], width: int) -> bytes:
    """Integers of some bits each, one after the other."""
    number = sum((value & (1 << width) - 1) << at * width for at, value in enumerate(values))
    return number.to_bytes(-(-len(values) * width // 8), "little")


def packed(width: int, bits: int, *, signed: bool = False) -> e.ArrayEncoding:
    """Bit-packed integers of buffer 0."""
    found = e.Bitpacked(
        compressed_bits_per_value=width, uncompressed_bits_per_value=bits, signed=signed
    )
    return e.ArrayEncoding(bitpacked=found)


def row_by_row(*inner: e.ArrayEncoding) -> e.ArrayEncoding:
    """A packed struct."""
    return e.ArrayEncoding(packed_struct=e.PackedStruct(inner=inner))


def frame(data: bytes) -> bytes:
    """A Zstandard frame that does not say how much it holds."""
    compressor = zstandard.ZstdCompressor().compressobj()
    return compressor.compress(data) + compressor.flush()


def in_chunks(values: np.ndarray, width: int) -> bytes:
    """16-bit integers in chunks of 1,024, the last one padded."""
    chunks = -(-len(values) // 1024)
    padded = np.resize(np.append(values, 0), chunks * 1024).astype(np.uint16)
    padded[len(values) :] = 0
    out = np.zeros(chunks * width * 64, np.uint16)
    numbers = np.arange(chunks)
    widths = np.full(chunks, width)
    bit_packing.pack_16(padded, numbers * 1024, widths, out, numbers * width * 64)
    return out.tobytes()


def chunked(width: int, bits: int) -> e.ArrayEncoding:
    """Bit-packed chunks of buffer 0."""
    found = e.BitpackedForNonNeg(compressed_bits_per_value=width, uncompressed_bits_per_value=bits)
    return e.ArrayEncoding(bitpacked_for_non_neg=found)


FLAT, BITS = no_nulls(flat(32)), no_nulls(flat(1))
SOME = some_nulls(flat(1), flat(32, 1))
SIXTY = list(range(60))
CODED = no_nulls(flat(32, scheme="zstd"))

CASES: dict[str, tuple[str, list[StoredPage], list[Any]]] = {
    "flat": ("int32", [page(3, FLAT, ints(1, -2, 3))], [1, -2, 3]),
    "flat, bare": ("int32", [page(2, flat(32), ints(1, 2))], [1, 2]),
    "pages": ("int32", [page(60, FLAT, ints(*SIXTY)), page(1, FLAT, ints(7))], [*SIXTY, 7]),
    "an empty page": ("int32", [page(0, FLAT, b""), page(1, FLAT, ints(7))], [7]),
    "bool": (
        "bool",
        [page(9, BITS, bitmap(1, 0, 0, 1, 1, 1, 0, 1, 1))],
        [1, 0, 0, 1, 1, 1, 0, 1, 1],
    ),
    "decimal": (
        "decimal:128:5:2",
        [page(1, no_nulls(flat(128)), (1234).to_bytes(16, "little"))],
        [Decimal("12.34")],
    ),
    "bytes of fixed width": (
        "fixed_size_binary:3",
        [page(2, flat(24), b"abcdef")],
        [b"abc", b"def"],
    ),
    "some nulls": (
        "int32",
        [page(10, SOME, bitmap(1, 0, 1, 1, 1, 1, 1, 1, 1, 0), ints(*range(10)))],
        [0, None, *range(2, 9), None],
    ),
    "all nulls": ("int32", [page(3, all_nulls())], [None] * 3),
    "null": ("null", [page(3, all_nulls())], [None] * 3),
    "fixed lists": (
        "fixed_size_list:int32:2",
        [page(2, no_nulls(fixed_lists(2, FLAT)), ints(1, 2, 3, 4))],
        [[1, 2], [3, 4]],
    ),
    "fixed lists of such": (
        "fixed_size_list:fixed_size_list:bool:2:3",
        [page(1, fixed_lists(3, fixed_lists(2, BITS)), bitmap(1, 0, 0, 0, 1, 1))],
        [[[1, 0], [0, 0], [1, 1]]],
    ),
    "nulls in and of fixed lists": (
        "fixed_size_list:int32:2",
        [
            page(
                3,
                some_nulls(flat(1), fixed_lists(2, some_nulls(flat(1, 1), flat(32, 2)))),
                bitmap(1, 0, 1),
                bitmap(1, 0, 0, 0, 1, 1),
                ints(1, 0, 0, 0, 5, 6),
            )
        ],
        [[1, None], None, [5, 6]],
    ),
    "text": (
        "string",
        [page(4, binary(5), ends(1, 1, 1 + 6, 5), b"a\xc3\xa4bc")],
        ["a", "", None, "\xe4bc"],
    ),
    "large bytes": ("large_binary", [page(2, binary(3), ends(3, 3 + 4), b"abc")], [b"abc", None]),
    "text of fixed width": (
        "string",
        [
            page(
                2,
                e.ArrayEncoding(fixed_size_binary=e.FixedSizeBinary(bytes=flat(16), byte_width=2)),
                b"abcd",
            )
        ],
        ["ab", "cd"],
    ),
    "a dictionary of text": (
        "string",
        [page(3, dictionary(no_nulls(flat(8)), binary(3, 1), 2), b"\2\0\1", ends(1, 3), b"abc")],
        ["bc", None, "a"],
    ),
    "an Arrow dictionary": (
        "dict:string:int8:false",
        [page(3, dictionary(no_nulls(flat(8)), binary(3, 1), 3), b"\1\2\0", ends(1, 3, 7), b"abc")],
        ["bc", None, "a"],
    ),
    "nulls in indices": (
        "dict:int32:int8:false",
        [
            page(
                2,
                dictionary(some_nulls(flat(1), flat(8, 1)), flat(32, 2), 1),
                bitmap(0, 1),
                b"\0\0",
                ints(7),
            )
        ],
        [None, 7],
    ),
    "bit-packed": ("uint16", [page(20, packed(5, 16), bit_packed(range(20), 5))], [*range(20)]),
    "signed": (
        "int32",
        [page(9, packed(7, 32, signed=True), bit_packed(range(-4, 5), 7))],
        [*range(-4, 5)],
    ),
    "unsigned": ("int8", [page(2, packed(1, 8), bit_packed([0, 1], 1))], [0, 1]),
    "bit-packed chunks": (
        "uint16",
        [page(70, chunked(9, 16), in_chunks(np.arange(70) * 7, 9))],
        [each * 7 for each in range(70)],
    ),
    "FSST": (
        "string",
        [
            page(
                3,
                e.ArrayEncoding(fsst=e.Fsst(binary=binary(4), symbol_table=symbols(b"abc", b"x"))),
                ends(3, 3 + 5, 4),
                b"\0\xffz\1",
            )
        ],
        ["abcz", None, "x"],
    ),
    "a frame": ("int32", [page(60, CODED, frame(ints(*SIXTY)))], SIXTY),
    "a frame after its size": (
        "int32",
        [page(60, CODED, struct.pack("<Q", 240) + frame(ints(*SIXTY)))],
        SIXTY,
    ),
    "no frame": ("int32", [page(2, CODED, ints(1, 2))], [1, 2]),
    "no codec": ("int32", [page(2, no_nulls(flat(32, scheme="none")), ints(1, 2))], [1, 2]),
    "LZ4": (
        "int32",
        [page(60, flat(32, scheme="lz4"), lz4.block.compress(ints(*SIXTY), store_size=True))],
        SIXTY,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_an_encoding_gives_its_values(case: str, tmp_path: Path) -> None:
    """Each encoding is read from memory and disk, whole, in batches, ranges and by row numbers."""
    logical_type, pages, expected = CASES[case]
    data = old_file(logical_type, len(expected), *pages)
    place = tmp_path / "x.lance"
    place.write_bytes(data)
    for each in (data, place):
        with lance.open(each) as file:
            check_reads(file, expected)


def check_reads(file: lance.LanceFile, expected: list[Any]) -> None:
    """Compare all ways to read the first column with its values."""
    table = file.to_table()
    table.validate(full=True)
    assert table["x"].to_pylist() == expected
    for size in (1, 7):
        batches = list(file.scan(batch_size=size).batches())
        assert [len(each) for each in batches[:-1]] == [size] * (len(batches) - 1)
        assert pa.Table.from_batches(batches)["x"].to_pylist() == expected
    count = len(expected)
    for start in range(count):
        for stop in {start + 1, (start + count + 1) // 2, count}:
            part = file.scan(rows=range(start, stop)).to_table()
            assert part["x"].to_pylist() == expected[start:stop]
    rows = [count - 1, *range(0, count, 2), 0]
    assert file.take(rows)["x"].to_pylist() == [expected[each] for each in rows]


def test_dictionaries_of_pages_are_joined() -> None:
    """Dictionaries of several pages become one, as long as its indices can number all items."""
    first = page(2, dictionary(flat(8), binary(1, 1), 2), b"\0\1", ends(1, 3), b"a")
    second = page(2, dictionary(flat(8), binary(2, 1), 2), b"\1\0", ends(1, 2), b"bc")
    with lance.open(old_file("dict:string:int8:false", 4, first, second)) as file:
        check_reads(file, ["a", None, "c", "b"])
    many = [
        page(1, dictionary(flat(8), flat(32, 1), 100), b"\0", ints(*range(start, start + 100)))
        for start in (0, 100)
    ]
    with lance.open(old_file("dict:int32:int8:false", 2, *many)) as file:
        assert file.to_table()["x"].to_pylist() == [0, 100]
        with pytest.raises(Unsupported, match="pages that do not fit into one array"):
            file.take([0, 1])


LISTS = {
    "list": ([[1], [], None, [2, 3]], page(4, lists(3), ends(1, 1, 5, 3))),
    "large_list": ([None, [1, 2, 3]], page(2, lists(3), ends(4, 3))),
}


@pytest.mark.parametrize("kind", LISTS)
def test_lists_have_items_in_the_next_column(kind: str) -> None:
    """Items of lists are in the next column, and every page of lists counts its items from 0."""
    expected, offsets = LISTS[kind]
    columns = [[offsets] * 2, [page(6, FLAT, ints(1, 2, 3, 1, 2, 3))]]
    rows = 2 * len(expected)
    with lance.open(old_files([kind, "int32"], rows, columns)) as file:
        check_reads(file, expected * 2)


def test_lists_of_lists_and_of_structs_nest() -> None:
    """Nested lists and structs have a column for each layer."""
    columns = [
        [page(2, lists(3), ends(1, 3))],
        [page(3, lists(2), ends(0, 1, 2))],
        [page(2, e.ArrayEncoding(struct=e.SimpleStruct()))],
        [page(2, FLAT, ints(5, 6))],
    ]
    with lance.open(old_files(["list", "list.struct", "struct", "int32"], 2, columns)) as file:
        check_reads(file, [[[]], [[{"y3": 5}], [{"y3": 6}]]])
        assert file.take([1], ["x.y1.y2.y3"])["x"].to_pylist() == [[[{"y3": 5}], [{"y3": 6}]]]


def struct_file(*columns: list[StoredPage], rows: int = 2, **values: Any) -> bytes:
    """A file of a struct of two numbers."""
    fields = [
        lance_field("x", "struct", **values),
        lance_field("a", "int32", 1, parent_id=0),
        lance_field("b", "int32", 2, parent_id=0),
    ]
    return lance_file(fields, columns, rows=rows)


HEADER = page(2, e.ArrayEncoding(struct=e.SimpleStruct()))


def test_structs_have_a_column_for_each_field() -> None:
    """A struct's fields are columns, and one that is not selected is not read."""
    data = struct_file([HEADER], [page(2, FLAT, ints(1, 2))], [page(2, FLAT, ints(3, 4))])
    with lance.open(data) as file:
        check_reads(file, [{"a": 1, "b": 3}, {"a": 2, "b": 4}])
    damaged = struct_file([HEADER], [page(2, FLAT, ints(1, 2))], [page(2, FLAT, b"")])
    with lance.open(damaged) as file:
        assert file.to_table(["x.a"])["x"].to_pylist() == [{"a": 1}, {"a": 2}]
        with pytest.raises(Truncated, match=r"columns\[2\]\.pages\[0\]\.buffers\[0\]"):
            file.to_table(["x.b"])


def test_fields_of_a_struct_written_in_parts_are_read_once() -> None:
    """Fields that releases through 0.27.2 wrote again with each part of a struct are read once."""
    whole = page(2, FLAT, ints(1, 2))
    data = struct_file([HEADER], [whole] * 3, [whole] * 3)
    with lance.open(data) as file:
        check_reads(file, [{"a": 1, "b": 1}, {"a": 2, "b": 2}])
    twice = page(4, FLAT, ints(1, 2, 1, 2))
    with lance.open(struct_file([HEADER], [twice], [whole])) as file:
        check_reads(file, [{"a": 1, "b": 1}, {"a": 2, "b": 2}])
        assert file.take([1, 1]).num_rows == 2
    odd = struct_file([HEADER], [whole, page(1, FLAT, ints(1))], [whole])
    with lance.open(odd) as file, pytest.raises(FormatError, match=r"a field of 3 rows, wanted 2"):
        file.to_table()


def test_a_packed_struct_is_cut_into_fields() -> None:
    """A packed struct, stored row by row in one buffer, is read as its fields."""
    encoding = row_by_row(FLAT, FLAT)
    data = struct_file([page(2, encoding, ints(1, 2, 3, 4))], metadata={"packed": b"true"})
    with lance.open(data) as file:
        check_reads(file, [{"a": 1, "b": 2}, {"a": 3, "b": 4}])
        assert file.to_table(["x.b"]).equals(file.to_table())


@pytest.mark.parametrize("is_nullable", [False, True])
def test_a_packed_struct_may_have_lists_of_fixed_size(is_nullable: bool) -> None:
    """A field of a packed struct may be a list of numbers, or of lists of numbers."""
    pair, triple = fixed_lists(2, flat(16)), fixed_lists(3, fixed_lists(2, flat(16)))
    inner = [no_nulls(pair), no_nulls(triple)] if is_nullable else [pair, triple]
    fields = [
        lance_field("x", "struct", metadata={"packed": b"true"}),
        lance_field("a", "fixed_size_list:int16:2", 1, parent_id=0),
        lance_field("b", "fixed_size_list:fixed_size_list:int16:2:3", 2, parent_id=0),
    ]
    stored = np.arange(16, dtype="<i2").tobytes()
    data = lance_file(fields, [[page(2, row_by_row(*inner), stored)]], rows=2)
    with lance.open(data) as file:
        check_reads(
            file,
            [
                {"a": [0, 1], "b": [[2, 3], [4, 5], [6, 7]]},
                {"a": [8, 9], "b": [[10, 11], [12, 13], [14, 15]]},
            ],
        )
    wrong = lance_file(fields, [[page(2, row_by_row(pair, pair), stored)]], rows=2)
    with lance.open(wrong) as file, pytest.raises(Unsupported, match="fixed_size_list in a packed"):
        file.to_table()


def test_text_may_be_lists_of_bytes() -> None:
    """Text is read from two columns, a list of bytes, as releases 0.12 and 0.13 wrote it."""
    columns = [[page(3, lists(3), ends(1, 5, 3))], [page(3, no_nulls(flat(8)), b"abc")]]
    with lance.open(lance_file([lance_field("x", "string")], columns, rows=3)) as file:
        check_reads(file, ["a", None, "bc"])


def blob_file(*places: tuple[int, int]) -> bytes:
    """A file of blobs; the first bytes of the file are ``[place...]``."""
    encoding = row_by_row(no_nulls(flat(64)), no_nulls(flat(64)))
    flat_places = [number for each in places for number in each]
    field = lance_field("x", "large_binary", metadata={"lance-encoding:blob": b"true"})
    return lance_file(
        [field], [[page(len(places), encoding, ends(*flat_places))]], rows=len(places)
    )


def test_blobs_are_outside_of_pages() -> None:
    """A blob is read by position and size; size 0 is null at a position, and empty at 0."""
    places = [(0, 8), (1, 0), (0, 0), (8, 2)]
    data = blob_file(*places)
    with lance.open(data) as file:
        check_reads(file, [data[:8], None, b"", data[8:10]])


@pytest.mark.parametrize("place", [(1 << 63, 1), (0, 1 << 63), (1 << 62, 1 << 62), (0, 10_000)])
def test_a_blob_outside_of_the_file_is_refused(place: tuple[int, int]) -> None:
    """A blob outside of the file is refused before anything is read or allocated."""
    with lance.open(blob_file(place)) as file, pytest.raises(FormatError, match="a blob outside"):
        file.to_table()


@pytest.mark.parametrize("is_reversed", [False, True])
def test_buffers_may_be_in_reverse_order(is_reversed: bool) -> None:
    """In a column without an encoding, the sizes of buffers show which order they have."""
    buffers = [bitmap(1, 0), ints(1, 2)]
    stored = page(2, SOME, *(reversed(buffers) if is_reversed else buffers))
    data = lance_file([lance_field("x", "int32")], [[stored]], rows=2, column_encoding=None)
    with lance.open(data) as file:
        check_reads(file, [1, None])


def test_buffers_of_either_order_are_refused() -> None:
    """Buffers whose sizes allow both orders are refused."""
    stored = page(2, some_nulls(flat(1), flat(1, 1)), bitmap(1, 0), bitmap(1, 1))
    data = lance_file([lance_field("x", "bool")], [[stored]], rows=2, column_encoding=None)
    with lance.open(data) as file, pytest.raises(Unsupported, match="buffers in either order"):
        file.to_table()


DAMAGED: dict[str, tuple[str, StoredPage, str]] = {
    "a short buffer": ("int32", page(2, FLAT, ints(1)), r"buffers\[0\] at .*found 4 bytes, wanted"),
    "no buffer": ("int32", page(1, FLAT), r"buffers\[0\] .*wanted one of the 0 of the page"),
    "another width": ("int64", page(2, FLAT, ints(1, 2)), r"found 32, wanted 64 bits, of int64"),
    "another type": ("string", page(1, FLAT, ints(1)), "found 32, wanted|an encoding of string"),
    "ends that descend": ("string", page(2, binary(3), ends(3, 1), b"abc"), "ends that ascend"),
    "ends too far": (
        "string",
        page(1, binary(9), ends(9), b"abc"),
        r"buffers\[1\] .*found 3 bytes",
    ),
    "no text": ("string", page(1, binary(1), ends(1), b"\xff"), r"buffers\[1\].*text in UTF-8"),
    "a large adjustment": ("string", page(1, binary((1 << 64) - 2), ends(1), b"a"), "adjustment"),
    "an index too far": (
        "string",
        page(1, dictionary(flat(8), binary(1, 1), 1), b"\2", ends(1), b"a"),
        r"found an index of 2, wanted a number below 2",
    ),
    "a negative index": (
        "dict:string:int8:false",
        page(1, dictionary(flat(8), binary(1, 1), 1), b"\xff", ends(1), b"a"),
        r"found an index of -1, wanted a number below 1",
    ),
    "lists of another size": (
        "fixed_size_list:int32:3",
        page(1, fixed_lists(2, FLAT), ints(1, 2)),
        "lists of 2 items",
    ),
    "an unknown codec": ("int32", page(1, flat(32, scheme="snappy"), ints(1)), "'snappy'"),
    "a damaged frame": ("int32", page(2, CODED, frame(ints(1, 2))[:-2]), r"buffers\[0\] at"),
    "a longer frame": ("int32", page(2, CODED, frame(ints(1, 2, 3))), "found 12 bytes .*wanted 8"),
    "too few chunks": ("int16", page(2, chunked(9, 16), bytes(1151)), "wanted at least 1152 bytes"),
    "no bits": ("int32", page(1, packed(0, 32), b"\0"), "found 0 bits of 32"),
    "too many bits": ("int32", page(1, packed(33, 32), bytes(5)), "found 33 bits of 32"),
    "no encoding": ("int32", page(1, e.ArrayEncoding()), "no encoding"),
    "no rows": ("int32", page(0, FLAT, b""), "found 0 rows, wanted 1"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damage_is_named(case: str) -> None:
    """The error for a damaged page names the page, the buffer and its place."""
    logical_type, stored, message = DAMAGED[case]
    with lance.open(old_file(logical_type, 1 + (stored.length > 1), stored)) as file:
        with pytest.raises(FormatError, match=message):
            file.to_table()
        with pytest.raises(FormatError, match=message):
            file.take([file.num_rows - 1])


@pytest.mark.parametrize("values", [(2, 1), (1, 9), (1, 1 << 63)])
def test_lists_end_inside_of_their_items(values: tuple[int, int]) -> None:
    """List ends that descend, or exceed the items, are refused."""
    columns = [[page(2, lists(3, 100), ends(*values))], [page(3, FLAT, ints(1, 2, 3))]]
    with (
        lance.open(old_files(["list", "int32"], 2, columns)) as file,
        pytest.raises(FormatError, match=r"columns\[0\]\.pages\[0\] .*ends that ascend up to 3"),
    ):
        file.to_table()


def test_rows_that_nothing_pays_for_are_bounded() -> None:
    """Nulls that take no bytes count against ``limits.elements``; some of them can be read."""
    limits = Limits(elements=1000)
    rows = 1 << 60
    with lance.open(old_file("int64", rows, page(rows, all_nulls())), limits=limits) as file:
        assert file.scan(rows=range(rows - 1000, rows)).to_table().num_rows == 1000
        assert file.take([rows - 1])["x"].null_count == 1
        with pytest.raises(LimitExceeded, match=r"pages\[0\]: found .* nulls.*limits\.elements"):
            file.to_table()


def test_rows_that_are_not_there_are_refused() -> None:
    """A page of four bytes that claims 2^60 rows is refused as truncated."""
    rows = 1 << 60
    with (
        lance.open(old_file("int32", rows, page(rows, FLAT, ints(1)))) as file,
        pytest.raises(Truncated, match=r"found 4 bytes, wanted at least 4611686018427387904 bytes"),
    ):
        file.to_table()


def test_decompressed_bytes_are_bounded() -> None:
    """The size that rows need is checked against ``limits.decompressed_size`` beforehand."""
    data = old_file("int32", 60, page(60, CODED, frame(ints(*SIXTY))))
    with lance.open(data, limits=Limits(decompressed_size=240)) as file:
        assert file.to_table().num_rows == 60
    with (
        lance.open(data, limits=Limits(decompressed_size=239)) as file,
        pytest.raises(LimitExceeded, match=r"limits\.decompressed_size"),
    ):
        file.to_table()


@pytest.mark.parametrize("case", ["some nulls", "text", "an Arrow dictionary", "signed", "a frame"])
def test_a_changed_byte_is_read_or_refused(case: str) -> None:
    """A change to any byte of the file raises nothing but a `ByteloomError`."""
    logical_type, pages, expected = CASES[case]
    data = bytearray(old_file(logical_type, len(expected), *pages))
    for at in range(len(data)):
        for change in (0x01, 0x80, 0xFF):
            data[at] ^= change
            try:
                with lance.open(bytes(data)) as file:
                    file.take([0])
                    file.to_table().validate(full=True)
            except ByteloomError:
                pass
            data[at] ^= change
