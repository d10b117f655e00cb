"""Readers, writers and columnar scanners for the file formats under the lakehouse.

Importing this package loads nothing but itself: each format is a module of its own, such as
``byteloom.puffin``, and whatever a module needs is loaded with that module.
"""

__version__ = "0.1.0"
