"""Theta sketches: as blobs of a Puffin file, or as files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.puffin.theta import ThetaSketch
from byteloom.verification.damage import shifted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.storage import Source

__all__ = ["check", "parsed", "verify"]


def verify(source: Source) -> str:
    """Check the sketch; return its estimate."""
    return check(source.read(0, source.size), 0)


def check(data: bytes, origin: int, properties: Mapping[str, str] | None = None) -> str:
    """Check the sketch *data*; return its estimate.

    origin      where it is in its file
    properties  its properties in the footer, if it is the blob of a Puffin file
    """
    del properties  # ndv serves planners that do not read the sketch; any estimate is allowed
    return f"about {parsed(data, origin).estimate:,.0f} distinct values"


def parsed(data: bytes, origin: int) -> ThetaSketch:
    """Return the sketch in *data*; errors count offsets from *origin*, the place of data[0]."""
    with shifted(origin):
        return ThetaSketch.from_bytes(data)
