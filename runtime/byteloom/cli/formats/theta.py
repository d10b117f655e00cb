"""Theta sketches: as blobs of a Puffin file, or as files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.cli.formats.content import Content, bare_report, tracer
from byteloom.puffin.theta import ThetaSketch
from byteloom_generated.puffin import theta_sketch as layout

if TYPE_CHECKING:
    from byteloom.cli.printing.report import Report
    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding

__all__ = ["content", "explain"]

TITLE: Final = "Theta sketch"
_COMPRESSED: Final = b"\x04"


def content(data: bytes, origin: int, *, folding: Folding) -> Content:
    """Return the content of the sketch *data*; *origin* is its place in its file."""
    r = tracer(data, origin, folding=folding)
    form = layout.CompressedThetaSketch if data[1:2] == _COMPRESSED else layout.ThetaSketch
    found = Content(nodes=r.root.children)
    found.attempt(lambda: r.record(form.NAME, form.read))
    sketch = found.attempt(lambda: ThetaSketch.from_bytes(data))
    if sketch is not None:
        found.facts = {
            "estimate": sketch.estimate,
            "lower_bound": sketch.lower_bound(2),
            "upper_bound": sketch.upper_bound(2),
            "theta": sketch.theta,
            "retained": sketch.num_retained,
        }
    return found


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of a file that consists of one sketch."""
    return bare_report(
        source, "theta", TITLE, content(source.read(0, source.size), 0, folding=folding)
    )
