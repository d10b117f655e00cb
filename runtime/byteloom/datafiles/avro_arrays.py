"""Run a program of `byteloom.datafiles.avro_program`, and make Arrow arrays of its columns.

The rules:

- Null values, and all fields inside them, are null.
- Text must be valid UTF-8, and a decimal must not have more digits than its type.

Source: https://arrow.apache.org/docs/format/Columnar.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.avro.filled_columns import BlockColumns, bits, inverted
from byteloom.datafiles.avro_program import Items, Leaf, Nullable, Record
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.avro.filled_columns import Placed, Valid
    from byteloom.datafiles.avro_program import Node, Program
    from byteloom.limits import Limits

__all__ = ["AvroColumns"]

_WORD: Final = 16
_SLACK: Final = 8


class AvroColumns(BlockColumns):
    """The columns of some blocks of records."""

    def __init__(  # noqa: PLR0913, PLR0917  (what a program may be run with)
        self,
        program: Program,
        data: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        counts: NDArray[np.int64],
        first_block: int = 0,
        limits: Limits | None = None,
        placed: Placed | None = None,
    ) -> None:
        """Decode blocks.

        Arguments and errors as for `BlockColumns`.
        """
        self._root = program.root
        super().__init__(program.steps, data, offsets, counts, first_block, limits, placed)

    def build(self) -> tuple[list[pa.Field], list[pa.Array]]:
        """Return the fields of the records that were kept, and their columns."""
        return self._fields(self._root, 1, None)

    def _fields(
        self, node: Record, level: int, valid: Valid
    ) -> tuple[list[pa.Field], list[pa.Array]]:
        """Return the fields of records, and their columns."""
        arrays = [self._array(each, level, valid) for _, _, each in node.fields]
        fields = [
            pa.field(name, array.type, metadata=metadata)
            for (name, metadata, _), array in zip(node.fields, arrays, strict=True)
        ]
        return fields, arrays

    def _array(self, node: Node, level: int, valid: Valid) -> pa.Array:
        """Return the array of a node for the rows of *level*; null where they are not *valid*."""
        match node:
            case Leaf():
                return self._leaf(node, level, valid)
            case Record():
                return self._struct(node, level, valid)
            case Nullable(column, null, inner):
                is_there = self.column(column, level) != null
                return self._array(inner, level, is_there if valid is None else is_there & valid)
            case Items():
                return self._items(node, level, valid)

    def _struct(self, node: Record, level: int, valid: Valid) -> pa.Array:
        """Return an array of records."""
        fields, arrays = self._fields(node, level, valid)
        rows = int(self.rows[level])
        return pa.Array.from_buffers(pa.struct(fields), rows, [bits(valid)], children=arrays)

    def _leaf(self, node: Leaf, level: int, valid: Valid) -> pa.Array:
        """Return an array of plain values."""
        rows = int(self.rows[level])
        if node.column < 0:
            return pa.nulls(rows, node.type)
        if node.symbols:
            return self.coded(node.column, level, node.symbols, valid).dictionary_decode()
        cells = self.column(node.column, level)
        if pa.types.is_boolean(node.type):
            return pa.array(cells.astype(np.bool_), mask=inverted(valid))
        if pa.types.is_primitive(node.type) and not pa.types.is_decimal(node.type):
            return self._numbers(node.type, cells, valid)
        sizes = (
            np.full(rows, node.size, np.int64)
            if node.size >= 0
            else self.column(node.column + 1, level)
        )
        return self._runs(node.type, cells, sizes, valid)

    @staticmethod
    def _numbers(of: pa.DataType, cells: NDArray[np.int64], valid: Valid) -> pa.Array:
        """Return an array of numbers of 32 or 64 bits."""
        words = cells if of.bit_width == cells.itemsize * 8 else cells.astype(np.int32)
        buffers = [bits(valid), pa.py_buffer(np.ascontiguousarray(words))]
        return pa.Array.from_buffers(of, len(cells), buffers)

    def _runs(
        self, of: pa.DataType, starts: NDArray[np.int64], sizes: NDArray[np.int64], valid: Valid
    ) -> pa.Array:
        """Return an array of text, bytes or decimals."""
        if valid is not None:
            sizes = np.where(valid, sizes, 0)
        if pa.types.is_decimal(of):
            return _decimals(of, self.data, starts, sizes, valid)
        offsets = np.zeros(len(starts) + 1, np.int64)
        out = self.gathered(starts, sizes, offsets, _SLACK)
        if pa.types.is_fixed_size_binary(of):
            return _fixed(of, out, valid, len(starts))
        buffers = [bits(valid), pa.py_buffer(offsets), pa.py_buffer(out)]
        made = pa.Array.from_buffers(pa.large_binary(), len(starts), buffers)
        return made.cast(of)

    def _items(self, node: Items, level: int, valid: Valid) -> pa.Array:
        """Return an array of lists or maps."""
        offsets = self.offsets(node.column, level, valid)
        item = self._array(node.item, node.number + 1, None)
        if node.keys is None and not node.is_pairs:
            of = pa.large_list(pa.field("element", item.type, metadata=node.metadata[0]))
            return _nested(of, offsets, valid, [item])
        if node.keys is None:
            entries = item
        else:
            keys = self._array(node.keys, node.number + 1, None)
            fields = [
                pa.field("key", keys.type, nullable=False, metadata=node.metadata[0]),
                pa.field("value", item.type, metadata=node.metadata[1]),
            ]
            entries = pa.StructArray.from_arrays([keys, item], fields=fields)
        key, value = entries.type
        of = pa.map_(_required(key), value)
        return _nested(of, offsets.astype(np.int32), valid, [entries])


def _nested(of: pa.DataType, offsets: Any, valid: Valid, children: list[pa.Array]) -> pa.Array:
    """Return lists or maps with these items."""
    buffers = [bits(valid), pa.py_buffer(offsets)]
    return pa.Array.from_buffers(of, len(offsets) - 1, buffers, children=children)


def _fixed(of: pa.DataType, out: NDArray[np.uint8], valid: Valid, rows: int) -> pa.Array:
    """Return bytes of fixed width, from data that omits the nulls."""
    if valid is None:
        return pa.Array.from_buffers(of, rows, [None, pa.py_buffer(out)])
    made = np.zeros((rows, of.byte_width), np.uint8)
    held = int(valid.sum())
    made[valid] = out[: held * of.byte_width].reshape(held, of.byte_width)
    return pa.Array.from_buffers(of, rows, [bits(valid), pa.py_buffer(made)])


def _decimals(
    of: pa.DataType,
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    valid: Valid,
) -> pa.Array:
    """Return decimals from big-endian two's complement of up to 16 bytes."""
    made = np.zeros((len(starts), _WORD), np.uint8)
    for size in np.unique(sizes).tolist():
        if size > _WORD:
            raise FormatError("decimal", None, f"{size} bytes", f"at most {_WORD}")
        rows = np.flatnonzero(sizes == size)
        held = data[starts[rows, None] + np.arange(size)] if size else made[rows, :0]
        made[rows, :size] = held[:, ::-1]
        if size:
            made[rows, size:] = np.where(held[:, :1] >= 1 << 7, 0xFF, 0)
    array = pa.Array.from_buffers(of, len(starts), [bits(valid), pa.py_buffer(made)])
    array.validate(full=True)
    return array


def _required(field: pa.Field) -> pa.Field:
    return pa.field(field.name, field.type, nullable=False, metadata=field.metadata)
