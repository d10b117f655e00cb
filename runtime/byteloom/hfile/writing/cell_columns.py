"""The cells given to a writer, as columns that a compiled loop reads.

- Columns have the names that a scan gives; `key` is another name of ``row``. A column that is left
  out has one value in all cells: no family, no qualifier, the latest timestamp, a put, no sequence
  number.
- A column of another name is refused, since it would be lost; so is a null, which no cell can hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arrow.data import batches_of
from byteloom.errors import ArgumentError, FormatError
from byteloom.hfile.bloom_keys import Keys, keys_of, no_names
from byteloom.hfile.cells import COLUMNS
from byteloom_generated.hfile.cell_scan import PUT_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Columns", "check_columns", "columns_of", "integers_of", "not_bytes"]

_KEY: Final = "key"
_BINARY: Final = tuple(each.name for each in PUT_CELLS.columns if each.form == "view")
_NUMBERS: Final[dict[str, tuple[pa.DataType, int]]] = {
    each.name: (pa.from_numpy_dtype(each.form), each.default)
    for each in PUT_CELLS.columns
    if each.form != "view"
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The cells of one batch: the places and the bytes of each column."""

    binary: tuple[Keys, ...]
    numbers: tuple[NDArray[Any], ...]

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.binary[0])

    def part(self, begin: int, end: int) -> Columns:
        """Return some of the cells."""
        return Columns(
            tuple(each.part(begin, end) for each in self.binary),
            tuple(each[begin:end] for each in self.numbers),
        )

    def values(self, number: int) -> list[bytes | int]:
        """Return the values of one cell, in the order of the columns of a put."""
        found: dict[str, bytes | int] = {}
        found |= zip(_NUMBERS, (int(each[number]) for each in self.numbers), strict=True)
        found |= zip(_BINARY, (each.at(number) for each in self.binary), strict=True)
        return [found[each.name] for each in PUT_CELLS.columns]

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Yield the arrays of all columns, as the loop that puts cells takes them."""
        for column in PUT_CELLS.columns:
            if column.name in _NUMBERS:
                yield self.numbers[list(_NUMBERS).index(column.name)]
            else:
                yield from self.binary[_BINARY.index(column.name)]

    def shown(self, name: str, number: int) -> str:
        """Return the value of a cell as an error shows it; for bytes, only their number."""
        if name in _NUMBERS:
            return str(self.numbers[list(_NUMBERS).index(name)][number])
        return f"{len(self.binary[_BINARY.index(name)].at(number)):,} bytes"


def check_columns(names: Sequence[str]) -> list[str]:
    """Return *names* with ``row`` for ``key``.

    Raises:
        FormatError: For unknown columns, for repeated ones, and without rows.
    """
    found = [("row" if name == _KEY else name) for name in names]
    for name in found:
        if name not in COLUMNS:
            known = ", ".join((*COLUMNS, _KEY))
            wanted = f"one of {known}; on the command line --columns maps others"
            raise ArgumentError("columns", None, repr(name), wanted)
        if found.count(name) > 1:
            raise ArgumentError("columns", None, f"{name!r} twice", "it once, as row or as key")
    if "row" not in found:
        raise ArgumentError("columns", None, ", ".join(found), "a column row, or key")
    return found


def columns_of(data: Any) -> Iterator[Columns]:
    """Yield the batches of Arrow data.

    Args:
        data: A batch, a table, a stream, or a list or generator of them.

    Raises:
        FormatError: For unknown columns.
    """
    for batch in batches_of(data):
        names = check_columns(batch.schema.names)
        given = dict(zip(names, batch.columns, strict=True))
        if batch.num_rows:
            yield Columns(
                tuple(_binary(given, name, batch.num_rows) for name in _BINARY),
                tuple(_numbers(given, name, batch.num_rows) for name in _NUMBERS),
            )


def not_bytes(name: str, kind: pa.DataType) -> ArgumentError:
    """Return the error about a column *name* of another type than bytes or text."""
    wanted = "bytes or text"
    if pa.types.is_primitive(kind) or pa.types.is_decimal(kind):
        wanted += "; a .csv file as input has text, in Python `column.cast('string')` makes it"
    return ArgumentError(name, None, str(kind), wanted)


def _binary(given: dict[str, Any], name: str, count: int) -> Keys:
    keys = no_names(count)
    if name in given:
        try:
            keys = keys_of(given[name])
        except pa.ArrowException as error:
            raise not_bytes(name, given[name].type) from error
        except FormatError as error:
            error.path = name
            raise
    for array in keys:  # one type of array for the compiled loop
        array.flags.writeable = False
    return keys


def _numbers(given: dict[str, Any], name: str, count: int) -> NDArray[Any]:
    """Return a column as integers; ``timestamp`` may also be an Arrow timestamp."""
    wanted, default = _NUMBERS[name]
    if name not in given:
        out = np.full(count, default, wanted.to_pandas_dtype())
    else:
        out = integers_of(name, given[name]).to_numpy(zero_copy_only=False)
    out.flags.writeable = False
    return out


def integers_of(name: str, array: Any) -> Any:
    """Return the values of the column *name*, an array or chunks of one, as the writer's integers.

    Raises:
        ArgumentError: For other values, and nulls.
    """
    wanted, _ = _NUMBERS[name]
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    is_moment = name == "timestamp" and pa.types.is_timestamp(array.type)
    if not (is_moment or pa.types.is_integer(array.type) or pa.types.is_null(array.type)):
        needed = "integers or timestamps" if name == "timestamp" else "integers"
        raise ArgumentError(name, None, f"{array.type}", needed)
    if array.null_count:
        raise ArgumentError(name, None, f"{array.null_count} nulls", "a number in every row")
    try:
        if is_moment:
            array = array.cast(pa.timestamp("ms", array.type.tz)).cast(pa.int64())
        return array.cast(wanted)
    except pa.ArrowException as error:
        raise ArgumentError(name, None, f"{array.type}", f"numbers that fit {wanted}") from error
