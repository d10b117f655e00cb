"""``byteloom table``: Iceberg tables, their past, their files, their plans and their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from byteloom.cli.arrow_rows import show_batches, show_table
from byteloom.cli.rows import Form, FormOption, Output
from byteloom.cli.table_info import info
from byteloom.cli.table_options import AsOf, Place, Ref, Relocate, SnapshotId, chosen, opened
from byteloom.cli.table_plan import plan, scan

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["app"]

app = typer.Typer(
    help="Look into Iceberg tables: their past, their files, what a query reads, their rows.",
    no_args_is_help=True,
)

_SNAPSHOTS: Final = ("committed_at", "snapshot_id", "parent_id", "operation", "changes")
_CHANGES: Final = ("added-data-files", "deleted-data-files", "added-delete-files", "added-records")
_FILES: Final = (
    *("content", "file_path", "file_format", "spec_id", "partition", "record_count"),
    "file_size_in_bytes",
)


@app.command()
def snapshots(
    table: Place,
    form: FormOption = Form.TABLE,
    relocate: Relocate = None,
    output: Output = None,
) -> None:
    """List the snapshots that are kept, the oldest first."""
    held = opened(table, relocate).metadata_table("snapshots").sort_by("committed_at")
    if form in {Form.TABLE, Form.CSV}:
        held = _short(held)
    show_table(held, form, output)


@app.command()
def files(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    form: FormOption = Form.TABLE,
    relocate: Relocate = None,
    output: Output = None,
) -> None:
    """List the live files of a snapshot, data and deletes; JSON and Parquet have all columns."""
    metadata(table, "files", snapshot, as_of, ref, form, relocate, output)


@app.command()
def metadata(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="manifests, partitions, position_deletes, entries..."),
    ],
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    form: FormOption = Form.TABLE,
    relocate: Relocate = None,
    output: Output = None,
) -> None:
    """Print a metadata table; JSON and Parquet have all columns of files."""
    import pyarrow as pa

    asked = chosen(snapshot, as_of, ref)
    held = opened(table, relocate).metadata_batches(kind, **asked)
    names = held.schema.names if form in {Form.JSON, Form.PARQUET} else _short_names(held.schema)
    schema = pa.schema([held.schema.field(each) for each in names])
    show_batches((each.select(names) for each in held), schema, form, output)


def _short_names(schema: pa.Schema) -> list[str]:
    """The columns of files that fit a line; of other tables all but their metrics."""
    names = [each for each in schema.names if each != "readable_metrics"]
    is_files = {"file_path", "readable_metrics"} <= set(schema.names)
    return [each for each in names if each in _FILES] if is_files else names


def _short(held: pa.Table) -> pa.Table:
    """Snapshots with what counts of their summaries."""
    import pyarrow as pa

    told = [
        ", ".join(f"{key} {value}" for key, value in summary or () if key in _CHANGES)
        for summary in held.column("summary").to_pylist()
    ]
    return held.append_column("changes", pa.array(told, pa.string())).select(list(_SNAPSHOTS))


app.command("info")(info)
app.command("plan")(plan)
app.command("scan")(scan)
