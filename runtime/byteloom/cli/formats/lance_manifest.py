"""Manifests of Lance datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.formats.content import tracer
from byteloom.cli.printing.report import Report
from byteloom.documents.message_nodes import show_message
from byteloom.errors import ByteloomError
from byteloom.lance.fields import tree_of
from byteloom.lance.sized import read_framed
from byteloom.lance.types import arrow_schema
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import Node
from byteloom_generated.lance.table import Manifest
from byteloom_generated.lance.tail import LegacyTail

if TYPE_CHECKING:
    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding

__all__ = ["explain_manifest"]

_UNCHECKED: Final = "the files of the dataset; `byteloom verify` of its folder reads all of them"


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
    report.unchecked = _UNCHECKED
    try:
        report.facts = _facts(manifest)
    except ByteloomError as error:
        report.error = error
    return report


def _facts(manifest: Manifest) -> dict[str, Any]:
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
