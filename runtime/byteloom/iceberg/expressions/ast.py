"""Expressions: predicates on columns, joined by and, or and not.

The rules:

- Predicates are two-valued: a row matches or it does not.  Null and NaN satisfy no comparison;
  ``!=``, ``not in`` and ``not starts with`` are satisfied by null.
- An expression names columns until `byteloom.iceberg.expressions.binding` binds it to a schema;
  from then on it holds fields and storage values.
- Expressions are values: equal if they are written the same way.

Source: Iceberg expressions spec; Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.iceberg.expressions.balance import depth_of, height_of, joined
from byteloom.iceberg.expressions.operations import Operation
from byteloom.iceberg.expressions.spelling import (
    literal_text,
    name_text,
    storage_text,
    term_text,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.iceberg.expressions.on_arrow import ArrowCondition
    from byteloom.iceberg.transforms import Transform
    from byteloom.iceberg.types import NestedField, Type

__all__ = [
    "FALSE",
    "TRUE",
    "AlwaysFalse",
    "AlwaysTrue",
    "And",
    "BoundPredicate",
    "BoundReference",
    "BoundTerm",
    "BoundTransform",
    "Expression",
    "Not",
    "Operation",
    "Or",
    "Predicate",
    "Reference",
    "Term",
    "TransformTerm",
]


class Expression:
    """Any expression: ``&``, ``|`` and ``~`` join them, as and, or and not do in text."""

    __slots__ = ()

    def __and__(self, other: Expression) -> Expression:
        """Both hold."""
        if not isinstance(other, Expression):
            return NotImplemented
        return And.of(self, other)

    def __or__(self, other: Expression) -> Expression:
        """One of them holds, or both."""
        if not isinstance(other, Expression):
            return NotImplemented
        return Or.of(self, other)

    def __invert__(self) -> Expression:
        """It does not hold."""
        return Not.of(self)

    def on_arrow(self, schema: pa.Schema) -> ArrowCondition:
        """Return this on the columns of Arrow data, as the filters of Lance scans need it.

        raises  `FormatError` for columns that *schema* does not have, and literals that cannot be
                compared with them; `Unsupported` for columns of types that Iceberg does not have
        """
        from byteloom.iceberg.expressions.on_arrow import ArrowCondition

        return ArrowCondition(self, schema)

    def __bool__(self) -> bool:
        """Refuse: Python's own ``and``, ``or`` and ``not`` would drop half of the expression."""
        raise TypeError("join expressions by & | ~, not by and, or, not")


@dataclass(frozen=True, slots=True)
class AlwaysTrue(Expression):
    """Every row matches."""

    def __str__(self) -> str:
        """``true``."""
        return "true"


@dataclass(frozen=True, slots=True)
class AlwaysFalse(Expression):
    """No row matches."""

    def __str__(self) -> str:
        """``false``."""
        return "false"


TRUE: Final = AlwaysTrue()
FALSE: Final = AlwaysFalse()


@dataclass(frozen=True, slots=True)
class _Joint(Expression):
    """Two expressions, joined.

    depth   levels of expressions inside, this one included
    height  those of them that are joined by the same word without a break
    """

    left: Expression
    right: Expression
    depth: int = field(init=False, repr=False, compare=False)
    height: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Measure; `LimitExceeded` for one that is too deep to be walked."""
        kind = type(self)
        height = 1 + max(height_of(kind, self.left), height_of(kind, self.right))
        object.__setattr__(self, "depth", depth_of(self.left, self.right))
        object.__setattr__(self, "height", height)


class And(_Joint):
    """Both sides hold."""

    __slots__ = ()

    @classmethod
    def of(cls, left: Expression, right: Expression) -> Expression:
        """Return the conjunction, shorter where a side is true or false, long ones balanced."""
        if FALSE in (left, right):
            return FALSE
        if left == TRUE:
            return right
        return left if right == TRUE else joined(cls, left, right)

    def __str__(self) -> str:
        """``(a and b)``."""
        return f"({self.left} and {self.right})"


class Or(_Joint):
    """One side holds, or both."""

    __slots__ = ()

    @classmethod
    def of(cls, left: Expression, right: Expression) -> Expression:
        """Return the disjunction, without a side that is true or false; a long one is balanced."""
        if TRUE in (left, right):
            return TRUE
        if left == FALSE:
            return right
        return left if right == FALSE else joined(cls, left, right)

    def __str__(self) -> str:
        """``(a or b)``."""
        return f"({self.left} or {self.right})"


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """The child does not hold."""

    child: Expression
    depth: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Measure; `LimitExceeded` for one that is too deep to be walked."""
        object.__setattr__(self, "depth", depth_of(self.child))

    @classmethod
    def of(cls, child: Expression) -> Expression:
        """Return the negation; a double negation is dropped."""
        if child == TRUE:
            return FALSE
        if child == FALSE:
            return TRUE
        return child.child if isinstance(child, Not) else cls(child)

    def __str__(self) -> str:
        """``not a``."""
        return f"not {self.child}"


# ------------------------------------------------------------------------------- by name


@dataclass(frozen=True, slots=True)
class Reference:
    """A column, by its full name."""

    name: str

    def __str__(self) -> str:
        """Return the name, quoted where it must be."""
        return name_text(self.name)


@dataclass(frozen=True, slots=True)
class TransformTerm:
    """What a transform makes of a column: ``bucket(16, id)``."""

    transform: Transform
    reference: Reference

    def __str__(self) -> str:
        """``bucket(16, id)``."""
        return term_text(self.transform, str(self.reference))


Term: TypeAlias = Reference | TransformTerm


@dataclass(frozen=True, slots=True)
class Predicate(Expression):
    """An operation on a term by name, with literals as the user gave them."""

    operation: Operation
    term: Term
    literals: tuple[Any, ...] = ()

    def __str__(self) -> str:
        """``id < 3``."""
        literals = tuple(map(literal_text, self.literals))
        return _predicate_text(self.operation, str(self.term), literals)


# ------------------------------------------------------------------------------- bound


@dataclass(frozen=True, slots=True)
class BoundReference:
    """A column of a schema.

    field         the field
    path          the ids from the outermost column to it, itself included
    can_be_null   False if it and all around it are required, and that is relied on
    """

    field: NestedField
    path: tuple[int, ...]
    can_be_null: bool
    name: str

    @property
    def type(self) -> Type:
        """The type of the values."""
        return self.field.type

    @property
    def reference(self) -> BoundReference:
        """Itself, as every bound term has one."""
        return self

    @property
    def is_nested(self) -> bool:
        """Whether it is inside a struct."""
        return len(self.path) > 1

    def __str__(self) -> str:
        """Return the full name, quoted where it must be."""
        return name_text(self.name)


@dataclass(frozen=True, slots=True)
class BoundTransform:
    """What a transform makes of a column of a schema."""

    transform: Transform
    reference: BoundReference

    @property
    def type(self) -> Type:
        """The type of the results."""
        return self.transform.result_type(self.reference.type)

    @property
    def can_be_null(self) -> bool:
        """Whether the column can be."""
        return self.reference.can_be_null

    def __str__(self) -> str:
        """``bucket(16, id)``."""
        return term_text(self.transform, str(self.reference))


BoundTerm: TypeAlias = BoundReference | BoundTransform


@dataclass(frozen=True, slots=True)
class BoundPredicate(Expression):
    """An operation on a column of a schema, with storage values of the term's type.

    literals  none for a unary operation, one or more distinct ones for a set, one else
    """

    operation: Operation
    term: BoundTerm
    literals: tuple[Any, ...] = ()

    @property
    def literal(self) -> Any:
        """The one literal."""
        return self.literals[0]

    def __str__(self) -> str:
        """``id < 3``."""
        literals = tuple(storage_text(self.term.type, each) for each in self.literals)
        return _predicate_text(self.operation, str(self.term), literals)


def _predicate_text(operation: Operation, term: str, literals: tuple[str, ...]) -> str:
    """``id in (1, 2)``."""
    values = ", ".join(literals)
    asked = f"({values})" if operation.is_set else values
    return " ".join((term, operation.row.text, asked)[: 2 if operation.is_unary else 3])
