"""Lets every Spark session find ``byteloom.records``: see `byteloom.spark.registering`."""

from byteloom.spark.sources.records import RecordsSource as DefaultSource

__all__ = ["DefaultSource"]
