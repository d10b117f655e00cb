"""Table metadata with another current schema, default partition spec or default sort order.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.iceberg.evolution.updates import (
    order_updates,
    schema_after,
    schema_updates,
    spec_updates,
)
from byteloom.iceberg.metadata.updating import updated

if TYPE_CHECKING:
    from byteloom.iceberg.evolution.partition_update import PartitionUpdate
    from byteloom.iceberg.evolution.schema_update import SchemaUpdate
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.sort_order import SortOrder

__all__ = ["with_order", "with_schema", "with_spec"]


def with_schema(metadata: TableMetadata, update: SchemaUpdate) -> TableMetadata:
    """Return *metadata* with the schema that *update* makes, or an equal one that it already has.

    A name mapping among the table's properties is updated to match.
    """
    return updated(metadata, schema_updates(metadata, schema_after(metadata, update)))


def with_spec(metadata: TableMetadata, update: PartitionUpdate) -> TableMetadata:
    """Return *metadata* with the spec that *update* makes as the default one."""
    return updated(metadata, spec_updates(metadata, update.apply()))


def with_order(metadata: TableMetadata, order: SortOrder) -> TableMetadata:
    """Return *metadata* with *order* as the default one."""
    return updated(metadata, order_updates(metadata, order))
