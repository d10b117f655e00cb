# Written by byteloom-codegen from specs/hfile/comparators.yaml; do not edit.
# To change it, edit that file and generate again.
"""The trailer names a Java class that compares keys. HBase 2 maps the names of
older versions to its own classes, and orders keys as in tables where there is
no name. Only the last part of a name is listed here: Hudi's bundles have
HBase's classes in packages of their own.

Source: https://github.com/apache/hbase/blob/rel/2.6.4/hbase-server/src/main/java/org/apache/hadoop/hbase/io/hfile/FixedFileTrailer.java
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["COMPARATORS", "Comparator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparator:
    """One class."""

    name: str
    """The last part of its name, after a dot or a dollar sign."""

    is_catalog: bool
    """Whether it orders rows as HBase's catalog does, by the parts between their
    commas.
    """

    doc: str
    """Who writes it."""


COMPARATORS: Final = (
    Comparator(
        name="KVComparator",
        is_catalog=False,
        doc="HBase since 0.98; HBase 2 writes this name too, so that HBase 1 reads its files.",
    ),
    Comparator(name="KeyComparator", is_catalog=False, doc="HBase before 0.98."),
    Comparator(
        name="CellComparator", is_catalog=False, doc="Early versions of HBase 2."
    ),
    Comparator(name="CellComparatorImpl", is_catalog=False, doc="HBase 2's own class."),
    Comparator(
        name="InnerStoreCellComparator",
        is_catalog=False,
        doc="HBase's own class since 2.5, for the files of a store.",
    ),
    Comparator(
        name="RawBytesComparator",
        is_catalog=False,
        doc="HBase before 0.98, in files without a table; HBase 2 orders them as those of tables.",
    ),
    Comparator(
        name="ByteArrayComparator",
        is_catalog=False,
        doc="HBase before 0.98, in files without a table, too.",
    ),
    Comparator(
        name="MetaComparator", is_catalog=True, doc="HBase since 0.98, for its catalog."
    ),
    Comparator(name="MetaKeyComparator", is_catalog=True, doc="HBase before 0.98."),
    Comparator(
        name="MetaCellComparator",
        is_catalog=True,
        doc="HBase 2's own class, by itself or within another one.",
    ),
    Comparator(name="HoodieHBaseKVComparator", is_catalog=False, doc="Hudi."),
    Comparator(
        name="HoodieKVComparator",
        is_catalog=False,
        doc="Hudi, for the index of a bootstrap.",
    ),
)
"""What HBase's readers accept, and what Hudi adds.

Source: https://github.com/apache/hbase/blob/rel/2.6.4/hbase-server/src/main/java/org/apache/hadoop/hbase/io/hfile/FixedFileTrailer.java "Class names"
"""
