"""Partition transforms of columns give what the spec's own words give for each value.

Transforms are internal: filters and partitions of tables show few of their values.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

import mmh3
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.iceberg import (
    Transform,
    Type,
    apply_array,
    apply_value,
    parse_primitive,
    parse_transform,
    values,
)
from byteloom.iceberg.transforms import (
    Bucket,
    Day,
    Hour,
    Identity,
    Month,
    Truncate,
    UnknownTransform,
    Void,
    Year,
    to_human,
)
from byteloom.iceberg.transforms.arrays import storage_array, storage_values

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
UNSCALED = st.integers(-(10**38) + 1, 10**38 - 1) | st.integers(-(1 << 17), 1 << 17)
COLUMNS: dict[str, st.SearchStrategy[Any]] = {
    "int": INT32,
    "long": INT64,
    "date": INT32,
    "time": st.integers(0, 86_399_999_999),
    "timestamp": INT64,
    "timestamptz": INT64,
    "timestamp_ns": INT64,
    "timestamptz_ns": INT64,
    "string": st.text(),
    "uuid": st.uuids(),
    "fixed[5]": st.binary(min_size=5, max_size=5),
    "binary": st.binary(),
    "decimal(38, 3)": UNSCALED.map(lambda digits: Decimal(f"{digits}E-3")),
}
MICROS = {"timestamp": 86_400_000_000, "timestamptz": 86_400_000_000}
NANOS = {"timestamp_ns": 86_400_000_000_000, "timestamptz_ns": 86_400_000_000_000}
PER_DAY = MICROS | NANOS | {"date": 1}


def hash_of(of: Type, value: Any) -> int:
    """Return the hash of Appendix B, by the authors of Murmur3."""
    if of.kind in {"int", "long", "date", "time", "timestamp", "timestamptz"}:
        return mmh3.hash(struct.pack("<q", value))
    if of.kind in NANOS:
        return mmh3.hash(struct.pack("<q", value // 1000))
    return mmh3.hash(values.to_binary(of, value))


def cut(of: Type, value: Any, width: int) -> Any:
    """Return the spec's truncated value, which wraps below the least int or long."""
    if isinstance(value, str | bytes):
        return value[:width]
    if isinstance(value, Decimal):
        digits = int(value.scaleb(3, context=values_context()))
        return Decimal(f"{digits - digits % width}E-3")
    bits = 32 if of.kind == "int" else 64
    return (value - value % width + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def values_context() -> Any:
    """Return decimal arithmetic without rounding."""
    from decimal import Context

    return Context(prec=80)


def unit_of(transform: Transform, of: Type, value: int) -> int:
    """Return the calendar unit of a time, by NumPy."""
    if isinstance(transform, Hour):
        return value // (PER_DAY[of.kind] // 24)
    day = np.datetime64(value // PER_DAY[of.kind], "D")
    unit = {"day": "D", "month": "M", "year": "Y"}[str(transform)]
    return int(day.astype(f"datetime64[{unit}]").astype(np.int64))


def reference(transform: Transform, of: Type, value: Any) -> Any:
    """Return what a value becomes by the spec."""
    if value is None or isinstance(transform, Void):
        return None
    if isinstance(transform, Bucket):
        return (hash_of(of, value) & 0x7FFFFFFF) % transform.buckets
    if isinstance(transform, Truncate):
        return cut(of, value, transform.width)
    return value if isinstance(transform, Identity) else unit_of(transform, of, value)


NUMBERS = st.integers(1, 40) | st.sampled_from([1000, 65536, (1 << 31) - 1])
TRANSFORMS = st.one_of(
    st.sampled_from([Identity(), Void(), Year(), Month(), Day(), Hour()]),
    NUMBERS.map(Bucket),
    NUMBERS.map(Truncate),
)


@st.composite
def columns(draw: st.DrawFn) -> tuple[Transform, Type, list[Any]]:
    """Draw a transform, a type that it takes, and values with nulls among them."""
    name = draw(st.sampled_from(sorted(COLUMNS)))
    of = parse_primitive(name)
    transform = draw(TRANSFORMS.filter(lambda each: each.can_transform(of)))
    held = draw(st.lists(st.none() | COLUMNS[name], max_size=12))
    if isinstance(transform, Truncate) and name.startswith("decimal"):
        held = [each for each in held if each is None or abs(each) < 10**34]
    return transform, of, held


ENDS = sorted(
    {sign * (1 << bit) + more for bit in range(127) for sign in (1, -1) for more in (-1, 0)}
)
"""Numbers on both sides of every power of two."""


@pytest.mark.parametrize(
    ("transform", "of"),
    [
        (transform, of)
        for of in map(parse_primitive, ["int", "long", "date", *MICROS, *NANOS, "decimal(38, 3)"])
        for transform in [
            Bucket((1 << 31) - 1), *map(Truncate, (10, 1 << 16, (1 << 31) - 1)), Year(), Day(),
        ]
        if transform.can_transform(of)
    ],
    ids=str,
)  # fmt: skip
def test_numbers_of_every_length_become_what_the_spec_says(transform: Transform, of: Type) -> None:
    """Numbers of 1 to 16 bytes, positive and negative, are transformed as the spec says."""
    bits = {"int": 31, "date": 31, "decimal": 123}.get(of.kind, 63)
    numbers = [each for each in ENDS if -1 << bits <= each < 1 << bits]
    held = [Decimal(f"{each}E-3") if of.kind == "decimal" else each for each in numbers]
    wanted = [reference(transform, of, each) for each in held]
    made = apply_array(transform, of, storage_array(of, held))
    assert storage_values(transform.result_type(of), made) == wanted


@given(columns())
def test_a_column_becomes_what_the_spec_says(case: tuple[Transform, Type, list[Any]]) -> None:
    """A column is transformed as the spec says, with nulls as nulls. Hours wrap at 32 bits."""
    transform, of, held = case
    wanted = [reference(transform, of, each) for each in held]
    if isinstance(transform, Hour):
        wanted = [each if each is None else (each + 2**31) % 2**32 - 2**31 for each in wanted]
    made = apply_array(transform, of, storage_array(of, held))
    assert storage_values(transform.result_type(of), made) == wanted


@given(columns(), st.data())
def test_slices_chunks_and_dictionaries_become_the_same(
    case: tuple[Transform, Type, list[Any]], data: st.DataObject
) -> None:
    """A transform gives the same values for slices, chunks and dictionaries of a column."""
    transform, of, held = case
    whole = storage_array(of, held)
    wanted = apply_array(transform, of, whole)
    at = data.draw(st.integers(0, len(held)))
    parts = pa.chunked_array([whole[:at], whole[at:]], whole.type)
    assert apply_array(transform, of, parts).combine_chunks().equals(wanted)
    assert apply_array(transform, of, whole[at:]).equals(wanted[at:])
    if of.kind not in {"uuid", "fixed"}:  # which Arrow does not encode
        assert apply_array(transform, of, whole.dictionary_encode()).equals(wanted)


@given(columns())
def test_one_value_becomes_what_its_column_does(case: tuple[Transform, Type, list[Any]]) -> None:
    """A single value is transformed as a column of it is."""
    transform, of, held = case
    made = apply_array(transform, of, storage_array(of, held))
    wanted = storage_values(transform.result_type(of), made)
    assert [apply_value(transform, of, each) for each in held] == wanted


@pytest.mark.parametrize(
    "layout", [pa.string(), pa.large_string(), pa.string_view()], ids=["small", "large", "view"]
)
@pytest.mark.parametrize("transform", [Bucket(16), Truncate(2)], ids=str)
def test_text_of_any_layout_is_taken(transform: Transform, layout: pa.DataType) -> None:
    """Text of any Arrow layout has the same buckets and prefixes, in whole characters."""
    texts = ["iceberg", None, "", "\N{SNOWMAN}\U0001f9ca\U0001f9ca", "ab"]
    of = parse_primitive("string")
    made = apply_array(transform, of, pa.array(texts, layout))
    assert made.to_pylist() == [reference(transform, of, each) for each in texts]


@pytest.mark.parametrize("unit", ["s", "ms", "ns"])
def test_moments_of_other_units_are_brought_to_the_types(unit: str) -> None:
    """A timestamp column in another unit is converted to the type's unit first."""
    moments = pa.array(["1969-12-31T23:59:59", "2017-11-16T22:31:08"]).cast(pa.timestamp(unit))
    made = apply_array(Day(), parse_primitive("timestamp"), moments)
    assert made.cast(pa.int32()).to_pylist() == [-1, 17486]


@pytest.mark.parametrize(
    ("transform", "source"),
    [
        ("bucket[4]", "double"),
        ("bucket[4]", "boolean"),
        ("truncate[4]", "uuid"),
        ("truncate[4]", "date"),
        ("year", "time"),
        ("hour", "date"),
        ("identity", "geometry"),
        ("zorder[2]", "int"),
    ],
)
def test_types_that_a_transform_does_not_take_are_refused(transform: str, source: str) -> None:
    """A type that a transform does not take is refused, as is any type by an unknown one."""
    of = parse_primitive(source)
    with pytest.raises(FormatError, match="transform"):
        apply_array(parse_transform(transform), of, pa.nulls(1))


def test_a_column_of_another_type_is_refused() -> None:
    """A column of text is refused for a transform of longs."""
    with pytest.raises(FormatError, match="for type long"):
        apply_array(Bucket(4), parse_primitive("long"), pa.array(["a"]))


@pytest.mark.parametrize("text", ["bucket[0]", "truncate[0]", "bucket[2147483648]"])
def test_numbers_out_of_range_are_refused(text: str) -> None:
    """A bucket count or a width that is not a positive int is refused."""
    with pytest.raises(FormatError, match="from 1 to 2147483647"):
        parse_transform(text)


@pytest.mark.parametrize("text", ["bucket[1]", "bucket[2147483647]", "truncate[2147483647]"])
def test_the_least_and_the_largest_numbers_are_read(text: str) -> None:
    """The least and the largest bucket count and width are read and written."""
    assert str(parse_transform(text)) == text


@given(st.text())
def test_any_text_is_a_transform(text: str) -> None:
    """Any text is a transform or an error, and an unknown transform keeps its text."""
    try:
        transform = parse_transform(text)
    except FormatError:
        return
    assert str(transform) == text or not isinstance(transform, UnknownTransform)


@pytest.mark.parametrize(
    ("transform", "source", "value", "text"),
    [
        ("identity", "boolean", True, "true"),
        ("identity", "float", 0.1, "0.1"),
        ("identity", "float", 1e10, "1.0E10"),
        ("identity", "double", 9_999_999.0, "9999999.0"),
        ("identity", "double", 1e7, "1.0E7"),
        ("identity", "double", -1e-5, "-1.0E-5"),
        ("identity", "double", -0.0, "-0.0"),
        ("identity", "double", float("nan"), "NaN"),
        ("identity", "double", float("-inf"), "-Infinity"),
        ("identity", "decimal(9, 8)", Decimal("0.00000012"), "1.2E-7"),
        ("identity", "date", 2_932_897, "10000-01-01"),
        ("day", "date", -719_529, "-001-12-31"),
        ("identity", "time", 36_720_000_000, "10:12"),
        ("identity", "time", 36_725_000_000, "10:12:05"),
        ("identity", "time", 36_720_500_000, "10:12:00.500"),
        ("identity", "timestamp", 0, "1970-01-01T00:00:00"),
        ("identity", "timestamp", 500_000, "1970-01-01T00:00:00.5"),
        ("identity", "timestamptz", 1_512_151_975_038_190, "2017-12-01T18:12:55.03819+00:00"),
        ("identity", "timestamptz", 10_000_000, "1970-01-01T00:00:10+00:00"),
        ("identity", "timestamp_ns", 120, "1970-01-01T00:00:00.00000012"),
        ("identity", "fixed[3]", b"\1\2\3", "AQID"),
        ("void", "long", 3, "null"),
    ],
)
def test_a_partition_value_reads_as_java_spells_it(
    transform: str, source: str, value: Any, text: str
) -> None:
    """A partition value has exactly Java's text, as in partition paths and metadata tables."""
    assert to_human(parse_transform(transform), parse_primitive(source), value) == text
