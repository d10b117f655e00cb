"""Arrow batches as rows: nested values stay nested, bytes are hex, moments ISO 8601."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from byteloom.cli.rows import Form, form_for, show, slices

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

__all__ = ["plain", "show_batches", "show_table"]


def show_batches(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, form: Form, output: str | None = None
) -> None:
    """Print *batches*, or write them to the file *output*."""
    from byteloom.cli.parquet import write_parquet

    form = form_for(form, output)
    if form is Form.PARQUET:
        write_parquet(batches, schema, output)
        return
    parts = ([_values(column) for column in part.columns] for part in slices(batches))
    show(parts, schema.names, form, output)


def show_table(table: pa.Table, form: Form, output: str | None = None) -> None:
    """Print *table*, or write it to the file *output*."""
    show_batches(table.to_batches(), table.schema, form, output)


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, UUID | Decimal):
        return str(value)
    return value if isinstance(value, bool | int | float | str | None) else value.isoformat()


def _values(column: pa.Array) -> list[Any]:
    """The values of a column as JSON has them; moments that Python cannot hold as text."""
    try:
        held: list[Any] = column.cast(_printable(column.type)).to_pylist()
    except (ValueError, OverflowError):  # a year beyond 9999, or before 1
        held = [str(each) for each in column]
    return list(map(plain, held))


def _printable(of: pa.DataType) -> pa.DataType:
    """A type without nanoseconds."""
    import pyarrow as pa

    if pa.types.is_struct(of):
        return pa.struct([pa.field(each.name, _printable(each.type), each.nullable) for each in of])
    if pa.types.is_timestamp(of) and of.unit == "ns":
        return pa.string()
    return of
