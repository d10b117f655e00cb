# Written by byteloom-codegen from specs/iceberg/partition_specs.yaml; do not edit.
# To change it, edit that file and generate again.
"""A partition spec says how files are grouped by values of their rows, a sort
order how rows are ordered in files. Both are lists of transforms of columns;
keys that a reader does not know are kept.

Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from byteloom.documents.json_kinds import list_of, scalar
from byteloom.documents.json_record import JsonField, JsonRecord

__all__ = ["PartitionField", "PartitionSpec", "SortField", "SortOrder"]


@dataclass(slots=True, kw_only=True, repr=False)
class PartitionSpec(JsonRecord):
    """The fields of a partition tuple.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Partition Specs"
    """

    NAME: ClassVar[str] = "partition-spec"

    spec_id: int
    """Unique in the table. (v1 required, v2 required, v3 required)"""

    fields: list[Any] = field(default_factory=list)
    """Each a partition field. Manifests, and metadata of version 1, hold this list
    alone. (v1 required, v2 required, v3 required)
    """


@dataclass(slots=True, kw_only=True, repr=False)
class PartitionField(JsonRecord):
    """One value of a partition tuple.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Partition Specs"
    """

    NAME: ClassVar[str] = "partition-field"

    name: str
    """Unique in the spec. (v1 required, v2 required, v3 required)"""

    transform: str
    """A transform, such as bucket[16]: see transforms.yaml. (v1 required, v2 required,
    v3 required)
    """

    source_id: int | None = None
    """The column that the transform takes; left out where it takes several. (v1
    required, v2 required, v3 required)
    """

    source_ids: list[int] = field(default_factory=list)
    """The columns, where it takes several. (v3 optional)"""

    field_id: int | None = None
    """Unique in the table; version 1 counts from 1000 where it is left out. (v1
    optional, v2 required, v3 required)
    """


@dataclass(slots=True, kw_only=True, repr=False)
class SortOrder(JsonRecord):
    """The keys of an order.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Sort Orders"
    """

    NAME: ClassVar[str] = "sort-order"

    order_id: int
    """Unique in the table; 0 is unsorted. (v1 required, v2 required, v3 required)"""

    fields: list[Any] = field(default_factory=list)
    """Each a sort field, the outermost first. (v1 required, v2 required, v3 required)"""


@dataclass(slots=True, kw_only=True, repr=False)
class SortField(JsonRecord):
    """One key of an order.

    Source: https://iceberg.apache.org/spec/#appendix-c-json-serialization "Sort Orders"
    """

    NAME: ClassVar[str] = "sort-field"

    transform: str
    """A transform, such as bucket[16]: see transforms.yaml. (v1 required, v2 required,
    v3 required)
    """

    direction: str
    """Readers ignore its case. (v1 required, v2 required, v3 required)"""

    null_order: str
    """Whether nulls are sorted first or last. Readers accept upper case, too. (v1
    required, v2 required, v3 required)
    """

    source_id: int | None = None
    """The column that the transform takes; left out where it takes several. (v1
    required, v2 required, v3 required)
    """

    source_ids: list[int] = field(default_factory=list)
    """The columns, where it takes several. (v3 optional)"""


PartitionSpec.FIELDS = (
    JsonField(
        key="spec-id",
        attribute="spec_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="fields",
        attribute="fields",
        kind=list_of(scalar("json")),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


PartitionField.FIELDS = (
    JsonField(
        key="source-id",
        attribute="source_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        is_relaxed=True,
    ),
    JsonField(
        key="source-ids",
        attribute="source_ids",
        kind=list_of(scalar("int")),
        versions=(3,),
    ),
    JsonField(
        key="field-id",
        attribute="field_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(2, 3),
        is_relaxed=True,
    ),
    JsonField(
        key="name",
        attribute="name",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="transform",
        attribute="transform",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


SortOrder.FIELDS = (
    JsonField(
        key="order-id",
        attribute="order_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="fields",
        attribute="fields",
        kind=list_of(scalar("json")),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
)


SortField.FIELDS = (
    JsonField(
        key="transform",
        attribute="transform",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
    ),
    JsonField(
        key="source-id",
        attribute="source_id",
        kind=scalar("int"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        is_relaxed=True,
    ),
    JsonField(
        key="source-ids",
        attribute="source_ids",
        kind=list_of(scalar("int")),
        versions=(3,),
    ),
    JsonField(
        key="direction",
        attribute="direction",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        values=("asc", "desc"),
    ),
    JsonField(
        key="null-order",
        attribute="null_order",
        kind=scalar("string"),
        versions=(1, 2, 3),
        required=(1, 2, 3),
        values=("nulls-first", "nulls-last"),
    ),
)
