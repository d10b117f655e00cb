"""The metadata table of Apache Hudi: what it knows of a table's files, columns and keys.

    MetadataTable  a table's metadata table: slices, merged rows, listings
    FileSlice      the files of one file group that are read together
    Rows           keys and values as stored

Source: https://hudi.apache.org/docs/metadata
"""

from byteloom.hfile.hudi.slices import FileSlice
from byteloom.hfile.hudi.table import MetadataTable, Rows

__all__ = ["FileSlice", "MetadataTable", "Rows"]
