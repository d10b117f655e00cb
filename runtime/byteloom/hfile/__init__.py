"""HFile: the sorted key-value file of Apache HBase, and of Apache Hudi's metadata table.

- `open`: an HFile, by path, URL, file object or bytes, as an `HFile`.
- `HFile`: its cells as Arrow: all, of rows, a range, a prefix; its file info and meta blocks.
- `HFileFolder`: files of a folder that are one sorted table, each with a range of rows.
- `Key`, `Cell`: the key of a cell, or the part of it that a seek needs; a whole cell.
- `Cursor`: a movable position in a file, like HBase's scanner.
- `BlockCache`: a cache of decoded blocks, which several files may share.
- `HFileWriter`: writes a file as HBase does, or for Hudi's metadata table.
- `BloomBuilder`: a Bloom filter of such a file, with settings of its own.
- `sorted_cells`: the cells of a table in HBase's order, as a writer wants them.

Example:
    >>> import pyarrow as pa
    >>> from byteloom import hfile
    >>> with hfile.HFileWriter("rows.hfile") as writer:
    ...     writer.write(pa.table({"row": ["a", "b"], "value": ["1", "2"]}))
    >>> with hfile.open("rows.hfile") as file:
    ...     file.lookup(["b", "c"], columns=["row", "value"]).to_pylist()
    [{'asked': 0, 'row': b'b', 'value': b'2'}]

Source: https://hudi.apache.org/docs/hfile_format
"""

from byteloom.hfile.bloom_build import BloomBuilder
from byteloom.hfile.cache import BlockCache
from byteloom.hfile.folder import HFileFolder
from byteloom.hfile.keys import Key
from byteloom.hfile.reader import HFile, open  # noqa: A004  as gzip.open and its like
from byteloom.hfile.seek import Cell, Cursor
from byteloom.hfile.writing import HFileWriter
from byteloom.hfile.writing.sorting import sorted_cells

__all__ = [
    "BlockCache",
    "BloomBuilder",
    "Cell",
    "Cursor",
    "HFile",
    "HFileFolder",
    "HFileWriter",
    "Key",
    "open",
    "sorted_cells",
]


def __dir__() -> list[str]:
    return __all__
