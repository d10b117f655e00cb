"""Tables that hold the same: values, nulls, types and names, but not what may be null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["compact", "difference", "reference"]


def reference(path: Path) -> pa.Table:
    """The table of an Arrow file, or of the Parquet file that is there instead."""
    if not path.exists():
        return pq.read_table(path.with_suffix(".parquet"))
    return pa.ipc.open_file(path).read_all()


def compact(table: pa.Table) -> pa.Table:
    """A copy of a table without slices of arrays, some of which pylance refuses."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def difference(
    found: pa.Table, expected: pa.Table, *, without_structs: bool = False, by_peer: bool = False
) -> str | None:
    """Say what is not the same in *found*; None for nothing.

    without_structs  do not compare fields of structs that are null, as version 2.0 has them
    by_peer          allow what pylance puts below a null struct: indices beyond their dictionary
    """
    if found.column_names != expected.column_names:
        return f"columns {found.column_names}, wanted {expected.column_names}"
    if found.num_rows != expected.num_rows:
        return f"{found.num_rows} rows, wanted {expected.num_rows}"
    for name in found.column_names:
        mine, theirs = found[name], expected[name]
        if (type_ := _type(mine.type)) != (wanted := _type(theirs.type)):
            return f"{name}: type {type_}, wanted {wanted}"
        mine.validate(full=not by_peer)
        if mine.equals(theirs):  # of the same type to the letter, and without NaN
            continue
        for row, (one, other) in enumerate(zip(_values(mine), _values(theirs), strict=True)):
            if not _same(one, other, without_structs=without_structs):
                return f"{name}[{row}]: {str(one)[:100]}, wanted {str(other)[:100]}"
    return None


def _type(of: pa.DataType) -> str:
    """A type without what says whether values may be null; views are read as what they show."""
    if isinstance(of, pa.BaseExtensionType):
        of = of.storage_type
    return str(of).replace(" not null", "").replace("_view", "")


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Values in Python's types, exact also where those are coarser."""
    type_ = column.type
    if isinstance(type_, pa.BaseExtensionType):
        column, type_ = column.cast(type_.storage_type), type_.storage_type
    if pa.types.is_temporal(type_) and not pa.types.is_date32(type_):
        column = column.cast(pa.int32() if pa.types.is_time32(type_) else pa.int64())
    values: list[Any] = column.to_pylist()
    return values


def _same(one: Any, other: Any, *, without_structs: bool) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (one != one and other != other)  # noqa: PLR0124  NaN
    if isinstance(one, dict) and other is None:
        return without_structs
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _same(one[key], other[key], without_structs=without_structs) for key in one
        )
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(
            _same(*pair, without_structs=without_structs) for pair in zip(one, other, strict=True)
        )
    return bool(one == other)
