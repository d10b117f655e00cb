"""The values that an index summarizes: those of a column, or of an expression over it.

- An expression is a function of Spark, perhaps with options.  Where its values depend on the time
  zone of a session, they are those in UTC.
- Patterns of times are computed if they have only numbers of fixed width and literal text.

Source: https://hudi.apache.org/docs/sql_ddl
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import pyarrow as pa

from byteloom.hudi.properties import IndexDefinition
from byteloom.late import pc

__all__ = ["DEPENDS_ON_ZONE", "Indexed"]

DEPENDS_ON_ZONE: Final = "it depends on a time zone, and differs in UTC"
"""Why a difference is not reported as one."""

_TOKEN: Final = re.compile(r"([A-Za-z])\1*|'[^']*'|[^A-Za-z']+")
_FIELDS: Final = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}
"""The letters of a Java pattern, and what they are in C."""

_FORMAT: Final = "yyyy-MM-dd HH:mm:ss"
"""The pattern of a function without one."""


class Indexed:
    """An index, and the expression that it applies to a column.

    Attributes:
        name: The name of its partition of the metadata table.
    """

    def __init__(self, name: str, definition: IndexDefinition | None = None) -> None:
        """Take the function of *definition*; without one, the values are those of the column."""
        self.name = name
        self._function = "identity" if definition is None else definition.function
        self._options = {} if definition is None else definition.options

    @property
    def is_known(self) -> bool:
        """Whether `values` can compute the function."""
        return self._function in _FUNCTIONS

    def values(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return the values that the index summarizes.

        Raises:
            pyarrow.ArrowException: For a column or options that the function does not take.
        """
        try:
            return _FUNCTIONS[self._function](column, self._options)
        except (KeyError, ValueError) as error:
            raise pa.ArrowInvalid(f"{self._function} of {column.type}: {error}") from error

    def depends_on_zone(self, column: pa.ChunkedArray) -> bool:
        """Whether the values depend on the time zone of the session that wrote them."""
        is_time = pa.types.is_timestamp(column.type) and self._function != "identity"
        return is_time or self._function == "from_unixtime"


def _substring(column: Any, options: Mapping[str, str]) -> Any:
    """Return parts of text from a position on: 1 is the first character, -1 the last one."""
    position, length = int(options["pos"]), int(options["len"])
    start = position - 1 if position > 0 else position
    end = start + max(length, 0)
    return pc.utf8_slice_codeunits(column, start, None if start < 0 <= end else end)


def _formatted(column: Any, options: Mapping[str, str]) -> Any:
    """Return times as text in a pattern."""
    return pc.strftime(_in_seconds(column), _pattern(options.get("format", _FORMAT)))


def _pattern(java: str) -> str:
    """Return a pattern of C for one of Java."""
    found = []
    for token in _TOKEN.finditer(java):
        text = token[0]
        if not text[0].isalpha():
            found.append((text.strip("'") or "'").replace("%", "%%"))
        elif text in _FIELDS:
            found.append(_FIELDS[text])
        else:
            raise ValueError(f"the pattern {java!r}")
    return "".join(found)


def _date(column: Any, options: Mapping[str, str]) -> Any:
    """Return the dates of times."""
    if "format" in options:
        raise ValueError("dates from text")
    return _in_seconds(column).cast(pa.date32(), safe=False)


def _moved(column: Any, options: Mapping[str, str], sign: int) -> Any:
    """Return dates some days later."""
    days = _date(column, {}).cast(pa.int32())
    return pc.add(days, pa.scalar(sign * int(options["days"]), pa.int32())).cast(pa.date32())


def _seconds(column: Any, options: Mapping[str, str]) -> Any:
    """Return the seconds from 1970 to times."""
    if "format" in options:
        raise ValueError("times from text")
    return _in_seconds(column).cast(pa.int64())


def _in_seconds(column: Any) -> Any:
    """Return times and dates as whole seconds of UTC, rounded down."""
    if pa.types.is_timestamp(column.type):
        column = pc.floor_temporal(column, unit="second")
    elif not pa.types.is_date(column.type):
        raise ValueError("no times")
    return column.cast(pa.timestamp("s"))


def _characters(options: Mapping[str, str]) -> str:
    return options.get("trimString", " ")


_FUNCTIONS: Final[dict[str, Callable[[Any, Mapping[str, str]], Any]]] = {
    "identity": lambda column, _: column,
    "year": lambda column, _: pc.year(column).cast(pa.int32()),
    "month": lambda column, _: pc.month(column).cast(pa.int32()),
    "day": lambda column, _: pc.day(column).cast(pa.int32()),
    "hour": lambda column, _: pc.hour(column).cast(pa.int32()),
    "date_format": _formatted,
    "from_unixtime": lambda column, given: _formatted(column.cast(pa.timestamp("s")), given),
    "unix_timestamp": _seconds,
    "to_date": _date,
    "date_add": lambda column, given: _moved(column, given, 1),
    "date_sub": lambda column, given: _moved(column, given, -1),
    "lower": lambda column, _: pc.utf8_lower(column),
    "upper": lambda column, _: pc.utf8_upper(column),
    "trim": lambda column, given: pc.utf8_trim(column, _characters(given)),
    "ltrim": lambda column, given: pc.utf8_ltrim(column, _characters(given)),
    "rtrim": lambda column, given: pc.utf8_rtrim(column, _characters(given)),
    "length": lambda column, _: pc.utf8_length(column).cast(pa.int32()),
    "substring": _substring,
}
"""The equivalent of each of Spark's functions, by its name."""
