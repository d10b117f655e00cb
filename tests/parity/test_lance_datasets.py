"""Row ids, sizes of files of deletions and binary JSON are those that plain readers find."""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.drawn import examples

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset.deletions import buffer_sizes
from byteloom.lance.dataset.field_readers import texts_of
from byteloom.lance.dataset.row_ids import ids_of
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.lance.rowids import EncodedU64Array, RowIdSequence, U64Segment

if TYPE_CHECKING:
    from collections.abc import Iterator

STARTS = st.sampled_from([0, 1, 70_000, (1 << 64) - 40])
WIDTHS = {"u16_array": 2, "u32_array": 4, "u64_array": 8}


@st.composite
def arrays(draw: st.DrawFn, least: int = 0, most: int = 39) -> EncodedU64Array:
    """Numbers from *least* to *most*, in one of the forms."""
    numbers = draw(st.lists(st.integers(0, most - least), max_size=6))
    kind = draw(st.sampled_from(sorted(WIDTHS)))
    if kind == "u64_array":
        data = b"".join((least + each).to_bytes(8, "little") for each in numbers)
        return EncodedU64Array(u64_array=EncodedU64Array.U64Array(values=data))
    data = b"".join(each.to_bytes(WIDTHS[kind], "little") for each in numbers)
    if kind == "u16_array":
        return EncodedU64Array(u16_array=EncodedU64Array.U16Array(base=least, offsets=data))
    return EncodedU64Array(u32_array=EncodedU64Array.U32Array(base=least, offsets=data))


@st.composite
def segments(draw: st.DrawFn) -> U64Segment:
    """A segment in any form."""
    start, count = draw(STARTS), draw(st.integers(0, 39))
    end = start + count
    kind = draw(st.sampled_from(["range", "holes", "bitmap", "sorted_array", "array"]))
    if kind == "range":
        return U64Segment(range=U64Segment.Range(start=start, end=end))
    if kind == "holes":
        holes = draw(arrays(start, end - 1)) if count else EncodedU64Array()
        held = U64Segment.RangeWithHoles(start=start, end=end, holes=holes)
        return U64Segment(range_with_holes=held)
    if kind == "bitmap":
        bits = draw(st.binary(min_size=-(-count // 8), max_size=-(-count // 8)))
        with_bits = U64Segment.RangeWithBitmap(start=start, end=end, bitmap=bits)
        return U64Segment(range_with_bitmap=with_bits)
    numbers = draw(arrays(start, start + 39))
    return U64Segment(array=numbers) if kind == "array" else U64Segment(sorted_array=numbers)


def numbers_of(stored: EncodedU64Array) -> Iterator[int]:
    """Yield the numbers of an array, read one by one."""
    kind = stored.WhichOneof("array")
    if kind is None:
        return
    found: Any = getattr(stored, kind)
    data, base = (found.values, 0) if kind == "u64_array" else (found.offsets, found.base)
    for at in range(0, len(data), WIDTHS[kind]):
        yield base + int.from_bytes(data[at : at + WIDTHS[kind]], "little")


def plain(segment: U64Segment) -> list[int]:
    """The ids of a segment, read one by one."""
    kind = segment.WhichOneof("segment")
    assert kind is not None
    found: Any = getattr(segment, kind)
    if kind in {"array", "sorted_array"}:
        return list(numbers_of(found))
    wanted = range(found.start, found.end)
    if kind == "range_with_holes":
        holes = set(numbers_of(found.holes))
        return [each for each in wanted if each not in holes]
    if kind == "range_with_bitmap":
        bitmap = int.from_bytes(found.bitmap, "little")
        return [each for number, each in enumerate(wanted) if bitmap >> number & 1]
    return list(wanted)


@given(st.lists(segments(), max_size=4))
def test_ids_are_those_of_a_plain_reader(found: list[U64Segment]) -> None:
    """Segments of every form have the ids that a reader of one number at a time finds."""
    wanted = [each for segment in found for each in plain(segment)]
    data = RowIdSequence(segments=found).SerializeToString()
    ids = ids_of(data, len(wanted), DEFAULT_LIMITS, "ids")
    assert ids.dtype == np.uint64
    assert ids.tolist() == wanted


@examples(2)
@given(st.lists(segments(), min_size=1, max_size=2), st.data())
def test_damaged_sequences_are_read_or_refused(found: list[U64Segment], drawn: Any) -> None:
    """A changed byte gives as many ids as there are rows, or a `ByteloomError`."""
    count = sum(len(plain(each)) for each in found)
    data = bytearray(RowIdSequence(segments=found).SerializeToString())
    at = drawn.draw(st.integers(0, len(data) - 1))
    data[at] ^= 1 << drawn.draw(st.integers(0, 7))
    with suppress(ByteloomError):
        assert len(ids_of(bytes(data), count, DEFAULT_LIMITS, "ids")) == count


COUNTS = [0, 1, 1000, 70_000]


def file_of(codec: str | None, counts: list[int], **options: object) -> pa.Buffer:
    """An Arrow file with a batch of each of these sizes."""
    out = pa.BufferOutputStream()
    schema = pa.schema([pa.field("row_id", pa.uint32())])
    written = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.ipc.new_file(out, schema, options=written) as writer:
        for count in counts:
            values = [None if options and number % 3 == 0 else number for number in range(count)]
            writer.write(pa.record_batch([pa.array(values, pa.uint32())], schema))
    return out.getvalue()


@pytest.mark.parametrize("codec", [None, "zstd", "lz4"])
@pytest.mark.parametrize("nulls", [False, True])
def test_sizes_are_those_that_pyarrow_decompresses(codec: str | None, nulls: bool) -> None:
    """Each buffer has the size that pyarrow gives it, in every codec and without any."""
    data = file_of(codec, COUNTS, **({"nulls": True} if nulls else {}))
    with pa.ipc.open_file(data) as reader:
        batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
    wanted = [0 if each is None else each.size for batch in batches for each in batch[0].buffers()]
    assert list(buffer_sizes(data)) == wanted


def test_damage_is_a_value_error_or_an_error_of_pyarrow() -> None:
    """A file that is cut off or changed gives sizes, or an error that the caller turns into one."""
    data, random = file_of("zstd", [3, 4]).to_pybytes(), Random(1)
    damaged = [data[:size] for size in range(len(data))]
    for _ in range(2000):
        changed = bytearray(data)
        changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
        damaged.append(bytes(changed))
    for each in damaged:
        with suppress(ValueError, OSError):
            assert all(size >= 0 for size in buffer_sizes(pa.py_buffer(each)))


@pytest.mark.parametrize("place", ["size", "message"])
def test_a_batch_without_a_message_is_a_value_error(place: str) -> None:
    """A batch of no bytes, or one whose message says that the stream ends, is damage."""
    data = bytearray(file_of(None, [3]).to_pybytes())
    start = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    blocks = [
        at
        for at in range(start, len(data) - 24)
        if 0 < int.from_bytes(data[at : at + 8], "little") < start
        and data[int.from_bytes(data[at : at + 8], "little") :][:4] == b"\xff" * 4
        and int.from_bytes(data[at + 8 : at + 12], "little") > 8
    ]
    (at,) = blocks
    if place == "size":
        data[at + 8 : at + 24] = bytes(16)
    else:
        offset = int.from_bytes(data[at : at + 8], "little")
        data[offset + 4 : offset + 8] = bytes(4)
    with pytest.raises(ValueError, match=r"^a batch without a message$"):
        list(buffer_sizes(pa.py_buffer(bytes(data))))


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
