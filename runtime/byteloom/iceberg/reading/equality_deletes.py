"""Rows that are deleted because they equal a row of an equality delete file.

The rules:

- Rows are compared by the columns that the delete file's entry names, in the newest type that they
  had in the table; columns dropped since are still read.
- Null is equal to null, NaN to NaN; -0.0 is not 0.0.
- Column by column, each value is replaced by the index of the equal value among the deletes, so
  that no row needs a Python object.

Source: Iceberg table spec, "Equality Delete Files".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.arrow.flags import flags_of
from byteloom.datafiles.damage import about
from byteloom.datafiles.fields import field_id, inner_fields
from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.planning.scan_columns import optional, pruned
from byteloom.iceberg.reading.column_projection import Columns, project
from byteloom.iceberg.reading.hints import check_hints
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.planning.plan import DeleteFile, FileTask
    from byteloom.iceberg.reading.cache import Cache
    from byteloom.iceberg.reading.table_files import TableFiles
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import NestedField

__all__ = ["EqualityDeletes", "KeyColumn", "Keys", "comparable", "key_columns"]


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A column by which rows are compared.

    Attributes:
        root: The table's column, reduced to the compared field.
        path: The ids from the column to the compared field.
    """

    root: NestedField
    path: tuple[int, ...]

    def of(self, columns: Columns) -> pa.Array:
        """Return the values of rows in comparable form."""
        held, of = project(self.root, columns), self.root.type
        for wanted in self.path[1:]:
            inner = getattr(of, "fields", ())
            at = next(at for at, each in enumerate(inner) if each.id == wanted)
            held, of = pc.struct_field(held, [at]), inner[at].type
        return comparable(held)


def key_columns(ids: Sequence[int], schemas: Iterable[Schema]) -> tuple[KeyColumn, ...]:
    """Return the columns with these ids.

    Args:
        schemas: The table's schemas in the order in which to search them; old ones have dropped
            columns.

    Raises:
        FormatError: An id that no schema has.
    """
    known = list(schemas)
    return tuple(_key_column(each, known) for each in ids)


def _key_column(number: int, schemas: list[Schema]) -> KeyColumn:
    """Return the column with an id."""
    for schema in schemas:
        field = schema.find(number)
        if field is None:
            continue
        if not field.type.is_primitive or schema.is_in_repeated(number):
            found = f"column {schema.name(number)} of type {field.type}"
            raise Unsupported("equality_ids", None, found, "plain columns")
        (root,) = pruned(schema.columns_around([number]), {number})
        return KeyColumn(optional(root), (*schema.parents(number), number))
    raise FormatError("equality_ids", None, f"column {number}", "a column that the table has had")


class Keys:
    """Tuples of values in which other tuples are looked up."""

    def __init__(self, columns: Sequence[pa.Array]) -> None:
        """Keep the columns of the tuples."""
        self._dictionaries: list[pa.Array] = []
        self._known: list[NDArray[np.int64]] = []
        codes = np.zeros(len(columns[0]), np.int64)
        for each in columns:
            dictionary, indices = _coded(each)
            codes = codes * max(len(dictionary), 1) + indices
            known, codes = np.unique(codes, return_inverse=True)
            self._dictionaries.append(dictionary)
            self._known.append(known)

    def __len__(self) -> int:
        """Return the number of distinct tuples."""
        return len(self._known[-1])

    @property
    def nbytes(self) -> int:
        """The approximate number of bytes that they take."""
        held: int = sum(each.nbytes for each in self._dictionaries)
        return held + sum(each.nbytes for each in self._known)

    def contains(self, columns: Sequence[pa.Array]) -> NDArray[np.bool_]:
        """Return for each row whether its tuple is one of these."""
        return self.numbers(columns) >= 0

    def numbers(self, columns: Sequence[pa.Array]) -> NDArray[np.int64]:
        """Return for each row the number of its tuple, from 0; -1 for another tuple."""
        rows = len(columns[0])
        if not len(self):
            return np.full(rows, -1)
        codes = np.zeros(rows, np.int64)
        found = np.ones(rows, np.bool_)
        pairs = zip(columns, self._dictionaries, self._known, strict=True)
        for each, dictionary, known in pairs:
            first, some = _within(dictionary, each)
            index = pc.index_in(each, value_set=some)
            found &= flags_of(index.is_valid())
            codes = codes * len(dictionary) + index.fill_null(0).to_numpy() + first
            if len(known) == len(dictionary) == known[-1] + 1:
                continue  # of the first column each value is known: its place is its number
            place = np.minimum(np.searchsorted(known, codes), len(known) - 1)
            found &= known[place] == codes
            codes = place.astype(np.int64)
        return np.where(found, codes, -1)


def _coded(column: pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return the distinct values of a column, and the place of each row's; integers ascending."""
    coded = column.dictionary_encode(null_encoding="encode")
    dictionary, indices = coded.dictionary, coded.indices.to_numpy().astype(np.int64)
    if not _is_ordered(dictionary):
        return dictionary, indices
    order = np.argsort(dictionary.to_numpy())
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return dictionary.take(pa.array(order)), place[indices]


def _is_ordered(dictionary: pa.Array) -> bool:
    """Return whether distinct values are ascending: integers are."""
    return bool(pa.types.is_integer(dictionary.type) and not dictionary.null_count)


def _within(dictionary: pa.Array, column: pa.Array) -> tuple[int, pa.Array]:
    """Return the distinct values that a column may have, and the place of the first of them.

    A file that is ordered by its keys has few of them in each piece: a small table is looked up in
    a tenth of the time.
    """
    if not _is_ordered(dictionary) or column.null_count == len(column):
        return 0, dictionary
    ends = pc.min_max(column)
    values = dictionary.to_numpy()
    first = int(np.searchsorted(values, ends["min"].as_py()))
    end = int(np.searchsorted(values, ends["max"].as_py(), side="right"))
    return first, dictionary.slice(first, end - first)


class EqualityDeletes:
    """The equality deletes of one task, ready to be applied to its rows."""

    def __init__(self, held: Sequence[tuple[tuple[KeyColumn, ...], Keys]]) -> None:
        """Keep sets of keys, and the columns of each."""
        self._held = held

    @classmethod
    def of(
        cls,
        task: FileTask,
        schemas: Sequence[Schema],
        files: TableFiles,
        cache: Cache,
    ) -> EqualityDeletes:
        """Read the equality deletes of a task; errors as for its data."""
        by_ids: dict[tuple[int, ...], list[DeleteFile]] = {}
        for each in task.deletes:
            if each.content == FileContent.EQUALITY_DELETES:
                if not each.equality_ids:
                    raise FormatError(each.file_path, None, "no equality_ids", "some columns")
                by_ids.setdefault(tuple(sorted(each.equality_ids)), []).append(each)
        held = []
        for ids, deletes in by_ids.items():
            with about(deletes[0].file_path):
                columns = key_columns(ids, schemas)

            def make(
                columns: tuple[KeyColumn, ...] = columns, deletes: list[DeleteFile] = deletes
            ) -> tuple[Keys, int]:
                keys = Keys(_read_all(deletes, columns, files))
                return keys, keys.nbytes

            key = ("keys", ids, tuple(sorted(each.file_path for each in deletes)))
            held.append((columns, cache.get(key, make)))
        return cls(held)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return any(len(keys) for _, keys in self._held)

    @property
    def roots(self) -> Iterator[NestedField]:
        """Yield the columns that must be read for the comparison."""
        return (each.root for columns, _ in self._held for each in columns)

    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Return which rows are deleted."""
        deleted = np.zeros(columns.rows, np.bool_)
        for wanted, keys in self._held:
            deleted |= keys.contains([each.of(columns) for each in wanted])
        return deleted


def _read_all(
    deletes: Sequence[DeleteFile], wanted: Sequence[KeyColumn], files: TableFiles
) -> list[pa.Array]:
    """Return the columns of the rows of several delete files."""
    parts: list[list[pa.Array]] = [[] for _ in wanted]
    for delete in deletes:
        for columns in _pieces(delete, wanted, files):
            for part, each in zip(parts, wanted, strict=True):
                part.append(each.of(columns))
    empty = Columns([], [], 0)
    return [
        pa.concat_arrays(part) if part else each.of(empty)
        for part, each in zip(parts, wanted, strict=True)
    ]


def _pieces(
    delete: DeleteFile, wanted: Sequence[KeyColumn], files: TableFiles
) -> Iterator[Columns]:
    """Yield the rows of one delete file, which must have all columns that it compares."""
    data = files.open(delete.file_format, delete.file_path, delete.file_size_in_bytes)
    rows = 0
    try:
        for piece in data.pieces([each.root for each in wanted], TRUE):
            with about(delete.file_path):
                for each in wanted:
                    _check_there(each, piece.fields)
                yield Columns(piece.fields, piece.arrays, piece.rows)
            rows += piece.rows
        check_hints(delete, data.file, rows)
    finally:
        data.close()


def _check_there(column: KeyColumn, fields: Sequence[Any]) -> None:
    """Refuse a delete file that lacks a column that it compares."""
    for wanted in column.path:
        found = next((each for each in fields if field_id(each) == wanted), None)
        if found is None:
            if column.root.type.kind == "unknown":
                return
            lacking = f"no column {column.path[-1]}"
            raise FormatError("equality_ids", None, lacking, "all columns of equality_ids")
        fields = inner_fields(found.type)


def comparable(array: pa.Array) -> pa.Array:
    """Return a column in a form whose equal values are equal in Arrow."""
    if not pa.types.is_floating(array.type):
        return array
    is_double = pa.types.is_float64(array.type)
    numbers = array.fill_null(0).to_numpy()
    bits = numbers.view(np.int64 if is_double else np.int32).copy()
    bits[np.isnan(numbers)] = -1
    mask = flags_of(array.is_null()) if array.null_count else None
    return pa.array(bits, mask=mask)
