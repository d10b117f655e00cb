"""Statistics of a Parquet file's row groups.

The rules:

- A bound is returned in binary form, for the file's type.
- Bounds whose unit or order is not that of the type are left out.

Source: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.datafiles.data_file import UNKNOWN, Stated
from byteloom.datafiles.fields import field_id, inner_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["RowGroupStats"]

_INT: Final = struct.Struct("<i")
_LONG: Final = struct.Struct("<q")


class RowGroupStats:
    """The statistics of each row group, one row per row group."""

    def __init__(
        self, metadata: Any, fields: Sequence[pa.Field], unreadable: Collection[int] = ()
    ) -> None:
        """Keep a file's footer, its columns, and which leaves cannot be read."""
        self._groups = [metadata.row_group(each) for each in range(metadata.num_row_groups)]
        leaves = enumerate(leaf for each in fields for leaf in _leaves(each, known=True))
        self._leaves = {
            number: (at, of) for at, (number, of) in leaves if number >= 0 and at not in unreadable
        }

    @property
    def record_count(self) -> NDArray[np.int64]:
        """The number of rows of each row group."""
        return np.array([each.num_rows for each in self._groups], np.int64)

    def stated(self, field_id: int) -> list[Stated]:
        """Return what each row group states of a column."""
        if field_id not in self._leaves:
            return [UNKNOWN] * len(self._groups)
        leaf, of = self._leaves[field_id]
        return [_stated(each, leaf, of) for each in self._groups]


def _stated(group: Any, leaf: int, of: pa.DataType) -> Stated:
    """Return what a row group states of a leaf of type *of*."""
    stats = group.column(leaf).statistics
    if stats is None:
        return UNKNOWN
    nulls = stats.null_count if stats.has_null_count else -1
    write = _form(of, stats.physical_type)
    if write is None or not stats.has_min_max:
        return Stated(group.num_rows, nulls, None, None)
    return Stated(group.num_rows, nulls, write(stats.min_raw), write(stats.max_raw))


def _leaves(field: pa.Field, *, known: bool) -> Iterator[tuple[int, pa.DataType]]:
    """Yield the id and type of each leaf; the id is -1 in lists and maps, and without an id."""
    inner = inner_fields(field.type)
    if not inner:
        yield field_id(field) if known else -1, field.type
    for each in inner:
        yield from _leaves(each, known=known and pa.types.is_struct(field.type))


@lru_cache(maxsize=256)
def _form(of: pa.DataType, physical: str) -> Callable[[Any], bytes] | None:
    """Return the function that encodes a bound; None if the bound does not compare alike."""
    if physical == "INT32" and (pa.types.is_date32(of) or pa.types.is_int32(of)):
        return _INT.pack
    if physical == "INT64" and (pa.types.is_int64(of) or _is_micros(of)):
        return _LONG.pack
    if physical in {"INT32", "INT64"} and pa.types.is_decimal(of):
        return _decimal
    if physical == "BYTE_ARRAY" and not pa.types.is_decimal(of):
        return bytes
    return _OTHERS.get(physical)


def _is_micros(of: pa.DataType) -> bool:
    """Return whether a type counts microseconds, as most of Iceberg's do."""
    return bool((pa.types.is_timestamp(of) or pa.types.is_time64(of)) and of.unit == "us")


def _decimal(unscaled: int) -> bytes:
    """Return a decimal as big-endian two's complement."""
    return unscaled.to_bytes(8, "big", signed=True)


_OTHERS: Final[dict[str, Callable[[Any], bytes]]] = {
    "BOOLEAN": lambda value: bytes([value]),
    "FLOAT": struct.Struct("<f").pack,
    "DOUBLE": struct.Struct("<d").pack,
}
