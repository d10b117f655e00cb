"""Convert a plan to the rows that ``byteloom table plan`` prints, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from byteloom.iceberg.planning.planned_scan import partition_texts
from byteloom.late import pa, pc

if TYPE_CHECKING:
    from byteloom.iceberg.planning.plan import DeleteFile, Plan
    from byteloom.iceberg.scan import TableScan

__all__ = ["plan_rows", "plan_schema"]


def plan_schema(*, is_short: bool) -> pa.Schema:
    """Return the columns of a printed plan; with *is_short*, a delete file is a single text."""
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


def plan_rows(scan: TableScan, part: Plan, schema: pa.Schema, *, is_short: bool) -> pa.RecordBatch:
    """Return the files of a part of a plan, with the columns of *schema*, a `plan_schema`."""
    files = part.files.combine_chunks()
    residuals = pa.array(map(str, part.residuals), pa.string())
    delete = schema.field("deletes").type.value_type
    found = {
        "partition": partition_texts(scan, part),
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
