"""Partitions of some specs, and which entries of manifests are in one of them.

Partitions are equal if their specs and their values are. A spec without fields has one partition,
and that one has all files of the table, whatever their specs.

Source: Java's ``PartitionSet``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

from byteloom.iceberg.manifests.encoding import encoded_tuples, storage_tuples
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["PartitionSet"]


class PartitionSet:
    """The partitions of some files."""

    def __init__(self, table: StoredTable, encoded: Mapping[int, pa.LargeBinaryArray]) -> None:
        """Keep partitions as records, by their specs."""
        self._table, self._encoded = table, encoded
        self.has_all = any(not table.metadata.spec(each).fields for each in encoded)

    @classmethod
    def of(cls, table: StoredTable, files: Sequence[Mapping[str, Any]]) -> Self:
        """Return the partitions of files, which are as `write_manifest` takes them."""
        by_spec: dict[int, list[Mapping[str, Any]]] = {}
        for each in files:
            by_spec.setdefault(each["spec_id"], []).append(each["partition"])
        made = {}
        for spec_id, values in by_spec.items():
            of = table.metadata.spec(spec_id).partition_type(table.metadata.source_schema)
            columns = [storage_array(f.type, [each[f.name] for each in values]) for f in of.fields]
            if columns:
                made[spec_id] = pc.unique(encoded_tuples(columns, of).cast(pa.large_binary()))
            else:
                made[spec_id] = pa.array([], pa.large_binary())
        return cls(table, made)

    @property
    def spec_ids(self) -> list[int]:
        """The specs of the partitions."""
        return list(self._encoded)

    def among(self, entries: Entries) -> NDArray[np.bool_]:
        """Return which entries are in one of the partitions."""
        found = np.full(len(entries), self.has_all)
        if self.has_all:
            return found
        for spec_id, wanted in self._encoded.items():
            rows = np.flatnonzero(entries.spec_id == spec_id)
            if not len(rows):
                continue
            spec = self._table.metadata.spec(spec_id)
            of = spec.partition_type(self._table.metadata.source_schema)
            tuples = encoded_tuples(storage_tuples(entries.view(rows), spec, of), of)
            is_in = pc.is_in(tuples.cast(pa.large_binary()), value_set=wanted)
            found[rows] = is_in.to_numpy(zero_copy_only=False)
        return found
