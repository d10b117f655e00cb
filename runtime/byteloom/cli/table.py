"""``byteloom table``: Iceberg tables, their past, their files, their plans and their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from byteloom.cli.arrow_rows import show_table
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
        str, typer.Argument(metavar="KIND", help="manifests, partitions, entries, refs, history...")
    ],
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    form: FormOption = Form.TABLE,
    relocate: Relocate = None,
    output: Output = None,
) -> None:
    """Print a metadata table; JSON and Parquet have all columns of files."""
    asked = chosen(snapshot, as_of, ref)
    held = opened(table, relocate).metadata_table(kind, **asked)
    if form in {Form.TABLE, Form.CSV}:
        wanted = [name for name in held.column_names if name in _FILES]
        held = held.select(wanted) if "file_path" in wanted else _without_metrics(held)
    show_table(held, form, output)


def _without_metrics(held: pa.Table) -> pa.Table:
    return held.select([name for name in held.column_names if name != "readable_metrics"])


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
