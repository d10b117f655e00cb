"""Objects of variants are put together from their fields as plain Python does, damaged or not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.variants import Number, Shape, encode, metadata_of

from byteloom.errors import FormatError
from byteloom.iceberg.reading.variants import unshredded

NAMES: Final = ["a", "b", "c"]
LONG: Final = Shape(pa.int64(), 6)

ABSENT: Final = "a shredded field that the metadata does not name"
NO_OBJECT: Final = "a value that is not an object"
DAMAGED: Final = "lead out of their bytes"

PRIMITIVES: Final = [0, 0, 0, 1, 2, 4, 8, 8, 5, 9, 17, 4, 8, 8, 4, -1, -1, 8, 8, 8, 16]
"""Bytes after the header of each primitive type; -1 where four bytes say how many."""


class Damage(Exception):
    """A variant's bytes contradict each other."""


def number(data: bytes, at: int, size: int) -> int:
    """An unsigned number."""
    if at + size > len(data):
        raise Damage(DAMAGED)
    return int.from_bytes(data[at : at + size], "little")


def names_of(metadata: bytes) -> list[bytes]:
    """The names of a variant's metadata."""
    if not metadata or metadata[0] & 15 != 1:
        raise Damage(DAMAGED)
    width = (metadata[0] >> 6) + 1
    count = number(metadata, 1, width)
    if 1 + (count + 2) * width > len(metadata):
        raise Damage(DAMAGED)
    ends = [number(metadata, 1 + (1 + each) * width, width) for each in range(count + 1)]
    names = metadata[1 + (count + 2) * width :]
    for low, high in pairwise(ends):
        if not low <= high <= len(names):
            raise Damage(DAMAGED)
    return [names[low:high] for low, high in pairwise(ends)]


def size_of(data: bytes, at: int) -> int:
    """The bytes of the value at a place."""
    if at >= len(data):
        raise Damage(DAMAGED)
    kind, header = data[at] & 3, data[at] >> 2
    if kind == 0:
        if header >= len(PRIMITIVES):
            raise Damage(DAMAGED)
        size = 1 + PRIMITIVES[header]
        if PRIMITIVES[header] < 0:
            size = 5 + number(data, at + 1, 4)
    elif kind == 1:
        size = 1 + header
    else:
        counted = 4 if header >> (4 if kind == 2 else 2) & 1 else 1
        wide = (header >> 2 & 3) + 1 if kind == 2 else 0
        width = (header & 3) + 1
        count = number(data, at + 1, counted)
        size = 1 + counted + count * wide + (count + 1) * width
        size += number(data, at + size - width, width)
    if at + size > len(data):
        raise Damage(DAMAGED)
    return size


def fields_of(value: bytes, names: list[bytes]) -> list[tuple[bytes, int, int]]:
    """The name, number and place of each field of an object, in their order."""
    if not value or value[0] & 3 != 2:
        raise Damage(NO_OBJECT)
    size_of(value, 0)
    counted = 4 if value[0] & 0x40 else 1
    wide, width = (value[0] >> 4 & 3) + 1, (value[0] >> 2 & 3) + 1
    count = number(value, 1, counted)
    first = 1 + counted
    begin = first + count * wide + (count + 1) * width
    found = []
    for each in range(count):
        of = number(value, first + each * wide, wide)
        at = begin + number(value, first + count * wide + each * width, width)
        found.append((names[of] if of < len(names) else b"", of, at))
    return found


def plain_object(
    metadata: bytes, value: bytes | None, shredded: dict[bytes, bytes | None]
) -> bytes:
    """An object of fields that are shredded and of those that are not, in the order of names."""
    names = names_of(metadata)
    rest = [] if value is None else fields_of(value, names)
    pending = sorted(shredded.items())
    parts: list[tuple[int, bytes]] = []
    total = 0

    def put(name: bytes, content: bytes | None) -> None:
        if content is not None:
            if name not in names:
                raise Damage(ABSENT)
            parts.append((names.index(name), content))

    for name, of, at in rest:
        if of >= len(names):
            raise Damage(DAMAGED)
        while pending and pending[0][0] < name:
            put(*pending.pop(0))
        if pending and pending[0][0] == name:
            put(*pending.pop(0))
            continue
        assert value is not None
        held = size_of(value, at)
        total += held
        if total > len(value):
            raise Damage(DAMAGED)
        parts.append((of, value[at : at + held]))
    for name, content in pending:
        put(name, content)
    return built(parts, len(names))


def built(parts: list[tuple[int, bytes]], count: int) -> bytes:
    """The bytes of an object of fields with these numbers."""
    total = sum(len(content) for _, content in parts)
    wide, width = (max(1, (each.bit_length() + 7) // 8) for each in (count, total))
    is_large = len(parts) > 255
    out = bytes([(is_large << 4 | wide - 1 << 2 | width - 1) << 2 | 2])
    out += len(parts).to_bytes(4 if is_large else 1, "little")
    out += b"".join(each.to_bytes(wide, "little") for each, _ in parts)
    at = 0
    for _, content in [*parts, (0, b"")]:
        out += at.to_bytes(width, "little")
        at += len(content)
    return out + b"".join(content for _, content in parts)


def variant(metadata: bytes, value: bytes | None, fields: dict[str, int | None]) -> pa.StructArray:
    """One row of an object, some of whose fields are shredded."""
    of = Shape(dict.fromkeys(fields, LONG)).type.field("typed_value").type
    typed = {name: {"value": None, "typed_value": each} for name, each in fields.items()}
    columns = {
        "metadata": pa.array([metadata], pa.binary()),
        "value": pa.array([value], pa.binary()),
        "typed_value": pa.array([typed], of),
    }
    return pa.StructArray.from_arrays(list(columns.values()), names=list(columns))


def compare(metadata: bytes, value: bytes | None, fields: dict[str, int | None]) -> None:
    """Check that both put an object together to the same bytes, or refuse it alike."""
    longs = {
        name.encode(): None if each is None else encode(Number(6, each), [])
        for name, each in fields.items()
    }
    column = variant(metadata, value, fields)
    try:
        wanted = plain_object(metadata, value, longs)
    except Damage as damage:
        with pytest.raises(FormatError, match=f"column v: .*{damage}"):
            unshredded(column, "v")
    else:
        assert unshredded(column, "v").to_pylist() == [wanted]


values = st.recursive(
    st.none() | st.booleans() | st.text(max_size=70) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=6,
)
objects = st.none() | st.dictionaries(st.sampled_from(NAMES), values)
longs = st.dictionaries(st.sampled_from(["a", "b", "d"]), st.none() | st.just(7), min_size=1)


@given(
    rest=objects, fields=longs, names=st.permutations([*NAMES, "d", "e"]), left=st.integers(0, 2)
)
def test_fields_are_put_together(
    rest: Any, fields: dict[str, int | None], names: list[str], left: int
) -> None:
    """Shredded fields replace others; one that the metadata does not name is refused."""
    value = None if rest is None else encode(rest, names)
    known = [each for each in names if each in NAMES or not left]
    if rest is None or known == names:
        compare(metadata_of(known), value, fields)


@given(rest=objects, fields=longs, data=st.data())
def test_damaged_bytes_are_refused_by_both(
    rest: Any, fields: dict[str, int | None], data: st.DataObject
) -> None:
    """Damaged metadata or values give plain Python's object, or the same refusal."""
    names = [*NAMES, "d"]
    runs = [bytearray(metadata_of(names)), bytearray(encode(rest or {}, names))]
    for _ in range(data.draw(st.integers(1, 2))):
        run = runs[data.draw(st.integers(0, 1))]
        if run:
            run[data.draw(st.integers(0, len(run) - 1))] ^= 1 << data.draw(st.integers(0, 7))
            del run[data.draw(st.integers(0, len(run))) or len(run) :]
    compare(bytes(runs[0]), bytes(runs[1]), fields)


@pytest.mark.parametrize("fields", [{"a": 7}, {"": 7}, {"": None, "a": 7}])
def test_a_field_may_have_an_empty_name(fields: dict[str, int | None]) -> None:
    """A field with an empty name is the first of its object, shredded or not."""
    names = ["", "a", "b"]
    for rest in ({"": True, "b": 1.5}, {"": True}, {"b": 1.5}):
        compare(metadata_of(names), encode(rest, names), fields)


def test_metadata_of_no_bytes_is_refused_wherever_it_is() -> None:
    """Metadata of no bytes has no names, even after that of other rows, at the end of the bytes."""
    names = ["a"]
    value = encode({"a": 7}, names)
    first = variant(metadata_of(names), value, {"b": None})
    last = variant(b"", value, {"b": None})
    both = pa.concat_arrays([first, last])
    with pytest.raises(FormatError, match=r"column v: "):
        unshredded(both, "v")


@pytest.mark.parametrize("kind", range(len(PRIMITIVES)))
def test_a_value_of_each_type_takes_its_bytes(kind: int) -> None:
    """A value of each type takes its own number of bytes, next to another one or cut by a byte."""
    size = PRIMITIVES[kind]
    one = bytes([kind << 2]) + (bytes(size) if size >= 0 else b"\2\0\0\0xy")
    for cut in (0, 1):
        value = built([(0, one), (1, one)], 2)
        compare(metadata_of(["a", "b", "c"]), value[: len(value) - cut], {"c": 7})


def test_each_flipped_bit_and_each_cut() -> None:
    """Each flipped bit and each cut of a nested object is treated as in plain Python."""
    rest = {"a": 1.5, "b": ["x", {"c": True}], "c": "text"}
    metadata, value = metadata_of(NAMES), encode(rest, NAMES)
    fields: dict[str, int | None] = {"a": None, "b": 7}
    for which, run in enumerate((metadata, value)):
        flipped = [
            bytes(byte ^ (at == bit // 8) << bit % 8 for at, byte in enumerate(run))
            for bit in range(8 * len(run))
        ]
        for damaged in [*flipped, *(run[:size] for size in range(len(run)))]:
            compare(*((damaged, value) if which == 0 else (metadata, damaged)), fields)
