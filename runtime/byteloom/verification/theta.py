"""Theta sketches as files of their own."""

from __future__ import annotations

from byteloom.puffin.theta import ThetaSketch
from byteloom.storage import Source

__all__ = ["verify"]


def verify(source: Source) -> str:
    """Check the sketch; return its estimate."""
    sketch = ThetaSketch.from_bytes(source.read(0, source.size))
    return f"about {sketch.estimate:,.0f} distinct values"
