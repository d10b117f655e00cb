"""Explain how the rows of a scan are read: which files as one, and what decodes their columns.

The rules:

- What is explained is what `TableScan.to_batches` would do now: nothing is decoded, but footers are
  read, and small files whole.
- Whether machine code is worth loading depends on the work of the process so far.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from byteloom.iceberg.manifests.manifest_list import named_by
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.reading.small_files import grouped
from byteloom.iceberg.reading.task import explained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.datafiles.data_file import Decoding
    from byteloom.iceberg.planning.plan import Counts
    from byteloom.iceberg.planning.planned_scan import PlannedScan

__all__ = ["GroupExplanation", "ScanExplanation", "explain_scan"]


@dataclass(frozen=True, slots=True)
class GroupExplanation:
    """How the rows of one data file, or of several that are read as one, are decoded.

    Attributes:
        paths: The files, as written.
        decoding: What decodes which columns; None for a file that cannot be opened.
        error: Why it cannot be opened; otherwise empty.
    """

    paths: tuple[str, ...]
    decoding: Decoding | None = None
    error: str = ""

    def __str__(self) -> str:
        """The same in words, without the paths."""
        return str(self.decoding or self.error)


@dataclass(frozen=True, slots=True)
class ScanExplanation:
    """What a scan reads, and how.

    Attributes:
        counts: How many manifests and files each rule of planning removed.
        groups: How the files that are left are read, in order.
        files_left: Number of files after these, which were not looked at.
    """

    counts: Counts
    groups: tuple[GroupExplanation, ...]
    files_left: int = 0

    def __str__(self) -> str:
        """Return the lines of the counts, and one for each way to read files."""
        ways = Counter[str]()
        for each in self.groups:
            ways[str(each)] += len(each.paths)
        if self.files_left:
            ways["not looked at"] = self.files_left
        lines = [f"{count:>10,}  {words}" for words, count in ways.items()]
        return "\n".join([str(self.counts), *lines])


def explain_scan(scan: PlannedScan, most: int, path: str | None = None) -> ScanExplanation:
    """Return how the rows of a scan are read; see `TableScan.explain`."""
    plan = replace(scan, trusts_required=False).plan()
    context = ReadContext.of(scan, scan.columns)

    def groups() -> Iterator[GroupExplanation]:
        for tasks in grouped(plan.tasks(), context.fields):
            if path is not None and all(each.file_path != path for each in tasks):
                continue
            for some, found in explained(context, tasks):
                paths = tuple(each.file_path for each in some)
                if isinstance(found, str):
                    yield GroupExplanation(paths, error=found)
                else:
                    yield GroupExplanation(paths, found)

    with named_by(scan.only_snapshot):
        found = tuple(islice((each for each in groups() if path in {None, *each.paths}), most))
    seen = len(plan) if path is not None else sum(len(each.paths) for each in found)
    return ScanExplanation(plan.explain(), found, len(plan) - seen)
