"""Read every column of data files and delete files; nulls in required columns.

The rules:

- All pages are decompressed and decoded, and their checksums, if any, are checked; the data read is
  not kept.
- Some columns are read at a time, so that a wide file does not fill the memory. If that fails, each
  is read by itself, to find the damaged ones.
- The types of data files must be those of the table's columns, or ones that may become them.  Text
  is read as bytes if the table says so, but that is another value: no column may change so.
- A required value is missing if it is null and the struct around it is not.  Row groups and stripes
  whose statistics count no nulls are not read to find one.
- The columns are those that scans look for.  The current snapshot and the heads of branches are
  read with the current schema, and each snapshot with its own one as well: the schemas of a table
  that was replaced may contradict each other.  A column that is the same in several schemas, but
  for its name, is looked for once.  A required one may be absent if it has a default, or if
  partitions may have its values.

Source: Iceberg table spec, "Appendix A", "Schemas and Data Types", and "Snapshots"
(``schema-id``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.datafiles.damage import about
from byteloom.datafiles.fields import field_id, inner_fields
from byteloom.errors import FormatError
from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    BoundPredicate,
    Expression,
    Operation,
    Or,
)
from byteloom.iceberg.expressions.binding import bind_reference
from byteloom.iceberg.observed import parts_of
from byteloom.iceberg.reading.column_projection import Columns, project
from byteloom.iceberg.reading.position_deletes import DELETE_NAMES
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import BinaryType, MapType, NestedField
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from byteloom.datafiles.data_file import Piece
    from byteloom.iceberg.observed import Seen
    from byteloom.iceberg.reading.table_files import TableFile, TableFiles
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.verification.manifests import Content
    from byteloom.storage import Source


__all__ = ["ReadColumns", "RequiredColumns", "check_every_row", "opened"]

_AT_ONCE: Final = 64
"""Columns that are read at a time."""


def opened(files: TableFiles, file: dict[str, Any], source: Source | None = None) -> TableFile:
    """Return an open file of rows; `FormatError` for a damaged one.

    Args:
        file: Its manifest entry: ``content``, ``file_path``, ``file_format``,
            ``file_size_in_bytes``.
        source: The file, if it is open already; it is closed with the result.
    """
    is_by_position = file["content"] == FileContent.POSITION_DELETES
    named = files.named(DELETE_NAMES) if is_by_position else files
    return named.open(file["file_format"], file["file_path"], file["file_size_in_bytes"], source)


def check_every_row(
    data: TableFile,
    path: str,
    fields: Sequence[NestedField],
    observers: Sequence[Callable[[Piece], object]],
    fitting: set[Hashable],
) -> Iterator[FormatError]:
    """Yield what is wrong with the columns of a file; raise what is wrong with all of it.

    Args:
        fields: The table's columns, which a data file must fit.
        observers: Called with all rows, some columns at a time.
        fitting: The ids and types of columns that fit these *fields*, as earlier files had them.
    """
    columns, kept = _columns(data), list[tuple["pa.Field", "pa.Array"]]()
    for first in range(0, max(1, len(columns)), _AT_ONCE):
        some = columns[first : first + _AT_ONCE]
        try:
            kept += _read(data, some, path, observers)
        except FormatError as error:
            yield from _one_by_one(data, some, path) or [error]
    types = tuple(_types(each for each, _ in kept))
    if types not in fitting:
        others = list(_of_other_types(kept, fields))
        yield from others
        if not others:
            fitting.add(types)


def _columns(data: TableFile) -> list[NestedField]:
    """Return all columns of a file; a nested column is read with everything inside it."""
    names = {field_id(each): each.name for each in data.columns}
    return [NestedField(number, name, BinaryType()) for number, name in names.items()]


def _read(
    data: TableFile,
    columns: Sequence[NestedField],
    path: str,
    observers: Sequence[Callable[[Piece], object]] = (),
) -> list[tuple[pa.Field, pa.Array]]:
    """Read some columns of all rows; return each without rows."""
    kept = list[tuple["pa.Field", "pa.Array"]]()
    for piece in data.pieces(columns):
        with about(path):
            for each in piece.arrays:
                each.validate(full=True)
            for observe in observers:
                observe(piece)
        empty = [each.slice(0, 0) for each in piece.arrays]
        kept = kept or list(zip(piece.fields, empty, strict=True))
    return kept


def _of_other_types(
    kept: Sequence[tuple[pa.Field, pa.Array]], fields: Sequence[NestedField]
) -> Iterator[FormatError]:
    """Yield the errors of columns that a scan cannot convert to the table's types, or lacks."""
    columns = Columns([field for field, _ in kept], [array for _, array in kept], 0)
    texts = {number: of for number, of in _types(columns.fields) if _is_text(of)}
    for each in fields:
        if each.required or columns.find(each.id) is not None:
            try:
                project(each, columns)
            except FormatError as error:
                yield error
                continue
            held = [each] if each.type.is_primitive else Schema([each]).field_by_id.values()
            for inner in held:
                if inner.id in texts and isinstance(inner.type, BinaryType):
                    found = f"values of type {texts[inner.id]}"
                    yield FormatError(f"column {inner.name}", None, found, str(inner.type))


def _types(fields: Iterable[pa.Field]) -> Iterator[tuple[int, pa.DataType]]:
    """Yield the id and the type of each field, and of those inside it."""
    for each in fields:
        yield field_id(each), each.type
        yield from _types(inner_fields(each.type))


def _is_text(of: pa.DataType) -> bool:
    """Return whether a type is text, not bytes."""
    value = of.value_type if pa.types.is_dictionary(of) else of
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value))


def _one_by_one(data: TableFile, columns: Sequence[NestedField], path: str) -> list[FormatError]:
    """Return the errors of columns, unless all columns have the same one."""
    found = []
    for each in columns if len(columns) > 1 else ():
        try:
            _read(data, [each], path)
        except FormatError as error:
            found.append(error if error.path else error.inside(f"column {each.name}"))
    return [] if len({str(each) for each in found}) == 1 < len(found) else found


class RequiredColumns:
    """The columns that must have a value in each row."""

    def __init__(self, schema: Schema) -> None:
        """Choose the columns of a table's current schema; nothing is read."""
        self._names = {each: schema.name(each) for each in _required(schema)}
        tops = {(*schema.parents(each), each)[0] for each in self._names}
        self._columns = [each for each in schema.fields if each.id in tops]
        self._filter = _may_miss(schema, self._names)
        self._has_repeated = any(map(schema.is_in_repeated, self._names))

    def check(self, data: TableFile, seen: Mapping[int, Seen] | None = None) -> None:
        """Raise `FormatError` for the first null in a required column of a data file.

        Args:
            seen: The values of its columns outside of lists and maps, if rows were read.
        """
        are_seen = seen is not None and not self._has_repeated
        has_nulls = any(each in self._names and of.nulls for each, of in (seen or {}).items())
        if not self._columns or (are_seen and not has_nulls):
            return
        for piece in data.pieces(self._columns, TRUE if has_nulls else self._filter):
            for field, array in zip(piece.fields, piece.arrays, strict=True):
                for number, part, _ in parts_of(field, array):
                    if number in self._names and part.null_count:
                        row = piece.start + _first_null(part) if part is array else None
                        raise self._missing(number, row)

    def _missing(self, number: int, row: int | None) -> FormatError:
        """Return the error about a null."""
        found = "null" if row is None else f"null in row {row}"
        wanted = "a value: the column is required"
        return FormatError(f"column {self._names[number]}", None, found, wanted)


def _required(schema: Schema) -> list[int]:
    """Return the ids of the required fields; keys of maps are required in any file."""
    fields = schema.field_by_id
    keys = {each.type.key_id for each in fields.values() if isinstance(each.type, MapType)}
    return [number for number, each in fields.items() if each.required and number not in keys]


def _may_miss(schema: Schema, names: dict[int, str]) -> Expression:
    """Return an expression that is true for rows that may lack a required value."""
    if any(map(schema.is_in_repeated, names)):
        return TRUE
    terms = [bind_reference(each, schema, trusts_required=False) for each in names.values()]
    missing: Expression = FALSE
    for each in terms:
        missing = Or.of(missing, BoundPredicate(Operation.IS_NULL, each))
    return missing


def _first_null(array: pa.Array) -> int:
    """Return the first row that is null."""
    return int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))


class ReadColumns:
    """The columns that are looked for in files, by the manifests that have the files."""

    def __init__(self, table: StoredTable, content: Content) -> None:
        """Find the schemas with which each manifest is read."""
        metadata = table.metadata
        self._metadata = metadata
        heads = {each.snapshot_id for each in metadata.refs.values() if each.type == "branch"}
        heads.add(metadata.current_snapshot_id or 0)
        self._schemas: dict[str, set[int]] = {}
        for snapshot in metadata.snapshots.values():
            ids = {metadata.schema_of(snapshot).schema_id}
            if snapshot.snapshot_id in heads:
                ids.add(metadata.current_schema_id)
            listed = content.lists.get(snapshot.snapshot_id)
            for path in () if listed is None else listed.paths:
                self._schemas.setdefault(path, set()).update(ids)
        self._of_schemas = cache(self._found)

    def of(self, manifests: Iterable[str]) -> tuple[NestedField, ...]:
        """Return the columns that are looked for in a file of some manifests."""
        held = (self._schemas.get(each, set()) for each in manifests)
        return self._of_schemas(frozenset[int]().union(*held))

    def _found(self, ids: frozenset[int]) -> tuple[NestedField, ...]:
        """Return the distinct columns of some schemas, those of the newest first."""
        schemas = [self._metadata.schema(each) for each in sorted(ids, reverse=True)]
        fields = [self._relaxed(each) for schema in schemas for each in schema.fields]
        made = {(each.id, each.type, each.required): each for each in reversed(fields)}
        return tuple(made.values())[::-1]

    def _relaxed(self, field: NestedField) -> NestedField:
        """Return a column, not required if partitions may have its values in place of files."""
        specs = self._metadata.partition_specs.values()
        sources = {number for spec in specs for each in spec.fields for number in each.source_ids}
        return replace(field, required=False) if field.id in sources else field
