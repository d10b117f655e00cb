"""Expressions as JSON: read and written.

    true, false, {"type": "literal", "value": true}
    {"type": "and" | "or", "left": ..., "right": ...}, {"type": "not", "child": ...}
    {"type": "is-null" | ..., "term": ...}
    {"type": "eq" | ..., "term": ..., "value": ...}
    {"type": "in" | "not-in", "term": ..., "values": [...]}

A term is a name, ``{"type": "reference", "term": name}`` or ``{"type": "transform", "transform":
"bucket[16]", "term": name}``; a value is a JSON single value, or a literal object around one.  Text
becomes a day, a moment, a UUID or bytes when the expression is bound.  Other keys are ignored.

Source: Iceberg expressions spec, "JSON"; Java's ``ExpressionParser``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.errors import FormatError
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
from byteloom_generated.iceberg.expressions import OBJECTS, OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.iceberg.expressions.ast import BoundTerm, Term

__all__ = ["from_json", "to_json"]

_OPERATIONS: Final = {each.value: each for each in Operation}
_JOINS: Final[dict[str, type[And | Or | Not]]] = {"and": And, "or": Or, "not": Not}
_KEYS: Final = {each.name: each.keys for each in OBJECTS}
_LITERALS: Final = frozenset(each.key for each in OPERATIONS if each.key)

_Path: TypeAlias = "tuple[str, _Path] | None"
"""A key, and the path to the object that contains it."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that joins expressions, and the keys of those."""

    join: type[And | Or | Not]
    keys: Sequence[str]


def from_json(document: Any) -> Expression:
    """Return the expression that a JSON document describes.

    Raises:
        FormatError: An invalid expression: an unknown type, a missing or surplus value.
        LimitExceeded: Expressions nested deeper than ``limits.nesting``; chains of one word are
            made shallow first, whatever their length.
    """
    waiting: list[tuple[Any, _Path]] = [(document, None)]
    made: list[Expression] = []
    while waiting:
        each, path = waiting.pop()
        if isinstance(each, _Word):
            parts = made[-len(each.keys) :]
            made[-len(each.keys) :] = [each.join.of(*parts)]
            continue
        found = _opened(each, path)
        if isinstance(found, Expression):
            made.append(found)
        else:
            waiting.append((found, path))
            waiting += [(each[key], (key, path)) for key in reversed(found.keys)]
    return made[0]


def _opened(document: Any, path: _Path) -> Expression | _Word:
    """Return a predicate, or the word that joins the inner expressions."""
    try:
        return _expression(document)
    except FormatError as error:
        while path is not None:
            key, path = path
            error = error.inside(key)
        raise error from None


def _expression(document: Any) -> Expression | _Word:
    """Return the same as `_opened`; its errors do not say where they occurred."""
    if isinstance(document, bool):
        return TRUE if document else FALSE
    kind = required(an_object(document, "expression"), "type", str).lower()
    if kind == "literal":
        return TRUE if required(document, "value", bool) else FALSE
    if join := _JOINS.get(kind):
        for key in _KEYS[kind]:
            if key not in document:
                raise FormatError(key, None, "nothing", "an expression")
        return _Word(join, _KEYS[kind])
    operation = _OPERATIONS.get(kind.replace("_", "-"))
    if operation is None:
        raise FormatError("type", None, repr(document["type"]), "an operation of expressions")
    return Predicate(operation, _term(document.get("term")), _literals(document, operation))


def to_json(expression: Expression) -> Any:
    """Return the JSON of an expression, bound or not; `from_json` reads it back."""
    if isinstance(expression, AlwaysTrue | AlwaysFalse):
        return isinstance(expression, AlwaysTrue)
    for kind, join in _JOINS.items():
        if isinstance(expression, join):
            parts = {each: to_json(getattr(expression, each)) for each in _KEYS[kind]}
            return {"type": kind, **parts}
    assert isinstance(expression, Predicate | BoundPredicate)  # noqa: S101  there are no others
    document = {"type": expression.operation.value, "term": _term_to_json(expression.term)}
    values = [_value_to_json(expression, each) for each in expression.literals]
    key = expression.operation.row.key
    if key is not None:
        document[key] = values if expression.operation.is_set else values[0]
    return document


def _term(document: Any) -> Term:
    """Return the column, or the transform of one, that a JSON value describes."""
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
    """Return the values for the operation; refuse a missing or surplus one."""
    wanted = operation.row.key
    surplus = [key for key in sorted(_LITERALS) if key in document and key != wanted]
    if surplus:
        raise FormatError(
            surplus[0], None, shortly(document[surplus[0]]), f"no such key for {operation.value}"
        )
    if wanted is None:
        return ()
    if operation.is_set:
        return tuple(map(_literal, required(document, wanted, list)))
    if document.get(wanted) is None:
        raise FormatError(wanted, None, "nothing", "a value")
    return (_literal(document[wanted]),)


def _literal(document: Any) -> Any:
    """Return a JSON value, or the value inside a literal object."""
    if isinstance(document, dict) and document.get("type") == "literal":
        document = document.get("value")
    if not isinstance(document, bool | int | float | str):
        raise FormatError("value", None, shortly(document), "true, false, a number or text")
    return document


def _term_to_json(term: Term | BoundTerm) -> Any:
    """Return the JSON of a term."""
    if isinstance(term, TransformTerm | BoundTransform):
        inner = _term_to_json(term.reference)
        return {"type": "transform", "transform": str(term.transform), "term": inner}
    return term.name


def _value_to_json(predicate: Predicate | BoundPredicate, value: Any) -> Any:
    """Return the JSON of a literal."""
    if isinstance(predicate.term, BoundReference | BoundTransform):
        return value_to_json(predicate.term.type, value)
    return value if isinstance(value, bool | int | float | str) else str(value)
