"""Read one file slice of a metadata table: open its files, take its log blocks, and merge them.

- Everything that the commits of the metadata table state as written to the slice must be there, so
  that skipped damage, such as a torn block, never hides rows.
- Log blocks are read whole; of the base file only the requested rows are read.

Source: https://hudi.apache.org/tech-specs
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import pyarrow as pa

from byteloom import hfile
from byteloom.errors import FormatError
from byteloom.hfile import HFile
from byteloom.hfile.info_entries import HUDI_SCHEMA
from byteloom.hudi.commits import Commits
from byteloom.hudi.log_records import deleted_keys
from byteloom.hudi.logs import BlockType, LogBlock, read_blocks
from byteloom.hudi.merge import LogRecords, Rows, joined
from byteloom.hudi.slices import FileSlice
from byteloom.hudi.validity import RECORDS, Validity, counted
from byteloom.late import pc
from byteloom.limits import Limits
from byteloom.storage import Folder
from byteloom.storage.naming import about_file

__all__ = ["SliceReader"]

COLUMNS: Final = ("row", "value")
"""The columns of a row of a metadata table."""


class KeyChoice:
    """The keys to read: some keys, keys with some prefixes, or (None for both) all keys."""

    def __init__(
        self, keys: Sequence[bytes] | pa.Array | None, prefixes: Sequence[bytes] | None
    ) -> None:
        """Keep each key and prefix once, and drop prefixes that begin with another one."""
        if isinstance(keys, pa.Array):
            unique = keys.unique()
            self._keys = unique.take(pc.sort_indices(unique)).cast(pa.binary())
        else:
            self._keys = None if keys is None else pa.array(sorted(set(keys)), pa.binary())
        kept: list[bytes] = []
        for prefix in sorted(prefixes or ()):
            if not kept or not prefix.startswith(kept[-1]):
                kept.append(prefix)
        self._prefixes = None if prefixes is None else kept

    def mask(self, keys: pa.Array) -> pa.Array | None:
        """Return which of *keys* are wanted; None for all."""
        if self._keys is not None:
            return pc.is_in(keys, self._keys)
        if self._prefixes is None:
            return None
        found = pa.repeat(pa.scalar(False), len(keys))  # noqa: FBT003  a value, no switch
        for prefix in self._prefixes:
            found = pc.or_(found, pc.starts_with(keys, prefix))
        return found

    def cells(self, file: HFile) -> Iterator[tuple[pa.Array, pa.Array]]:
        """Yield the wanted keys of *file* and their values, in parts."""
        if self._keys is not None:
            table = file.lookup(self._keys, COLUMNS)
            yield plain(table["row"]), plain(table["value"])
        elif self._prefixes is not None:
            for prefix in self._prefixes:
                table = file.prefix(prefix, COLUMNS)
                yield plain(table["row"]), plain(table["value"])
        else:
            for batch in file.batches(COLUMNS, binary="binary"):
                yield batch.column("row"), batch.column("value")


def plain(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece."""
    return joined(column.chunks)


class SliceReader:
    """The rows of one file slice."""

    def __init__(
        self,
        folder: Folder,
        file_slice: FileSlice,
        validity: Validity,
        commits: Commits,
        limits: Limits,
    ) -> None:
        """Read *file_slice* of the metadata table in *folder*, which has these *commits*."""
        self._folder, self._slice, self._validity = folder, file_slice, validity
        self._commits, self._limits = commits, limits

    def rows(
        self,
        keys: Sequence[bytes] | pa.Array | None = None,
        *,
        prefixes: Sequence[bytes] | None = None,
    ) -> Iterator[Rows]:
        """Yield the rows of the slice, or of these *keys*, or of keys with these *prefixes*."""
        asked = KeyChoice(keys, prefixes)
        records = list(self._records(asked))
        with about_file(f"{self._slice.partition}/{self._slice.file_id}"):
            logs = LogRecords(self._slice.partition, records)
        base = self._slice.base
        if base is not None:
            path = f"{self._slice.partition}/{base.name}"
            source = self._folder.open(path)
            try:
                with about_file(path), self._opened(source) as file:
                    yield from logs.over(asked.cells(file), schema_of(file))
            finally:
                source.close()
        yield from logs.left()

    def _records(self, asked: KeyChoice) -> Iterator[tuple[pa.Array, pa.Array, str]]:
        """Yield keys, values and schema of each log block that counts."""
        for block, held in self._counted():
            if isinstance(held, pa.Array):
                keys, values, schema = held, pa.nulls(len(held), pa.binary()), ""
            else:
                schema = _schema_of_block(block)
                with _inside_block(block):
                    table = held.read(COLUMNS)
                keys, values = plain(table["row"]), plain(table["value"])
            mask = asked.mask(keys)
            if mask is not None:
                keys, values = keys.filter(mask), values.filter(mask)
            yield keys, values, schema

    def _counted(self) -> list[tuple[LogBlock, HFile | pa.Array]]:
        """Return the blocks that count, with their file or the keys they delete.

        Raises:
            FormatError: Where a block that should be there is missing.
        """
        blocks: list[LogBlock] = []
        for log in self._slice.logs:
            path = f"{self._slice.partition}/{log.name}"
            source = self._folder.open(path)
            try:
                found = read_blocks(source, path, limits=self._limits)
                blocks += (each for each in found if each.type != BlockType.CORRUPT)
            finally:
                source.close()
        kept = counted(blocks, self._validity)
        held = {
            id(block): self._held(block)
            for block in blocks
            if block.type in RECORDS and block.instant in self._validity
        }
        there: Counter[tuple[str, str]] = Counter()
        for block in blocks:
            if id(block) in held:
                one = held[id(block)]
                deletes = block.type == BlockType.DELETE
                number = len(one) if deletes else one.num_cells
                there[block.instant, "deletes" if deletes else "records"] += number
        self._commits.check(self._slice, there, self._validity)
        return [(block, held[id(block)]) for block in kept]

    def _held(self, block: LogBlock) -> Any:
        """Return the HFile in a block, or the keys that the block deletes."""
        with _inside_block(block):
            if block.type == BlockType.DELETE:
                return deleted_keys(block)
            return self._opened(block.content)

    def _opened(self, place: Any) -> HFile:
        return hfile.open(place, limits=self._limits, protobuf_keys=True)


@contextmanager
def _inside_block(block: LogBlock) -> Iterator[None]:
    """Let errors in the content of *block* name the log file, and the place in it."""
    with about_file(block.file):
        try:
            yield
        except FormatError as error:
            if block.type == BlockType.HFILE_DATA:
                error.moved(block.offset)
            raise


def _schema_of_block(block: LogBlock) -> str:
    schema = block.headers.get("schema")
    if schema is None:
        path = f"{block.file}: log_block.headers.schema"
        raise FormatError(path, block.offset, "none", "an Avro schema")
    return schema


def schema_of(file: HFile) -> str:
    """Return the Avro schema of the values of a base file.

    Raises:
        FormatError: Where it has none.
    """
    raw = file.file_info.get(HUDI_SCHEMA)
    if raw is None:
        raise FormatError("file_info.schema", None, "none", "an Avro schema")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise FormatError("file_info.schema", None, raw, "UTF-8") from error
