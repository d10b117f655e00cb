"""The operations of predicates; the spec's table describes each.

Source: Iceberg expressions spec; Iceberg table spec, "Appendix C", Expressions.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from byteloom_generated.iceberg.expressions import OPERATIONS

if TYPE_CHECKING:
    from byteloom_generated.iceberg.expressions import OperationRow

__all__ = ["Operation"]


class Operation(Enum):
    """The operation of a predicate; the value is its name in JSON."""

    IS_NULL = "is-null"
    NOT_NULL = "not-null"
    IS_NAN = "is-nan"
    NOT_NAN = "not-nan"
    LT = "lt"
    LT_EQ = "lt-eq"
    GT = "gt"
    GT_EQ = "gt-eq"
    EQ = "eq"
    NOT_EQ = "not-eq"
    IN = "in"
    NOT_IN = "not-in"
    STARTS_WITH = "starts-with"
    NOT_STARTS_WITH = "not-starts-with"

    @property
    def row(self) -> OperationRow:
        """The spec's row about it."""
        return _ROWS[self.value]

    @property
    def negated(self) -> Operation:
        """The operation that is true where this one is false, null and NaN aside."""
        return Operation(self.row.negated)

    @property
    def is_unary(self) -> bool:
        """Whether it takes no literal."""
        return self.row.key is None

    @property
    def is_set(self) -> bool:
        """Whether it takes any number of literals."""
        return self.row.key == "values"


_ROWS: Final = {each.name: each for each in OPERATIONS}
