"""Arrow batches as rows: as JSON values, or as lines of CSV.

- Texts and maps can be listed without the secrets in them.
- As JSON values, nested values stay nested, bytes are hex, moments ISO 8601.
- Lines of CSV are made in one buffer, without a Python object per row.  Fields are quoted where
  they have a comma, a quote or the end of a line in them, as Python's `csv` does it; a row of one
  empty field is ``""``.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np
import pyarrow as pa

from byteloom.cli.printing.rows import opened_text, show_csv_parts, slices, text_of
from byteloom.late import pc
from byteloom.redaction import MAY_HIDE, without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.cli.printing.rows import Part

__all__ = [
    "as_text",
    "csv_lines",
    "parts_of",
    "plain",
    "rewritten",
    "show_csv",
    "text_column",
    "without_secret_texts",
]

_DIGITS: Final = {"s": 0, "ms": 3, "us": 6, "ns": 9}
"""Decimal digits of a second that units have."""


def parts_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Part]:
    """Yield the rows a part at a time, each as columns of JSON values."""
    for part in slices(batches):
        yield [_values(column) for column in part.columns]


def text_column(column: pa.Array, _: str) -> pa.Array:
    """Return the values of a column as large_string, each as a table prints it."""
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
    if isinstance(value, timedelta):
        return _duration(value // timedelta(microseconds=1), "us")
    return value if isinstance(value, bool | int | float | str | None) else value.isoformat()


def _duration(count: int, unit: str) -> str:
    """Return a number of units of time as ISO 8601 has it, in seconds."""
    return f"PT{Decimal(count).scaleb(-_DIGITS[unit]).normalize():f}S"


def _values(column: pa.Array) -> list[Any]:
    """Return a column as JSON values."""
    try:
        values: list[Any] = column.cast(_printable(column.type)).to_pylist()
    except (ValueError, OverflowError, pa.ArrowException):
        return [_value(each) for each in column]  # years beyond 9999, or nanoseconds inside lists
    return list(map(plain, values))


def _value(each: Any) -> Any:
    """Return a scalar of Arrow's as a JSON value; Arrow prints moments that Python lacks."""
    if not each.is_valid:
        return None
    if isinstance(each, pa.ExtensionScalar):
        return _value(each.value)
    if isinstance(each, pa.ListScalar | pa.StructScalar):
        return _nested(each)
    if isinstance(each, pa.DurationScalar):
        return _duration(each.value, each.type.unit)
    try:
        return plain(each.as_py())
    except (ValueError, OverflowError):
        return str(each.cast(pa.string())).replace(" ", "T")


def _nested(each: Any) -> Any:
    """Return a list, a map (as a list of pairs) or a struct, value by value."""
    if isinstance(each, pa.StructScalar):
        return {field.name: _value(each[at]) for at, field in enumerate(each.type)}
    if isinstance(each, pa.MapScalar):
        return [[_value(entry[0]), _value(entry[1])] for entry in each.values]
    return [_value(inner) for inner in each.values]


def _printable(of: pa.DataType) -> pa.DataType:
    """Return a type without moments in nanoseconds, which Python lacks."""
    if pa.types.is_struct(of):
        return pa.struct([pa.field(each.name, _printable(each.type), each.nullable) for each in of])
    if (pa.types.is_timestamp(of) or pa.types.is_time64(of)) and of.unit == "ns":
        return pa.string()
    return of


_TEXT: Final = pa.large_string()
_SPECIAL: Final = r'[,"\r\n]'


_AT_ONCE: Final = 16_384
"""Rows of CSV that are formatted together."""


def show_csv(
    batches: Iterable[pa.RecordBatch],
    names: list[str],
    text: Callable[[pa.Array, str], pa.Array],
    output: str | None = None,
) -> None:
    """Print rows of Arrow as CSV, or write them to *output*.

    text  gives a column as large_string, by the column and its name
    """
    with opened_text(output) as out:
        show_csv_parts((), names, out)
        for part in slices(batches, _AT_ONCE):
            columns = [text(part.column(name), name) for name in names]
            out.write(csv_lines(columns))


def csv_lines(columns: Sequence[pa.Array]) -> str:
    """Return lines, each ended by a newline; *columns* are large_string, their nulls empty."""
    fields = [_quoted(pc.fill_null(each, "")) for each in columns]
    if len(fields) == 1:
        is_empty = pc.equal(pc.binary_length(fields[0]), 0)
        fields = [pc.if_else(is_empty, pa.scalar('""', _TEXT), fields[0])]
    comma, newline = pa.scalar(",", _TEXT), pa.scalar("\n", _TEXT)
    pieces = [piece for field in fields for piece in (field, comma)]
    lines = pc.binary_join_element_wise(*pieces[:-1], newline, pa.scalar("", _TEXT))
    return str(_content(lines)[0].tobytes(), "utf-8")


def rewritten(column: pa.Array, forms: tuple[str, ...]) -> pa.Array:
    """Return a column of bytes as text; *forms* has the ASCII text for each of 256 byte values."""
    data, offsets = _content(column.cast(pa.large_binary()))
    letters, sizes = _table(forms)
    there = np.flatnonzero(np.bincount(data, minlength=256))
    widths = np.unique(sizes[there])
    if len(widths) == 1:  # the usual case: nothing is escaped, or all bytes are in hex
        offsets, out = offsets * widths[0], letters[:, : widths[0]][data].ravel()
    elif len(widths):
        ends = np.concatenate([[0], np.cumsum(sizes[data])])
        offsets, out = (
            ends[offsets],
            letters[data][np.arange(letters.shape[1]) < sizes[data][:, None]],
        )
    else:
        out = data
    buffers = [pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(out))]
    made = pa.Array.from_buffers(_TEXT, len(column), [None, *buffers])
    return pc.if_else(pc.is_valid(column), made, None) if column.null_count else made


def as_text(column: pa.Array) -> pa.Array | None:
    """Return integers or text as large_string; None for types whose text in Arrow differs."""
    of = column.type
    is_text = pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of)
    return column.cast(_TEXT) if is_text or pa.types.is_integer(of) else None


def _quoted(field: pa.Array) -> pa.Array:
    """Return a column with its special fields in quotes."""
    data, _ = _content(field)
    if not _is_special()[data].any():
        return field
    quote = pa.scalar('"', _TEXT)
    doubled = pc.replace_substring(field, '"', '""')
    inside = pc.binary_join_element_wise(quote, doubled, quote, pa.scalar("", _TEXT))
    return pc.if_else(pc.match_substring_regex(field, _SPECIAL), inside, field)


@cache
def _is_special() -> NDArray[np.bool_]:
    """The bytes that require a field to be quoted."""
    return np.isin(np.arange(256), np.frombuffer(b',"\r\n', np.uint8))


@cache
def _table(forms: tuple[str, ...]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the letters of each form in a row of an array, and their number."""
    sizes = np.array([len(each) for each in forms], np.int64)
    width = int(sizes.max())
    packed = b"".join(each.encode().ljust(width) for each in forms)
    return np.frombuffer(packed, np.uint8).reshape(256, width), sizes


def _content(array: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of a column with 64-bit offsets, and where each value begins in them."""
    _, places, data = array.buffers()
    if places is None or data is None:
        return np.empty(0, np.uint8), np.zeros(len(array) + 1, np.int64)
    offsets = np.frombuffer(places, np.int64)[array.offset : array.offset + len(array) + 1]
    content = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
    return content, offsets - offsets[0]


def without_secret_texts(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a table without the secrets in its texts and maps."""
    columns = [_without_secrets(each) for each in batch.columns]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _without_secrets(array: pa.Array) -> pa.Array:
    """An array whose texts have no secrets; of lists and structs those inside."""
    kind = array.type
    is_list = pa.types.is_list(kind) and _is_text(kind.value_type)
    if _is_text(kind) or is_list:
        texts = array.flatten() if is_list else array
        is_safe = not pc.any(pc.match_substring_regex(texts, MAY_HIDE)).as_py()
        return array if is_safe else pa.array(without_secrets(array.to_pylist()), kind)
    if pa.types.is_map(kind) and _is_text(kind.key_type):
        pairs = [each and list(without_secrets(dict(each)).items()) for each in array.to_pylist()]
        return pa.array(pairs, kind)
    if pa.types.is_struct(kind) and array.null_count == 0 and kind.num_fields:
        parts = [_without_secrets(pc.struct_field(array, at)) for at in range(kind.num_fields)]
        return pa.StructArray.from_arrays(parts, fields=list(kind))
    return array


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
