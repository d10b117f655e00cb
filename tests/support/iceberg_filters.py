"""Random rows of every type, filters on them, and what the filters mean, row by row in Python."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
from hypothesis import strategies as st
from tests.support.iceberg_schemas import a_struct

from byteloom.iceberg.arrow_types import arrow_field
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
from byteloom.iceberg.expressions.rows import evaluate
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.transforms import apply_value, parse_transform
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.types import NestedField, StructType
from byteloom.iceberg.values import to_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.iceberg.types import Type

__all__ = [
    "SCHEMA",
    "answers",
    "batch",
    "bound_bytes",
    "expressions",
    "literal",
    "matches",
    "partition_value",
    "rows",
    "stats_of",
]

NAMES = {
    "id": "int",
    "long": "long",
    "flag": "boolean",
    "float": "float",
    "double": "double",
    "price": "decimal(9, 2)",
    "name": "string",
    "uuid": "uuid",
    "fixed": "fixed[2]",
    "binary": "binary",
    "day": "date",
    "time": "time",
    "ts": "timestamp",
    "tz": "timestamptz",
    "ns": "timestamp_ns",
}


def _field(number: int, name: str, kind: Any, *, required: bool = False) -> dict[str, Any]:
    """The JSON of a field."""
    return {"id": number, "name": name, "type": kind, "required": required}


_INNER = [_field(101, "x", "int", required=True), _field(102, "y", "string")]
SCHEMA = Schema.from_json(
    a_struct(
        *(
            _field(number, name, kind, required=name == "id")
            for number, (name, kind) in enumerate(NAMES.items(), 1)
        ),
        _field(100, "point", {"type": "struct", "fields": _INNER}),
    )
    | {"schema-id": 0}
)
LEAVES = {**{name: name for name in NAMES}, "point.x": "x", "point.y": "y"}

_WORDS = ["", "a", "ab", "abc", "b", "\N{SNOWMAN}", "\U0001f9ca", "\U0001f9cax", "\uffff"]
_FLOATS = [0.0, -0.0, 1.0, -1.5, 0.5, 1e30, -1e30, math.inf, -math.inf]
_MICROS = [0, -1, 1, -86_400_000_000, 86_400_000_000, 1_500_000_000_000_000]
POOLS: dict[str, list[Any]] = {
    "int": [0, 1, -1, 2, 3, 10, -10, 2**31 - 1, -(2**31), -(2**31) + 9],
    "long": [0, 1, -1, 2, 10, -10, 2**40, 2**63 - 1, -(2**63), -(2**63) + 9],
    "boolean": [True, False],
    "float": _FLOATS,
    "double": [*_FLOATS, 1e300, 0.1],
    "decimal": [Decimal(each) for each in ("0.00", "1.00", "-1.01", "9999999.99", "-9999999.99")],
    "string": _WORDS,
    "uuid": [UUID(int=each) for each in (0, 1, 2**127, 2**128 - 1, 2**64)],
    "fixed": [b"\0\0", b"\0\1", b"\x7f\xff", b"\x80\0", b"\xff\xff"],
    "binary": [b"", b"\0", b"a", b"ab", b"\x80", b"\xff\xff"],
    "date": [0, 1, -1, -365, 17486, 31, -32],
    "time": [0, 1, 86_399_999_999],
    "timestamp": _MICROS,
    "timestamptz": _MICROS,
    "timestamp_ns": [each * 1000 for each in _MICROS] + [1, 999],
}


def _type(name: str) -> Any:
    """The type of a column."""
    found = SCHEMA.find(name)
    assert found is not None
    return found.type


def rows() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Up to eight rows; nulls and NaNs among their values, few values often repeated."""

    def value(field: NestedField) -> st.SearchStrategy[Any]:
        if isinstance(field.type, StructType):
            inner = {each.name: value(each) for each in field.type.fields}
            return st.none() | st.fixed_dictionaries(inner)
        pool = POOLS[field.type.kind]
        if field.type.kind in {"float", "double"}:
            pool = [*pool, math.nan]
        found = st.sampled_from(pool)
        return found if field.required else st.none() | found

    return st.lists(
        st.fixed_dictionaries({each.name: value(each) for each in SCHEMA.fields}), max_size=8
    )


TRANSFORMS = {
    "int": ["identity", "bucket[3]", "truncate[10]"],
    "long": ["identity", "bucket[3]", "truncate[10]"],
    "decimal": ["identity", "bucket[3]", "truncate[100]"],
    "string": ["identity", "bucket[3]", "truncate[1]", "truncate[2]"],
    "binary": ["identity", "bucket[3]", "truncate[1]"],
    "uuid": ["identity", "bucket[3]"],
    "fixed": ["identity", "bucket[3]"],
    "time": ["identity", "bucket[3]"],
    "boolean": ["identity"],
    "float": ["identity"],
    "double": ["identity"],
    "date": ["identity", "bucket[3]", "day", "month", "year"],
    "timestamp": ["identity", "bucket[3]", "hour", "day", "month", "year"],
    "timestamptz": ["hour", "day"],
    "timestamp_ns": ["identity", "bucket[3]", "hour", "day", "month", "year"],
}


def literal(kind: str) -> st.SearchStrategy[Any]:
    """A value to compare with: of the column's type, or a number beside it."""
    found = st.sampled_from(POOLS[kind])
    if kind in {"int", "long"}:
        return found | st.sampled_from([1.5, Decimal("-0.5"), 2**70, -(2**70), math.inf])
    if kind == "decimal":
        return found | st.sampled_from([Decimal("1.005"), 1, Decimal("1e20"), -(10**30)])
    return found


@st.composite
def predicates(
    draw: st.DrawFn,
    *,
    with_functions: bool = True,
    is_strict: bool = False,
    names: Sequence[str] = tuple(LEAVES),
) -> Predicate:
    """Any operation on any column of *names*, or on a function of one.

    is_strict  compare with values of the column's own type alone
    """
    name = draw(st.sampled_from(names))
    of, term = _type(name), Reference(name)
    operations = list(Operation)
    asked: Any = term
    if with_functions and draw(st.integers(0, 3)) == 0:
        transform = parse_transform(draw(st.sampled_from(TRANSFORMS[of.kind])))
        asked, source, of = TransformTerm(transform, term), of, transform.result_type(of)
        literals = st.sampled_from(POOLS[source.kind]).map(
            lambda value: apply_value(transform, source, value)
        )
    else:
        literals = st.sampled_from(POOLS[of.kind]) if is_strict else literal(of.kind)
    if of.kind not in {"float", "double"}:
        operations = [each for each in operations if "nan" not in each.value]
    if of.kind != "string":
        operations = [each for each in operations if "starts" not in each.value]
    operation = draw(st.sampled_from(operations))
    if operation.is_unary:
        return Predicate(operation, asked)
    number = st.lists(literals, max_size=4) if operation.is_set else literals.map(lambda x: [x])
    return Predicate(operation, asked, tuple(draw(number)))


def expressions(**asked: Any) -> st.SearchStrategy[Expression]:
    """Filters of a few `predicates`, joined in any way; arguments are theirs."""
    return st.recursive(
        predicates(**asked) | st.sampled_from([TRUE, FALSE]),
        lambda inner: st.one_of(
            st.builds(And.of, inner, inner),
            st.builds(Or.of, inner, inner),
            st.builds(Not.of, inner),
        ),
        max_leaves=5,
    )


# ---------------------------------------------------------------------------- what they mean


def matches(expression: Expression, row: dict[str, Any]) -> bool:
    """Whether a row matches, by the words of the spec."""
    if isinstance(expression, And):
        return matches(expression.left, row) and matches(expression.right, row)
    if isinstance(expression, Or):
        return matches(expression.left, row) or matches(expression.right, row)
    if isinstance(expression, Not):
        return _fails(expression.child, row)
    if isinstance(expression, Predicate):
        return _asks(expression.operation, _value(expression, row), expression.literals)
    return expression == TRUE


def _fails(expression: Expression, row: dict[str, Any]) -> bool:
    """Whether the opposite of an expression holds: of each predicate, the opposite operation."""
    if isinstance(expression, And):
        return _fails(expression.left, row) or _fails(expression.right, row)
    if isinstance(expression, Or):
        return _fails(expression.left, row) and _fails(expression.right, row)
    if isinstance(expression, Not):
        return matches(expression.child, row)
    if isinstance(expression, Predicate):
        value = _value(expression, row)
        return _asks(expression.operation.negated, value, expression.literals)
    return expression == FALSE


def _value(predicate: Predicate, row: dict[str, Any]) -> Any:
    """The value of a predicate's term in a row."""
    term = predicate.term
    reference = term if isinstance(term, Reference) else term.reference
    start: Any = row
    value = reduce(
        lambda held, part: None if held is None else held[part], reference.name.split("."), start
    )
    if isinstance(term, TransformTerm):
        return apply_value(term.transform, _type(reference.name), value)
    return value


_ON_VALUES: dict[Operation, Callable[[Any, tuple[Any, ...]], bool]] = {
    Operation.EQ: lambda value, literals: value == literals[0],
    Operation.IN: lambda value, literals: value in literals,
    Operation.STARTS_WITH: lambda value, literals: value.startswith(literals[0]),
    Operation.LT: lambda value, literals: value < literals[0],
    Operation.LT_EQ: lambda value, literals: value <= literals[0],
    Operation.GT: lambda value, literals: value > literals[0],
    Operation.GT_EQ: lambda value, literals: value >= literals[0],
}


def _asks(operation: Operation, value: Any, literals: tuple[Any, ...]) -> bool:
    """Whether a value satisfies an operation; null and NaN compare as not equal alone."""
    is_nan = isinstance(value, float) and math.isnan(value)
    if operation in {Operation.IS_NULL, Operation.NOT_NULL}:
        return (value is None) is (operation is Operation.IS_NULL)
    if operation in {Operation.IS_NAN, Operation.NOT_NAN}:
        return is_nan is (operation is Operation.IS_NAN)
    if operation not in _ON_VALUES:
        return not _asks(operation.negated, value, literals)
    return value is not None and not is_nan and _ON_VALUES[operation](value, literals)


# --------------------------------------------------------------------------------- columns


def batch(held: list[dict[str, Any]]) -> pa.RecordBatch:
    """The rows as columns that carry their field ids."""
    columns = [_column(each, [row[each.name] for row in held]) for each in SCHEMA.fields]
    fields = [
        pa.field(each.name, made.type, metadata=arrow_field(each).metadata)
        for each, made in zip(SCHEMA.fields, columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))


def _column(field: NestedField, held: list[Any]) -> pa.Array:
    """One column."""
    if not isinstance(field.type, StructType):
        return storage_array(field.type, held)
    inner = [
        _column(each, [None if value is None else value[each.name] for value in held])
        for each in field.type.fields
    ]
    fields = [
        pa.field(each.name, made.type, metadata=arrow_field(each).metadata)
        for each, made in zip(field.type.fields, inner, strict=True)
    ]
    return pa.StructArray.from_arrays(
        inner, fields=fields, mask=pa.array([value is None for value in held], pa.bool_())
    )


def stats_of(held: list[dict[str, Any]], unknown: set[str]) -> dict[str, Any]:
    """The statistics of a file of these rows, in the form of the corpus; some may be *unknown*."""
    document: dict[str, Any] = {"record_count": len(held)}
    for key in {"value_counts", "null_value_counts", "nan_value_counts"} - unknown:
        document[key] = {}
    document |= {key: {} for key in {"lower_bounds", "upper_bounds"} - unknown}
    for name in LEAVES:
        _add_statistics(document, name, held)
    return document


def _add_statistics(document: dict[str, Any], name: str, held: list[dict[str, Any]]) -> None:
    """Add the statistics of one column; a null struct counts as a null."""
    field = SCHEMA.find(name)
    assert field is not None
    key, asked = str(field.id), Predicate(Operation.IS_NULL, Reference(name))
    values = [_value(asked, row) for row in held]
    real = [each for each in values if each is not None and each == each]  # noqa: PLR0124  no NaN
    is_floating = field.type.kind in {"float", "double"}
    counts = {
        "value_counts": len(values),
        "null_value_counts": values.count(None),
        "nan_value_counts": len(values) - len(real) - values.count(None),
    }
    for each, count in counts.items():
        if each in document and (is_floating or not each.startswith("nan")):
            document[each][key] = count
    for side, pick in (("lower_bounds", min), ("upper_bounds", max)):
        if side in document and real:
            document[side][key] = to_binary(field.type, pick(real)).hex()


def answers(bound: Expression, held: Sequence[dict[str, Any]]) -> list[bool]:
    """Return for each row whether byteloom finds that it matches a bound filter."""
    found: list[bool] = evaluate(bound, batch([*held])).to_pylist()
    return found


def partition_value(transform: str, of: Type, value: Any) -> Any:
    """Return the partition value that byteloom makes of a column's value."""
    return apply_value(parse_transform(transform), of, value)


def bound_bytes(of: Type, value: Any) -> bytes:
    """Return a value as a bound has it."""
    return to_binary(of, value)
