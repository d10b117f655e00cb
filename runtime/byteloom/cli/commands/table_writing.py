"""``byteloom table create`` and ``append``: a new Iceberg table, and new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.cli.inputs.csv_files import types_of
from byteloom.cli.inputs.files import named
from byteloom.cli.inputs.row_inputs import open_rows
from byteloom.cli.inputs.tables import Place, TableAccess, table_access
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.listing import Counting
from byteloom.cli.options.parsers import pairs
from byteloom.cli.printing.value_text import counted, json_text
from byteloom.iceberg import create_table
from byteloom.late import pa

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Types", "append", "create", "rows_of_files"]

Types = Annotated[
    list[str] | None,
    typer.Option(
        "--types",
        metavar="NAME=TYPE,...",
        help="Arrow types of columns; those of CSV that are not given are inferred.",
    ),
]


@as_json
def create(  # noqa: PLR0913  each is an option
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help="The folder of the new table, or catalog:NAME#namespace.table."
        ),
    ],
    *,
    like: Annotated[
        str | None,
        typer.Option(
            "--like",
            metavar="FILE",
            help="A Parquet, Arrow, CSV or Lance file, or a Lance dataset, whose columns it gets.",
        ),
    ] = None,
    types: Types = None,
    partition_by: Annotated[
        list[str] | None,
        typer.Option(
            "--partition-by",
            metavar="TERM",
            help="A partition field: country, day(ts), bucket(16, id); repeatable.",
        ),
    ] = None,
    sort_by: Annotated[
        list[str] | None,
        typer.Option(
            "--sort-by",
            metavar="TERM",
            help="A sort key: ts desc nulls last; repeatable, the most significant first.",
        ),
    ] = None,
    format_version: Annotated[
        int, typer.Option("--format-version", metavar="NUMBER", help="1, 2 or 3.")
    ] = 2,
    properties: Annotated[
        list[str] | None,
        typer.Option("--property", "-p", metavar="NAME=VALUE", help="A property; repeatable."),
    ] = None,
    location: Annotated[
        str | None,
        typer.Option(
            "--location",
            metavar="DIR",
            help="The folder of a table in a catalog; where the catalog wants it by default.",
        ),
    ] = None,
    json: bool,
) -> None:
    """Create an empty Iceberg table in a folder or in a catalog."""
    typed = types_of(types)
    if like is None and not typed:
        raise typer.BadParameter("one of the two", param_hint="--like, --types")
    columns = pa.schema(list(typed.items()))
    if like is not None:
        with open_rows(like, "reading", types=typed if like.endswith(".csv") else None) as found:
            columns = found[0]
    made = create_table(
        named(table),
        columns,
        partition_by=partition_by or (),
        sort_by=sort_by or (),
        format_version=format_version,
        properties=pairs(properties, "--property", "NAME=VALUE"),
        location=location,
    )
    place = made.metadata_location
    typer.echo(json_text({"metadata_file": place}) if json else place)


@as_json
@table_access
def append(  # noqa: PLR0913  each is an option
    table: Place,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Parquet, Arrow, CSV or Lance files, or datasets."),
    ],
    types: Types = None,
    branch: Annotated[
        str, typer.Option("--branch", metavar="NAME", help="The branch that gets the rows.")
    ] = "main",
    wap_id: Annotated[
        str | None,
        typer.Option(
            "--wap-id",
            metavar="NAME",
            help="Stage the snapshot under this name, if the table's write.wap.enabled is true.",
        ),
    ] = None,
    *,
    access: TableAccess,
    json: bool,
) -> None:
    """Append the rows of files to an Iceberg table, all in one snapshot."""
    found, typed = access.open(table), types_of(types)
    rows = Counting(rows_of_files(files, typed), len)
    made = found.append(rows, branch=branch, wap_id=wap_id)
    staged = [each for each in made.snapshots if (each.summary or {}).get("wap.id") == wap_id]
    is_staged = wap_id is not None and staged
    snapshot = staged[-1].snapshot_id if is_staged else made.metadata.refs[branch].snapshot_id
    if json:
        typer.echo(json_text({"rows": rows.count, "snapshot_id": snapshot}))
        return
    kind = "staged snapshot" if is_staged else "snapshot"
    typer.echo(f"{counted(rows.count, 'row')}, {kind} {snapshot}")


def rows_of_files(files: list[str], types: dict[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of files, one after the other."""
    for each in files:
        typed = types if each.endswith(".csv") else None
        with open_rows(each, "appending", types=typed) as (_, batches):
            yield from batches
