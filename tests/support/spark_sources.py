"""Sources of Spark without Spark: what its planner and its executors do, in this process."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from byteloom.spark import register
from byteloom.spark.errors import plain_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "elsewhere",
    "partitions_of",
    "plain_errors",
    "planned",
    "registered",
    "rows_of",
    "sources",
]


class _Session:
    """What `register` needs of a session, which keeps the sources."""

    def __init__(self) -> None:
        self.sources: dict[str, Any] = {}
        self.dataSource = self.conf = self  # as Spark names it
        self.getAll: dict[str, str] = {}

    def register(self, source: Any) -> None:
        """Keep a source."""
        self.sources[source.name()] = source

    def set(self, name: str, value: str) -> None:
        """Take a setting."""


def sources() -> dict[str, Any]:
    """Return the sources that a session gets, by name."""
    session: Any = _Session()
    register(session)
    return dict(session.sources)


def registered(name: str) -> Any:
    """Return the source that a session gets by this name."""
    return sources()[name]


def elsewhere(value: Any) -> Any:
    """A value as another process receives it, by pickle."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301  our own bytes


def planned(name: str, filters: Sequence[Any] = (), **options: str) -> tuple[Any, list[Any]]:
    """Return a reader as it is planned, and the filters that Spark has to ask."""
    made = elsewhere(registered(name)(options))
    schema = elsewhere(made).schema()
    reader = elsewhere(made).reader(StructType.fromJson(schema.jsonValue()))
    return reader, list(reader.push(list(filters)))


def partitions_of(reader: Any) -> list[Any]:
    """Return the partitions as executors get them."""
    return [elsewhere(each) for each in reader.partitions()]


def rows_of(reader: Any) -> pa.Table:
    """Return the rows of all partitions, each read by a copy of the reader."""
    schema = to_arrow_schema(reader.schema, timezone="UTC")
    batches = [batch for each in partitions_of(reader) for batch in elsewhere(reader).read(each)]
    assert all(batch.schema.equals(schema) for batch in batches)
    return pa.Table.from_batches(batches, schema=schema)
