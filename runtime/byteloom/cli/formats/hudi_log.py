"""Hudi log files: the frame, headers and records of each block.

- Inspecting reads the lengths of records and counts those of files in blocks; verifying decodes
  all of them.
- What is left of a torn or unfinished block is a part of the tree, and an error.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.formats.content import tracer
from byteloom.cli.printing.report import Report
from byteloom.errors import ByteloomError
from byteloom.hudi.log_checks import Met, in_content, walk
from byteloom.hudi.logs import MAGIC, BlockType, LogBlock
from byteloom.storage.sources import BytesSource, read_whole
from byteloom.wire import Node
from byteloom_generated.hfile import hudi_log as layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.storage import Source
    from byteloom.wire import TracingReader
    from byteloom.wire.nodes import Folding

__all__ = ["explain"]

_UNCHECKED: Final = (
    "the values of records, and what is in HFiles and Parquet files in blocks; "
    "`byteloom verify` reads all of them"
)
_LISTED: Final = 1_000
"""The most blocks that the table lists, unless all are wanted."""

_TORN, _UNFINISHED = "torn", "unfinished"
"""The type of a block that is not whole, in place of ``corrupt``."""


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of a log file: its blocks, their headers and records."""
    root = Node(name="", start=0, end=source.size)
    report = Report(
        source=source, format="hudi_log", title="Hudi log file", root=root, by_value=True
    )
    report.unchecked = _UNCHECKED
    try:
        data = read_whole(source)
    except ByteloomError as error:
        report.error = error
        return report
    errors: list[ByteloomError] = []
    blocks = walk(BytesSource(data, source.name), lambda block, _: _count(block), errors)
    rows = {met.start: _row(met) for met in blocks}
    report.error = errors[0] if errors else None
    listed = [*rows.values()]
    report.facts = _facts(listed)
    report.tables["blocks"] = listed if folding.full else listed[:_LISTED]
    reader = tracer(data, 0, folding=folding)
    with suppress(ByteloomError):
        reader.records_to_end("blocks", _Tracing(rows, reader.limits.objects // 2).take)
    root.children = reader.root.children
    for node in root.children:
        if node.start in rows and not node.more:
            node.value = rows[node.start]["type"]
        elif [each.name for each in node.children] == [_UNFINISHED]:
            node.value = _UNFINISHED
    return report


def _row(met: Met) -> dict[str, Any]:
    """Return the row of a block in the table; the type of a torn one is ``torn``."""
    block = met.block
    row = {
        "type": block.type.name.lower() if block.torn is None else _TORN,
        "offset": met.start,
        "size": block.end - met.start,
        "instant_time": block.instant or None,
        "records": met.records,
        "error": None if met.error is None else str(met.error),
    }
    return {key: value for key, value in row.items() if value is not None}


def _facts(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the blocks have together."""
    instants = [row["instant_time"] for row in rows if "instant_time" in row]
    counts = Counter[str]()
    for row in rows:
        counts[row["type"]] += row.get("records", 0)
    deletes = counts.pop("delete", 0)
    return {
        "blocks": len(rows),
        "torn_blocks": sum(row["type"] == _TORN for row in rows),
        "records": counts.total(),
        "deletes": deletes,
        "first_instant": min(instants, default=None),
        "last_instant": max(instants, default=None),
    }


def _count(block: LogBlock) -> int:
    """Return how many records a whole block has, or keys that it deletes."""
    match block.type:
        case BlockType.DELETE:
            from byteloom.hudi.log_records import deleted_keys

            return len(deleted_keys(block))
        case BlockType.HFILE_DATA:
            from byteloom.hfile.reader import HFile

            with in_content(block):
                return HFile(BytesSource(block.content), protobuf_keys=True).num_cells
        case BlockType.PARQUET_DATA:
            from byteloom.parquet.whole import count_rows

            with in_content(block):
                return count_rows(BytesSource(block.content))
        case BlockType.COMMAND:
            return 0
        case _:
            from byteloom.hudi.log_records import avro_values

            return len(avro_values(block))


class _Tracing:
    """Takes the blocks of a log, one after the other, from a tracing reader."""

    def __init__(self, rows: Mapping[int, dict[str, Any]], records: int) -> None:
        """Take blocks whose *rows* in the table are known, and up to so many *records* in them."""
        self._rows, self._left = rows, records

    def take(self, r: TracingReader) -> None:
        """Take the next block, what is left of one, or the bytes after the last."""
        row = self._rows.get(r.offset, {})
        if row.get("type") == _TORN:
            r.magic("magic", MAGIC)
            r.bytes("rest", row["size"] - len(MAGIC))
        elif r.left < len(MAGIC):
            r.bytes(_UNFINISHED, r.left)
        else:
            self._whole(r, row)

    def _whole(self, r: TracingReader, row: dict[str, Any]) -> None:
        block = layout.LogBlock.read(r)
        place = r.trail.traced.place_of(block.body)
        kind = _LAYOUTS.get(block.body.type)
        records = row.get("records", 0)
        if place is None or kind is None or records > self._left:
            return
        self._left -= records
        content = next(each for each in place.node.children if each.name == "content")
        view = r.view(content.name, content.start, block.body)
        with suppress(ByteloomError):
            view.within(content.name, content.size, kind.read)
        inside = place.node.children[-1]
        if inside is not content and inside.name == content.name:
            place.node.children.pop()
            if inside.children:
                content.value, content.children = None, inside.children


_LAYOUTS: Final[dict[int, Any]] = {
    BlockType.AVRO_DATA: layout.AvroData,
    BlockType.CDC_DATA: layout.AvroData,
    BlockType.DELETE: layout.Deletes,
}
"""Contents whose fields are shown."""
