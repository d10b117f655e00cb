"""Turn decoded records into entries: select columns, inherit values, drop rows.

The rules of what entries inherit from their manifest:

- An entry without a snapshot id has that of its manifest.
- An entry without a sequence number has that of its manifest if it was added, or if the manifest is
  of version 1, whose number is 0; an entry that was not added must have its own.  Its file sequence
  number is inherited likewise, but old writers left it out otherwise: it is then unknown.
- Live data files without a first row id take row ids from that of their manifest on, in order.
  If a manifest has none, neither do its files.

Source: Iceberg table spec, "Manifests", "Sequence Number Inheritance" and "First Row ID
Inheritance".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.manifests import checks, fields
from byteloom.iceberg.manifests.containers import read_containers
from byteloom.iceberg.manifests.decoded_stats import BOUNDS, COUNTS, column_stats
from byteloom.iceberg.manifests.decoding import Decoded, Wanted
from byteloom.iceberg.manifests.entry_columns import Entries, Lists, Statistics
from byteloom.iceberg.manifests.partitions import partition_structs
from byteloom.iceberg.manifests.program import compile_program
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom_generated.iceberg.manifests import EntryStatus, ManifestContent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.avro.container import AvroFile
    from byteloom.iceberg.schema import Schema
    from byteloom.limits import Limits

    Numbers = NDArray[np.int64]

__all__ = ["Origin", "Request", "first_row_ids", "make_entries", "no_entries", "sequence_numbers"]

_IDS: Final = {each.name: each.id for each in fields.ENTRY}
_TAKEN: Final = frozenset(_IDS.values())
_ALWAYS: Final = frozenset({"file_path", "file_format"})
_NOTHING: Final = {
    "type": "record",
    "name": "nothing",
    "fields": [{"name": "nothing", "type": "long"}],
}
"""A schema without any wanted field."""

_ANY_NUMBER: Final = frozenset({"snapshot_id", "sort_order_id"})
"""Numbers that may be negative; readers ignore the sort order."""


@dataclass(frozen=True, slots=True)
class Request:
    """The options of `stream_entries`."""

    specs: Mapping[int, PartitionSpec]
    schema: Schema
    columns: frozenset[str]
    stats_for: tuple[int, ...]
    with_deleted: bool
    verify: bool
    limits: Limits
    note: Callable[[FormatError], None]

    def wanted(self, spec: PartitionSpec) -> Wanted:
        """Return what to decode from manifests of a spec."""
        wanted = Wanted(slots=self.stats_for)
        for each in fields.ENTRY:
            asked = each.name in self.columns or each.name in _ALWAYS
            if each.kind == "long" or asked:
                wanted.kinds[each.id] = each.kind
            elif self.stats_for and each.name in (*COUNTS, *BOUNDS):
                wanted.kinds[each.id] = each.kind.replace("map", "slot")
        if "partition" in self.columns:
            for part in spec.fields:
                if part.field_id in _TAKEN:
                    where = f"partition-spec.{part.name}.field-id"
                    found = f"{part.field_id}, which is a field of manifests"
                    raise FormatError(where, None, found, "an id of its own, as 1000 and above")
                wanted.kinds[part.field_id] = "any"
        return wanted

    def names(self, spec: PartitionSpec) -> dict[str, int]:
        """Return field ids by name, for manifests without ids."""
        tuples = {f"data_file.partition.{each.name}": each.field_id for each in spec.fields}
        return {each.path: each.id for each in fields.ENTRY} | tuples


def make_entries(
    files: Sequence[AvroFile],
    spec_id: int,
    rows: Numbers,
    listed: Mapping[str, Numbers],
    request: Request,
) -> Entries:
    """Return the entries of manifests of one schema and spec.

    Args:
        rows: The rows of the manifests in their list.
        listed: What the list states about them, by name.
    """
    spec = request.specs.get(spec_id)
    if spec is None:
        found = f"spec {spec_id}"
        raise FormatError("partition_spec_id", None, found, f"one of {list(request.specs)}")
    container, records = read_containers(files, request.limits)
    if request.verify:
        checks.check_records(listed, records)
    decoded = container.decode(request.wanted(spec), request.names(spec))
    if decoded.program.is_prefixed:
        found, wanted = "fixed values with a length before each", "their bytes alone"
        request.note(FormatError("data_file.partition", None, found, wanted))
    _require(decoded)
    place = np.repeat(np.arange(len(files)), records)
    numbers = _numbers(decoded, place, rows, listed, request)
    numbers["spec_id"] = np.full(decoded.rows, spec_id, np.int64)
    return _kept(decoded, numbers, spec, request)


def no_entries(request: Request) -> Entries:
    """Return the entries of no manifests: all columns, and no rows."""
    wanted = request.wanted(PartitionSpec())
    program = compile_program(_NOTHING, {}, slots=len(wanted.slots))
    blocks = np.zeros((0, 3), np.int64)
    decoded = Decoded(np.zeros(0, np.uint8), blocks, program, wanted.slots)
    names = (*(each.name for each in fields.ENTRY if each.kind == "long"), "spec_id", "manifest")
    numbers = {name: np.zeros(0, np.int64) for name in names}
    return replace(_kept(decoded, numbers, PartitionSpec(), request), partitions={})


def _require(decoded: Decoded) -> None:
    """Refuse entries that lack required values."""
    for each in fields.ENTRY:
        if each.required and not (decoded.has(each.id) and decoded.are_valid(each.id)):
            raise FormatError(each.path, None, "nothing", f"a value of field {each.id}")


def _numbers(
    decoded: Decoded,
    place: Numbers,
    rows: Numbers,
    listed: Mapping[str, Numbers],
    request: Request,
) -> dict[str, Numbers]:
    """Return the columns of numbers, after inheritance."""
    longs = [each for each in fields.ENTRY if each.kind == "long"]
    numbers = {each.name: decoded.numbers(each.id) for each in longs}
    for each in longs:
        values = numbers[each.name]
        if each.name not in _ANY_NUMBER and decoded.has(each.id) and values.min(initial=0) < 0:
            checks.check_number(each.name, values, decoded.is_valid(each.id))
    origin = Origin(
        rows[place],
        listed["added_snapshot_id"][place],
        listed["sequence_number"][place],
        listed["content"][place],
        listed["first_row_id"][place],
    )
    status = numbers["status"]
    if not decoded.has(_IDS["content"]):
        numbers["content"] = np.zeros(decoded.rows, np.int64)
    is_own = decoded.is_valid(_IDS["snapshot_id"])
    numbers["snapshot_id"] = np.where(is_own, numbers["snapshot_id"], origin.snapshot_id)
    for name, required in (("sequence_number", request.verify), ("file_sequence_number", False)):
        numbers[name] = sequence_numbers(status, numbers[name], origin, required=required)
    numbers["first_row_id"] = first_row_ids(
        status, numbers["first_row_id"], numbers["record_count"], origin
    )
    numbers["manifest"] = origin.manifest
    if request.verify:
        checks.check_values(status, numbers["content"], origin.content)
        checks.check_counts(listed, place, status, numbers["record_count"])
        least = listed["min_sequence_number"]
        checks.check_sequence(least, place, status, numbers["sequence_number"])
        checks.check_format(decoded.spans(_IDS["file_format"]))
    return numbers


def _kept(
    decoded: Decoded, numbers: dict[str, Numbers], spec: PartitionSpec, request: Request
) -> Entries:
    """Return the entries, without deleted ones unless those are wanted."""
    partitions = {}
    if "partition" in request.columns:
        structs = partition_structs(decoded, spec, request.schema)
        partitions[spec.spec_id] = np.arange(decoded.rows), structs
    entries = Entries(
        numbers,
        {
            each.name: decoded.spans(each.id)
            for each in fields.ENTRY
            if each.kind == "view" and (each.name in request.columns or each.name in _ALWAYS)
        },
        {
            each.name: _lists(decoded, each)
            for each in fields.ENTRY
            if each.kind in {"list", "map_long", "map_bytes"} and each.name in request.columns
        },
        partitions,
        Statistics(
            numbers["record_count"], column_stats(decoded, request.stats_for, request.columns)
        ),
    )
    live = numbers["status"] != EntryStatus.DELETED
    return entries if request.with_deleted or live.all() else entries.view(np.flatnonzero(live))


def _lists(decoded: Decoded, each: fields.Field) -> Lists:
    """Return a column of lists or maps."""
    data = decoded.data if each.kind == "map_bytes" else None
    return Lists(decoded.runs(each.id), decoded.items(each.id), data)


@dataclass(frozen=True, slots=True)
class Origin:
    """What the list states about the manifest of each entry; -1 for missing values.

    Attributes:
        manifest: The row in the list.
    """

    manifest: NDArray[np.int64]
    snapshot_id: NDArray[np.int64]
    sequence_number: NDArray[np.int64]
    content: NDArray[np.int64]
    first_row_id: NDArray[np.int64]


def sequence_numbers(
    status: NDArray[np.int64], own: NDArray[np.int64], origin: Origin, *, required: bool
) -> NDArray[np.int64]:
    """Return the sequence number of each entry.

    Args:
        own: The numbers in the entries; -1 where an entry has none.
        required: Whether an entry without any is an error; otherwise it gets -1.
    """
    inherits = (own < 0) & ((status == EntryStatus.ADDED) | (origin.sequence_number == 0))
    numbers = np.where(inherits, origin.sequence_number, own)
    if required and (numbers < 0).any():
        row = int(np.argmax(numbers < 0))
        raise FormatError(
            f"entries[{row}].sequence_number",
            None,
            f"nothing, with status {status[row]}",
            "a number: only added files inherit one",
        )
    return numbers


def first_row_ids(
    status: NDArray[np.int64],
    own: NDArray[np.int64],
    record_count: NDArray[np.int64],
    origin: Origin,
) -> NDArray[np.int64]:
    """Return the first row id of each data file; -1 if it has none.

    If the rows of a file are not counted (-1), the files after it in its manifest have none.
    """
    assigns = (origin.first_row_id >= 0) & (origin.content == ManifestContent.DATA)
    if not assigns.any():
        return np.full(len(own), -1, np.int64)
    takes = assigns & (own < 0) & (status != EntryStatus.DELETED)
    before = _before(np.where(takes, np.maximum(record_count, 0), 0), origin)
    is_known = _before((takes & (record_count < 0)).astype(np.int64), origin) == 0
    given = np.where(takes, origin.first_row_id + before, own)
    return np.where(assigns & (is_known | ~takes), given, -1)


def _before(numbers: NDArray[np.int64], origin: Origin) -> NDArray[np.int64]:
    """Return the sum of the numbers of the earlier entries in the manifest of each."""
    before = np.cumsum(numbers) - numbers
    is_first = np.diff(origin.manifest, prepend=-1) != 0
    return before - before[is_first][np.cumsum(is_first) - 1] if len(before) else before
