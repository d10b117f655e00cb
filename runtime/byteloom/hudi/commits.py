"""Check what the commits of a metadata table state that they wrote against the files.

- A commit names each file it wrote, and how many records and deletes.  The base file of the newest
  commit must be the slice's.  The log files must hold at least the records and deletes of every
  later commit whose blocks count; a task that ran twice wrote them twice.
- This finds log files that were cut between two blocks, lost a block, or are missing: the framing
  of the remaining blocks is sound, so nothing else shows it.

Source: https://hudi.apache.org/docs/timeline
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from byteloom.errors import FormatError, found_by
from byteloom.hudi.slices import DataFile, FileSlice, data_file
from byteloom.hudi.timeline import WRITTEN, Instant, Timeline
from byteloom.hudi.validity import Validity

__all__ = ["Commits", "written_by"]


@dataclass(frozen=True, slots=True)
class Written:
    """A file that a commit wrote or appended to, and its number of new records and deletes."""

    file: DataFile
    records: int
    deletes: int


class Commits:
    """The commits in a timeline of a metadata table, each read once, on demand."""

    def __init__(self, timeline: Timeline) -> None:
        """Read the commits in *timeline*."""
        self._timeline = timeline
        self._written: dict[str, dict[tuple[str, str], list[Written]]] = {}

    def check(
        self, each: FileSlice, there: Mapping[tuple[str, str], int], validity: Validity
    ) -> None:
        """Check that nothing is missing from a slice.

        Args:
            there: Number of ``records`` and ``deletes`` in its log files, by instant and that
                word.
            validity: Which instants count.

        Raises:
            FormatError: Something is missing; it names the file, and the commit that wrote it.
        """
        for commit in self._since(each):
            written = self._files(commit).get((each.partition, each.file_id), [])
            for one in written:
                if not one.file.version and (commit.time > each.instant or each.base is None):
                    wanted = f"the base file that {commit.time} wrote"
                    path = f"{each.partition}/{one.file.name}"
                    raise FormatError(path, None, "no such file", wanted)
            if commit.time in validity:
                logs = [one for one in written if one.file.version]
                in_slice = [
                    one for one in logs if each.by_completion or one.file.instant == each.instant
                ]
                for kind in ("records", "deletes"):
                    self._check_logs(each, in_slice, kind, there, commit.time)

    @staticmethod
    def _check_logs(
        each: FileSlice,
        written: list[Written],
        kind: str,
        there: Mapping[tuple[str, str], int],
        time: str,
    ) -> None:
        wanted = sum(getattr(one, kind) for one in written)
        found = there.get((time, kind), 0)
        if found < wanted:
            names = ", ".join(one.file.name for one in written)
            expected = f"{wanted} in whole blocks, as {time} wrote"
            raise FormatError(f"{each.partition}/{names}", None, f"{found} {kind}", expected)

    def _since(self, each: FileSlice) -> Iterator[Instant]:
        """Yield the commits that may have written to a slice, or begun a newer one.

        A deltacommit that begins a slice fills a partition for the first time, or again: commits
        completed before it wrote to a partition that no longer exists.
        """
        begun = self._timeline.commits.get(each.instant)
        filled = begun is not None and begun.action == "deltacommit" and begun.completed
        start = filled or each.instant
        for commit in self._timeline.commits.values():
            # Up to version 6, three more digits mark actions of the metadata table itself.
            if (commit.completed or commit.time) >= start[: len(commit.time)]:
                yield commit

    def _files(self, commit: Instant) -> dict[tuple[str, str], list[Written]]:
        """Return the files that a commit wrote, by partition and file group."""
        if commit.time not in self._written:
            found: dict[tuple[str, str], list[Written]] = {}
            for partition, one in written_by(self._timeline, commit):
                found.setdefault((partition, one.file.file_id), []).append(one)
            self._written[commit.time] = found
        return self._written[commit.time]


def written_by(timeline: Timeline, commit: Instant) -> Iterator[tuple[str, Written]]:
    """Yield the log files and HFiles that *commit* says it wrote, each with its partition.

    Raises:
        FormatError: For a commit that does not say what it wrote.
    """
    try:
        written = timeline.summary(commit)[WRITTEN] or {}
        for partition, statistics in written.items():
            for each in statistics:
                file = data_file(str(each["path"] or "").rpartition("/")[2], 0)
                if file is not None:
                    records, deletes = int(each["numWrites"]), int(each["numDeletes"])
                    yield partition, Written(file, records, deletes)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        found = found_by("a commit without it", error)
        raise FormatError(commit.name, None, found, "what the commit wrote") from error
