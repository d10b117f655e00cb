"""The columns of a data file, identified by their field ids.

The rules:

- A file's columns are Arrow fields whose metadata carry the id (`FIELD_ID`), nested ones too,
  wherever its format stores it: Parquet's ``field_id``, ORC's attribute ``iceberg.id``, Avro's
  ``field-id``.
- A file without any id takes them from the names of its columns (`Names`); names that are not known
  get no id.
- Columns without an id are ignored.
- A file by itself, of no table, has all its columns numbered by their places (`Places`).

Source: Iceberg table spec, "Column Projection" and "Appendix A".
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final, Protocol

import pyarrow as pa

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "FIELD_ID",
    "Names",
    "Places",
    "field_id",
    "identified",
    "identified_columns",
    "inner_fields",
    "leaf_marks",
    "numbered",
    "places_of",
    "wanted_by_column",
]


FIELD_ID: Final = b"PARQUET:field_id"
"""The key of a field's id in its metadata, under which pyarrow's Parquet reader has it."""


class NamedField(Protocol):
    """What a name stands for: the id of a field, and the names of the fields inside it."""

    @property
    def field_id(self) -> int | None:
        """The id; None for a name that belongs to no field."""

    @property
    def fields(self) -> Names | None:
        """The fields inside it; None for a field without any."""


class Names(Protocol):
    """The ids of fields by name, for files that store no ids."""

    def find(self, name: str) -> NamedField | None:
        """Return the field with a name; None if there is none."""

    def check_places(self, columns: Sequence[pa.Field]) -> None:
        """Refuse columns of a Parquet file whose places contradict their names.

        columns  all columns of the file, in order, with the ids that follow from their names
        """


class Places:
    """Numbers for all columns of a file by their places, depth first, whatever ids it stores."""

    FIRST: Final = 1 << 30
    """The number of the first one, above the ids that files store inside their columns."""

    def find(self, name: str) -> NamedField | None:  # noqa: ARG002  as `Names` has it
        """Return None: numbers do not follow from names."""
        return None

    def check_places(self, columns: Sequence[pa.Field]) -> None:
        """Accept any columns."""

    def numbered(self, fields: Iterable[pa.Field]) -> list[pa.Field]:
        """Return the columns of a file with their numbers."""
        numbers = count(self.FIRST)
        return [_counted(each, numbers) for each in fields]


def _counted(field: pa.Field, numbers: Iterator[int]) -> pa.Field:
    """Return a field and those inside it with the next numbers."""
    number = next(numbers)
    inner = [_counted(each, numbers) for each in inner_fields(field.type)]
    return numbered(field.with_type(_rebuilt(field.type, inner)) if inner else field, number)


def field_id(field: pa.Field, key: bytes = FIELD_ID) -> int:
    """Return the id of a field; -1 if it has none."""
    text = (field.metadata or {}).get(key)
    if text is None:
        return -1
    try:
        return int(text)
    except ValueError as error:
        raise FormatError(f"column {field.name}", None, f"id {text!r}", "a number") from error


def places_of(fields: Sequence[pa.Field]) -> dict[int, int]:
    """Return the position of the first field with each id; wide files need many at once."""
    last = len(fields) - 1
    return {field_id(each): last - place for place, each in enumerate(reversed(fields))}


def inner_fields(of: pa.DataType) -> list[pa.Field]:
    """Return the fields of a struct, the element of a list, key and value of a map, or nothing."""
    if isinstance(of, pa.BaseExtensionType):
        return inner_fields(of.storage_type)
    if pa.types.is_struct(of):
        return list(of)
    if pa.types.is_map(of):
        return [of.key_field, of.item_field]
    return [of.value_field] if _is_list(of) else []


def _carries_ids(fields: Iterable[pa.Field], key: bytes = FIELD_ID) -> bool:
    """Return whether any of the fields, or of those inside them, has an id."""
    return any(
        field_id(each, key) >= 0 or _carries_ids(inner_fields(each.type), key) for each in fields
    )


def identified(
    fields: Sequence[pa.Field], names: Names | None, key: bytes = FIELD_ID
) -> list[pa.Field]:
    """Return the fields with their ids under `FIELD_ID`.

    key          the metadata key under which the file's format stores ids
    FormatError  neither ids nor names
    """
    if isinstance(names, Places):
        return names.numbered(fields)
    if _carries_ids(fields, key):
        return list(fields) if key == FIELD_ID else [_translated(each, key) for each in fields]
    if names is None and fields:
        raise FormatError("schema", None, "columns without field ids", "ids, or a name mapping")
    return [_mapped(each, names) for each in fields]


def identified_columns(schema: pa.Schema, names: Names | None) -> list[pa.Field]:
    """Return the columns of a Parquet file with their ids; raises as `Names.check_places` does."""
    fields = identified(list(schema), names)
    if names is not None and not _carries_ids(schema):
        names.check_places(fields)
    return fields


def numbered(field: pa.Field, number: int) -> pa.Field:
    """Return a field with another id; -1 removes it."""
    return field.with_metadata({FIELD_ID: str(number)} if number >= 0 else {})


def leaf_marks(of: pa.DataType, wanted: pa.DataType | None) -> list[bool]:
    """Return for each leaf of a column's type, depth first, whether *wanted* needs it.

    wanted  the wanted type, whose fields have ids; None if nothing is; a struct without any wanted
            field still needs a leaf, which shows its nulls
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


def wanted_by_column(fields: Iterable[pa.Field], wanted: Iterable[pa.Field]) -> list[list[bool]]:
    """Return for each leaf of each of a file's columns whether a column in *wanted* needs it."""
    by_id: dict[int, list[pa.DataType]] = {}
    for each in wanted:
        by_id.setdefault(field_id(each), []).append(each.type)
    marks = []
    for column in fields:
        asked = [leaf_marks(column.type, of) for of in by_id.get(field_id(column), [None])]
        marks.append(asked[0] if len(asked) == 1 else [any(of) for of in zip(*asked, strict=True)])
    return marks


def _wanted_inside(wanted: pa.DataType | None, child: pa.Field, number: int) -> pa.DataType | None:
    """Return the wanted type of a field inside a wanted one; None if it is not wanted."""
    if wanted is None:
        return None
    inner = inner_fields(wanted)
    if pa.types.is_struct(wanted):
        by_id = {field_id(each): each.type for each in inner}
        # Metadata and value of a variant have no ids, and are wanted with all that is inside.
        return wanted if by_id.keys() == {-1} else by_id.get(field_id(child))
    if pa.types.is_map(wanted):
        return inner[number].type if number < len(inner) else None
    return inner[0].type if inner else wanted


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


def _mapped(field: pa.Field, names: Names | None, name: str | None = None) -> pa.Field:
    """Return a field with the ids of its names."""
    found = names.find(name or field.name) if names is not None else None
    inside = found.fields if found is not None else None
    inner = inner_fields(field.type)
    # Elements, keys and values go by these names in mappings, whatever files call them.
    fixed = ["element"] if _is_list(field.type) else ["key", "value"]
    known = [None] * len(inner) if pa.types.is_struct(field.type) else fixed
    made = [_mapped(each, inside, by) for each, by in zip(inner, known, strict=False)]
    if made:
        field = field.with_type(_rebuilt(field.type, made))
    number = found.field_id if found is not None else None
    return numbered(field, -1 if number is None else number)
