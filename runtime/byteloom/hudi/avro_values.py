"""Convert Avro values without a container to Arrow, by the schema that Hudi stores beside them.

- Null values, and all fields inside them, are null; nothing is left out.
- An error names the number of the value, the field and the place in the value.

Source: https://arrow.apache.org/docs/format/Columnar.html
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.avro.filled_columns import Columns, Placed, Valid, bits, inverted
from byteloom.avro.nodes import Enum, Lists, Node, Plain, Program, Record, Union
from byteloom.avro.program import compile_values
from byteloom.avro.value_reader import ValueReader
from byteloom.errors import FormatError, LimitExceeded, beginning, found_by
from byteloom.limits import Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["decode", "parsed", "program", "reader_of"]


@lru_cache(maxsize=64)
def program(schema: str, wanted: tuple[str, ...] | None = None) -> Program:
    """Return the program of *schema*.

    Args:
        schema: JSON.
        wanted: Top-level fields to keep; None for all.  Fields that the schema lacks are left
            out.

    Raises:
        FormatError: For anything but a schema.
        Unsupported: For one that contains itself.
    """
    if wanted is None:
        return compile_values(parsed(schema))
    return compile_values(parsed(schema), lambda field: field["name"] in wanted)


@lru_cache(maxsize=32)
def reader_of(schema: str) -> ValueReader:
    """Return what reads single records of *schema*; errors as for `program`, and for no record."""
    made = parsed(schema)
    if not isinstance(made, dict) or made.get("type") != "record":
        raise FormatError("schema", None, beginning(schema), "the schema of a record")
    return ValueReader(made)


def parsed(schema: str) -> Any:
    """Return a schema as Python objects; `FormatError` for invalid JSON."""
    try:
        return json.loads(schema)
    except (ValueError, RecursionError) as error:
        found = found_by("invalid JSON", error)
        raise FormatError("schema", None, found, "an Avro schema in JSON") from error


_NUMBERS: Final = {
    "int": np.int32,
    "long": np.int64,
    "float": np.float32,
    "double": np.float64,
}
_BYTES_MOST: Final = (1 << 31) - 1


def decode(  # noqa: PLR0913  values, and what errors say of them
    values: pa.Array | pa.ChunkedArray,
    schema: str,
    fields: tuple[str, ...] | None = None,
    *,
    first: int = 0,
    limits: Limits | None = None,
    placed: Placed | None = None,
) -> pa.Array:
    """Return Avro values as Arrow: a struct for each value if the schema is a record.

    Args:
        values: Binary, none of it null.
        schema: An Avro schema, in JSON.
        fields: The record's fields to keep; None for all.
        first: Number of the first value, for errors.
        limits: Bounds of lists and enums, as for `Columns`.
        placed: For values in one chunk: returns an error about a place in one as one about
            the file.

    Raises:
        FormatError: For a value that does not fit the schema, or has extra bytes.
    """
    made = program(schema, fields)
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    built = []
    for chunk in chunks or [pa.array([], pa.binary())]:
        laid_out = _laid_out(chunk)
        built.append(_Columns(made, *laid_out, first=first, limits=limits, placed=placed).build())
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


class _Columns(Columns):
    """The columns of some values.

    - A union of null and one other type is that type with nulls.  A union of several is a struct
      with ``branch``, the number among those that are not null, and a field for each of them.
    - Logical types are left as they are stored, since Hudi keeps the true ones elsewhere.
    """

    def __init__(  # noqa: PLR0913  as for `decode`
        self,
        made: Program,
        data: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        *,
        first: int,
        limits: Limits | None,
        placed: Placed | None,
    ) -> None:
        self._first = first
        items = 16 + int(offsets[-1] - offsets[0]) // 64
        super().__init__(made, data, offsets, items, limits=limits, placed=placed)

    def refused(self, value: int, place: int, name: str) -> tuple[str, int | None]:
        """Return the number of the value with the field, and the place in the value, for errors."""
        return f"values[{self._first + value}].{name}", place

    def build(self) -> pa.Array:
        """Return the decoded values as Arrow."""
        return self._array(self.program.root, 0, None)

    def _array(self, node: Node, level: int, valid: Valid) -> pa.Array:
        """Return the values of *node*, one for each row of *level*; null where not *valid*."""
        match node:
            case Plain():
                return self._plain(node, level, valid)
            case Enum(column, symbols):
                return self.coded(column, level, symbols, valid).cast(pa.string())
            case Record(fields):
                held = {each.name: self._array(each.node, level, valid) for each in fields}
                return self._struct(list(held), list(held.values()), level, valid)
            case Union():
                return self._union(node, level, valid)
            case Lists():
                return self._list(node, level, valid)
            case _:
                raise TypeError(node)  # no schema compiles to any other node here

    def _plain(self, node: Plain, level: int, valid: Valid) -> pa.Array:
        count = int(self.rows[level])
        if node.type == "null":
            return pa.nulls(count)
        cells = self.column(node.column, level)
        if node.type in _NUMBERS:
            made = _NUMBERS[node.type]
            width = np.dtype(made).itemsize
            raw = cells if width == 8 else cells.astype(np.int32)  # noqa: PLR2004  bytes of a word
            return pa.array(raw.view(made), mask=inverted(valid), from_pandas=False)
        if node.type == "boolean":
            return pa.array(cells.astype(np.bool_), mask=inverted(valid))
        sizes = (
            np.full(count, node.size, np.int64)
            if node.type == "fixed"
            else self.column(node.column + 1, level)
        )
        return self._text(node, cells, sizes, valid)

    def _text(
        self,
        node: Plain,
        starts: NDArray[np.int64],
        sizes: NDArray[np.int64],
        valid: Valid,
    ) -> pa.Array:
        if valid is not None:
            sizes = np.where(valid, sizes, 0)
        total = int(sizes.sum())
        if total > _BYTES_MOST:
            raise LimitExceeded("values", None, f"{total} bytes", f"at most {_BYTES_MOST} a column")
        offsets = np.empty(len(starts) + 1, np.int32)
        out = self.gathered(starts, sizes, offsets)
        buffers = [bits(valid), pa.py_buffer(offsets), pa.py_buffer(out)]
        made = pa.Array.from_buffers(pa.binary(), len(starts), buffers)
        if node.type == "string":
            try:
                return made.cast(pa.string())
            except pa.ArrowInvalid as error:
                found = found_by("invalid UTF-8", error)
                raise FormatError("values", None, found, "text in UTF-8") from error
        return made.cast(pa.binary(node.size)) if node.type == "fixed" else made

    def _union(self, node: Union, level: int, valid: Valid) -> pa.Array:
        branch = self.column(node.column, level)
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

    def _list(self, node: Lists, level: int, valid: Valid) -> pa.Array:
        inner = node.number + 1
        offsets = self.offsets(node.column, level, valid).astype(np.int32)
        items = self._array(node.items, inner, None)
        at, nulls = pa.array(offsets), pa.array(inverted(valid)) if valid is not None else None
        if node.keys is None:
            return pa.ListArray.from_arrays(at, items, mask=nulls)
        keys = self._array(node.keys, inner, None)
        return pa.MapArray.from_arrays(at, keys, items, mask=nulls)

    def _struct(
        self, names: list[str], arrays: list[pa.Array], level: int, valid: Valid
    ) -> pa.Array:
        kind = pa.struct([pa.field(n, a.type) for n, a in zip(names, arrays, strict=True)])
        count = int(self.rows[level])
        return pa.Array.from_buffers(kind, count, [bits(valid)], children=arrays)
