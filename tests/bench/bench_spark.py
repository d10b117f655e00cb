"""Reading Iceberg and Lance in Spark, beside a Python source that yields ready-made batches.

    make peers && make bench ONLY=spark.py

- 20 million rows of four columns, on two cores: counted, and summed by key.
- One peer does nothing but yield the same batches again and again.  Spark asks it for all columns,
  as it does any Python source; ours are asked for those that the query needs.
- Beside that, the same batches with those columns alone: no source in Python can be faster.  Where
  we are slower than that, a source that does nothing but decode the Parquet files with pyarrow's
  own reader shows how much of it is decoding.
- Spark's own reader of the Parquet files.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.dataset import dataset
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


def ready_made(spark: Any, parts: int, schema: str) -> Any:
    """A DataFrame of as many rows, whose source has its batches before it is asked."""
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    whole = rows(0, BATCH).combine_chunks().to_batches()[0]

    class Reader(DataSourceReader):  # type: ignore[misc]  # pyspark has no types here
        def __init__(self, schema: Any) -> None:
            self.batch = whole.select(schema.names)

        def partitions(self) -> list[InputPartition]:
            cuts = [number * ROWS // parts for number in range(parts + 1)]
            return [InputPartition(stop - start) for start, stop in pairwise(cuts)]

        def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
            left = partition.value
            while left:
                yield self.batch.slice(0, left)
                left -= min(left, BATCH)

    class Ready(DataSource):  # type: ignore[misc]  # nor here
        @classmethod
        def name(cls) -> str:
            return "ready"

        def reader(self, schema: Any) -> Reader:
            return Reader(schema)

    spark.dataSource.register(Ready)
    return spark.read.format("ready").schema(schema).load()


def decoded(spark: Any, groups: list[list[str]], schema: str) -> Any:
    """A DataFrame of Parquet files, whose source hands on what pyarrow's own reader yields."""
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
    from pyspark.sql.pandas.types import to_arrow_schema

    class Reader(DataSourceReader):  # type: ignore[misc]  # nor here
        def __init__(self, schema: Any) -> None:
            self.wanted = to_arrow_schema(schema, timezone="UTC")

        def partitions(self) -> list[InputPartition]:
            return list(map(InputPartition, groups))

        def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
            files = dataset(partition.value)
            names = self.wanted.names
            for each in files.to_batches(columns=names, use_threads=False, batch_size=BATCH):
                yield pa.RecordBatch.from_arrays(each.columns, schema=self.wanted)

    class Decoded(DataSource):  # type: ignore[misc]  # nor here
        @classmethod
        def name(cls) -> str:
            return "decoded"

        def reader(self, schema: Any) -> Reader:
            return Reader(schema)

    spark.dataSource.register(Decoded)
    return spark.read.format("decoded").schema(schema).load()


COLUMNS = [(1, "id", "long"), (2, "key", "int"), (3, "value", "double"), (4, "text", "string")]
ALL = "id long, key int, value double, text string"
QUERIES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "count": (lambda table: table.count(), "key int"),
    "sum by key": (
        lambda table: table.groupBy("key").sum("value").collect(),
        "key int, value double",
    ),
    "longest text": (
        lambda table: table.selectExpr("sum(value)", "max(text)").collect(),
        "value double, text string",
    ),
    "all columns": (
        lambda table: table.selectExpr("sum(id)", "sum(key)", "sum(value)", "max(text)").collect(),
        ALL,
    ),
}
"""For each query what runs it, and the columns that it needs; a count needs any."""


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
    groups = [list(map(str, each)) for each in np.array_split(sorted(folder.iterdir()), 6)]
    others = {
        "pyarrow's own reader as a source": lambda schema: decoded(spark, groups, schema),
        "Spark's own Parquet": lambda _: spark.read.parquet(str(folder)),
    }
    show(spark, "Iceberg", table, others)


def test_lance(spark: Any, tmp_path: Path) -> None:
    """Prints the times to read a Lance dataset of eight fragments."""
    batches = (each for some in parts() for each in some.to_batches())
    lance.write_dataset(tmp_path / "a", batches, max_rows_per_file=2_500_000)
    show(spark, "Lance", spark.read.format("byteloom.lance").load(str(tmp_path / "a")), {})


def show(spark: Any, name: str, table: Any, others: dict[str, Callable[[str], Any]]) -> None:
    """Ask all queries of a source, of ready-made batches and of other readers.

    others  for each name what makes a frame of some columns
    """
    parts = table.rdd.getNumPartitions()
    assert table.count() == ROWS
    for what, (query, schema) in QUERIES.items():
        made = {"ready-made batches of all columns": lambda _: ready_made(spark, parts, ALL)}
        if schema != ALL:
            made["ready-made batches of these columns"] = lambda of: ready_made(spark, parts, of)
        peers = [
            of_package(
                f"{peer}, Spark", "pyspark", seconds(partial(query, frame(schema))), ROWS / 1e6
            )
            for peer, frame in (made | others).items()
        ]
        ours = Side("byteloom", seconds(partial(query, table)), ROWS / 1e6)
        compared(f"{name} in Spark, 20 million rows, {what}", "M rows/s", ours, *peers)
