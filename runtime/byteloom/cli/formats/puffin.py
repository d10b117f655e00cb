"""Puffin files, and the blobs inside them.

- The parser's own verdict counts: whatever `byteloom.puffin` refuses is the report's error.
- Fields are traced from both ends, so that a file damaged at one still shows the other.
- A blob that is damaged does not hide the others; the first error is the file's.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from byteloom.cli.formats.content import Content, tracer
from byteloom.cli.printing.report import Decoded, Report, percent
from byteloom.cli.printing.value_text import cell
from byteloom.errors import ByteloomError, FormatError
from byteloom.limits import DEFAULT_LIMITS
from byteloom.puffin.footer import FETCH, MAGIC, has_no_footer, parse_footer, read_metadata
from byteloom.puffin.metadata import plain
from byteloom.puffin.reader import PuffinFile, errors_in
from byteloom.wire import Node
from byteloom.wire.trace import PREVIEW
from byteloom_generated.puffin.puffin import Footer, FooterTail

if TYPE_CHECKING:
    from byteloom.puffin.metadata import BlobMetadata
    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding

__all__ = ["explain"]

_FRAME: Final = 16
_BLOB_TYPES: Final = {
    "apache-datasketches-theta-v1": "theta",
    "deletion-vector-v1": "deletion_vector",
}
"""The modules that explain blobs of known types."""

_KEYS: Final = {
    "snapshot-id": "snapshot_id",
    "sequence-number": "sequence_number",
    "length": "size",
    "compression-codec": "codec",
}
"""Keys of the footer that have another name in all of byteloom's output."""


class _Opener(Protocol):
    """The interface of a blob type's module; the terms are explained there."""

    def content(self, data: bytes, origin: int, *, folding: Folding) -> Content: ...


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of a Puffin file and its blobs."""
    root = Node(name="", start=0, end=source.size)
    report = Report(source=source, format="puffin", title="Puffin file", root=root)
    _trace_ends(source, root, folding=folding)
    try:
        file = PuffinFile(source)
    except ByteloomError as error:
        report.error = error
        _understood(source, report)
        return report
    report.error = next(file.errors(blobs=()), None)
    report.facts = {
        "footer_offset": file.ofs_footer,
        "footer_size": file.footer_size,
        "footer_compressed": file.footer.payload_is_compressed,
        **{key: str(value) for key, value in file.metadata.extra.items()},
    }
    report.properties = dict(file.properties)
    report.tables["blobs"] = [
        _blob(file, index, report, folding=folding) for index in range(len(file.blobs))
    ]
    root.children.sort(key=lambda node: node.start)
    return report


def _understood(source: Source, report: Report) -> None:
    """Add the content of a footer that contradicts its file."""
    with suppress(ByteloomError):
        ofs_footer, footer = parse_footer(source, source.read_tail(FETCH), DEFAULT_LIMITS)
        metadata = read_metadata(footer, ofs_footer, DEFAULT_LIMITS)
        report.properties = dict(metadata.properties)
        report.tables["blobs"] = [_row(blob) for blob in metadata.blobs]


def _trace_ends(source: Source, root: Node, *, folding: Folding) -> None:
    """Trace the leading magic and the footer; of a damaged footer as much as is understood."""
    start = tracer(source.read(0, min(len(MAGIC), source.size)), 0, folding=folding)
    with suppress(ByteloomError):
        start.magic("magic", MAGIC)
    root.children += start.root.children
    if has_no_footer(source, source.read_tail(FooterTail.MIN_SIZE)):
        return  # the last bytes of a file that was cut off are not fields
    at = max(len(MAGIC), source.size - FooterTail.MIN_SIZE)
    tail = tracer(source.read(at, source.size - at), at, folding=folding)
    nodes = tail.root.children
    with suppress(ByteloomError):
        len_payload = tail.record(FooterTail.NAME, FooterTail.read).len_payload
        ofs_footer = source.size - len_payload - _FRAME
        if ofs_footer >= len(MAGIC):
            footer = tracer(
                source.read(ofs_footer, len_payload + _FRAME), ofs_footer, folding=folding
            )
            footer.record(Footer.NAME, Footer.read)
            nodes = footer.root.children  # the tail's bytes are among them
    root.children += nodes


def _blob(file: PuffinFile, index: int, report: Report, *, folding: Folding) -> dict[str, Any]:
    """Add the nodes of a blob to *report*; return its row in the table."""
    blob = file.blobs[index]
    name = f"blobs[{index}]"
    share = percent(blob.length, file.size)
    row = {**_row(blob), "percent": share, "decompressed": None, "content": None, "error": None}
    node = Node(name=name, start=blob.offset, end=blob.offset + blob.length)
    node.value = f"{blob.type}, fields {cell(blob.fields)}"
    report.root.children.append(node)
    try:
        found, row["decompressed"] = _open(file, blob, folding=folding)
        if blob.compression_codec is None:
            node.children = found.nodes
        else:
            inside = Node(name="", start=0, end=row["decompressed"], children=found.nodes)
            report.decoded.append(Decoded(name=name, root=inside, load=lambda: file.read(blob)))
        row["content"] = found.facts or None
        if isinstance(found.error, FormatError):
            raise found.error.inside(name)
    except ByteloomError as error:
        row["error"] = str(error)
        report.error = report.error or error
    return {key: value for key, value in row.items() if value is not None}


def _open(file: PuffinFile, blob: BlobMetadata, *, folding: Folding) -> tuple[Content, int]:
    """Return the content of *blob*, and its decompressed size."""
    opener = _opener(blob)
    if opener is None and blob.compression_codec is None:
        return Content(nodes=[]), blob.length
    data = file.read(blob)
    if opener is not None:
        origin = 0 if blob.compression_codec else blob.offset
        found = opener.content(data, origin, folding=folding)
        found.error = next(errors_in(blob, data), found.error)
    else:
        found = Content(nodes=[Node(name="content", start=0, end=len(data), value=data[:PREVIEW])])
    return found, len(data)


def _opener(blob: BlobMetadata) -> _Opener | None:
    name = _BLOB_TYPES.get(blob.type)
    return None if name is None else cast("_Opener", import_module(f"byteloom.cli.formats.{name}"))


def _row(blob: BlobMetadata) -> dict[str, Any]:
    """Return the footer's row of a blob; keys that the spec does not know replace no others."""
    row: dict[str, Any] = {}
    for key, value in _json(plain(blob)).items():
        row.setdefault(_KEYS.get(key, key), value)
    return row


def _json(fields: dict[str, Any]) -> dict[str, Any]:
    known = (bool, int, float, str, list, dict)
    return {key: value if isinstance(value, known) else str(value) for key, value in fields.items()}
