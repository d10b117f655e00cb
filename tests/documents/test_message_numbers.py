"""Numbers of every type in messages, at the ends of their ranges."""

from __future__ import annotations

import struct
from typing import Any, Final

import pytest
from tests.support.gallery import rows

from byteloom.documents.message_walk import Layout, Slot, walk
from byteloom.errors import FormatError, Truncated

VARINTS: Final = {
    3: ("int64", -(1 << 63), (1 << 63) - 1),
    4: ("uint64", 0, (1 << 64) - 1),
    5: ("int32", -(1 << 31), (1 << 31) - 1),
    13: ("uint32", 0, (1 << 32) - 1),
    14: ("an enum", -(1 << 31), (1 << 31) - 1),
    17: ("sint32", -(1 << 31), (1 << 31) - 1),
    18: ("sint64", -(1 << 63), (1 << 63) - 1),
}
"""Types of protobuf that are stored as varints: name, least and largest number."""

FIXED: Final = {
    1: ("double", "<d", -1.5),
    2: ("float", "<f", -1.5),
    6: ("fixed64", "<Q", (1 << 64) - 2),
    7: ("fixed32", "<I", (1 << 32) - 2),
    15: ("sfixed32", "<i", -2),
    16: ("sfixed64", "<q", -2),
}
"""Types of four or eight bytes: name, form, and a number that another form would not give."""


def varint(value: int) -> bytes:
    """Return a number of 64 bits as a varint."""
    value &= (1 << 64) - 1
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def stored(kind: int, value: int) -> bytes:
    """Return the varint of a value of this type."""
    return varint((value << 1) ^ (value >> 63) if kind in {17, 18} else value)


def read(kind: int, data: bytes, *, key: int, is_repeated: bool = False) -> list[Any]:
    """Return what a walk finds in a message of one field of this type."""
    layout = Layout({2: Slot("field", kind, is_repeated=is_repeated)}, {})
    return [each.value for each in walk(layout, varint(2 << 3 | key) + data, 100, "message")]


@pytest.mark.parametrize("kind", VARINTS)
def test_varints_hold_their_type_and_no_more(kind: int) -> None:
    """A varint one beyond the range of its type is refused; those at its ends are read."""
    _, least, most = VARINTS[kind]
    for value in (least, -1, 0, 1, most):
        if value >= least:
            assert read(kind, stored(kind, value), key=0) == [value]
    if most < (1 << 63) - 1:
        for value in (least - 1, most + 1):
            raw = stored(kind, value)
            said = rf"^message\.field at byte 101 .*: found -?\d+, wanted {least} to {most}$"
            with pytest.raises(FormatError, match=said):
                read(kind, raw, key=0)


@pytest.mark.parametrize("value", [0, 1, 2, (1 << 64) - 1])
def test_any_number_but_zero_is_true(value: int) -> None:
    """A bool is true if any of the 64 bits of its varint is set."""
    assert read(8, varint(value), key=0) == [value != 0]


@pytest.mark.parametrize("kind", FIXED)
def test_numbers_of_four_and_eight_bytes_have_their_form(kind: int) -> None:
    """Fixed-size numbers are read singly and packed; a cut one is refused where it begins."""
    _, form, value = FIXED[kind]
    raw = struct.pack(form, value)
    key = 1 if len(raw) == 8 else 5
    assert read(kind, raw, key=key) == [value]
    packed = raw + raw
    assert read(kind, varint(len(packed)) + packed, key=2, is_repeated=True) == [[value, value]]
    cut = varint(len(packed) - 1) + packed[:-1]
    left = rf"at byte {102 + len(raw)} .*: found {len(raw) - 1} bytes left, wanted {len(raw)} bytes"
    with pytest.raises(Truncated, match=left):
        read(kind, cut, key=2, is_repeated=True)
    with pytest.raises(Truncated, match=r"message\.field at byte 101 "):
        read(kind, raw[:-1], key=key)


@pytest.mark.parametrize(
    ("kind", "name", "form"),
    rows("message_numbers", "a_value_that_is_stored_as_another_type_is_refused"),
)
def test_a_value_that_is_stored_as_another_type_is_refused(kind: int, name: str, form: int) -> None:
    """A value with another wire type than its field's is refused by the name of the type."""
    for key in {0, 1, 2, 5} - {form}:
        said = rf"^message\.field at byte 100 .*: found wire type {key}, wanted {form}, for {name}$"
        with pytest.raises(FormatError, match=said):
            read(kind, bytes(9), key=key)
        if key != 2 or form == 2:
            with pytest.raises(FormatError, match=rf"found wire type {key}, wanted {form}, "):
                read(kind, bytes(9), key=key, is_repeated=True)
