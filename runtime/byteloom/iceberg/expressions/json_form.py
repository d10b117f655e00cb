"""Expressions as JSON, both ways.

    true, false, {"type": "literal", "value": true}
    {"type": "and" | "or", "left": ..., "right": ...}, {"type": "not", "child": ...}
    {"type": "is-null" | ..., "term": ...}
    {"type": "eq" | ..., "term": ..., "value": ...}
    {"type": "in" | "not-in", "term": ..., "values": [...]}

A term is a name, ``{"type": "reference", "term": name}`` or ``{"type": "transform", "transform":
"bucket[16]", "term": name}``; a value is a JSON single value, or a literal object around one.  Text
becomes a day, a moment, a UUID or bytes when the expression is bound.  Other keys are passed over.

Source: Iceberg expressions spec, "JSON"; Java's ``ExpressionParser``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg.documents import an_object, required, shortly
from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    AlwaysFalse,
    AlwaysTrue,
    And,
    BoundPredicate,
    BoundReference,
    BoundTransform,
    Expression,
    Not,
    Operation,
    Or,
    Predicate,
    Reference,
    TransformTerm,
)
from byteloom.iceberg.transforms import parse_transform
from byteloom.iceberg.values import to_json as value_to_json
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from byteloom.iceberg.expressions.ast import BoundTerm, Term

__all__ = ["from_json", "to_json"]

_OPERATIONS: Final = {each.value: each for each in Operation}
_JOINS: Final[dict[str, type[And | Or]]] = {"and": And, "or": Or}


def from_json(document: Any, *, depth: int = 0) -> Expression:
    """Return the expression that a JSON document writes.

    FormatError    no expression: an unknown type, a missing or surplus value
    LimitExceeded  expressions inside expressions, deeper than ``limits.nesting``
    """
    if depth > DEFAULT_LIMITS.nesting:
        most = f"at most {DEFAULT_LIMITS.nesting}"
        raise LimitExceeded("expression", None, f"{depth} levels", most)
    if isinstance(document, bool):
        return TRUE if document else FALSE
    kind = required(an_object(document, "expression"), "type", str).lower()
    if kind == "literal":
        return TRUE if required(document, "value", bool) else FALSE
    if join := _JOINS.get(kind):
        left = _child(document, "left", depth)
        return join.of(left, _child(document, "right", depth))
    if kind == "not":
        return Not.of(_child(document, "child", depth))
    operation = _OPERATIONS.get(kind.replace("_", "-"))
    if operation is None:
        raise FormatError("type", None, repr(document["type"]), "an operation of expressions")
    return Predicate(operation, _term(document.get("term")), _literals(document, operation))


def to_json(expression: Expression) -> Any:
    """Return the JSON of an expression, bound or not; `from_json` reads it back."""
    if isinstance(expression, AlwaysTrue | AlwaysFalse):
        return isinstance(expression, AlwaysTrue)
    if isinstance(expression, And | Or):
        kind = "and" if isinstance(expression, And) else "or"
        return {"type": kind, "left": to_json(expression.left), "right": to_json(expression.right)}
    if isinstance(expression, Not):
        return {"type": "not", "child": to_json(expression.child)}
    assert isinstance(expression, Predicate | BoundPredicate)  # noqa: S101  there are no others
    document = {"type": expression.operation.value, "term": _term_to_json(expression.term)}
    values = [_value_to_json(expression, each) for each in expression.literals]
    if expression.operation.is_set:
        return document | {"values": values}
    return document if expression.operation.is_unary else document | {"value": values[0]}


def _child(document: dict[str, Any], key: str, depth: int) -> Expression:
    """The expression under *key*."""
    if key not in document:
        raise FormatError(key, None, "nothing", "an expression")
    try:
        return from_json(document[key], depth=depth + 1)
    except FormatError as error:
        raise error.inside(key) from None


def _term(document: Any) -> Term:
    """A column, or a transform of one."""
    if isinstance(document, str):
        return Reference(document)
    if not isinstance(document, dict):
        found = "nothing" if document is None else shortly(document)
        raise FormatError("term", None, found, "a name, a reference or a transform")
    kind = required(document, "type", str)
    if kind == "reference":
        return Reference(required(document, "term", str))
    if kind != "transform":
        raise FormatError("term.type", None, repr(kind), "reference or transform")
    inner = _term(document.get("term"))
    if not isinstance(inner, Reference):
        raise FormatError("term", None, "a transform of a transform", "a transform of a column")
    return TransformTerm(parse_transform(required(document, "transform", str)), inner)


def _literals(document: dict[str, Any], operation: Operation) -> tuple[Any, ...]:
    """The values that the operation takes, and no others."""
    wanted = "" if operation.is_unary else "values" if operation.is_set else "value"
    surplus = [key for key in ("value", "values") if key in document and key != wanted]
    if surplus:
        raise FormatError(
            surplus[0], None, shortly(document[surplus[0]]), f"no such key for {operation.value}"
        )
    if not wanted:
        return ()
    if operation.is_set:
        return tuple(map(_literal, required(document, "values", list)))
    if document.get("value") is None:
        raise FormatError("value", None, "nothing", "a value")
    return (_literal(document["value"]),)


def _literal(document: Any) -> Any:
    """A value, or the one inside a literal object."""
    if isinstance(document, dict) and document.get("type") == "literal":
        document = document.get("value")
    if not isinstance(document, bool | int | float | str):
        raise FormatError("value", None, shortly(document), "true, false, a number or text")
    return document


def _term_to_json(term: Term | BoundTerm) -> Any:
    """The JSON of a term."""
    if isinstance(term, TransformTerm | BoundTransform):
        inner = _term_to_json(term.reference)
        return {"type": "transform", "transform": str(term.transform), "term": inner}
    return term.name


def _value_to_json(predicate: Predicate | BoundPredicate, value: Any) -> Any:
    """The JSON of a literal."""
    if isinstance(predicate.term, BoundReference | BoundTransform):
        return value_to_json(predicate.term.type, value)
    return value if isinstance(value, bool | int | float | str) else str(value)
