"""Files of version 0.1: values without validity, batch by batch."""

from __future__ import annotations

from dataclasses import replace
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


@pytest.mark.parametrize(
    ("logical_type", "page", "values"),
    [
        ("int8", plain([-1, 2], "i1"), [-1, 2]),
        ("double", plain([0.5, -2], "<f8"), [0.5, -2]),
        ("bool", Stored(b"\x05", 3), [True, False, True]),
        ("fixed_size_binary:2", Stored(b"abcd", 2), [b"ab", b"cd"]),
        ("fixed_size_list:int16:2", Stored(plain([1, 2, 3, 4], "<i2").data, 2), [[1, 2], [3, 4]]),
        ("fixed_size_list:bool:3", Stored(b"\x2a", 2), [[False, True, False], [True, False, True]]),
        ("null", Stored(b"", 2), [None, None]),
        ("string", texts([b"a", b"", b"bc"]), ["a", None, "bc"]),
        ("large_binary", texts([b"a", b""]), [b"a", None]),
    ],
)
def test_values_are_read(logical_type: str, page: Stored, values: list[Any]) -> None:
    """Values of each type are read; in a nullable column an empty text is null."""
    assert rows_of(one_field(logical_type, page)) == values


def test_an_empty_text_that_may_not_be_null_is_empty() -> None:
    """In a column that is not nullable, an empty text is an empty text."""
    assert rows_of(one_field("string", texts([b"", b"a"]), nullable=False)) == ["", "a"]


def test_lists_have_the_items_of_their_batch() -> None:
    """Offsets of a batch's lists may begin anywhere; those of large lists have 64 bits."""
    for kind, width in (("list", "<i4"), ("large_list", "<i8")):
        fields = [lance_field("x", kind), lance_field("item", "int8", 1, parent_id=0)]
        first, second = plain([0, 2, 2], width), plain([7, 8], width)
        items = [plain([1, 2], "i1"), plain([3], "i1")]
        data = legacy_file(fields, {0: [first, second], 1: items}, [0, 2, 3])
        assert rows_of(data) == [[1, 2], [], [3]]


def test_structs_are_their_children() -> None:
    """A struct has its batch's rows, though its pages have more after a write in parts."""
    fields = [lance_field("x", "struct"), lance_field("a", "int8", 1, parent_id=0)]
    data = legacy_file(fields, {1: [plain([1, 2, 9, 9], "i1"), plain([3, 9], "i1")]}, [0, 2, 3])
    assert rows_of(data) == [{"a": 1}, {"a": 2}, {"a": 3}]


def test_a_struct_without_children_has_rows() -> None:
    """A struct without fields has the rows of its batch, though it has no pages."""
    data = legacy_file([lance_field("x", "struct")], {}, [0, 2])
    assert rows_of(data) == [{}, {}]


def test_dictionaries_have_their_values_once_in_the_file() -> None:
    """All batches use the one dictionary that is stored where the field says."""
    field = lance_field("x", "dict:string:int8:false")
    data = legacy_file([field], {0: [plain([0, 0], "i1")]}, [0, 2], dictionary=(0, b"one"))
    assert rows_of(data) == ["one", "one"]
    data = legacy_file([field], {0: [plain([0, 1], "i1")]}, [0, 2], dictionary=(0, b"one"))
    with pytest.raises(FormatError, match=r"x\.pages\[0\].*: found an index outside of the dictio"):
        table_of(data)


def test_an_empty_text_of_a_dictionary_is_null() -> None:
    """Empty values of a dictionary are null, as in a nullable column and as pylance reads them."""
    field = lance_field("x", "dict:string:int8:false")
    data = legacy_file([field], {0: [plain([0, 0], "i1")]}, [0, 2], dictionary=(0, b""))
    assert rows_of(data) == [None, None]


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


def test_a_page_of_too_few_values_is_refused() -> None:
    """The error for a page with fewer values than its batch has rows names field and batch."""
    data = legacy_file([lance_field("x", "int8")], {0: [plain([1], "i1")]}, [0, 2])
    match = r"page_table\[0\]\[0\]\.num_values at byte \d+ .*: found 1, wanted at least 2"
    with pytest.raises(FormatError, match=match):
        table_of(data)


def test_a_page_outside_of_the_file_is_refused() -> None:
    """A page beyond the end of the file is refused before anything is read or allocated."""
    data = one_field("int64", Stored(b"", 1 << 30))
    with pytest.raises(Truncated, match=r"x\.pages\[0\] at byte 0 .*: found bytes 0 to 8589934592"):
        table_of(data)


@pytest.mark.parametrize(
    ("place", "match"),
    [
        (
            -1,
            r"page_table\[0\]\[0\]\.legacy_page\.ofs_page at byte 1 .*: found -1, wanted",
        ),
        (
            1 << 40,
            r"page_table\[0\]\[0\]\.ofs_page at byte 1 .*: found 1099511627776, wanted at",
        ),
    ],
)
def test_places_outside_of_the_file_are_refused(place: int, match: str) -> None:
    """A page offset that is negative or beyond the file is refused."""
    data = bytearray(one_field("int8", plain([1], "i1")))
    data[1:9] = place.to_bytes(8, "little", signed=True)
    with pytest.raises(FormatError, match=match):
        table_of(bytes(data))


def test_a_negative_length_is_refused() -> None:
    """A page table's negative length is refused at its place, the second half of the pair."""
    data = bytearray(one_field("int8", plain([1], "i1")))
    data[9:17] = b"\xff" * 8
    with pytest.raises(FormatError, match=r"num_values at byte 9 .*: found -1, wanted at least 0"):
        table_of(bytes(data))


@pytest.mark.parametrize(
    ("offsets", "match"),
    [
        ([0, 2, 1], r"x\.pages\[0\]\.offsets\[2\] at byte 9 .*: found 1, wanted 2 or more"),
        ([-1, 0, 0], r"x\.pages\[0\]\.offsets\[0\] at byte 1 .*: found -1, wanted 0 or more"),
    ],
)
def test_offsets_that_descend_are_refused(offsets: list[int], match: str) -> None:
    """List offsets that descend or are negative are refused at their place."""
    fields = [lance_field("x", "list"), lance_field("item", "int8", 1, parent_id=0)]
    data = legacy_file(
        fields, {1: [plain([1], "i1")], 0: [plain(offsets, "<i4")]}, [0, len(offsets) - 1]
    )
    with pytest.raises(FormatError, match=match):
        table_of(data)


def test_text_that_is_not_utf_8_is_refused() -> None:
    """Text that is not UTF-8 is refused; a binary column takes the same bytes."""
    with pytest.raises(FormatError, match=r"x\.pages\[0\] at byte 0 .*: found not UTF-8"):
        table_of(one_field("string", texts([b"\xff"])))
    assert rows_of(one_field("binary", texts([b"\xff"]))) == [b"\xff"]


@pytest.mark.parametrize(
    ("batches", "match"),
    [
        ([1, 2], r"metadata\.batch_offsets\[0\] at byte \d+ .*: found 1, wanted 0"),
        ([0, 2, 1], r"metadata\.batch_offsets\[2\] at byte \d+ .*: found 1, wanted 2 or more"),
    ],
)
def test_batches_begin_with_row_0_and_ascend(batches: list[int], match: str) -> None:
    """A file whose batches do not begin with row 0, or descend, is refused when it is opened."""
    with pytest.raises(FormatError, match=match):
        lance.open(legacy_file([lance_field("x", "int8")], {}, batches))


def test_a_type_that_version_0_1_lacks_is_refused() -> None:
    """A map, which version 0.1 cannot store, is refused."""
    fields = [
        lance_field("x", "map"),
        lance_field("entries", "struct", 1, parent_id=0),
        lance_field("key", "int8", 2, parent_id=1, nullable=False),
        lance_field("value", "int8", 3, parent_id=1),
    ]
    with pytest.raises(Unsupported, match=r"found map<.*, wanted a type that version 0\.1 stores"):
        table_of(legacy_file(fields, {0: [Stored(b"", 1)]}, [0, 1]))


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


@pytest.mark.parametrize(("offset", "length"), [(-1, 1), (0, -1)])
def test_a_dictionary_that_is_nowhere_is_refused(offset: int, length: int) -> None:
    """The error for a dictionary with a negative offset or length names the field and both."""
    field = lance_field("x", "dict:int32:int8:false")
    field.dictionary.offset, field.dictionary.length = offset, length
    data = legacy_file([field], {0: [plain([0], "i1")]}, [0, 1])
    wanted = rf"schema\.x\.dictionary: found {length} values at {offset}, wanted 0 or more of both$"
    with pytest.raises(FormatError, match=wanted):
        table_of(data)


def test_dictionaries_may_have_numbers() -> None:
    """A dictionary of numbers is read from its own place in the file."""
    field = lance_field("x", "dict:int32:int8:false")
    field.dictionary.offset, field.dictionary.length = 2, 2
    stored = plain([1, 0], "i1").data + plain([70, 80], "<i4").data
    assert rows_of(legacy_file([field], {0: [Stored(stored, 2)]}, [0, 2])) == [80, 70]


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
