# Written by byteloom-codegen from specs/iceberg/file_types.yaml; do not edit.
# To change it, edit that file and generate again.
"""Which type of a file format holds which type of Iceberg (Appendix A), for
writers, and which other types are read as one, where files come from elsewhere.
P and S mean the precision and scale of a decimal, L for the length of a fixed,
C and A for the system and the algorithm of shapes.

Source: https://iceberg.apache.org/spec/#appendix-a-format-specific-requirements
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "AVRO_TYPES",
    "ORC_TYPES",
    "PARQUET_TYPES",
    "AvroType",
    "OrcType",
    "ParquetType",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AvroType:
    """A type in Avro."""

    type: str
    """The Iceberg type."""

    avro: str
    """The Avro type."""

    logical: str | None = None
    """Its `logicalType`."""

    adjust_to_utc: str | None = None
    """The property of that name; absent means false."""

    size: str | None = None
    """Bytes of a fixed."""

    unit: str | None = None
    """What it counts."""

    keys: str | None = None
    """The type of the keys, of a map."""

    ids: tuple[str, ...] = ()
    """The properties that hold field ids."""

    written: bool = False
    """Whether writers use it."""

    doc: str | None = None
    """Notes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetType:
    """A type in Parquet."""

    type: str
    """The Iceberg type."""

    physical: str
    """The physical type; `group` for nested ones."""

    logical: str | None = None
    """The logical type annotation."""

    size: str | None = None
    """Bytes of a fixed_len_byte_array."""

    digits: int | None = None
    """The largest number of digits, of a decimal."""

    unit: str | None = None
    """What it counts."""

    written: bool = False
    """Whether writers use it."""

    doc: str | None = None
    """Notes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrcType:
    """A type in ORC."""

    type: str
    """The Iceberg type."""

    orc: str
    """The ORC type."""

    attributes: tuple[str, ...] = ()
    """Attributes of the type, beside `iceberg.id` and `iceberg.required`, which all
    have.
    """

    written: bool = False
    """Whether writers use it."""

    doc: str | None = None
    """Notes."""


AVRO_TYPES: Final = (
    AvroType(type="boolean", avro="boolean", written=True),
    AvroType(type="int", avro="int", written=True),
    AvroType(type="long", avro="long", written=True),
    AvroType(type="float", avro="float", written=True),
    AvroType(type="double", avro="double", written=True),
    AvroType(
        type="decimal",
        avro="fixed",
        logical="decimal",
        size="fewest",
        written=True,
        doc="With `precision` P and `scale` S.",
    ),
    AvroType(type="date", avro="int", logical="date", unit="day", written=True),
    AvroType(type="time", avro="long", logical="time-micros", unit="us", written=True),
    AvroType(
        type="timestamp",
        avro="long",
        logical="timestamp-micros",
        adjust_to_utc="false",
        unit="us",
        written=True,
    ),
    AvroType(
        type="timestamptz",
        avro="long",
        logical="timestamp-micros",
        adjust_to_utc="true",
        unit="us",
        written=True,
    ),
    AvroType(
        type="timestamp_ns",
        avro="long",
        logical="timestamp-nanos",
        adjust_to_utc="false",
        unit="ns",
        written=True,
    ),
    AvroType(
        type="timestamptz_ns",
        avro="long",
        logical="timestamp-nanos",
        adjust_to_utc="true",
        unit="ns",
        written=True,
    ),
    AvroType(type="string", avro="string", written=True),
    AvroType(type="uuid", avro="fixed", logical="uuid", size="16", written=True),
    AvroType(type="fixed", avro="fixed", size="L", written=True),
    AvroType(type="binary", avro="bytes", written=True),
    AvroType(type="unknown", avro="null", written=True, doc="Or left out."),
    AvroType(
        type="variant",
        avro="record",
        logical="variant",
        written=True,
        doc="Of metadata and value, both bytes, without field ids.",
    ),
    AvroType(type="geometry", avro="bytes", written=True, doc="WKB."),
    AvroType(type="geography", avro="bytes", written=True, doc="WKB."),
    AvroType(
        type="struct",
        avro="record",
        ids=("field-id",),
        written=True,
        doc="The id is in each field.",
    ),
    AvroType(type="list", avro="array", ids=("element-id",), written=True),
    AvroType(
        type="map",
        avro="map",
        keys="string",
        ids=("key-id", "value-id"),
        written=True,
        doc="An array of pairs is accepted too.",
    ),
    AvroType(
        type="map",
        avro="array",
        logical="map",
        ids=("field-id",),
        written=True,
        doc="Of records of key and value, whose fields have the ids.",
    ),
    AvroType(type="string", avro="enum"),
    AvroType(type="decimal", avro="bytes", logical="decimal"),
    AvroType(type="time", avro="int", logical="time-millis", unit="ms"),
    AvroType(
        type="timestamp",
        avro="long",
        logical="timestamp-millis",
        adjust_to_utc="false",
        unit="ms",
    ),
    AvroType(
        type="timestamptz",
        avro="long",
        logical="timestamp-millis",
        adjust_to_utc="true",
        unit="ms",
    ),
    AvroType(
        type="timestamp", avro="long", logical="local-timestamp-millis", unit="ms"
    ),
    AvroType(
        type="timestamp", avro="long", logical="local-timestamp-micros", unit="us"
    ),
    AvroType(
        type="timestamp_ns", avro="long", logical="local-timestamp-nanos", unit="ns"
    ),
)
"""Avro. An optional field is a union of null and its type, with null as its
default. A name that Avro does not allow is escaped (`a.b` as `a_x2Eb`), and
kept in `iceberg-field-name`.

Source: https://iceberg.apache.org/spec/#appendix-a-format-specific-requirements "Appendix A: Avro"
"""


PARQUET_TYPES: Final = (
    ParquetType(type="boolean", physical="boolean", written=True),
    ParquetType(type="int", physical="int32", written=True),
    ParquetType(type="long", physical="int64", written=True),
    ParquetType(type="float", physical="float", written=True),
    ParquetType(type="double", physical="double", written=True),
    ParquetType(
        type="decimal",
        physical="int32",
        logical="DECIMAL(P, S)",
        digits=9,
        written=True,
    ),
    ParquetType(
        type="decimal",
        physical="int64",
        logical="DECIMAL(P, S)",
        digits=18,
        written=True,
    ),
    ParquetType(
        type="decimal",
        physical="fixed_len_byte_array",
        logical="DECIMAL(P, S)",
        size="fewest",
        digits=38,
        written=True,
    ),
    ParquetType(type="date", physical="int32", logical="DATE", written=True),
    ParquetType(
        type="time",
        physical="int64",
        logical="TIME(isAdjustedToUTC=false, MICROS)",
        written=True,
    ),
    ParquetType(
        type="timestamp",
        physical="int64",
        logical="TIMESTAMP(isAdjustedToUTC=false, MICROS)",
        written=True,
    ),
    ParquetType(
        type="timestamptz",
        physical="int64",
        logical="TIMESTAMP(isAdjustedToUTC=true, MICROS)",
        written=True,
    ),
    ParquetType(
        type="timestamp_ns",
        physical="int64",
        logical="TIMESTAMP(isAdjustedToUTC=false, NANOS)",
        written=True,
    ),
    ParquetType(
        type="timestamptz_ns",
        physical="int64",
        logical="TIMESTAMP(isAdjustedToUTC=true, NANOS)",
        written=True,
    ),
    ParquetType(type="string", physical="byte_array", logical="STRING", written=True),
    ParquetType(
        type="uuid",
        physical="fixed_len_byte_array",
        logical="UUID",
        size="16",
        written=True,
    ),
    ParquetType(type="fixed", physical="fixed_len_byte_array", size="L", written=True),
    ParquetType(type="binary", physical="byte_array", written=True),
    ParquetType(
        type="unknown",
        physical="none",
        written=True,
        doc="Left out; if there is a column of it, its type is ignored.",
    ),
    ParquetType(
        type="variant",
        physical="group",
        logical="VARIANT",
        written=True,
        doc="Of metadata and value, both byte_array, and typed_value where it is shredded.",
    ),
    ParquetType(
        type="geometry",
        physical="byte_array",
        logical="GEOMETRY(C)",
        written=True,
        doc="WKB.",
    ),
    ParquetType(
        type="geography",
        physical="byte_array",
        logical="GEOGRAPHY(C, A)",
        written=True,
        doc="WKB.",
    ),
    ParquetType(type="struct", physical="group", written=True),
    ParquetType(type="list", physical="group", logical="LIST", written=True),
    ParquetType(type="map", physical="group", logical="MAP", written=True),
    ParquetType(type="int", physical="int32", logical="INT(8, true)"),
    ParquetType(type="int", physical="int32", logical="INT(16, true)"),
    ParquetType(type="int", physical="int32", logical="INT(32, true)"),
    ParquetType(type="int", physical="int32", logical="INT(8, false)"),
    ParquetType(type="int", physical="int32", logical="INT(16, false)"),
    ParquetType(type="long", physical="int32", logical="INT(32, false)"),
    ParquetType(type="long", physical="int64", logical="INT(64, true)"),
    ParquetType(type="decimal", physical="byte_array", logical="DECIMAL(P, S)"),
    ParquetType(
        type="time",
        physical="int32",
        logical="TIME(isAdjustedToUTC=false, MILLIS)",
        unit="ms",
    ),
    ParquetType(
        type="time",
        physical="int32",
        logical="TIME(isAdjustedToUTC=true, MILLIS)",
        unit="ms",
    ),
    ParquetType(
        type="time", physical="int64", logical="TIME(isAdjustedToUTC=true, MICROS)"
    ),
    ParquetType(
        type="timestamp",
        physical="int64",
        logical="TIMESTAMP(isAdjustedToUTC=false, MILLIS)",
        unit="ms",
    ),
    ParquetType(
        type="timestamptz",
        physical="int64",
        logical="TIMESTAMP(isAdjustedToUTC=true, MILLIS)",
        unit="ms",
    ),
    ParquetType(
        type="timestamptz",
        physical="int96",
        doc="Nanoseconds of a Julian day, by old writers.",
    ),
    ParquetType(type="string", physical="byte_array", logical="ENUM"),
    ParquetType(type="string", physical="byte_array", logical="JSON"),
    ParquetType(type="binary", physical="byte_array", logical="BSON"),
)
"""Parquet. Every column has its `field_id`, and so have elements, keys and values.
Lists and maps have three levels; writers of old left out one.

Source: https://iceberg.apache.org/spec/#appendix-a-format-specific-requirements "Appendix A: Parquet"
"""


ORC_TYPES: Final = (
    OrcType(type="boolean", orc="boolean", written=True),
    OrcType(type="int", orc="int", written=True),
    OrcType(type="long", orc="bigint", written=True),
    OrcType(type="float", orc="float", written=True),
    OrcType(type="double", orc="double", written=True),
    OrcType(type="decimal", orc="decimal(P, S)", written=True),
    OrcType(type="date", orc="date", written=True),
    OrcType(
        type="time",
        orc="bigint",
        attributes=("iceberg.long-type=TIME",),
        written=True,
        doc="Microseconds from midnight.",
    ),
    OrcType(
        type="timestamp",
        orc="timestamp",
        attributes=("iceberg.timestamp-unit=MICROS",),
        written=True,
    ),
    OrcType(
        type="timestamptz",
        orc="timestamp with local time zone",
        attributes=("iceberg.timestamp-unit=MICROS",),
        written=True,
    ),
    OrcType(
        type="timestamp_ns",
        orc="timestamp",
        attributes=("iceberg.timestamp-unit=NANOS",),
        written=True,
    ),
    OrcType(
        type="timestamptz_ns",
        orc="timestamp with local time zone",
        attributes=("iceberg.timestamp-unit=NANOS",),
        written=True,
    ),
    OrcType(type="string", orc="string", written=True),
    OrcType(
        type="uuid",
        orc="binary",
        attributes=("iceberg.binary-type=UUID",),
        written=True,
    ),
    OrcType(
        type="fixed",
        orc="binary",
        attributes=("iceberg.binary-type=FIXED", "iceberg.length=L"),
        written=True,
    ),
    OrcType(type="binary", orc="binary", written=True),
    OrcType(type="unknown", orc="none", written=True, doc="Left out."),
    OrcType(
        type="variant",
        orc="struct",
        attributes=("iceberg.struct-type=VARIANT",),
        written=True,
        doc="Of metadata and value, both binary.",
    ),
    OrcType(type="geometry", orc="binary", written=True, doc="WKB."),
    OrcType(type="geography", orc="binary", written=True, doc="WKB."),
    OrcType(type="struct", orc="struct", written=True),
    OrcType(type="list", orc="array", written=True),
    OrcType(type="map", orc="map", written=True),
    OrcType(type="int", orc="tinyint"),
    OrcType(type="int", orc="smallint"),
    OrcType(type="string", orc="varchar"),
    OrcType(type="string", orc="char"),
    OrcType(
        type="timestamp", orc="timestamp", doc="Without the attribute microseconds."
    ),
    OrcType(
        type="timestamptz",
        orc="timestamp with local time zone",
        doc="Without the attribute microseconds.",
    ),
)
"""ORC. Every type has its id in the attribute `iceberg.id`, and `iceberg.required`
where its column is required.

Source: https://iceberg.apache.org/spec/#appendix-a-format-specific-requirements "Appendix A: ORC"
"""
