"""Arrow batches as rows: nested values stay nested, bytes are hex, moments ISO 8601."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from byteloom.cli.rows import slices, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from byteloom.cli.rows import Part

__all__ = ["parts_of", "plain", "text_column"]


def parts_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Part]:
    """Yield the rows a part at a time, each as columns of JSON values."""
    for part in slices(batches):
        yield [_values(column) for column in part.columns]


def text_column(column: pa.Array, _: str) -> pa.Array:
    """Return the values of a column as large_string, each as a table prints it."""
    import pyarrow as pa

    from byteloom.cli.csv_lines import as_text

    made = as_text(column)
    return pa.array(map(text_of, _values(column)), pa.large_string()) if made is None else made


def plain(value: Any) -> Any:
    """Convert a value to one that JSON can represent."""
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
    """Return a column as JSON values; timestamps outside Python's range become text."""
    try:
        held: list[Any] = column.cast(_printable(column.type)).to_pylist()
    except (ValueError, OverflowError):  # a year beyond 9999, or before 1
        held = [str(each) for each in column]
    return list(map(plain, held))


def _printable(of: pa.DataType) -> pa.DataType:
    """Return a type without nanoseconds, which Python lacks."""
    import pyarrow as pa

    if pa.types.is_struct(of):
        return pa.struct([pa.field(each.name, _printable(each.type), each.nullable) for each in of])
    if pa.types.is_timestamp(of) and of.unit == "ns":
        return pa.string()
    return of
