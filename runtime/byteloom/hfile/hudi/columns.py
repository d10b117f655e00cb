"""Running a program of `byteloom.hfile.hudi.avro` over values, and Arrow from the columns it fills.

- Values that are null, and what lies below a null, are null; nothing is left out.
- An error tells the number of the value, the field and the place in the value.

Source: https://arrow.apache.org/docs/format/Columnar.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded
from byteloom.hfile.hudi.avro import program
from byteloom.hfile.hudi.avro_nodes import Enum, Lists, Plain, Record, Union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.hfile.hudi.avro_nodes import Node, Program

__all__ = ["decode"]

_NUMBERS: Final = {
    "int": np.int32,
    "long": np.int64,
    "float": np.float32,
    "double": np.float64,
}
_BYTES_MOST: Final = (1 << 31) - 1


def decode(
    values: pa.Array | pa.ChunkedArray,
    schema: str,
    fields: tuple[str, ...] | None = None,
    *,
    first: int = 0,
) -> pa.Array:
    """Return Avro values as Arrow: a struct for each, where the schema is that of a record.

    values  binary, none of it null
    schema  Avro's, in JSON
    fields  of the record, to keep; None for all
    first   number of the first value, for errors
    raises  `FormatError` for a value that is not of the schema, or goes on behind its end
    """
    made = program(schema, fields)
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    built = []
    for chunk in chunks or [pa.array([], pa.binary())]:
        built.append(_Columns(made, *_laid_out(chunk), first=first).build())
        first += len(chunk)
    return built[0] if len(built) == 1 else pa.concat_arrays(built)


def _laid_out(values: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of all values, and where each begins."""
    if values.null_count:
        raise FormatError("values", None, f"{values.null_count} nulls", "binary")
    if not pa.types.is_binary(values.type):
        values = values.cast(pa.binary())
    _, at, data = values.buffers()
    offsets = np.frombuffer(at, np.int32)[values.offset : values.offset + len(values) + 1]
    return np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8), offsets.astype(
        np.int64
    )


class _Columns:
    """The columns of some values."""

    def __init__(
        self, made: Program, data: NDArray[np.uint8], offsets: NDArray[np.int64], *, first: int
    ) -> None:
        self._made, self._data, self._first = made, data, first
        self._levels = np.array(made.levels, np.int64)
        room = np.full(len(made.bodies) + 1, 16 + int(offsets[-1] - offsets[0]) // 64, np.int64)
        room[0] = len(offsets) - 1
        while not self._fill(offsets, room):
            room[1:] *= 4

    def _fill(self, offsets: NDArray[np.int64], room: NDArray[np.int64]) -> bool:
        """Run the program; False where there is not room enough."""
        from byteloom.kernels import avro_columns as kernel

        sizes = room[self._levels] if len(self._levels) else room[:0]
        self._base = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        self._cells = np.zeros(max(int(self._base[-1]), 1), np.int64)
        self.rows = np.zeros(len(room), np.int64)
        told = np.zeros(3, np.int64)
        code, jumps, bodies, levels = self._made.arrays()
        wrong = kernel.columns(
            self._data,
            offsets,
            code,
            jumps,
            bodies,
            levels,
            self._base,
            self._cells,
            room,
            self.rows,
            np.zeros(len(room), np.int64),
            told,
        )
        if wrong == kernel.FULL:
            return False
        if wrong:
            value, place, step = (int(each) for each in told)
            start = int(offsets[value])
            found = bytes(self._data[place : min(place + 10, offsets[value + 1])]).hex(" ")
            raise FormatError(
                f"values[{self._first + value}].{self._made.names[step]}",
                place - start,
                found or "nothing",
                kernel.WRONG[wrong],
            )
        return True

    def build(self) -> pa.Array:
        """Return what the schema says, as Arrow."""
        return self._array(self._made.root, 0, None)

    def _column(self, number: int, level: int) -> NDArray[np.int64]:
        start = self._base[number]
        return self._cells[start : start + self.rows[level]]

    def _array(self, node: Node, level: int, valid: NDArray[np.bool_] | None) -> pa.Array:
        """Return a node's rows, of *level*; null where they are not *valid*."""
        match node:
            case Plain():
                return self._plain(node, level, valid)
            case Enum(column, symbols):
                index = pa.array(self._column(column, level), pa.int32(), mask=_not(valid))
                return pa.DictionaryArray.from_arrays(index, pa.array(symbols)).cast(pa.string())
            case Record(fields):
                arrays = [self._array(each, level, valid) for each in fields.values()]
                return self._struct(list(fields), arrays, level, valid)
            case Union():
                return self._union(node, level, valid)
            case Lists():
                return self._list(node, level, valid)

    def _plain(self, node: Plain, level: int, valid: NDArray[np.bool_] | None) -> pa.Array:
        count = int(self.rows[level])
        if node.type == "null":
            return pa.nulls(count)
        cells = self._column(node.column, level)
        if node.type in _NUMBERS:
            made = _NUMBERS[node.type]
            width = np.dtype(made).itemsize
            raw = cells if width == 8 else cells.astype(np.int32)  # noqa: PLR2004  bytes of a word
            return pa.array(raw.view(made), mask=_not(valid), from_pandas=False)
        if node.type == "boolean":
            return pa.array(cells.astype(np.bool_), mask=_not(valid))
        sizes = (
            np.full(count, node.size, np.int64)
            if node.type == "fixed"
            else self._column(node.column + 1, level)
        )
        return self._text(node, cells, sizes, valid)

    def _text(
        self,
        node: Plain,
        starts: NDArray[np.int64],
        sizes: NDArray[np.int64],
        valid: NDArray[np.bool_] | None,
    ) -> pa.Array:
        from byteloom.kernels.avro_columns import gather

        if valid is not None:
            sizes = np.where(valid, sizes, 0)
        total = int(sizes.sum())
        if total > _BYTES_MOST:
            raise LimitExceeded("values", None, f"{total} bytes", f"at most {_BYTES_MOST} a column")
        offsets = np.empty(len(starts) + 1, np.int32)
        out = np.empty(max(total, 1), np.uint8)
        gather(self._data, starts, sizes, offsets, out)
        buffers = [_bits(valid), pa.py_buffer(offsets), pa.py_buffer(out)]
        made = pa.Array.from_buffers(pa.binary(), len(starts), buffers)
        if node.type == "string":
            try:
                return made.cast(pa.string())
            except pa.ArrowInvalid as error:
                raise FormatError("values", None, str(error), "text in UTF-8") from error
        return made.cast(pa.binary(node.size)) if node.type == "fixed" else made

    def _union(self, node: Union, level: int, valid: NDArray[np.bool_] | None) -> pa.Array:
        branch = self._column(node.column, level)
        true = branch != node.null
        valid = true if valid is None else valid & true
        others = [each for number, each in enumerate(node.branches) if number != node.null]
        if len(others) == 1:
            return self._array(others[0][1], level, valid)
        numbers = [number for number in range(len(node.branches)) if number != node.null]
        rank = np.zeros(len(node.branches) + 1, np.int8)
        rank[numbers] = range(len(numbers))
        arrays = [pa.array(rank[branch], mask=~valid)]
        for number, (_, each) in zip(numbers, others, strict=True):
            arrays.append(self._array(each, level, valid & (branch == number)))
        return self._struct(["branch", *(name for name, _ in others)], arrays, level, valid)

    def _list(self, node: Lists, level: int, valid: NDArray[np.bool_] | None) -> pa.Array:
        inner = node.number + 1
        starts, ends = self._column(node.column, level), self._column(node.column + 1, level)
        sizes = ends - starts if valid is None else np.where(valid, ends - starts, 0)
        offsets = np.zeros(len(sizes) + 1, np.int32)
        np.cumsum(sizes, out=offsets[1:])
        items = self._array(node.items, inner, None)
        at, nulls = pa.array(offsets), pa.array(_not(valid)) if valid is not None else None
        if node.keys is None:
            return pa.ListArray.from_arrays(at, items, mask=nulls)
        keys = self._array(node.keys, inner, None)
        return pa.MapArray.from_arrays(at, keys, items, mask=nulls)

    def _struct(
        self, names: list[str], arrays: list[pa.Array], level: int, valid: NDArray[np.bool_] | None
    ) -> pa.Array:
        kind = pa.struct([pa.field(n, a.type) for n, a in zip(names, arrays, strict=True)])
        count = int(self.rows[level])
        return pa.Array.from_buffers(kind, count, [_bits(valid)], children=arrays)


def _not(valid: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    return None if valid is None else ~valid


def _bits(valid: NDArray[np.bool_] | None) -> pa.Buffer | None:
    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
