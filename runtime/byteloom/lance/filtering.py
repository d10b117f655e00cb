"""Filters of rows: which columns they use, and which rows of a batch match.

Lance does not define a form of filters.  A scan takes expressions of `byteloom.iceberg`, and their
text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.lance.choosing import chosen
from byteloom.lance.extensions import extended_schema
from byteloom.lance.types import arrow_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.expressions.on_arrow import ArrowCondition
    from byteloom.lance.fields import Field

__all__ = ["Condition", "Filter", "condition_of"]


Filter: TypeAlias = "Expression | str"
"""A condition on rows, as `byteloom.iceberg.parse` and `col` make it, or its text."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter on the rows of a file or a dataset.

    Attributes:
        fields: The fields that it uses.
        schema: The schema of these fields, with storage types.
    """

    fields: list[Field]
    schema: pa.Schema
    _bound: ArrowCondition

    def rows(self, arrays: Sequence[pa.Array], count: int) -> np.ndarray:
        """Return the numbers of the rows that match, ascending.

        Args:
            arrays: The columns of `fields`.
            count: How many rows they have.
        """
        batch = pa.RecordBatch.from_arrays(list(arrays), schema=self.schema)
        if not arrays:
            batch = pa.record_batch({"": pa.nulls(count)})
        found: Any = self._bound.matches(batch)
        return np.flatnonzero(found.to_numpy(zero_copy_only=False))


def condition_of(filter_: Filter | None, fields: Sequence[Field]) -> Condition | None:
    """Return *filter_* bound to the top-level *fields*; None for no filter.

    Raises:
        ArgumentError: For anything but a filter, and for one that does not fit the fields.
    """
    if filter_ is None:
        return None
    from byteloom.iceberg.expressions.on_arrow import ArrowCondition
    from byteloom.iceberg.expressions.text import as_expression

    bound = ArrowCondition(as_expression(filter_), extended_schema(arrow_schema(fields)))
    used = chosen(fields, bound.columns)
    return Condition(used, arrow_schema(used), bound)
