"""The values that an index summarizes: those of a column, or of an expression over it.

- An expression is computed if it means the same everywhere; one that depends on the time zone of a
  session is computed in UTC.

Source: https://hudi.apache.org/docs/indexes
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom import compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.hudi.definitions import IndexDefinition

__all__ = ["DEPENDS_ON_ZONE", "Indexed"]

DEPENDS_ON_ZONE: Final = "it depends on a time zone, and differs in UTC"
"""Why a difference is not reported as one."""

_PLAIN: Final = {"expr"}
"""Options of an index that change nothing in its values."""

_EXPRESSIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "identity": lambda column: column,
    "year": lambda column: pc.year(column).cast(pa.int32()),
    "month": lambda column: pc.month(column).cast(pa.int32()),
    "day": lambda column: pc.day(column).cast(pa.int32()),
    "hour": lambda column: pc.hour(column).cast(pa.int32()),
    "lower": lambda column: pc.utf8_lower(column),  # noqa: PLW0108  loads pyarrow.compute when used
    "upper": lambda column: pc.utf8_upper(column),  # noqa: PLW0108  likewise
    "trim": lambda column: pc.utf8_trim(column, " "),
    "ltrim": lambda column: pc.utf8_ltrim(column, " "),
    "rtrim": lambda column: pc.utf8_rtrim(column, " "),
    "length": lambda column: pc.utf8_length(column).cast(pa.int32()),
}
"""The Arrow equivalent of each of Spark's functions, by its name."""


class Indexed:
    """An index, and the expression that it applies to a column.

    name  of its partition of the metadata table
    """

    def __init__(self, name: str, definition: IndexDefinition | None = None) -> None:
        """Take the function of *definition*; without one, the values are those of the column."""
        self.name = name
        self._function = "identity" if definition is None else definition.function
        options = {} if definition is None else definition.options
        parameters = options.keys() - _PLAIN if self._function.endswith("trim") else ()
        self._expression = None if parameters else _EXPRESSIONS.get(self._function)

    @property
    def is_known(self) -> bool:
        """Whether `values` can compute the expression."""
        return self._expression is not None

    def values(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return the values that the index summarizes.

        raises  `pyarrow.ArrowException` for a column that the expression does not take
        """
        return column if self._expression is None else self._expression(column)

    def depends_on_zone(self, column: pa.ChunkedArray) -> bool:
        """Whether the values depend on the time zone of the session that wrote them."""
        return self._function != "identity" and pa.types.is_timestamp(column.type)
