"""The common part of readers: pushed filters, partitions, and batches as Spark needs them.

Source: https://spark.apache.org/docs/latest/api/python/tutorial/sql/python_data_source.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from byteloom.errors import Unsupported
from byteloom.spark.arrow_schemas import conformed
from byteloom.spark.scan_rule import is_unshared

__all__ = ["Batches", "Partition", "PushFilters", "Reader", "refuse_writing"]


def refuse_writing(name: str) -> NoReturn:
    """Refuse to write to the source *name*."""
    wanted = "byteloom.hfile or byteloom.lance, which can be written"
    raise Unsupported(name, None, "a DataFrame to write", wanted)


class Partition(InputPartition):
    """The rows that one task reads.

    Attributes:
        value: Made by the reader; keep it small, since it is pickled and sent to the executor.
    """


class PushFilters:
    """A reader's ``pushFilters``, which Spark calls only if pushdown is switched on.

    If it is off, as by default, Spark refuses every reader that defines a method of that name.
        It looks at the method's ``__func__``, which here is that of the base class.
    Filters are used only for scans that share nothing with other scans
    (`byteloom.spark.scan_rule`).
    """

    __func__ = staticmethod(DataSourceReader.pushFilters)

    def __init__(self, push: Callable[[list[Any]], Iterable[Any]]) -> None:
        """Keep the method to be called."""
        self._push = push

    def __call__(self, filters: list[Any]) -> Iterable[Any]:
        """Return those of *filters* that Spark still has to evaluate."""
        return self._push(filters)


class Batches:
    """Reads the partitions of a source, in executors; it is pickled once for each query.

    Attributes:
        schema: Spark's schema of the rows.
    """

    def __init__(self, schema: StructType) -> None:
        """Keep the schema that Spark requested."""
        self.schema = schema

    def batches(self, value: Any) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition, with the columns of the schema in its order."""
        raise NotImplementedError

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition in the form that Spark needs."""
        if partition.value is None:  # Spark's own partition, for a source without partitions
            return iter(())
        wanted = to_arrow_schema(self.schema, timezone="UTC")
        return conformed(self.batches(partition.value), wanted)


class Reader(Batches, DataSourceReader):
    """A reader of rows; filters used by `push` affect its partitions and its executors."""

    @property
    def pushFilters(self) -> PushFilters:  # noqa: N802  (Spark's name)
        """The method that Spark calls with filters."""
        return PushFilters(self.push if is_unshared(self.schema) else list)

    def push(self, filters: list[Any]) -> Iterable[Any]:
        """Use some filters, and return those that Spark must still evaluate: by default all."""
        return filters

    def partitions(self) -> Sequence[InputPartition]:
        """Return the work of each task; changes made here to the reader do not reach executors."""
        return [Partition(each) for each in self.values()]

    def values(self) -> Iterable[Any]:
        """Return the value of each partition."""
        raise NotImplementedError
