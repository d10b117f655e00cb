"""Parquet files: footer, schema, row groups, column chunks and the headers of their pages.

- The headers of pages are read, and not the pages; verifying reads all of them.
- The parser's own verdict counts: whatever `byteloom.parquet.layout` refuses is the report's error.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.formats.content import show_fields, tracer
from byteloom.cli.printing.report import Report, percent
from byteloom.errors import ByteloomError
from byteloom.limits import DEFAULT_LIMITS
from byteloom.parquet.layout import ParquetLayout
from byteloom.parquet.pages import chunk_range, pages
from byteloom.parquet.structs import StructWalk
from byteloom.wire import Node
from byteloom_generated.parquet.parquet import Parquet, Tail

if TYPE_CHECKING:
    from byteloom.parquet.layout import ColumnChunk, Element, RowGroup
    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding

__all__ = ["explain"]

_UNCHECKED: Final = "the values in pages; `byteloom verify` reads all of them"
_SHOWN: Final = 200
"""The most column chunks that are listed, and whose pages are shown, unless all are wanted."""

_FORMS: Final = {
    "BOOLEAN": "<?", "INT32": "<i", "INT64": "<q", "FLOAT": "<f", "DOUBLE": "<d",
}  # fmt: skip
"""How bounds of numbers are stored."""

_TEXTS: Final = ("STRING", "UTF8", "ENUM", "JSON")


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of a file: its ends, its schema, its row groups and their pages."""
    root = Node(name="", start=0, end=source.size)
    report = Report(source=source, format="parquet", title="Parquet file", root=root)
    report.unchecked = _UNCHECKED
    try:
        layout = ParquetLayout(source, DEFAULT_LIMITS)
        _trace_ends(source, layout, root, folding=folding)
        report.facts = _facts(layout)
        report.properties = layout.properties
        report.tables["schema"] = [_element(each) for each in layout.elements[1:]]
        _add_groups(source, layout, report, folding=folding)
    except ByteloomError as error:
        report.error = error
    root.children.sort(key=lambda node: node.start)
    return report


def _trace_ends(source: Source, layout: ParquetLayout, root: Node, *, folding: Folding) -> None:
    """Trace the leading magic, the footer and the tail."""
    start = tracer(source.read(0, len(Parquet.magic)), 0, folding=folding)
    with suppress(ByteloomError):
        start.magic("magic", Parquet.magic)
    end = source.size - Tail.SIZE
    tail = tracer(source.read(end, Tail.SIZE), end, folding=folding)
    with suppress(ByteloomError):
        tail.record(Tail.NAME, Tail.read)
    footer = Node(name="footer", start=layout.start, end=end)
    show_fields(footer, layout.walk(), folding=folding)
    root.children += [*start.root.children, footer, *tail.root.children]


def _facts(layout: ParquetLayout) -> dict[str, Any]:
    """Return what the footer says of the whole file."""
    facts = layout.facts
    return {
        "version": facts.get("version"),
        "created_by": facts.get("created_by"),
        "rows": facts.get("num_rows"),
        "row_groups": facts.get("num_row_groups"),
        "columns": len(layout.leaves),
        "footer_offset": layout.start,
        "footer_size": len(layout.footer),
    }


def _element(of: Element) -> dict[str, Any]:
    """Return the row of a node of the schema."""
    row = {
        "column": ".".join(of.names),
        "repetition": _name(of.get("repetition_type")),
        "type": _name(of.get("type")) if of.is_leaf else "group",
        "type_length": of.get("type_length"),
        "logical_type": of.logical_type or None,
        "field_id": of.get("field_id"),
    }
    return {key: value for key, value in row.items() if value is not None}


def _add_groups(source: Source, layout: ParquetLayout, report: Report, *, folding: Folding) -> None:
    """Add the row groups, their column chunks, and the pages of these."""
    groups = report.tables.setdefault("row_groups", [])
    chunks = report.tables.setdefault("columns", [])
    leaves = layout.leaves
    for group in layout.row_groups():
        if len(chunks) >= _SHOWN and not folding.full:
            return
        groups.append(_group(group, len(groups)))
        for chunk, leaf in zip(group.chunks, leaves, strict=False):
            if not chunk.is_in_file:
                continue
            row = _chunk(chunk, leaf, len(groups) - 1)
            row["percent"] = percent(row["size"], source.size)
            chunks.append(row)
            _trace_chunk(source, chunk, report, folding=folding)


def _group(group: RowGroup, number: int) -> dict[str, Any]:
    """Return the row of a row group."""
    row = {
        "number": number,
        "rows": group.get("num_rows"),
        "offset": group.get("file_offset"),
        "size": group.get("total_compressed_size"),
        "decompressed": group.get("total_byte_size"),
        "columns": len(group.chunks),
    }
    return {key: value for key, value in row.items() if value is not None}


def _chunk(chunk: ColumnChunk, leaf: Element, group: int) -> dict[str, Any]:
    """Return the row of a column chunk, with its statistics."""
    offset, size = chunk_range(chunk)
    low, high = (_bound(chunk, leaf, name) for name in ("min", "max"))
    row = {
        "column": ".".join(leaf.names),
        "row_group": group,
        "codec": _name(chunk.of("codec")),
        "encodings": [_name(each) for each in chunk.of("encodings")],
        "offset": offset,
        "size": size,
        "decompressed": chunk.of("total_uncompressed_size"),
        "values": chunk.of("num_values"),
        "nulls": chunk.of("statistics.null_count"),
        "distinct": chunk.of("statistics.distinct_count"),
        "min": low,
        "max": high,
    }
    return {key: value for key, value in row.items() if value is not None}


def _bound(chunk: ColumnChunk, leaf: Element, name: str) -> Any:
    """Return a bound in its physical type, text if it is text, else bytes in hex."""
    stored = chunk.of(f"statistics.{name}_value")
    stored = chunk.of(f"statistics.{name}") if stored is None else stored
    if stored is None:
        return None
    form = _FORMS.get(str(_name(leaf.get("type"))))
    if form is not None and struct.calcsize(form) == len(stored):
        return struct.unpack(form, stored)[0]
    return stored.decode(errors="replace") if leaf.logical_type in _TEXTS else stored.hex()


def _trace_chunk(source: Source, chunk: ColumnChunk, report: Report, *, folding: Folding) -> None:
    """Add the nodes of a column chunk's pages, and of what it has outside of them."""
    offset, size = chunk_range(chunk)
    if min(offset, size) < 0 or offset + size > source.size:
        if report.error is None:
            found = f"{size} bytes at byte {offset}"
            wanted = f"a place in a file of {source.size} bytes"
            report.error = chunk.error("meta_data.data_page_offset", found, wanted)
        return
    node = Node(name=chunk.path, start=offset, end=offset + size)
    node.value = ".".join(chunk.of("path_in_schema"))
    report.root.children.append(node)
    for name, start, length in chunk.parts():
        if 0 <= start <= start + length <= source.size:
            end = start + length
            report.root.children.append(Node(name=f"{chunk.path}.{name}", start=start, end=end))
    if not chunk.is_here:
        return
    try:
        for number, page in enumerate(pages(source, chunk, chunk.path)):
            end = page.start + page.packed
            name = f"pages[{number}]"
            if number >= folding.siblings:
                if not folding.folds(node, page.header, end):
                    folding.begin(node, Node(name="pages…", start=page.header, end=end, more=1))
                continue
            inside = Node(name=name, start=page.header, end=end)
            node.children.append(inside)
            head = Node(name="header", start=page.header, end=page.start)
            stored = source.read(page.header, page.start - page.header)
            show_fields(head, StructWalk(stored, page.header).fields("PageHeader"))
            inside.children = [head, Node(name="content", start=page.start, end=end)]
    except ByteloomError as error:
        report.error = report.error or error


def _name(number: object) -> object:
    """Return the name of a number that has one."""
    return getattr(number, "name", number)
