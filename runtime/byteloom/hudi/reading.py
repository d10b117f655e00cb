"""Read one file slice of a metadata table: open its files, take its log blocks, and merge them.

- Everything that the commits of the metadata table state as written to the slice must be there, so
  that skipped damage, such as a torn block, never hides rows.
- Log blocks are read whole; of the base file only the requested rows are read.

Source: https://hudi.apache.org/tech-specs
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byteloom import hfile
from byteloom.errors import FormatError
from byteloom.hfile.info_names import HUDI_SCHEMA
from byteloom.hudi.deletes import deleted_keys
from byteloom.hudi.key_choice import COLUMNS, KeyChoice, plain
from byteloom.hudi.logs import BlockType, LogBlock, read_blocks
from byteloom.hudi.merge import LogRecords, Rows
from byteloom.hudi.scan import RECORDS, counted
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.hfile import HFile
    from byteloom.hudi.commits import Commits
    from byteloom.hudi.scan import Validity
    from byteloom.hudi.slices import FileSlice
    from byteloom.limits import Limits
    from byteloom.storage import Folder

__all__ = ["SliceReader"]


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

        raises  `FormatError` where a block that should be there is missing
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

    raises  `FormatError` where it has none
    """
    raw = file.file_info.get(HUDI_SCHEMA)
    if raw is None:
        raise FormatError("file_info.schema", None, "none", "an Avro schema")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise FormatError("file_info.schema", None, raw, "UTF-8") from error
