"""Which columns a Lance dataset takes: fewer than a file, since pylance reads fewer from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import ArgumentError, Unsupported
from byteloom.lance.fields import EXTENSION
from byteloom.lance.writing.schema import storage_schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["dataset_schema"]

_JSON: Final = "arrow.json"


def dataset_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema with the types that are stored.

    raises  `ArgumentError` for a dot in a name, which leads to a field of a struct; `Unsupported`
            for JSON, which pylance stores in a binary form of its own, and for what a file does
            not take
    """
    for name in schema.names:
        if "." in name:
            raise ArgumentError("schema", None, f"a column {name!r}", "names without dots")
    stored = storage_schema(schema)
    for each in stored:
        _check(each, f"schema.{each.name}")
    return stored


def _check(field: pa.Field, path: str) -> None:
    """Refuse JSON, also inside other types."""
    if (field.metadata or {}).get(EXTENSION.encode()) == _JSON.encode():
        raise Unsupported(path, None, _JSON, "its storage type, text")
    for number in range(field.type.num_fields):
        inner = field.type.field(number)
        _check(inner, f"{path}.{inner.name}")
