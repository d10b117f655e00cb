"""``byteloom table plan`` and ``scan``: which files a query reads and why, and the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from byteloom.cli.inputs.tables import Allow, AsOf, Place, Ref, Relocate, SnapshotId, chosen, opened
from byteloom.cli.options.columns import Fields, names_of
from byteloom.cli.options.common import number
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.where import Where, expression_of
from byteloom.cli.printing.json_text import json_text
from byteloom.cli.printing.rows import Form
from byteloom.cli.printing.secrets import without_secret_texts

if TYPE_CHECKING:
    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.planning.scan import TableScan

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
def plan(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    where: Where = None,
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    rows: _Rows = None,
    relocate: Relocate = None,
    allow: Allow = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="PATH", help="With --explain: why PATH is read or not."),
    ] = None,
    *,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how many files each rule removed.")
    ] = False,
    any_case: _AnyCase = False,
    to: Listing,
) -> None:
    """List the data files that a query must read, with their deletes and the remaining filter."""
    asked = _scan(
        table, where, None, chosen(snapshot, as_of, ref), rows, relocate, allow, any_case, to
    )
    if file is not None and not explain:
        raise typer.BadParameter("goes with --explain", param_hint="--file")
    if file is not None:
        from byteloom.iceberg.planning.explaining import explain_file

        why = explain_file(asked, file)
        typer.echo(str(why))
        if why.manifest is None:
            raise typer.Exit(1)
        return
    if explain:
        _print_explanation(asked.plan(), to.form)
        return
    from byteloom.cli.printing.plan_rows import plan_rows, plan_schema  # late: it takes NumPy

    schema = plan_schema(is_short=to.is_short)
    found = (plan_rows(asked, each, schema, is_short=to.is_short) for each in asked.plan_stream())
    to.show(map(without_secret_texts, found), schema)


@listing
def scan(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    where: Where = None,
    columns: Fields = None,
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    relocate: Relocate = None,
    allow: Allow = None,
    *,
    any_case: _AnyCase = False,
    to: Listing,
) -> None:
    """Print the rows of a table, with deletes applied."""
    when = chosen(snapshot, as_of, ref)
    asked = _scan(table, where, names_of(columns), when, to.limit, relocate, allow, any_case, to)
    reader = asked.to_batches()
    to.show(reader, reader.schema)


@as_json
def count(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    where: Where = None,
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    relocate: Relocate = None,
    allow: Allow = None,
    *,
    any_case: _AnyCase = False,
    json: bool,
) -> None:
    """Count the rows of a table, with deletes applied; data files are read only if necessary."""
    when = chosen(snapshot, as_of, ref)
    rows = _scan(table, where, None, when, None, relocate, allow, any_case).count()
    typer.echo(json_text({"rows": rows}) if json else rows)


def _scan(  # noqa: PLR0913, PLR0917  each is one thing that is asked
    table: str,
    where: list[str] | None,
    columns: list[str] | None,
    when: dict[str, Any],
    limit: int | None,
    relocate: list[str] | None,
    allow: list[str] | None,
    any_case: bool,  # noqa: FBT001  as the options are
    to: Listing | None = None,
) -> TableScan:
    """The scan that the options describe."""
    from byteloom.iceberg.expressions.ast import TRUE

    # Before the table is opened: a mistake is one whatever that has.
    wanted = TRUE if not where else expression_of(where)
    return opened(table, relocate, to, allow=allow).scan(
        wanted, columns=columns, limit=limit, case_sensitive=not any_case, **when
    )


def _print_explanation(made: Plan, form: Form) -> None:
    """What each rule removed."""
    from dataclasses import asdict

    if form is Form.JSON:
        typer.echo(json_text(asdict(made.explain())))
        return
    typer.echo(str(made.explain()))
