"""A job for a cluster: `spark-submit --master spark://HOST:7077 spark_cluster.py TABLE FOLDER`.

TABLE is an Iceberg table with the columns of the sample `orders`, FOLDER a folder that exists.
Driver and executors see both by the same paths or URLs.

1. Sums a column by another one: Spark reads the table through byteloom's source.
2. Sketches the distinct values of every column into a Puffin file.
3. Exports the rows to a Lance dataset.
4. Builds an index of keys as HFiles.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from byteloom.iceberg import open_table
from byteloom.spark import register, ship
from byteloom.spark.jobs import ndv, to_hfile, to_lance

__all__ = ["main"]


def main(place: str, folder: str) -> None:
    """Run all of it on the table at *place*; write into *folder*."""
    spark = SparkSession.builder.appName("orders").getOrCreate()  # as `spark-submit` was asked for
    register(spark)  # before the first query, so that byteloom sees its filter and its columns
    ship(spark)  # to executors without byteloom; where it is installed, leave this out

    rows = spark.read.format("byteloom.iceberg").load(place)
    for country, cents in sorted(rows.groupBy("country").sum("cents").collect()):
        print(country, cents)

    table = open_table(place)
    for column in ndv(spark, table, output=f"{folder}/orders.stats").columns:
        print(f"{column.name}: {column.sketch.estimate:.0f} distinct values")
    print(to_lance(spark, table.scan(), f"{folder}/orders.lance").count(), "rows in Lance")
    keys = rows.selectExpr("format_string('order-%05d', id) as key", "country")
    to_hfile(spark, keys, f"{folder}/by-key", key="key", value="country")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
