"""Expressions: predicates on columns, joined by and, or and not.

The rules:

- Predicates are true or false for every row, never unknown.  Null and NaN satisfy no comparison;
  ``!=``, ``not in`` and ``not starts with`` are satisfied by null.
- An expression names columns until `byteloom.iceberg.expressions.binding` binds it to a schema;
  from then on it has fields and storage values.
- Expressions are values: equal if they are written the same way.
- Functions over expressions recurse, and Python allows some hundred levels.  So a chain of one word
  may have any shape, and is kept shallow: the two sides of a node differ in height by at most
  `SLACK`, so that short chains stay as they were written (Adelson-Velsky and Landis, "An algorithm
  for the organization of information", 1962).  An expression that is still deeper than
  ``limits.nesting``, such as thousands of *and* and *or* in turn, is refused where it is made.

Source: Iceberg expressions spec; Iceberg table spec, "Scan Planning" and "Appendix C".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.errors import LimitExceeded
from byteloom.iceberg.expressions.spelling import (
    literal_text,
    name_text,
    storage_text,
    term_text,
)
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.iceberg.expressions import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.transforms import Transform
    from byteloom.iceberg.types import NestedField, Type
    from byteloom_generated.iceberg.expressions import OperationRow


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
    "depth_of",
    "height_of",
    "joined",
]

SLACK: Final = 8


def depth_of(*inner: Any) -> int:
    """Return the number of levels of an expression with these parts.

    Raises:
        LimitExceeded: More levels than `Limits.nesting` allows by default.
    """
    depth = 1 + max(getattr(each, "depth", 0) for each in inner)
    if depth > DEFAULT_LIMITS.nesting:
        most = f"at most {DEFAULT_LIMITS.nesting}"
        raise LimitExceeded("expression", None, f"{depth} levels", most)
    return depth


def height_of(kind: Callable[..., Any], each: Any) -> int:
    """Return how many levels of an expression, from the top, are joined by *kind*."""
    return int(each.height) if type(each) is kind else 0


def joined(kind: Callable[..., Any], left: Any, right: Any) -> Any:
    """Return both joined by *kind*, in their order."""
    apart = height_of(kind, left) - height_of(kind, right)
    if apart > SLACK:
        return _turned(kind, left.left, joined(kind, left.right, right))
    if apart < -SLACK:
        return _turned(kind, joined(kind, left, right.left), right.right)
    return kind(left, right)


def _turned(kind: Callable[..., Any], left: Any, right: Any) -> Any:
    """Return two expressions joined, after a rotation if one of them is a level too high."""
    apart = height_of(kind, left) - height_of(kind, right)
    if apart > SLACK:
        if height_of(kind, left.right) > height_of(kind, left.left):
            middle = left.right
            return kind(kind(left.left, middle.left), kind(middle.right, right))
        return kind(left.left, kind(left.right, right))
    if apart < -SLACK:
        if height_of(kind, right.left) > height_of(kind, right.right):
            middle = right.left
            return kind(kind(left, middle.left), kind(middle.right, right.right))
        return kind(kind(left, right.left), right.right)
    return kind(left, right)


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


class Expression:
    """Any expression; ``&``, ``|`` and ``~`` mean and, or and not."""

    __slots__ = ()

    def __and__(self, other: Expression) -> Expression:
        """Return the expression that is true where both are."""
        if not isinstance(other, Expression):
            return NotImplemented
        return And.of(self, other)

    def __or__(self, other: Expression) -> Expression:
        """Return the expression that is true where at least one is."""
        if not isinstance(other, Expression):
            return NotImplemented
        return Or.of(self, other)

    def __invert__(self) -> Expression:
        """Return the expression that is true where this one is false."""
        return Not.of(self)

    def __bool__(self) -> bool:
        """Refuse: Python's own ``and``, ``or`` and ``not`` would drop half of the expression."""
        raise TypeError("join expressions by & | ~, not by and, or, not")


@dataclass(frozen=True, slots=True)
class AlwaysTrue(Expression):
    """The expression that every row matches."""

    def __str__(self) -> str:
        """``true``."""
        return "true"


@dataclass(frozen=True, slots=True)
class AlwaysFalse(Expression):
    """The expression that no row matches."""

    def __str__(self) -> str:
        """``false``."""
        return "false"


TRUE: Final = AlwaysTrue()
FALSE: Final = AlwaysFalse()


@dataclass(frozen=True, slots=True)
class _Joint(Expression):
    """Two expressions, joined by a word.

    Attributes:
        depth: Levels of expressions inside, this one included.
        height: Levels joined by the same word, counted from the top.
    """

    left: Expression
    right: Expression
    depth: int = field(init=False, repr=False, compare=False)
    height: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Measure the depth; `LimitExceeded` if it is too great for functions over expressions."""
        kind = type(self)
        height = 1 + max(height_of(kind, self.left), height_of(kind, self.right))
        object.__setattr__(self, "depth", depth_of(self.left, self.right))
        object.__setattr__(self, "height", height)


class And(_Joint):
    """The expression that is true where both sides are."""

    __slots__ = ()

    @classmethod
    def of(cls, left: Expression, right: Expression) -> Expression:
        """Return the conjunction, simplified if a side is true or false, balanced if it is long."""
        if FALSE in (left, right):
            return FALSE
        if left == TRUE:
            return right
        return left if right == TRUE else joined(cls, left, right)

    def __str__(self) -> str:
        """``(a and b)``."""
        return f"({self.left} and {self.right})"


class Or(_Joint):
    """The expression that is true where at least one side is."""

    __slots__ = ()

    @classmethod
    def of(cls, left: Expression, right: Expression) -> Expression:
        """Return the disjunction, simplified if a side is true or false, balanced if it is long."""
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
    """The expression that is true where the child is false."""

    child: Expression
    depth: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Measure the depth; `LimitExceeded` if it is too great for functions over expressions."""
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
        """Return the name, quoted if necessary."""
        return name_text(self.name)


@dataclass(frozen=True, slots=True)
class TransformTerm:
    """The result of a transform of a column: ``bucket(16, id)``."""

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

    Attributes:
        field: The field.
        path: The ids from the outermost column to it, itself included.
        can_be_null: False if it and all fields around it are required, and this may be relied on.
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
        """Return itself: every bound term has a reference."""
        return self

    @property
    def is_nested(self) -> bool:
        """Whether it is inside a struct."""
        return len(self.path) > 1

    def __str__(self) -> str:
        """Return the full name, quoted if necessary."""
        return name_text(self.name)


@dataclass(frozen=True, slots=True)
class BoundTransform:
    """The result of a transform of a column of a schema."""

    transform: Transform
    reference: BoundReference

    @property
    def type(self) -> Type:
        """The type of the results."""
        return self.transform.result_type(self.reference.type)

    @property
    def can_be_null(self) -> bool:
        """Whether the result can be null: whether the column can."""
        return self.reference.can_be_null

    def __str__(self) -> str:
        """``bucket(16, id)``."""
        return term_text(self.transform, str(self.reference))


BoundTerm: TypeAlias = BoundReference | BoundTransform


@dataclass(frozen=True, slots=True)
class BoundPredicate(Expression):
    """An operation on a column of a schema, with storage values of the term's type.

    Attributes:
        literals: Empty for a unary operation, one or more distinct ones for a set, otherwise one.
    """

    operation: Operation
    term: BoundTerm
    literals: tuple[Any, ...] = ()

    @property
    def literal(self) -> Any:
        """The only literal."""
        return self.literals[0]

    def __str__(self) -> str:
        """``id < 3``."""
        literals = tuple(storage_text(self.term.type, each) for each in self.literals)
        return _predicate_text(self.operation, str(self.term), literals)


def _predicate_text(operation: Operation, term: str, literals: tuple[str, ...]) -> str:
    """Return a predicate as text: ``id in (1, 2)``."""
    values = ", ".join(literals)
    asked = f"({values})" if operation.is_set else values
    return " ".join((term, operation.row.text, asked)[: 2 if operation.is_unary else 3])
