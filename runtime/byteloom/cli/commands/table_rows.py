"""``byteloom table delete``, ``update``, ``upsert``, ``overwrite``, ``add-files``: changes of rows.

Each is one snapshot; ``--plan`` says what it would do, and changes nothing.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from byteloom.cli.commands.table_writing import Types, rows_of_files
from byteloom.cli.inputs.csv_files import types_of
from byteloom.cli.inputs.files import named
from byteloom.cli.inputs.tables import Place, TableAccess, table_access
from byteloom.cli.options.columns import names_of
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.groups import option_group
from byteloom.cli.options.listing import Counting
from byteloom.cli.options.parsers import Where, expression_of, pairs
from byteloom.cli.printing.progress import waiting
from byteloom.cli.printing.rows import show_facts
from byteloom.cli.printing.value_text import json_text
from byteloom.late import pa

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg import Table

__all__ = ["add_files", "delete", "overwrite", "update", "upsert"]

_Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Parquet, Arrow, CSV or Lance files, or datasets."),
]


@dataclass(frozen=True, slots=True)
class _Change:
    """Where a change is made, or only planned."""

    branch: Annotated[
        str, typer.Option("--branch", metavar="NAME", help="The branch that gets the snapshot.")
    ] = "main"
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what would change, and change nothing.")
    ] = False

    def show(
        self,
        table: Table,
        planned: Callable[[], dict[str, int]],
        changed: Callable[[], Table],
        *,
        verb: str,
        json: bool,
    ) -> None:
        """Make the change, or plan it, and print what came of it."""
        if self.plan:
            with waiting("planning"):
                facts = planned()
            if json:
                typer.echo(json_text(facts))
            else:
                show_facts({key: [f"{each:,}"] for key, each in facts.items()})
            return
        with waiting(verb) if verb else nullcontext():
            made = changed()
        is_same = made.metadata_location == table.metadata_location
        snapshot = None if is_same else made.snapshot_for(ref=self.branch)
        if json:
            summary = {} if snapshot is None else dict(snapshot.summary or {})
            number = None if snapshot is None else snapshot.snapshot_id
            typer.echo(json_text({"snapshot_id": number, "summary": summary}))
        elif snapshot is None:
            typer.echo("no row changes")
        else:
            kind = (snapshot.summary or {}).get("operation")
            typer.echo(f"{kind}, snapshot {snapshot.snapshot_id}")


_change = option_group("change", _Change)


@as_json
@table_access
@_change
def delete(
    table: Place,
    where: Where = None,
    *,
    change: _Change,
    access: TableAccess,
    json: bool,
) -> None:
    """Delete the rows of an Iceberg table that meet --where."""
    from byteloom.iceberg.row_changes.dry_runs import dry_run  # late: it loads Arrow

    wanted = _required(where)
    found = access.open(table)
    change.show(
        found,
        lambda: asdict(dry_run(found, wanted, branch=change.branch, verb="delete")),
        lambda: found.delete(wanted, branch=change.branch),
        verb="deleting",
        json=json,
    )


@as_json
@table_access
@_change
def update(  # noqa: PLR0913  each is an option
    table: Place,
    values: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE...", help="New values; nothing after = is null."),
    ],
    where: Where = None,
    *,
    change: _Change,
    access: TableAccess,
    json: bool,
) -> None:
    """Set columns of the rows of an Iceberg table that meet --where."""
    from byteloom.iceberg.row_changes.dry_runs import dry_run  # late: it loads Arrow

    wanted, given = _required(where), pairs(values, "NAME=VALUE", may_be_empty=True)
    found = access.open(table)
    new = {name: _value(found, name, text) for name, text in given.items()}
    change.show(
        found,
        lambda: asdict(
            dry_run(found, wanted, branch=change.branch, verb="update", added_rows=None)
        ),
        lambda: found.update(new, wanted, branch=change.branch),
        verb="updating",
        json=json,
    )


@as_json
@table_access
@_change
def upsert(  # noqa: PLR0913  each is an option
    table: Place,
    files: _Files,
    on: Annotated[
        list[str] | None,
        typer.Option("--on", metavar="NAME,...", help="The columns of the key; repeatable."),
    ] = None,
    *,
    when_matched: Annotated[
        str,
        typer.Option("--when-matched", metavar="WHAT", help="update, delete or ignore."),
    ] = "update",
    when_not_matched: Annotated[
        str, typer.Option("--when-not-matched", metavar="WHAT", help="insert or ignore.")
    ] = "insert",
    types: Types = None,
    change: _Change,
    access: TableAccess,
    json: bool,
) -> None:
    """Insert the rows of files into an Iceberg table, or replace those with the same key."""
    from byteloom.iceberg.row_changes.dry_runs import dry_upsert  # late: it loads Arrow

    found, typed = access.open(table), types_of(types)
    keys = names_of(on) if on else None
    how = {"when_matched": when_matched, "when_not_matched": when_not_matched}
    change.show(
        found,
        lambda: asdict(
            dry_upsert(found, rows_of_files(files, typed), keys, branch=change.branch, **how)
        ),
        lambda: found.upsert(rows_of_files(files, typed), keys, branch=change.branch, **how),
        verb="",  # the rows of the files have a bar of their own
        json=json,
    )


@as_json
@table_access
@_change
def overwrite(  # noqa: PLR0913  each is an option
    table: Place,
    files: _Files,
    where: Where = None,
    types: Types = None,
    *,
    change: _Change,
    access: TableAccess,
    json: bool,
) -> None:
    """Put the rows of files in place of those that meet --where, or of all rows."""
    from byteloom.iceberg.row_changes.dry_runs import dry_run  # late: it loads Arrow

    wanted, typed = expression_of(where), types_of(types)
    found = access.open(table)

    def planned() -> dict[str, int]:
        rows = Counting(rows_of_files(files, typed), len)
        for _ in rows:
            pass
        made = dry_run(found, wanted, branch=change.branch, verb="delete", added_rows=rows.count)
        return asdict(made)

    change.show(
        found,
        planned,
        lambda: found.overwrite(rows_of_files(files, typed), wanted, branch=change.branch),
        verb="",
        json=json,
    )


@as_json
@table_access
@_change
def add_files(
    table: Place,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Parquet, ORC or Avro files.")
    ],
    *,
    change: _Change,
    access: TableAccess,
    json: bool,
) -> None:
    """Add files that exist already to an Iceberg table, as they are, in one snapshot."""
    from byteloom.iceberg.commits.adding_files import would_add  # late: it loads Arrow

    found, paths = access.open(table), list(map(named, files))

    def planned() -> dict[str, int]:
        added = would_add(found, paths, branch=change.branch).added
        return {
            "added_files": len(added),
            "added_rows": sum(each["record_count"] for each in added),
            "added_bytes": sum(each["file_size_in_bytes"] for each in added),
        }

    change.show(
        found,
        planned,
        lambda: found.add_files(paths, branch=change.branch),
        verb="reading footers",
        json=json,
    )


def _required(where: list[str] | None) -> Any:
    """Return the filter; wrong usage if there is none: all rows are those of ``true``."""
    if not where:
        raise typer.BadParameter("a filter, or true for all rows", param_hint="--where")
    return expression_of(where)


def _value(table: Table, name: str, text: str) -> Any:
    """Return the value of a column that a text is, as Arrow casts it; None for no text."""
    from byteloom.iceberg.arrow_types import arrow_field

    field = table.schema.find(name)
    if text == '""':
        return ""
    if not text or field is None:
        return None
    try:
        return pa.scalar(text).cast(arrow_field(field).type)
    except (pa.ArrowException, TypeError) as error:
        message = f"found {text!r}, wanted a value of {field.type}"
        raise typer.BadParameter(message, param_hint=name) from error
