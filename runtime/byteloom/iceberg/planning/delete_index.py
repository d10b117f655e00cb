"""Match delete files with data files, column-wise.

The rules:

- A deletion vector applies to the file it names, if it is not older than that; position delete
  files then do not apply.  Two for one file, and one older than its file, are errors.
- A position delete file applies to the files of its partition, or to the one it names, that are not
  newer than it.
- An equality delete file applies to the older files of its partition; one of an unpartitioned spec
  to all older files.  It is left out if statistics show that it matches no row of the file.
- Partitions are equal if their specs and their values are: NaN is one value, -0.0 is not 0.0.

By statistics, an equality delete and a data file overlap like this:

- Nulls are equal: where both sides may have one they may overlap, whatever their bounds.
- A side without statistics may have any value.
- UUIDs are ordered by their bytes or as two signed words, as their writer chose; sides do not
  overlap if they do not in either order.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.stats import Bounds, signed_words
from byteloom.iceberg.manifests.joining import partition_codes
from byteloom.iceberg.reserved_fields import DELETE_FILE_COLUMNS
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.stats import FieldStats, Flags
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.types import NestedField

    Rows = NDArray[np.intp]

__all__ = ["DELETED_FILE_PATH", "DeleteIndex", "Pairs", "Side", "compared_ids", "may_overlap"]

DELETED_FILE_PATH: Final = DELETE_FILE_COLUMNS["file_path"].id
"""The id of ``file_path`` in position delete files."""

_NONE: Final = np.zeros(0, np.intp)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a data file and a delete file that applies to it: row *i* of each array."""

    data: Rows
    deletes: Rows

    def keep(self, flags: Flags) -> Pairs:
        """Return the pairs whose flag is set."""
        return Pairs(self.data[flags], self.deletes[flags])

    def after(self, files: int) -> Pairs:
        """Return the pairs with the numbers of data files increased by *files*."""
        return Pairs(self.data + files, self.deletes)

    def without(self, others: Pairs) -> Pairs:
        """Return the pairs that are not among *others*."""
        width = 1 + max(self.deletes.max(initial=0), others.deletes.max(initial=0))
        ours, theirs = (each.data * width + each.deletes for each in (self, others))
        return self.keep(~np.isin(ours, theirs))

    def among(self, files: Rows) -> Pairs:
        """Return the pairs of some data files, renumbered by their places in *files*, ascending."""
        found = self.keep(np.isin(self.data, files))
        return Pairs(np.searchsorted(files, found.data), found.deletes)

    @classmethod
    def joined(cls, parts: list[Pairs]) -> Pairs:
        """Return all pairs, grouped by data file."""
        data = np.concatenate([each.data for each in parts] or [_NONE])
        deletes = np.concatenate([each.deletes for each in parts] or [_NONE])
        order = np.lexsort((deletes, data))
        return cls(data[order], deletes[order])

    def lists(self, rows: int, *, nulls: Flags | None = None) -> pa.ListArray:
        """Return for each of *rows* data files the rows of its delete files.

        Args:
            nulls: bool[file]: which data files get null instead of a list; None for none.
        """
        offsets = np.zeros(rows + 1, np.int32)
        np.cumsum(np.bincount(self.data, minlength=rows), out=offsets[1:])
        mask = None if nulls is None else pa.array(nulls)
        values = pa.array(self.deletes.astype(np.int32))
        return pa.ListArray.from_arrays(offsets, values, mask=mask)


class DeleteIndex:
    """The delete files of a snapshot.

    Attributes:
        entries: The live manifest entries of the delete files.
    """

    def __init__(
        self,
        entries: Entries,
        specs: Mapping[int, PartitionSpec],
        field_of: Callable[[int], NestedField | None],
    ) -> None:
        """Group the files by what they apply to; `FormatError` for two vectors of one file.

        Args:
            field_of: Returns a column by id, even one that was dropped.
        """
        self.entries = entries
        self.specs = specs
        self.field_of = field_of
        self.vectors = self.by_path = self.by_partition = _NONE
        self.everywhere = self.equality = _NONE
        if len(entries):
            self._sort()
        self.unseen = self.vectors

    def _sort(self) -> None:
        """Group the delete files by kind."""
        entries = self.entries
        content = entries.content
        is_position = content == FileContent.POSITION_DELETES
        is_vector = is_position & (entries.content_offset >= 0)
        names_file = self.referenced.is_valid().to_numpy(zero_copy_only=False)
        self.vectors = np.flatnonzero(is_vector)
        self.by_path = np.flatnonzero(is_position & ~is_vector & names_file)
        self.by_partition = np.flatnonzero(is_position & ~is_vector & ~names_file)
        is_equality = content == FileContent.EQUALITY_DELETES
        is_global = np.isin(
            entries.spec_id, [key for key, spec in self.specs.items() if spec.is_unpartitioned]
        )
        self.everywhere = np.flatnonzero(is_equality & is_global)
        self.equality = np.flatnonzero(is_equality & ~is_global)
        self._check_vectors()

    def __len__(self) -> int:
        """Return the number of delete files."""
        return len(self.entries)

    @cached_property
    def referenced(self) -> pa.Array:
        """The data file that each position delete file names, in its entry or by its bounds."""
        named = self.entries.arrays(columns={"referenced_data_file"})["referenced_data_file"]
        stats = self.entries.stats.of(DELETED_FILE_PATH)
        lower, upper = stats.lower.to_arrow(), stats.upper.to_arrow()
        by_bounds = pc.if_else(pc.equal(lower, upper), lower, None).cast(pa.large_string())
        is_position = pa.array(self.entries.content == FileContent.POSITION_DELETES)
        return pc.if_else(is_position, pc.coalesce(named.cast(pa.large_string()), by_bounds), None)

    def with_referenced(self, deletes: pa.Table) -> pa.Table:
        """Return the table of the delete files with the data file that each names, if it does."""
        if not len(self):
            return deletes
        place = deletes.schema.get_field_index("referenced_data_file")
        of = deletes.schema.field(place)
        return deletes.set_column(place, of, self.referenced.cast(of.type))

    @cached_property
    def equality_ids(self) -> list[list[int]]:
        """The columns of each equality delete file; none for the others."""
        if not len(self):
            return []
        ids = self.entries.arrays(columns={"equality_ids"})["equality_ids"]
        return [each or [] for each in ids.to_pylist()]

    @cached_property
    def compared_ids(self) -> frozenset[int]:
        """Ids of the columns that equality deletes compare; plans need their statistics."""
        return compared_ids(self.entries)

    def _check_vectors(self) -> None:
        """Refuse two deletion vectors for one file, and one that names none."""
        paths = self.referenced.take(pa.array(self.vectors))
        if paths.null_count:
            raise FormatError("referenced_data_file", None, "null", "the file of a deletion vector")
        if len(paths) != len(pc.unique(paths)):
            counts = pc.value_counts(paths).to_pylist()
            twice = next(each["values"] for each in counts if each["counts"] > 1)
            raise FormatError(
                f"deletion vectors of {twice}", None, "more than one", "at most one for each file"
            )

    def note(self, data: Entries) -> None:
        """Record which deletion vectors have their files among *data*, live data files."""
        if len(self.unseen):
            paths = data.table(columns={"file_path"}).column(0)
            found = pc.is_in(self.referenced.take(pa.array(self.unseen)), value_set=paths)
            self.unseen = self.unseen[~found.to_numpy(zero_copy_only=False)]

    def check_seen(self) -> None:
        """Refuse deletion vectors whose data files were not seen."""
        if len(self.unseen):
            path = self.referenced[int(self.unseen[0])].as_py()
            where = f"deletion vector of {path}"
            raise FormatError(
                where, None, "no such live data file", "a live data file of the snapshot"
            )

    def match(self, data: Entries, rows: Rows, paths: pa.Array) -> Pairs:
        """Return which delete files apply to *rows* of *data*.

        Args:
            paths: Their file paths, as written.

        Raises:
            FormatError: A deletion vector older than its file, or of another partition.
        """
        if not len(self):
            return Pairs(_NONE, _NONE)
        vectors = self._named(self.vectors, paths)
        self._check_ages(vectors, data, rows)
        has_vector = np.zeros(len(rows), np.bool_)
        has_vector[vectors.data] = True
        positions = [
            self._not_newer(self._named(self.by_path, paths), data, rows),
            self._not_newer(self._same_partition(self.by_partition, data, rows), data, rows),
        ]
        equalities = [
            self._older(self._all(self.everywhere, len(rows)), data, rows),
            self._older(self._same_partition(self.equality, data, rows), data, rows),
        ]
        plain = [each.keep(~has_vector[each.data]) for each in positions]
        overlapping = [self._overlapping(each, data, rows) for each in equalities]
        return Pairs.joined([vectors, *plain, *overlapping])

    def _named(self, deletes: Rows, paths: pa.Array) -> Pairs:
        """Return pairs of files and the deletes that name them."""
        if not len(deletes):
            return Pairs(_NONE, _NONE)
        named = self.referenced.take(pa.array(deletes)).dictionary_encode()
        codes = named.indices.to_numpy()
        found = pc.index_in(paths.cast(pa.large_string()), value_set=named.dictionary)
        wanted = pc.fill_null(found, -1).to_numpy(zero_copy_only=False)
        return _equal_codes(wanted, codes, deletes)

    def _same_partition(self, deletes: Rows, data: Entries, rows: Rows) -> Pairs:
        """Return pairs of files and the deletes of their partitions."""
        ours, theirs = partition_codes(data, rows, self.entries, deletes)
        return _equal_codes(ours, theirs, deletes)

    @staticmethod
    def _all(deletes: Rows, rows: int) -> Pairs:
        """Return pairs of every file with every delete."""
        return Pairs(np.repeat(np.arange(rows), len(deletes)), np.tile(deletes, rows))

    def _not_newer(self, pairs: Pairs, data: Entries, rows: Rows) -> Pairs:
        """Return the pairs whose data file is as old as the delete, or older."""
        ages = data.sequence_number[rows[pairs.data]]
        return pairs.keep(ages <= self.entries.sequence_number[pairs.deletes])

    def _older(self, pairs: Pairs, data: Entries, rows: Rows) -> Pairs:
        """Return the pairs whose data file is older than the delete."""
        ages = data.sequence_number[rows[pairs.data]]
        return pairs.keep(ages < self.entries.sequence_number[pairs.deletes])

    def _check_ages(self, pairs: Pairs, data: Entries, rows: Rows) -> None:
        """Refuse vectors that are older than their files, or of another partition."""
        ages = data.sequence_number[rows[pairs.data]]
        theirs = self.entries.sequence_number[pairs.deletes]
        for wrong in np.flatnonzero(theirs < ages):
            path = self.referenced[int(pairs.deletes[wrong])].as_py()
            found = f"sequence number {theirs[wrong]}"
            raise FormatError(f"deletion vector of {path}", None, found, f"{ages[wrong]} or more")
        ours, codes = partition_codes(data, rows, self.entries, self.vectors)
        code_of = np.zeros(len(self.entries), np.int64)
        code_of[self.vectors] = codes
        for wrong in np.flatnonzero(ours[pairs.data] != code_of[pairs.deletes]):
            where = f"deletion vector of {self.referenced[int(pairs.deletes[wrong])].as_py()}"
            raise FormatError(where, None, "another partition", "the partition of the file")

    def _overlapping(self, pairs: Pairs, data: Entries, rows: Rows) -> Pairs:
        """Return the pairs whose statistics do not show that no row of the file is deleted."""
        for field_id in sorted(self.compared_ids):
            field = self.field_of(field_id)
            if field is None or not field.type.is_primitive or not len(pairs.data):
                continue
            asks = np.array([field_id in ids for ids in self.equality_ids])[pairs.deletes]
            ours = Side(data.stats.of(field_id), rows[pairs.data])
            theirs = Side(self.entries.stats.of(field_id), pairs.deletes)
            pairs = pairs.keep(~asks | may_overlap(field, ours, theirs))
        return pairs


def compared_ids(entries: Entries) -> frozenset[int]:
    """Return all columns of the equality delete files among *entries*."""
    if not (entries.content == FileContent.EQUALITY_DELETES).any():
        return frozenset()
    ids = entries.arrays(columns={"equality_ids"})["equality_ids"]
    return frozenset(pc.unique(ids.flatten()).to_pylist())


def _equal_codes(wanted: NDArray[np.int64], codes: NDArray[np.int64], deletes: Rows) -> Pairs:
    """Return all pairs with equal codes: places in *wanted*, and the deletes of *codes*."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    first = np.searchsorted(ordered, wanted, side="left")
    counts = np.searchsorted(ordered, wanted, side="right") - first
    data = np.repeat(np.arange(len(wanted)), counts)
    inside = np.arange(len(data)) - np.repeat(np.cumsum(counts) - counts, counts)
    return Pairs(data, deletes[order[np.repeat(first, counts) + inside]])


@dataclass(frozen=True, slots=True)
class Side:
    """One side of pairs of files: the statistics of a column, with *rows* for the pairs."""

    stats: FieldStats
    rows: Rows

    @property
    def null_count(self) -> NDArray[np.int64]:
        """The number of nulls; -1 if unknown."""
        return self.stats.null_count[self.rows]

    @property
    def signed(self) -> Side:
        """The same side, with bounds of UUIDs ordered as two signed words."""
        stats = self.stats
        lower, upper = (signed_words(each) for each in (stats.lower, stats.upper))
        return Side(replace(stats, lower=lower, upper=upper), self.rows)

    @property
    def may_have_null(self) -> Flags:
        """Return where there are nulls, or their number is unknown."""
        return np.asarray(self.null_count != 0)

    def has_no_null(self, field: NestedField) -> Flags:
        """For each of `rows`, whether the column certainly has no null."""
        return np.asarray((self.null_count == 0) | field.required)

    @property
    def is_all_null(self) -> Flags:
        """For each of `rows`, whether the column certainly has only nulls."""
        values = self.stats.value_count[self.rows]
        return np.asarray((values >= 0) & (values == self.null_count))


def may_overlap(field: NestedField, ours: Side, theirs: Side) -> Flags:
    """Return where a value of one side may be on the other."""
    both_null = ours.may_have_null & theirs.may_have_null
    apart = ours.is_all_null & theirs.has_no_null(field)
    apart |= theirs.is_all_null & ours.has_no_null(field)
    beyond = _is_below(field, ours, theirs) | _is_below(field, theirs, ours)
    if field.type.kind == "uuid":
        ours, theirs = ours.signed, theirs.signed
        beyond &= _is_below(field, ours, theirs) | _is_below(field, theirs, ours)
    apart |= beyond
    return np.asarray(both_null | ~apart)


def _is_below(field: NestedField, low: Side, high: Side) -> Flags:
    """Return where one side's greatest value is less than the other's smallest."""
    upper = Bounds.read(field.type, low.stats.upper)
    lower = Bounds.read(field.type, high.stats.lower)
    are_known = upper.is_known[low.rows] & lower.is_known[high.rows]
    are_known &= Bounds.read(field.type, low.stats.lower).is_known[low.rows]
    are_known &= Bounds.read(field.type, high.stats.upper).is_known[high.rows]
    if upper.numbers is not None and lower.numbers is not None:
        return np.asarray(are_known & (upper.numbers[low.rows] < lower.numbers[high.rows]))
    assert upper.runs is not None  # noqa: S101  of one type, so of one form
    assert lower.runs is not None  # noqa: S101
    below = pc.less(upper.runs.take(pa.array(low.rows)), lower.runs.take(pa.array(high.rows)))
    is_below = pc.fill_null(below, fill_value=False).to_numpy(zero_copy_only=False)
    return np.asarray(are_known & is_below)
