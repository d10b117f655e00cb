"""Distinct values of the columns of an Iceberg table: Theta sketches made in executors.

- Every row of the snapshot is hashed, with deletes applied; sketches of parts are merged in a
  tree of executors, and the driver writes one Puffin file.
- A sketch depends only on the set of values, so the file has exactly the sketches that a single
  process would have made.
- Blobs are as Java's ``compute_table_stats`` writes them, one for each column of a primitive type.

Source: https://iceberg.apache.org/puffin-spec/#apache-datasketches-theta-v1-blob-type; Iceberg
table spec, "Table Statistics".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import SparkSession

from byteloom.errors import ArgumentError, FormatError, Unsupported
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.table import Table
from byteloom.iceberg.types import NestedField
from byteloom.puffin import PuffinWriter, ThetaSketch, ThetaSketchBuilder
from byteloom.puffin.single_value import single_values
from byteloom.spark.jobs.running import Shown, merge_all, parallelism
from byteloom.spark.jobs.scanning import SentScan, batches_of, groups_of
from byteloom_generated.iceberg.table_metadata import BlobMetadata, Snapshot, StatisticsFile

if TYPE_CHECKING:
    from byteloom.iceberg.scan import TableScan

__all__ = ["ColumnSketch", "Statistics", "ndv", "sketch_group"]

_VERSION = 3
"""The version of the spec whose keys the entry has."""


class ColumnSketch(NamedTuple):
    """A column, and the sketch of its distinct values."""

    name: str
    field_id: int
    sketch: ThetaSketch


class Statistics(NamedTuple):
    """The file that was written.

    Attributes:
        entry: The file's entry for the list ``statistics`` of a table's metadata.
        columns: In the order of the schema, or of the request.
        left_out: Columns without a sketch: nested ones, and types that are not hashed.
    """

    entry: StatisticsFile
    columns: list[ColumnSketch]
    left_out: list[str]

    def document(self) -> dict[str, Any]:
        """Return the entry as JSON, for registration with the table."""
        return self.entry.to_json(version=_VERSION)


def ndv(  # noqa: PLR0913  what is sketched, and where it goes
    spark: SparkSession,
    table: Table,
    columns: Sequence[str] | None = None,
    *,
    output: str | None = None,
    snapshot: int | None = None,
    shown: Shown | None = None,
) -> Statistics:
    """Sketch the distinct values of columns of a table into a Puffin file.

    The table is not changed: registering the file is a commit, which its catalog must do.

    Args:
        spark: The session.
        table: The table, as `byteloom.iceberg.open_table` returns it; the places of its files must
            mean the same to executors and driver.
        columns: Names of top-level columns; None for all columns that can be sketched.
        output: Path or URL of the file, which is replaced if it exists; None for a new name
            beside the table's metadata, in Java's form.
        snapshot: The snapshot's id; None for the current one.
        shown: Called about once a second with the numbers of groups of files done and in all.

    Raises:
        FormatError: For a table without a snapshot, an unknown column, and damaged files.
        Unsupported: For a named column that has no sketch.
        StorageError: A file cannot be read.
    """
    scan = table.scan(snapshot=snapshot)
    sketched = scan.snapshot
    if sketched is None:
        error = ArgumentError(
            "snapshot", None, "a table without a snapshot", "a snapshot to sketch"
        )
        raise error.in_file(table.metadata_location)
    fields, left_out = _chosen(scan, columns)
    asked = scan.select(*(each.name for each in fields))
    groups = groups_of(asked, parallelism(spark))
    work = partial(sketch_group, sent=SentScan.of(asked))
    found = merge_all(spark, "byteloom: ndv", groups, work, merged, shown) if groups else {}
    sketches = [ColumnSketch(each.name, each.id, _sketch(found.get(each.id))) for each in fields]
    place = _beside(table, sketched) if output is None else output
    return Statistics(_written(sketched, place, sketches), sketches, left_out)


def sketch_group(group: bytes, sent: SentScan) -> dict[int, bytes]:
    """Return the sketch of each column over the rows of one group, by field id."""
    context = sent.context()
    builders = [ThetaSketchBuilder(iceberg_type=str(each.type)) for each in context.fields]
    for batch in batches_of(context, group):
        for builder, column in zip(builders, batch.columns, strict=True):
            builder.update(column)
    made = zip(context.fields, builders, strict=True)
    return {each.id: builder.sketch().to_bytes() for each, builder in made}


def merged(one: dict[int, bytes], other: dict[int, bytes]) -> dict[int, bytes]:
    """Return the sketches of the rows of both arguments, which have the same columns."""
    pairs = ((key, (data, other[key])) for key, data in one.items())
    return {key: ThetaSketch.union(map(_sketch, both)).to_bytes() for key, both in pairs}


def _sketch(data: bytes | None) -> ThetaSketch:
    """Return a sketch that was sent; that of no values for None."""
    return ThetaSketchBuilder().sketch() if data is None else ThetaSketch.from_bytes(data)


def _chosen(scan: TableScan, columns: Sequence[str] | None) -> tuple[list[NestedField], list[str]]:
    """Return the columns to sketch, and the names of those that cannot be sketched."""
    if columns is not None:
        fields = ReadContext(scan.table, scan.schema, list(columns)).fields
        for each in fields:
            _check_hashed(each)
        return fields, []
    fields, left_out = [], []
    for each in scan.schema.fields:
        try:
            _check_hashed(each)
            fields.append(each)
        except Unsupported:
            left_out.append(each.name)
    if not fields:
        raise Unsupported(
            "columns", None, "none that can be sketched", "a column of a primitive type"
        )
    return fields, left_out


def _check_hashed(field: NestedField) -> None:
    """Raise `Unsupported` for a column whose type has no form to hash."""
    try:
        single_values(pa.array([], arrow_field(field).type), str(field.type))
    except FormatError as error:
        wanted = "a primitive type that is hashed"
        raise Unsupported(f"column {field.name}", None, str(field.type), wanted) from error


def _beside(table: Table, snapshot: Snapshot) -> str:
    """Return the path that Java would choose for such a file."""
    folder = table.metadata_location.rpartition("/")[0]
    return f"{folder}/{snapshot.snapshot_id}-{uuid4()}.stats"


def _written(snapshot: Snapshot, place: str, sketches: Sequence[ColumnSketch]) -> StatisticsFile:
    """Write the file, which appears whole; return its entry for the metadata."""
    sequence_number = snapshot.sequence_number or 0
    with PuffinWriter(place) as writer:
        blobs = [
            writer.add_theta_sketch(
                each.sketch,
                fields=[each.field_id],
                snapshot_id=snapshot.snapshot_id,
                sequence_number=sequence_number,
                compression="zstd",
            )
            for each in sketches
        ]
    return StatisticsFile(
        snapshot_id=snapshot.snapshot_id,
        statistics_path=place if "://" in place else str(Path(place).absolute()),
        file_size_in_bytes=writer.file_size,
        file_footer_size_in_bytes=writer.footer_size,
        blob_metadata=[
            BlobMetadata(
                type=each.type,
                snapshot_id=each.snapshot_id,
                sequence_number=each.sequence_number,
                fields=list(each.fields),
                properties=dict(each.properties),
            )
            for each in blobs
        ],
    )
