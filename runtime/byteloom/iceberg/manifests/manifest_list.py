"""Manifest lists: the manifests of a snapshot, a row each.

The rules:

- Fields are known by their ids: old writers called 504 to 506 ``added_data_files_count`` and so on.
- What version 1 does not write is read as version 2 says: content 0, sequence numbers 0.
- An unknown count is null in the table, and -1 where numbers are asked for.

Source: Iceberg table spec, "Manifest Lists".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom import compute as pc
from byteloom.errors import FormatError
from byteloom.iceberg.expressions.manifests import FieldSummaries, inclusive
from byteloom.iceberg.expressions.stats import Spans
from byteloom.iceberg.manifests import fields
from byteloom.iceberg.manifests.columns import (
    list_array,
    long_lists,
    map_array,
    number_array,
    texts,
)
from byteloom.iceberg.manifests.containers import read_container
from byteloom.iceberg.manifests.decoding import Decoded, Runs, Wanted
from byteloom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.expressions.stats import Flags
    from byteloom.iceberg.partition_spec import PartitionSpec

__all__ = ["ManifestList", "read_manifest_list"]

_DEFAULTS: Final = {"content": 0, "sequence_number": 0, "min_sequence_number": 0}
_FILES: Final = tuple(f"{kind}_files_count" for kind in ("added", "existing", "deleted"))
"""Counts that are never negative, as those of rows are where files do not count theirs."""


@dataclass(frozen=True, slots=True)
class _Summaries:
    """Summaries of all partition fields of all manifests, one after the other."""

    runs: Runs
    contains_null: NDArray[np.int64]
    contains_nan: NDArray[np.int64]
    lower: Spans
    upper: Spans


@dataclass(frozen=True, slots=True)
class ManifestList:
    """Manifests as columns.

    path   the file that was read, for errors; empty for `of_paths`
    table  a row a manifest, with the spec's names (``manifest_path``, ``manifest_length``,
           ``partition_spec_id``, ``content``, ``sequence_number``, ``min_sequence_number``,
           ``added_snapshot_id``, ``added_files_count``, ..., ``deleted_rows_count``,
           ``partitions``, ``key_metadata``, ``first_row_id``)
    """

    path: str
    table: pa.Table
    _summaries: _Summaries | None = None

    @classmethod
    def of_paths(cls, paths: Sequence[str]) -> ManifestList:
        """Return the list that a version 1 snapshot's ``manifests`` stand for."""
        columns = {
            each.name: pa.nulls(len(paths), each.arrow)
            if each.name not in _DEFAULTS
            else pa.array([0] * len(paths), each.arrow)
            for each in fields.LIST
        }
        columns["manifest_path"] = pa.array(paths, pa.large_string())
        return cls("", pa.table(columns))

    def __len__(self) -> int:
        """Return the number of manifests."""
        return int(self.table.num_rows)

    def numbers(self, name: str) -> NDArray[np.int64]:
        """Return a column of numbers; -1 for what is unknown."""
        column = self.table.column(name)
        if column.null_count:
            column = pc.fill_null(column.cast(pa.int64()), -1)
        return np.asarray(column.to_numpy(), np.int64)

    def take(self, rows: NDArray[np.intp]) -> ManifestList:
        """Return some manifests, in this order."""
        kept = self._summaries
        if kept is not None:
            runs = Runs(kept.runs.starts[rows], kept.runs.ends[rows], kept.runs.valid[rows])
            kept = _Summaries(runs, kept.contains_null, kept.contains_nan, kept.lower, kept.upper)
        return ManifestList(self.path, self.table.take(pa.array(rows, pa.int64())), kept)

    def summaries(self, spec: PartitionSpec) -> tuple[Flags, dict[int, FieldSummaries]]:
        """Return where there are summaries of *spec*'s fields, and these by partition field id.

        Of rows without summaries, or of another spec, nothing may be concluded.
        """
        held = self._summaries
        if held is None or not spec.fields:
            return np.zeros(len(self), np.bool_), {}
        is_known = held.runs.valid & (self.numbers("partition_spec_id") == spec.spec_id)
        is_known &= held.runs.ends - held.runs.starts == len(spec.fields)
        if not is_known.any():
            return is_known, {}
        return is_known, {
            each.field_id: _of_field(
                held, np.where(is_known, held.runs.starts + number, 0), is_known
            )
            for number, each in enumerate(spec.fields)
        }

    def may_match(self, spec: PartitionSpec, bound: Expression) -> Flags:
        """Return where a file may match an expression on the partition values of *spec*.

        Manifests of another spec, and those without summaries, may.
        """
        is_known, summaries = self.summaries(spec)
        if not summaries:
            return np.ones(len(self), np.bool_)
        transforms = {each.field_id: each.transform for each in spec.fields}
        return np.asarray(inclusive(bound, summaries, len(self), transforms) | ~is_known)

    def check(self, specs: Mapping[int, PartitionSpec], first_row_id: int | None = None) -> None:
        """Raise `FormatError` for what cannot be.

        specs         those of the table, by id
        first_row_id  the snapshot's; data manifests must then have one as well
        """
        if not self.path:
            return
        self._refuse("manifest_length", self.numbers("manifest_length") <= 0, "a length in bytes")
        self._refuse("content", ~np.isin(self.numbers("content"), (0, 1)), "0 (data) or 1")
        known = list(specs)
        unknown = ~np.isin(self.numbers("partition_spec_id"), known)
        self._refuse("partition_spec_id", unknown, f"an id of the table's specs {known}")
        for name in (*_FILES, "sequence_number", "min_sequence_number", "first_row_id"):
            negative = pc.fill_null(pc.less(self.table.column(name), 0), fill_value=False)
            self._refuse(name, negative.to_numpy(), "0 or more")
        late = self.numbers("min_sequence_number") > self.numbers("sequence_number")
        self._refuse("min_sequence_number", late, "no more than the sequence number")
        if first_row_id is not None:
            is_data = self.numbers("content") == 0
            missing = is_data & (self.numbers("first_row_id") < 0)
            self._refuse("first_row_id", missing, "a number: the snapshot's rows have ids")
        paths = self.table.column("manifest_path")
        if len(paths.unique()) < len(paths):
            order = np.sort(paths.dictionary_encode().combine_chunks().indices.to_numpy())
            twice = paths.unique()[int(order[1:][order[1:] == order[:-1]][0])].as_py()
            raise FormatError("manifest_path", None, f"{twice!r} twice", "each once").in_file(
                self.path
            )

    def _refuse(self, name: str, wrong: NDArray[np.bool_], wanted: str) -> None:
        """Raise for the first manifest that is wrong."""
        if wrong.any():
            row = int(np.argmax(wrong))
            found = repr(self.table.column(name)[row].as_py())
            raise FormatError(f"manifests[{row}].{name}", None, found, wanted).in_file(self.path)


def read_manifest_list(
    data: bytes, path: str = "manifest-list", limits: Limits = DEFAULT_LIMITS
) -> ManifestList:
    """Return the manifests that a list names.

    path    where *data* lies, for errors
    raises  `FormatError` for what is no manifest list; `Unsupported` for encrypted ones
    """
    wanted = Wanted()
    for each in (*fields.LIST, *fields.SUMMARY):
        wanted.kinds[each.id] = each.kind
    try:
        decoded = read_container(data, limits).decode(
            wanted,
            {path: each.id for each in (*fields.LIST, *fields.SUMMARY) for path in each.paths},
        )
        _require(decoded)
        return _as_list(decoded, path)
    except FormatError as error:
        raise error.in_file(path) from error.__cause__


def _require(decoded: Decoded) -> None:
    """Refuse records that lack what is required."""
    for each in fields.LIST:
        if each.required and not (decoded.has(each.id) and decoded.is_valid(each.id).all()):
            raise FormatError(each.name, None, "nothing", f"a value of field {each.id}")


def _as_list(decoded: Decoded, path: str) -> ManifestList:
    """The table and the summaries of a list that was decoded."""
    columns = {}
    inner = {each.name: _inner(decoded, each) for each in fields.SUMMARY}
    for each in fields.LIST:
        if each.kind == "long":
            numbers, valid = decoded.numbers(each.id), decoded.is_valid(each.id)
            if each.name in _DEFAULTS:
                numbers, valid = np.where(valid, numbers, 0), np.ones(len(numbers), np.bool_)
            columns[each.name] = number_array(numbers, each.arrow, valid, each.name)
        elif each.kind == "view":
            columns[each.name] = texts(decoded.spans(each.id), each.arrow, each.name)
        elif each.kind == "rows":
            items = pa.StructArray.from_arrays(list(inner.values()), names=list(inner))
            columns[each.name] = list_array(decoded.runs(each.id), items)
        else:
            columns[each.name] = _lists(decoded, each)
    summaries = None
    if decoded.has(fields.SUMMARIES):
        ids = {each.name: each.id for each in fields.SUMMARY}
        summaries = _Summaries(
            decoded.runs(fields.SUMMARIES),
            decoded.numbers(ids["contains_null"], decoded.inner),
            decoded.numbers(ids["contains_nan"], decoded.inner),
            decoded.spans(ids["lower_bound"], decoded.inner),
            decoded.spans(ids["upper_bound"], decoded.inner),
        )
    return ManifestList(path, pa.table(columns), summaries)


def _lists(decoded: Decoded, each: fields.Field) -> pa.Array:
    """A column of lists or maps."""
    runs = decoded.runs(each.id)
    if each.kind == "list":
        return long_lists(runs, decoded.items(each.id), each.arrow, each.name)
    data = decoded.data if each.kind == "map_bytes" else None
    return map_array(runs, decoded.items(each.id), each.arrow, each.name, data)


def _inner(decoded: Decoded, each: fields.Field) -> pa.Array:
    """A column of summaries, of all manifests one after the other."""
    if each.kind == "view":
        return texts(decoded.spans(each.id, decoded.inner), each.arrow, each.name)
    numbers = decoded.numbers(each.id, decoded.inner)
    return number_array(numbers, each.arrow, numbers >= 0, each.name)


def _of_field(held: _Summaries, rows: NDArray[np.int64], is_known: Flags) -> FieldSummaries:
    """The summaries of one partition field; unknown ones say nothing."""
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
