"""Files of version 0.1: values without validity, batch by batch."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.lance_files import lance_field
from tests.support.lance_legacy import Stored, legacy_file, plain, texts

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.lance.decoding import rows_of as decoded_rows
from byteloom.limits import Limits
from byteloom_generated.lance.tail import LegacyTail

if TYPE_CHECKING:
    import pyarrow as pa


def table_of(data: bytes, **values: Any) -> pa.Table:
    """All rows of a file."""
    with lance.open(data, **values) as file:
        return file.to_table()


def rows_of(data: bytes) -> list[Any]:
    """The values of the only column of a file."""
    found: list[Any] = table_of(data).column(0).to_pylist()
    return found


def one_field(logical_type: str, *pages: Stored, **values: Any) -> bytes:
    """A file of one column, a batch for each page."""
    batches = [0]
    for each in pages:
        batches.append(batches[-1] + each.length)
    field = lance_field("x", logical_type, **{"number": values.pop("id", 0), **values})
    return legacy_file([field], {field.id: pages}, batches)


def test_a_file_says_what_it_is() -> None:
    """A version 0.1 file gives its version, its rows, and the schema of its manifest."""
    with lance.open(one_field("int32", plain([1, 2], "<i4"), plain([3], "<i4"))) as file:
        assert (file.version, file.num_rows, str(file.schema)) == ("0.1", 3, "x: int32")


def lists(kind: str, offsets: list[list[int]], items: list[list[int]]) -> bytes:
    """A file of lists, a batch for each list of offsets, which have 64 bits in large lists."""
    fields = [lance_field("x", kind), lance_field("item", "int8", 1, parent_id=0)]
    width = "<i8" if kind == "large_list" else "<i4"
    pages = {1: [plain(each, "i1") for each in items], 0: [plain(each, width) for each in offsets]}
    return legacy_file(fields, pages, [0, *accumulate(len(each) - 1 for each in offsets)])


def structs(*pages: list[int]) -> bytes:
    """A file of structs of one number, whose batches have two rows and one."""
    fields = [lance_field("x", "struct"), lance_field("a", "int8", 1, parent_id=0)]
    return legacy_file(fields, {1: [plain(each, "i1") for each in pages]}, [0, 2, 3])


def words(*indices: int, item: bytes = b"one") -> bytes:
    """A file of a dictionary of one text."""
    field = lance_field("x", "dict:string:int8:false")
    pages = {0: [plain(list(indices), "i1")]}
    return legacy_file([field], pages, [0, len(indices)], dictionary=(0, item))


def coded(offset: int, length: int) -> bytes:
    """A file of a dictionary of the numbers 70 and 80, which are after two indices."""
    field = lance_field("x", "dict:int32:int8:false")
    field.dictionary.offset, field.dictionary.length = offset, length
    stored = plain([1, 0], "i1").data + plain([70, 80], "<i4").data
    return legacy_file([field], {0: [Stored(stored, 2)]}, [0, 2])


PAIRS, TRIPLES = "fixed_size_list:int16:2", "fixed_size_list:bool:3"


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (one_field("int8", plain([-1, 2], "i1")), [-1, 2]),
        (one_field("double", plain([0.5, -2], "<f8")), [0.5, -2]),
        (one_field("bool", Stored(b"\x05", 3)), [True, False, True]),
        (one_field("fixed_size_binary:2", Stored(b"abcd", 2)), [b"ab", b"cd"]),
        (one_field(PAIRS, Stored(plain([1, 2, 3, 4], "<i2").data, 2)), [[1, 2], [3, 4]]),
        (
            one_field(TRIPLES, Stored(b"\x2a", 2)),
            [[False, True, False], [True, False, True]],
        ),
        (one_field("null", Stored(b"", 2)), [None, None]),
        # In a nullable column an empty text is null.
        (one_field("string", texts([b"a", b"", b"bc"])), ["a", None, "bc"]),
        (one_field("string", texts([b"", b"a"]), nullable=False), ["", "a"]),
        (one_field("large_binary", texts([b"a", b""])), [b"a", None]),
        (one_field("binary", texts([b"\xff"])), [b"\xff"]),
        # Offsets of a batch's lists may begin anywhere.
        (lists("list", [[0, 2, 2], [7, 8]], [[1, 2], [3]]), [[1, 2], [], [3]]),
        (lists("large_list", [[0, 2, 2], [7, 8]], [[1, 2], [3]]), [[1, 2], [], [3]]),
        # A struct has its batch's rows, though its pages have more after a write in parts.
        (structs([1, 2, 9, 9], [3, 9]), [{"a": 1}, {"a": 2}, {"a": 3}]),
        (legacy_file([lance_field("x", "struct")], {}, [0, 2]), [{}, {}]),
        # A dictionary is once in the file; empty text of it is null, as pylance reads it.
        (words(0, 0), ["one", "one"]),
        (words(0, 0, item=b""), [None, None]),
        (coded(2, 2), [80, 70]),
    ],
)
def test_values_are_read(data: bytes, values: list[Any]) -> None:
    """Values of each type are read: plain ones, lists, structs and dictionaries."""
    assert rows_of(data) == values


def test_rows_are_read_from_the_batches_that_have_them() -> None:
    """Ranges and row numbers are read across batches, one of which is empty."""
    pages = [plain([0, 1, 2], "<i8"), plain([], "<i8"), plain([3, 4], "<i8"), plain([5], "<i8")]
    with lance.open(one_field("int64", *pages)) as file:
        for start in range(7):
            for stop in range(start, 7):
                found = file.scan(rows=range(start, stop)).to_table()["x"].to_pylist()
                assert found == list(range(start, stop))
        assert file.take([5, 0, 3, 3, 2])["x"].to_pylist() == [5, 0, 3, 3, 2]
        assert file.take([])["x"].to_pylist() == []
        assert [len(each) for each in file.to_table()["x"].chunks] == [3, 2, 1]


def test_the_page_table_begins_with_the_least_id() -> None:
    """A page table begins with the least field id, or with 0, as releases 0.4 to 0.7 wrote it."""
    for first in (None, 0):
        field = lance_field("x", "int8", 3)
        assert rows_of(legacy_file([field], {3: [plain([7], "i1")]}, [0, 1], first=first)) == [7]


def with_number(at: int, number: int) -> bytes:
    """A file of one number, with another place or length of its page."""
    data = one_field("int8", plain([1], "i1"))
    return data[:at] + number.to_bytes(8, "little", signed=True) + data[at + 8 :]


MAP = [
    lance_field("x", "map"),
    lance_field("entries", "struct", 1, parent_id=0),
    lance_field("key", "int8", 2, parent_id=1, nullable=False),
    lance_field("value", "int8", 3, parent_id=1),
]
NUMBER = lance_field("x", "int8")


@pytest.mark.parametrize(
    ("data", "error", "match"),
    [
        (
            legacy_file([NUMBER], {0: [plain([1], "i1")]}, [0, 2]),
            FormatError,
            r"page_table\[0\]\[0\]\.num_values at byte \d+ .*: found 1, wanted at least 2",
        ),
        (
            one_field("int64", Stored(b"", 1 << 30)),
            Truncated,
            r"x\.pages\[0\] at byte 0 .*: found bytes 0 to 8589934592",
        ),
        (
            with_number(1, -1),
            FormatError,
            r"page_table\[0\]\[0\]\.legacy_page\.ofs_page at byte 1 .*: found -1, wanted",
        ),
        (
            with_number(1, 1 << 40),
            FormatError,
            r"page_table\[0\]\[0\]\.ofs_page at byte 1 .*: found 1099511627776, wanted at",
        ),
        (
            with_number(9, -1),
            FormatError,
            r"num_values at byte 9 .*: found -1, wanted at least 0",
        ),
        (
            lists("list", [[0, 2, 1]], [[1]]),
            FormatError,
            r"x\.pages\[0\]\.offsets\[2\] at byte 9 .*: found 1, wanted 2 or more",
        ),
        (
            lists("list", [[-1, 0, 0]], [[1]]),
            FormatError,
            r"x\.pages\[0\]\.offsets\[0\] at byte 1 .*: found -1, wanted 0 or more",
        ),
        (
            one_field("string", texts([b"\xff"])),
            FormatError,
            r"x\.pages\[0\] at byte 0 .*: found not UTF-8",
        ),
        (
            legacy_file([NUMBER], {}, [1, 2]),
            FormatError,
            r"metadata\.batch_offsets\[0\] at byte \d+ .*: found 1, wanted 0",
        ),
        (
            legacy_file([NUMBER], {}, [0, 2, 1]),
            FormatError,
            r"metadata\.batch_offsets\[2\] at byte \d+ .*: found 1, wanted 2 or more",
        ),
        (
            legacy_file(MAP, {0: [Stored(b"", 1)]}, [0, 1]),
            Unsupported,
            r"found map<.*, wanted a type that version 0\.1 stores",
        ),
        (
            words(0, 1),
            FormatError,
            r"x\.pages\[0\].*: found an index outside of the dictio",
        ),
        *(
            (
                coded(offset, length),
                FormatError,
                rf"schema\.x\.dictionary: found {length} values at {offset}, wanted 0 or more of",
            )
            for offset, length in [(-1, 1), (0, -1)]
        ),
    ],
)
def test_damage_is_refused_with_its_place(
    data: bytes, error: type[ByteloomError], match: str
) -> None:
    """The error for a damaged file has the place, what was found and what was wanted."""
    with pytest.raises(error, match=match):
        table_of(data)


def test_messages_and_tables_have_limits() -> None:
    """Messages and page tables larger than ``limits.metadata_size`` are refused."""
    data = one_field("int8", plain([1], "i1"))
    with pytest.raises(LimitExceeded, match=r"metadata\.len_message .*limits\.metadata_size"):
        lance.open(data, limits=Limits(metadata_size=4))
    fields = [lance_field("x", "int8"), lance_field("y", "int8", 1 << 20)]
    with lance.open(legacy_file(fields, {}, [0])) as file:
        assert file.num_rows == 0
    with pytest.raises(LimitExceeded, match=r"page_table .*: found 33554464, wanted at most"):
        table_of(legacy_file(fields, {}, [0, 0, 0]), limits=Limits(metadata_size=1 << 20))


def test_a_page_table_may_have_as_many_bytes_as_the_limit_says() -> None:
    """A page table of exactly ``limits.metadata_size`` is read; one more byte is refused."""
    count = 1000  # so that the table, of 16 bytes a batch, is larger than the other metadata
    data = legacy_file(
        [lance_field("x", "int8")], {0: [plain([1], "i1")] * count}, [*range(count + 1)]
    )
    assert table_of(data, limits=Limits(metadata_size=16 * count)).num_rows == count
    with pytest.raises(LimitExceeded, match=r"^page_table .*: found 16000, wanted at most 15999 "):
        table_of(data, limits=Limits(metadata_size=16 * count - 1))


def test_a_field_that_no_page_table_has_is_refused() -> None:
    """A field whose id the page table lacks is refused, at the place of the table."""
    with lance.open(one_field("int8", plain([1], "i1"), id=3)) as file:
        assert file.legacy_pages.table == (1, 17)
        for number in (2, 4):
            other = replace(file.fields[0], id=number)
            wanted = rf"field\.id at byte 1 \(0x1\): found {number}, wanted 3 to 3, the ids of th"
            with pytest.raises(FormatError, match=wanted):
                decoded_rows(file.reader(other), range(1))


def test_a_file_that_is_shorter_than_its_tail_is_refused() -> None:
    """Eight bytes that end like version 0.1 are refused as truncated."""
    data = b"\0\0\2\0LANC"
    wanted = r"^legacy_tail at byte 0 \(0x0\): found 8 bytes, wanted at least 16 bytes in a f"
    with pytest.raises(Truncated, match=wanted):
        lance.open(data)


def test_a_file_without_a_manifest_has_no_schema() -> None:
    """A file without a manifest is read as rows without columns."""
    data = legacy_file([lance_field("x", "int8")], {}, [0, 2], has_manifest=False)
    assert table_of(data).shape == (2, 0)


def test_every_beginning_and_ending_of_a_file_is_refused() -> None:
    """Every truncated file, at either end, is refused."""
    data = one_field("string", texts([b"abc", b"d"]))
    for size in range(len(data)):
        with pytest.raises(ByteloomError):
            table_of(data[:size])
    for start in range(1, len(data) - LegacyTail.SIZE):
        with pytest.raises(ByteloomError):
            table_of(data[start:])


def test_flipped_bits_are_refused_or_change_values_alone() -> None:
    """Any flipped bit raises a `ByteloomError` or changes values, nothing else."""
    fields = [
        lance_field("x", "list"),
        lance_field("item", "string", 1, parent_id=0),
        lance_field("d", "dict:string:int8:false", 2),
    ]
    pages = {0: [plain([0, 1, 3], "<i4")], 1: [texts([b"a", b"b", b"c"])], 2: [plain([0, 0], "i1")]}
    data = legacy_file(fields, pages, [0, 2], dictionary=(2, b"one"))
    for at in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[at] ^= 1 << bit
            try:
                table_of(bytes(damaged)).validate(full=True)
            except ByteloomError:
                continue


@pytest.mark.parametrize("message", [b"", b"x" * 8, b"\x18\x05"])
def test_a_message_without_batches_and_schema_is_no_metadata(message: bytes) -> None:
    """A message without batches and schema, which would be a file without rows, is refused."""
    data = bytes(4) + len(message).to_bytes(4, "little") + message
    with pytest.raises(FormatError) as caught:
        table_of(data + (4).to_bytes(8, "little") + b"\0\0\2\0LANC")
    assert (caught.value.path, caught.value.offset) == ("metadata", 8)
    assert str(caught.value).endswith(
        f"found a message of {len(message)} bytes with neither,"
        " wanted batches or the place of a schema"
    )
