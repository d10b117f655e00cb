"""Lets every Spark session find ``byteloom.hfile``: see `byteloom.spark.registering`."""

from byteloom.spark.sources.hfile import HFileSource as DefaultSource

__all__ = ["DefaultSource"]
