"""Expressions: the predicates by which scans are planned and rows are selected.

    parse("id >= 3 and day(ts) = '2024-01-01'")
    (col("id") >= 3) & (day("ts") == "2024-01-01")

Files are selected by their statistics: `stats` has those of many files as arrays, which
`byteloom.iceberg.manifests.decoded_stats` fills; `column_stats` has them by column or
transform, and `metrics` says by them in which files rows may match, or all do.

Source: Iceberg expressions spec; Iceberg table spec, "Scan Planning".
"""

from byteloom.iceberg.expressions.ast import FALSE, TRUE, Expression
from byteloom.iceberg.expressions.binding import bind
from byteloom.iceberg.expressions.json_form import from_json, to_json
from byteloom.iceberg.expressions.operators import (
    Column,
    bucket,
    col,
    day,
    hour,
    month,
    truncate,
    year,
)
from byteloom.iceberg.expressions.text import parse
from byteloom.iceberg.expressions.tokens import ExpressionError

__all__ = [
    "FALSE",
    "TRUE",
    "Column",
    "Expression",
    "ExpressionError",
    "bind",
    "bucket",
    "col",
    "day",
    "from_json",
    "hour",
    "month",
    "parse",
    "to_json",
    "truncate",
    "year",
]


def __dir__() -> list[str]:
    return __all__
