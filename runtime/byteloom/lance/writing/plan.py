"""A page before it is written, in any version, and the reasons for its form.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from byteloom_generated.lance.encodings20 import ArrayEncoding
    from byteloom_generated.lance.encodings21 import PageLayout

__all__ = ["MadePage", "PlannedPage"]


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page as it was written.

    Attributes:
        column: The name of the leaf: ``points.x``.
        first: The number of its first row.
        rows: Number of rows; in version 2.0, of items for a leaf in lists.
        layout: ``mini-block``, ``full-zip``, ``constant`` or ``null``; ``array`` in version 2.0.
        encoding: The encoding of the values: ``flat``, ``bit-packing``, ``runs``, ``dictionary``,
            ``fsst``, ...
        size: Bytes of its buffers.
        tried: For each encoding that was tried, the approximate bytes of the values.
        reason: Why this layout and encoding.
    """

    column: str
    first: int
    rows: int
    layout: str
    encoding: str
    size: int
    reason: str
    tried: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """One line: where, what, how large, why."""
        where = f"{self.column}: rows {self.first} to {self.first + self.rows - 1}"
        return f"{where}: {self.layout} {self.encoding}, {self.size} bytes: {self.reason}"


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page before it is written.

    Attributes:
        encoding: How it is encoded.
        buffers: Its bytes.
        plan: Its rows, and the reason for its encoding.
        items: Number of items of each row that pages count as rows.
    """

    encoding: PageLayout | ArrayEncoding
    buffers: list[np.ndarray]
    plan: PlannedPage
    items: int = 1
