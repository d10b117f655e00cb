"""The metadata table of Apache Hudi: indexes of a table's files, columns and keys.

    MetadataTable  a table's metadata table: slices, merged rows, listings; where records are, what
                   values columns have, which records have a value, which file may have a key
    audit          checks its indexes against the data, and gives an `Audit` of `Finding`
    FileSlice      the files of one file group that are read together
    Rows           keys and values as stored
    keys           (module) the keys of indexes, and the file group of a key

Source: https://hudi.apache.org/docs/metadata
"""

from byteloom.hudi import keys
from byteloom.hudi.audit import audit
from byteloom.hudi.findings import Audit, Finding, Skipped
from byteloom.hudi.merge import Rows
from byteloom.hudi.slices import FileSlice
from byteloom.hudi.table import MetadataTable

__all__ = ["Audit", "FileSlice", "Finding", "MetadataTable", "Rows", "Skipped", "audit", "keys"]


def __dir__() -> list[str]:
    return __all__
