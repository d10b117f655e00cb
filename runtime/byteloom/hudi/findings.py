"""The results of an audit: where an index and the data disagree, and what was not compared.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

__all__ = ["DATA", "Audit", "Finding", "Kind", "Skipped"]

Kind: TypeAlias = Literal["missing", "wrong", "stale", "damaged", "lost"]
"""The index lacks what the data has, contradicts it, or has what the data lacks; or a data file is
damaged, or cannot be read, or is missing although a commit names it."""

DATA: Final = "data"
"""The index of a finding about a data file by itself."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement.

    Attributes:
        index: The partition of the metadata table; `DATA` for a data file by itself.
        kind: See `Kind`.
        partition: The partition of the table, by path; None if the finding is about no partition.
        subject: A file, a record key, a column of a file.
        indexed: What the index says; None for nothing.
        found: What the data says, None for nothing; of a data file by itself, what is wrong.
    """

    index: str
    kind: Kind
    partition: str | None
    subject: str
    indexed: str | None
    found: str | None

    def __str__(self) -> str:
        place = f"{self.partition}/" if self.partition else ""
        if self.index == DATA:
            return f"{self.index}: {self.kind} {place}{self.subject}: {self.found}"
        sides = f"index says {_said(self.indexed)}, data {_said(self.found)}"
        return f"{self.index}: {self.kind} {place}{self.subject}: {sides}"


def _said(side: str | None) -> str:
    """Return what one side says: empty text, which is a value, differs from nothing."""
    return "nothing" if side is None else side or "no characters"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not compared, and why."""

    index: str
    subject: str
    reason: str

    def __str__(self) -> str:
        return f"{self.index}: not compared: {self.subject}: {self.reason}"


@dataclass(slots=True)
class Audit:
    """The result of an audit.

    Attributes:
        compared: Number of compared facts, by index.
        findings: Where index and data disagree.
        skipped: What could not be compared.
        errors: Number of indexes that could not be read at all; each is also in *skipped*.
        unread: Paths of the data files whose records could not be compared, as they could not
            be read.
    """

    compared: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    errors: int = 0
    unread: set[str] = field(default_factory=set)

    @property
    def is_clean(self) -> bool:
        """Whether all indexes could be read, and there are no findings."""
        return not self.findings and not self.errors

    def count(self, index: str, number: int) -> None:
        """Add *number* facts of *index* to those compared."""
        self.compared[index] = self.compared.get(index, 0) + number
