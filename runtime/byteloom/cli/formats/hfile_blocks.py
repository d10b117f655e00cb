"""List the blocks of an HFile: offset, sizes, and whether each is sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from byteloom.cli.options.documents import Document, print_document
from byteloom.cli.printing.report import error_json
from byteloom.cli.printing.rows import Form, show
from byteloom.errors import FormatError, with_article
from byteloom.hfile.verify import audit_source
from byteloom.limits import DEFAULT_LIMITS
from byteloom.verification.formats import recognise

if TYPE_CHECKING:
    from byteloom.errors import ByteloomError
    from byteloom.hfile.verify import FoundBlock
    from byteloom.storage import Source

__all__ = ["show_blocks"]

_HEAD = ("offset", "size", "type", "stored", "decompressed", "previous", "checksum", "status")


def show_blocks(source: Source, key: bytes | None, *, form: Document) -> None:
    """Print a line for each block that was found, damaged or not, then the findings.

    raises  the first finding, after everything is printed
    """
    known = recognise(source)
    if known is None or known.name != "hfile":
        found = "a file of no format" if known is None else with_article(known.title)
        raise FormatError(source.name, 0, found, "an HFile, which has blocks")
    audit = audit_source(source, DEFAULT_LIMITS, key=key, blocks_only=True)
    for error in audit.findings:
        if isinstance(error, FormatError):
            error.in_file(source.name)
    rows = [row(met, list(audit.findings)) for met in audit.blocks]
    if form is not Document.TEXT:
        findings = [error_json(error) for error in audit.findings]
        shape = {"file": source.name, "size": source.size, "format": "hfile", "blocks": rows}
        print_document({**shape, "findings": findings}, form)
    else:
        texts = [["?" if value is None else value for value in each.values()] for each in rows]
        columns = [list(column) for column in zip(*texts, strict=True)] or [[] for _ in _HEAD]
        show([columns], list(_HEAD), Form.TABLE)
        for error in audit.findings[1:]:
            typer.echo(f"byteloom: {error}", err=True)
    for error in audit.findings:
        raise error


def row(met: FoundBlock, findings: list[ByteloomError]) -> dict[str, Any]:
    """Return the row for a block; null for values that its header does not give."""
    header = met.block.header if met.block is not None else None
    kind = None if header is None else ("none", "crc32", "crc32c")[int(header.checksum_type)]
    here = [
        error
        for error in findings
        if isinstance(error, FormatError)
        and error.offset is not None
        and met.offset <= error.offset < met.offset + met.size
    ]
    status = "unchecked" if kind == "none" else "ok"
    return {
        "offset": met.offset,
        "size": met.size,
        "type": met.type,
        "stored": None if header is None else header.len_data - 33,
        "decompressed": None if header is None else header.len_uncompressed,
        "previous": None if header is None else header.ofs_previous,
        "checksum": kind,
        "status": status if met.is_sound and not here else "damaged",
    }
