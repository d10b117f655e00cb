"""ORC files: postscript, footer, stripes and their streams, with what each column's statistics say.

- Compressed messages are trees of their own, after decompression.
- The parser's own verdict counts: whatever `byteloom.orc` refuses is the report's error.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.formats.content import show_message
from byteloom.cli.printing.report import Decoded, Report, percent
from byteloom.errors import ByteloomError
from byteloom.files.kinds import ORC_MAGIC, cut_file
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.layout import OrcLayout
from byteloom.wire import Node
from byteloom_generated.orc.messages import (
    ColumnEncoding,
    CompressionKind,
    Footer,
    Metadata,
    PostScript,
    Stream,
    StripeFooter,
    Type,
)

if TYPE_CHECKING:
    from enum import IntEnum

    from byteloom.documents.messages import Message
    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding
    from byteloom_generated.orc.messages import ColumnStatistics

__all__ = ["explain"]

_UNCHECKED: Final = "the values in streams; `byteloom verify` reads all of them"
_SHOWN: Final = 200
"""The most stripes whose footers are read and shown, unless all are wanted."""


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of a file: its ends, its schema, its stripes and their streams."""
    root = Node(name="", start=0, end=source.size)
    report = Report(source=source, format="orc", title="ORC file", root=root)
    report.unchecked = _UNCHECKED
    try:
        cut = cut_file(source)
        if cut is not None:
            raise cut
        layout = OrcLayout(source, DEFAULT_LIMITS)
        _Tracing(source, layout, report, folding).trace()
    except ByteloomError as error:
        report.error = error
    root.children.sort(key=lambda node: node.start)
    return report


class _Tracing:
    """Adds what is in a file to its report."""

    def __init__(self, source: Source, layout: OrcLayout, report: Report, folding: Folding) -> None:
        """Begin without any nodes."""
        self._source, self._layout, self._report = source, layout, report
        self._folding, self._nodes = folding, report.root.children

    def trace(self) -> None:
        """Add everything, the ends of the file first."""
        layout, postscript = self._layout, self._layout.postscript
        size = len(ORC_MAGIC)
        magic = Node(name="magic", start=0, end=size, value=self._source.read(0, size))
        self._nodes.append(magic)
        end = self._source.size - 1
        start = layout.start + postscript.footerLength
        node = Node(name="postscript", start=start, end=end)
        show_message(node, PostScript, self._source.read(start, end - start), folding=self._folding)
        length = Node(name="len_postscript", start=end, end=end + 1, value=end - start)
        self._nodes += [node, length]
        self._message("footer", Footer, layout.start, postscript.footerLength)
        if held := postscript.metadataLength:
            self._message("metadata", Metadata, layout.start - held, held)
        self._facts()
        stripes = layout.stripes if self._folding.full else layout.stripes[:_SHOWN]
        for number in range(len(stripes)):
            self._stripe(number)

    def _message(self, name: str, kind: type[Message], start: int, size: int) -> Node:
        """Add a message, decompressed if the file is compressed; return its node."""
        node = Node(name=name, start=start, end=start + size)
        self._nodes.append(node)
        data = self._layout.plain(start, size)
        if self._layout.postscript.compression == CompressionKind.NONE:
            show_message(node, kind, data, folding=self._folding)
            return node
        root = Node(name="", start=0, end=len(data))
        show_message(root, kind, data, folding=self._folding)
        load = partial(self._layout.plain, start, size)
        self._report.decoded.append(Decoded(name=name, root=root, load=load))
        return node

    def _facts(self) -> None:
        """Add the facts, the schema and the statistics of the file."""
        layout, postscript = self._layout, self._layout.postscript
        self._report.facts = {
            "version": ".".join(map(str, postscript.version)),
            "writer": layout.footer.writer,
            "writer_version": postscript.writerVersion,
            "software_version": layout.footer.softwareVersion or None,
            "compression": _name(CompressionKind, postscript.compression).lower(),
            "rows": layout.footer.numberOfRows,
            "stripes": len(layout.stripes),
            "row_index_stride": layout.footer.rowIndexStride,
            "footer_offset": layout.start,
        }
        self._report.properties = {
            each.name: bytes(each.value).decode(errors="replace") for each in layout.footer.metadata
        }
        stated = dict(enumerate(layout.footer.statistics))
        rows: list[dict[str, Any]] = []
        for number, name in sorted(_names(layout).items()):
            row = {"column": name, "number": number, **_type(layout.types[number])}
            rows.append(row | _statistics(stated.get(number)))
        self._report.tables["columns"] = rows

    def _stripe(self, number: int) -> None:
        """Add a stripe, its streams and its footer."""
        stripe, name = self._layout.stripes[number], f"stripes[{number}]"
        found = self._layout.streams(stripe)
        for at, (each, offset) in enumerate(zip(found.footer.streams, found.offsets, strict=True)):
            node = Node(name=f"{name}.streams[{at}]", start=offset, end=offset + each.length)
            node.value = f"{_name(Stream.Kind, each.kind)} of column {each.column}"
            self._nodes.append(node)
        start = stripe.offset + stripe.indexLength + stripe.dataLength
        self._message(f"{name}.footer", StripeFooter, start, stripe.footerLength)
        size = start + stripe.footerLength - stripe.offset
        row = {
            "number": number,
            "rows": stripe.numberOfRows,
            "offset": stripe.offset,
            "size": size,
            "index_size": stripe.indexLength,
            "data_size": stripe.dataLength,
            "footer_size": stripe.footerLength,
            "percent": percent(size, self._source.size),
            "encodings": [_name(ColumnEncoding.Kind, each.kind) for each in found.footer.columns],
        }
        self._report.tables.setdefault("stripes", []).append(row)


def _name(kinds: type[IntEnum], number: int) -> str:
    """Return the name of a number, or its digits if it has none."""
    return kinds(number).name if number in set(kinds) else str(number)


def _names(layout: OrcLayout) -> dict[int, str]:
    """Return the names of all columns by number, each after those of the ones around it."""
    found = {0: ""}
    for number, of in enumerate(layout.types):
        inner = list(of.fieldNames) or [f"[{at}]" for at in range(len(of.subtypes))]
        for name, each in zip(inner, of.subtypes, strict=False):
            if number < each < len(layout.types) and number in found:
                found[each] = f"{found[number]}.{name}".lstrip(".")
    return found


def _type(of: Type) -> dict[str, Any]:
    """Return the type of a column, with its attributes."""
    text = _name(Type.Kind, of.kind).lower()
    if of.kind == Type.Kind.DECIMAL:
        text = f"{text}({of.precision}, {of.scale})"
    elif of.maximumLength:
        text = f"{text}({of.maximumLength})"
    return {"type": text, **{each.key: each.value for each in of.attributes}}


def _statistics(stated: ColumnStatistics | None) -> dict[str, Any]:
    """Return what the file states of a column's values."""
    if stated is None:
        return {}
    row: dict[str, Any] = {"values": stated.numberOfValues, "has_null": stated.hasNull}
    for field, of in stated.ListFields():
        if field.name.endswith("Statistics"):
            for inner, value in of.ListFields():
                text = value.decode(errors="replace") if isinstance(value, bytes) else value
                row[inner.name] = text if isinstance(text, int | float | str) else list(text)
    return row
