# Written by byteloom-codegen from specs/iceberg/types.yaml; do not edit.
# To change it, edit that file and generate again.
"""What types columns can have, what each is in Arrow, how its values are hashed
(Appendix B) and written as single values: as JSON, for defaults (Appendix C),
and as bytes, for bounds (Appendix D). Which type a column may take on later.

Source: https://iceberg.apache.org/spec/#primitive-types
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "BINARY_FORMS",
    "EXAMPLES",
    "HASHES",
    "JSON_FORMS",
    "NESTED_TYPES",
    "PARAMETERS",
    "PRIMITIVE_TYPES",
    "PROMOTIONS",
    "BinaryRow",
    "ExampleRow",
    "FormRow",
    "ParameterRow",
    "PromotionRow",
    "TypeRow",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRow:
    """One type. P and S mean precision and scale, L for a length, C and A for a system
    and an algorithm.
    """

    name: str
    """Its name, without parameters."""

    since: int
    """The first format version that has it."""

    arrow: str
    """The Arrow type of its columns."""

    doc: str
    """What its values are."""

    parameters: tuple[str, ...] = ()
    """What is in brackets after the name."""

    unit: str | None = None
    """What its numbers count."""

    zoned: bool = False
    """Whether they count from a moment in UTC."""

    hash: str | None = None
    """How it is hashed: see the table of hashes."""

    json: str | None = None
    """Its single value as JSON: see the table of JSON forms; none where it has no such
    form.
    """

    json_example: str | None = None
    """A single value as JSON."""

    binary: str | None = None
    """Its single value as bytes: see the table of binary forms; none where it has no
    such form.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterRow:
    """One parameter of a type."""

    type: str
    """The type."""

    name: str
    """The parameter."""

    doc: str
    """What it is."""

    least: int | None = None
    """The lowest number that it may be."""

    most: int | None = None
    """The highest."""

    default: str | None = None
    """Its value if it is left out."""

    words: tuple[str, ...] = ()
    """All its possible values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormRow:
    """One way to hash or to write values."""

    name: str
    """Its name here."""

    doc: str
    """What it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryRow:
    """One way to write values as bytes."""

    name: str
    """Its name here."""

    doc: str
    """What it is."""

    size: int | None = None
    """How many bytes it has; none where that differs from value to value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionRow:
    """A type that a column may have had, and what it may become."""

    old: str
    """The type that it has."""

    new: str
    """The type that it may take on; `any` for all."""

    since: int
    """The first format version that allows it."""

    doc: str
    """On what condition, and what old values become."""

    transforms: tuple[str, ...] = ()
    """The transforms that have the same results for both types; left out if all do. A
    source column of any other transform may not be promoted.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleRow:
    """One value."""

    type: str
    """Its type."""

    json: str
    """The value as JSON."""

    binary: str
    """Its bytes, in hexadecimal digits."""

    hash: int
    """Its hash of 32 bits."""


PRIMITIVE_TYPES: Final = (
    TypeRow(
        name="boolean",
        since=1,
        arrow="bool",
        hash="word",
        json="boolean",
        json_example="true",
        binary="u1",
        doc="True or false.",
    ),
    TypeRow(
        name="int",
        since=1,
        arrow="int32",
        hash="word",
        json="s4",
        json_example="34",
        binary="s4le",
        doc="Integers of 32 bits.",
    ),
    TypeRow(
        name="long",
        since=1,
        arrow="int64",
        hash="word",
        json="s8",
        json_example="34",
        binary="s8le",
        doc="Integers of 64 bits.",
    ),
    TypeRow(
        name="float",
        since=1,
        arrow="float",
        hash="float",
        json="number",
        json_example="1.0",
        binary="f4le",
        doc="IEEE 754 of 32 bits.",
    ),
    TypeRow(
        name="double",
        since=1,
        arrow="double",
        hash="float",
        json="number",
        json_example="1.0",
        binary="f8le",
        doc="IEEE 754 of 64 bits.",
    ),
    TypeRow(
        name="decimal",
        parameters=("P", "S"),
        since=1,
        arrow="decimal128(P, S)",
        hash="decimal",
        json="decimal",
        json_example='"14.20"',
        binary="signed",
        doc="Fixed point of P digits, S of them after the point.",
    ),
    TypeRow(
        name="date",
        since=1,
        arrow="date32[day]",
        unit="day",
        hash="word",
        json="date",
        json_example='"2017-11-16"',
        binary="s4le",
        doc="Days from 1970-01-01, without time or zone.",
    ),
    TypeRow(
        name="time",
        since=1,
        arrow="time64[us]",
        unit="us",
        hash="word",
        json="time",
        json_example='"22:31:08.123456"',
        binary="s8le",
        doc="Microseconds since midnight, without zone.",
    ),
    TypeRow(
        name="timestamp",
        since=1,
        arrow="timestamp[us]",
        unit="us",
        hash="word",
        json="moment",
        json_example='"2017-11-16T22:31:08.123456"',
        binary="s8le",
        doc="Microseconds from 1970-01-01 00:00, without zone.",
    ),
    TypeRow(
        name="timestamptz",
        since=1,
        arrow="timestamp[us, tz=UTC]",
        unit="us",
        zoned=True,
        hash="word",
        json="moment",
        json_example='"2017-11-16T22:31:08.123456+00:00"',
        binary="s8le",
        doc="Microseconds from 1970-01-01 00:00 UTC.",
    ),
    TypeRow(
        name="timestamp_ns",
        since=3,
        arrow="timestamp[ns]",
        unit="ns",
        hash="nanos",
        json="moment",
        json_example='"2017-11-16T22:31:08.123456789"',
        binary="s8le",
        doc="Nanoseconds from 1970-01-01 00:00, without zone.",
    ),
    TypeRow(
        name="timestamptz_ns",
        since=3,
        arrow="timestamp[ns, tz=UTC]",
        unit="ns",
        zoned=True,
        hash="nanos",
        json="moment",
        json_example='"2017-11-16T22:31:08.123456789+00:00"',
        binary="s8le",
        doc="Nanoseconds from 1970-01-01 00:00 UTC.",
    ),
    TypeRow(
        name="string",
        since=1,
        arrow="large_string",
        hash="run",
        json="text",
        json_example='"iceberg"',
        binary="utf8",
        doc="Text of any length.",
    ),
    TypeRow(
        name="uuid",
        since=1,
        arrow="fixed_size_binary[16]",
        hash="run",
        json="uuid",
        json_example='"f79c3e09-677c-4bbd-a479-3f349cb785e7"',
        binary="u16be",
        doc="Universally unique identifiers.",
    ),
    TypeRow(
        name="fixed",
        parameters=("L",),
        since=1,
        arrow="fixed_size_binary[L]",
        hash="run",
        json="hex",
        json_example='"000102FF"',
        binary="bytes",
        doc="L bytes.",
    ),
    TypeRow(
        name="binary",
        since=1,
        arrow="large_binary",
        hash="run",
        json="hex",
        json_example='"000102FF"',
        binary="bytes",
        doc="Bytes of any length.",
    ),
    TypeRow(
        name="unknown",
        since=3,
        arrow="null",
        json="nothing",
        json_example="null",
        doc="Only nulls; such a column may become one of any type.",
    ),
    TypeRow(
        name="variant",
        since=3,
        arrow="struct<metadata: large_binary not null, value: large_binary not null>",
        doc="Semi-structured values in Parquet's variant encoding; a default must be null.",
    ),
    TypeRow(
        name="geometry",
        parameters=("C",),
        since=3,
        arrow="large_binary",
        binary="corner",
        doc="Shapes in a plane, as WKB; C is the reference system.",
    ),
    TypeRow(
        name="geography",
        parameters=("C", "A"),
        since=3,
        arrow="large_binary",
        binary="corner",
        doc="Shapes on an ellipsoid, as WKB; C is the reference system, A says how edges run.",
    ),
)
"""The primitive types.

Source: https://iceberg.apache.org/spec/#primitive-types "Primitive Types"
"""


NESTED_TYPES: Final = (
    TypeRow(
        name="struct",
        since=1,
        arrow="struct",
        json="by-id",
        json_example='{"1": 1, "2": "bar"}',
        doc="A tuple of named fields.",
    ),
    TypeRow(
        name="list",
        since=1,
        arrow="large_list",
        json="array",
        json_example="[1, 2, 3]",
        doc="Elements of one type.",
    ),
    TypeRow(
        name="map",
        since=1,
        arrow="map",
        json="pairs",
        json_example='{"keys": ["a", "b"], "values": [1, 2]}',
        doc="Values by key; a key is never null.",
    ),
)
"""The nested types.

Source: https://iceberg.apache.org/spec/#primitive-types "Nested Types"
"""


PARAMETERS: Final = (
    ParameterRow(type="decimal", name="P", least=1, most=38, doc="Digits."),
    ParameterRow(
        type="decimal",
        name="S",
        doc="Digits after the point; below 0 for zeros before it.",
    ),
    ParameterRow(type="fixed", name="L", least=0, doc="The number of bytes."),
    ParameterRow(
        type="geometry",
        name="C",
        default="OGC:CRS84",
        doc="The coordinate reference system.",
    ),
    ParameterRow(
        type="geography",
        name="C",
        default="OGC:CRS84",
        doc="The coordinate reference system.",
    ),
    ParameterRow(
        type="geography",
        name="A",
        default="spherical",
        words=("spherical", "vincenty", "thomas", "andoyer", "karney"),
        doc="How an edge runs between two points.",
    ),
)
"""What may be in brackets after the names of types.

Source: https://iceberg.apache.org/spec/#primitive-types "Primitive Types"
"""


PROMOTIONS: Final = (
    PromotionRow(old="int", new="long", since=1, doc="The same number."),
    PromotionRow(old="float", new="double", since=1, doc="The same number."),
    PromotionRow(old="decimal", new="decimal", since=1, doc="P may grow, S stays."),
    PromotionRow(old="unknown", new="any", since=3, doc="What was null stays null."),
    PromotionRow(
        old="date",
        new="timestamp",
        since=3,
        transforms=("year", "month", "day", "void"),
        doc="The start of the day; never timestamptz.",
    ),
    PromotionRow(
        old="date",
        new="timestamp_ns",
        since=3,
        transforms=("year", "month", "day", "void"),
        doc="The start of the day, if nanoseconds from 1970 can represent it; never timestamptz_ns.",
    ),
)
"""The types that a column may become. Files are not rewritten; old values are read
as the new type.

Source: https://iceberg.apache.org/spec/#primitive-types "Schema Evolution"
"""


HASHES: Final = (
    FormRow(
        name="word",
        doc="The value as a long of 8 bytes, little-endian: days, microseconds, 1 for true.",
    ),
    FormRow(
        name="nanos",
        doc="The same as `word`, in microseconds: nanoseconds are rounded down.",
    ),
    FormRow(
        name="float",
        doc="The bits of the value as a double, hashed as `word` is; -0.0 counts as 0.0, and every NaN as the same one.",
    ),
    FormRow(
        name="decimal",
        doc="The unscaled value as two's complement, big-endian, in the fewest bytes.",
    ),
    FormRow(
        name="run", doc="The bytes of the value; text as UTF-8, a UUID big-endian."
    ),
)
"""What each hash takes. Equal values of promoted types have equal hashes.

Source: https://iceberg.apache.org/spec/#primitive-types "Appendix B: 32-bit Hash Requirements"
"""


JSON_FORMS: Final = (
    FormRow(name="nothing", doc="Null, always."),
    FormRow(name="boolean", doc="true or false."),
    FormRow(
        name="s4",
        doc="A number without a fraction, that fits in 32 bits with its sign.",
    ),
    FormRow(
        name="s8",
        doc="A number without a fraction, that fits in 64 bits with its sign.",
    ),
    FormRow(name="number", doc="A number."),
    FormRow(
        name="decimal",
        doc="Text with as many digits after the point as the scale says; with an exponent where it is negative.",
    ),
    FormRow(name="date", doc="Text such as 2017-11-16."),
    FormRow(name="time", doc="Text such as 22:31:08.123456."),
    FormRow(
        name="moment",
        doc="Text such as 2017-11-16T22:31:08.123456, up to the digits of the unit; with +00:00 after it where it is zoned.",
    ),
    FormRow(name="text", doc="Text."),
    FormRow(name="uuid", doc="Text in lower case, with hyphens."),
    FormRow(name="hex", doc="Text, two hexadecimal digits a byte."),
    FormRow(name="by-id", doc="An object by field id."),
    FormRow(name="array", doc="An array."),
    FormRow(
        name="pairs", doc="An object of two arrays of one length, keys and values."
    ),
)
"""How single values are written as JSON. Null is null for every type.

Source: https://iceberg.apache.org/spec/#primitive-types "Appendix C: JSON single-value serialization"
"""


BINARY_FORMS: Final = (
    BinaryRow(name="u1", size=1, doc="00 for false, any other byte for true."),
    BinaryRow(name="s4le", size=4, doc="A signed integer, little-endian."),
    BinaryRow(name="s8le", size=8, doc="A signed integer, little-endian."),
    BinaryRow(name="f4le", size=4, doc="IEEE 754, little-endian."),
    BinaryRow(name="f8le", size=8, doc="IEEE 754, little-endian."),
    BinaryRow(
        name="signed",
        doc="The unscaled value in two's complement, big-endian, in as few bytes as hold it.",
    ),
    BinaryRow(name="utf8", doc="UTF-8, without its length."),
    BinaryRow(name="u16be", size=16, doc="Big-endian."),
    BinaryRow(name="bytes", doc="The bytes, without their length."),
    BinaryRow(
        name="corner",
        doc="A corner of the box around all shapes: x, y and, where there are, z and m, each f8le; z is NaN where there is only m.",
    ),
)
"""How single values are written as bytes. A value from before a promotion keeps
the form that it had; its length says which.

Source: https://iceberg.apache.org/spec/#primitive-types "Appendix D: Single-value serialization"
"""


EXAMPLES: Final = (
    ExampleRow(type="boolean", json="true", binary="01", hash=1392991556),
    ExampleRow(type="boolean", json="false", binary="00", hash=1669671676),
    ExampleRow(type="int", json="34", binary="22000000", hash=2017239379),
    ExampleRow(type="int", json="-1", binary="ffffffff", hash=1651860712),
    ExampleRow(type="long", json="34", binary="2200000000000000", hash=2017239379),
    ExampleRow(type="float", json="1.0", binary="0000803f", hash=-142385009),
    ExampleRow(type="double", json="1.0", binary="000000000000f03f", hash=-142385009),
    ExampleRow(type="double", json="0.0", binary="0000000000000000", hash=1669671676),
    ExampleRow(type="decimal(9, 2)", json='"14.20"', binary="058c", hash=-500754589),
    ExampleRow(type="decimal(9, 2)", json='"-14.20"', binary="fa74", hash=667775751),
    ExampleRow(type="date", json='"2017-11-16"', binary="4e440000", hash=-653330422),
    ExampleRow(
        type="time", json='"22:31:08"', binary="008307e012000000", hash=-662762989
    ),
    ExampleRow(
        type="timestamp",
        json='"2017-11-16T22:31:08"',
        binary="00c3262d215e0500",
        hash=-2047944441,
    ),
    ExampleRow(
        type="timestamp",
        json='"1969-12-31T23:59:59.999999"',
        binary="ffffffffffffffff",
        hash=1651860712,
    ),
    ExampleRow(
        type="timestamptz",
        json='"2017-11-16T22:31:08+00:00"',
        binary="00c3262d215e0500",
        hash=-2047944441,
    ),
    ExampleRow(
        type="timestamp_ns",
        json='"2017-11-16T22:31:08.000001001"',
        binary="e9bb695f98b1f714",
        hash=-1207196810,
    ),
    ExampleRow(
        type="timestamptz_ns",
        json='"2017-11-16T22:31:08.000001001+00:00"',
        binary="e9bb695f98b1f714",
        hash=-1207196810,
    ),
    ExampleRow(
        type="string", json='"iceberg"', binary="69636562657267", hash=1210000089
    ),
    ExampleRow(
        type="uuid",
        json='"f79c3e09-677c-4bbd-a479-3f349cb785e7"',
        binary="f79c3e09677c4bbda4793f349cb785e7",
        hash=1488055340,
    ),
    ExampleRow(type="fixed[4]", json='"00010203"', binary="00010203", hash=-188683207),
    ExampleRow(type="binary", json='"00010203"', binary="00010203", hash=-188683207),
)
"""Values as JSON, as bytes and hashed; those of the spec are among them.

Source: https://iceberg.apache.org/spec/#primitive-types "Appendix B, C, D"
"""
