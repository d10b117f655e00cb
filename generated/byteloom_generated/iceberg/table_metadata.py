# Written by byteloom-codegen from specs/iceberg/table_metadata.yaml; do not edit.
# To change it, edit that file and generate again.
"""Table metadata is one JSON file: the schemas, partition specs, sort orders,
snapshots and properties of a table, and which of them are current. Every commit
writes a new one.

Source: https://iceberg.apache.org/spec/#table-metadata
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from byteloom.documents.json_kinds import list_of, map_of, scalar
from byteloom.documents.json_record import JsonField, JsonRecord, record_of

if TYPE_CHECKING:
    from uuid import UUID

__all__ = [
    "BlobMetadata",
    "EncryptedKey",
    "MetadataLogEntry",
    "PartitionStatisticsFile",
    "Snapshot",
    "SnapshotLogEntry",
    "SnapshotReference",
    "StatisticsFile",
    "TableMetadata",
]


@dataclass(slots=True, kw_only=True, repr=False)
class TableMetadata(JsonRecord):
    """The metadata of a table at one time.

    Source: https://iceberg.apache.org/spec/#table-metadata "Table Metadata Fields"
    """

    NAME: ClassVar[str] = "table-metadata"

    format_version: int
    """1, 2 or 3; a reader refuses a version it does not know. (v1 required, v2
    required, v3 required)
    """

    location: str
    """The folder below which writers put data and metadata. (v1 required, v2 required,
    v3 required)
    """

    last_updated_ms: int
    """When the metadata was written last, in milliseconds since 1970. (v1 required, v2
    required, v3 required)
    """

    last_column_id: int
    """The highest column id ever given; ids are never given again. (v1 required, v2
    required, v3 required)
    """

    table_uuid: UUID | None = None
    """Chosen when the table is created; a table whose UUID changes is another table.
    (v1 optional, v2 required, v3 required)
    """

    last_sequence_number: int = 0
    """The highest sequence number of any snapshot so far. (v2 required, v3 required)"""

    schema: Any = None
    """The current schema. Deprecated: readers look for the list first. (v1 required)"""

    schemas: list[Any] = field(default_factory=list)
    """All schemas. (v1 optional, v2 required, v3 required)"""

    current_schema_id: int | None = None
    """The id of the current schema. (v1 optional, v2 required, v3 required)"""

    partition_spec: list[Any] = field(default_factory=list)
    """The fields of the current partition spec. Deprecated: readers look for the list
    first. (v1 required)
    """

    partition_specs: list[Any] = field(default_factory=list)
    """All partition specs. (v1 optional, v2 required, v3 required)"""

    default_spec_id: int | None = None
    """The id of the spec that writers use. (v1 optional, v2 required, v3 required)"""

    last_partition_id: int | None = None
    """The highest partition field id ever given. (v1 optional, v2 required, v3
    required)
    """

    properties: dict[str, str] = field(default_factory=dict)
    """Settings for readers and writers; not meant for arbitrary metadata. (v1
    optional, v2 optional, v3 optional)
    """

    current_snapshot_id: int | None = None
    """The id of the current snapshot; the same as that of the branch main. (v1
    optional, v2 optional, v3 optional)
    """

    snapshots: list[Snapshot] = field(default_factory=list)
    """All snapshots whose files are kept. (v1 optional, v2 optional, v3 optional)"""

    snapshot_log: list[SnapshotLogEntry] = field(default_factory=list)
    """Which snapshots were current, and since when. (v1 optional, v2 optional, v3
    optional)
    """

    metadata_log: list[MetadataLogEntry] = field(default_factory=list)
    """The metadata files before this one. (v1 optional, v2 optional, v3 optional)"""

    sort_orders: list[Any] = field(default_factory=list)
    """All sort orders. (v1 optional, v2 required, v3 required)"""

    default_sort_order_id: int | None = None
    """The id of the order that writers use; 0 is unsorted. (v1 optional, v2 required,
    v3 required)
    """

    refs: dict[str, SnapshotReference] = field(default_factory=dict)
    """Branches and tags by name; without a branch `main`, that branch is the current
    snapshot. (v1 optional, v2 optional, v3 optional)
    """

    statistics: list[StatisticsFile] = field(default_factory=list)
    """Puffin files with statistics. (v1 optional, v2 optional, v3 optional)"""

    partition_statistics: list[PartitionStatisticsFile] = field(default_factory=list)
    """Files with statistics of partitions. (v1 optional, v2 optional, v3 optional)"""

    next_row_id: int | None = None
    """Higher than every row id assigned so far. (v3 required)"""

    encryption_keys: list[EncryptedKey] = field(default_factory=list)
    """Keys that encrypt keys. (v3 optional)"""


@dataclass(slots=True, kw_only=True, repr=False)
class Snapshot(JsonRecord):
    """The state of a table at one time.

    Source: https://iceberg.apache.org/spec/#table-metadata "Snapshots"
    """

    NAME: ClassVar[str] = "snapshot"

    snapshot_id: int
    """Unique in the table. (v1 required, v2 required, v3 required)"""

    timestamp_ms: int
    """Milliseconds from 1970 when the snapshot was made. (v1 required, v2 required, v3
    required)
    """

    sequence_number: int = 0
    """The order of changes to the table; 0 for snapshots from before an upgrade. (v2
    required, v3 required)
    """

    parent_snapshot_id: int | None = None
    """The snapshot that this one changed. (v1 optional, v2 optional, v3 optional)"""

    summary: dict[str, str] = field(default_factory=dict)
    """What was done; the key operation says append, replace, overwrite or delete. (v1
    optional, v2 required, v3 required)
    """

    manifest_list: str | None = None
    """Where the list of the snapshot's manifests is. (v1 optional, v2 required, v3
    required)
    """

    manifests: list[str] = field(default_factory=list)
    """Where the manifests are, in version 1 without a list. (v1 optional)"""

    schema_id: int | None = None
    """The current schema when the snapshot was made. (v1 optional, v2 optional, v3
    optional)
    """

    first_row_id: int | None = None
    """The first id given to a row of its new data files. Snapshots from before an
    upgrade have none. (v3 required)
    """

    added_rows: int | None = None
    """An upper bound of the rows to which the snapshot assigned ids. (v3 required)"""

    key_id: str | None = None
    """The key that encrypts the manifest list's key metadata. (v3 optional)"""


@dataclass(slots=True, kw_only=True, repr=False)
class SnapshotLogEntry(JsonRecord):
    """One change of the current snapshot.

    Source: https://iceberg.apache.org/spec/#table-metadata "Table Metadata Fields"
    """

    NAME: ClassVar[str] = "snapshot-log-entry"

    timestamp_ms: int
    """When. (v1 required, v2 required, v3 required)"""

    snapshot_id: int
    """The snapshot that became current. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class MetadataLogEntry(JsonRecord):
    """A metadata file before this one.

    Source: https://iceberg.apache.org/spec/#table-metadata "Table Metadata Fields"
    """

    NAME: ClassVar[str] = "metadata-log-entry"

    timestamp_ms: int
    """When it was replaced. (v1 required, v2 required, v3 required)"""

    metadata_file: str
    """Where it is. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class SnapshotReference(JsonRecord):
    """A branch or a tag.

    Source: https://iceberg.apache.org/spec/#table-metadata "Snapshot References"
    """

    NAME: ClassVar[str] = "snapshot-reference"

    snapshot_id: int
    """The snapshot it names; for a branch the newest one. (v1 required, v2 required,
    v3 required)
    """

    type: str
    """tag or branch. (v1 required, v2 required, v3 required)"""

    min_snapshots_to_keep: int | None = None
    """Of a branch: how many snapshots stay when old ones expire. (v1 optional, v2
    optional, v3 optional)
    """

    max_snapshot_age_ms: int | None = None
    """Of a branch: how old a snapshot gets before it expires. (v1 optional, v2
    optional, v3 optional)
    """

    max_ref_age_ms: int | None = None
    """How old a branch or tag gets; main never expires. (v1 optional, v2 optional, v3
    optional)
    """


@dataclass(slots=True, kw_only=True, repr=False)
class StatisticsFile(JsonRecord):
    """A Puffin file with statistics of a snapshot.

    Source: https://iceberg.apache.org/spec/#table-metadata "Table Statistics"
    """

    NAME: ClassVar[str] = "statistics-file"

    snapshot_id: int
    """The snapshot. (v1 required, v2 required, v3 required)"""

    statistics_path: str
    """Where the file is. (v1 required, v2 required, v3 required)"""

    file_size_in_bytes: int
    """Its size. (v1 required, v2 required, v3 required)"""

    file_footer_size_in_bytes: int
    """The size of its whole footer. (v1 required, v2 required, v3 required)"""

    key_metadata: str | None = None
    """Base64: how it is encrypted. (v1 optional, v2 optional, v3 optional)"""

    blob_metadata: list[BlobMetadata] = field(default_factory=list)
    """The blobs in it. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class BlobMetadata(JsonRecord):
    """What a blob of a Puffin file holds, repeated here.

    Source: https://iceberg.apache.org/spec/#table-metadata "Table Statistics"
    """

    NAME: ClassVar[str] = "blob-metadata"

    type: str
    """The type of the blob. (v1 required, v2 required, v3 required)"""

    snapshot_id: int
    """The snapshot it was computed from. (v1 required, v2 required, v3 required)"""

    sequence_number: int
    """Its sequence number. (v1 required, v2 required, v3 required)"""

    fields: list[int] = field(default_factory=list)
    """The columns it was computed from. (v1 required, v2 required, v3 required)"""

    properties: dict[str, str] = field(default_factory=dict)
    """The other properties of the blob. (v1 optional, v2 optional, v3 optional)"""


@dataclass(slots=True, kw_only=True, repr=False)
class PartitionStatisticsFile(JsonRecord):
    """A file with a row of statistics for each partition of a snapshot.

    Source: https://iceberg.apache.org/spec/#table-metadata "Partition Statistics"
    """

    NAME: ClassVar[str] = "partition-statistics-file"

    snapshot_id: int
    """The snapshot. (v1 required, v2 required, v3 required)"""

    statistics_path: str
    """Where the file is. (v1 required, v2 required, v3 required)"""

    file_size_in_bytes: int
    """Its size. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class EncryptedKey(JsonRecord):
    """A key that is itself encrypted.

    Source: https://iceberg.apache.org/spec/#table-metadata "Encryption Keys"
    """

    NAME: ClassVar[str] = "encrypted-key"

    key_id: str | None = None
    """The id by which other fields refer to it. (v3 required)"""

    encrypted_key_metadata: str | None = None
    """Base64: the encrypted key. (v3 required)"""

    encrypted_by_id: str | None = None
    """The id of the key that encrypts this one. (v3 optional)"""

    properties: dict[str, str] = field(default_factory=dict)
    """Other facts about the key. (v3 optional)"""


TableMetadata.FIELDS = (
    JsonField(
        key="format-version",
        attribute="format_version",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="table-uuid",
        attribute="table_uuid",
        kind=scalar("uuid"),
        versions=(1, 2, 3),
        required=(2, 3),
    ),
    JsonField(
        key="location",
        attribute="location",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="last-sequence-number",
        attribute="last_sequence_number",
        kind=scalar("long"),
        versions=(2, 3),
        required=(2, 3),
        absent=0,
    ),
    JsonField(
        key="last-updated-ms",
        attribute="last_updated_ms",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="last-column-id",
        attribute="last_column_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="schema",
        attribute="schema",
        kind=scalar("json"),
        versions=(1,),
        required=(1,),
        is_relaxed=True,
    ),
    JsonField(
        key="schemas",
        attribute="schemas",
        kind=list_of(scalar("json")),
        versions=(1, 2, 3),
        required=(2, 3),
    ),
    JsonField(
        key="current-schema-id",
        attribute="current_schema_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(2, 3),
    ),
    JsonField(
        key="partition-spec",
        attribute="partition_spec",
        kind=list_of(scalar("json")),
        versions=(1,),
        required=(1,),
        is_relaxed=True,
    ),
    JsonField(
        key="partition-specs",
        attribute="partition_specs",
        kind=list_of(scalar("json")),
        versions=(1, 2, 3),
        required=(2, 3),
    ),
    JsonField(
        key="default-spec-id",
        attribute="default_spec_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(2, 3),
    ),
    JsonField(
        key="last-partition-id",
        attribute="last_partition_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(2, 3),
    ),
    JsonField(
        key="properties",
        attribute="properties",
        kind=map_of(scalar("string")),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="current-snapshot-id",
        attribute="current_snapshot_id",
        kind=scalar("long"),
        versions=(1, 2, 3),
        none=-1,
        none_until=2,
    ),
    JsonField(
        key="snapshots",
        attribute="snapshots",
        kind=list_of(record_of(lambda: Snapshot)),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="snapshot-log",
        attribute="snapshot_log",
        kind=list_of(record_of(lambda: SnapshotLogEntry)),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="metadata-log",
        attribute="metadata_log",
        kind=list_of(record_of(lambda: MetadataLogEntry)),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="sort-orders",
        attribute="sort_orders",
        kind=list_of(scalar("json")),
        versions=(1, 2, 3),
        required=(2, 3),
    ),
    JsonField(
        key="default-sort-order-id",
        attribute="default_sort_order_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(2, 3),
    ),
    JsonField(
        key="refs",
        attribute="refs",
        kind=map_of(record_of(lambda: SnapshotReference)),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="statistics",
        attribute="statistics",
        kind=list_of(record_of(lambda: StatisticsFile)),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="partition-statistics",
        attribute="partition_statistics",
        kind=list_of(record_of(lambda: PartitionStatisticsFile)),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="next-row-id",
        attribute="next_row_id",
        kind=scalar("long"),
        versions=(3,),
        required=(3,),
    ),
    JsonField(
        key="encryption-keys",
        attribute="encryption_keys",
        kind=list_of(record_of(lambda: EncryptedKey)),
        versions=(3,),
    ),
)


Snapshot.FIELDS = (
    JsonField(
        key="sequence-number",
        attribute="sequence_number",
        kind=scalar("long"),
        versions=(2, 3),
        required=(2, 3),
        is_relaxed=True,
        absent=0,
    ),
    JsonField(
        key="snapshot-id",
        attribute="snapshot_id",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="parent-snapshot-id",
        attribute="parent_snapshot_id",
        kind=scalar("long"),
        versions=(1, 2, 3),
        none=-1,
    ),
    JsonField(
        key="timestamp-ms",
        attribute="timestamp_ms",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="summary",
        attribute="summary",
        kind=map_of(scalar("string")),
        versions=(1, 2, 3),
        required=(2, 3),
        is_relaxed=True,
    ),
    JsonField(
        key="manifest-list",
        attribute="manifest_list",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(2, 3),
    ),
    JsonField(
        key="manifests",
        attribute="manifests",
        kind=list_of(scalar("string")),
        versions=(1,),
    ),
    JsonField(
        key="schema-id", attribute="schema_id", kind=scalar("int"), versions=(1, 2, 3)
    ),
    JsonField(
        key="first-row-id",
        attribute="first_row_id",
        kind=scalar("long"),
        versions=(3,),
        required=(3,),
        is_relaxed=True,
    ),
    JsonField(
        key="added-rows",
        attribute="added_rows",
        kind=scalar("long"),
        versions=(3,),
        required=(3,),
        is_relaxed=True,
    ),
    JsonField(key="key-id", attribute="key_id", kind=scalar("string"), versions=(3,)),
)


SnapshotLogEntry.FIELDS = (
    JsonField(
        key="timestamp-ms",
        attribute="timestamp_ms",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="snapshot-id",
        attribute="snapshot_id",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


MetadataLogEntry.FIELDS = (
    JsonField(
        key="timestamp-ms",
        attribute="timestamp_ms",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="metadata-file",
        attribute="metadata_file",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


SnapshotReference.FIELDS = (
    JsonField(
        key="snapshot-id",
        attribute="snapshot_id",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="type",
        attribute="type",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        values=("tag", "branch"),
    ),
    JsonField(
        key="min-snapshots-to-keep",
        attribute="min_snapshots_to_keep",
        kind=scalar("int"),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="max-snapshot-age-ms",
        attribute="max_snapshot_age_ms",
        kind=scalar("long"),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="max-ref-age-ms",
        attribute="max_ref_age_ms",
        kind=scalar("long"),
        versions=(1, 2, 3),
    ),
)


StatisticsFile.FIELDS = (
    JsonField(
        key="snapshot-id",
        attribute="snapshot_id",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="statistics-path",
        attribute="statistics_path",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="file-size-in-bytes",
        attribute="file_size_in_bytes",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="file-footer-size-in-bytes",
        attribute="file_footer_size_in_bytes",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="key-metadata",
        attribute="key_metadata",
        kind=scalar("string"),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="blob-metadata",
        attribute="blob_metadata",
        kind=list_of(record_of(lambda: BlobMetadata)),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


BlobMetadata.FIELDS = (
    JsonField(
        key="type",
        attribute="type",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="snapshot-id",
        attribute="snapshot_id",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="sequence-number",
        attribute="sequence_number",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="fields",
        attribute="fields",
        kind=list_of(scalar("int")),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="properties",
        attribute="properties",
        kind=map_of(scalar("string")),
        versions=(1, 2, 3),
    ),
)


PartitionStatisticsFile.FIELDS = (
    JsonField(
        key="snapshot-id",
        attribute="snapshot_id",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="statistics-path",
        attribute="statistics_path",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="file-size-in-bytes",
        attribute="file_size_in_bytes",
        kind=scalar("long"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


EncryptedKey.FIELDS = (
    JsonField(
        key="key-id",
        attribute="key_id",
        kind=scalar("string"),
        versions=(3,),
        required=(3,),
    ),
    JsonField(
        key="encrypted-key-metadata",
        attribute="encrypted_key_metadata",
        kind=scalar("string"),
        versions=(3,),
        required=(3,),
    ),
    JsonField(
        key="encrypted-by-id",
        attribute="encrypted_by_id",
        kind=scalar("string"),
        versions=(3,),
    ),
    JsonField(
        key="properties",
        attribute="properties",
        kind=map_of(scalar("string")),
        versions=(3,),
    ),
)
