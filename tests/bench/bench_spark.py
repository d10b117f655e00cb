"""Reading Iceberg and Lance in Spark, beside a Python source that yields ready-made batches.

    make peers && make bench ONLY=spark.py

- 20 million rows of four columns, on two cores: counted, and summed by key.  The other source does
  nothing but yield the same batches again and again: no Python source can be faster in Spark.  All
  of these hand on all columns; Spark's own reader of the same Parquet files reads what it needs.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.iceberg_rows import TableMaker, parquet
from tests.support.speed import Side, compared, of_package, seconds

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = [pytest.mark.bench, pytest.mark.peer("pyspark")]

ROWS, PART, BATCH = 20_000_000, 1_000_000, 1 << 16

SCHEMA = pa.schema(
    [("id", pa.int64()), ("key", pa.int32()), ("value", pa.float64()), ("text", pa.string())]
)


def rows(start: int, count: int) -> pa.Table:
    """Numbered rows, a hundred keys, random numbers and short texts."""
    random = np.random.default_rng(start)
    texts = pa.array([f"text {number}" for number in range(1000)])
    columns = [
        pa.array(np.arange(start, start + count)),
        pa.array(random.integers(0, 100, count).astype(np.int32)),
        pa.array(random.random(count)),
        texts.take(pa.array(random.integers(0, 1000, count))),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def ready_made(spark: Any, parts: int) -> Any:
    """A DataFrame of as many rows, whose source has its batches before it is asked."""
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    batch = rows(0, BATCH).combine_chunks().to_batches()[0]

    class Reader(DataSourceReader):  # type: ignore[misc]  # pyspark has no types here
        def partitions(self) -> list[InputPartition]:
            cuts = [number * ROWS // parts for number in range(parts + 1)]
            return [InputPartition(stop - start) for start, stop in pairwise(cuts)]

        def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
            left = partition.value
            while left:
                yield batch.slice(0, left)
                left -= min(left, batch.num_rows)

    class Ready(DataSource):  # type: ignore[misc]  # nor here
        @classmethod
        def name(cls) -> str:
            return "ready"

        def schema(self) -> str:
            return "id bigint, key int, value double, text string"

        def reader(self, schema: Any) -> Reader:  # noqa: ARG002  (Spark gives it)
            return Reader()

    spark.dataSource.register(Ready)
    return spark.read.format("ready").load()


COLUMNS = [(1, "id", "long"), (2, "key", "int"), (3, "value", "double"), (4, "text", "string")]
QUERIES: dict[str, Callable[[Any], Any]] = {
    "count": lambda table: table.count(),
    "sum by key": lambda table: table.groupBy("key").sum("value").collect(),
    "longest text": lambda table: table.selectExpr("sum(value)", "max(text)").collect(),
}


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session on two cores."""
    from byteloom.spark import session

    found = session(cores=2, memory="2g")
    yield found
    found.stop()


def parts() -> Iterator[pa.Table]:
    """All rows in several tables."""
    return (rows(start, PART) for start in range(0, ROWS, PART))


def test_iceberg(spark: Any, tmp_path: Path) -> None:
    """Prints the times to read twenty Parquet files of an Iceberg table."""
    schema = pa.schema(
        field.with_metadata({"PARQUET:field_id": str(number)})
        for field, (number, _, _) in zip(SCHEMA, COLUMNS, strict=True)
    )
    folder = tmp_path / "data"
    files = [
        parquet(folder / f"{number}.parquet", each.cast(schema), compression="zstd")
        for number, each in enumerate(parts())
    ]
    TableMaker(tmp_path, COLUMNS).commit(*files).open()
    table = spark.read.format("byteloom.iceberg").load(str(tmp_path))
    show(spark, "Iceberg", table, {"Spark's own Parquet": spark.read.parquet(str(folder))})


def test_lance(spark: Any, tmp_path: Path) -> None:
    """Prints the times to read a Lance dataset of eight fragments."""
    batches = (each for some in parts() for each in some.to_batches())
    lance.write_dataset(tmp_path / "a", batches, max_rows_per_file=2_500_000)
    show(spark, "Lance", spark.read.format("byteloom.lance").load(str(tmp_path / "a")), {})


def show(spark: Any, name: str, table: Any, others: dict[str, Any]) -> None:
    """Ask all queries of a source, of ready-made batches and of other readers."""
    ready = ready_made(spark, table.rdd.getNumPartitions())
    assert table.count() == ready.count() == ROWS
    for what, query in QUERIES.items():
        peers = [
            of_package(f"{peer}, Spark", "pyspark", seconds(partial(query, frame)), ROWS / 1e6)
            for peer, frame in {"ready-made batches": ready, **others}.items()
        ]
        ours = Side("byteloom", seconds(partial(query, table)), ROWS / 1e6)
        compared(f"{name} in Spark, 20 million rows, {what}", "M rows/s", ours, *peers)
