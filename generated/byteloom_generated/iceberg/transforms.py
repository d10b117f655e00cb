# Written by byteloom-codegen from specs/iceberg/transforms.yaml; do not edit.
# To change it, edit that file and generate again.
"""A transform makes a partition value, or the key of a sort order, of a column's
value. Null always becomes null. A transform of another name is kept when a
table is read; it filters nothing and is never written.

Source: https://iceberg.apache.org/spec/#partition-transforms
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["HUMAN_FORMS", "TRANSFORMS", "HumanRow", "TransformRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformRow:
    """One transform."""

    name: str
    """Its name, without its parameter."""

    sources: tuple[str, ...]
    """The types that it can be applied to, without their parameters."""

    result: str
    """The type of its results; `source` for the source column's own."""

    human: str
    """How a result is written in a partition path: see the table of human forms."""

    doc: str
    """Its result for a value."""

    parameter: str | None = None
    """What is in brackets after the name; an int, 1 or more."""

    keeps_order: bool = False
    """Whether a greater value never has a lesser result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanRow:
    """How values of a type, or results of a transform, are written for people."""

    name: str
    """The type; or the form that a transform names."""

    value: str
    """A value: the JSON of its type, or the number of the transform."""

    text: str
    """How it reads."""

    doc: str
    """The rule."""


TRANSFORMS: Final = (
    TransformRow(
        name="identity",
        sources=(
            "boolean",
            "int",
            "long",
            "float",
            "double",
            "decimal",
            "date",
            "time",
            "timestamp",
            "timestamptz",
            "timestamp_ns",
            "timestamptz_ns",
            "string",
            "uuid",
            "fixed",
            "binary",
            "unknown",
        ),
        result="source",
        keeps_order=True,
        human="value",
        doc="The value itself.",
    ),
    TransformRow(
        name="bucket",
        parameter="N",
        sources=(
            "int",
            "long",
            "decimal",
            "date",
            "time",
            "timestamp",
            "timestamptz",
            "timestamp_ns",
            "timestamptz_ns",
            "string",
            "uuid",
            "fixed",
            "binary",
        ),
        result="int",
        human="value",
        doc="The value's 32-bit hash (Appendix B) without its sign bit, modulo N.",
    ),
    TransformRow(
        name="truncate",
        parameter="W",
        sources=("int", "long", "decimal", "string", "binary"),
        result="source",
        keeps_order=True,
        human="value",
        doc="A number rounded down to a multiple of W (of a decimal its unscaled value), the first W characters of text (code points), the first W bytes.",
    ),
    TransformRow(
        name="year",
        sources=("date", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"),
        result="int",
        keeps_order=True,
        human="year",
        doc="Years since 1970.",
    ),
    TransformRow(
        name="month",
        sources=("date", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"),
        result="int",
        keeps_order=True,
        human="month",
        doc="Months since 1970-01.",
    ),
    TransformRow(
        name="day",
        sources=("date", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"),
        result="date",
        keeps_order=True,
        human="day",
        doc="Days since 1970-01-01. Some writers store the result as an int, which readers accept.",
    ),
    TransformRow(
        name="hour",
        sources=("timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"),
        result="int",
        keeps_order=True,
        human="hour",
        doc="Hours since 1970-01-01 00:00.",
    ),
    TransformRow(
        name="void",
        sources=(
            "boolean",
            "int",
            "long",
            "float",
            "double",
            "decimal",
            "date",
            "time",
            "timestamp",
            "timestamptz",
            "timestamp_ns",
            "timestamptz_ns",
            "string",
            "uuid",
            "fixed",
            "binary",
            "unknown",
            "geometry",
            "geography",
            "variant",
            "struct",
            "list",
            "map",
        ),
        result="source",
        human="nothing",
        doc="Always null; the transform of a partition field after version 1 dropped it. Some writers give it the type int.",
    ),
)
"""All transforms of versions 1 to 3.

Source: https://iceberg.apache.org/spec/#partition-transforms "Partition Transforms"
"""


HUMAN_FORMS: Final = (
    HumanRow(
        name="year", value="47", text="2017", doc="The year, in at least four digits."
    ),
    HumanRow(name="month", value="575", text="2017-12", doc="The month."),
    HumanRow(name="day", value="17501", text="2017-12-01", doc="The day."),
    HumanRow(name="hour", value="420034", text="2017-12-01-10", doc="The hour."),
    HumanRow(name="nothing", value="null", text="null", doc="Always null."),
    HumanRow(name="boolean", value="true", text="true", doc="true or false."),
    HumanRow(name="int", value="-7", text="-7", doc="The number."),
    HumanRow(name="long", value="34", text="34", doc="The number."),
    HumanRow(
        name="float",
        value="0.1",
        text="0.1",
        doc="As double, with the digits of 32 bits.",
    ),
    HumanRow(
        name="double",
        value="12345678.0",
        text="1.2345678E7",
        doc="The fewest digits that distinguish it from its neighbours, one after the point at least; with an exponent below 0.001 and from 10000000 on.",
    ),
    HumanRow(
        name="decimal", value='"14.20"', text="14.20", doc="With the scale's digits."
    ),
    HumanRow(
        name="date",
        value='"2017-12-01"',
        text="2017-12-01",
        doc="The day; its year has four places, its sign among them.",
    ),
    HumanRow(
        name="time",
        value='"10:12:00"',
        text="10:12",
        doc="Seconds are left out where they are 0; their fraction has groups of three digits.",
    ),
    HumanRow(
        name="timestamp",
        value='"2017-12-01T10:12:55.500"',
        text="2017-12-01T10:12:55.5",
        doc="A fraction of a second has no zeros at its end.",
    ),
    HumanRow(
        name="timestamptz",
        value='"2017-12-01T10:12:55.038194+00:00"',
        text="2017-12-01T10:12:55.038194+00:00",
        doc="As timestamp, in UTC.",
    ),
    HumanRow(
        name="timestamp_ns",
        value='"2017-12-01T10:12:55.038194789"',
        text="2017-12-01T10:12:55.038194789",
        doc="As timestamp.",
    ),
    HumanRow(
        name="timestamptz_ns",
        value='"2017-12-01T10:12:55.038194789+00:00"',
        text="2017-12-01T10:12:55.038194789+00:00",
        doc="As timestamp, in UTC.",
    ),
    HumanRow(
        name="string",
        value='"a/b=c=d"',
        text="a/b=c=d",
        doc="The text; paths escape it.",
    ),
    HumanRow(
        name="uuid",
        value='"f79c3e09-677c-4bbd-a479-3f349cb785e7"',
        text="f79c3e09-677c-4bbd-a479-3f349cb785e7",
        doc="In lower case, with hyphens.",
    ),
    HumanRow(name="fixed", value='"000102ff"', text="AAEC/w==", doc="Base64."),
    HumanRow(name="binary", value='"000102ff"', text="AAEC/w==", doc="Base64."),
)
"""The text of partition values, in paths and for people. Null is `null`. The form
`value` is the text of a value of the result's type.

Source: https://iceberg.apache.org/spec/#partition-transforms "Partition Transforms"
"""
