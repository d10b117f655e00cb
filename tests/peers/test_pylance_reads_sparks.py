"""Pylance reads what the Lance sink of Spark wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

if TYPE_CHECKING:
    from pathlib import Path


pylance = pytest.importorskip("lance")
pytest.importorskip("pyspark")


def written(place: Path, tables: list[pa.Table], *, overwrite: bool) -> None:
    """Write a version, a task for each of the tables."""
    from pyspark.sql.pandas.types import from_arrow_schema
    from tests.support.spark_sources import elsewhere

    from byteloom.spark.sources.lance import LanceSource

    schema = from_arrow_schema(tables[0].schema)
    sink: Any = LanceSource({"path": str(place), "version": "2.1"}).writer(schema, overwrite)
    parts = [elsewhere(sink).write(iter(each.to_batches())) for each in tables]
    elsewhere(sink).commit(parts)


def test_pylance_reads_versions_that_tasks_wrote(tmp_path: Path) -> None:
    """Pylance reads the versions that tasks of the Spark sink wrote, and appends to them."""
    table = pa.table({"id": pa.array(range(100)), "text": [f"text {n}" for n in range(100)]})
    place = tmp_path / "a"
    written(place, [table.slice(0, 60), table.slice(60)], overwrite=True)
    written(place, [table.slice(0, 7)], overwrite=False)
    peer = pylance.dataset(str(place))
    assert (peer.version, peer.count_rows()) == (2, 107)
    assert peer.to_table() == pa.concat_tables([table, table.slice(0, 7)]).combine_chunks()
    assert pylance.write_dataset(table, str(place), mode="append").count_rows() == 207
    assert pylance.dataset(str(place), version=1).to_table().num_rows == 100
