"""Java Iceberg itself, in a process of its own: it makes tables, and shows their metadata tables.

Data files of its own tables are named and need not exist: what is made and read is metadata alone.
Tables of ours are read whole, by Java's generic readers.
"""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.java import JavaProgram

from byteloom.iceberg.arrow_types import arrow_schema
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.table import Table, open_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["JavaIceberg", "LiveTable", "canonical", "iceberg", "plain_type"]


class JavaIceberg(JavaProgram):
    """One Java machine; use it in a ``with`` block, or close it."""

    project = "iceberg"

    def create(
        self,
        folder: Path,
        columns: Sequence[Mapping[str, Any]],
        partitions: Sequence[tuple[int, str, str]] = (),
        *,
        version: int = 2,
    ) -> LiveTable:
        """Make a table in *folder*.

        columns     fields of the schema, as JSON
        partitions  source id, name and transform
        """
        fields = [
            {"source-id": source, "field-id": 1000 + at, "name": name, "transform": transform}
            for at, (source, name, transform) in enumerate(partitions)
        ]
        table = LiveTable(self, folder)
        schema = {"type": "struct", "schema-id": 0, "fields": list(columns)}
        table.order("create", schema=schema, spec={"spec-id": 0, "fields": fields}, version=version)
        return table

    def opened(self, table: Table) -> LiveTable:
        """Take over a table of ours in a folder, whose files Java reads and changes."""
        made = LiveTable(self, Path(table.metadata.location))
        made.order("open", metadata=table.metadata_location)
        return made


class LiveTable:
    """A table that Java changes."""

    def __init__(self, java: JavaIceberg, folder: Path) -> None:
        """Begin without metadata."""
        self._java = java
        self._folder = folder
        self._metadata = ""

    def order(self, name: str, **settings: Any) -> None:
        """Change it: ``alter``, ``respec``, ``commit``, ``upgrade`` of `Tables.java`."""
        answer = self._java.order(name, folder=self._folder, **settings)
        self._metadata = answer["metadata"]

    def open(self) -> Table:
        """Open it as it is now."""
        return open_table(self._metadata.removeprefix("file:"))

    def plan(self) -> dict[str, list[str]]:
        """Return the data files that Java plans, and the delete files that apply to each."""
        tasks: dict[str, list[str]] = self._java.order("plan", folder=self._folder)["tasks"]
        return tasks

    def read(self, schema: pa.Schema, **settings: Any) -> list[str]:
        """Return the rows that Java reads, in the form of `canonical`.

        schema    of the rows
        settings  ``snapshot``, ``filter`` (an expression as JSON)
        """
        answer = self._java.order("read", folder=self._folder, **settings)
        return [_line(_by_type(row, pa.struct(schema))) for row in answer["rows"]]

    def rows(self, kind: str) -> tuple[pa.Schema, list[str]]:
        """Return the columns and rows of a metadata table by Java.

        raises  `JavaError` with what Java says
        """
        answer = self._java.order("rows", folder=self._folder, kind=kind)
        schema = arrow_schema(Schema.from_json(json.loads(answer["schema"])))
        return schema, [_line(_by_type(row, pa.struct(schema))) for row in answer["rows"]]


def canonical(table: pa.Table) -> list[str]:
    """Return the rows of a metadata table of ours, as `LiveTable.rows` has Java's."""
    return [_line(row) for row in _values(pa.array(table.to_struct_array().combine_chunks()))]


def plain_type(of: pa.DataType) -> Any:
    """A type in which wide and narrow forms are alike, and nothing says what may be null."""
    if pa.types.is_struct(of):
        return [(each.name, plain_type(each.type)) for each in of]
    if pa.types.is_map(of):
        return ("map", plain_type(of.key_type), plain_type(of.item_type))
    if pa.types.is_list(of) or pa.types.is_large_list(of):
        return ("list", plain_type(of.value_type))
    return str(of).removeprefix("large_")


def _line(row: Any) -> str:
    return json.dumps(row, sort_keys=True)


def _values(array: pa.Array) -> list[Any]:
    """Values as `Values.java` writes them."""
    of = array.type
    rows: list[Any]
    if pa.types.is_struct(of):
        columns = [_values(each) for each in array.flatten()]
        rows = [dict(zip(of.names, each, strict=True)) for each in zip(*columns, strict=True)]
        rows = rows or [{} for _ in array]
    elif pa.types.is_map(of):
        keys, items = _values(array.keys), _values(array.items)
        pairs = list(zip(keys, items, strict=True))
        rows = [sorted(map(list, pairs[start:end])) for start, end in _ranges(array)]
    elif pa.types.is_list(of) or pa.types.is_large_list(of):
        held = _values(array.values)
        rows = [held[start:end] for start, end in _ranges(array)]
    elif pa.types.is_temporal(of):
        return [each.value for each in array]
    else:
        return [None if each is None else _plain(each, of) for each in array.to_pylist()]
    return [row if valid else None for row, valid in zip(rows, array.is_valid(), strict=True)]


def _ranges(array: pa.Array) -> list[tuple[int, int]]:
    """Where the items of each list are."""
    return list(pairwise(array.offsets.to_pylist()))


def _plain(value: Any, of: pa.DataType) -> Any:
    """A value that is not null."""
    if pa.types.is_floating(of):
        return repr(np.float32(value) if pa.types.is_float32(of) else float(value))
    if pa.types.is_decimal(of):
        return f"{Decimal(value):f}"
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, int) else str(value)


def _by_type(value: Any, of: pa.DataType) -> Any:
    """A value by Java, with numbers in one form and the pairs of maps in order."""
    if value is None:
        return None
    if pa.types.is_struct(of):
        return {each.name: _by_type(value[each.name], each.type) for each in of}
    if pa.types.is_map(of):
        types = (of.key_type, of.item_type)
        return sorted(
            [_by_type(each, type_) for each, type_ in zip(pair, types, strict=True)]
            for pair in value
        )
    if pa.types.is_list(of) or pa.types.is_large_list(of):
        return [_by_type(each, of.value_type) for each in value]
    is_text = isinstance(value, str) and not pa.types.is_binary(of)
    return _plain(value, of) if is_text and not pa.types.is_large_binary(of) else value


@pytest.fixture(scope="session")
def iceberg() -> Iterator[JavaIceberg]:
    """Java Iceberg, for all tests of a process that are marked ``peer("iceberg")``."""
    with JavaIceberg() as peer:
        yield peer
