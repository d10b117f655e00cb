"""A page that is not written yet, whatever its version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from byteloom.lance.writing.plan import PlannedPage
    from byteloom_generated.lance.encodings20 import ArrayEncoding
    from byteloom_generated.lance.encodings21 import PageLayout

__all__ = ["MadePage"]


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page that is not written yet.

    encoding  how it is encoded
    buffers   its bytes
    plan      its rows, and why it is encoded so
    items     how many items a row has that are counted as rows
    """

    encoding: PageLayout | ArrayEncoding
    buffers: list[np.ndarray]
    plan: PlannedPage
    items: int = 1
