"""Distributed planning: decode manifests in executors; the files to read are a DataFrame.

- The driver reads the manifest list and the delete manifests; groups of data manifests of similar
  size are decoded, pruned and matched with the delete files in executors.
- The DataFrame is lazy, like all DataFrames: the files themselves never come to the driver.
- Properties of all manifests together are checked first: that no file is live twice, and that each
  deletion vector has its file.  For that, eight bytes of each file are sent to the driver.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from byteloom.iceberg.manifests.checks import LiveFiles
from byteloom.iceberg.manifests.entries import note_live, stream_entries
from byteloom.iceberg.manifests.manifest_list import ManifestList
from byteloom.iceberg.planning.delete_index import DeleteIndex
from byteloom.iceberg.planning.plan import Counts, Plan
from byteloom.iceberg.planning.planned_scan import DATA, ManifestSource, partition_texts
from byteloom.iceberg.planning.planner import Planner
from byteloom.late import pc
from byteloom.spark.arrow_schemas import spark_schema
from byteloom.spark.jobs.running import Shown, parallelism, run_all
from byteloom.spark.jobs.scanning import without_limit
from byteloom.spark.packing import GROUPS_PER_CORE
from byteloom.spark.sources.iceberg_table import SentTable
from byteloom.spark.sources.reading import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.scan import TableScan

__all__ = ["COLUMNS", "Planned", "check_live", "files_of", "grouped", "live_in", "plan", "rows_of"]

_LEAST: Final = 2 << 20
"""Bytes of manifests that are worth a task of their own."""

_DELETE: Final = pa.struct(
    [
        ("content", pa.int32()),
        ("file_path", pa.string()),
        ("file_format", pa.string()),
        ("spec_id", pa.int32()),
        ("sequence_number", pa.int64()),
        ("record_count", pa.int64()),
        ("file_size_in_bytes", pa.int64()),
        ("equality_ids", pa.list_(pa.int32())),
        ("content_offset", pa.int64()),
        ("content_size_in_bytes", pa.int64()),
        ("referenced_data_file", pa.string()),
    ]
)

COLUMNS: Final = pa.schema(
    [
        ("file_path", pa.string()),
        ("file_format", pa.string()),
        ("spec_id", pa.int32()),
        ("partition", pa.string()),
        ("record_count", pa.int64()),
        ("file_size_in_bytes", pa.int64()),
        ("sequence_number", pa.int64()),
        ("first_row_id", pa.int64()),
        ("split_offsets", pa.list_(pa.int64())),
        ("residual", pa.string()),
        ("deletes", pa.list_(_DELETE)),
    ]
)
"""The columns of the result; there is one row per data file.

partition  such as ``city=Oslo, day=2024-01-01``
residual   the part of the filter that its rows must still satisfy
deletes    the delete files that apply to it
"""


@dataclass(frozen=True)
class Planned:
    """What is sent to each executor once.

    Attributes:
        scan: The scan, of a table without its history.
        index: The delete files of the snapshot.
    """

    scan: TableScan
    index: DeleteIndex

    @classmethod
    def of(cls, scan: TableScan) -> tuple[Planned, ManifestList]:
        """Return the data to send, and the data manifests that may have matching files."""
        planner, counts = Planner(scan), Counts()
        source = ManifestSource(scan.table.manifests(scan.snapshot))
        sent = replace(scan, table=SentTable.of(scan.table).table(), snapshot=None)
        return cls(sent, planner.delete_index(source, counts)), planner.kept(source, DATA, counts)


class Live(NamedTuple):
    """What some manifests show about their live files.

    Attributes:
        hashes: uint64[file]: the first half of each file's hash.
        unseen: Rows of the delete index: vectors whose file is not in these manifests.
    """

    hashes: NDArray[np.uint64]
    unseen: NDArray[np.intp]


def plan(
    spark: SparkSession, scan: TableScan, *, check: bool = True, shown: Shown | None = None
) -> DataFrame:
    """Return the data files that *scan* must read, with the columns `COLUMNS`.

    Args:
        spark: The session.
        scan: The scan, as `Table.scan` returns it, without a limit; the places of the table's files
            must mean the same to executors and driver.
        check: Whether to check first that no file is live twice and each deletion vector has
            its file; this is another pass over the manifests, which decodes only paths.
        shown: Called about once a second during the check with the numbers of groups of
            manifests done and in all.

    Raises:
        FormatError: For damaged manifests or ones that contradict their list.  Errors in data
            manifests are raised only with *check*, otherwise when the DataFrame is used.
        StorageError: A manifest cannot be read.
    """
    planned, data = Planned.of(without_limit(scan))
    groups = grouped(data, parallelism(spark))
    if check:
        found = run_all(spark, "byteloom: plan", groups, partial(live_in, planned), shown)
        check_live(planned, data, found)
    source = _source(planned, groups)
    spark.dataSource.register(source)
    return spark.read.format(source.name()).load()


def live_in(planned: Planned, manifests: ManifestList) -> Live:
    """Return hashes of the live files in some manifests, and the vectors whose file is not there.

    Raises:
        FormatError: For a file that is live twice in them.
    """
    table, index, live = planned.scan.table, planned.index, LiveFiles()
    index.unseen = index.vectors
    for entries in stream_entries(
        manifests,
        table.relocation.read,
        table.metadata.partition_specs,
        planned.scan.schema,
        columns={"file_path", "content_offset"},
        one_snapshot=False,
        threads=1,
        limits=table.limits,
    ):
        index.note(entries)
        note_live(live, entries)
    return Live(live.hashes[:, 0].copy(), index.unseen)


def check_live(planned: Planned, data: ManifestList, found: list[Live]) -> None:
    """Refuse a file that is live in two groups of *data*, and a vector whose file is in no group.

    Args:
        found: The results of all groups.

    Raises:
        FormatError: A file is live twice, or a vector has no file; it names the file.
    """
    hashes = np.sort(np.concatenate([np.empty(0, np.uint64), *(each.hashes for each in found)]))
    if (hashes[1:] == hashes[:-1]).any():
        live_in(planned, data)  # names the file if the whole hash is equal, not only its half
    index = planned.index
    unseen = index.vectors
    for each in found:
        unseen = np.intersect1d(unseen, each.unseen)
    index.unseen = unseen
    index.check_seen()


def files_of(
    planned: Planned, manifests: ManifestList, columns: pa.Schema = COLUMNS
) -> Iterator[pa.RecordBatch]:
    """Yield the data files to read from some data manifests, with *columns*, a part of `COLUMNS`.

    Raises:
        ByteloomError: The same as for `TableScan.plan`.
    """
    planner, counts = Planner(planned.scan), Counts()
    for part in planner.data_parts(manifests, ManifestSource(manifests), planned.index, counts):
        yield rows_of(planned.scan, part, columns)


def rows_of(scan: TableScan, part: Plan, columns: pa.Schema = COLUMNS) -> pa.RecordBatch:
    """Return the files of a plan, or of a part of one, with *columns*, a part of `COLUMNS`."""
    arrays = [_column(scan, part, each.name).cast(each.type) for each in columns]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def _column(scan: TableScan, part: Plan, name: str) -> pa.Array:
    """Return one of the columns of `COLUMNS`."""
    if name == "partition":
        return partition_texts(scan, part)
    held = part.files[name].combine_chunks()
    if name == "residual":
        return pa.array(map(str, part.residuals), pa.string()).take(held)
    return _deletes(part, held) if name == "deletes" else held


def _deletes(part: Plan, lists: pa.ListArray) -> pa.ListArray:
    """Return the delete files of each data file, as structs."""
    table = part.deletes.combine_chunks()
    columns = [table[each.name].combine_chunks().cast(each.type) for each in _DELETE]
    known = pa.StructArray.from_arrays(columns, fields=list(_DELETE))
    offsets = np.concatenate([[0], np.cumsum(pc.list_value_length(lists).to_numpy())])
    return pa.ListArray.from_arrays(offsets.astype(np.int32), known.take(lists.flatten()))


def grouped(data: ManifestList, cores: int) -> list[ManifestList]:
    """Divide manifests into groups of similar size, in their order, each with only its own rows."""
    sizes = np.maximum(data.numbers("manifest_length"), 1)
    target = max(int(sizes.sum()) // (GROUPS_PER_CORE * cores), _LEAST)
    number = (np.cumsum(sizes) - sizes) // target
    edges = np.flatnonzero(np.diff(number)) + 1
    rows = [each for each in np.split(np.arange(len(data)), edges) if len(each)]
    return [ManifestList(data.path, data.take(each).table) for each in rows]


def _source(planned: Planned, groups: list[ManifestList]) -> type[DataSource]:
    """Return a data source of one plan.

    Options of a source are text, so the plan is an attribute of the class, which is sent to Spark's
        planner.
    """

    class PlanReader(Reader):
        def values(self) -> list[ManifestList]:
            return groups

        def batches(self, value: Any) -> Iterator[pa.RecordBatch]:
            names = self.schema.names
            return files_of(planned, value, pa.schema([COLUMNS.field(name) for name in names]))

    class PlanSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return "byteloom.plan"

        def schema(self) -> StructType:
            return spark_schema(COLUMNS)

        def reader(self, schema: StructType) -> Reader:
            return PlanReader(schema)

    return PlanSource
