"""The manifests of a snapshot: its list, one row each, or the paths that it names in version 1.

The rules:

- Fields are identified by their ids: old writers called 504 to 506 ``added_data_files_count`` and
  so on.
- Fields that version 1 lacks have the values that version 2 assumes: content 0, sequence numbers 0.
- An unknown count is null in the table, and -1 in `ManifestList.numbers`.

Source: Iceberg table spec, "Snapshots" and "Manifest Lists".
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.manifests import FieldSummaries, inclusive
from byteloom.iceberg.expressions.stats import Spans
from byteloom.iceberg.manifests import fields
from byteloom.iceberg.manifests.containers import read_container
from byteloom.iceberg.manifests.decoding import Wanted
from byteloom.iceberg.manifests.list_columns import DEFAULTS, RecordColumns, TableColumns
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.naming import missing_from
from byteloom_generated.iceberg.manifests import ManifestContent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.expressions.stats import Flags
    from byteloom.iceberg.manifests.list_columns import ListColumns, Summaries
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom_generated.iceberg.table_metadata import Snapshot


__all__ = ["ManifestList", "manifests_of", "named_by", "read_manifest_list"]

_FILES: Final = tuple(f"{kind}_files_count" for kind in ("added", "existing", "deleted"))
"""Names of counts that are never negative; counts of rows can be, if files do not count theirs."""


_FIELDS: Final = (*fields.LIST, *fields.SUMMARY)
_WANTED: Final = Wanted({each.id: each.kind for each in _FIELDS})
_NAMES: Final = {path: each.id for each in _FIELDS for path in each.paths}


class ManifestList:
    """The manifests of a snapshot, as columns.

    Attributes:
        path: The file that was read, for errors; empty for `of_paths`.
    """

    def __init__(
        self, path: str, columns: ListColumns | pa.Table, rows: NDArray[np.intp] | None = None
    ) -> None:
        """Keep the columns of a list, or a table that has them.

        Args:
            rows: The wanted manifests, in this order; None for all.
        """
        self.path, self._rows = path, rows
        self._columns = TableColumns(columns) if isinstance(columns, pa.Table) else columns

    @classmethod
    def of_paths(cls, paths: Sequence[str]) -> ManifestList:
        """Return the list of the manifests that a version 1 snapshot names itself."""
        columns = {
            each.name: pa.nulls(len(paths), each.arrow)
            if each.name not in DEFAULTS
            else pa.array([DEFAULTS[each.name]] * len(paths), each.arrow)
            for each in fields.LIST
        }
        columns["manifest_path"] = pa.array(paths, pa.large_string())
        return cls("", pa.table(columns))

    @cached_property
    def table(self) -> pa.Table:
        """A table with one row per manifest and the spec's names.

        ``manifest_path``, ``manifest_length``, ``partition_spec_id``, ``content``,
        ``sequence_number``, ``min_sequence_number``, ``added_snapshot_id``, ``added_files_count``,
        ..., ``deleted_rows_count``, ``partitions``, ``key_metadata``, ``first_row_id``
        """
        table = self._columns.table
        return table if self._rows is None else table.take(pa.array(self._rows, pa.int64()))

    @cached_property
    def paths(self) -> list[str]:
        """The paths of the manifests, as written."""
        paths = self._columns.paths
        some = paths if self._rows is None else paths.take(pa.array(self._rows, pa.int64()))
        found: list[str] = some.to_pylist()
        return found

    def __len__(self) -> int:
        """Return the number of manifests."""
        return len(self._columns.paths if self._rows is None else self._rows)

    def numbers(self, name: str) -> NDArray[np.int64]:
        """Return a column of numbers; -1 for unknown ones."""
        column = self._columns.numbers(name)
        return column if self._rows is None else column[self._rows]

    def take(self, rows: NDArray[np.intp]) -> ManifestList:
        """Return some manifests, in this order."""
        chosen = rows if self._rows is None else self._rows[rows]
        return ManifestList(self.path, self._columns, chosen)

    @property
    def summary_counts(self) -> NDArray[np.int64]:
        """The number of summaries of each manifest; -1 for null."""
        held = self._columns.summaries
        if held is None:
            return np.full(len(self), -1, np.int64)
        runs = held.runs if self._rows is None else held.runs.of(self._rows)
        return np.where(runs.valid, runs.ends - runs.starts, -1)

    def summaries(self, spec: PartitionSpec) -> tuple[Flags, dict[int, FieldSummaries]]:
        """Return which manifests have summaries of *spec*'s fields, and those by field id.

        Manifests without summaries, or of another spec, exclude nothing.
        """
        held = self._columns.summaries
        if held is None or not spec.fields:
            return np.zeros(len(self), np.bool_), {}
        runs = held.runs if self._rows is None else held.runs.of(self._rows)
        is_known = runs.valid & (self.numbers("partition_spec_id") == spec.spec_id)
        is_known &= runs.ends - runs.starts == len(spec.fields)
        if not is_known.any():
            return is_known, {}
        return is_known, {
            each.field_id: _of_field(held, np.where(is_known, runs.starts + number, 0), is_known)
            for number, each in enumerate(spec.fields)
        }

    def may_match(self, spec: PartitionSpec, bound: Expression) -> Flags:
        """Return which manifests may have a file that matches an expression on *spec*'s partitions.

        Manifests of another spec, and those without summaries, may.
        """
        is_known, summaries = self.summaries(spec)
        if not summaries:
            return np.ones(len(self), np.bool_)
        transforms = {each.field_id: each.transform for each in spec.fields}
        return np.asarray(inclusive(bound, summaries, len(self), transforms) | ~is_known)

    def check(self, specs: Mapping[int, PartitionSpec], first_row_id: int | None = None) -> None:
        """Raise `FormatError` for impossible values.

        Args:
            specs: The table's partition specs, by id.
            first_row_id: The snapshot's; unless None, data manifests must have one as well.
        """
        if not self.path:
            return
        content, spec_ids = self.numbers("content"), self.numbers("partition_spec_id")
        self._refuse("manifest_length", self.numbers("manifest_length") <= 0, "a length in bytes")
        self._refuse("content", ~np.isin(content, list(ManifestContent)), "0 (data) or 1 (deletes)")
        if not specs.keys() >= set(spec_ids.tolist()):
            known = list(specs)
            unknown = ~np.isin(spec_ids, known)
            self._refuse("partition_spec_id", unknown, f"an id of the table's specs {known}")
        for name in (*_FILES, "sequence_number", "min_sequence_number", "first_row_id"):
            negative = self.numbers(name) < 0
            if negative.any():
                self._refuse(name, negative & self._is_valid(name), "0 or more")
        late = self.numbers("min_sequence_number") > self.numbers("sequence_number")
        self._refuse("min_sequence_number", late, "no more than the sequence number")
        if first_row_id is not None:
            missing = (content == ManifestContent.DATA) & (self.numbers("first_row_id") < 0)
            self._refuse("first_row_id", missing, "a number: the snapshot's rows have ids")
        if len(set(self.paths)) < len(self):
            twice = next(path for path, count in Counter(self.paths).items() if count > 1)
            raise FormatError("manifest_path", None, f"{twice!r} twice", "each once").in_file(
                self.path
            )

    def _is_valid(self, name: str) -> NDArray[np.bool_]:
        """Return where a column of numbers is not null."""
        valid = self._columns.is_valid(name)
        return valid if self._rows is None else valid[self._rows]

    def _refuse(self, name: str, wrong: NDArray[np.bool_], wanted: str) -> None:
        """Raise an error about the first manifest that is wrong."""
        if wrong.any():
            row = int(np.argmax(wrong))
            found = repr(self.table.column(name)[row].as_py())
            raise FormatError(f"manifests[{row}].{name}", None, found, wanted).in_file(self.path)


def read_manifest_list(
    data: bytes, path: str = "manifest-list", limits: Limits = DEFAULT_LIMITS
) -> ManifestList:
    """Return the manifests in a manifest list.

    Args:
        path: Where *data* is stored, for errors.

    Raises:
        FormatError: Anything but a manifest list.
        Unsupported: Encrypted ones.
    """
    try:
        decoded = read_container(data, limits).decode(_WANTED, _NAMES)
        return ManifestList(path, RecordColumns(decoded, path))
    except FormatError as error:
        raise error.in_file(path) from error.__cause__


def _of_field(held: Summaries, rows: NDArray[np.int64], is_known: Flags) -> FieldSummaries:
    """Return the summaries of one partition field; unknown ones exclude nothing."""
    return FieldSummaries(
        (held.contains_null[rows] != 0) | ~is_known,
        np.where(is_known, held.contains_nan[rows], -1).astype(np.int8),
        Spans(
            held.lower.data, held.lower.places[rows], np.where(is_known, held.lower.sizes[rows], -1)
        ),
        Spans(
            held.upper.data, held.upper.places[rows], np.where(is_known, held.upper.sizes[rows], -1)
        ),
    )


def manifests_of(
    snapshot: Snapshot | None,
    read: Callable[[str], bytes],
    specs: Mapping[int, PartitionSpec],
    limits: Limits = DEFAULT_LIMITS,
) -> ManifestList:
    """Return the manifests of *snapshot*, checked; empty if it is None.

    Args:
        read: Returns the bytes of a file, by its path as written.
        specs: The partition specs of the table, by id.

    Raises:
        FormatError: A list that is damaged, or that has impossible values.
        MissingFile: No such list; the error names the snapshot.
    """
    if snapshot is None:
        return ManifestList.of_paths(())
    if snapshot.manifest_list is None:
        return ManifestList.of_paths(snapshot.manifests)
    with named_by(snapshot):
        data = read(snapshot.manifest_list)
    listed = read_manifest_list(data, snapshot.manifest_list, limits)
    listed.check(specs, snapshot.first_row_id)
    return listed


def named_by(snapshot: Snapshot | None) -> AbstractContextManager[None]:
    """Make the error of a missing file name the snapshot, unless it says already what names it."""
    return missing_from(None if snapshot is None else f"snapshot {snapshot.snapshot_id}")
