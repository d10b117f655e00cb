"""Lets every Spark session find ``byteloom.puffin``: see `byteloom.spark.registering`."""

from byteloom.spark.sources.puffin import PuffinSource as DefaultSource

__all__ = ["DefaultSource"]
