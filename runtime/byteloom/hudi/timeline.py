"""The timeline of a table: its actions, their times, and how far each got.

- An action has up to three files: requested, inflight, completed.  The last of them is its state.
- Layout 1 (tables up to version 6) names them ``<instant>.<action>[.<state>]`` in ``.hoodie``.  An
  inflight commit has no action.  Layout 2 (from version 8) keeps them in ``.hoodie/timeline`` and
  puts the time of completion into the name: ``<instant>_<completed>.<action>``.
- A compaction is completed by a commit, a log compaction by a deltacommit, a clustering by a
  replacecommit.
- Instants before the first of the timeline were archived; only completed ones are.

Source: https://hudi.apache.org/docs/timeline
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from byteloom.avro.container import find_blocks, open_avro
from byteloom.avro.value_reader import ValueReader
from byteloom.documents.json_text import check_json_values
from byteloom.errors import FormatError, Unsupported, found_by
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage import Folder
from byteloom_generated.avro.container import Header

__all__ = ["COMMITS", "LAYOUT", "REPLACED", "WRITTEN", "Instant", "Timeline", "read_timeline"]

COMMITS: Final = frozenset({"commit", "deltacommit", "replacecommit", "clustering"})
"""Actions that write files of a table."""

_WRITING: Final = COMMITS | {"compaction", "logcompaction"}
"""Actions that write files, including those that have a different name while pending."""

WRITTEN: Final = "partitionToWriteStats"
REPLACED: Final = "partitionToReplaceFileIds"
"""What a commit says: the files that it wrote, and the file groups that it replaced."""

_OF_FILES: Final = ("path", "numWrites", "numDeletes", "fileSizeInBytes")
"""What is kept of the statistics of a written file."""

LAYOUT: Final = "hoodie.timeline.layout.version"
LAYOUTS: Final = {"1": ".hoodie", "2": ".hoodie/timeline"}
"""Folders of the timeline by the property `LAYOUT`."""

_FILE: Final = re.compile(
    r"(?P<time>\d+)(?:_(?P<completed>\d+))?"
    r"(?:\.(?P<action>[a-z]+))?(?:\.(?P<state>requested|inflight))?"
)
_COMPLETES_AS: Final = {
    "compaction": "commit",
    "logcompaction": "deltacommit",
    "clustering": "replacecommit",
}
_RANKS: Final = {"requested": 0, "inflight": 1, "completed": 2}
_ACTIONS: Final = COMMITS | {
    "clean", "rollback", "restore", "savepoint", "indexing", "compaction", "logcompaction",
    "schemacommit",
}  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Instant:
    """One action of a table.

    Attributes:
        time: When it was requested, ``yyyyMMddHHmmssSSS``; this also identifies the instant.
        action: What is done: ``deltacommit``, ``rollback``, and so on; a compaction that
            completed is a ``commit``.
        state: ``requested``, ``inflight`` or ``completed``.
        completed: When it was completed; None if it was not, and in layout 1.
        name: That of the file of this state, relative to the table.
        size: Bytes of that file.
    """

    time: str
    action: str
    state: str
    completed: str | None
    name: str
    size: int

    @property
    def is_completed(self) -> bool:
        """Whether the action is completed."""
        return self.state == "completed"


class Timeline:
    """The instants of a table, in order of their times, without the archived ones."""

    def __init__(self, table: Folder, instants: list[Instant]) -> None:
        """Keep the *instants* of *table*."""
        self._table = table
        self.instants = sorted(instants)
        self._summaries: dict[str, dict[str, Any]] = {}

    @cached_property
    def completed(self) -> list[Instant]:
        """The completed instants."""
        return [each for each in self.instants if each.is_completed]

    @cached_property
    def pending(self) -> list[Instant]:
        """The instants that are not completed."""
        return [each for each in self.instants if not each.is_completed]

    @cached_property
    def first_commit(self) -> str:
        """The earliest instant that writes files: commits before it are archived.

        Rollbacks, restores and cleans are archived later than commits, and are ignored.  So are
        commits with a savepoint, which stay while later ones are archived, unless no other
        commits exist.  Without any commit it is ``""``, which is before all instants.
        """
        writing = [each.time for each in self.instants if each.action in _WRITING]
        kept = {each.time for each in self.instants if each.action == "savepoint"}
        return next((each for each in writing if each not in kept), writing[0] if writing else "")

    @cached_property
    def commits(self) -> Mapping[str, Instant]:
        """Completed instants that wrote files, by their time."""
        return {each.time: each for each in self.completed if each.action in COMMITS}

    def has_completed(self, time: str) -> bool:
        """Whether the commit of this time is completed, now in the timeline or archived."""
        return time in self.commits or time < self.first_commit

    def completion_of(self, time: str) -> str | None:
        """Return when the commit of this time was completed; None for one that is pending.

        For an archived commit, return its own time, which is close enough: blocks are read only
        from after the last compaction, where archiving stops.
        """
        found = self.commits.get(time)
        if found is not None:
            return found.completed or time
        return time if time < self.first_commit else None

    def content(self, instant: Instant) -> dict[str, Any]:
        """Return the content of the file of *instant*: mostly JSON up to version 6, Avro later.

        Raises:
            FormatError: A damaged file.
        """
        return self._content(instant.name)

    def summary(self, instant: Instant) -> Mapping[str, Any]:
        """Return what a commit says that it wrote and replaced, of a file that is read only once.

        Raises:
            FormatError: A damaged file.
        """
        if instant.name not in self._summaries:
            self._summaries[instant.name] = _summary(self.content(instant))
        return self._summaries[instant.name]

    def plan(self, instant: Instant) -> dict[str, Any]:
        """Return the plan: the content of the file that requested *instant*."""
        folder = instant.name.rpartition("/")[0]
        actions = {instant.action} | {k for k, v in _COMPLETES_AS.items() if v == instant.action}
        names = [f"{instant.time}.{action}.requested" for action in sorted(actions)]
        there = self._table.files(folder)
        name = next((name for name in names if name in there), names[-1])
        return self._content(f"{folder}/{name}")

    def _content(self, name: str) -> dict[str, Any]:
        raw = self._table.read(name)
        place = f"{self._table}/{name}"
        if not raw:
            raise FormatError("", 0, "no bytes", "Avro or JSON").in_file(place)
        try:
            found = _decoded(raw)
        except FormatError as error:
            raise error.in_file(place) from error.__cause__
        except (ValueError, RecursionError) as error:
            wrong = FormatError("", 0, found_by("neither", error), "Avro or JSON")
            raise wrong.in_file(place) from error
        if not isinstance(found, dict):
            raise FormatError("", 0, type(found).__name__, "one record").in_file(place)
        return found


def _summary(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a commit's content that are needed, whatever types they have."""
    kept = {name: content[name] for name in (WRITTEN, REPLACED) if name in content}
    if isinstance(kept.get(WRITTEN), dict):
        kept[WRITTEN] = {
            partition: [_of_file(each) for each in files] if isinstance(files, list) else files
            for partition, files in kept[WRITTEN].items()
        }
    return kept


def _of_file(statistics: Any) -> Any:
    if not isinstance(statistics, dict):
        return statistics
    return {name: statistics[name] for name in _OF_FILES if name in statistics}


def _decoded(raw: bytes) -> Any:
    if not raw.startswith(Header.magic):
        check_json_values("", raw, DEFAULT_LIMITS)
        return json.loads(raw)
    file = open_avro(raw)
    if file.codec != "null":
        raise Unsupported("avro.codec", None, file.codec, "null, as Hudi writes timelines")
    blocks, refused = find_blocks(file.data, file.first_block, file.sync)
    if refused is not None:
        raise refused
    place = next((start for count, start, _ in blocks.tolist() if count), None)
    if place is None:
        raise FormatError("avro", file.first_block, "no records", "one record")
    reader = ValueReader(file.schema)
    try:
        return reader.take(raw, place)[0]
    except FormatError as error:
        raise error.inside("avro.record") from error.__cause__


def read_timeline(table: Folder, properties: Mapping[str, str]) -> Timeline:
    """Read the timeline of *table*, which has these properties.

    Raises:
        Unsupported: For a layout of timelines other than 1 and 2.
        StorageError: A file cannot be read.
    """
    layout = properties.get(LAYOUT, "1")
    if layout not in LAYOUTS:
        path = f"{table}/.hoodie/hoodie.properties: {LAYOUT}"
        raise Unsupported(path, None, layout, "1 or 2")
    folder = LAYOUTS[layout]
    if layout == "2":
        folder = f".hoodie/{properties.get('hoodie.timeline.path', 'timeline')}"
    found: dict[tuple[str, str], Instant] = {}
    for name, size in table.files(folder).items():
        instant = _instant(folder, name, size)
        if instant is None:
            continue
        key = instant.time, _COMPLETES_AS.get(instant.action, instant.action)
        other = found.get(key)
        if other is None or _RANKS[instant.state] > _RANKS[other.state]:
            found[key] = instant
    return Timeline(table, list(found.values()))


def _instant(folder: str, name: str, size: int) -> Instant | None:
    """Return the instant of a file of the timeline; None for other files."""
    found = _FILE.fullmatch(name)
    if found is None:
        return None
    state = found["state"] or ("inflight" if found["action"] == "inflight" else "completed")
    action = "commit" if found["action"] in {None, "inflight"} else found["action"]
    if action not in _ACTIONS:
        return None
    return Instant(found["time"], action, state, found["completed"], f"{folder}/{name}", size)
