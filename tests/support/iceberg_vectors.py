"""Reading the language-neutral cases of the corpus: their expressions, values and statistics."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
import pyarrow as pa

from byteloom.iceberg.arrow_types import arrow_field, arrow_type
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
from byteloom.iceberg.expressions.binding import bind_reference
from byteloom.iceberg.expressions.manifests import FieldSummaries
from byteloom.iceberg.expressions.stats import Counts, FieldStats, Spans
from byteloom.iceberg.partition_spec import PartitionField, PartitionSpec
from byteloom.iceberg.transforms import parse_transform
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.types import (
    DecimalType,
    FixedType,
    NestedType,
    StructType,
    Type,
    parse_primitive,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import NestedField

__all__ = [
    "VectorStats",
    "expression",
    "partition_spec",
    "struct",
    "summaries",
    "type_of",
    "value",
]

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


def type_of(name: str, held: Any) -> Type:
    """Return the type of that name; one without its parameters takes those of the value."""
    if name == "decimal":
        return DecimalType(38, max(0, -held.as_tuple().exponent))
    return FixedType(len(held)) if name == "fixed" else parse_primitive(name)


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
        """What the file says of a column."""
        lower, upper = (self._bound(name, field_id) for name in ("lower_bounds", "upper_bounds"))
        return FieldStats(
            value_count=self._count("value_counts", field_id),
            null_count=self._count("null_value_counts", field_id),
            nan_count=self._count("nan_value_counts", field_id),
            lower=lower,
            upper=upper,
        )

    def _count(self, name: str, field_id: int) -> Counts:
        """A count, -1 where it is unknown."""
        return np.array([self.document.get(name, {}).get(str(field_id), -1)], np.int64)

    def _bound(self, name: str, field_id: int) -> Spans:
        """A bound, if it is known."""
        stated = self.document.get(name, {}).get(str(field_id))
        return Spans.of([None if stated is None else bytes.fromhex(stated)])


def partition_spec(fields: list[dict[str, Any]], schema: Schema) -> PartitionSpec:
    """Return the spec that a vector writes: its fields count from 1000."""
    return PartitionSpec(
        tuple(
            PartitionField(
                bind_reference(each["source"], schema).path[-1:],
                1000 + number,
                each["name"],
                parse_transform(each["transform"]),
            )
            for number, each in enumerate(fields)
        )
    )


def summaries(spec: PartitionSpec, manifest: dict[str, Any]) -> dict[int, FieldSummaries] | None:
    """Return what a vector's manifest says of its partition values; None if it says nothing."""
    if manifest.get("partitions") is None:
        return None
    stated = zip(spec.fields, manifest["partitions"], strict=False)
    return {field.field_id: _summary(each) for field, each in stated}


def _summary(message: dict[str, Any]) -> FieldSummaries:
    """The summary of one partition field, of one manifest."""
    nan = message.get("contains_nan")
    lower, upper = (
        Spans.of([None if message[side] is None else bytes.fromhex(message[side])])
        for side in ("lower", "upper")
    )
    return FieldSummaries(
        np.array([message["contains_null"]]),
        np.array([-1 if nan is None else int(nan)], np.int8),
        lower,
        upper,
    )


def _column(field: NestedField, document: Any) -> pa.Array:
    """Return a column of the one value that a vector writes for a field."""
    if isinstance(field.type, StructType):
        held = [None] * len(field.type.fields) if document is None else document
        return struct(field.type, held, is_null=document is None)
    if isinstance(field.type, NestedType):
        return pa.nulls(1, arrow_type(field.type))
    return storage_array(field.type, [value(document)])


def struct(of: StructType, documents: list[Any], *, is_null: bool = False) -> pa.StructArray:
    """Return one struct of the values that a vector writes; it may leave out the last ones."""
    reported = list(zip(of.fields, documents, strict=False))
    columns = [_column(field, each) for field, each in reported]
    fields = [
        pa.field(field.name, made.type, metadata=arrow_field(field).metadata)
        for (field, _), made in zip(reported, columns, strict=True)
    ]
    return pa.StructArray.from_arrays(columns, fields=fields, mask=pa.array([is_null]))
