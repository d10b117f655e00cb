"""``byteloom table plan`` and ``scan``: which files a query reads and why, and the rows."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from byteloom.cli.inputs.tables import Place, TableState, table_state
from byteloom.cli.options.columns import Fields, names_of
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.parsers import Where, number
from byteloom.cli.printing.arrow_rows import without_secret_texts
from byteloom.cli.printing.rows import Form
from byteloom.cli.printing.value_text import json_text
from byteloom.late import pa, pc

if TYPE_CHECKING:
    from byteloom.iceberg.planning.plan import DeleteFile, Plan
    from byteloom.iceberg.scan import TableScan

__all__ = ["count", "plan", "plan_rows", "plan_schema", "scan"]

_Rows = Annotated[
    int | None,
    typer.Option(
        "--rows",
        parser=number,
        metavar="NUMBER",
        help="Stop when the files certainly have this many rows.",
    ),
]
_AnyCase = Annotated[bool, typer.Option("--any-case", help="Ignore the case of column names.")]


@listing
@table_state
def plan(  # noqa: PLR0913  each is an option
    table: Place,
    where: Where = None,
    rows: _Rows = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="PATH", help="With --explain: why PATH is read or not."),
    ] = None,
    *,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show how many files each rule removed, and what decodes the rest."
        ),
    ] = False,
    any_case: _AnyCase = False,
    state: TableState,
    to: Listing,
) -> None:
    """List the data files that a query must read, with their deletes and the remaining filter."""
    query = state.scan(table, where, to, limit=rows, case_sensitive=not any_case)
    if file is not None and not explain:
        raise typer.BadParameter("goes with --explain", param_hint="--file")
    if file is not None:
        why = query.explain_file(file)
        typer.echo(str(why))
        if why.is_planned:
            typer.echo("\n".join(f"  {each}" for each in query.explain(file=file).groups))
        if why.manifest is None:
            raise typer.Exit(1)
        return
    if explain:
        _print_explanation(query, to.form)
        return
    schema = plan_schema(is_short=to.is_short)
    found = (plan_rows(query, each, schema, is_short=to.is_short) for each in query.plan_stream())
    to.show(map(without_secret_texts, found), schema)


@listing
@table_state
def scan(  # noqa: PLR0913  each is an option
    table: Place,
    where: Where = None,
    columns: Fields = None,
    *,
    any_case: _AnyCase = False,
    state: TableState,
    to: Listing,
) -> None:
    """Print the rows of a table, with deletes applied."""
    query = state.scan(
        table, where, to, columns=names_of(columns), limit=to.limit, case_sensitive=not any_case
    )
    reader = query.to_batches()
    to.show(reader, reader.schema)


@as_json
@table_state
def count(
    table: Place,
    where: Where = None,
    *,
    any_case: _AnyCase = False,
    state: TableState,
    json: bool,
) -> None:
    """Count the rows of a table, with deletes applied; data files are read only if necessary."""
    rows = state.scan(table, where, case_sensitive=not any_case).count()
    typer.echo(json_text({"rows": rows}) if json else rows)


def _print_explanation(query: TableScan, form: Form) -> None:
    """What each rule removed, and how the rest is read."""
    made = query.explain()
    if form is Form.JSON:
        held = asdict(made)
        typer.echo(json_text(held.pop("counts") | held))
        return
    typer.echo(str(made))


def plan_schema(*, is_short: bool) -> pa.Schema:
    """Return the columns of a printed plan; with *is_short*, a delete file is a single text."""
    delete = [
        ("content", pa.int32()),
        ("file_path", pa.string()),
        ("content_offset", pa.int64()),
        ("content_size_in_bytes", pa.int64()),
    ]
    return pa.schema(
        [
            ("file_path", pa.string()),
            ("spec_id", pa.int32()),
            ("partition", pa.string()),
            ("record_count", pa.int64()),
            ("file_size_in_bytes", pa.int64()),
            ("deletes", pa.list_(pa.string() if is_short else pa.struct(delete))),
            ("residual", pa.string()),
        ]
    )


def plan_rows(scan: TableScan, part: Plan, schema: pa.Schema, *, is_short: bool) -> pa.RecordBatch:
    """Return the files of a part of a plan, with the columns of *schema*, a `plan_schema`."""
    from byteloom.iceberg.planning.planned_scan import partition_texts  # late: it takes planning

    files = part.files.combine_chunks()
    residuals = pa.array(map(str, part.residuals), pa.string())
    delete = schema.field("deletes").type.value_type
    found = {
        "partition": partition_texts(scan, part),
        "deletes": _deletes(part, files, delete, is_short=is_short),
        "residual": residuals.take(files["residual"].combine_chunks()),
    }
    columns = [
        found[each.name] if each.name in found else files[each.name].combine_chunks()
        for each in schema
    ]
    arrays = [each.cast(field.type) for each, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _deletes(part: Plan, files: pa.Table, of: pa.DataType, *, is_short: bool) -> pa.ListArray:
    """The delete files of each data file."""
    known = pa.array([_delete(each, is_short=is_short) for each in part.delete_files], of)
    lists = files["deletes"].combine_chunks()
    offsets = np.concatenate([[0], np.cumsum(pc.list_value_length(lists).to_numpy())])
    return pa.ListArray.from_arrays(offsets.astype(np.int32), known.take(lists.flatten()))


def _delete(file: DeleteFile, *, is_short: bool) -> Any:
    """A delete file, as metadata tables name its parts; vectors that share a file have offsets."""
    if is_short:
        at = f" at byte {file.content_offset}" if file.is_deletion_vector else ""
        return f"{file.file_path}{at}"
    return {
        "content": file.content,
        "file_path": file.file_path,
        "content_offset": file.content_offset,
        "content_size_in_bytes": file.content_size,
    }
