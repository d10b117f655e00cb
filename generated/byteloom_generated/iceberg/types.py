# Written by byteloom-codegen from specs/iceberg/types.yaml; do not edit.
# To change it, edit that file and generate again.
"""What each type is to Avro, Parquet, ORC and Arrow (Appendix A), how values of it
are hashed (Appendix B), and how a single value is written as JSON (Appendix C)
and as bytes (Appendix D). In the other direction, what types of those formats
are read as.

Source: https://iceberg.apache.org/spec/#primitive-types
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "HASHES",
    "NESTED_TYPES",
    "PRIMITIVE_TYPES",
    "STORED_TYPES",
    "HashRow",
    "StoredRow",
    "TypeRow",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRow:
    """One type. P and S stand for precision and scale, L for a length."""

    name: str
    """Its name, without parameters."""

    since: int
    """The first format version that has it."""

    arrow: str
    """The Arrow type of its columns."""

    avro: str
    """The Avro type, its logical type and attributes."""

    parquet: str
    """The Parquet physical type."""

    orc: str
    """The ORC type and its attributes."""

    doc: str
    """What its values are."""

    parameters: str | None = None
    """What stands in brackets behind the name."""

    parquet_logical: str | None = None
    """The Parquet logical type."""

    hash: str | None = None
    """How it is hashed: see the table of hashes."""

    json: str | None = None
    """Its single value as JSON; none where it has no such form."""

    json_example: str | None = None
    """A single value as JSON."""

    binary: str | None = None
    """Its single value as bytes; none where it has no such form."""

    binary_sizes: tuple[int, ...] = ()
    """How many bytes those are; then, how many they were before a promotion."""

    promoted_from: tuple[str, ...] = ()
    """The types that a column may have had before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HashRow:
    """One way to hash."""

    name: str
    """Its name here."""

    doc: str
    """The bytes that are hashed, by Murmur3 of 32 bits, x86 variant, seed 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """A type of a file format, and what it is read as."""

    format: str
    """The file format."""

    stored: str
    """Its type, with a logical type or attributes."""

    read_as: str
    """The Iceberg type."""


PRIMITIVE_TYPES: Final = (
    TypeRow(
        name="boolean",
        since=1,
        arrow="bool",
        avro="boolean",
        parquet="boolean",
        orc="boolean",
        hash="word",
        json="true or false",
        json_example="true",
        binary="00 for false, any other byte for true",
        binary_sizes=(1,),
        doc="True or false.",
    ),
    TypeRow(
        name="int",
        since=1,
        arrow="int32",
        avro="int",
        parquet="int32",
        orc="int",
        hash="word",
        json="a number",
        json_example="34",
        binary="little-endian",
        binary_sizes=(4,),
        doc="Integers of 32 bits.",
    ),
    TypeRow(
        name="long",
        since=1,
        arrow="int64",
        avro="long",
        parquet="int64",
        orc="long",
        hash="word",
        json="a number",
        json_example="34",
        binary="little-endian",
        binary_sizes=(8, 4),
        promoted_from=("int",),
        doc="Integers of 64 bits.",
    ),
    TypeRow(
        name="float",
        since=1,
        arrow="float",
        avro="float",
        parquet="float",
        orc="float",
        hash="float",
        json="a number",
        json_example="1.0",
        binary="IEEE 754, little-endian",
        binary_sizes=(4,),
        doc="IEEE 754 of 32 bits.",
    ),
    TypeRow(
        name="double",
        since=1,
        arrow="double",
        avro="double",
        parquet="double",
        orc="double",
        hash="float",
        json="a number",
        json_example="1.0",
        binary="IEEE 754, little-endian",
        binary_sizes=(8, 4),
        promoted_from=("float",),
        doc="IEEE 754 of 64 bits.",
    ),
    TypeRow(
        name="decimal",
        parameters="P,S",
        since=1,
        arrow="decimal128(P, S)",
        avro="fixed of the fewest bytes that hold P digits, logicalType decimal, precision P, scale S",
        parquet="int32 to 9 digits, int64 to 18, else fixed_len_byte_array of the fewest bytes",
        parquet_logical="DECIMAL(P, S)",
        orc="decimal(P, S)",
        hash="decimal",
        json="text with the scale's digits; with an exponent where the scale is negative",
        json_example='"14.20"',
        binary="unscaled, two's complement, big-endian, as few bytes as hold it",
        promoted_from=("decimal",),
        doc="Fixed point of P digits, at most 38, S of them behind the point; P may grow, S not change.",
    ),
    TypeRow(
        name="date",
        since=1,
        arrow="date32[day]",
        avro="int, logicalType date",
        parquet="int32",
        parquet_logical="DATE",
        orc="date",
        hash="word",
        json="text",
        json_example='"2017-11-16"',
        binary="days from 1970-01-01, little-endian",
        binary_sizes=(4,),
        doc="Days, without time or zone.",
    ),
    TypeRow(
        name="time",
        since=1,
        arrow="time64[us]",
        avro="long, logicalType time-micros",
        parquet="int64",
        parquet_logical="TIME(isAdjustedToUTC=false, MICROS)",
        orc="long, iceberg.long-type=TIME",
        hash="word",
        json="text",
        json_example='"22:31:08.123456"',
        binary="microseconds from midnight, little-endian",
        binary_sizes=(8,),
        doc="Microseconds of a day, without zone.",
    ),
    TypeRow(
        name="timestamp",
        since=1,
        arrow="timestamp[us]",
        avro="long, logicalType timestamp-micros, adjust-to-utc false",
        parquet="int64",
        parquet_logical="TIMESTAMP(isAdjustedToUTC=false, MICROS)",
        orc="timestamp, iceberg.timestamp-unit=MICROS",
        hash="word",
        json="text",
        json_example='"2017-11-16T22:31:08.123456"',
        binary="microseconds from 1970-01-01, little-endian",
        binary_sizes=(8, 4),
        promoted_from=("date",),
        doc="Microseconds, without zone; promotion from date since version 3.",
    ),
    TypeRow(
        name="timestamptz",
        since=1,
        arrow="timestamp[us, tz=UTC]",
        avro="long, logicalType timestamp-micros, adjust-to-utc true",
        parquet="int64",
        parquet_logical="TIMESTAMP(isAdjustedToUTC=true, MICROS)",
        orc="timestamp_instant, iceberg.timestamp-unit=MICROS",
        hash="word",
        json="text with the offset +00:00",
        json_example='"2017-11-16T22:31:08.123456+00:00"',
        binary="microseconds from 1970-01-01 UTC, little-endian",
        binary_sizes=(8,),
        doc="Microseconds, in UTC.",
    ),
    TypeRow(
        name="timestamp_ns",
        since=3,
        arrow="timestamp[ns]",
        avro="long, logicalType timestamp-nanos, adjust-to-utc false",
        parquet="int64",
        parquet_logical="TIMESTAMP(isAdjustedToUTC=false, NANOS)",
        orc="timestamp, iceberg.timestamp-unit=NANOS",
        hash="nanos",
        json="text",
        json_example='"2017-11-16T22:31:08.123456789"',
        binary="nanoseconds from 1970-01-01, little-endian",
        binary_sizes=(8, 4),
        promoted_from=("date",),
        doc="Nanoseconds, without zone.",
    ),
    TypeRow(
        name="timestamptz_ns",
        since=3,
        arrow="timestamp[ns, tz=UTC]",
        avro="long, logicalType timestamp-nanos, adjust-to-utc true",
        parquet="int64",
        parquet_logical="TIMESTAMP(isAdjustedToUTC=true, NANOS)",
        orc="timestamp_instant, iceberg.timestamp-unit=NANOS",
        hash="nanos",
        json="text with the offset +00:00",
        json_example='"2017-11-16T22:31:08.123456789+00:00"',
        binary="nanoseconds from 1970-01-01 UTC, little-endian",
        binary_sizes=(8,),
        doc="Nanoseconds, in UTC.",
    ),
    TypeRow(
        name="string",
        since=1,
        arrow="large_string",
        avro="string",
        parquet="binary",
        parquet_logical="STRING",
        orc="string",
        hash="run",
        json="text",
        json_example='"iceberg"',
        binary="UTF-8, without its length",
        doc="Text of any length.",
    ),
    TypeRow(
        name="uuid",
        since=1,
        arrow="fixed_size_binary[16]",
        avro="fixed of 16 bytes, logicalType uuid",
        parquet="fixed_len_byte_array[16]",
        parquet_logical="UUID",
        orc="binary, iceberg.binary-type=UUID",
        hash="run",
        json="text in lower case",
        json_example='"f79c3e09-677c-4bbd-a479-3f349cb785e7"',
        binary="big-endian",
        binary_sizes=(16,),
        doc="Universally unique identifiers.",
    ),
    TypeRow(
        name="fixed",
        parameters="L",
        since=1,
        arrow="fixed_size_binary[L]",
        avro="fixed of L bytes",
        parquet="fixed_len_byte_array[L]",
        orc="binary, iceberg.binary-type=FIXED, iceberg.length=L",
        hash="run",
        json="text, two hexadecimal digits a byte",
        json_example='"000102FF"',
        binary="the bytes",
        doc="L bytes.",
    ),
    TypeRow(
        name="binary",
        since=1,
        arrow="large_binary",
        avro="bytes",
        parquet="binary",
        orc="binary",
        hash="run",
        json="text, two hexadecimal digits a byte",
        json_example='"000102FF"',
        binary="the bytes, without their length",
        doc="Bytes of any length.",
    ),
    TypeRow(
        name="unknown",
        since=3,
        arrow="null",
        avro="null, or left out",
        parquet="left out",
        orc="left out",
        json="null",
        json_example="null",
        doc="Null alone; any type may follow it.",
    ),
    TypeRow(
        name="variant",
        since=3,
        arrow="struct<metadata: large_binary not null, value: large_binary not null>",
        avro="record of metadata and value, both bytes, without field ids",
        parquet="group of metadata and value, both binary, and typed_value where shredded",
        parquet_logical="VARIANT(1)",
        orc="struct of metadata and value, both binary",
        doc="Semi-structured values in Parquet's variant encoding; a default must be null.",
    ),
    TypeRow(
        name="geometry",
        parameters="C",
        since=3,
        arrow="large_binary",
        avro="bytes",
        parquet="binary",
        parquet_logical="GEOMETRY(C)",
        orc="binary",
        binary="as a bound a point: x, y and, where there are, z and m as doubles, little-endian",
        doc="Shapes in a plane, as WKB; C is the reference system, OGC:CRS84 if left out.",
    ),
    TypeRow(
        name="geography",
        parameters="C,A",
        since=3,
        arrow="large_binary",
        avro="bytes",
        parquet="binary",
        parquet_logical="GEOGRAPHY(C, A)",
        orc="binary",
        binary="as a bound a point: x, y and, where there are, z and m as doubles, little-endian",
        doc="Shapes on an ellipsoid, as WKB; A says how edges run, spherical if left out.",
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
        avro="record; field-id in each field",
        parquet="group; field_id in each field",
        orc="struct; iceberg.id and iceberg.required in each field",
        json="an object by field id",
        json_example='{"1": 1, "2": "bar"}',
        doc="A tuple of named fields.",
    ),
    TypeRow(
        name="list",
        since=1,
        arrow="large_list",
        avro="array; element-id",
        parquet="list of three levels",
        parquet_logical="LIST",
        orc="array",
        json="an array",
        json_example="[1, 2, 3]",
        doc="Elements of one type.",
    ),
    TypeRow(
        name="map",
        since=1,
        arrow="map",
        avro="array of records key and value, logicalType map; or, for keys of text, map with key-id and value-id",
        parquet="map of three levels",
        parquet_logical="MAP",
        orc="map",
        json="an object of two arrays, keys and values",
        json_example='{"keys": ["a", "b"], "values": [1, 2]}',
        doc="Values by key; a key is never null.",
    ),
)
"""The types that hold others. Their ids are kept in the schemas of files.

Source: https://iceberg.apache.org/spec/#primitive-types "Nested Types"
"""


HASHES: Final = (
    HashRow(
        name="word",
        doc="The value as a long of 8 bytes, little-endian: days, microseconds, 1 for true.",
    ),
    HashRow(
        name="nanos", doc="As word, in microseconds: rounded down from nanoseconds."
    ),
    HashRow(
        name="float",
        doc="The bits of the value as a double, as word; -0.0 as 0.0, and one NaN for all.",
    ),
    HashRow(
        name="decimal",
        doc="The unscaled value as two's complement, big-endian, in the fewest bytes.",
    ),
    HashRow(
        name="run", doc="The bytes of the value; text as UTF-8, a UUID big-endian."
    ),
)
"""What each hash takes. Equal values of promoted types have equal hashes.

Source: https://iceberg.apache.org/spec/#primitive-types "Appendix B: 32-bit Hash Requirements"
"""


STORED_TYPES: Final = (
    StoredRow(format="avro", stored="enum", read_as="string"),
    StoredRow(format="avro", stored="int, logicalType time-millis", read_as="time"),
    StoredRow(
        format="avro", stored="long, logicalType timestamp-millis", read_as="timestamp"
    ),
    StoredRow(
        format="avro",
        stored="long, logicalType timestamp-micros, without adjust-to-utc",
        read_as="timestamp",
    ),
    StoredRow(format="avro", stored="bytes, logicalType decimal", read_as="decimal"),
    StoredRow(format="avro", stored="map", read_as="map"),
    StoredRow(
        format="parquet", stored="int32, INT(8 or 16, signed or not)", read_as="int"
    ),
    StoredRow(format="parquet", stored="int32, INT(32, unsigned)", read_as="long"),
    StoredRow(format="parquet", stored="int32, TIME(MILLIS)", read_as="time"),
    StoredRow(format="parquet", stored="int64, TIMESTAMP(MILLIS)", read_as="timestamp"),
    StoredRow(format="parquet", stored="int96", read_as="timestamptz"),
    StoredRow(format="parquet", stored="binary, ENUM or JSON", read_as="string"),
    StoredRow(format="parquet", stored="binary, BSON", read_as="binary"),
    StoredRow(format="parquet", stored="binary, DECIMAL(P, S)", read_as="decimal"),
    StoredRow(format="orc", stored="tinyint", read_as="int"),
    StoredRow(format="orc", stored="smallint", read_as="int"),
    StoredRow(format="orc", stored="varchar", read_as="string"),
    StoredRow(format="orc", stored="char", read_as="string"),
)
"""What columns of data files are read as where a table has no schema yet, beside
what the tables above say.

Source: https://iceberg.apache.org/spec/#primitive-types "Appendix A: Format-specific Requirements"
"""
