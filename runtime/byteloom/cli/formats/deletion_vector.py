"""Deletion vectors: as blobs of a Puffin file, or as files of their own."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.formats.content import Content, bare_report, tracer
from byteloom.codecs.roaring import Bytes
from byteloom.errors import ByteloomError
from byteloom.puffin.deletion_vector import DeletionVector
from byteloom.puffin.roaring import read_map
from byteloom.wire import Node
from byteloom_generated.puffin import deletion_vector as layout
from byteloom_generated.puffin.roaring_bitmap import RoaringMap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyroaring import BitMap

    from byteloom.cli.printing.report import Report
    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding

__all__ = ["content", "explain"]

TITLE: Final = "deletion vector"
_VECTOR_AT: Final = 8
_CRC_SIZE: Final = 4


def content(data: bytes, origin: int, *, folding: Folding) -> Content:
    """Return the content of the vector *data*; *origin* is its place in its file."""
    r = tracer(data, origin, folding=folding)
    form = layout.DeletionVector
    found = Content(nodes=r.root.children)
    found.attempt(lambda: r.record(form.NAME, form.read))
    _open_vector(r.root, data, origin, folding=folding)
    found.attempt(lambda: DeletionVector.from_bytes(data))
    if found.error is None:
        start, end = _VECTOR_AT, len(data) - _CRC_SIZE
        found.facts = _facts(read_map(Bytes(data[start:end], f"{form.NAME}.vector", origin)))
    return found


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of a file that consists of one deletion vector."""
    found = content(source.read(0, source.size), 0, folding=folding)
    return bare_report(source, "deletion_vector", TITLE, found)


def _open_vector(root: Node, data: bytes, origin: int, *, folding: Folding) -> None:
    """Give the field *vector* the bitmaps inside it as children, as far as they are understood."""
    for node in [leaf for _, leaf in root.leaves() if leaf.name == "vector"]:
        r = tracer(data[node.start - origin : node.end - origin], node.start, folding=folding)
        with suppress(ByteloomError):  # reading the vector says the same, and more
            RoaringMap.read(r)
        node.children = r.root.children
        if r.left:
            node.children.append(Node(name="rest", start=r.offset, end=node.end))
        node.value = None


def _facts(bitmaps: Mapping[int, BitMap]) -> dict[str, Any]:
    kinds: Counter[str] = Counter()
    for bitmap in bitmaps.values():
        statistics = bitmap.get_statistics()
        kinds["array"] += statistics["n_array_containers"]
        kinds["bits"] += statistics["n_bitset_containers"]
        kinds["runs"] += statistics["n_run_containers"]
    facts: dict[str, Any] = {
        "cardinality": sum(map(len, bitmaps.values())),
        "containers": {kind: kinds[kind] for kind in ("array", "bits", "runs")},
    }
    if bitmaps:
        low, high = min(bitmaps), max(bitmaps)
        facts["first"] = (low << 32) + bitmaps[low].min()
        facts["last"] = (high << 32) + bitmaps[high].max()
    return facts
