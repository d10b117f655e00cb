"""Lets every Spark session find ``byteloom.lance``: see `byteloom.spark.registering`."""

from byteloom.spark.sources.lance import LanceSource as DefaultSource

__all__ = ["DefaultSource"]
