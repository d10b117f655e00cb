"""``byteloom table plan`` and ``scan``: which files a query reads and why, and the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.cli.inputs.tables import Place, TableState, table_state
from byteloom.cli.options.columns import Fields, names_of
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.parsers import number
from byteloom.cli.options.where import Where
from byteloom.cli.printing.json_text import json_text
from byteloom.cli.printing.rows import Form
from byteloom.cli.printing.secrets import without_secret_texts

if TYPE_CHECKING:
    from byteloom.iceberg.scan import TableScan

__all__ = ["count", "plan", "scan"]

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
    from byteloom.cli.printing.plan_rows import plan_rows, plan_schema  # late: it takes NumPy

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
    from dataclasses import asdict

    made = query.explain()
    if form is Form.JSON:
        held = asdict(made)
        typer.echo(json_text(held.pop("counts") | held))
        return
    typer.echo(str(made))
