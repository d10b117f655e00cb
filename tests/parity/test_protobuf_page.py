"""The record of `specs/hfile/protobuf.ksy` reads what the protobuf package writes."""

from __future__ import annotations

from typing import Any

from google.protobuf import struct_pb2, type_pb2, wrappers_pb2
from hypothesis import given
from hypothesis import strategies as st

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
