"""Manifest lists: the manifests of a snapshot, a row each.

The rules:

- Fields are known by their ids: old writers called 504 to 506 ``added_data_files_count`` and so on.
- What version 1 does not write is read as version 2 says: content 0, sequence numbers 0.
- A count that is not told is -1, and null in the table.

Source: Iceberg table spec, "Manifest Lists".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.expressions.manifests import FieldSummaries
    from byteloom.iceberg.expressions.stats import Flags
    from byteloom.iceberg.partition_spec import PartitionSpec

__all__ = ["ManifestList", "read_manifest_list"]


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

    @classmethod
    def of_paths(cls, paths: Sequence[str]) -> ManifestList:
        """Return the list that a version 1 snapshot's ``manifests`` stand for."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return the number of manifests."""
        raise NotImplementedError

    def numbers(self, name: str) -> NDArray[np.int64]:
        """Return a column of numbers; -1 for what is not told."""
        raise NotImplementedError

    def take(self, rows: NDArray[np.intp]) -> ManifestList:
        """Return some manifests, in this order."""
        raise NotImplementedError

    def summaries(self, spec: PartitionSpec) -> tuple[Flags, dict[int, FieldSummaries]]:
        """Return where there are summaries of *spec*'s fields, and these by partition field id.

        Of rows without summaries, or of another spec, nothing may be concluded.
        """
        raise NotImplementedError

    def may_match(self, spec: PartitionSpec, bound: Expression) -> Flags:
        """Return where a file may match an expression on the partition values of *spec*.

        Manifests of another spec, and those without summaries, may.
        """
        raise NotImplementedError

    def check(self, specs: Mapping[int, PartitionSpec], first_row_id: int | None = None) -> None:
        """Raise `FormatError` for what cannot be.

        specs         those of the table, by id
        first_row_id  the snapshot's; data manifests must then have one as well
        """
        raise NotImplementedError


def read_manifest_list(data: bytes, path: str = "") -> ManifestList:
    """Return the manifests that a list names.

    path    where *data* lies, for errors
    raises  `FormatError` for what is no manifest list; `Unsupported` for encrypted ones
    """
    raise NotImplementedError
