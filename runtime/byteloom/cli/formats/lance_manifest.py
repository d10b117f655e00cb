"""Manifests of Lance datasets, and datasets by their newest one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom.cli.formats.content import tracer
from byteloom.cli.report import Damage, Report
from byteloom.cli.values import counted
from byteloom.errors import ByteloomError
from byteloom.lance.dataset import open_dataset
from byteloom.lance.dataset.manifests import read_manifest
from byteloom.lance.fields import tree_of
from byteloom.lance.framed import read_framed
from byteloom.lance.types import arrow_schema
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import Node
from byteloom.wire.message_nodes import show_message
from byteloom_generated.lance.table import Manifest
from byteloom_generated.lance.tail import LegacyTail

if TYPE_CHECKING:
    from byteloom.storage import Source

__all__ = ["explain_manifest", "manifest_of", "verify_dataset", "verify_manifest"]


def manifest_of(source: Source) -> Manifest | None:
    """Return the manifest that *source* is; None where it is none."""
    try:
        return read_manifest(source, DEFAULT_LIMITS)
    except ByteloomError:
        return None


def verify_manifest(manifest: Manifest) -> str:
    """Check the schema of a manifest; what it leads to is checked with its dataset."""
    arrow_schema(tree_of(manifest.fields, DEFAULT_LIMITS, path="manifest"))
    fragments = counted(len(manifest.fragments), "fragment")
    return f"manifest of version {manifest.version}, {fragments}"


def verify_dataset(place: str) -> str:
    """Read all rows of the newest version of a dataset, each column by itself.

    raises  `Damage` with what is wrong with each column
    """
    dataset = open_dataset(place)
    found: list[ByteloomError] = []
    for each in dataset.fields:
        try:
            for _ in dataset.scan([each.name]).batches():
                pass
        except ByteloomError as error:
            found.append(error)
    if found:
        raise Damage(found)
    rows, fragments = counted(dataset.count(), "row"), len(dataset.fragments)
    return f"version {dataset.version}, {rows}, {counted(fragments, 'fragment')}"


def explain_manifest(source: Source, manifest: Manifest, *, full: bool) -> Report:
    """Return what a manifest says of its version, and where that is."""
    root = Node(name="", start=0, end=source.size)
    at = source.size - LegacyTail.SIZE
    stored = source.read(at, LegacyTail.SIZE)
    reader = tracer(stored, at, full=full)
    reader.record(LegacyTail.NAME, LegacyTail.read)
    place = LegacyTail.from_bytes(stored, origin=at).ofs_message
    data, start = read_framed(source, place, at, "manifest", DEFAULT_LIMITS)
    node = Node(name="manifest", start=start, end=start + len(data))
    show_message(node, Manifest, data)
    root.children = [node, *reader.root.children]
    report = Report(source=source, format="lance", title="manifest of a Lance dataset", root=root)
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
