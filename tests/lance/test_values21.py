"""Values of pages from version 2.1 on: those compressed one by one, and Arrow arrays of all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from tests.lance.test_codecs import compressed, fsst, lists, structs
from tests.support.lance_chunks import encoding, flat, ints, page_of, symbols, variable

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Unsupported
from byteloom.lance.pages21.leaf_arrays import Dictionary, blob_array
from byteloom.lance.pages21.values import (
    Fixed,
    Lists,
    Nulls,
    Packed,
    Structs,
    Variable,
    array_of,
    bitmap,
    offset_type,
)
from byteloom.lance.pages21.zipped import fixed_values, variable_values
from byteloom.lance.stored_pages import fetched
from byteloom.limits import Limits
from byteloom.storage.sources import BytesSource
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.pages21.values import Values
    from byteloom_generated.lance.encodings21 import CompressiveEncoding

PAGE: Final = page_of(b"")
WHERE: Final = "p.value_compression at byte 7 (0x7): found "


def rows(*given: bytes) -> np.ndarray:
    """The bytes of values of fixed width, as a matrix."""
    return np.array([list(each) for each in given], np.uint8).reshape(len(given), -1)


def array(values: Values, type_: pa.DataType, *valid: bool) -> list[Any]:
    """Values as an Arrow array of a type; *valid* says which are not null."""
    bits = bitmap(np.array(valid)) if valid else None
    made = array_of(values, type_, bits, "v", 9)
    made.validate(full=True)
    found: list[Any] = made.to_pylist()
    return found


def nulls(value: bytes | None = None) -> CompressiveEncoding:
    """An encoding of nothing but nulls, or of one value."""
    return encoding(constant=e.Constant(value=value) if value is not None else e.Constant())


PAIR: Final = pa.list_(pa.int16(), 2)
BITS: Final = pa.list_(pa.bool_(), 9)


@pytest.mark.parametrize(
    ("message", "stored", "type_", "expected"),
    [
        (flat(16), rows(b"\1\0", b"\2\1"), pa.int16(), [1, 258]),
        (flat(1), rows(b"\1", b"\0"), pa.bool_(), [True, False]),
        (lists(2, flat(16)), rows(b"\1\0\2\0", b"\3\0\4\0"), PAIR, [[1, 2], [3, 4]]),
        (
            lists(2, flat(16), valid=True),
            rows(b"\2\1\0\2\0", b"\1\3\0\4\0"),
            PAIR,
            [[None, 2], [3, None]],
        ),
        (
            lists(9, flat(1)),
            rows(b"\x01\1", b"\x80\0"),
            BITS,
            [[True, *[False] * 7, True], [*[False] * 7, True, False]],
        ),
        (lists(2, flat(1)), rows(b"\1\0"), pa.list_(pa.bool_(), 2), [[True, False]]),
        (
            lists(8, flat(1), valid=True),
            rows(b"\xfe\x03"),
            pa.list_(pa.bool_(), 8),
            [[None, True, *[False] * 6]],
        ),
        (
            lists(2, lists(2, flat(8), valid=True)),
            rows(b"\x0b\1\2\3\4"),
            pa.list_(pa.list_(pa.int8(), 2), 2),
            [[[1, 2], [None, 4]]],
        ),
        (
            lists(2, nulls(), valid=True),
            rows(b"\0", b"\0"),
            pa.list_(pa.int8(), 2),
            [[None] * 2] * 2,
        ),
        (
            structs(flat(24), 8, 16),
            rows(b"\1\2\0", b"\3\4\0"),
            pa.struct([("a", pa.int8()), ("b", pa.int16())]),
            [{"a": 1, "b": 2}, {"a": 3, "b": 4}],
        ),
    ],
)
def test_values_of_one_width_are_compressed_each(
    message: CompressiveEncoding, stored: np.ndarray, type_: pa.DataType, expected: list[Any]
) -> None:
    """Values of fixed width are decoded one by one, lists of nullable items included."""
    assert array(fixed_values(message, stored, 1, PAGE), type_) == expected


@pytest.mark.parametrize(
    ("message", "stored", "error", "wanted"),
    [
        (
            variable(),
            rows(b"a"),
            Unsupported,
            "variable, wanted an encoding of values of fixed width",
        ),
        (flat(8), rows(b"ab"), FormatError, "8 bits, wanted 16 bits"),
        (flat(24), rows(b"ab"), FormatError, "24 bits, wanted 16 bits"),
        (flat(1), rows(b"ab"), FormatError, "1 bits, wanted 16 bits"),
        (lists(2, flat(8)), rows(b"abc"), FormatError, "8 bits, wanted 12 bits"),
        (lists(0, flat(8)), rows(b"a"), FormatError, "lists of 0, wanted fewer items"),
        (lists(1 << 31, flat(8)), rows(b"a"), FormatError, "lists of 2147483648, wanted fewer"),
        (lists(9, flat(1)), rows(b"a"), FormatError, "lists of 9, wanted fewer items"),
        (lists(8, flat(1), valid=True), rows(b""), FormatError, "lists of 8, wanted fewer items"),
        (structs(flat(24), 8, 8), rows(b"abc"), FormatError, "(8, 8), wanted 24 bits, of whole b"),
        (structs(flat(16), 4, 12), rows(b"ab"), FormatError, "(4, 12), wanted 16 bits, of whole"),
        (nulls(), rows(b"a"), Unsupported, "constant, wanted no value in it"),
        (nulls(b"a"), rows(b""), Unsupported, "constant, wanted no value in it"),
    ],
)
def test_other_widths_are_refused(
    message: CompressiveEncoding, stored: np.ndarray, error: type[ByteloomError], wanted: str
) -> None:
    """The error for a wrong width has the page, what was found and what was wanted."""
    with pytest.raises(error, match=f"^{re.escape(WHERE + wanted)}"):
        fixed_values(message, stored, 1, PAGE)


def texts(*values: bytes) -> Variable:
    """Values one after the other."""
    ends = np.cumsum([0, *map(len, values)]).astype(np.int64)
    return Variable(ends, np.frombuffer(b"".join(values), np.uint8).copy())


def fields(*given: e.VariablePackedStruct.FieldEncoding) -> CompressiveEncoding:
    """Structs whose fields have lengths of their own."""
    return encoding(variable_packed_struct=e.VariablePackedStruct(fields=given))


def fixed(bits: int) -> Any:
    """A field of fixed width."""
    return e.VariablePackedStruct.FieldEncoding(value=flat(bits), bits_per_value=bits)


def long(value: CompressiveEncoding, bits: int = 32) -> Any:
    """A field after its length."""
    return e.VariablePackedStruct.FieldEncoding(value=value, bits_per_length=bits)


def frame(data: bytes) -> bytes:
    """A frame of Zstandard."""
    return zstandard.ZstdCompressor().compress(data)


def test_values_of_any_length_are_compressed_each() -> None:
    """Each value is decompressed by itself, and an empty one is empty."""
    assert array(variable_values(variable(), texts(b"a", b""), PAGE), pa.binary()) == [b"a", b""]
    stored = texts(frame(b"abc"), b"", frame(b"d"))
    found = variable_values(compressed(variable()), stored, PAGE)
    assert array(found, pa.string()) == ["abc", "", "d"]
    coded = variable_values(fsst(variable(), symbols(b"abc")), texts(b"\0", b"", b"\xffz"), PAGE)
    assert array(coded, pa.large_string()) == ["abc", "", "z"]


def test_structs_have_fields_one_after_the_other() -> None:
    """The fields of a packed struct follow each other; a null struct has no bytes."""
    two = ints("<u2", 258) + ints("<u4", 2) + b"xy" + ints("<u8", 1) + frame(b"")[:0] + b"z"
    message = fields(fixed(16), long(variable()), long(variable(), 64))
    type_ = pa.struct([("a", pa.int16()), ("b", pa.string()), ("c", pa.binary())])
    found = array(variable_values(message, texts(b"", two, b""), PAGE), type_, False, True, False)
    assert found == [None, {"a": 258, "b": "xy", "c": b"z"}, None]


@pytest.mark.parametrize(
    ("message", "stored", "error", "wanted"),
    [
        (
            flat(8),
            texts(b"a"),
            Unsupported,
            WHERE + "flat, wanted an encoding of values of any len",
        ),
        (
            fsst(fields(fixed(8)), symbols(b"a")),
            texts(b"a"),
            Unsupported,
            WHERE + "fsst, wanted an encoding of values of any length",
        ),
        *(
            (
                fields(fixed(8), each),
                texts(b"abc"),
                FormatError,
                f"p.value_compression.fields[1] at byte 7 (0x7): found {bits} bits, wanted whole b",
            )
            for each, bits in [
                (fixed(12), 12),
                (fixed(0), 0),
                (fixed(1 << 31), 1 << 31),
                (long(variable(), 16), 16),
                (long(variable(), 0), 0),
            ]
        ),
        (
            fields(fixed(8), fixed(16)),
            texts(b"abc", b"ab"),
            FormatError,
            "p.value_compression.fields[1] at byte 7 (0x7): found struct 1, which ends in it, want",
        ),
    ],
)
def test_values_that_cannot_be_decoded_are_refused(
    message: CompressiveEncoding, stored: Variable, error: type[ByteloomError], wanted: str
) -> None:
    """The error for values that cannot be decoded names the page and the field."""
    with pytest.raises(error, match=f"^{re.escape(wanted)}"):
        variable_values(message, stored, PAGE)


def test_offsets_have_32_bits_where_those_suffice() -> None:
    """Offsets have 32 bits below 2 GiB, and 64 bits from there on."""
    data = np.empty(1 << 31, np.uint8)  # none of which is touched
    for size, wanted in [((1 << 31) - 1, np.int32), (1 << 31, np.int64)]:
        values = Variable.of(np.array([0, size]), data[:size])
        assert values.offsets.dtype == np.dtype(wanted)
        assert values.offsets.tolist() == [0, size]
        assert offset_type(size) is wanted


def test_an_array_of_32_bit_offsets_has_less_than_2_gib() -> None:
    """An array with 32-bit offsets of 2 GiB is refused; one with 64-bit offsets is made."""
    data = np.empty(1 << 31, np.uint8)  # none of which is touched
    most, more = (Variable.of(np.array([0, n]), data[:n]) for n in [(1 << 31) - 1, 1 << 31])
    assert len(array_of(most, pa.binary(), None, "v", 9)) == 1
    assert len(array_of(more, pa.large_binary(), None, "v", 9)) == 1
    wanted = r"^v at byte 9 \(0x9\): found 2147483648 bytes, wanted less than 2 GiB"
    with pytest.raises(LimitExceeded, match=wanted):
        array_of(more, pa.binary(), None, "v", 9)


@pytest.mark.parametrize(("most", "is_read"), [(4, True), (3, False)])
def test_values_are_decompressed_up_to_the_limit(most: int, is_read: bool) -> None:
    """All values of a page together count against ``limits.decompressed_size``."""
    page = page_of(b"", limits=Limits(decompressed_size=most))
    stored = texts(frame(b"abc"), frame(b"d"))
    message = compressed(variable())
    if is_read:
        assert array(variable_values(message, stored, page), pa.binary()) == [b"abc", b"d"]
        return
    wanted = r"^p\.values\[1\] at byte 7 \(0x7\): found more bytes, wanted at most 3 \(limits\.dec"
    with pytest.raises(LimitExceeded, match=wanted):
        variable_values(message, stored, page)


def numbers(bits: int, *data: int) -> Fixed:
    """Values of fixed width."""
    made = np.array(data, np.uint8)
    return Fixed(bits, made, len(data) * 8 // bits if bits > 1 else 8 * len(data))


@pytest.mark.parametrize(
    ("values", "type_", "valid", "expected"),
    [
        (numbers(8, 0, 1), pa.bool_(), [], [False, True]),
        (numbers(8, 0, 9), pa.bool_(), [True, False], [False, None]),
        (numbers(1, 5), pa.bool_(), [], [True, False, True, *[False] * 5]),
        (numbers(16, 1, 0, 2, 0), pa.int16(), [True, False], [1, None]),
        (texts(b"a", b"\x7f"), pa.string(), [], ["a", "\x7f"]),
        (texts(b"a\xc3\xa4", b""), pa.large_string(), [True, False], ["a\xe4", None]),
        (texts(b"\xff"), pa.binary(), [], [b"\xff"]),
        (texts(b"\xff"), pa.large_binary(), [], [b"\xff"]),
        (Nulls(2), pa.int8(), [], [None, None]),
        (Lists(2, numbers(8, 1, 2), None, 1), pa.list_(pa.int8(), 2), [], [[1, 2]]),
        (
            Packed((8, 32), np.array([1, 2, 0, 3, 0], np.uint8), 1),
            pa.struct([("a", pa.int8()), ("b", PAIR)]),
            [],
            [{"a": 1, "b": [2, 3]}],
        ),
        (
            Structs([texts(b"a"), numbers(8, 1)], 1),
            pa.struct([("a", pa.string()), ("b", pa.int8())]),
            [],
            [{"a": "a", "b": 1}],
        ),
    ],
)
def test_values_become_arrays(
    values: Values, type_: pa.DataType, valid: list[bool], expected: list[Any]
) -> None:
    """Values become an Arrow array of their column's type, with its nulls."""
    assert array(values, type_, *valid) == expected


TWO: Final = pa.struct([("a", pa.int8()), ("b", PAIR)])


@pytest.mark.parametrize(
    ("values", "type_", "wanted"),
    [
        (
            numbers(8, 1, 2),
            pa.bool_(),
            "v at byte 9 (0x9): found the byte 2, wanted 0 or 1, a bool",
        ),
        (
            numbers(8, 1),
            pa.int16(),
            "v at byte 9 (0x9): found values of 8 bits, wanted values of i",
        ),
        (
            numbers(1, 1),
            pa.int16(),
            "v at byte 9 (0x9): found values of 1 bit, wanted values of in",
        ),
        (
            numbers(16, 1, 2),
            pa.string(),
            "v at byte 9 (0x9): found values of 16 bits, wanted value",
        ),
        (
            numbers(32, 1, 0, 2, 0),
            PAIR,
            "v at byte 9 (0x9): found values of 32 bits, wanted values",
        ),
        (
            texts(b"a"),
            pa.int8(),
            "v at byte 9 (0x9): found values of any length, wanted values of ",
        ),
        (
            texts(b"\x80"),
            pa.string(),
            "v at byte 9 (0x9): found invalid UTF-8, wanted text in UTF-8",
        ),
        (
            texts(b"a\xff"),
            pa.large_string(),
            "v at byte 9 (0x9): found invalid UTF-8, wanted text in",
        ),
        (
            Lists(3, numbers(8, 1, 2, 3), None, 1),
            pa.list_(pa.int8(), 2),
            "v at byte 9 (0x9): found lists of 3 items, wanted values of fixed_size_list",
        ),
        (
            Lists(1, numbers(8, 1), None, 1),
            pa.int8(),
            "v at byte 9 (0x9): found lists of 1 items, ",
        ),
        (
            Packed((8,), np.zeros(1, np.uint8), 1),
            TWO,
            "v at byte 9 (0x9): found packed structs, wanted values of struct<a: int8, b: ",
        ),
        (
            Packed((8, 8), np.zeros(2, np.uint8), 1),
            pa.int16(),
            "v at byte 9 (0x9): found packed structs, wanted values of int16",
        ),
        (
            Packed((8, 24), np.zeros(4, np.uint8), 1),
            TWO,
            "v.b at byte 9 (0x9): found values of 12 bits, wanted values of int16",
        ),
        (
            Packed((8, 8), np.zeros(2, np.uint8), 1),
            pa.struct([("a", pa.int8()), ("b", pa.list_(pa.int8(), 3))]),
            "v.b at byte 9 (0x9): found values of 8 bits, wanted values of fixed_size_list",
        ),
    ],
)
def test_values_of_another_type_are_refused(
    values: Values, type_: pa.DataType, wanted: str
) -> None:
    """The error for values that their type does not have shows one, and its place."""
    with pytest.raises(FormatError, match=f"^{re.escape(wanted)}"):
        array(values, type_)


ITEMS: Final = Dictionary(pa.array(["a", "b", "c"]), np.array([1, 2]))
WORDS: Final = pa.dictionary(pa.int16(), pa.string())


def looked_up(
    values: Values,
    type_: pa.DataType,
    valid: list[bool] | None = None,
    pages: list[int] | None = None,
) -> list[Any]:
    """The items that the given numbers refer to."""
    bits = None if valid is None else bitmap(np.array(valid))
    where = None if pages is None else np.array(pages)
    found: list[Any] = ITEMS.looked_up(PAGE, values, type_, bits, where).to_pylist()
    return found


def test_items_are_looked_up() -> None:
    """Items are found by their number within a page; the number of a null is ignored."""
    assert looked_up(numbers(8, 0, 2), pa.string()) == ["a", "c"]
    assert looked_up(numbers(16, 0, 0, 2, 0), WORDS) == ["a", "c"]
    assert looked_up(numbers(8, 0, 99), pa.string(), [True, False]) == ["a", None]
    assert looked_up(numbers(8, 0, 0, 1), pa.string(), None, [1, 2]) == ["a", "b", "c"]
    assert looked_up(numbers(8, 7, 1), pa.string(), [False, True], [1, 1]) == [None, "c"]
    assert looked_up(numbers(8, 0, 5, 1), pa.string(), [True, False, True], [1, 2]) == [
        "a",
        None,
        "c",
    ]
    assert looked_up(numbers(8), pa.string()) == []


@pytest.mark.parametrize(
    ("values", "type_", "pages", "wanted"),
    [
        (
            texts(b"a"),
            pa.string(),
            None,
            "p.values at byte 7 (0x7): found another kind of values, ",
        ),
        (
            numbers(24, 0, 0, 0),
            WORDS,
            None,
            "p.values at byte 7 (0x7): found another kind of value",
        ),
        (
            numbers(8, 0),
            WORDS,
            None,
            "p.values at byte 7 (0x7): found indices of 8 bits, wanted di",
        ),
        (
            numbers(8, 0, 3),
            pa.string(),
            None,
            "p.values at byte 7 (0x7): found index 3, wanted 0 t",
        ),
        (
            numbers(8, 255, 0),
            pa.string(),
            None,
            "p.values at byte 7 (0x7): found index -1, wanted ",
        ),
        (numbers(8, 0, 1), pa.string(), [2, 0], "p.values: found an index, wanted one of an item"),
        (numbers(8, 2), pa.string(), [0, 1], "p.values: found an index, wanted one of an item"),
        (numbers(8, 255), pa.string(), [0, 1], "p.values: found an index, wanted one of an item"),
    ],
)
def test_numbers_that_no_item_has_are_refused(
    values: Values, type_: pa.DataType, pages: list[int] | None, wanted: str
) -> None:
    """A number without an item in its own page is refused."""
    with pytest.raises(FormatError, match=f"^{re.escape(wanted)}"):
        looked_up(values, type_, None, pages)


def places(*given: tuple[int, int]) -> pa.Array:
    """Where blobs are: positions and sizes."""
    made = [pa.array([each[at] for each in given], pa.uint64()) for at in (0, 1)]
    return pa.StructArray.from_arrays(made, ["position", "size"])


FILE: Final = page_of(b"0123456789")


@pytest.mark.parametrize("type_", [pa.binary(), pa.large_binary()])
def test_blobs_are_where_their_places_say(type_: pa.DataType) -> None:
    """A blob is read by position and size; size 0 is empty, or null at position 1."""
    where = places((0, 3), (1, 0), (0, 0), (9, 1), (1 << 63, 1 << 63))
    valid = np.array([True, True, True, True, False])
    found = blob_array(FILE, where, type_, valid)
    assert found.to_pylist() == [b"012", b"", b"", b"9", None]
    assert blob_array(FILE, places((2, 8), (1, 0)), type_, None).to_pylist() == [b"23456789", None]


@pytest.mark.parametrize(
    "place", [(0, 11), (9, 2), (10, 1), (1 << 63, 1), (1, (1 << 64) - 1), ((1 << 64) - 1, 2)]
)
def test_a_blob_outside_of_its_file_is_refused(place: tuple[int, int]) -> None:
    """A blob that leaves its file by one byte is refused, and so is one whose end overflows."""
    position, size = place
    wanted = f"p.blobs[1] at byte 7 (0x7): found {size} bytes at {position}, wanted a file of 10 by"
    with pytest.raises(FormatError, match=f"^{re.escape(wanted)}"):
        blob_array(FILE, places((0, 1), place), pa.binary(), None)


def test_blobs_are_no_more_than_their_file() -> None:
    """Blobs whose sizes add up to more than the file are refused."""
    assert len(blob_array(FILE, places((0, 5), (0, 5)), pa.binary(), None)) == 2
    with pytest.raises(
        LimitExceeded, match=r"^p\.blobs at byte 7 \(0x7\): found 11 bytes, wanted 10$"
    ):
        blob_array(FILE, places((0, 5), (0, 6)), pa.binary(), None)


def test_buffers_of_a_page_are_bounded() -> None:
    """Each buffer of a page is compared with ``limits.decompressed_size`` before it is read."""
    assert page_of(b"", b"abc", limits=Limits(decompressed_size=3)).places == ((0, 0), (0, 3))
    with pytest.raises(
        LimitExceeded,
        match=r"^p\.buffers\[1\] at byte 7 \(0x7\): found 3 bytes, wanted at most 2 \(limits\.dec",
    ):
        page_of(b"", b"abc", limits=Limits(decompressed_size=2))


def test_no_ranges_are_no_bytes() -> None:
    """Fetching no ranges gives no bytes."""
    none = np.zeros(0, np.int64)
    data, found = fetched(BytesSource(b""), none, none)
    assert (len(data), len(found)) == (0, 0)
