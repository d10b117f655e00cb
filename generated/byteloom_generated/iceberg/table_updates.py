# Written by byteloom-codegen from specs/iceberg/table_updates.yaml; do not edit.
# To change it, edit that file and generate again.
"""A commit is a list of requirements, which the catalog compares with the newest
metadata, and a list of updates, which it applies to them in order if all
requirements hold.

Source: https://iceberg.apache.org/rest-catalog-spec/
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from byteloom.documents.json_kinds import list_of, map_of, scalar
from byteloom.documents.json_record import JsonField, JsonRecord

if TYPE_CHECKING:
    from uuid import UUID

__all__ = [
    "AddPartitionSpec",
    "AddSchema",
    "AddSnapshot",
    "AddSortOrder",
    "AssertCurrentSchemaId",
    "AssertDefaultSortOrderId",
    "AssertDefaultSpecId",
    "AssertLastAssignedFieldId",
    "AssertLastAssignedPartitionId",
    "AssertRefSnapshotId",
    "AssertTableUuid",
    "AssignUuid",
    "RemoveProperties",
    "RemoveSnapshotRef",
    "SetCurrentSchema",
    "SetDefaultSortOrder",
    "SetDefaultSpec",
    "SetProperties",
    "SetSnapshotRef",
    "UpgradeFormatVersion",
]


@dataclass(slots=True, kw_only=True, repr=False)
class AssignUuid(JsonRecord):
    """Gives the table its UUID.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AssignUUIDUpdate"
    """

    NAME: ClassVar[str] = "assign-uuid"

    uuid: UUID
    """The UUID. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class UpgradeFormatVersion(JsonRecord):
    """Raises the version of the table's format.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "UpgradeFormatVersionUpdate"
    """

    NAME: ClassVar[str] = "upgrade-format-version"

    format_version: int
    """The new version. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class AddSchema(JsonRecord):
    """Adds a schema, which is not current yet.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AddSchemaUpdate"
    """

    NAME: ClassVar[str] = "add-schema"

    schema: Any
    """The schema, as in table metadata. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class SetCurrentSchema(JsonRecord):
    """Makes a schema the current one.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "SetCurrentSchemaUpdate"
    """

    NAME: ClassVar[str] = "set-current-schema"

    schema_id: int
    """Its id; -1 for the one that was added last. (v1 required, v2 required, v3
    required)
    """


@dataclass(slots=True, kw_only=True, repr=False)
class AddPartitionSpec(JsonRecord):
    """Adds a partition spec, which is not the default yet.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AddPartitionSpecUpdate"
    """

    NAME: ClassVar[str] = "add-partition-spec"

    spec: Any
    """The spec, as in table metadata. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class SetDefaultSpec(JsonRecord):
    """Makes a partition spec the default one.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "SetDefaultSpecUpdate"
    """

    NAME: ClassVar[str] = "set-default-spec"

    spec_id: int
    """Its id; -1 for the one that was added last. (v1 required, v2 required, v3
    required)
    """


@dataclass(slots=True, kw_only=True, repr=False)
class AddSortOrder(JsonRecord):
    """Adds a sort order, which is not the default yet.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AddSortOrderUpdate"
    """

    NAME: ClassVar[str] = "add-sort-order"

    sort_order: Any
    """The order, as in table metadata. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class SetDefaultSortOrder(JsonRecord):
    """Makes a sort order the default one.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "SetDefaultSortOrderUpdate"
    """

    NAME: ClassVar[str] = "set-default-sort-order"

    sort_order_id: int
    """Its id; -1 for the one that was added last. (v1 required, v2 required, v3
    required)
    """


@dataclass(slots=True, kw_only=True, repr=False)
class AddSnapshot(JsonRecord):
    """Adds a snapshot, which no branch names yet.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AddSnapshotUpdate"
    """

    NAME: ClassVar[str] = "add-snapshot"

    snapshot: Any
    """The snapshot, as in table metadata. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class SetSnapshotRef(JsonRecord):
    """Creates a branch or a tag, or moves it.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "SetSnapshotRefUpdate"
    """

    NAME: ClassVar[str] = "set-snapshot-ref"

    ref_name: str
    """Its name. (v1 required, v2 required, v3 required)"""

    type: str
    """branch or tag. (v1 required, v2 required, v3 required)"""

    snapshot_id: int
    """The snapshot that it names. (v1 required, v2 required, v3 required)"""

    max_ref_age_ms: int | None = None
    """How long it is kept. (v1 optional, v2 optional, v3 optional)"""

    max_snapshot_age_ms: int | None = None
    """How long snapshots of a branch are kept. (v1 optional, v2 optional, v3 optional)"""

    min_snapshots_to_keep: int | None = None
    """How many snapshots of a branch are kept. (v1 optional, v2 optional, v3 optional)"""


@dataclass(slots=True, kw_only=True, repr=False)
class RemoveSnapshotRef(JsonRecord):
    """Removes a branch or a tag.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "RemoveSnapshotRefUpdate"
    """

    NAME: ClassVar[str] = "remove-snapshot-ref"

    ref_name: str
    """Its name. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class SetProperties(JsonRecord):
    """Sets properties of the table; others stay.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "SetPropertiesUpdate"
    """

    NAME: ClassVar[str] = "set-properties"

    updates: dict[str, str] = field(default_factory=dict)
    """The properties. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class RemoveProperties(JsonRecord):
    """Removes properties of the table.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "RemovePropertiesUpdate"
    """

    NAME: ClassVar[str] = "remove-properties"

    removals: list[str] = field(default_factory=list)
    """Their names. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class AssertTableUuid(JsonRecord):
    """The table is still the same one.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AssertTableUUID"
    """

    NAME: ClassVar[str] = "assert-table-uuid"

    uuid: UUID
    """Its UUID. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class AssertRefSnapshotId(JsonRecord):
    """A branch or tag still names the same snapshot.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AssertRefSnapshotId"
    """

    NAME: ClassVar[str] = "assert-ref-snapshot-id"

    ref: str
    """Its name. (v1 required, v2 required, v3 required)"""

    snapshot_id: int | None = None
    """The snapshot; null if there must be no such branch or tag. (v1 optional, v2
    optional, v3 optional)
    """


@dataclass(slots=True, kw_only=True, repr=False)
class AssertLastAssignedFieldId(JsonRecord):
    """No other writer has given ids to columns.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AssertLastAssignedFieldId"
    """

    NAME: ClassVar[str] = "assert-last-assigned-field-id"

    last_assigned_field_id: int
    """The highest column id ever given. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class AssertCurrentSchemaId(JsonRecord):
    """The current schema is still the same.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AssertCurrentSchemaId"
    """

    NAME: ClassVar[str] = "assert-current-schema-id"

    current_schema_id: int
    """Its id. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class AssertLastAssignedPartitionId(JsonRecord):
    """No other writer has given ids to partition fields.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AssertLastAssignedPartitionId"
    """

    NAME: ClassVar[str] = "assert-last-assigned-partition-id"

    last_assigned_partition_id: int
    """The highest partition field id ever given. (v1 required, v2 required, v3
    required)
    """


@dataclass(slots=True, kw_only=True, repr=False)
class AssertDefaultSpecId(JsonRecord):
    """The default partition spec is still the same.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AssertDefaultSpecId"
    """

    NAME: ClassVar[str] = "assert-default-spec-id"

    default_spec_id: int
    """Its id. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class AssertDefaultSortOrderId(JsonRecord):
    """The default sort order is still the same.

    Source: https://iceberg.apache.org/rest-catalog-spec/ "AssertDefaultSortOrderId"
    """

    NAME: ClassVar[str] = "assert-default-sort-order-id"

    default_sort_order_id: int
    """Its id. (v1 required, v2 required, v3 required)"""


AssignUuid.FIELDS = (
    JsonField(
        key="uuid",
        attribute="uuid",
        kind=scalar("uuid"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


UpgradeFormatVersion.FIELDS = (
    JsonField(
        key="format-version",
        attribute="format_version",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AddSchema.FIELDS = (
    JsonField(
        key="schema",
        attribute="schema",
        kind=scalar("json"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


SetCurrentSchema.FIELDS = (
    JsonField(
        key="schema-id",
        attribute="schema_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AddPartitionSpec.FIELDS = (
    JsonField(
        key="spec",
        attribute="spec",
        kind=scalar("json"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


SetDefaultSpec.FIELDS = (
    JsonField(
        key="spec-id",
        attribute="spec_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AddSortOrder.FIELDS = (
    JsonField(
        key="sort-order",
        attribute="sort_order",
        kind=scalar("json"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


SetDefaultSortOrder.FIELDS = (
    JsonField(
        key="sort-order-id",
        attribute="sort_order_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AddSnapshot.FIELDS = (
    JsonField(
        key="snapshot",
        attribute="snapshot",
        kind=scalar("json"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


SetSnapshotRef.FIELDS = (
    JsonField(
        key="ref-name",
        attribute="ref_name",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
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
        key="max-ref-age-ms",
        attribute="max_ref_age_ms",
        kind=scalar("long"),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="max-snapshot-age-ms",
        attribute="max_snapshot_age_ms",
        kind=scalar("long"),
        versions=(1, 2, 3),
    ),
    JsonField(
        key="min-snapshots-to-keep",
        attribute="min_snapshots_to_keep",
        kind=scalar("int"),
        versions=(1, 2, 3),
    ),
)


RemoveSnapshotRef.FIELDS = (
    JsonField(
        key="ref-name",
        attribute="ref_name",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


SetProperties.FIELDS = (
    JsonField(
        key="updates",
        attribute="updates",
        kind=map_of(scalar("string")),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


RemoveProperties.FIELDS = (
    JsonField(
        key="removals",
        attribute="removals",
        kind=list_of(scalar("string")),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AssertTableUuid.FIELDS = (
    JsonField(
        key="uuid",
        attribute="uuid",
        kind=scalar("uuid"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AssertRefSnapshotId.FIELDS = (
    JsonField(
        key="ref",
        attribute="ref",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="snapshot-id",
        attribute="snapshot_id",
        kind=scalar("long"),
        versions=(1, 2, 3),
    ),
)


AssertLastAssignedFieldId.FIELDS = (
    JsonField(
        key="last-assigned-field-id",
        attribute="last_assigned_field_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AssertCurrentSchemaId.FIELDS = (
    JsonField(
        key="current-schema-id",
        attribute="current_schema_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AssertLastAssignedPartitionId.FIELDS = (
    JsonField(
        key="last-assigned-partition-id",
        attribute="last_assigned_partition_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AssertDefaultSpecId.FIELDS = (
    JsonField(
        key="default-spec-id",
        attribute="default_spec_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


AssertDefaultSortOrderId.FIELDS = (
    JsonField(
        key="default-sort-order-id",
        attribute="default_sort_order_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)
