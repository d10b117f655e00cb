"""Bind expressions: turn column names and literals into fields of a schema and storage values.

The rules:

- An unknown column name is an error that suggests similar names.
- A predicate that is the same for every row becomes true or false: a literal beyond the column's
  range; ``is null`` of type unknown, or of a column that is required, as are all structs around it.
  A file may break the rule that required columns have no nulls: `bind` can ignore it.
- A literal between two values of the column keeps its meaning: ``id < 1.5`` is ``id <= 1``.
- A set of one literal is an equality.
- A `Not` is moved into the predicates first, so that bound expressions have none: ``not (id < 3)``
  is ``id >= 3``, and null satisfies neither.

Source: Iceberg expressions spec, "Predicates".
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from byteloom.arguments import wanted_name
from byteloom.errors import ArgumentError, FormatError
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
    from collections.abc import Callable, Iterable

    from byteloom.iceberg.expressions.ast import BoundTerm, Term
    from byteloom.iceberg.schema import Schema

    _Resolve = Callable[[str], BoundReference]

__all__ = ["bind", "bind_reference", "references", "rewrite_not", "wanted_column"]

_FLOATING: Final = frozenset({"float", "double"})
_BELOW: Final = frozenset({Operation.LT, Operation.LT_EQ})
_ABOVE: Final = frozenset({Operation.GT, Operation.GT_EQ})
_PREFIXES: Final = frozenset({Operation.STARTS_WITH, Operation.NOT_STARTS_WITH})


def bind(
    expression: Expression,
    schema: Schema,
    *,
    case_sensitive: bool = True,
    trusts_required: bool = True,
    former: Iterable[Schema] = (),
) -> Expression:
    """Return *expression* bound to the fields of *schema*; errors are about ``filter``.

    Args:
        expression: An expression on column names.
        schema: The schema with these columns.
        case_sensitive: Whether names must match in case.
        trusts_required: Whether to assume that a required column has no nulls.
        former: Other schemas of the table: an error suggests a column's new name for its old.

    Raises:
        FormatError: An unknown or ambiguous column, one in a list or map, a literal that cannot be
            compared with the column, ``is nan`` of a column that is not a float.
    """
    resolve = partial(
        bind_reference,
        schema=schema,
        case_sensitive=case_sensitive,
        trusts_required=trusts_required,
        former=former,
    )
    try:
        return _bind(rewrite_not(expression), resolve)
    except FormatError as error:
        raise error.inside("filter") from None


def _bind(expression: Expression, resolve: _Resolve) -> Expression:
    """Bind an expression without `Not`."""
    if isinstance(expression, And | Or):
        return type(expression).of(
            _bind(expression.left, resolve), _bind(expression.right, resolve)
        )
    if isinstance(expression, Predicate):
        return _bind_predicate(expression, resolve)
    return expression


def rewrite_not(expression: Expression) -> Expression:
    """Return the same without `Not`: predicates inside one are replaced by their opposites."""
    if isinstance(expression, And | Or):
        return type(expression).of(rewrite_not(expression.left), rewrite_not(expression.right))
    return _negated(expression.child) if isinstance(expression, Not) else expression


def references(expression: Expression) -> frozenset[int]:
    """Return the ids of the fields that a bound expression refers to."""
    if isinstance(expression, And | Or):
        return references(expression.left) | references(expression.right)
    if isinstance(expression, BoundPredicate):
        return frozenset({expression.term.reference.field.id})
    return frozenset()


def bind_reference(
    name: str,
    schema: Schema,
    *,
    case_sensitive: bool = True,
    trusts_required: bool = True,
    former: Iterable[Schema] = (),
) -> BoundReference:
    """Return the column of that name; `FormatError` if there is none, or a row has many values."""
    found = schema.find(name, case_sensitive=case_sensitive)
    if found is None:
        raise ArgumentError("column", None, repr(name), wanted_column(name, schema, former))
    if schema.is_in_repeated(found.id):
        raise ArgumentError("column", None, repr(name), "a column outside of lists and maps")
    path = (*schema.parents(found.id), found.id)
    fields = map(schema.find, path)
    required = trusts_required and all(each is not None and each.required for each in fields)
    return BoundReference(found, path, not required, schema.name(found.id))


def wanted_column(name: str, schema: Schema, former: Iterable[Schema] = ()) -> str:
    """Return what an error wants instead of an unknown name: columns with similar names.

    Args:
        former: Other schemas of the table, in which the column may have had that name.
    """
    for other in former:
        field = other.find(name)
        if field is not None and schema.find(field.id) is not None:
            return f"a column of the schema: {name} is now {schema.name(field.id)}"
    ids = [each for each in schema.field_by_id if not schema.is_in_repeated(each)]
    return wanted_name(name, [schema.name(each) for each in ids], "a column of the schema")


def _negated(expression: Expression) -> Expression:
    """Return the opposite of an expression, without `Not`."""
    if isinstance(expression, And):
        return Or.of(_negated(expression.left), _negated(expression.right))
    if isinstance(expression, Or):
        return And.of(_negated(expression.left), _negated(expression.right))
    if isinstance(expression, Not):
        return rewrite_not(expression.child)
    if isinstance(expression, Predicate | BoundPredicate):
        return replace(expression, operation=expression.operation.negated)
    return Not.of(expression)


def _bind_predicate(predicate: Predicate, resolve: _Resolve) -> Expression:
    """Bind a predicate; it may become true or false."""
    term = _bind_term(predicate.term, resolve)
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


def _bind_term(term: Term, resolve: _Resolve) -> BoundTerm:
    """Bind a column, or a transform of one."""
    if isinstance(term, Reference):
        return resolve(term.name)
    reference = resolve(term.reference.name)
    if not term.transform.can_transform(reference.type):
        raise FormatError(
            str(term),
            None,
            f"a column of type {reference.type}",
            f"a column to which {term.transform} can be applied",
        )
    return BoundTransform(term.transform, reference)


def _unary(operation: Operation, term: BoundTerm) -> Expression:
    """Bind a predicate about null or NaN, which the type may decide."""
    if operation in {Operation.IS_NAN, Operation.NOT_NAN}:
        if term.type.kind not in _FLOATING:
            raise FormatError("", None, f"type {term.type}", "float or double, which can be NaN")
        return BoundPredicate(operation, term)
    if term.type.kind == "unknown":
        return TRUE if operation is Operation.IS_NULL else FALSE
    if term.can_be_null or isinstance(term, BoundTransform):
        return BoundPredicate(operation, term)
    return FALSE if operation is Operation.IS_NULL else TRUE


def _comparison(operation: Operation, term: BoundTerm, fitted: Fitted) -> Expression:
    """Bind a comparison with one literal."""
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
    """Return what a comparison with a literal below or above all values becomes."""
    if operation is Operation.NOT_EQ:
        return TRUE
    if operation not in (_BELOW if side > 0 else _ABOVE):
        return FALSE
    return any_value(term)


def any_value(term: BoundTerm) -> Expression:
    """Return an expression that is true for every value but null and NaN."""
    holds: Expression = TRUE
    if term.can_be_null:
        holds = BoundPredicate(Operation.NOT_NULL, term)
    if term.type.kind in _FLOATING:
        holds = And.of(holds, BoundPredicate(Operation.NOT_NAN, term))
    return holds


def _set(operation: Operation, term: BoundTerm, fitted: list[Fitted]) -> Expression:
    """Bind ``in`` or ``not in``, with those literals that the column can have."""
    held = tuple(_distinct(each.value for each in fitted if each.is_exact and not each.side))
    if not held:
        return FALSE if operation is Operation.IN else TRUE
    if len(held) == 1:
        single = Operation.EQ if operation is Operation.IN else Operation.NOT_EQ
        return BoundPredicate(single, term, held)
    return BoundPredicate(operation, term, held)


def _distinct(values: Any) -> Any:
    """Return each value once, in the original order."""
    return dict.fromkeys(values)
