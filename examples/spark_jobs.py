"""All jobs on Spark, on a small Iceberg table: `python examples/spark_jobs.py [FOLDER]`.

1. Sketches the distinct values of every column into a Puffin file.
2. Plans a query, as a DataFrame.
3. Exports the rows to a Lance dataset.
4. Builds an index of keys as HFiles, and looks some of them up.
5. Audits everything that was written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from byteloom.cli.sample_files import write_samples
from byteloom.hfile import HFileFolder
from byteloom.iceberg import open_table
from byteloom.spark import session
from byteloom.spark.jobs import audit, ndv, plan, to_hfile, to_lance

__all__ = ["main"]


def main(folder: Path) -> None:
    """Run all jobs on a table that is written into *folder*."""
    write_samples(folder)
    table = open_table(folder / "orders")
    spark = session()

    statistics = ndv(spark, table, output=str(folder / "orders.stats"))
    for column in statistics.columns:
        print(f"{column.name}: {column.sketch.estimate:.0f} distinct values")

    files = plan(spark, table.scan("id > 800"))
    files.select("record_count", "residual", "deletes.file_path").show(truncate=60)

    dataset = to_lance(spark, table.scan(), folder / "exported.lance")
    print(f"{dataset.count()} rows in version {dataset.version} of {dataset.folder}")

    rows = spark.read.format("byteloom.iceberg").load(str(folder / "orders"))
    keys = rows.selectExpr("format_string('order-%05d', id) as key", "country")
    to_hfile(spark, keys, str(folder / "by-key"), key="key", value="country", partitions=2)
    with HFileFolder(folder / "by-key") as index:
        found = index.lookup(["order-00042", "order-00007"], ["row", "value"])
        print(found.to_pylist())

    checked = audit(spark, str(folder))
    print(", ".join(f"{count} {status}" for status, count in checked.counts.items()))
    checked.findings.show()


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary))
