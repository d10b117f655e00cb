"""Avro data files.

The rules:

- Blocks are read, inflated and decoded some megabytes at a time, by a compiled loop.
- A field without an id gets one by its name, or is ignored.

Source: Iceberg table spec, "Appendix A", Avro.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.avro.blocks import AvroBlocks
from byteloom.datafiles.avro_arrays import AvroColumns
from byteloom.datafiles.avro_program import compile_records
from byteloom.datafiles.choosing import chosen
from byteloom.datafiles.damage import about
from byteloom.datafiles.data_file import BATCH, Decoding, Piece
from byteloom.datafiles.fields import field_id, identified, numbered
from byteloom.errors import LimitExceeded
from byteloom.limits import FREE_EXPANSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.avro.blocks import Window
    from byteloom.datafiles.avro_program import Program
    from byteloom.datafiles.data_file import OpenOptions, PartFilter, RowFilter
    from byteloom.datafiles.wanted import Wanted
    from byteloom.storage import Source
    from byteloom.storage.ranges import Span

__all__ = ["AvroData"]


class AvroData:
    """An open Avro file."""

    rows: int | None = None

    def __init__(self, source: Source, path: str, options: OpenOptions) -> None:
        """Read the header; `FormatError` for a damaged one."""
        self._source, self._path, self._names = source, path, options.names
        self._limits = options.limits
        with about(path):
            self._blocks = AvroBlocks(source, options.limits)
        self._has_ids = _has_ids(self._blocks.schema)

    @property
    def columns(self) -> Sequence[pa.Field]:
        """All columns of the file; their types become known when rows are read."""
        with about(self._path), self._blocks.about_schema():
            # Compiling also checks the schema.
            compile_records(self._blocks.schema, lambda _: False)
            held = self._blocks.schema["fields"]
            fields = [
                numbered(pa.field(each["name"], pa.null()), each.get("field-id", -1))
                for each in held
            ]
            return fields if self._has_ids else identified(fields, self._names)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._source.size

    def statistics(self, wanted: Wanted) -> None:
        """Return None, since files of Avro have no statistics."""

    def decoding(self, wanted: Wanted) -> Decoding:
        """Return how rows with the *wanted* columns are decoded."""
        return Decoding(wanted.names_in(self.columns), ())

    def pieces(
        self,
        wanted: Wanted,
        parts: PartFilter | None = None,
        span: Span = None,
        rows: RowFilter | None = None,
    ) -> Iterator[Piece]:
        """Yield the rows, some blocks at a time."""
        del parts  # Avro has no statistics
        with about(self._path), self._blocks.about_schema():
            program = compile_records(
                self._blocks.schema, lambda field: self._is_kept(field, wanted.ids)
            )
        windows = self._blocks.windows(span)
        while True:
            with about(self._path):
                window = next(windows, None)
            if window is None:
                return
            for piece in self._pieces(program, window):
                with about(self._path):
                    left = chosen(piece, rows)
                yield left

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def _pieces(self, program: Program, window: Window) -> Iterator[Piece]:
        """Yield the rows of a window, in groups of blocks large enough for a batch."""
        first, start, counts = 0, window.start, window.counts
        for last in _groups(counts):
            with about(self._path):
                columns = self._columns(program, window, first, last)
                fields, arrays = self._known(columns)
            rows = int(counts[first:last].sum())
            yield Piece(start, rows, fields, arrays)
            start, first = start + rows, last

    def _is_kept(self, field: dict[str, Any], ids: frozenset[int]) -> bool:
        """Return whether a field of the records is wanted."""
        if self._has_ids:
            number = field.get("field-id")
            return type(number) is int and number in ids
        found = self._names.find(field["name"]) if self._names is not None else None
        return self._names is None or (found is not None and found.field_id in ids)

    def _columns(self, program: Program, window: Window, first: int, last: int) -> AvroColumns:
        """Return the columns of some blocks of a window."""
        parts, counts = window.parts[first:last], window.counts[first:last]
        number = window.block + first
        self._check_numbers(program, number, counts)
        offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        data = np.frombuffer(b"".join(parts), np.uint8)
        return AvroColumns(
            program,
            data,
            offsets,
            counts,
            first_block=number,
            limits=self._limits,
            placed=lambda error, block: self._blocks.placed(error, window, first + block),
        )

    def _check_numbers(self, program: Program, first: int, counts: NDArray[np.int64]) -> None:
        """Refuse a block whose decoded numbers would take more memory than limits allow.

        A record of one byte can become many numbers of eight bytes.
        """
        most = max(self._limits.decompressed_size, FREE_EXPANSION)
        each = 8 * sum(level == 1 for level in program.steps.levels)
        block = int(np.argmax(counts))
        if int(counts[block]) * each > most:
            found = f"{counts[block]} records of {each} bytes each when decoded"
            wanted = f"at most {most} (limits.decompressed_size)"
            raise LimitExceeded(f"avro.blocks[{first + block}]", None, found, wanted)

    def _known(self, columns: AvroColumns) -> tuple[list[pa.Field], list[pa.Array]]:
        """Return the columns that have ids."""
        fields, arrays = columns.build()
        if not self._has_ids:
            fields = identified(fields, self._names)
        known = [at for at, each in enumerate(fields) if field_id(each) >= 0]
        return [fields[each] for each in known], [arrays[each] for each in known]


def _groups(counts: NDArray[np.int64]) -> Iterator[int]:
    """Yield where groups of blocks end."""
    rows = 0
    for end, count in enumerate(counts.tolist(), 1):
        rows += count
        if rows >= BATCH or end == len(counts):
            yield end
            rows = 0


def _has_ids(schema: Any) -> bool:
    """Return whether any field of a schema has an id."""
    if isinstance(schema, list):
        return any(map(_has_ids, schema))
    if not isinstance(schema, dict):
        return False
    if any(key in schema for key in ("field-id", "element-id", "key-id", "value-id")):
        return True
    return any(_has_ids(schema.get(key)) for key in ("type", "fields", "items", "values"))
