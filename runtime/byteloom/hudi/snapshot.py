"""Records of the table itself: their keys and some columns, from base files and log files.

- The last version of a record counts: by the table's ordering field if its merge mode says so,
  otherwise by the order of writing.  A deleted record comes back if it is written again.
- Blocks of instants that are not completed do not count, nor those that a rollback removed.
- Merges that need the table's own code are refused by name: partial updates, custom merges.

Source: https://hudi.apache.org/docs/record_merger
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported, found_by
from byteloom.hudi.avro_values import decode
from byteloom.hudi.data_slices import DataSlice, path_of
from byteloom.hudi.log_records import avro_values, deleted_keys
from byteloom.hudi.logs import BlockType, LogBlock, read_blocks
from byteloom.hudi.timeline import Timeline
from byteloom.hudi.value_types import logical_types, typed
from byteloom.late import pc
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.parquet.whole import read_columns
from byteloom.storage import Folder
from byteloom.storage.naming import about_file

__all__ = ["KEY", "Snapshot", "base_columns"]

KEY: Final = "_hoodie_record_key"
_DELETED, _OPERATION = "_hoodie_is_deleted", "_hoodie_operation"
_ORDERINGS: Final = ("hoodie.table.ordering.fields", "hoodie.table.precombine.field")
_MODE, _PAYLOAD = "hoodie.record.merge.mode", "hoodie.compaction.payload.class"
_MODES: Final = ("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")
_BY_WRITING: Final = "OverwriteWithLatestAvroPayload"
_BY_TIME: Final = ("DefaultHoodieRecordPayload", "EventTimeAvroPayload")
"""Payload classes that merge by ordering field, from before merge modes existed."""

_COMPACTED: Final = "compacted_block_times"
_DATA: Final = (BlockType.AVRO_DATA, BlockType.PARQUET_DATA)


class Snapshot:
    """Reads the records of file slices.

    Attributes:
        ordering: The column that orders the versions of a record; None for the order of
            writing.
    """

    def __init__(
        self,
        table: Folder,
        timeline: Timeline,
        properties: Mapping[str, str],
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """Read from *table*, using its *timeline* and *properties*."""
        self._table, self._timeline, self._limits = table, timeline, limits
        mode = properties.get(_MODE, "")
        payload = properties.get(_PAYLOAD, _BY_WRITING).rpartition(".")[2]
        is_known = mode in _MODES or (not mode and payload in {_BY_WRITING, *_BY_TIME})
        self._custom = None if is_known else f"{mode} {payload}".strip()
        by_time = mode == _MODES[0] or (not mode and payload in _BY_TIME)
        fields = next((properties[each] for each in _ORDERINGS if properties.get(each)), "")
        self.ordering = fields.split(",")[0] if by_time and fields else None

    def records(self, piece: DataSlice, columns: Sequence[str] = ()) -> pa.Table:
        """Return the records of a file slice: their key, as ``key``, and *columns*.

        Args:
            columns: Names, with dots between the parts of nested ones; null where a file has no
                such column.

        Raises:
            Unsupported: For records that cannot be merged.
            FormatError: For damage.
        """
        wanted = [*columns, *([self.ordering] if self.ordering else [])]
        versions = list(self._all(piece, wanted))
        if not piece.logs:
            return versions[0].select(["key", *columns])
        if not versions:
            return pa.table({name: pa.nulls(0) for name in ("key", *columns)})
        try:
            return self._last(versions).select(["key", *columns])
        except pa.ArrowException as error:
            place = path_of(piece.partition, piece.file_id)
            found = found_by("columns of types that cannot be combined", error)
            raise Unsupported(place, None, found, "columns of one type") from error

    def written(self, piece: DataSlice, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield *columns* of all records in each file of a slice, every version, without deletes.

        Raises:
            ByteloomError: The same as for `records`.
        """
        for each in self._all(piece, columns):
            live = each.filter(pc.invert(pc.fill_null(each["gone"], fill_value=False)))
            yield live.select(list(columns))

    def _all(self, piece: DataSlice, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield the records of the base file, then what each block writes and deletes."""
        if piece.base:
            yield base_columns(self._table, piece.partition, piece.base.name, columns, self._limits)
        for block in self._blocks(piece) if piece.logs else ():
            yield self._versions(block, columns)

    def _blocks(self, piece: DataSlice) -> list[LogBlock]:
        """Return the blocks that count, in the order in which they apply."""
        kept: list[LogBlock] = []
        for log in piece.logs:
            place = path_of(piece.partition, log.name)
            source = self._table.open(place)
            try:
                for block in read_blocks(source, place, limits=self._limits):
                    if block.type == BlockType.COMMAND:
                        target = block.headers.get("target_instant_time")
                        kept = [each for each in kept if each.instant != target]
                    elif block.type != BlockType.CORRUPT and self._counts(block):
                        kept.append(block)
            finally:
                source.close()
        return kept

    def _counts(self, block: LogBlock) -> bool:
        found = None
        if self._custom:
            found = f"a merge by {self._custom}"
        elif block.type not in {*_DATA, BlockType.DELETE}:
            found = f"a block of {block.type.name.lower()}"
        elif _COMPACTED in block.headers:
            found = "compacted log blocks"
        elif block.headers.get("is_partial", "").lower() == "true":
            found = "partial updates"
        if found:
            raise Unsupported(block.file, block.offset, found, "whole records and deletes")
        return self._timeline.has_completed(block.instant)

    def _versions(self, block: LogBlock, columns: Sequence[str]) -> pa.Table:
        """Return the records that a block writes and the keys that it deletes."""
        with about_file(block.file):
            if block.type == BlockType.DELETE:
                keys = deleted_keys(block).cast(pa.string())
                gone = pa.array(np.ones(len(keys), np.bool_))
                return pa.table(
                    {"key": keys, "gone": gone, **dict.fromkeys(columns, pa.nulls(len(keys)))}
                )
            wanted = [KEY, _DELETED, _OPERATION, *columns]
            if block.type == BlockType.PARQUET_DATA:
                found = _parquet(block.content, wanted, self._limits)
            else:
                found = pa.Table.from_struct_array(_avro(block, wanted, self._limits))
            return _named(found, columns)

    def _last(self, versions: list[pa.Table]) -> pa.Table:
        """Return the last version of each record, without deleted records."""
        numbered = [
            each.append_column("number", pa.array(np.full(len(each), number, np.int32)))
            for number, each in enumerate(versions)
        ]
        alike = [typed(each, logical_types(versions)) for each in numbered]
        table = pa.concat_tables(alike, promote_options="permissive").combine_chunks()
        if self.ordering:
            _check_ordering(table.schema.field(self.ordering))
        gone = pc.fill_null(table["gone"], fill_value=False)
        table = table.set_column(table.schema.get_field_index("gone"), "gone", gone)
        table = _without_superseded(table)
        order = [("key", "ascending"), ("number", "ascending")]
        if self.ordering and not pa.types.is_null(table.schema.field(self.ordering).type):
            table = table.append_column("ordered", pc.is_valid(table[self.ordering]))
            order[1:1] = [("ordered", "ascending"), (self.ordering, "ascending")]
        sorted_ = table.take(pc.sort_indices(table, order))
        keys = sorted_["key"].combine_chunks()
        last = pa.array([True] * min(len(keys), 1), pa.bool_())
        if len(keys) > 1:
            last = pa.concat_arrays([pc.not_equal(keys[1:], keys[:-1]), last])
        return sorted_.filter(pc.and_(last, pc.invert(sorted_["gone"])))


def _check_ordering(field: pa.Field) -> None:
    """Refuse decimals of unknown scale, as in tables with only log files: bytes sort wrongly."""
    if pa.types.is_binary(field.type) or pa.types.is_fixed_size_binary(field.type):
        raise Unsupported(field.name, None, f"an ordering field of type {field.type}", "a number")


def base_columns(
    table: Folder,
    partition: str,
    name: str,
    columns: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> pa.Table:
    """Return the keys, as ``key``, and *columns* of a base file.

    Raises:
        Unsupported: For a file that is not Parquet, and for a file without keys.
        LimitExceeded: For rows far larger than the file.
    """
    place = path_of(partition, name)
    if not name.endswith(".parquet"):
        raise Unsupported(place, None, name.rpartition(".")[2], "a base file in Parquet")
    with about_file(place):
        return _named(_parquet(table.read(place), [KEY, *columns], limits), columns)


def _parquet(raw: bytes, columns: Sequence[str], limits: Limits) -> pa.Table:
    return read_columns(raw, dict.fromkeys(map(_top, columns)), limits)


def _avro(block: LogBlock, columns: Sequence[str], limits: Limits) -> pa.Array:
    """Return the records of an Avro block."""
    values = avro_values(block)
    fields = tuple(dict.fromkeys(map(_top, columns)))
    return decode(values, block.headers.get("schema", ""), fields, limits=limits)


def _named(found: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return keys as ``key``, whether each is deleted as ``gone``, and *columns* by their names."""
    if KEY not in found.column_names:
        raise Unsupported(KEY, None, "no such column", "files with Hudi's own columns")
    gone = pa.array(np.zeros(len(found), np.bool_))
    if _DELETED in found.column_names:
        gone = pc.fill_null(found[_DELETED], fill_value=False)
    if _OPERATION in found.column_names:
        gone = pc.or_(
            gone, pc.fill_null(pc.equal(found[_OPERATION].cast(pa.string()), "D"), fill_value=False)
        )
    made = {"key": found[KEY].cast(pa.string()), "gone": gone}
    for name in columns:
        made[name] = _column(found, name)
    return pa.table(made)


def _column(found: pa.Table, name: str) -> Any:
    top, *path = name.split(".")
    if top not in found.column_names:
        return pa.nulls(len(found))
    column = found[top]
    for part in path:
        if not pa.types.is_struct(column.type) or column.type.get_field_index(part) < 0:
            return pa.nulls(len(found))
        column = pc.struct_field(column, part)
    return column


def _top(name: str) -> str:
    return name.split(".", maxsplit=1)[0]


def _without_superseded(table: pa.Table) -> pa.Table:
    """Drop the versions that precede a delete of their key, if the delete has no ordering value."""
    deletes = table.filter(table["gone"]).group_by("key").aggregate([("number", "max")])
    if not len(deletes):
        return table
    index = pc.index_in(table["key"], deletes["key"].combine_chunks())
    last = deletes["number_max"].combine_chunks().take(index.combine_chunks())
    kept = pc.or_(pc.is_null(last), pc.greater_equal(table["number"], pc.fill_null(last, 0)))
    return table.filter(kept)
