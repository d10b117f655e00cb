"""HFile: the sorted key-value file of Apache HBase, and of Apache Hudi's metadata table.

    open   an HFile, by path, URL, file object or bytes, as an `HFile`
    HFile  its cells as Arrow: all, of a row, a range or a prefix; its file info and meta blocks

Source: https://hudi.apache.org/docs/hfile_format
"""

from byteloom.hfile.reader import HFile, open  # noqa: A004  as gzip.open and its like

__all__ = ["HFile", "open"]
