"""Lets every Spark session find ``byteloom.hudi``: see `byteloom.spark.registering`."""

from byteloom.spark.sources.hudi import HudiSource as DefaultSource

__all__ = ["DefaultSource"]
