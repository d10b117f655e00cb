"""Which columns a Lance dataset takes: fewer than a file, since pylance reads fewer from it.

Rows to append may lack fields that may be null: their data files do not have them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byteloom.errors import ArgumentError, Unsupported
from byteloom.lance.fields import EXTENSION, JSON_TEXT
from byteloom.lance.writing.schema import storage_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from byteloom.lance.fields import Field

__all__ = ["dataset_schema", "present_fields", "same_messages"]


def dataset_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema with the types that are stored.

    Raises:
        ArgumentError: For a dot in a name, which leads to a field of a struct.
        Unsupported: For JSON, which pylance stores in a binary form of its own, and for what a file
            does not take.
    """
    for name in schema.names:
        if "." in name:
            raise ArgumentError("schema", None, f"a column {name!r}", "names without dots")
    stored = storage_schema(schema)
    for each in stored:
        _check(each, f"schema.{each.name}")
    return stored


def _check(field: pa.Field, path: str) -> None:
    """Refuse JSON, even inside other types."""
    if (field.metadata or {}).get(EXTENSION.encode()) == JSON_TEXT:
        raise Unsupported(path, None, JSON_TEXT.decode(), "its storage type, text")
    for number in range(field.type.num_fields):
        inner = field.type.field(number)
        _check(inner, f"{path}.{inner.name}")


def present_fields(fields: Sequence[Field], given: pa.Schema) -> list[Field]:
    """Return the fields of a dataset that rows to append have, in the dataset's order.

    Args:
        given: The schema of the rows.

    Raises:
        ArgumentError: For a field that the dataset does not have, and where one is missing that is
            never null, or all are.
    """
    found = _present(fields, list(given), "rows")
    if not found and fields:
        raise _other_columns("rows", fields, list(given))
    return found


def _present(fields: Sequence[Field], given: Sequence[pa.Field], path: str) -> list[Field]:
    by_name = {each.name: each for each in given}
    known = {each.name for each in fields}
    is_missing = any(not each.nullable and each.name not in by_name for each in fields)
    if is_missing or len(by_name) != len(given) or not known.issuperset(by_name):
        raise _other_columns(path, fields, given)
    return [
        _narrowed(each, by_name[each.name].type, f"{path}.{each.name}")
        for each in fields
        if each.name in by_name
    ]


def _narrowed(field: Field, type_: pa.DataType, path: str) -> Field:
    """A field with those of its inner fields that values of *type_* have."""
    if field.is_struct and not field.is_packed and pa.types.is_struct(type_):
        return replace(field, children=_present(field.children, list(type_), path))
    if field.children and (pa.types.is_list(type_) or pa.types.is_large_list(type_)):
        return replace(field, children=[_narrowed(field.children[0], type_.value_type, path)])
    return field


def _other_columns(path: str, fields: Sequence[Field], given: Sequence[pa.Field]) -> ArgumentError:
    """Return the error about the fields of rows to append."""
    names = ", ".join(each.name for each in given) or "none"
    needed = [each.name for each in fields if not each.nullable]
    wanted = f"some of {', '.join(each.name for each in fields)}"
    if needed:
        wanted += f", and always {', '.join(needed)}"
    return ArgumentError(path, None, f"columns {names}", wanted)


def same_messages(first: Iterable[Any], second: Iterable[Any]) -> bool:
    """Return whether fields, or fragments, of two manifests say the same.

    A writer may leave out a number that is 0, such as the id of the first field, as pylance does.
    """
    return [*map(_content, first)] == [*map(_content, second)]


def _content(message: Any) -> list[Any]:
    """Return the values of a message's fields; None for a message in it that is not there."""
    found: list[Any] = []
    for each in message.DESCRIPTOR.fields:
        value = getattr(message, each.name)
        if each.message_type is None:
            found.append(value)
        elif each.message_type.GetOptions().map_entry:
            found.append(dict(value))
        elif hasattr(value, "append"):
            found.append([*map(_content, value)])
        else:
            found.append(_content(value) if message.HasField(each.name) else None)
    return found
