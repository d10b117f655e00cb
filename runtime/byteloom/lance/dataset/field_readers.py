"""Readers of fields that are not one column of one file, beside those of Lance files.

- A fragment's files may have a part of a field each, or none of it.
- Files have JSON in a binary form, JSONB, as `lance.json`.  As in pylance, datasets have the text;
  single files have the bytes.

Source: https://lance.org/format/table/, specs/lance/SOURCE.md ("JSONB")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.kernels.lance_jsonb import DEEPEST, json_texts
from byteloom.lance.field_reading import made_of
from byteloom.lance.types import arrow_field
from byteloom.late import pc
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from byteloom.lance.field_reading import FieldReader, Leaf, Rows
    from byteloom.lance.fields import Field

__all__ = ["AbsentField", "JsonReader", "MergedStruct", "NamedReader", "texts_of"]


class AbsentField:
    """A field that no file of the fragment has: it was added later, and is null."""

    leaves: tuple[Leaf, ...] = ()
    joins = False

    def __init__(self, field: Field, length: int) -> None:
        """Set up a field of *length* nulls."""
        self._type, self.length = arrow_field(field).type, length

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return a null for each row."""
        del parts
        return _nulls(len(rows), self._type)


class NamedReader:
    """A field of one of several files; errors name the file."""

    def __init__(self, reader: FieldReader, file_name: str | None) -> None:
        """Read the rows of *reader*; *file_name* is None if the file has no name."""
        self._reader, self._name = reader, file_name
        self.length, self.leaves, self.joins = reader.length, reader.leaves, False

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*, of which *parts* has the array of each leaf."""
        with about_file(self._name):
            return self._reader.made(parts, rows)


class MergedStruct:
    """A struct whose children are in several files; the first file says where it is null."""

    joins = False

    def __init__(self, field: Field, parts: Sequence[tuple[Field, FieldReader]]) -> None:
        """Combine the parts of the struct.

        Args:
            parts: For each file, the struct narrowed to its fields, and their reader.
        """
        self._type = arrow_field(field).type
        self._parts = [each for _, each in parts]
        self.length = self._parts[0].length
        self.leaves = [leaf for each in self._parts for leaf in each.leaves]

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*, of which *parts* has the array of each leaf."""
        return _merged(made_of(self._parts, parts, rows), self._type)


def _nulls(count: int, type_: pa.DataType) -> pa.Array:
    """Return *count* nulls, of a field that no file has."""
    try:
        return pa.nulls(count, type_)
    except (pa.ArrowException, MemoryError, OverflowError) as error:
        found = f"{count} nulls of {type_}"
        raise LimitExceeded("field", None, found, "as many as memory has room for") from error


def _merged(parts: Sequence[Any], type_: pa.DataType) -> pa.Array:
    """Combine structs, each of which has some of the children; those that none has are null."""
    first = parts[0]
    if len(parts) == 1:
        return _filled(first, type_)
    if any(not pa.types.is_struct(each.type) for each in parts):
        wanted = "parts only of structs"
        raise Unsupported("field", None, f"parts of {first.type} in several files", wanted)
    if any(len(each) != len(first) for each in parts):
        raise FormatError("field", None, "files of different lengths", f"{len(first)} rows in each")
    children = []
    for field in type_:
        places = [each.type.get_field_index(field.name) for each in parts]
        found = [
            each.field(at) if each is first else pc.struct_field(each, [at])  # null where each is
            for each, at in zip(parts, places, strict=True)
            if at >= 0
        ]
        if not found:
            children.append(_nulls(len(first), field.type))
        else:
            children.append(_merged(found, field.type))
    mask = first.is_null() if first.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)


def _filled(
    array: Any, type_: pa.DataType, leaf: Callable[[pa.Array], pa.Array] | None = None
) -> pa.Array:
    """Return an array with all fields of a type; those that it lacks are null.

    Rows may be appended without fields of structs, including structs in lists and maps.

    Args:
        leaf: Changes values that have another type; None where there are none.
    """
    if array.type == type_:
        return array
    if pa.types.is_struct(type_):
        there = [array.type.get_field_index(each.name) for each in type_]
        children = [
            _nulls(len(array), each.type) if at < 0 else _filled(array.field(at), each.type, leaf)
            for at, each in zip(there, type_, strict=True)
        ]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)
    if leaf is not None and not type_.num_fields:
        return leaf(array)
    is_fixed, is_map = pa.types.is_fixed_size_list(type_), pa.types.is_map(type_)
    items = pa.struct([type_.key_field, type_.item_field]) if is_map else type_.value_type
    values = _filled(array.values, items, leaf)
    buffers = array.buffers()[: 1 if is_fixed else 2]
    return pa.Array.from_buffers(type_, len(array), buffers, offset=array.offset, children=[values])


_COLUMNS = 7
_LEAST_DOUBLE = 9


class JsonReader:
    """A field that is JSON, or has JSON inside, as text."""

    def __init__(self, reader: FieldReader, field: Field) -> None:
        """Read *field*, of which *reader* has the bytes."""
        self._reader, self._path, self._type = reader, field.path, arrow_field(field).type
        self.length, self.leaves, self.joins = reader.length, reader.leaves, reader.joins

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*, of which *parts* has the array of each leaf."""
        stored = self._reader.made(parts, rows)
        return _filled(stored, self._type, lambda each: texts_of(each, self._path))


def texts_of(array: pa.Array, path: str) -> pa.Array:
    """Return the JSON text of an array of JSONB, as strings.

    Args:
        path: The name of the field in errors.

    Raises:
        FormatError: For damage, and for values that no JSON text has: dates, decimals.
        Unsupported: For texts of 2 GiB and more together.
    """
    starts, ends, data = _places(array)
    count = len(array)
    doubles = np.empty(len(data) // _LEAST_DOUBLE + 1, np.uint64)
    out_ends = np.zeros(count, np.int64)
    stack, where = np.zeros((DEEPEST, _COLUMNS), np.int64), np.zeros(2, np.int64)
    none, no_ends = np.empty(0, np.uint8), np.empty(0, np.int64)

    def run(texts: NDArray[np.uint8], text_ends: NDArray[np.int64], out: NDArray[np.uint8]) -> int:
        arrays = data, starts, ends, doubles, texts, text_ends, out, out_ends, stack, where
        return int(json_texts(*arrays))

    found = run(none, no_ends, none)
    if found < 0:
        row, place = where.tolist()
        at, wanted = place - int(starts[row]), "JSON in the form JSONB"
        shown = _shown(data[: int(ends[row])], place)
        raise FormatError(f"{path}[{row}]", None, f"{shown} at its byte {at}", wanted)
    if not np.isfinite(doubles[:found].view(np.float64)).all():
        raise FormatError(path, None, "a number that is not finite", "JSON in the form JSONB")
    texts, text_ends = _formatted(doubles[:found])
    # Between the texts of doubles are commas.
    size = (int(out_ends[-1]) if count else 0) + len(texts) - max(found - 1, 0)
    if size > np.iinfo(np.int32).max:
        raise Unsupported(path, None, f"{size} bytes of text", "batches of less than 2 GiB of text")
    out = np.empty(size, np.uint8)
    run(texts, text_ends, out)
    offsets = np.concatenate([np.zeros(1, np.int64), out_ends]).astype(np.int32)
    validity = array.is_valid().buffers()[1] if array.null_count else None
    buffers = [validity, pa.py_buffer(offsets), pa.py_buffer(out)]
    made = pa.Array.from_buffers(pa.string(), count, buffers)
    try:
        made.validate(full=True)
    except pa.ArrowInvalid as error:
        raise FormatError(path, None, "text that is not UTF-8", "JSON in UTF-8") from error
    return made


def _places(array: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """Where each value begins, -1 for nulls, and where it ends; and the bytes of all."""
    wide = array.cast(pa.large_binary())
    _, stored, values = wide.buffers()
    offsets = np.frombuffer(stored, np.int64)[wide.offset : wide.offset + len(wide) + 1]
    data = np.frombuffer(values or b"", np.uint8)
    valid = wide.is_valid().to_numpy(zero_copy_only=False)
    return np.where(valid, offsets[:-1], -1), offsets[1:].copy(), data


def _formatted(doubles: NDArray[np.uint64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The shortest text of each number, with commas between them, and where each ends.

    As Rust's writer of JSON has them: from 1e-5 to 1e16 without an exponent, others with its sign.
    """
    listed = msgspec.json.encode(doubles.view(np.float64).tolist())[1:-1]
    signed = listed.replace(b"e", b"e+").replace(b"e+-", b"e-")
    data = np.frombuffer(signed, np.uint8)
    return data, np.append(np.flatnonzero(data == ord(",")), len(data))


def _shown(data: Any, place: int) -> str:
    """The four bytes at a place."""
    return repr(bytes(data[place : place + 4]))
