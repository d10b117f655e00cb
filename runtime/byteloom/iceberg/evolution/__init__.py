"""Evolution: new schemas, partition specs and sort orders of a table, as the spec allows.

    SchemaUpdate         add, drop, rename, move, promote; defaults, docs, identifiers
    PartitionUpdate      add, remove and rename partition fields
    sort_order           another order
    with_schema, with_spec, with_order     the table metadata with the result of an update

Nothing here writes files: an update is kept in memory and returns a value, or raises an error.

Source: Iceberg table spec, "Schema Evolution", "Partition Evolution" and "Sorting".
"""

from byteloom.iceberg.evolution.ordering import SortKey, sort_order
from byteloom.iceberg.evolution.partition_update import PartitionUpdate
from byteloom.iceberg.evolution.schema_rules import can_promote
from byteloom.iceberg.evolution.schema_update import SchemaUpdate, with_fresh_ids
from byteloom.iceberg.evolution.updates import with_order, with_schema, with_spec

__all__ = [
    "PartitionUpdate",
    "SchemaUpdate",
    "SortKey",
    "can_promote",
    "sort_order",
    "with_fresh_ids",
    "with_order",
    "with_schema",
    "with_spec",
]


def __dir__() -> list[str]:
    return __all__
