"""Lance files of all versions, and manifests of datasets: footer, schema, columns and their pages.

- Inspecting reads the end of the file and the metadata of columns; verifying reads all rows.
- The parser's own verdict counts: whatever `byteloom.lance` refuses is the report's error.
- Of files of version 0.1 the tail, the messages and the table of pages are shown.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.formats.content import show_message, tracer
from byteloom.cli.printing.report import Report, percent
from byteloom.errors import ByteloomError, Unsupported
from byteloom.lance.encodings import (
    ARRAY_ENCODING,
    EARLY_PAGE_LAYOUT,
    PAGE_LAYOUT,
    array_encoding,
    page_layout,
)
from byteloom.lance.fields import tree_of
from byteloom.lance.findings import footer_findings
from byteloom.lance.reader import LanceFile
from byteloom.lance.sized import read_framed
from byteloom.lance.types import arrow_schema
from byteloom.limits import DEFAULT_LIMITS
from byteloom.verification.lance import manifest_of
from byteloom.wire import Node
from byteloom.wire.nodes import Folding
from byteloom_generated.lance.file import FileDescriptor, Metadata
from byteloom_generated.lance.file2 import ColumnMetadata, EarlyColumnMetadata
from byteloom_generated.lance.table import Manifest
from byteloom_generated.lance.tail import EarlyFooter, Extents, Footer, LegacyTail, Version

if TYPE_CHECKING:
    from byteloom.documents.messages import Message
    from byteloom.lance.column_metadata import Column
    from byteloom.lance.fields import Field
    from byteloom.storage import Source

__all__ = ["explain", "explain_manifest", "trace_legacy"]

_UNCHECKED: Final = "the rows in the pages; `byteloom verify` reads all of them"
_SHOWN: Final = 200
"""The most columns whose metadata is read and shown, unless all are wanted."""


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of a Lance file: its footer, metadata and pages, with their places."""
    root = Node(name="", start=0, end=source.size)
    report = Report(source=source, format="lance", title="Lance file", root=root)
    report.unchecked = _UNCHECKED
    try:
        file = LanceFile(source)
    except ByteloomError as error:
        manifest = manifest_of(source)
        if manifest is not None:
            return explain_manifest(source, manifest, folding=folding)
        report.error = error
        _trace_version(source, root)
        return report
    _trace_tail(file, root, folding=folding)
    report.error = next(footer_findings(file), None)
    report.facts = _facts(file)
    count = len(file.tail.columns)
    numbers = range(count if folding.full else min(count, _SHOWN))
    try:
        report.facts["schema"] = _schema(file)
        owners = _owners(file) if count else {}
        for number in numbers:
            (column,) = file.columns([number])
            owner = owners.get(number)
            node = _trace_column(file, column, root, folding=folding)
            report.error = report.error or _damaged_encoding(file, column)
            node.value = None if owner is None else f"{owner.path}: {owner.type}"
            row = {"column": owner.path if owner else "", "number": number, **_sizes(column)}
            row["percent"] = percent(row["size"], source.size)
            report.tables.setdefault("columns", []).append(row)
    except ByteloomError as error:
        report.error = report.error or error
    root.children.sort(key=lambda node: node.start)
    return report


def _trace_version(source: Source, root: Node) -> None:
    at = max(source.size - Version.SIZE, 0)
    reader = tracer(source.read(at, source.size - at), at, folding=Folding.none())
    with suppress(ByteloomError):
        reader.record(Version.NAME, Version.read)
    root.children += reader.root.children


def _trace_tail(file: LanceFile, root: Node, *, folding: Folding) -> None:
    """Trace footer, tables of extents, and the schema."""
    tail, footer = file.tail, file.tail.footer
    if isinstance(footer, LegacyTail):
        trace_legacy(file, footer, root, folding=folding)
        return
    kind = EarlyFooter if tail.is_early else Footer
    reader = tracer(file.source.read(tail.at, kind.SIZE), tail.at, folding=folding)
    reader.record(kind.NAME, kind.read)
    root.children += reader.root.children
    tables = (
        ("column_extents", footer.ofs_column_extents, len(tail.columns)),
        ("buffer_extents", footer.ofs_buffer_extents, len(tail.buffers)),
    )
    for name, offset, count in tables:
        if count:
            data = file.source.read(offset, count * 16)
            reader = tracer(data, offset, folding=folding)
            reader.record(name, partial(Extents.read, count=count))
            root.children += reader.root.children
    for number, each in enumerate(tail.buffers):
        node = Node(name=f"buffers[{number}]", start=each.offset, end=each.offset + each.size)
        root.children.append(node)
        if not number:
            node.name = "descriptor"
            show_message(node, FileDescriptor, file.global_buffer(0), folding=folding)


def _trace_column(file: LanceFile, column: Column, root: Node, *, folding: Folding) -> Node:
    """Trace the metadata and the buffers of a column; return the node of the metadata."""
    extent = file.tail.columns[column.number]
    node = Node(name=column.path, start=extent.offset, end=extent.offset + extent.size)
    kind = EarlyColumnMetadata if file.tail.is_early else ColumnMetadata
    data = file.source.read(extent.offset, extent.size)
    show_message(node, kind, data, folding=folding)
    root.children.append(node)
    for page in column.pages:
        for number, (offset, size) in enumerate(page.buffers):
            name = f"{page.path}.buffers[{number}]"
            root.children.append(Node(name=name, start=offset, end=offset + size))
    return node


def _damaged_encoding(file: LanceFile, column: Column) -> ByteloomError | None:
    """The error of the first page of a column whose encoding is damaged; None if none is."""
    try:
        for page in column.pages:
            if page.encoding.type == ARRAY_ENCODING:
                array_encoding(page, file.limits)
            elif page.encoding.type in {EARLY_PAGE_LAYOUT, PAGE_LAYOUT}:
                page_layout(page, file.limits)
    except Unsupported:
        return None
    except ByteloomError as error:
        return error
    return None


def _facts(file: LanceFile) -> dict[str, Any]:
    tail = file.tail
    known = {"version": file.version, "rows": file.num_rows}
    if tail.legacy:
        batches = len(file.legacy_pages.batches) - 1
        return {**known, "columns": len(file.fields), "batches": batches, "footer_offset": tail.at}
    return {
        **known,
        "columns": len(tail.columns),
        "global_buffers": len(tail.buffers),
        "footer_offset": tail.at,
    }


def _schema(file: LanceFile) -> list[str]:
    return [f"{each.name}: {each.type}" for each in file.schema]


def _owners(file: LanceFile) -> dict[int, Field]:
    """The field that each column belongs to."""
    fields = {each.id: each for top in file.fields for each in top.walk()}
    return {number: fields[field] for field, number in file.column_map.first.items()}


def _sizes(column: Column) -> dict[str, Any]:
    """The pages, the rows and the bytes of a column."""
    size = sum(each for page in column.pages for _, each in page.buffers)
    return {"pages": len(column.pages), "rows": column.length, "size": size}


def trace_legacy(file: LanceFile, footer: LegacyTail, root: Node, *, folding: Folding) -> None:
    """Add the tail of a file, its messages and its page table to the tree of *root*."""
    at = file.tail.at
    reader = tracer(file.source.read(at, LegacyTail.SIZE), at, folding=folding)
    reader.record(LegacyTail.NAME, LegacyTail.read)
    root.children += reader.root.children
    metadata = file.tail.legacy or Metadata()
    root.children.append(_message(file, "metadata", footer.ofs_message, Metadata, folding))
    if metadata.manifest_position:
        at = metadata.manifest_position
        root.children.append(_message(file, "manifest", at, Manifest, folding))
    start, stop = file.legacy_pages.table
    root.children.append(Node(name="page_table", start=start, end=stop))


def _message(file: LanceFile, name: str, at: int, kind: type[Message], folding: Folding) -> Node:
    """A message that is stored after its size."""
    data, start = read_framed(file.source, at, file.tail.at, name, DEFAULT_LIMITS)
    node = Node(name=name, start=start, end=start + len(data))
    show_message(node, kind, data, folding=folding)
    return node


_UNREAD_FILES: Final = "the files of the dataset; `byteloom verify` of its folder reads all of them"


def explain_manifest(source: Source, manifest: Manifest, *, folding: Folding) -> Report:
    """Return a report on the manifest: its version, its fields, and their places."""
    root = Node(name="", start=0, end=source.size)
    at = source.size - LegacyTail.SIZE
    stored = source.read(at, LegacyTail.SIZE)
    reader = tracer(stored, at, folding=folding)
    reader.record(LegacyTail.NAME, LegacyTail.read)
    place = LegacyTail.from_bytes(stored, origin=at).ofs_message
    data, start = read_framed(source, place, at, "manifest", DEFAULT_LIMITS)
    node = Node(name="manifest", start=start, end=start + len(data))
    show_message(node, Manifest, data, folding=folding)
    root.children = [node, *reader.root.children]
    report = Report(source=source, format="lance", title="manifest of a Lance dataset", root=root)
    report.unchecked = _UNREAD_FILES
    try:
        report.facts = _manifest_facts(manifest)
    except ByteloomError as error:
        report.error = error
    return report


def _manifest_facts(manifest: Manifest) -> dict[str, Any]:
    fields = tree_of(manifest.fields, DEFAULT_LIMITS, path="manifest")
    writer = manifest.writer_version
    return {
        "version": manifest.version,
        "data_version": manifest.data_format.version or None,
        "writer": f"{writer.library} {writer.version}".strip() or None,
        "fragments": len(manifest.fragments),
        "files": sum(len(each.files) for each in manifest.fragments),
        "reader_flags": manifest.reader_feature_flags,
        "writer_flags": manifest.writer_feature_flags,
        "schema": [f"{each.name}: {each.type}" for each in arrow_schema(fields)],
    }
