"""Avro values become the same Arrow columns as with fastavro; damaged values are refused.

Values are decoded by themselves, since writers make neither all types nor such damage.
"""

from __future__ import annotations

import io
import json
from contextlib import suppress
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hudi_records import SCHEMA_TEXT, location, value_of
from tests.support.slices import sliced

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Unsupported
from byteloom.hudi import avro_values
from byteloom.hudi.avro_values import decode
from byteloom.limits import Limits

INNER = {
    "type": "record",
    "name": "Inner",
    "fields": [{"name": "flag", "type": "boolean"}, {"name": "rest", "type": ["string", "null"]}],
}
SCHEMA = {
    "type": "record",
    "name": "space.Outer",
    "fields": [
        {"name": "small", "type": "int"},
        {"name": "large", "type": ["null", "long"]},
        {"name": "real", "type": "double"},
        {"name": "single", "type": "float"},
        {"name": "raw", "type": "bytes"},
        {"name": "four", "type": {"type": "fixed", "name": "Four", "size": 4}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "nothing", "type": "null"},
        {"name": "inner", "type": ["null", INNER]},
        {"name": "many", "type": {"type": "array", "items": ["null", "space.Inner"]}},
        {"name": "named", "type": {"type": "map", "values": {"type": "array", "items": "int"}}},
        {"name": "either", "type": ["null", "int", "string", "Inner"]},
    ],
}
PARSED: Any = fastavro.parse_schema(SCHEMA)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
INNERS = st.fixed_dictionaries({"flag": st.booleans(), "rest": st.none() | TEXT})
INTS = st.integers(-(1 << 31), (1 << 31) - 1)
ROWS = st.fixed_dictionaries(
    {
        "small": INTS,
        "large": st.none() | st.integers(-(1 << 63), (1 << 63) - 1),
        "real": st.floats(allow_nan=False),
        "single": st.floats(allow_nan=False, width=32),
        "raw": st.binary(max_size=6),
        "four": st.binary(min_size=4, max_size=4),
        "kind": st.sampled_from("AB"),
        "nothing": st.none(),
        "inner": st.none() | INNERS,
        "many": st.lists(st.none() | INNERS, max_size=4),
        "named": st.dictionaries(TEXT, st.lists(INTS, max_size=3), max_size=3),
        "either": st.none() | INTS | TEXT | INNERS,
    }
)


def encoded(row: Any, schema: Any = PARSED) -> bytes:
    """Return a value as fastavro writes it."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, row)
    return out.getvalue()


def either(held: Any) -> Any:
    """Return a value of a union as the struct that represents it."""
    if held is None:
        return None
    names = ("int", "string", "Inner")
    at = next(n for n, kind in enumerate((int, str, dict)) if isinstance(held, kind))
    return {"branch": at, **{name: held if n == at else None for n, name in enumerate(names)}}


@given(st.lists(ROWS, max_size=6))
def test_values_are_what_fastavro_wrote(rows: list[dict[str, Any]]) -> None:
    """Values of every type, nested in unions, arrays and maps, are read as fastavro wrote them."""
    values = pa.array([encoded(row) for row in rows], pa.binary())
    wanted = [
        {**row, "named": list(row["named"].items()), "either": either(row["either"])}
        for row in rows
    ]
    assert decode(values, json.dumps(SCHEMA)).to_pylist() == wanted
    assert decode(sliced(values, nulls=False), json.dumps(SCHEMA)).to_pylist() == wanted
    kept = [{"inner": row["inner"], "either": row["either"]} for row in wanted]
    found = decode(values, json.dumps(SCHEMA), ("either", "inner", "not there"))
    assert found.to_pylist() == kept


@given(ROWS, st.data())
def test_damaged_values_are_refused_or_read(row: dict[str, Any], data: st.DataObject) -> None:
    """A value that is cut is refused; one with changed bytes is refused, or is another value."""
    raw = encoded(row)
    cut = data.draw(st.integers(0, len(raw) - 1))
    with pytest.raises(FormatError, match=r"values\[1\]"):
        decode(pa.array([raw, raw[:cut]]), json.dumps(SCHEMA))
    at, byte = data.draw(st.integers(0, len(raw) - 1)), data.draw(st.integers(0, 255))
    with suppress(ByteloomError):
        decode(pa.array([raw[:at] + bytes([byte]) + raw[at + 1 :]]), json.dumps(SCHEMA))


def test_an_error_names_the_value_the_field_and_the_place() -> None:
    """An error names the value, the field and the offset from the start of the value."""
    good = value_of(recordIndexMetadata=location())
    with pytest.raises(FormatError) as caught:
        decode(pa.array([good, good[:-9]]), SCHEMA_TEXT)
    assert caught.value.path == "values[1].recordIndexMetadata.instantTime"
    assert caught.value.offset is not None
    with pytest.raises(FormatError, match="the end of the value"):
        decode(pa.array([good + b"\0"]), SCHEMA_TEXT)


@pytest.mark.parametrize("number", [-(1 << 31), (1 << 31) - 1])
def test_an_int_has_32_bits(number: int) -> None:
    """An int beyond 32 bits is refused where it begins; a long may have that value."""
    beyond = number + (1 if number > 0 else -1)
    values = pa.array([encoded(each, "long") for each in (0, number, beyond)])
    assert decode(values[:2], '"int"').to_pylist() == [0, number]
    assert decode(values, '"long"').to_pylist() == [0, number, beyond]
    with pytest.raises(FormatError, match=r"^values\[2\]\.value at byte 0 .*a number of 32 bits"):
        decode(values, '"int"')


def test_blocks_with_sizes_are_read() -> None:
    """Blocks of an array that begin with a negative count and a size in bytes are read."""
    schema = json.dumps({"type": "array", "items": "int"})
    value = b"\x03\x04\x02\x04" + b"\x02\x06" + b"\x00"
    assert decode(pa.array([value]), schema).to_pylist() == [[1, 2, 3]]


def test_no_value_takes_memory_that_it_does_not_pay_for() -> None:
    """A list of a billion items is refused before memory is taken, even if items have no bytes."""
    huge = b"\x80\xa8\xd6\xb9\x07\x00"
    with pytest.raises(FormatError, match="items that are inside"):
        decode(pa.array([huge]), json.dumps({"type": "array", "items": "int"}))
    with pytest.raises(Unsupported, match="no bytes"):
        decode(pa.array([huge]), json.dumps({"type": "array", "items": "null"}))


@pytest.mark.parametrize(
    ("schema", "error", "because"),
    [
        ("{", FormatError, r"^schema: found invalid JSON \(.*line 1 column 2 .*an Avro schema"),
        ("[" * 100_000, FormatError, "^schema: found invalid JSON .*recursion .*an Avro schema"),
        ('"unknown"', FormatError, "^schema: found 'unknown', wanted a type"),
        ('{"type": "record", "name": "A"}', FormatError, "found None, wanted the fields of"),
        (
            '{"type": "record", "name": "A", "fields": [{"name": "a"}]}',
            FormatError,
            "^schema: found {'name': 'a'}, wanted a field with a name and a type",
        ),
        ('{"type": "fixed", "name": "A", "size": -1}', FormatError, "found -1, wanted the size"),
        ('{"type": "enum", "name": "A", "symbols": 1}', FormatError, "found 1, wanted the symbols"),
        ("null", FormatError, "^schema: found None, wanted a type that Avro has"),
        (
            '{"type": "array", "items": ' * 300 + '"int"' + "}" * 300,
            LimitExceeded,
            "^schema: found a deeper type, wanted at most 200 types inside types",
        ),
        (
            '{"type": "record", "name": "A", "fields": [{"name": "a", "type": ["null", "A"]}]}',
            Unsupported,
            "^a: found A inside itself",
        ),
    ],
    ids=str,
)
def test_schemas_that_cannot_be_read_are_refused(
    schema: str, error: type[Exception], because: str
) -> None:
    """An invalid schema is refused with the reason, and always by a ByteloomError."""
    with pytest.raises(error, match=because):
        decode(pa.array([b""]), schema)


def test_a_schema_cannot_grow_without_bound() -> None:
    """A schema whose types name each other again and again is refused beyond a limit."""
    fields = [{"name": "a", "type": "int"}]
    schema: dict[str, Any] = {"type": "record", "name": "T0", "fields": fields}
    for number in range(1, 30):
        again = [{"name": "a", "type": schema}, {"name": "b", "type": f"T{number - 1}"}]
        schema = {"type": "record", "name": f"T{number}", "fields": again}
    with pytest.raises(LimitExceeded, match=r"at most \d+ types"):
        decode(pa.array([b""]), json.dumps(schema))


@given(st.lists(st.integers(0, 63), min_size=1, max_size=12), st.booleans())
def test_numbers_of_every_length_are_read_wherever_they_end(
    widths: list[int], negative: bool
) -> None:
    """Varints of every length are read, even close to the end of a value."""
    numbers = [(1 << width) - 1 for width in widths]
    numbers = [~each if negative else each for each in numbers]
    schema = {
        "type": "record",
        "name": "r",
        "fields": [{"name": f"n{at}", "type": "long"} for at in range(len(numbers))],
    }
    out = io.BytesIO()
    row = {f"n{at}": number for at, number in enumerate(numbers)}
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), row)
    value = out.getvalue()
    assert decode(pa.array([value]), json.dumps(schema)).to_pylist() == [row]
    with pytest.raises(
        FormatError, match=r"^values\[0\]\.n\d+ at byte \d+ .*, wanted a whole number"
    ):
        decode(pa.array([value[:-1]]), json.dumps(schema))


@pytest.mark.parametrize("behind", [b"", bytes(12)])
@pytest.mark.parametrize("number", [b"\xff" * 9 + b"\x02", b"\x80" * 10, b"\xff" * 10])
def test_numbers_of_more_than_64_bits_are_refused(number: bytes, behind: bytes) -> None:
    """A varint of more than 64 bits is refused, whether more bytes follow or not."""
    schema = '{"type": "record", "name": "r", "fields": [{"name": "n", "type": "long"}]}'
    with pytest.raises(FormatError, match="whole number of at most 10 bytes"):
        decode(pa.array([number + behind]), schema)


def test_symbols_that_come_to_more_than_the_limits_are_refused() -> None:
    """Symbols that expand beyond the limits are refused; nulls do not count."""
    symbols = ["x" * 1_000_000, "y"]
    schema = json.dumps(["null", {"type": "enum", "name": "E", "symbols": symbols}])
    at = [b"\2\0"] * 536 + [b"\0"] * 100 + [b"\2\2"]
    said = r"^avro\.enum: found symbols of 537000001 bytes in 638 values, wanted at most 536870912"
    with pytest.raises(LimitExceeded, match=said):
        decode(pa.array([b"\2\0", *at], pa.binary()), schema)
    at = [b"\2\0"] * 5 + [b"\0"] * 100 + [b"\2\2"]
    limits = Limits(decompressed_size=5_000_001)
    assert len(decode(pa.array(at, pa.binary()), schema, limits=limits)) == 106
    with pytest.raises(LimitExceeded, match=r"found symbols of 5000002 bytes in 107 values"):
        decode(pa.array([b"\2\2", *at], pa.binary()), schema, limits=limits)
    few = pa.array(at[-2:], pa.binary())
    assert len(decode(few, schema, limits=Limits(decompressed_size=1))) == 2
    with pytest.raises(LimitExceeded, match=r"found symbols of 1 bytes in 2 values, .* most 0 "):
        decode(few, schema, limits=Limits(decompressed_size=0))


def test_a_column_has_at_most_as_many_bytes_as_its_offsets_can_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A column has at most as many bytes as 32-bit offsets can address; nulls count as none."""
    assert avro_values._BYTES_MOST == (1 << 31) - 1
    monkeypatch.setattr(avro_values, "_BYTES_MOST", 6)
    schema = '{"type": "record", "name": "r", "fields": [{"name": "s", "type": "string"}]}'
    three = [b"\6abc", b"\4de", b"\2f"]
    assert decode(pa.array(three), schema).field("s").to_pylist() == ["abc", "de", "f"]
    with pytest.raises(LimitExceeded, match=r"^values: found 7 bytes, wanted at most 6 a column"):
        decode(pa.array([*three, b"\2g"]), schema)
