"""A plan as the rows that ``byteloom table plan`` prints, made column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from byteloom import compute as pc

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.iceberg.partition_spec import PartitionField
    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.planning.scan import Scan
    from byteloom.iceberg.planning.tasks import DeleteFile
    from byteloom.iceberg.types import Type

__all__ = ["plan_rows", "plan_schema"]


def plan_schema(*, is_short: bool) -> pa.Schema:
    """Return the columns of a plan that is printed; *is_short*: a delete file is one text."""
    import pyarrow as pa

    delete = [
        ("content", pa.int32()),
        ("file_path", pa.string()),
        ("content_offset", pa.int64()),
        ("content_size_in_bytes", pa.int64()),
    ]
    return pa.schema(
        [
            ("file_path", pa.string()),
            ("spec_id", pa.int32()),
            ("partition", pa.string()),
            ("record_count", pa.int64()),
            ("file_size_in_bytes", pa.int64()),
            ("deletes", pa.list_(pa.string() if is_short else pa.struct(delete))),
            ("residual", pa.string()),
        ]
    )


def plan_rows(asked: Scan, part: Plan, schema: pa.Schema, *, is_short: bool) -> pa.RecordBatch:
    """Return the files of a part of a plan, with the columns of *schema*, a `plan_schema`."""
    import pyarrow as pa

    files = part.files.combine_chunks()
    residuals = pa.array(map(str, part.residuals), pa.string())
    delete = schema.field("deletes").type.value_type
    found = {
        "partition": _partitions(asked, part, files),
        "deletes": _deletes(part, files, delete, is_short=is_short),
        "residual": residuals.take(files["residual"].combine_chunks()),
    }
    columns = [
        found[each.name] if each.name in found else files[each.name].combine_chunks()
        for each in schema
    ]
    arrays = [each.cast(field.type) for each, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _deletes(part: Plan, files: pa.Table, of: pa.DataType, *, is_short: bool) -> pa.ListArray:
    """The delete files of each data file."""
    import pyarrow as pa

    known = pa.array([_delete(each, is_short=is_short) for each in part.delete_files], of)
    lists = files["deletes"].combine_chunks()
    offsets = np.concatenate([[0], np.cumsum(pc.list_value_length(lists).to_numpy())])
    return pa.ListArray.from_arrays(offsets.astype(np.int32), known.take(lists.flatten()))


def _delete(file: DeleteFile, *, is_short: bool) -> Any:
    """A delete file, as metadata tables name its parts; vectors that share a file have offsets."""
    if is_short:
        at = f" at byte {file.content_offset}" if file.is_deletion_vector else ""
        return f"{file.file_path}{at}"
    return {
        "content": file.content,
        "file_path": file.file_path,
        "content_offset": file.content_offset,
        "content_size_in_bytes": file.content_size,
    }


def _partitions(asked: Scan, part: Plan, files: pa.Table) -> pa.Array:
    """The partition values of each file as people read them."""
    import pyarrow as pa

    specs, rows = files["spec_id"].to_numpy(), files["partition"].to_numpy()
    texts, order = [pa.array([], pa.string())], np.empty(len(specs), np.int64)
    done = 0
    for spec_id in np.unique(specs).tolist():
        places = np.flatnonzero(specs == spec_id)
        texts.append(_texts(asked, part, spec_id, rows[places]))
        order[places] = np.arange(done, done + len(places))
        done += len(places)
    return pa.concat_arrays(texts).take(pa.array(order))


def _texts(asked: Scan, part: Plan, spec_id: int, rows: np.ndarray) -> pa.Array:
    """The partitions of a spec that have these numbers, as ``city=Oslo, day=2024-01-01``."""
    import pyarrow as pa

    columns = part.partitions[spec_id].take(pa.array(rows)).flatten()
    named = {
        each.name: (each.type, column)
        for each, column in zip(part.types[spec_id].fields, columns, strict=True)
    }
    fields = asked.table.metadata.partition_specs[spec_id].fields
    if not fields:
        return pa.array([""] * len(rows), pa.string())
    texts = [_field_text(asked, each, *named[each.name]) for each in fields]
    return pc.binary_join_element_wise(*texts, ", ")


def _field_text(asked: Scan, field: PartitionField, kind: Type, column: pa.Array) -> pa.Array:
    """A column of partition values, each value made into text once."""
    import pyarrow as pa

    from byteloom.iceberg.transforms import to_human
    from byteloom.iceberg.transforms.arrays import storage_values

    source = asked.schema.find(field.source_id)

    def text(value: Any) -> str:
        shown = str(value) if source is None else to_human(field.transform, source.type, value)
        return f"{field.name}={shown}"

    coded = column.dictionary_encode()
    texts = pa.array(map(text, storage_values(kind, coded.dictionary)), pa.string())
    return texts.take(coded.indices).fill_null(text(None))
