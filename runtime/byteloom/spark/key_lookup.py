"""Look up the places of records by many keys, in the record index of a Hudi table.

- Keys go to the task that has their file group: each is opened by one task, and of its base file
  only the blocks are read that may hold a key.
- Keys and places stay Arrow data in every step, in Spark's UDFs and table functions on Arrow, which
  do not need pandas, as functions that map whole DataFrames do.

Source: https://hudi.apache.org/docs/indexes#record-index
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.hudi import MetadataTable
from byteloom.hudi import keys as key_of
from byteloom.hudi.records import LOCATIONS
from byteloom.spark.arrow_schemas import conformed, spark_schema, wanted_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


__all__ = ["record_locations"]

_INDEX: Final = "record_index"


def record_locations(
    keys: DataFrame,
    table: str,
    key_column: str | None = None,
    *,
    partition: str | None = None,
    storage: Mapping[str, str] | None = None,
) -> DataFrame:
    """Return where the records with some keys are: key, partition, file_id, instant, position.

    Args:
        keys: A DataFrame with a column of record keys.
        table: The path or URL of the Hudi table.
        key_column: Name of that column; None for the only one.
        partition: The partition whose records are wanted; None for all.
        storage: Options of filesystems, as for ``byteloom.hudi``.

    Returns:
        A row for each key in the index, as from `MetadataTable.record_index`; join it with
        *keys* to find the keys that are not in the index.

    Raises:
        FormatError: The table has no record index.
    """
    from pyspark.sql.functions import arrow_udtf, col

    from byteloom.spark.sources.hudi import opened

    found = opened(table, storage or {})
    groups = len(found.slices(_INDEX))
    column = col(keys.columns[0] if key_column is None else key_column).cast("string").alias("key")
    asked = keys.select(column).where("key is not null").distinct()
    dealt = asked.repartition(groups, _group_of(groups)("key"))
    lookup = arrow_udtf(_lookup(found, partition), returnType=spark_schema(LOCATIONS))
    result: DataFrame = lookup(dealt.asTable())
    return result


def _group_of(groups: int) -> Any:
    """Return the UDF that returns the number of the file group of each key."""
    from pyspark.sql.functions import arrow_udf

    def group_of(keys: pa.Array) -> pa.Array:
        return pa.array(key_of.file_groups(keys, groups), pa.int64())

    return arrow_udf(group_of, "bigint")


def _lookup(table: MetadataTable, partition: str | None) -> type:
    """Return the table function that looks keys up."""

    class Lookup:
        def eval(self, batch: pa.RecordBatch) -> Iterator[pa.Table]:
            found = table.record_index(batch.column("key"), partition=partition)
            schema = wanted_schema(LOCATIONS)
            yield pa.Table.from_batches(conformed(found.to_batches(), schema), schema=schema)

    return Lookup
