"""What all sources share: pushed filters, partitions, batches and columns as Spark needs them.

Source: https://spark.apache.org/docs/latest/api/python/tutorial/sql/python_data_source.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from byteloom.errors import ArgumentError, Unsupported
from byteloom.spark.arrow_schemas import conformed, spark_schema
from byteloom.spark.registering import is_unshared

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Batches",
    "Partition",
    "PushFilters",
    "Reader",
    "chosen_names",
    "refuse_writing",
    "undone",
]


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
    (`byteloom.spark.registering`).
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


def chosen_names(
    source: str,
    schema: StructType,
    columns: Sequence[str] | None,
    known: Callable[[Sequence[str] | None], pa.Schema],
) -> Sequence[str] | None:
    """Return the columns to read for *schema*: the source's own, a user's, or those a query needs.

    Args:
        columns: The columns that an option names; None for all.
        known: Returns the source's columns with these names, with Arrow's types; all for None.

    Returns:
        None for all.

    Raises:
        ArgumentError: A column that the source lacks, or whose type differs.
    """
    own = spark_schema(known(columns))
    if columns is None and list(schema.names) != list(own.names):
        columns = tuple(schema.names)
        own = spark_schema(known(columns))
    elif columns is not None and set(schema.names) < set(own.names):
        columns = tuple(each for each in columns if known((each,)).names[0] in schema.names)
        own = spark_schema(known(columns))
    if list(schema.names) != list(own.names):
        found, wanted = ", ".join(schema.names), ", ".join(own.names)
        raise ArgumentError(f"{source} schema", None, found, f"the columns {wanted}")
    for given, each in zip(schema.fields, own.fields, strict=True):
        found, wanted = given.dataType.simpleString(), each.dataType.simpleString()
        if found != wanted:
            raise ArgumentError(f"{source} schema.{given.name}", None, found, wanted)
    return columns


_LATEST: Final = 2.5
"""Seconds. Spark kills a cancelled task's Python after two (``spark.python.task.killTimeout``)."""

_PAUSE: Final = 0.5
"""Seconds between two attempts."""


def undone(undo: Callable[[], None]) -> None:
    """Call *undo* repeatedly until no task of the job can still be writing."""
    end = monotonic() + _LATEST
    undo()
    while monotonic() < end:
        sleep(_PAUSE)
        undo()
