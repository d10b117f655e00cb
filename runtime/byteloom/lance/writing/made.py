"""A page before it is written, in any version."""

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
    """A page before it is written.

    encoding  how it is encoded
    buffers   its bytes
    plan      its rows, and the reason for its encoding
    items     number of items of each row that pages count as rows
    """

    encoding: PageLayout | ArrayEncoding
    buffers: list[np.ndarray]
    plan: PlannedPage
    items: int = 1
