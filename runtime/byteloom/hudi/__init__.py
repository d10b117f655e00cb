"""The metadata table of Apache Hudi: indexes of a table's files, columns and keys.

- `MetadataTable`: a table's metadata table: slices, merged rows, listings; where records are, what
  values columns have, which records have a value, which file may have a key.
- `audit`: checks its indexes against the data, and gives an `Audit` of `Finding`.
- `FileSlice`: the files of one file group that are read together.
- `Rows`: keys and values as stored.
- `keys`: the module for the keys of indexes, and the file group of a key.

Example:
    The command `byteloom samples` writes this table.

    >>> from byteloom.hudi import MetadataTable, audit
    >>> orders = MetadataTable.open("byteloom-samples/orders.hudi")
    >>> orders.record_index(["42"])["partition"].to_pylist()
    ['CA']
    >>> audit(orders).is_clean
    True

The checks of `audit` are imported when it is first asked for.

Source: https://hudi.apache.org/docs/metadata
"""

from typing import TYPE_CHECKING, Any

from byteloom.hudi import keys
from byteloom.hudi.findings import Audit, Finding, Skipped
from byteloom.hudi.merge import Rows
from byteloom.hudi.slices import FileSlice
from byteloom.hudi.table import MetadataTable

if TYPE_CHECKING:
    from byteloom.hudi.auditing import audit

__all__ = ["Audit", "FileSlice", "Finding", "MetadataTable", "Rows", "Skipped", "audit", "keys"]


def __getattr__(name: str) -> Any:
    """Import `audit` when it is first used."""
    if name != "audit":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from byteloom.hudi.auditing import audit

    return globals().setdefault(name, audit)


def __dir__() -> list[str]:
    return __all__
