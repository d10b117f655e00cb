"""Which column of a Lance file belongs to which field.

- Version 2.0 has a column for each field, from 2.1 on there is one for each leaf.
- Releases differ in which fields have columns, and files do not say which way they use; the way
  that gives the file's number of columns is taken.
- In a dataset the manifest says which column has which field. Files that are written by themselves
  number their fields from 0, in their own order; these ids mean nothing in a dataset.

Source: specs/lance/SOURCE.md
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom.lance.fields import Field

__all__ = ["ColumnMap", "fields_with_columns", "map_by_manifest", "map_columns"]

_TEXT: Final = frozenset({"string", "binary", "large_string", "large_binary"})


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to assign columns to fields.

    Attributes:
        headers: Structs and lists have a column of their own before those of their children.
        texts: Text has two columns, as a list of bytes, as in releases 0.12 and 0.13.
        split: Packed structs have columns for their children, as in files by release 0.12 and in
            2.1 by 0.33 to 0.38.0.
        bare: Empty structs have no column, as in files by releases 0.19 to 0.36.
    """

    headers: bool
    texts: bool = False
    split: bool = False
    bare: bool = False

    def owners(self, field: Field) -> Iterator[Field]:
        """Yield the field of each column below *field*, itself included."""
        inner = self._inner(field)
        if self.headers or not (inner or (self.bare and field.is_struct)):
            yield field
        if self.texts and field.type in _TEXT:
            yield field
        for each in inner:
            yield from self.owners(each)

    def _inner(self, field: Field) -> list[Field]:
        """The children that have columns of their own."""
        if field.is_blob or (field.is_packed and not self.split):
            return []
        if field.type.startswith("fixed_size_list"):
            return [] if self.headers else field.children
        return field.children


_FIELDS: Final = (
    _Way(headers=True),
    _Way(headers=True, texts=True),
    _Way(headers=True, split=True),
    _Way(headers=True, texts=True, split=True),
)
_LEAVES: Final = (
    _Way(headers=False),
    _Way(headers=False, split=True),
    _Way(headers=False, bare=True),
    *_FIELDS,
)


def fields_with_columns(fields: Sequence[Field], version: str) -> list[Field]:
    """Return the fields that have columns in files of *version*, in the order of the columns."""
    way = (_FIELDS if version == "2.0" else _LEAVES)[0]
    return [each for field in fields for each in way.owners(field)]


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """The columns of fields.

    Attributes:
        text_is_lists: Whether text has two columns, as a list of bytes.
        packed_is_split: Whether packed structs have columns for their children.
        is_early: Whether fields have columns in the way of an early release.
        first: The first column of each field that has any, by the field's id.
        types: The logical type that the file's own schema has for each column.
    """

    text_is_lists: bool
    packed_is_split: bool
    is_early: bool
    first: Mapping[int, int]
    types: Sequence[str]

    def number(self, field: Field) -> int:
        """Return the first column of *field*.

        Raises:
            FormatError: The file has no column for a field of this id, although a manifest may say
                so.
        """
        if field.id not in self.first:
            wanted = "the id of a field that has a column in the file"
            raise FormatError(f"schema.{field.path}.id", None, field.id, wanted)
        return self.first[field.id]

    def of(self, field: Field) -> list[int]:
        """Return the columns of *field* and of its inner fields, in pre-order."""
        found = []
        for each in field.walk():
            if each.id in self.first:
                number = self.first[each.id]
                is_pair = self.text_is_lists and each.type in _TEXT
                found += [number, number + 1] if is_pair else [number]
        return found


def map_columns(fields: Sequence[Field], version: str, count: int) -> ColumnMap:
    """Return which of *count* columns belong to which of *fields*, the top-level ones.

    Raises:
        FormatError: No way gives this number of columns.
    """
    ways = _FIELDS if version == "2.0" else _LEAVES
    for way in ways:
        owners = [each for field in fields for each in way.owners(field)]
        if len(owners) == count:
            first: dict[int, int] = {}
            for number, each in enumerate(owners):
                first.setdefault(each.id, number)
            types = [each.type for each in owners]
            return ColumnMap(way.texts, way.split, way is not ways[0], first, types)
    expected = sum(1 for field in fields for _ in ways[0].owners(field))
    raise FormatError("footer.num_columns", None, count, f"{expected}, by the schema")


def map_by_manifest(
    own: ColumnMap, ids: Sequence[int], columns: Sequence[int], count: int
) -> ColumnMap:
    """Return which columns of a file belong to which fields of the dataset.

    Manifests of early releases count a column for each field in files that have other columns; the
    ids in these files are those of the dataset.

    Args:
        own: The map by the ids in the file.
        ids: The ids of the fields, by the manifest; negative where the column is no longer used.
        columns: The columns of these fields; negative for a field without one.
        count: The number of columns in the file.

    Raises:
        FormatError: For another number of columns than of ids, and for columns that the file does
            not have.
    """
    if len(ids) != len(columns):
        wanted = f"{len(ids)}, as many as fields"
        raise FormatError("manifest.column_indices", None, f"{len(columns)} columns", wanted)
    if max(columns, default=0) >= count:
        wanted = f"numbers below {count}, that of the columns of the file"
        raise FormatError("manifest.column_indices", None, max(columns), wanted)
    pairs = zip(ids, columns, strict=True)
    first = {each: column for each, column in pairs if each >= 0 and column >= 0}
    if own.first == first or (own.is_early and own.first.keys() >= first.keys()):
        return own
    return replace(own, first=first)
