"""Lets every Spark session find ``byteloom.iceberg``: see `byteloom.spark.registering`."""

from byteloom.spark.sources.iceberg import IcebergSource as DefaultSource

__all__ = ["DefaultSource"]
