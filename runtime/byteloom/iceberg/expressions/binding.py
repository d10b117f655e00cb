"""Binding: from column names and literals to fields of a schema and storage values.

The rules:

- A name that the schema does not have is an error, with the nearest ones that it has.
- A predicate that cannot depend on the row becomes true or false: a literal beyond the column's
  range; ``is null`` of type unknown.  That of a required column does: a file may break the rule.
- A literal between two values of the column keeps its meaning: ``id < 1.5`` is ``id <= 1``.
- A set of one literal is an equality.
- Not is carried to the predicates first, so that nothing bound holds a `Not`: ``not (id < 3)`` is
  ``id >= 3``, and null satisfies neither.

Source: Iceberg expressions spec, "Predicates".
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
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
)
from byteloom.iceberg.expressions.literals import Fitted, fit

if TYPE_CHECKING:
    from byteloom.iceberg.expressions.ast import BoundTerm, Term
    from byteloom.iceberg.schema import Schema

__all__ = [
    "bind",
    "bind_reference",
    "references",
    "rewrite_not",
    "wanted_column",
    "without_missing",
]

_SHOWN: Final = 10
_FLOATING: Final = frozenset({"float", "double"})
_BELOW: Final = frozenset({Operation.LT, Operation.LT_EQ})
_ABOVE: Final = frozenset({Operation.GT, Operation.GT_EQ})
_PREFIXES: Final = frozenset({Operation.STARTS_WITH, Operation.NOT_STARTS_WITH})


def bind(expression: Expression, schema: Schema, *, case_sensitive: bool = True) -> Expression:
    """Return *expression* on the fields of *schema*.

    FormatError   an unknown or ambiguous column, one in a list or map, a literal that cannot be
                  compared with the column, ``is nan`` of what is no float
    """
    return _bind(rewrite_not(expression), schema, case_sensitive=case_sensitive)


def _bind(expression: Expression, schema: Schema, *, case_sensitive: bool) -> Expression:
    """An expression without `Not` on the fields of a schema."""
    if isinstance(expression, And | Or):
        left = _bind(expression.left, schema, case_sensitive=case_sensitive)
        right = _bind(expression.right, schema, case_sensitive=case_sensitive)
        return type(expression).of(left, right)
    if isinstance(expression, Predicate):
        return _bind_predicate(expression, schema, case_sensitive=case_sensitive)
    return expression


def without_missing(bound: Expression, schema: Schema) -> Expression:
    """Return a bound expression for rows in which nothing is null that *schema* requires."""
    if isinstance(bound, And | Or):
        left = without_missing(bound.left, schema)
        return type(bound).of(left, without_missing(bound.right, schema))
    answers: dict[Operation, Expression] = {Operation.IS_NULL: FALSE, Operation.NOT_NULL: TRUE}
    if isinstance(bound, BoundPredicate) and isinstance(bound.term, BoundReference):
        answer = answers.get(bound.operation)
        if answer is not None and all(
            schema.field_by_id[each].required for each in bound.term.path
        ):
            return answer
    return bound


def rewrite_not(expression: Expression) -> Expression:
    """Return the same without `Not`: each predicate under one asks the opposite."""
    if isinstance(expression, And | Or):
        return type(expression).of(rewrite_not(expression.left), rewrite_not(expression.right))
    return _negated(expression.child) if isinstance(expression, Not) else expression


def references(expression: Expression) -> frozenset[int]:
    """Return the ids of the fields that a bound expression asks."""
    if isinstance(expression, And | Or):
        return references(expression.left) | references(expression.right)
    if isinstance(expression, BoundPredicate):
        return frozenset({expression.term.reference.field.id})
    return frozenset()


def bind_reference(name: str, schema: Schema, *, case_sensitive: bool = True) -> BoundReference:
    """Return the column of that name; `FormatError` if there is none, or many in each row."""
    found = schema.find(name, case_sensitive=case_sensitive)
    if found is None:
        raise FormatError("column", None, repr(name), wanted_column(name, schema))
    if schema.is_in_repeated(found.id):
        raise FormatError("column", None, repr(name), "a column outside of lists and maps")
    path = (*schema.parents(found.id), found.id)
    return BoundReference(found, path, schema.name(found.id))


def wanted_column(name: str, schema: Schema) -> str:
    """Return what is wanted instead of a name that is none: the columns it may have meant."""
    ids = [each for each in schema.field_by_id if not schema.is_in_repeated(each)]
    names = [schema.name(each) for each in ids]
    same = [each for each in names if each.casefold() == name.casefold()]
    near = same or get_close_matches(name, names, n=3)
    if near:
        return f"a column of the schema, as {', '.join(near)}{'; case counts' if same else ''}"
    told = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return f"a column of the schema: {told}" if told else "a column of the schema"


def _negated(expression: Expression) -> Expression:
    """The opposite, with no `Not` in it."""
    if isinstance(expression, And):
        return Or.of(_negated(expression.left), _negated(expression.right))
    if isinstance(expression, Or):
        return And.of(_negated(expression.left), _negated(expression.right))
    if isinstance(expression, Not):
        return rewrite_not(expression.child)
    if isinstance(expression, Predicate | BoundPredicate):
        return replace(expression, operation=expression.operation.negated)
    return Not.of(expression)


def _bind_predicate(predicate: Predicate, schema: Schema, *, case_sensitive: bool) -> Expression:
    """A predicate on a field, or what it comes to."""
    term = _bind_term(predicate.term, schema, case_sensitive=case_sensitive)
    try:
        if predicate.operation.is_unary:
            return _unary(predicate.operation, term)
        fitted = [fit(term.type, each) for each in predicate.literals]
        if predicate.operation.is_set:
            return _set(predicate.operation, term, fitted)
        (single,) = fitted
        return _comparison(predicate.operation, term, single)
    except FormatError as error:
        raise error.inside(str(predicate.term)) from None


def _bind_term(term: Term, schema: Schema, *, case_sensitive: bool) -> BoundTerm:
    """A column, or what a transform makes of it."""
    if isinstance(term, Reference):
        return bind_reference(term.name, schema, case_sensitive=case_sensitive)
    reference = bind_reference(term.reference.name, schema, case_sensitive=case_sensitive)
    if not term.transform.can_transform(reference.type):
        raise FormatError(
            str(term),
            None,
            f"a column of type {reference.type}",
            f"one that {term.transform} takes",
        )
    return BoundTransform(term.transform, reference)


def _unary(operation: Operation, term: BoundTerm) -> Expression:
    """A question about null or NaN, answered where the type does."""
    if operation in {Operation.IS_NAN, Operation.NOT_NAN}:
        if term.type.kind not in _FLOATING:
            raise FormatError("", None, f"type {term.type}", "float or double, which can be NaN")
        return BoundPredicate(operation, term)
    if term.type.kind == "unknown":
        return TRUE if operation is Operation.IS_NULL else FALSE
    return BoundPredicate(operation, term)


def _comparison(operation: Operation, term: BoundTerm, fitted: Fitted) -> Expression:
    """A comparison with one literal."""
    if operation in _PREFIXES and term.type.kind != "string":
        raise FormatError("", None, f"type {term.type}", "a string, which can start with text")
    if fitted.side:
        return _beyond(operation, term, fitted.side)
    if fitted.is_exact:
        return BoundPredicate(operation, term, (fitted.value,))
    if operation is Operation.EQ:
        return FALSE
    if operation is Operation.NOT_EQ:
        return TRUE
    between = Operation.LT_EQ if operation in _BELOW else Operation.GT
    return BoundPredicate(between, term, (fitted.value,))


def _beyond(operation: Operation, term: BoundTerm, side: int) -> Expression:
    """A comparison with what lies below or above all values."""
    if operation is Operation.NOT_EQ:
        return TRUE
    if operation not in (_BELOW if side > 0 else _ABOVE):
        return FALSE
    return any_value(term)


def any_value(term: BoundTerm) -> Expression:
    """Return what holds for every value but null and NaN."""
    holds: Expression = BoundPredicate(Operation.NOT_NULL, term)
    if term.type.kind in _FLOATING:
        holds = And.of(holds, BoundPredicate(Operation.NOT_NAN, term))
    return holds


def _set(operation: Operation, term: BoundTerm, fitted: list[Fitted]) -> Expression:
    """Membership, of those literals that the column can hold."""
    held = tuple(_distinct(each.value for each in fitted if each.is_exact and not each.side))
    if not held:
        return FALSE if operation is Operation.IN else TRUE
    if len(held) == 1:
        single = Operation.EQ if operation is Operation.IN else Operation.NOT_EQ
        return BoundPredicate(single, term, held)
    return BoundPredicate(operation, term, held)


def _distinct(values: Any) -> Any:
    """Each value once, in the order they came."""
    return dict.fromkeys(values)
