"""The partitions of planned files in readable form, made column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.iceberg.transforms import to_human
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.late import pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.partition_spec import PartitionField
    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.planning.planned_scan import PlannedScan
    from byteloom.iceberg.types import Type

__all__ = ["partition_texts"]


def partition_texts(scan: PlannedScan, part: Plan) -> pa.Array:
    """Return the partition of each file of a plan, as ``city=Oslo, day=2024-01-01``."""
    files = part.files
    specs, rows = files["spec_id"].to_numpy(), files["partition"].to_numpy()
    texts, order = [pa.array([], pa.string())], np.empty(len(specs), np.int64)
    done = 0
    for spec_id in np.unique(specs).tolist():
        places = np.flatnonzero(specs == spec_id)
        texts.append(_texts(scan, part, spec_id, rows[places]))
        order[places] = np.arange(done, done + len(places))
        done += len(places)
    return pa.concat_arrays(texts).take(pa.array(order))


def _texts(scan: PlannedScan, part: Plan, spec_id: int, rows: NDArray[np.int32]) -> pa.Array:
    """Return the partitions of a spec with these numbers, as text."""
    columns = part.partitions[spec_id].take(pa.array(rows)).flatten()
    named = {
        each.name: (each.type, column)
        for each, column in zip(part.types[spec_id].fields, columns, strict=True)
    }
    fields = scan.table.metadata.partition_specs[spec_id].fields
    if not fields:
        return pa.array([""] * len(rows), pa.string())
    texts = [_field_text(scan, each, *named[each.name]) for each in fields]
    return pc.binary_join_element_wise(*texts, ", ")


def _field_text(scan: PlannedScan, field: PartitionField, kind: Type, column: pa.Array) -> pa.Array:
    """Return a column of partition values as text; each distinct value is converted once."""
    source = scan.schema.find(field.source_id)

    def text(value: Any) -> str:
        shown = str(value) if source is None else to_human(field.transform, source.type, value)
        return f"{field.name}={shown}"

    coded = column.dictionary_encode()
    texts = pa.array(map(text, storage_values(kind, coded.dictionary)), pa.string())
    return texts.take(coded.indices).fill_null(text(None))
