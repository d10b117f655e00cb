"""JSON in the form JSONB is turned into the text that a plain reader of one value finds."""

from __future__ import annotations

import json
import struct
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.lance.dataset.field_readers import texts_of

ARRAY, OBJECT, SCALAR = 4, 2, 1
NULL, TEXT, NUMBER, FALSE, TRUE, CONTAINER = range(6)


def stored(value: Any) -> tuple[int, bytes]:
    """The type of an entry, and its bytes."""
    if value is None or isinstance(value, bool):
        return {None: NULL, False: FALSE, True: TRUE}[value], b""
    if isinstance(value, str):
        return TEXT, value.encode()
    if isinstance(value, float):
        return NUMBER, b"\x60" + struct.pack(">d", value)
    if isinstance(value, int):
        return NUMBER, integer(value)
    return CONTAINER, container(value)


def integer(value: int) -> bytes:
    """An integer in as few bytes as its writer takes."""
    if not value:
        return b"\0"
    tag, signed = (b"\x40", True) if value < 0 else (b"\x50", False)
    for size in (1, 2, 4, 8):
        try:
            return tag + value.to_bytes(size, "big", signed=signed)
        except OverflowError:
            continue
    raise AssertionError(value)


def container(value: Any) -> bytes:
    """A container with its items; a scalar alone is one, too."""
    kind = ARRAY if isinstance(value, list) else OBJECT if isinstance(value, dict) else SCALAR
    items = [value] if kind == SCALAR else value
    keys = [(TEXT, each.encode()) for each in value] if kind == OBJECT else []
    parts = keys + [stored(each) for each in (value.values() if kind == OBJECT else items)]
    count = len(items) if kind != SCALAR else 0
    entries = [struct.pack(">I", type_ << 28 | len(data)) for type_, data in parts]
    return struct.pack(">I", kind << 29 | count) + b"".join(entries) + b"".join(d for _, d in parts)


class Pairs(list[tuple[str, Any]]):
    """The keys and values of an object."""


def read(data: bytes, depth: int = 0) -> Any:
    """Return the value of a container; `ValueError` for damage."""
    if len(data) < 4 or depth == 200:
        raise ValueError
    (header,) = struct.unpack(">I", data[:4])
    kind, count = header >> 29, header & ((1 << 29) - 1)
    if kind not in {ARRAY, OBJECT, SCALAR} or (kind == SCALAR and depth):
        raise ValueError
    count = {SCALAR: 1, ARRAY: count, OBJECT: 2 * count}[kind]
    at = 4 + 4 * count
    if at > len(data):
        raise ValueError
    found = []
    for (entry,) in struct.iter_unpack(">I", data[4:at]):
        size = entry & ((1 << 28) - 1)
        if at + size > len(data):
            raise ValueError
        found.append((entry >> 28, data[at : at + size]))
        at += size
    if at != len(data):
        raise ValueError
    keys = found[: count // 2] if kind == OBJECT else []
    if any(type_ != TEXT for type_, _ in keys):
        raise ValueError
    values = [item(*each, depth) for each in found[len(keys) :]]
    if kind == OBJECT:
        return Pairs((key.decode(), each) for (_, key), each in zip(keys, values, strict=True))
    return values if kind == ARRAY else values[0]


def item(type_: int, data: bytes, depth: int) -> Any:
    """Return the value of an entry."""
    if type_ == TEXT:
        return data.decode()
    if type_ == CONTAINER:
        return read(data, depth + 1)
    if type_ == NUMBER:
        return number(data)
    if data or type_ not in {NULL, FALSE, TRUE}:
        raise ValueError
    return {NULL: None, FALSE: False, TRUE: True}[type_]


def number(data: bytes) -> Any:
    """Return a number, which a double is as text."""
    if data == b"\0":
        return 0
    tag, rest = data[:1], data[1:]
    if tag == b"\x60" and len(rest) == 8:
        (found,) = struct.unpack(">d", rest)
        if found - found != 0:
            raise ValueError
        return found
    if tag not in {b"\x40", b"\x50"} or len(rest) not in {1, 2, 4, 8}:
        raise ValueError
    return int.from_bytes(rest, "big", signed=tag == b"\x40")


def text(value: Any) -> str:
    """Return the text of what `read` returns."""
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{text(key)}:{text(each)}" for key, each in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    if isinstance(value, float):
        return double(value)
    return json.dumps(value, ensure_ascii=False)


def double(value: float) -> str:
    """The shortest digits, without an exponent from 1e-5 up to 1e16."""
    if value and not 1e-5 <= abs(value) < 1e16:
        digits, _, exponent = repr(value).partition("e")
        return f"{digits}e{int(exponent):+d}"
    digits, e, exponent = repr(value).partition("e")
    return f"{value:.{len(digits.lstrip('-').replace('.', '')) + 4}f}" if e else digits


TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4)
)


def ours(rows: list[bytes | None]) -> list[str | None]:
    """The texts of rows; one before the first is left out, so that places count from another."""
    array = pa.array([b"skipped", *rows], pa.large_binary()).slice(1)
    made = texts_of(array, "c")
    found: list[str | None] = made.to_pylist()
    size = sum(len(each.encode()) for each in found if each is not None)
    assert made.buffers()[2].size == size  # no more memory than its text
    return found


@given(st.lists(VALUES | st.just(...), max_size=5))
@example([{}, [], [[], {}, [{}]], {"": {"": []}}, ...])
@example([0.0, -0.0, 1e-5, 1.25e-5, -1e-5, 9.9e-6, 1e15, 9999999999999998.0, 1e16, 5e-324])
@example(['\0\x1f\b\f\n\r\t"\\/\x7f\u2028\U0001f600', -(1 << 63), (1 << 64) - 1, -128, 255, 256])
def test_texts_are_those_of_the_plain_reader(values: list[Any]) -> None:
    """Each row has the text that the plain reader finds in it; a null has none."""
    rows = [None if each is ... else container(each) for each in values]
    assert ours(rows) == [None if each is None else text(read(each)) for each in rows]
    assert [None if each is None else json.loads(each) for each in ours(rows)] == [
        None if each is ... else each for each in values
    ]


@given(VALUES, st.data())
def test_damage_is_refused_as_by_the_plain_reader(value: Any, data: st.DataObject) -> None:
    """Bytes that were changed or cut off are refused, or have the text that they mean."""
    raw = bytearray(container(value))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] = data.draw(st.integers(0, 255) | st.just(raw[at] ^ 0x10))
    damaged = bytes(raw[: data.draw(st.integers(0, len(raw)) | st.just(len(raw)))])
    try:
        wanted = text(read(damaged))
    except ValueError:  # also of UTF-8
        with pytest.raises(FormatError, match=r"^c"):
            ours([container(None), damaged])
    else:
        assert ours([container(None), damaged]) == ["null", wanted]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", r"c\[1\]: found b'' at its byte 0, wanted JSON in the form JSONB"),
        (bytes.fromhex("20000000 20000001 10"), r"c\[1\]: found b'\\x10' at its byte 8"),
        (bytes.fromhex("20000000 60000000"), r"c\[1\]: found b'`\\x00\\x00\\x00' at its byte 4"),
        (bytes.fromhex("80000000 00"), r"c\[1\]: found b'\\x00' at its byte 4"),
        (bytes.fromhex("20000000 10000001 ff"), "c: found text that is not UTF-8"),
        (bytes.fromhex("20000000 20000009 60 7ff0000000000000"), "c: found a number that is not"),
    ],
)
def test_errors_say_where_damage_is(raw: bytes, message: str) -> None:
    """The error names the row, and the place of the damage in it."""
    with pytest.raises(FormatError, match=message):
        ours([container(1), raw])


@pytest.mark.parametrize("depth", [200, 201])
def test_containers_may_be_nested_200_deep(depth: int) -> None:
    """A text has as many containers inside each other as `limits.nesting` has by default."""
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    if depth == 200:
        assert ours([container(value)]) == ["[" * 200 + "]" * 200]
    else:
        with pytest.raises(FormatError, match=r"c\[0\]: found .* at its byte 1600"):
            ours([container(value)])
