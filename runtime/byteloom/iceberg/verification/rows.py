"""Read every column of data files and delete files.

The rules:

- All pages are decompressed and decoded, and their checksums, if any, are checked; the data read is
  not kept.
- Some columns are read at a time, so that a wide file does not fill the memory. If that fails, each
  is read by itself, to find the damaged ones.
- The types of data files must be those of the table's columns, or ones that may become them.  Text
  is read as bytes if the table says so, but that is another value: no column may change so.

Source: Iceberg table spec, "Appendix A".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.datafiles.damage import about
from byteloom.datafiles.fields import field_id, inner_fields
from byteloom.errors import FormatError
from byteloom.iceberg.reading.position_deletes import DELETE_NAMES
from byteloom.iceberg.reading.projection import Columns, project
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import BinaryType, NestedField
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from byteloom.datafiles.data_file import Piece
    from byteloom.iceberg.reading.data_file import Files, TableFile
    from byteloom.storage import Source

__all__ = ["check_every_row", "opened"]

_AT_ONCE: Final = 64
"""Columns that are read at a time."""


def opened(files: Files, file: dict[str, Any], source: Source | None = None) -> TableFile:
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
