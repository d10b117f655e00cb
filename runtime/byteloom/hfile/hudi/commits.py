"""What the commits of a metadata table say they wrote, held against what is there.

- A commit names each file it wrote.  The base file that the newest one wrote must be that of the
  slice, and of every commit behind it whose blocks count there must be one in the log files.
- So nothing is missed where a log file was cut between two blocks, lost one to damage, or is gone:
  there the framing alone has nothing to complain of.

Source: https://hudi.apache.org/docs/timeline
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import FormatError
from byteloom.hfile.hudi.slices import data_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from byteloom.hfile.hudi.scan import Validity
    from byteloom.hfile.hudi.slices import DataFile, FileSlice
    from byteloom.hfile.hudi.timeline import Instant, Timeline

__all__ = ["Commits"]


class Commits:
    """The commits in a timeline of a metadata table, each read once and when it is asked for."""

    def __init__(self, timeline: Timeline) -> None:
        """Read the commits in *timeline*."""
        self._timeline = timeline
        self._written: dict[str, dict[tuple[str, str], list[DataFile]]] = {}

    def check(self, each: FileSlice, instants: Collection[str], validity: Validity) -> None:
        """See that nothing is missing from a slice.

        instants  of the blocks in its log files
        validity  which of them count
        raises    `FormatError` that names the file, and the commit that wrote it
        """
        for commit in self._since(each):
            for file in self._files(commit).get((each.partition, each.file_id), []):
                path = f"{each.partition}/{file.name}"
                if not file.version and (commit.time > each.instant or each.base is None):
                    wanted = f"the base file that {commit.time} wrote"
                    raise FormatError(path, None, "no such file", wanted)
                lies_on = file.version and (each.by_completion or file.instant == each.instant)
                if lies_on and commit.time in validity and commit.time not in instants:
                    wanted = f"the block that {commit.time} wrote"
                    raise FormatError(path, None, "none that is whole", wanted)

    def _since(self, each: FileSlice) -> Iterator[Instant]:
        """Yield the commits that may have written to a slice, or begun a newer one.

        A deltacommit that begins a slice fills a partition for the first time, or anew: what was
        completed before it went into a partition that is no more.
        """
        begun = self._timeline.commits.get(each.instant)
        filled = begun is not None and begun.action == "deltacommit" and begun.completed
        start = filled or each.instant
        for commit in self._timeline.commits.values():
            # A suffix of three digits marks what the metadata table did by itself, up to version 6.
            if (commit.completed or commit.time) >= start[: len(commit.time)]:
                yield commit

    def _files(self, commit: Instant) -> dict[tuple[str, str], list[DataFile]]:
        """Return the files that a commit wrote, by partition and file group."""
        if commit.time not in self._written:
            found: dict[tuple[str, str], list[DataFile]] = {}
            for partition, file in self._read(commit):
                found.setdefault((partition, file.file_id), []).append(file)
            self._written[commit.time] = found
        return self._written[commit.time]

    def _read(self, commit: Instant) -> Iterator[tuple[str, DataFile]]:
        try:
            written = self._timeline.content(commit)["partitionToWriteStats"] or {}
            for partition, statistics in written.items():
                for each in statistics:
                    path = str(each["path"] or "")
                    file = data_file(path.rpartition("/")[2], 0)
                    if file is not None and each["numWrites"] + each["numDeletes"]:
                        yield partition, file
        except (KeyError, TypeError, AttributeError) as error:
            found = f"{type(error).__name__}: {error}"
            raise FormatError(commit.name, None, found, "what the commit wrote") from error
