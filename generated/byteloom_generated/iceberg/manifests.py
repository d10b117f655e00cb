# Written by byteloom-codegen from specs/iceberg/manifests.yaml; do not edit.
# To change it, edit that file and generate again.
"""Manifests list the files of a table, manifest lists the manifests of a snapshot.
Both are Avro files whose fields carry ids; readers go by these, as old writers
used other names.

Source: https://iceberg.apache.org/spec/#manifests
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from byteloom.wire.calc import labels

__all__ = [
    "DATA_FILE",
    "FIELD_SUMMARY",
    "MANIFEST_ENTRY",
    "MANIFEST_FILE",
    "MANIFEST_KEYS",
    "EntryStatus",
    "FileContent",
    "ManifestContent",
    "ManifestField",
    "ManifestKey",
]


@labels
class EntryStatus(IntEnum):
    """What a snapshot did with the file of an entry.

    Source: https://iceberg.apache.org/spec/#manifests "Manifests"
    """

    EXISTING = 0
    """It was in the table before, and still is."""
    ADDED = 1
    """The snapshot added it."""
    DELETED = 2
    """The snapshot deleted it; it is not read."""


@labels
class FileContent(IntEnum):
    """What a file of a manifest has in it.

    Source: https://iceberg.apache.org/spec/#manifests "Manifests"
    """

    DATA = 0
    """Rows of the table."""
    POSITION_DELETES = 1
    """The places of deleted rows in data files; in version 3 a deletion vector, too."""
    EQUALITY_DELETES = 2
    """Values of columns; rows with the same values are deleted."""


@labels
class ManifestContent(IntEnum):
    """Which files a manifest lists.

    Source: https://iceberg.apache.org/spec/#manifests "Manifest Lists"
    """

    DATA = 0
    """Data files."""
    DELETES = 1
    """Delete files, of both kinds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestField:
    """One field of a record in a manifest or a manifest list."""

    id: int
    """Its field id."""

    name: str
    """Its name."""

    type: str
    """Its type, with the ids of elements, keys and values."""

    doc: str
    """What it says."""

    v1: str | None = None
    """What version 1 asks of writers."""

    v2: str | None = None
    """What version 2 asks of writers."""

    v3: str | None = None
    """What version 3 asks of writers."""

    needed: bool = False
    """Whether readers refuse a file without it."""

    ignored: bool = False
    """Whether readers ignore it."""

    fill: int | None = None
    """What writers put if they are given no value."""

    old_names: tuple[str, ...] = ()
    """Its name in files by old writers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestKey:
    """One key of a manifest's Avro header."""

    name: str
    """The key."""

    doc: str
    """Its value."""

    v1: str | None = None
    """What version 1 asks of writers."""

    v2: str | None = None
    """What version 2 asks of writers."""

    v3: str | None = None
    """What version 3 asks of writers."""


MANIFEST_ENTRY: Final = (
    ManifestField(
        id=0,
        name="status",
        type="int",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="What the snapshot did with the file; see Entry status.",
    ),
    ManifestField(
        id=1,
        name="snapshot_id",
        type="long",
        v1="required",
        v2="optional",
        v3="optional",
        doc="The snapshot that added the file, or deleted it if the status is `deleted`; null means the manifest's.",
    ),
    ManifestField(
        id=3,
        name="sequence_number",
        type="long",
        v2="optional",
        v3="optional",
        doc="The data sequence number; null on an added file means the manifest's. 0 in version 1.",
    ),
    ManifestField(
        id=4,
        name="file_sequence_number",
        type="long",
        v2="optional",
        v3="optional",
        doc="The sequence number of the snapshot that added the file; null means the manifest's.",
    ),
    ManifestField(
        id=2,
        name="data_file",
        type="struct<data_file>",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="The file.",
    ),
)
"""A file, and what a snapshot did with it.

Source: https://iceberg.apache.org/spec/#manifests "Manifests"
"""


DATA_FILE: Final = (
    ManifestField(
        id=134,
        name="content",
        type="int",
        v2="required",
        v3="required",
        doc="What the file has in it, see File content; 0 in version 1.",
    ),
    ManifestField(
        id=100,
        name="file_path",
        type="string",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="Where the file is, scheme included.",
    ),
    ManifestField(
        id=101,
        name="file_format",
        type="string",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="avro, orc, parquet, or puffin for deletion vectors; in any case.",
    ),
    ManifestField(
        id=102,
        name="partition",
        type="struct<partition>",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="The partition tuple; its fields are those of the manifest's partition spec.",
    ),
    ManifestField(
        id=103,
        name="record_count",
        type="long",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="Rows of the file; of a deletion vector its cardinality.",
    ),
    ManifestField(
        id=104,
        name="file_size_in_bytes",
        type="long",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="Bytes of the whole file.",
    ),
    ManifestField(
        id=105,
        name="block_size_in_bytes",
        type="long",
        v1="required",
        ignored=True,
        fill=67108864,
        doc="Version 1 writes any value; readers ignore it.",
    ),
    ManifestField(
        id=106, name="file_ordinal", type="int", v1="deprecated", doc="Not written."
    ),
    ManifestField(
        id=107,
        name="sort_columns",
        type="list<112: int>",
        v1="deprecated",
        doc="Not written.",
    ),
    ManifestField(
        id=108,
        name="column_sizes",
        type="map<117: int, 118: long>",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="Stored bytes of each column.",
    ),
    ManifestField(
        id=109,
        name="value_counts",
        type="map<119: int, 120: long>",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="Values of each column, nulls and NaNs included.",
    ),
    ManifestField(
        id=110,
        name="null_value_counts",
        type="map<121: int, 122: long>",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="Nulls of each column.",
    ),
    ManifestField(
        id=137,
        name="nan_value_counts",
        type="map<138: int, 139: long>",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="NaNs of each column of floats.",
    ),
    ManifestField(
        id=111,
        name="distinct_counts",
        type="map<123: int, 124: long>",
        v1="deprecated",
        v2="deprecated",
        v3="deprecated",
        doc="Distinct values of each column. Not written.",
    ),
    ManifestField(
        id=125,
        name="lower_bounds",
        type="map<126: int, 127: binary>",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="A value at or below each non-null, non-NaN one of each column, in the form of Appendix D.",
    ),
    ManifestField(
        id=128,
        name="upper_bounds",
        type="map<129: int, 130: binary>",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="A value at or above them.",
    ),
    ManifestField(
        id=131,
        name="key_metadata",
        type="binary",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="What an implementation needs to decrypt the file.",
    ),
    ManifestField(
        id=132,
        name="split_offsets",
        type="list<133: long>",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="Where the file can be split, ascending: row groups of Parquet.",
    ),
    ManifestField(
        id=135,
        name="equality_ids",
        type="list<136: int>",
        v2="optional",
        v3="optional",
        doc="The columns that equality deletes compare; required for them, null for others.",
    ),
    ManifestField(
        id=140,
        name="sort_order_id",
        type="int",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="The order of the rows; none for position deletes.",
    ),
    ManifestField(
        id=142,
        name="first_row_id",
        type="long",
        v3="optional",
        doc="The row id of the first row; null means that it follows from the manifest's.",
    ),
    ManifestField(
        id=143,
        name="referenced_data_file",
        type="string",
        v2="optional",
        v3="optional",
        doc="The one data file whose rows a delete file deletes; required for deletion vectors.",
    ),
    ManifestField(
        id=144,
        name="content_offset",
        type="long",
        v3="optional",
        doc="Where in the Puffin file a deletion vector starts; required for one.",
    ),
    ManifestField(
        id=145,
        name="content_size_in_bytes",
        type="long",
        v3="optional",
        doc="Bytes of a deletion vector; required for one.",
    ),
)
"""A data file or a delete file.

Source: https://iceberg.apache.org/spec/#manifests "Manifests"
"""


MANIFEST_FILE: Final = (
    ManifestField(
        id=500,
        name="manifest_path",
        type="string",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="Where the manifest is.",
    ),
    ManifestField(
        id=501,
        name="manifest_length",
        type="long",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="Bytes of the manifest.",
    ),
    ManifestField(
        id=502,
        name="partition_spec_id",
        type="int",
        v1="required",
        v2="required",
        v3="required",
        needed=True,
        doc="The partition spec of all its files.",
    ),
    ManifestField(
        id=517,
        name="content",
        type="int",
        v2="required",
        v3="required",
        doc="Which files it lists, see Manifest content; 0 in version 1.",
    ),
    ManifestField(
        id=515,
        name="sequence_number",
        type="long",
        v2="required",
        v3="required",
        doc="That of the snapshot which added the manifest; 0 in version 1.",
    ),
    ManifestField(
        id=516,
        name="min_sequence_number",
        type="long",
        v2="required",
        v3="required",
        doc="The lowest data sequence number of its live files; 0 in version 1.",
    ),
    ManifestField(
        id=503,
        name="added_snapshot_id",
        type="long",
        v1="required",
        v2="required",
        v3="required",
        doc="The snapshot which added the manifest.",
    ),
    ManifestField(
        id=504,
        name="added_files_count",
        type="int",
        v1="optional",
        v2="required",
        v3="required",
        old_names=("added_data_files_count",),
        doc="Entries with the status `added`; null means unknown.",
    ),
    ManifestField(
        id=505,
        name="existing_files_count",
        type="int",
        v1="optional",
        v2="required",
        v3="required",
        old_names=("existing_data_files_count",),
        doc="Entries with the status `existing`; null means unknown.",
    ),
    ManifestField(
        id=506,
        name="deleted_files_count",
        type="int",
        v1="optional",
        v2="required",
        v3="required",
        old_names=("deleted_data_files_count",),
        doc="Entries with the status `deleted`; null means unknown.",
    ),
    ManifestField(
        id=512,
        name="added_rows_count",
        type="long",
        v1="optional",
        v2="required",
        v3="required",
        doc="Rows of the files with the status `added`.",
    ),
    ManifestField(
        id=513,
        name="existing_rows_count",
        type="long",
        v1="optional",
        v2="required",
        v3="required",
        doc="Rows of the files with the status `existing`.",
    ),
    ManifestField(
        id=514,
        name="deleted_rows_count",
        type="long",
        v1="optional",
        v2="required",
        v3="required",
        doc="Rows of the files with the status `deleted`.",
    ),
    ManifestField(
        id=507,
        name="partitions",
        type="list<508: struct<field_summary>>",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="A summary for each field of the partition spec.",
    ),
    ManifestField(
        id=519,
        name="key_metadata",
        type="binary",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="What an implementation needs to decrypt the manifest.",
    ),
    ManifestField(
        id=520,
        name="first_row_id",
        type="long",
        v3="optional",
        doc="The first row id of the added files that have none; null for delete manifests.",
    ),
)
"""A manifest, as a manifest list describes it.

Source: https://iceberg.apache.org/spec/#manifests "Manifest Lists"
"""


FIELD_SUMMARY: Final = (
    ManifestField(
        id=509,
        name="contains_null",
        type="boolean",
        v1="required",
        v2="required",
        v3="required",
        doc="Whether a file has null for the field.",
    ),
    ManifestField(
        id=518,
        name="contains_nan",
        type="boolean",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="Whether a file has NaN for the field.",
    ),
    ManifestField(
        id=510,
        name="lower_bound",
        type="binary",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="The lowest other value, in the form of Appendix D; null if there is none.",
    ),
    ManifestField(
        id=511,
        name="upper_bound",
        type="binary",
        v1="optional",
        v2="optional",
        v3="optional",
        doc="The highest one.",
    ),
)
"""What a manifest list says of one partition field of a manifest.

Source: https://iceberg.apache.org/spec/#manifests "Manifest Lists"
"""


MANIFEST_KEYS: Final = (
    ManifestKey(
        name="schema",
        v1="required",
        v2="required",
        v3="required",
        doc="The table's schema when the manifest was written, as JSON.",
    ),
    ManifestKey(
        name="schema-id",
        v1="optional",
        v2="required",
        v3="required",
        doc="Its id, as text.",
    ),
    ManifestKey(
        name="partition-spec",
        v1="required",
        v2="required",
        v3="required",
        doc="The fields of the partition spec, as JSON.",
    ),
    ManifestKey(
        name="partition-spec-id",
        v1="optional",
        v2="required",
        v3="required",
        doc="Its id, as text.",
    ),
    ManifestKey(
        name="format-version",
        v1="optional",
        v2="required",
        v3="required",
        doc="The version that the manifest was written for, as text.",
    ),
    ManifestKey(name="content", v2="required", v3="required", doc="data or deletes."),
)
"""The keys of a manifest's Avro header.

Source: https://iceberg.apache.org/spec/#manifests "Manifests"
"""
