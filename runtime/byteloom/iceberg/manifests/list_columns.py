"""The columns of a manifest list: numbers as decoded, and a table made on demand.

Plans need numbers and paths of some manifests; metadata tables and `verify` need the table.

Source: Iceberg table spec, "Manifest Lists".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.manifests import fields
from byteloom.iceberg.manifests.arrow_columns import (
    list_array,
    long_lists,
    map_array,
    number_array,
    texts,
)
from byteloom.late import pc
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.stats import Spans
    from byteloom.iceberg.manifests.decoding import Decoded, Runs

__all__ = ["DEFAULTS", "ListColumns", "RecordColumns", "Summaries", "TableColumns"]

DEFAULTS: Final = {"content": 0, "sequence_number": 0, "min_sequence_number": 0}
"""The values that version 2 assumes for fields that version 1 does not write."""

_NUMBERS: Final = {each.name: each for each in fields.LIST if each.kind == "long"}
_SHORT: Final = [each.id for each in _NUMBERS.values() if each.arrow == pa.int32()]
_PATH: Final = next(each for each in fields.LIST if each.name == "manifest_path")
_INT: Final = np.iinfo(np.int32)


@dataclass(frozen=True, slots=True)
class Summaries:
    """Summaries of all partition fields of all manifests, one after the other."""

    runs: Runs
    contains_null: NDArray[np.int64]
    contains_nan: NDArray[np.int64]
    lower: Spans
    upper: Spans


class ListColumns(Protocol):
    """The columns of all manifests of a list."""

    @property
    def table(self) -> pa.Table:
        """A table with one row per manifest and the spec's names."""

    @property
    def paths(self) -> pa.Array | pa.ChunkedArray:
        """The column ``manifest_path``."""

    @property
    def summaries(self) -> Summaries | None:
        """The summaries of partition fields; None if there are none."""

    def numbers(self, name: str) -> NDArray[np.int64]:
        """Return a column of numbers; -1 for null."""

    def is_valid(self, name: str) -> NDArray[np.bool_]:
        """Return where a column of numbers is not null."""


class TableColumns:
    """The columns of an existing table."""

    summaries: Summaries | None = None

    def __init__(self, table: pa.Table) -> None:
        """Keep the table."""
        self.table = table

    @property
    def paths(self) -> pa.ChunkedArray:
        """The column ``manifest_path``."""
        return self.table.column(_PATH.name)

    def numbers(self, name: str) -> NDArray[np.int64]:
        """Return a column of numbers; -1 for null."""
        column = self.table.column(name)
        if column.null_count:
            column = pc.fill_null(column.cast(pa.int64()), -1)
        return np.asarray(column.to_numpy(), np.int64)

    def is_valid(self, name: str) -> NDArray[np.bool_]:
        """Return where a column of numbers is not null."""
        return np.asarray(self.table.column(name).is_valid().to_numpy())


class RecordColumns:
    """The columns of decoded records."""

    def __init__(self, decoded: Decoded, file: str) -> None:
        """Check the values; `FormatError` for a missing one, or one too large for the table.

        Args:
            file: The path of the list, for errors.
        """
        self._decoded, self._file = decoded, file
        for each in fields.LIST:
            if each.required and not (decoded.has(each.id) and decoded.are_valid(each.id)):
                raise FormatError(each.name, None, "nothing", f"a value of field {each.id}")
        self.paths: pa.Array = texts(decoded.spans(_PATH.id), _PATH.arrow, _PATH.name)
        short = np.concatenate([decoded.numbers(each) for each in _SHORT])
        if len(short) and not _INT.min <= short.min() <= short.max() <= _INT.max:
            _ = self.table  # this error names the number

    def numbers(self, name: str) -> NDArray[np.int64]:
        """Return a column of numbers; -1 for null."""
        found = self._decoded.numbers(_NUMBERS[name].id)
        if name not in DEFAULTS:
            return found
        return np.where(self._decoded.is_valid(_NUMBERS[name].id), found, DEFAULTS[name])

    def is_valid(self, name: str) -> NDArray[np.bool_]:
        """Return where a column of numbers is not null."""
        if name in DEFAULTS:
            return np.ones(self._decoded.rows, np.bool_)
        return self._decoded.is_valid(_NUMBERS[name].id)

    @cached_property
    def table(self) -> pa.Table:
        """A table with one row per manifest and the spec's names."""
        with about_file(self._file):
            return pa.table({each.name: self._column(each) for each in fields.LIST})

    @cached_property
    def summaries(self) -> Summaries | None:
        """The summaries of partition fields; None if there are none."""
        decoded = self._decoded
        if not decoded.has(fields.SUMMARIES):
            return None
        ids = {each.name: each.id for each in fields.SUMMARY}
        return Summaries(
            decoded.runs(fields.SUMMARIES),
            decoded.numbers(ids["contains_null"], decoded.inner),
            decoded.numbers(ids["contains_nan"], decoded.inner),
            decoded.spans(ids["lower_bound"], decoded.inner),
            decoded.spans(ids["upper_bound"], decoded.inner),
        )

    def _column(self, each: fields.Field) -> pa.Array:
        """Return a column of the table."""
        decoded = self._decoded
        if each is _PATH:
            return self.paths
        if each.kind == "long":
            numbers, valid = self.numbers(each.name), self.is_valid(each.name)
            return number_array(numbers, each.arrow, valid, each.name)
        if each.kind == "view":
            return texts(decoded.spans(each.id), each.arrow, each.name)
        runs = decoded.runs(each.id)
        if each.kind == "rows":
            inner = {each.name: self._inner(each) for each in fields.SUMMARY}
            return list_array(
                runs, pa.StructArray.from_arrays(list(inner.values()), names=list(inner))
            )
        if each.kind == "list":
            return long_lists(runs, decoded.items(each.id), each.arrow, each.name)
        data = decoded.data if each.kind == "map_bytes" else None
        return map_array(runs, decoded.items(each.id), each.arrow, each.name, data)

    def _inner(self, each: fields.Field) -> pa.Array:
        """Return a column of the summaries of all manifests, one manifest after the other."""
        decoded = self._decoded
        if each.kind == "view":
            return texts(decoded.spans(each.id, decoded.inner), each.arrow, each.name)
        numbers = decoded.numbers(each.id, decoded.inner)
        return number_array(numbers, each.arrow, numbers >= 0, each.name)
