# Written by byteloom-codegen from specs/iceberg/expressions.yaml; do not edit.
# To change it, edit that file and generate again.
"""An expression says which rows are wanted. It is true or false of every row: null
and NaN satisfy no comparison. As JSON (Appendix C) it is true, false, or an
object whose `type` says what it is.

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
    """The operation that asks for the opposite."""

    text: str
    """How text writes it, after the term."""

    doc: str
    """Its meaning."""

    key: str | None = None
    """The key of its literal, or of its literals, beside `term`; none where it takes
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
        name="lt", negated="gt-eq", key="value", text="<", doc="The value is less."
    ),
    OperationRow(
        name="lt-eq",
        negated="gt",
        key="value",
        text="<=",
        doc="The value is less or equal.",
    ),
    OperationRow(
        name="gt", negated="lt-eq", key="value", text=">", doc="The value is greater."
    ),
    OperationRow(
        name="gt-eq",
        negated="lt",
        key="value",
        text=">=",
        doc="The value is greater or equal.",
    ),
    OperationRow(
        name="eq",
        negated="not-eq",
        key="value",
        text="=",
        doc="The value is equal; -0.0 is equal to 0.0.",
    ),
    OperationRow(
        name="not-eq",
        negated="eq",
        key="value",
        text="!=",
        takes_null=True,
        takes_nan=True,
        doc="The value is not equal.",
    ),
    OperationRow(
        name="in",
        negated="not-in",
        key="values",
        text="in",
        doc="The value is equal to one of them.",
    ),
    OperationRow(
        name="not-in",
        negated="in",
        key="values",
        text="not in",
        takes_null=True,
        takes_nan=True,
        doc="The value is equal to none of them.",
    ),
    OperationRow(
        name="starts-with",
        negated="not-starts-with",
        key="value",
        text="starts with",
        doc="The text begins with it.",
    ),
    OperationRow(
        name="not-starts-with",
        negated="starts-with",
        key="value",
        text="not starts with",
        takes_null=True,
        doc="The text does not begin with it.",
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
    ObjectRow(name="and", keys=("left", "right"), doc="Both hold."),
    ObjectRow(name="or", keys=("left", "right"), doc="One of them holds, or both."),
    ObjectRow(name="not", keys=("child",), doc="It does not hold."),
    ObjectRow(name="reference", keys=("term",), doc="A column by its name."),
    ObjectRow(
        name="transform",
        keys=("transform", "term"),
        doc="What a transform, as bucket[16], makes of a column.",
    ),
)
"""The other objects of expressions.

Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Appendix C: Expressions"
"""
