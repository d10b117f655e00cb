"""Entries of many manifests: read, inflated and decoded some at a time, in threads.

The rules:

- Manifests are read in their order, about `batch_size` bytes at a time; those with the same
  schema are decoded together.
- With *verify*, a manifest is checked against its list, even if the list states that it has nothing
  live.
- No file may be live twice in one snapshot.
- A manifest that is longer than the list states is refused at the end, if nothing else was wrong.

Source: Iceberg table spec, "Manifests".
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.avro.container import AvroFile, open_avro
from byteloom.errors import ByteloomError, FormatError, Truncated
from byteloom.iceberg.manifests import checks
from byteloom.iceberg.manifests.entry_columns import (
    ALL_COLUMNS,
    MAPS,
    SCAN_COLUMNS,
    Entries,
    Lists,
    Statistics,
)
from byteloom.iceberg.manifests.joining import joined_entries
from byteloom.iceberg.manifests.making import Request, make_entries, no_entries
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.naming import missing_from
from byteloom_generated.iceberg.manifests import EntryStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema

    Numbers = NDArray[np.int64]
    Read = Callable[[str], bytes]

__all__ = [
    "ALL_COLUMNS",
    "MAPS",
    "SCAN_COLUMNS",
    "Entries",
    "Lists",
    "Statistics",
    "note_live",
    "read_entries",
    "stream_entries",
]

_MOST: Final = 1 << 20
_LEAST: Final = 256 << 10
_UNKNOWN_SIZE: Final = 64 << 10
_BATCHES: Final = 3
"""Batches for each thread, so that all threads end at about the same time."""

_LISTED: Final = (
    "manifest_length",
    "partition_spec_id",
    "content",
    "sequence_number",
    "min_sequence_number",
    "added_snapshot_id",
    "added_files_count",
    "existing_files_count",
    "deleted_files_count",
    "added_rows_count",
    "existing_rows_count",
    "deleted_rows_count",
    "first_row_id",
)


def read_entries(
    manifests: ManifestList,
    read: Read,
    specs: Mapping[int, PartitionSpec],
    schema: Schema,
    **options: Any,
) -> Entries:
    """Return the entries of all *manifests*; the options are those of `stream_entries`."""
    parts = list(stream_entries(manifests, read, specs, schema, **options))
    if len(parts) == 1:
        return parts[0]
    return joined_entries([each.take(np.arange(len(each))) for each in parts])


def stream_entries(  # noqa: PLR0913  (options, all by name)
    manifests: ManifestList,
    read: Read,
    specs: Mapping[int, PartitionSpec],
    schema: Schema,
    *,
    columns: Collection[str] = SCAN_COLUMNS,
    stats_for: Collection[int] = (),
    with_deleted: bool = False,
    one_snapshot: bool = True,
    verify: bool = True,
    threads: int = 2,
    batch_size: int = _MOST,
    limits: Limits = DEFAULT_LIMITS,
    note: Callable[[FormatError], None] = lambda _: None,
) -> Iterator[Entries]:
    """Return the entries of *manifests*, some manifests of one schema at a time, in their order.

    At least one `Entries` is returned, even if it has no rows.

    Args:
        read: Returns the whole file at a path; called from several threads.
        specs: The table's partition specs, by id.
        schema: The schema that decides the types of partition values.
        columns: Names of fields of entries and data files, and ``partition``.
        stats_for: Ids of columns of which counts and bounds are wanted.
        with_deleted: Whether entries of status 2 are kept.
        one_snapshot: Whether the manifests are of one snapshot, in which no file may be live twice.
        verify: Whether to check each manifest against the list.
        batch_size: Bytes of manifests that a thread reads at a time; at least one manifest.
        note: Called with each error that does not affect the entries.

    Raises:
        FormatError: A damaged manifest, or one that contradicts its list.
        MissingFile: A manifest that is missing, with the list that names it.
    """
    request = Request(
        specs,
        schema,
        frozenset(columns),
        tuple(sorted(stats_for)),
        with_deleted,
        verify,
        limits,
        note,
    )
    listed_numbers = {name: manifests.numbers(name) for name in _LISTED}
    reader = _Reader(manifests, listed_numbers, read, request)
    batches = _batches(
        listed_numbers["manifest_length"], min(batch_size, _fair(listed_numbers, threads))
    )
    live = checks.LiveFiles() if one_snapshot and verify else None
    for entries in _in_order(reader.batch, batches, threads):
        if live is not None:
            note_live(live, entries)
        yield entries
    if not batches:
        yield no_entries(request)
    for error in reader.wrong_lengths:
        raise error


class _Reader:
    """Reads and decodes manifests by their rows in the list."""

    def __init__(
        self,
        manifests: ManifestList,
        listed_numbers: dict[str, Numbers],
        read: Read,
        request: Request,
    ) -> None:
        """Keep what is known about the manifests."""
        self.paths, self.named_by = manifests.paths, manifests.path
        self.listed_numbers = listed_numbers
        self.read = read
        self.request = request
        self.wrong_lengths: list[FormatError] = []

    def batch(self, rows: Numbers) -> list[Entries]:
        """Return the entries of some manifests; those of one schema and spec are together."""
        opened = [(row, *self._open(row)) for row in rows.tolist()]
        made = []
        for (spec_id, _), group in groupby(opened, lambda each: (each[1], each[3])):
            held = list(group)
            made.append(self._make([row for row, *_ in held], spec_id, [each[2] for each in held]))
        return made

    def _open(self, row: int) -> tuple[int, AvroFile, bytes]:
        """Return the spec, the header and the content of a manifest."""
        listed_numbers = {name: int(each[row]) for name, each in self.listed_numbers.items()}
        with missing_from(self.named_by or None):
            data = self.read(self.paths[row])
        if self.request.verify:
            self._note_length(row, data)
        try:
            file = open_avro(data)
            checks.check_header(file, listed_numbers)
            listed = listed_numbers["partition_spec_id"]
            spec_id = listed if listed >= 0 else checks.spec_id_of(file)
        except FormatError as error:
            raise error.in_file(self.paths[row]) from error.__cause__
        return spec_id, file, file.metadata["avro.schema"]

    def _note_length(self, row: int, data: bytes) -> None:
        """Refuse a truncated manifest; report extra bytes only at the end, after clearer errors."""
        try:
            checks.check_length(data, int(self.listed_numbers["manifest_length"][row]))
        except Truncated as error:
            raise error.in_file(self.paths[row]) from None
        except FormatError as error:
            self.wrong_lengths.append(error.in_file(self.paths[row]))

    def _make(self, rows: list[int], spec_id: int, files: list[AvroFile]) -> Entries:
        """Return the entries of manifests of one schema; if any is damaged, find out which."""
        held = np.array(rows, np.int64)
        listed_numbers = {name: each[held] for name, each in self.listed_numbers.items()}
        try:
            made = make_entries(files, spec_id, held, listed_numbers, self.request)
            return replace(made, paths=self.paths)
        except FormatError as error:
            if len(rows) == 1:
                raise error.in_file(self.paths[rows[0]]) from error.__cause__
            for row, file in zip(rows, files, strict=True):
                self._make([row], spec_id, [file])
            raise
        except MemoryError as error:
            raise ByteloomError(f"{self.paths[rows[0]]}: no memory for its entries") from error


def _fair(listed_numbers: Mapping[str, Numbers], threads: int) -> int:
    """Return a size of batches, in bytes, such that each thread gets several."""
    total = int(np.maximum(listed_numbers["manifest_length"], _UNKNOWN_SIZE).sum())
    return max(_LEAST, total // (_BATCHES * max(threads, 1)))


def _batches(lengths: Numbers, size: int) -> list[Numbers]:
    """Return the rows of manifests in batches of about *size* bytes."""
    known = np.where(lengths < 0, _UNKNOWN_SIZE, lengths)
    number = (np.cumsum(known) - known) // size
    edges = np.flatnonzero(np.diff(number)) + 1
    return [each for each in np.split(np.arange(len(lengths)), edges) if len(each)]


def _in_order(
    make: Callable[[Numbers], list[Entries]], batches: Sequence[Numbers], threads: int
) -> Iterator[Entries]:
    """Make the batches in threads, a few ahead, and yield the results in order."""
    if threads <= 1 or len(batches) <= 1:
        for rows in batches:
            yield from make(rows)
        return
    with ThreadPoolExecutor(min(threads, len(batches))) as pool:
        waiting = deque(pool.submit(make, rows) for rows in batches[: threads + 1])
        try:
            for rows in batches[threads + 1 :]:
                done = waiting.popleft().result()
                waiting.append(pool.submit(make, rows))
                yield from done
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for each in waiting:
                each.cancel()


def note_live(live: checks.LiveFiles, entries: Entries) -> None:
    """Record the files of live entries; `FormatError` for a file already recorded."""
    rows = np.flatnonzero(entries.status != EntryStatus.DELETED)
    held = entries.file_path
    path = type(held)(held.data, held.places[rows], held.sizes[rows])
    again = live.add(path, entries.content_offset[rows])
    if again is not None:
        row = int(rows[again])
        place, size = int(held.places[row]), int(held.sizes[row])
        text = held.data[place : place + size].tobytes().decode(errors="replace")
        wrong = FormatError("file_path", None, f"{text!r}, which is live already", "each file once")
        raise wrong.in_file(entries.manifest_path(row))
