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

__all__ = ["TRANSFORMS", "TransformRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformRow:
    """One transform."""

    name: str
    """How it is called, without its parameter."""

    sources: tuple[str, ...]
    """The types that it takes, without their parameters."""

    result: str
    """The type of what it gives; `source` for the source column's own."""

    human: str
    """How a value of it reads in a partition path."""

    doc: str
    """What it makes of a value."""

    parameter: str | None = None
    """What stands in brackets behind the name; an int, 1 or more."""

    keeps_order: bool = False
    """Whether greater values never become lesser ones."""


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
        human="The value's JSON; base64 for bytes.",
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
        human="The number.",
        doc="The value's 32-bit hash (Appendix B) without its sign bit, modulo N.",
    ),
    TransformRow(
        name="truncate",
        parameter="W",
        sources=("int", "long", "decimal", "string", "binary"),
        result="source",
        keeps_order=True,
        human="The value's JSON; base64 for bytes.",
        doc="A number rounded down to a multiple of W (of a decimal its unscaled value), the first W characters of text (code points), the first W bytes.",
    ),
    TransformRow(
        name="year",
        sources=("date", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"),
        result="int",
        keeps_order=True,
        human="2017",
        doc="Years from 1970.",
    ),
    TransformRow(
        name="month",
        sources=("date", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"),
        result="int",
        keeps_order=True,
        human="2017-12",
        doc="Months from 1970-01.",
    ),
    TransformRow(
        name="day",
        sources=("date", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"),
        result="date",
        keeps_order=True,
        human="2017-12-01",
        doc="Days from 1970-01-01. Some writers store the result as an int, which readers accept.",
    ),
    TransformRow(
        name="hour",
        sources=("timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"),
        result="int",
        keeps_order=True,
        human="2017-12-01-10",
        doc="Hours from 1970-01-01 00:00.",
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
        human="null",
        doc="Always null; what is left of a partition field that version 1 dropped. Some writers give it the type int.",
    ),
)
"""All transforms of versions 1 to 3.

Source: https://iceberg.apache.org/spec/#partition-transforms "Partition Transforms"
"""
