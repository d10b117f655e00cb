"""The columns of a data file, identified by their field ids.

The rules:

- A file's columns are Arrow fields whose metadata carry the id (`FIELD_ID`), nested ones too,
  wherever its format stores it: Parquet's ``field_id``, ORC's attribute ``iceberg.id``, Avro's
  ``field-id``.
- A file without any id takes them from the table's name mapping, or from a substitute
  (`byteloom.iceberg.reading.unnumbered`); names that it does not have get no id.
- Columns without an id are ignored.

Source: Iceberg table spec, "Column Projection" and "Appendix A".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import FIELD_ID
from byteloom.iceberg.types import ListType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from byteloom.iceberg.name_mapping import NameMapping
    from byteloom.iceberg.types import NestedField, Type

__all__ = [
    "carries_ids",
    "field_id",
    "identified",
    "inner_fields",
    "leaf_marks",
    "numbered",
    "wanted_by_column",
]


def field_id(field: pa.Field, key: bytes = FIELD_ID) -> int:
    """Return the id of a field; -1 if it has none."""
    text = (field.metadata or {}).get(key)
    if text is None:
        return -1
    try:
        return int(text)
    except ValueError as error:
        raise FormatError(f"column {field.name}", None, f"id {text!r}", "a number") from error


def inner_fields(of: pa.DataType) -> list[pa.Field]:
    """Return the fields of a struct, the element of a list, key and value of a map, or nothing."""
    if isinstance(of, pa.BaseExtensionType):
        return inner_fields(of.storage_type)
    if pa.types.is_struct(of):
        return list(of)
    if pa.types.is_map(of):
        return [of.key_field, of.item_field]
    return [of.value_field] if _is_list(of) else []


def carries_ids(fields: Iterable[pa.Field], key: bytes = FIELD_ID) -> bool:
    """Return whether any of the fields, or of those inside them, has an id."""
    return any(
        field_id(each, key) >= 0 or carries_ids(inner_fields(each.type), key) for each in fields
    )


def identified(
    fields: Sequence[pa.Field], mapping: NameMapping | None, key: bytes = FIELD_ID
) -> list[pa.Field]:
    """Return the fields with their ids under `FIELD_ID`.

    key          the metadata key under which the file's format stores ids
    FormatError  neither ids nor a mapping
    """
    if carries_ids(fields, key):
        return list(fields) if key == FIELD_ID else [_translated(each, key) for each in fields]
    if mapping is None and fields:
        raise FormatError("schema", None, "columns without field ids", "ids, or a name mapping")
    return [_mapped(each, mapping) for each in fields]


def numbered(field: pa.Field, number: int) -> pa.Field:
    """Return a field with another id; -1 removes it."""
    return field.with_metadata({FIELD_ID: str(number)} if number >= 0 else {})


def leaf_marks(of: pa.DataType, wanted: Type | None) -> list[bool]:
    """Return for each leaf of a column's type, depth first, whether *wanted* needs it.

    wanted  the wanted type; None if nothing is; a struct without any wanted field still needs a
            leaf, which shows its nulls
    """
    inner = inner_fields(of) if of.num_fields else ()
    if not inner:
        return [wanted is not None]
    marks = [
        each
        for number, child in enumerate(inner)
        for each in leaf_marks(child.type, _wanted_inside(wanted, child, number))
    ]
    if wanted is not None and not any(marks):
        marks[0] = True
    return marks


def wanted_by_column(fields: Iterable[pa.Field], wanted: Iterable[NestedField]) -> list[list[bool]]:
    """Return for each leaf of each of a file's columns whether a column in *wanted* needs it."""
    by_id: dict[int, list[Type]] = {}
    for each in wanted:
        by_id.setdefault(each.id, []).append(each.type)
    marks = []
    for column in fields:
        asked = [leaf_marks(column.type, of) for of in by_id.get(field_id(column), [None])]
        marks.append(asked[0] if len(asked) == 1 else [any(of) for of in zip(*asked, strict=True)])
    return marks


def _wanted_inside(wanted: Type | None, child: pa.Field, number: int) -> Type | None:
    """Return the wanted type of a field inside a wanted one; None if it is not wanted."""
    if isinstance(wanted, StructType):
        by_id = {each.id: each.type for each in wanted.fields}
        return by_id.get(field_id(child))
    if isinstance(wanted, MapType):
        return (wanted.key, wanted.value)[number] if number < 2 else None  # noqa: PLR2004
    return wanted.element if isinstance(wanted, ListType) else wanted


def _is_list(of: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's list types."""
    return bool(
        pa.types.is_list(of) or pa.types.is_large_list(of) or pa.types.is_fixed_size_list(of)
    )


def _rebuilt(of: pa.DataType, inner: list[pa.Field]) -> pa.DataType:
    """Return a nested type with other inner fields."""
    if isinstance(of, pa.BaseExtensionType):
        return _rebuilt(of.storage_type, inner)
    if pa.types.is_struct(of):
        return pa.struct(inner)
    if pa.types.is_map(of):
        return pa.map_(*inner)
    if pa.types.is_large_list(of):
        return pa.large_list(inner[0])
    if pa.types.is_fixed_size_list(of):
        return pa.list_(inner[0], of.list_size)
    return pa.list_(inner[0])


def _translated(field: pa.Field, key: bytes) -> pa.Field:
    """Return a field with all ids under the same metadata key."""
    inner = [_translated(each, key) for each in inner_fields(field.type)]
    made = field.with_type(_rebuilt(field.type, inner)) if inner else field
    return numbered(made, field_id(field, key))


def _mapped(field: pa.Field, mapping: NameMapping | None, name: str | None = None) -> pa.Field:
    """Return a field with the ids that the mapping gives to its names."""
    found = mapping.find(name or field.name) if mapping is not None else None
    inside = found.fields if found is not None else None
    inner = inner_fields(field.type)
    # Elements, keys and values go by these names in mappings, whatever files call them.
    fixed = ["element"] if _is_list(field.type) else ["key", "value"]
    names = [None] * len(inner) if pa.types.is_struct(field.type) else fixed
    made = [_mapped(each, inside, known) for each, known in zip(inner, names, strict=False)]
    if made:
        field = field.with_type(_rebuilt(field.type, made))
    number = found.field_id if found is not None else None
    return numbered(field, -1 if number is None else number)
