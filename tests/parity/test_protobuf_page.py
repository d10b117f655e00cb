"""The record of `specs/hfile/protobuf.ksy` reads what the protobuf package writes, as walks do."""

from __future__ import annotations

from typing import Any

from google.protobuf import struct_pb2, type_pb2, wrappers_pb2
from hypothesis import given
from hypothesis import strategies as st

from byteloom.documents.message_walk import EIGHT, FOUR, LENGTH, SIZES, VARINT, Layout, walk
from byteloom.errors import FormatError
from byteloom_generated.hfile import protobuf
from byteloom_generated.hfile.delimited import Delimited
from byteloom_generated.hfile.varints import ProtobufVarint


def fields_of(raw: bytes) -> list[tuple[int, Any]]:
    """The numbers and values of the fields of a message, as the record has them."""
    found = protobuf.Message.from_bytes(raw)
    assert found.to_bytes() == raw
    return [(each.number, plain(each.value)) for each in found.fields]


def plain(value: Any) -> Any:
    """A value without its record."""
    match value:
        case ProtobufVarint():
            return value.value
        case Delimited():
            return value.message
    return value


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_a_varint_is_that_of_the_package(number: int) -> None:
    """A signed integer of 64 bits is stored as its two's complement."""
    raw = wrappers_pb2.Int64Value(value=number).SerializeToString()
    assert fields_of(raw) == ([(1, number % (1 << 64))] if number else [])


@given(st.text(max_size=200))
def test_text_is_that_of_the_package(text: str) -> None:
    """Text is a length and UTF-8."""
    raw = wrappers_pb2.StringValue(value=text).SerializeToString()
    assert fields_of(raw) == ([(1, text.encode())] if text else [])


def test_fixed_numbers_and_maps_are_those_of_the_package() -> None:
    """Doubles are eight bytes, floats four, an entry of a map is a message of key and value."""
    double = wrappers_pb2.DoubleValue(value=1.0).SerializeToString()
    assert fields_of(double) == [(1, 0x3FF0_0000_0000_0000)]
    number = wrappers_pb2.FloatValue(value=1.5).SerializeToString()
    assert fields_of(number) == [(1, 0x3FC0_0000)]
    struct = struct_pb2.Struct()
    struct["a"] = True
    ((of, entry),) = fields_of(struct.SerializeToString())
    (key, value) = fields_of(entry)
    assert (of, key, value[0], fields_of(value[1])) == (1, (1, b"a"), 2, [(4, 1)])


def test_a_tag_is_that_of_the_package() -> None:
    """A tag is the number of its field times eight, and the wire type."""
    raw = type_pb2.Type(syntax=type_pb2.SYNTAX_PROTO3, name="n").SerializeToString()
    assert fields_of(raw) == [(1, b"n"), (6, 1)]


def varint(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first."""
    groups = [number >> shift & 127 for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


def stored(number: int, form: int, value: bytes) -> bytes:
    """A field: its tag, and its value."""
    return varint(number << 3 | form) + value


NUMBERS = st.integers(1, (1 << 29) - 1)
FIELDS = st.one_of(
    st.builds(stored, NUMBERS, st.just(VARINT), st.integers(0, (1 << 64) - 1).map(varint)),
    st.builds(stored, NUMBERS, st.just(EIGHT), st.binary(min_size=8, max_size=8)),
    st.builds(stored, NUMBERS, st.just(FOUR), st.binary(min_size=4, max_size=4)),
    st.builds(
        stored, NUMBERS, st.just(LENGTH), st.binary(max_size=60).map(lambda x: varint(len(x)) + x)
    ),
    st.builds(stored, st.integers(0, 1 << 30), st.integers(0, 7), st.binary(max_size=4)),
)


def walked(raw: bytes) -> list[tuple[int, Any]] | None:
    """The fields that a walk finds in a message whose fields it does not know; None if refused."""
    try:
        met = list(walk(Layout({}, {}), raw))
    except FormatError:
        return None
    starts = [each.place for each in met]
    assert [*starts, len(raw)] == [0, *(each.end for each in met)]
    is_fixed = [raw[each.place] & 7 in SIZES for each in met]
    return [
        (each.number, int.from_bytes(each.value, "little") if fixed else each.value)
        for each, fixed in zip(met, is_fixed, strict=True)
    ]


@given(st.lists(FIELDS, max_size=5).map(b"".join))
def test_a_walk_finds_the_fields_of_the_record(raw: bytes) -> None:
    """A walk over a message finds the fields that its record has; if that is refused, so is it."""
    try:
        expected = fields_of(raw)
    except FormatError:
        assert walked(raw) is None
    else:
        assert walked(raw) == expected


def test_a_varint_of_more_than_64_bits_is_refused_by_walks_alone() -> None:
    """The record drops the bits past the 64th, as parsers do; a walk refuses such a number."""
    raw = stored(1, VARINT, varint((1 << 64) + 5))
    assert fields_of(raw) == [(1, 5)]
    assert walked(raw) is None
