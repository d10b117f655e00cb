# Written by byteloom-codegen from specs/iceberg/expressions.yaml; do not edit.
# To change it, edit that file and generate again.
"""An expression says which rows are wanted. It is true or false for every row:
null and NaN satisfy no comparison. As JSON (Appendix C) it is true, false, or
an object whose `type` says what it is.

Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["OBJECTS", "OPERATIONS", "ObjectRow", "OperationRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRow:
    """An operation of predicates."""

    name: str
    """The `type` of its JSON object."""

    negated: str
    """The opposite operation."""

    text: str
    """Its form in text, after the term."""

    doc: str
    """Its meaning."""

    key: str | None = None
    """The key of its literal, or of its literals, beside `term`; none if it takes
    none.
    """

    takes_null: bool = False
    """Whether a null satisfies it."""

    takes_nan: bool = False
    """Whether a NaN satisfies it, where the literals are numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRow:
    """One kind of JSON object other than predicates."""

    name: str
    """Its `type`."""

    keys: tuple[str, ...]
    """Its other keys."""

    doc: str
    """What it is."""


OPERATIONS: Final = (
    OperationRow(
        name="is-null",
        negated="not-null",
        text="is null",
        takes_null=True,
        doc="The value is null.",
    ),
    OperationRow(
        name="not-null",
        negated="is-null",
        text="is not null",
        takes_nan=True,
        doc="The value is not null.",
    ),
    OperationRow(
        name="is-nan",
        negated="not-nan",
        text="is nan",
        takes_nan=True,
        doc="The value is NaN.",
    ),
    OperationRow(
        name="not-nan",
        negated="is-nan",
        text="is not nan",
        takes_null=True,
        doc="The value is not NaN; null is not.",
    ),
    OperationRow(
        name="lt",
        negated="gt-eq",
        key="value",
        text="<",
        doc="The value is less than the literal.",
    ),
    OperationRow(
        name="lt-eq",
        negated="gt",
        key="value",
        text="<=",
        doc="The value is less than or equal to the literal.",
    ),
    OperationRow(
        name="gt",
        negated="lt-eq",
        key="value",
        text=">",
        doc="The value is greater than the literal.",
    ),
    OperationRow(
        name="gt-eq",
        negated="lt",
        key="value",
        text=">=",
        doc="The value is greater than or equal to the literal.",
    ),
    OperationRow(
        name="eq",
        negated="not-eq",
        key="value",
        text="=",
        doc="The value is equal to the literal; -0.0 is equal to 0.0.",
    ),
    OperationRow(
        name="not-eq",
        negated="eq",
        key="value",
        text="!=",
        takes_null=True,
        takes_nan=True,
        doc="The value is not equal to the literal.",
    ),
    OperationRow(
        name="in",
        negated="not-in",
        key="values",
        text="in",
        doc="The value is equal to one of the literals.",
    ),
    OperationRow(
        name="not-in",
        negated="in",
        key="values",
        text="not in",
        takes_null=True,
        takes_nan=True,
        doc="The value is equal to none of the literals.",
    ),
    OperationRow(
        name="starts-with",
        negated="not-starts-with",
        key="value",
        text="starts with",
        doc="The text begins with the literal.",
    ),
    OperationRow(
        name="not-starts-with",
        negated="starts-with",
        key="value",
        text="not starts with",
        takes_null=True,
        doc="The text does not begin with the literal.",
    ),
)
"""The operations of predicates. A term is a column's name, a reference or a
transform.

Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Appendix C: Expressions"
"""


OBJECTS: Final = (
    ObjectRow(
        name="literal",
        keys=("value",),
        doc="True or false as an expression; a JSON single value as a literal.",
    ),
    ObjectRow(name="and", keys=("left", "right"), doc="Both expressions are true."),
    ObjectRow(
        name="or",
        keys=("left", "right"),
        doc="At least one of the two expressions is true.",
    ),
    ObjectRow(name="not", keys=("child",), doc="The expression is not true."),
    ObjectRow(name="reference", keys=("term",), doc="A column by its name."),
    ObjectRow(
        name="transform",
        keys=("transform", "term"),
        doc="The result of a transform of a column, such as bucket[16].",
    ),
)
"""The other objects of expressions.

Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Appendix C: Expressions"
"""
