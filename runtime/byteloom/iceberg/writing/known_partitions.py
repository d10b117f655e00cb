"""The partition of a file whose rows are not read.

The rules:

- A partition value follows from the bounds of its source column if both have the same result and no
  row is null; or from nulls alone.
- Otherwise a folder ``name=value`` of the path has it, as Hive writes them, if the transform is
  identity: readers then take the column from the partition.
- A file of which neither shows a single value is refused.

Source: Iceberg table spec, "Partitioning" and "Column Projection".
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.literals import fit
from byteloom.iceberg.transforms import Identity, Void, apply_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from byteloom.iceberg.observed import Seen
    from byteloom.iceberg.partition_spec import PartitionField, PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import NestedField, Type

__all__ = ["partition_of"]

_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
_FLAGS: Final = {"true": True, "false": False}
_NUMBERS: Final[dict[str, Any]] = {
    "boolean": lambda text: _FLAGS[text.lower()],
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "decimal": Decimal,
}
_UNCOUNTED: Final = frozenset({"float", "double"})
"""Types that may have NaNs, which footers do not count."""


def partition_of(
    spec: PartitionSpec,
    schema: Schema,
    seen: Mapping[int, Seen],
    present: Collection[int],
    path: str,
) -> dict[str, Any]:
    """Return the storage value of each partition field by its name.

    Args:
        spec: The partition spec.
        schema: The table's schema.
        seen: What the file states of its columns, by id.
        present: The ids of the columns that the file has.
        path: The file's path.

    Raises:
        FormatError: A field without a single value; the error names it.
    """
    folders = dict(_folders(path))
    return {each.name: _value(each, schema, seen, present, folders) for each in spec.fields}


def _value(
    field: PartitionField,
    schema: Schema,
    seen: Mapping[int, Seen],
    present: Collection[int],
    folders: Mapping[str, str],
) -> Any:
    """Return the value of a partition field."""
    transform = field.transform
    if isinstance(transform, Void):
        return None
    source = schema.find(field.source_ids[0]) if len(field.source_ids) == 1 else None
    if source is None or not transform.can_transform(source.type):
        raise FormatError(f"partition.{field.name}", None, str(transform), "a known transform")
    results = _results(field, source, seen.get(source.id))
    if len(results) == 1:
        return results[0]
    is_identity = isinstance(transform, Identity)
    text = next((folders[each] for each in (field.name, source.name) if each in folders), None)
    if is_identity and text is not None and not results:
        return _parsed(source.type, text, field.name)
    if results:
        found = f"values from {results[0]} to {results[-1]}"
    elif source.id in present:
        found = f"a column {source.name} without exact bounds"
    else:
        found = f"no column {source.name}"
    wanted = f"one value of {transform} of {source.name} in all rows"
    wanted += f", or a folder {field.name}=VALUE" if is_identity else ""
    raise FormatError(f"partition.{field.name}", None, found, wanted)


def _results(field: PartitionField, source: NestedField, values: Seen | None) -> list[Any]:
    """Return the results that a column's statistics show; nothing if they show too little."""
    if values is None:
        return []
    if not values.present:
        return [None]
    ends = values.range(source.type)
    if ends is None or source.type.kind in _UNCOUNTED:
        return []
    if not (field.transform.preserves_order or ends[0] == ends[1]):
        return list(ends)
    made = dict.fromkeys(apply_value(field.transform, source.type, each) for each in ends)
    return [*made, None] if values.nulls else list(made)


def _folders(path: str) -> list[tuple[str, str]]:
    """Return the names and values in the folders of a path."""
    parts = (each.partition("=") for each in path.split("/")[:-1])
    return [(unquote(name), unquote(value)) for name, equal, value in parts if equal]


def _parsed(of: Type, text: str, name: str) -> Any:
    """Return the storage value of a folder's text."""
    if text == _NULL:
        return None
    try:
        fitted = fit(of, _NUMBERS.get(of.kind, str)(text))
    except (ValueError, KeyError, InvalidOperation, FormatError) as error:
        raise FormatError(f"partition.{name}", None, repr(text), f"a value of {of}") from error
    if fitted.side or not fitted.is_exact:
        raise FormatError(f"partition.{name}", None, repr(text), f"a value of {of}")
    return fitted.value
