# Written by byteloom-codegen from specs/iceberg/table_properties.yaml; do not edit.
# To change it, edit that file and generate again.
"""Settings in a table's metadata that say how writers make files and commit them.
Every value is text in the metadata; the type says how it is read.

Source: https://iceberg.apache.org/docs/latest/configuration/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "COLUMN_PROPERTIES",
    "RESERVED_PROPERTIES",
    "TABLE_PROPERTIES",
    "TableProperty",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableProperty:
    """One property."""

    name: str
    """Its key."""

    type: str
    """How its text is read."""

    doc: str
    """What it says."""

    default: str | None = None
    """Its text if the table does not set it."""

    least: int | None = None
    """The lowest number that it may be."""

    values: tuple[str, ...] = ()
    """The values that byteloom writes; left out for any."""


TABLE_PROPERTIES: Final = (
    TableProperty(
        name="write.format.default",
        type="text",
        default="parquet",
        values=("parquet", "orc", "avro"),
        doc="The format of data files.",
    ),
    TableProperty(
        name="write.delete.format.default",
        type="text",
        values=("parquet", "orc", "avro"),
        doc="The format of delete files other than deletion vectors; that of data files if not set.",
    ),
    TableProperty(
        name="write.target-file-size-bytes",
        type="number",
        default="536870912",
        least=1,
        doc="Bytes after which a data file ends and the next one begins.",
    ),
    TableProperty(
        name="write.delete.target-file-size-bytes",
        type="number",
        default="67108864",
        least=1,
        doc="The same of a file of keys whose rows are deleted.",
    ),
    TableProperty(
        name="write.parquet.row-group-size-bytes",
        type="number",
        default="134217728",
        least=1,
        doc="Bytes of rows in memory that become one row group.",
    ),
    TableProperty(
        name="write.parquet.page-size-bytes",
        type="number",
        default="1048576",
        least=1,
        doc="Bytes of a page before compression.",
    ),
    TableProperty(
        name="write.parquet.dict-size-bytes",
        type="number",
        default="2097152",
        least=1,
        doc="Bytes of a dictionary, beyond which values are written without it.",
    ),
    TableProperty(
        name="write.parquet.page-row-limit",
        type="number",
        default="20000",
        least=1,
        doc="The most rows of a page.",
    ),
    TableProperty(
        name="write.parquet.page-version",
        type="text",
        default="v1",
        values=("v1", "v2"),
        doc="The form of data pages.",
    ),
    TableProperty(
        name="write.parquet.bloom-filter-max-bytes",
        type="number",
        default="1048576",
        least=32,
        doc="The most bytes of a Bloom filter.",
    ),
    TableProperty(
        name="write.parquet.compression-codec",
        type="text",
        default="zstd",
        values=("zstd", "gzip", "snappy", "lz4", "brotli", "uncompressed"),
        doc="The codec of pages.",
    ),
    TableProperty(
        name="write.parquet.compression-level",
        type="number",
        doc="The codec's level; its own default if not set.",
    ),
    TableProperty(
        name="write.orc.compression-codec",
        type="text",
        default="zlib",
        values=("zlib", "zstd", "snappy", "lz4", "none"),
        doc="The codec of ORC files.",
    ),
    TableProperty(
        name="write.orc.stripe-size-bytes",
        type="number",
        default="67108864",
        least=1,
        doc="Bytes of a stripe.",
    ),
    TableProperty(
        name="write.avro.compression-codec",
        type="text",
        default="gzip",
        values=("gzip", "zstd", "snappy", "uncompressed"),
        doc="The codec of Avro files.",
    ),
    TableProperty(
        name="write.avro.compression-level",
        type="number",
        doc="The level of gzip or zstd; the codec's own default if not set.",
    ),
    TableProperty(
        name="write.data.path",
        type="text",
        doc="The folder of data files; `data` below the table's location if not set.",
    ),
    TableProperty(
        name="write.location-provider.impl",
        type="text",
        doc="A class that chooses paths. Tables with it are refused.",
    ),
    TableProperty(
        name="write.metadata.path",
        type="text",
        doc="The folder of manifests and metadata files; `metadata` below the location if not set. Tables in folders are refused with it.",
    ),
    TableProperty(
        name="write.object-storage.enabled",
        type="boolean",
        default="false",
        doc="Whether a hash of its name is part of the path of a data file, so that stores spread requests.",
    ),
    TableProperty(
        name="write.object-storage.partitioned-paths",
        type="boolean",
        default="true",
        doc="Whether such paths have the partition's values in them.",
    ),
    TableProperty(
        name="write.metadata.compression-codec",
        type="text",
        default="none",
        values=("none", "gzip"),
        doc="How metadata files are compressed.",
    ),
    TableProperty(
        name="write.metadata.previous-versions-max",
        type="number",
        default="100",
        least=1,
        doc="Earlier metadata files that the metadata names.",
    ),
    TableProperty(
        name="write.metadata.delete-after-commit.enabled",
        type="boolean",
        default="false",
        doc="Whether metadata files that it no longer names are deleted.",
    ),
    TableProperty(
        name="write.metadata.metrics.default",
        type="text",
        default="truncate(16)",
        doc="Which metrics of a column manifests have: `none`, `counts`, `truncate(N)` or `full`.",
    ),
    TableProperty(
        name="write.metadata.metrics.max-inferred-column-defaults",
        type="number",
        default="100",
        least=0,
        doc="Columns that have metrics where the table sets no default.",
    ),
    TableProperty(
        name="write.delete.mode",
        type="text",
        default="copy-on-write",
        values=("copy-on-write", "merge-on-read"),
        doc="Whether files are written again without deleted rows, or delete files name the rows.",
    ),
    TableProperty(
        name="write.update.mode",
        type="text",
        default="copy-on-write",
        values=("copy-on-write", "merge-on-read"),
        doc="The same for rows that are updated.",
    ),
    TableProperty(
        name="write.merge.mode",
        type="text",
        default="copy-on-write",
        values=("copy-on-write", "merge-on-read"),
        doc="The same for rows that are replaced by others with the same keys.",
    ),
    TableProperty(
        name="write.delete.isolation-level",
        type="text",
        default="serializable",
        values=("serializable", "snapshot"),
        doc="Whether rows that others add in the meantime, and that should have been deleted, forbid the commit.",
    ),
    TableProperty(
        name="write.update.isolation-level",
        type="text",
        default="serializable",
        values=("serializable", "snapshot"),
        doc="The same for rows that should have been updated.",
    ),
    TableProperty(
        name="write.merge.isolation-level",
        type="text",
        default="serializable",
        values=("serializable", "snapshot"),
        doc="The same for rows with keys that are merged.",
    ),
    TableProperty(
        name="write.delete.granularity",
        type="text",
        default="partition",
        values=("partition", "file"),
        doc="Whether a file of deleted positions is about a partition or about one data file.",
    ),
    TableProperty(
        name="write.wap.enabled",
        type="boolean",
        default="false",
        doc="Whether rows that are written with a `wap_id` wait in a snapshot of no branch, until it is picked.",
    ),
    TableProperty(
        name="write.summary.partition-limit",
        type="number",
        default="0",
        least=0,
        doc="The most changed partitions that a snapshot's summary lists.",
    ),
    TableProperty(
        name="commit.manifest.target-size-bytes",
        type="number",
        default="8388608",
        least=1,
        doc="About the most bytes of a manifest; new files are divided, and small manifests merged.",
    ),
    TableProperty(
        name="commit.manifest.min-count-to-merge",
        type="number",
        default="100",
        least=1,
        doc="The fewest manifests, the newest among them, that are merged into one.",
    ),
    TableProperty(
        name="commit.manifest-merge.enabled",
        type="boolean",
        default="true",
        doc="Whether manifests are merged when others are added.",
    ),
    TableProperty(
        name="commit.retry.num-retries",
        type="number",
        default="4",
        least=0,
        doc="How often a commit is tried again after another writer's.",
    ),
    TableProperty(
        name="commit.retry.min-wait-ms",
        type="number",
        default="100",
        least=0,
        doc="Milliseconds before the first of these attempts; each later one waits twice as long.",
    ),
    TableProperty(
        name="commit.retry.max-wait-ms",
        type="number",
        default="60000",
        least=0,
        doc="The most milliseconds before one of them.",
    ),
    TableProperty(
        name="commit.retry.total-timeout-ms",
        type="number",
        default="1800000",
        least=0,
        doc="Milliseconds after which none is made.",
    ),
    TableProperty(
        name="commit.status-check.num-retries",
        type="number",
        default="3",
        least=0,
        doc="How often it is looked up again whether a commit was made of which the catalog did not say.",
    ),
    TableProperty(
        name="commit.status-check.min-wait-ms",
        type="number",
        default="1000",
        least=0,
        doc="Milliseconds before the first of these; each later one waits twice as long.",
    ),
    TableProperty(
        name="commit.status-check.max-wait-ms",
        type="number",
        default="60000",
        least=0,
        doc="The most milliseconds before one of them.",
    ),
    TableProperty(
        name="commit.status-check.total-timeout-ms",
        type="number",
        default="1800000",
        least=0,
        doc="Milliseconds after which there is none.",
    ),
)
"""Properties that writers read. For delete files `write.delete.parquet.X`,
`write.delete.orc.X` and `write.delete.avro.X` come before the same without
`delete`.

Source: https://iceberg.apache.org/docs/latest/configuration/ "Write properties"
"""


COLUMN_PROPERTIES: Final = (
    TableProperty(
        name="write.metadata.metrics.column.",
        type="text",
        doc="Which metrics of the column manifests have.",
    ),
    TableProperty(
        name="write.parquet.bloom-filter-enabled.column.",
        type="boolean",
        default="false",
        doc="Whether row groups have a Bloom filter of the column.",
    ),
    TableProperty(
        name="write.parquet.bloom-filter-fpp.column.",
        type="text",
        default="0.01",
        doc="How often that filter may be wrong, as a share between 0 and 1.",
    ),
    TableProperty(
        name="write.parquet.bloom-filter-ndv.column.",
        type="number",
        default="1048576",
        least=1,
        doc="For how many distinct values it is made.",
    ),
    TableProperty(
        name="write.parquet.stats-enabled.column.",
        type="boolean",
        default="true",
        doc="Whether row groups have statistics of the column.",
    ),
    TableProperty(
        name="write.parquet.dict-encoding-enabled.column.",
        type="boolean",
        doc="Whether the column gets dictionaries; where its values repeat if not set.",
    ),
)
"""Properties of a column, whose name follows the key.

Source: https://iceberg.apache.org/docs/latest/configuration/ "Write properties"
"""


RESERVED_PROPERTIES: Final = (
    TableProperty(name="format-version", type="number", doc="The format version."),
    TableProperty(name="uuid", type="text", doc="The table's UUID."),
    TableProperty(
        name="snapshot-count", type="number", doc="How many snapshots it has."
    ),
    TableProperty(
        name="current-snapshot-id", type="number", doc="The current snapshot."
    ),
    TableProperty(name="current-snapshot-summary", type="text", doc="Its summary."),
    TableProperty(
        name="current-snapshot-timestamp-ms", type="number", doc="When it was made."
    ),
    TableProperty(name="current-schema", type="text", doc="The current schema."),
    TableProperty(
        name="default-partition-spec", type="text", doc="The default partition spec."
    ),
    TableProperty(
        name="default-sort-order", type="text", doc="The default sort order."
    ),
)
"""Keys that are given when a table is created and are never stored, since metadata
has fields for them.

Source: https://iceberg.apache.org/docs/latest/configuration/ "Reserved table properties"
"""
