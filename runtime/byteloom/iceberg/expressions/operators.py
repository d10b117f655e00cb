"""Expressions made with Python's own operators.

    (col("id") >= 3) & col("name").startswith("a") | (bucket(16, "id") == 3)

The rules:

- A column alone is not an expression; only a predicate on it is.
- Comparisons with None and NaN, which nothing matches, are refused at once, where the mistake is.

Source: Iceberg expressions spec, "Predicates".
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.errors import ArgumentError, with_article
from byteloom.iceberg.expressions.ast import (
    And,
    Operation,
    Predicate,
    Reference,
    TransformTerm,
)
from byteloom.iceberg.transforms import (
    Bucket,
    Day,
    Hour,
    Month,
    Transform,
    Truncate,
    Year,
    parse_transform,
)

if TYPE_CHECKING:
    from byteloom.iceberg.expressions.ast import Expression, Term

__all__ = ["Column", "bucket", "col", "day", "hour", "month", "truncate", "year"]

_TEXTS: Final = (str, bytes, bytearray, memoryview)
"""Types of literals that have a length but are single values."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column, or a function of one; comparing it with a value makes an expression.

    Attributes:
        term: The term of the predicates that are made.
    """

    term: Term

    def __lt__(self, value: Any) -> Predicate:
        """Return the predicate that the column is less than *value*."""
        return self._compared(Operation.LT, value)

    def __le__(self, value: Any) -> Predicate:
        """Return the predicate that the column is less than or equal to *value*."""
        return self._compared(Operation.LT_EQ, value)

    def __gt__(self, value: Any) -> Predicate:
        """Return the predicate that the column is greater than *value*."""
        return self._compared(Operation.GT, value)

    def __ge__(self, value: Any) -> Predicate:
        """Return the predicate that the column is greater than or equal to *value*."""
        return self._compared(Operation.GT_EQ, value)

    def __eq__(self, value: object) -> Predicate:  # type: ignore[override]
        """Return the predicate that the column equals *value*."""
        return self._compared(Operation.EQ, value)

    def __ne__(self, value: object) -> Predicate:  # type: ignore[override]
        """Return the predicate that the column does not equal *value*, or is null."""
        return self._compared(Operation.NOT_EQ, value)

    __hash__ = None  # type: ignore[assignment]  # equality makes an expression

    def __bool__(self) -> bool:
        """Refuse: a column alone is neither true nor false."""
        raise TypeError(f"compare column {self.term}: it is not a condition on its own")

    def isin(self, values: Iterable[Any]) -> Predicate:
        """Return the predicate that the column equals one of *values*."""
        return Predicate(Operation.IN, self.term, _literals(values))

    def not_in(self, values: Iterable[Any]) -> Predicate:
        """Return the predicate that the column equals none of *values*, or is null."""
        return Predicate(Operation.NOT_IN, self.term, _literals(values))

    def between(self, low: Any, high: Any) -> Expression:
        """Return the expression that the column is from *low* to *high*, both included."""
        return And(self >= low, self <= high)

    def startswith(self, prefix: str) -> Predicate:
        """Return the predicate that the column is text that starts with *prefix*."""
        return self._compared(Operation.STARTS_WITH, prefix)

    def not_startswith(self, prefix: str) -> Predicate:
        """Return the predicate that the column does not start with *prefix*, or is null."""
        return self._compared(Operation.NOT_STARTS_WITH, prefix)

    def is_null(self) -> Predicate:
        """Return the predicate that the column is null."""
        return Predicate(Operation.IS_NULL, self.term)

    def not_null(self) -> Predicate:
        """Return the predicate that the column is not null."""
        return Predicate(Operation.NOT_NULL, self.term)

    def is_nan(self) -> Predicate:
        """Return the predicate that the column is NaN."""
        return Predicate(Operation.IS_NAN, self.term)

    def not_nan(self) -> Predicate:
        """Return the predicate that the column is not NaN; null is not."""
        return Predicate(Operation.NOT_NAN, self.term)

    def _compared(self, operation: Operation, value: Any) -> Predicate:
        """Return a predicate with one literal."""
        return Predicate(operation, self.term, (_literal(value),))


def col(name: str) -> Column:
    """Return the column with that full name, to compare it with values.

    Args:
        name: The name, such as ``point.x`` for a field of a struct.

    Returns:
        The column, whose comparisons are expressions; ``&``, ``|`` and ``~`` join them.

    Raises:
        FormatError: The name is not text.

    Example:
        >>> from byteloom.iceberg import col
        >>> print((col("id") >= 3) & col("country").isin(["NO", "SE"]))
        (id >= 3 and country in ('NO', 'SE'))
    """
    return Column(Reference(_name(name)))


def bucket(buckets: int, column: str | Column) -> Column:
    """Return the number, from 0, of the bucket that each value of the column falls into.

    Args:
        buckets: The number of buckets.
        column: The column, or its name.

    Returns:
        The number, to compare it with others.

    Raises:
        FormatError: The number of buckets is below 1, or not a number.

    Example:
        >>> from byteloom.iceberg import bucket, open_table
        >>> open_table("byteloom-samples/orders").scan(bucket(4, "id") == 0).count()
        236
    """
    return _applied(_checked(Bucket(buckets)), column)


def truncate(width: int, column: str | Column) -> Column:
    """Return the column rounded down to a multiple of *width*, or cut to its first characters.

    Args:
        width: The multiple, or the number of characters of text, or of bytes.
        column: The column, or its name.

    Returns:
        The result, to compare it with values.

    Raises:
        FormatError: The width is below 1, or not a number.

    Example:
        >>> from byteloom.iceberg import open_table, truncate
        >>> open_table("byteloom-samples/orders").scan(truncate(1, "country") == "N").count()
        141
    """
    return _applied(_checked(Truncate(width)), column)


def year(column: str | Column) -> Column:
    """Return the number of whole years since 1970.

    Args:
        column: A column of dates or moments, or its name.

    Returns:
        The year, to compare it with others.

    Example:
        >>> from byteloom.iceberg import open_table, year
        >>> open_table("byteloom-samples/orders").scan(year("placed_at") >= 53).count()
        990
    """
    return _applied(Year(), column)


def month(column: str | Column) -> Column:
    """Return the number of whole months since 1970-01.

    Args:
        column: A column of dates or moments, or its name.

    Returns:
        The month, to compare it with others.

    Example:
        >>> from byteloom.iceberg import month, open_table
        >>> open_table("byteloom-samples/orders").scan(month("placed_at") >= 646).count()
        990
    """
    return _applied(Month(), column)


def day(column: str | Column) -> Column:
    """Return the day, as a date.

    Args:
        column: A column of dates or moments, or its name.

    Returns:
        The day, to compare it with others.

    Example:
        >>> from byteloom.iceberg import day, open_table
        >>> open_table("byteloom-samples/orders").scan(day("placed_at") == "2023-11-15").count()
        881
    """
    return _applied(Day(), column)


def hour(column: str | Column) -> Column:
    """Return the number of whole hours since 1970-01-01 00:00.

    Args:
        column: A column of moments, or its name.

    Returns:
        The hour, to compare it with others.

    Example:
        >>> from byteloom.iceberg import hour, open_table
        >>> open_table("byteloom-samples/orders").scan(hour("placed_at") == 472222).count()
        29
    """
    return _applied(Hour(), column)


def _applied(transform: Transform, column: str | Column) -> Column:
    """Return a transform of a column."""
    term = column.term if isinstance(column, Column) else Reference(_name(column))
    if isinstance(term, TransformTerm):
        raise ArgumentError("term", None, f"{transform} of {term}", "a transform of a column")
    return Column(TransformTerm(transform, term))


def _checked(transform: Transform) -> Transform:
    """Return the transform after checking its parameter."""
    found = parse_transform(str(transform))
    if not isinstance(found, Bucket | Truncate):
        raise ArgumentError("transform", None, str(transform), "a number, 1 or more, and a column")
    return found


def _name(given: Any) -> str:
    """Return the name of a column."""
    if not isinstance(given, str):
        raise ArgumentError("column", None, repr(given), "a name")
    return given


def _literals(values: Any) -> tuple[Any, ...]:
    """Return the literals in a list, or in an array of NumPy or Arrow."""
    if isinstance(values, _TEXTS) or not isinstance(values, Iterable):
        raise ArgumentError("literals", None, repr(values), "a list of values")
    return tuple(map(_literal, values))


def _literal(value: Any) -> Any:
    """Return a literal; of Arrow's scalars their value."""
    if hasattr(value, "as_py"):
        value = _held(value)
    if isinstance(value, Sized) and not isinstance(value, _TEXTS):
        wanted = "a single value; isin() takes a list of them"
        raise ArgumentError("literal", None, with_article(type(value).__name__), wanted)
    if value is None:
        raise ArgumentError("literal", None, "None", "a value; ask for null by is_null()")
    if isinstance(value, Column):
        raise ArgumentError("literal", None, f"column {value.term}", "a value, not a column")
    if value != value:  # noqa: PLR0124  NaN alone
        raise ArgumentError("literal", None, "NaN", "a number; ask for NaN by is_nan()")
    return value


def _held(scalar: Any) -> Any:
    """Return the value of an Arrow scalar; `FormatError` for nanoseconds, which Python lacks."""
    of = scalar.type
    try:
        if pa.types.is_timestamp(of):
            scalar = scalar.cast(pa.timestamp("us", of.tz))
        elif pa.types.is_time64(of):
            scalar = scalar.cast(pa.time64("us"))
        return scalar.as_py()
    except (pa.ArrowException, ValueError) as error:
        raise ArgumentError(
            "literal", None, f"nanoseconds, {of}", "text, for a time so precise"
        ) from error
