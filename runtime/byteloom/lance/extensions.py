"""Arrow's extension types of columns.

Files store values of a storage type, and the extension's name in the metadata of the field.  A
column has the extension type, at any depth, where pyarrow knows its name and accepts what is
stored.  Otherwise it has the storage type, and its field, or that of an inner value, keeps the name
and the parameters as metadata.  All that reads has storage types; scans convert what they return.

Source: https://arrow.apache.org/docs/format/Columnar.html#extension-types
"""

from __future__ import annotations

from typing import Final, TypeVar

import pyarrow as pa

from byteloom.lance.fields import EXTENSION

__all__ = ["Extensions", "extended_schema", "extension_metadata"]

_PARAMETERS: Final = "ARROW:extension:metadata"

_Rows = TypeVar("_Rows", pa.RecordBatch, pa.Table)


class Extensions:
    """The extension types of the columns of a scan.

    Attributes:
        schema: The schema of the columns, with these types.
    """

    def __init__(self, stored: pa.Schema, *, are_used: bool = True) -> None:
        """Find the types for a schema of stored types; *are_used* is false to keep those."""
        self.schema: pa.Schema = extended_schema(stored) if are_used else stored
        self._is_stored = self.schema is stored

    def of(self, rows: _Rows) -> _Rows:
        """Return rows of stored types with the types of the schema, without a copy of values."""
        if self._is_stored:
            return rows
        triples = zip(rows.columns, rows.schema, self.schema, strict=True)
        columns = [_column(column, stored, each.type) for column, stored, each in triples]
        return type(rows).from_arrays(columns, schema=self.schema)


def extended_schema(stored: pa.Schema) -> pa.Schema:
    """Return a schema of stored types with the extension types that pyarrow knows."""
    if not any(map(_is_extended, stored)):
        return stored
    fields = [_extended(each) if _is_extended(each) else each for each in stored]
    return pa.schema(fields, metadata=stored.metadata)


def _is_extended(field: pa.Field) -> bool:
    if field.metadata and EXTENSION.encode() in field.metadata:
        return True
    return any(_is_extended(field.type.field(each)) for each in range(field.type.num_fields))


def _extended(field: pa.Field) -> pa.Field:
    """The field as pyarrow takes it from others; as it is where an extension type refuses it."""
    try:
        return _taken(pa.nulls(0, field.type), field).schema.field(0)
    except Exception:  # noqa: BLE001  extension types are code of others, and raise anything
        return field


def _column(
    column: pa.Array | pa.ChunkedArray, stored: pa.Field, wanted: pa.DataType
) -> pa.Array | pa.ChunkedArray:
    if column.type == wanted:
        return column
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([_column(each, stored, wanted) for each in column.chunks], wanted)
    return _taken(column, stored).column(0)


def _taken(column: pa.Array, field: pa.Field) -> pa.RecordBatch:
    """A batch of a column as pyarrow takes it from another library: with extension types."""
    return pa.record_batch(pa.RecordBatch.from_arrays([column], schema=pa.schema([field])))


def extension_metadata(type_: pa.BaseExtensionType) -> dict[bytes, bytes]:
    """Return the metadata that makes a field of its storage type one of an extension type."""
    serialize = getattr(type_, "__arrow_ext_serialize__", None)
    found = {EXTENSION.encode(): type_.extension_name.encode()}
    found[_PARAMETERS.encode()] = _of_arrow(type_) if serialize is None else serialize()
    return found


def _of_arrow(type_: pa.BaseExtensionType) -> bytes:
    """The parameters of a type of Arrow's own, which Python does not expose.

    A serialized schema has them; it is read under a name that Arrow does not know.
    """
    name = type_.extension_name.encode()
    stored = pa.schema([pa.field("", type_)]).serialize().to_pybytes()
    field = pa.ipc.read_schema(pa.py_buffer(stored.replace(name, b"?" * len(name)))).field(0)
    found: bytes = (field.metadata or {}).get(_PARAMETERS.encode(), b"")
    return found
