"""Reading the language-neutral cases of the corpus: their expressions, values and statistics."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    And,
    Expression,
    Not,
    Operation,
    Or,
    Predicate,
    Reference,
    TransformTerm,
)
from byteloom.iceberg.expressions.stats import Counts, FieldStats, Spans
from byteloom.iceberg.transforms import parse_transform

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["VectorStats", "expression", "value"]

_READ: dict[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "float": float,
    "hex": bytes.fromhex,
    "uuid": UUID,
}


_JOINS: dict[str, Callable[..., Expression]] = {
    "true": lambda: TRUE,
    "false": lambda: FALSE,
    "and": And.of,
    "or": Or.of,
    "not": Not,
}


def value(document: Any) -> Any:
    """Return the value that a vector writes."""
    if isinstance(document, dict):
        ((kind, text),) = document.items()
        return _READ[kind](text)
    return document


def _term(document: Any) -> Reference | TransformTerm:
    """A column, or a transform of one."""
    if isinstance(document, str):
        return Reference(document)
    return TransformTerm(parse_transform(document["transform"]), Reference(document["term"]))


def expression(document: list[Any]) -> Expression:
    """Return the expression that a vector writes as a list."""
    name, *parts = document
    if name in _JOINS:
        return _JOINS[name](*map(expression, parts))
    term, *literals = parts
    if name in {"in", "not-in"}:
        (literals,) = literals
    return Predicate(Operation(name), _term(term), tuple(map(value, literals)))


class VectorStats:
    """The statistics of the one file that a vector describes."""

    def __init__(self, document: dict[str, Any]) -> None:
        """Take the vector's ``files`` entry."""
        self.document = document
        self.record_count = np.array([document["record_count"]], np.int64)

    def of(self, field_id: int) -> FieldStats:
        """What the file tells of a column."""
        lower, upper = (self._bound(name, field_id) for name in ("lower_bounds", "upper_bounds"))
        return FieldStats(
            value_count=self._count("value_counts", field_id),
            null_count=self._count("null_value_counts", field_id),
            nan_count=self._count("nan_value_counts", field_id),
            lower=lower,
            upper=upper,
        )

    def _count(self, name: str, field_id: int) -> Counts:
        """A count, -1 where it is not told."""
        return np.array([self.document.get(name, {}).get(str(field_id), -1)], np.int64)

    def _bound(self, name: str, field_id: int) -> Spans:
        """A bound, if it is told."""
        told = self.document.get(name, {}).get(str(field_id))
        return Spans.of([None if told is None else bytes.fromhex(told)])
