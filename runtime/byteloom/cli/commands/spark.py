"""``byteloom spark``: work over whole tables and warehouses, on Apache Spark.

- Without ``--master`` Spark runs in this machine, on all cores, and nothing has to be set up.
- On a cluster, byteloom is sent to the executors; what it needs must be installed there.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from byteloom.cli.application import Application
from byteloom.cli.commands.puffin_ndv import Estimate, estimate_of, show_estimates
from byteloom.cli.inputs.files import named, report_links
from byteloom.cli.inputs.tables import (
    NoRows,
    Place,
    Snapshot,
    TableAccess,
    TableState,
    table_access,
    table_state,
)
from byteloom.cli.options.cluster import Cluster, on_spark
from byteloom.cli.options.columns import Columns, names_of
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.outputs import Force, check_output
from byteloom.cli.options.parsers import KEY, Where, from_hex, number, one_of, pairs
from byteloom.cli.printing.findings import Cause, end, finding_text, report_counts
from byteloom.cli.printing.progress import progress
from byteloom.cli.printing.value_text import counted, json_text
from byteloom.hfile import HFileFolder
from byteloom.spark import jobs
from byteloom.spark.options import SIZE

if TYPE_CHECKING:
    from byteloom.spark.jobs.sketching import ColumnSketch

__all__ = ["app"]

app = Application()


def _size(text: str | int) -> int:
    """Return the number of bytes that a text as ``64m`` says."""
    try:
        return int(SIZE.read(str(text)))
    except ValueError:
        raise typer.BadParameter(f"found {text!r}, wanted {SIZE.name}") from None


@app.command()
@as_json
@on_spark
@table_access
def ndv(  # noqa: PLR0913  each is an option
    table: Place,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Puffin file; by default beside the metadata."
        ),
    ] = None,
    columns: Columns = None,
    snapshot: Snapshot = None,
    *,
    access: TableAccess,
    on: Cluster,
    json: bool,
    force: Force = False,
) -> None:
    """Sketch the distinct values of the columns of a table into a Puffin file.

    Deletes are applied. The last line is the entry for the table's metadata, in its list
    `statistics`; adding it there is a commit, which your catalog has to do.
    """
    found = access.open(table)
    if output is not None:
        check_output(named(output), force=force)
    with on.session() as spark, progress("sketching", None, "tasks") as shown:
        names = names_of(columns)
        made = jobs.ndv(spark, found, names, output=output, snapshot=snapshot, shown=shown.reach)
    for name in made.left_out:
        typer.echo(f"byteloom: {name}: a column of its type has no sketch, left out", err=True)
    show_estimates(map(_estimate, made.columns), json=json)
    typer.echo(json_text(made.document()))


def _estimate(column: ColumnSketch) -> Estimate:
    """The line of a column."""
    return estimate_of(column.name, column.field_id, int(column.sketch.estimate), column.sketch)


@app.command()
@as_json
@on_spark
@table_access
def audit(  # noqa: PLR0913  each is an option
    places: Annotated[
        list[str], typer.Argument(metavar="DIR|FILE", help="Paths or URLs of folders and files.")
    ],
    key: Annotated[str | None, KEY] = None,
    *,
    no_rows: NoRows = False,
    access: TableAccess,
    on: Cluster,
    json: bool,
) -> None:
    """Check every file in a warehouse, and tables with all files that they refer to.

    Prints a line for each finding; stderr counts places by their status, as `byteloom verify`
    does, and counts empty files in folders without listing them.

    Exit status: 0 all good; 1 damage found, or a file that cannot be read or that is named and
    empty; 2 nothing there that could be checked, a named file that was not checked, or a moved
    table: its metadata names files at another place than the one that the table is in.
    """
    moved, opener = access.relocation, from_hex(key)
    with on.session() as spark, progress("checking", None, "tasks") as shown:
        given = [named(each) for each in places]
        made = jobs.audit(
            spark,
            given,
            relocate=moved,
            allow=access.allow,
            key=opener,
            rows=not no_rows,
            shown=shown.reach,
        )
        for file, found in groupby(made.findings.toLocalIterator(), attrgetter("file")):
            if json:
                for row in found:
                    typer.echo(json_text(row.asDict()))
            else:
                rows = list(found)
                causes = [_cause(each) for each in rows]
                typer.echo(finding_text(rows[0].status, file, rows[0].message, causes))
    report_links(made.links)
    report_counts(made.counts, json=json)
    end(made.counts, made.unchecked)


def _cause(row: Any) -> Cause:
    """Return what a row of findings is grouped by, as `byteloom verify` groups its errors."""
    wanted = row.message.rpartition("wanted ")[2] if row.path is not None else ""
    return Cause(row.message, row.kind, row.path or row.message, wanted)


@app.command()
@listing
@on_spark
@table_state
def plan(table: Place, where: Where = None, *, state: TableState, on: Cluster, to: Listing) -> None:
    """List the data files that a query must read; executors decode the manifests."""
    scan = state.scan(table, where, to)
    with on.session() as spark, progress("planning", None, "tasks") as shown:
        files = jobs.plan(spark, scan, shown=shown.reach)
        rows = (files if to.limit is None else files.limit(to.limit)).toArrow()
    to.show_table(rows)


@app.command("to-lance")
@as_json
@on_spark
@table_state
def to_lance(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    target: Annotated[str, typer.Argument(metavar="DATASET", help="Path or URL of its folder.")],
    where: Where = None,
    columns: Columns = None,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="create, append or overwrite.",
            autocompletion=one_of("create", "append", "overwrite"),
        ),
    ] = "create",
    lance_version: Annotated[
        str | None,
        typer.Option("--lance-version", metavar="VERSION", help="For data files: 2.0, 2.1 or 2.2."),
    ] = None,
    *,
    state: TableState,
    on: Cluster,
    json: bool,
) -> None:
    """Write the rows of a table as one version of a Lance dataset."""
    scan = state.scan(table, where, columns=names_of(columns))
    with on.session() as spark, progress("writing", None, "tasks") as shown:
        made = jobs.to_lance(
            spark, scan, named(target), mode=mode, version=lance_version, shown=shown.reach
        )
    rows, fragments = made.count(), len(made.fragments)
    if json:
        result = {"dataset": target, "version": made.version, "rows": rows, "fragments": fragments}
        typer.echo(json_text(result))
    else:
        parts = f"{counted(rows, 'row')}, {counted(fragments, 'fragment')}"
        typer.echo(f"{target}: version {made.version}, {parts}")


@app.command("to-hfile")
@as_json
@on_spark
def to_hfile(  # noqa: PLR0913, PLR0917  each is an option
    source: Annotated[str, typer.Argument(metavar="ROWS", help="The path or URL to load.")],
    target: Annotated[str, typer.Argument(metavar="DIR", help="Path or URL of a folder.")],
    key: Annotated[str, typer.Option("--key", metavar="COLUMN", help="The keys: text or bytes.")],
    value: Annotated[
        str | None, typer.Option("--value", metavar="COLUMN", help="The values: text or bytes.")
    ] = None,
    source_format: Annotated[
        str, typer.Option("--source", metavar="NAME", help="Spark's format, such as parquet.")
    ] = "parquet",
    files: Annotated[
        int | None,
        typer.Option("--files", parser=number, metavar="NUMBER", help="The most files to write."),
    ] = None,
    file_size: Annotated[
        int | None,
        typer.Option(
            "--file-size",
            parser=_size,
            metavar="SIZE",
            help="Or about how large a file is before compression, as 256m; 10g by default.",
        ),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="create or overwrite.",
            autocompletion=one_of("create", "overwrite"),
        ),
    ] = "create",
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="NAME=VALUE", help="Option of byteloom.hfile; repeatable."
        ),
    ] = None,
    *,
    on: Cluster,
    json: bool,
) -> None:
    """Write rows as HFiles that are one sorted table, each with a range of keys."""
    options = pairs(option, "--option")
    with on.session() as spark, progress("writing", None, "tasks") as shown:
        rows = spark.read.format(source_format).load(named(source))
        place = named(target)
        jobs.to_hfile(
            spark, rows, place, key=key, value=value, partitions=files, file_size=file_size,
            mode=mode, shown=shown.reach, **options,
        )  # fmt: skip
        with HFileFolder(place) as written:
            cells, parts = written.num_rows, len(written.parts)
    if json:
        typer.echo(json_text({"folder": target, "cells": cells, "files": parts}))
    else:
        typer.echo(f"{target}: {counted(cells, 'cell')}, {counted(parts, 'file')}")
