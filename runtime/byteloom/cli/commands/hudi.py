"""``byteloom hudi``: query the metadata table of a Hudi table, and check it against the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from byteloom.cli.application import Application
from byteloom.cli.commands.hudi_verify import verify
from byteloom.cli.inputs.files import named
from byteloom.cli.options.columns import Columns, names_of, unknown
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.printing.arrow_rows import plain
from byteloom.cli.printing.rows import text_of
from byteloom.late import pa
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.hudi import MetadataTable

__all__ = ["app"]

app = Application(
    help="Query and check the metadata table of a Hudi table: files, statistics and indexes.",
)

_Table = Annotated[
    str, typer.Argument(metavar="TABLE", help="A path or a URL: the folder with .hoodie in it.")
]
_Partition = Annotated[
    str | None,
    typer.Option("--partition", metavar="PATH", help="Partition of the table; all by default."),
]


@app.command()
@listing
def files(
    table: _Table,
    partition: _Partition = None,
    *,
    to: Listing,
) -> None:
    """List the data files of the table, with their sizes."""
    opened = _opened(table, to)
    there = opened.partition_paths()
    paths = there if partition is None else [partition]
    rows = [(path, *file) for path in paths for file in opened.files(path).items()]
    kinds = pa.string(), pa.string(), pa.int64()
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    to.show_table(pa.table(arrays, names=["partition", "file", "size"]))
    _report_missing(table, "partition", [] if partition is None else [partition], there)


@app.command()
@listing
def stats(
    table: _Table,
    columns: Columns = None,
    partition: _Partition = None,
    index: Annotated[
        str,
        typer.Option(
            "--index",
            "-i",
            metavar="NAME",
            help="column_stats, partition_stats or the name of an expression index.",
        ),
    ] = "column_stats",
    *,
    to: Listing,
) -> None:
    """List the statistics of columns: least and greatest value, rows and nulls.

    Exit status: 0 done; 1 there are no statistics of a column or partition, which stderr names.
    """
    opened, names = _opened(table, to), names_of(columns)
    found = _in_one(_statistics(opened, index, names, partition))
    to.show_table(found)
    if index in {"column_stats", "partition_stats"}:
        there = found["column"].to_pylist()
        missing = [each for each in dict.fromkeys(names or ()) if each not in set(there)]
        if missing:
            _report_missing_columns(table, missing, _statistics(opened, index, None, partition))
    _report_missing(
        table, "partition", [] if partition is None else [partition], opened.partition_paths()
    )


@app.command()
@listing
def lookup(
    table: _Table,
    keys: Annotated[
        list[str], typer.Argument(metavar="KEY...", help="Record keys; values with --index.")
    ],
    partition: _Partition = None,
    index: Annotated[
        str | None,
        typer.Option(
            "--index", "-i", metavar="NAME", help="A secondary index to look values up in."
        ),
    ] = None,
    *,
    to: Listing,
) -> None:
    """Find records: the file group of each key or, with --index, the keys with a value.

    Exit status: 0 all found; 1 some are not in the index, which stderr names.
    """
    opened = _opened(table, to)
    if index is None:
        found = opened.record_index(keys, partition=partition)
        there = set(found["key"].to_pylist())
    else:
        found = opened.secondary_index(index, keys)
        there = set(found["value"].to_pylist())
    to.show_table(found)
    missing = [key for key in dict.fromkeys(keys) if key not in there]
    for key in missing:
        typer.echo(f"byteloom: {redacted(table)}: not in the index: {key}", err=True)
    if missing:
        raise typer.Exit(1)


app.command("verify")(verify)


def _opened(place: str, to: Listing) -> MetadataTable:
    from byteloom.hudi import MetadataTable

    to.spare(tables=[place])
    return MetadataTable.open(named(place))


def _statistics(
    table: MetadataTable, index: str, names: list[str] | None, partition: str | None
) -> dict[str, pa.Table]:
    """The statistics of columns in an index, None for all of them."""
    if index == "column_stats":
        return table.column_stats(names, partition=partition)
    if index == "partition_stats":
        return table.partition_stats(names, partition=partition)
    return {index: table.expression_index(index, partition=partition)}


def _in_one(found: dict[str, Any]) -> pa.Table:
    """Return the statistics of all columns as one table, least and greatest value as text."""
    names = ("partition", "file", "min", "max", "value_count", "null_count")
    kept = ("column", *names)
    parts = [
        pa.table({"column": [column] * len(each), **_texts(each, names)})
        for column, each in found.items()
        if len(each)
    ]
    empty = pa.table({name: pa.array([], pa.string()) for name in kept})
    if not parts:
        return empty
    order = [(name, "ascending") for name in ("column", "partition", "file")]
    return pa.concat_tables(parts, promote_options="permissive").sort_by(order)


def _report_missing(place: str, kind: str, named: list[str], there: list[str]) -> None:
    """Name on stderr requested items that are missing, and end with status 1 if there are any."""
    missing = [each for each in dict.fromkeys(named) if each not in set(there)]
    for each in missing:
        typer.echo(f"byteloom: {redacted(place)}: nothing is known of {kind} {each}", err=True)
    if missing:
        raise typer.Exit(1)


def _report_missing_columns(place: str, missing: list[str], there: Iterable[str]) -> None:
    """Say on stderr which column each may have meant, and end with status 1."""
    known = sorted(there)
    for each in missing:
        reason = f"nothing is known of column {each}, wanted {unknown(each, known)}"
        typer.echo(f"byteloom: {redacted(place)}: {reason}", err=True)
    raise typer.Exit(1)


def _texts(table: pa.Table, names: Iterable[str]) -> dict[str, Any]:
    shown: dict[str, Any] = {name: table[name] for name in names}
    for name in ("min", "max"):
        values = (
            None if each is None else text_of(plain(each)) for each in table[name].to_pylist()
        )
        shown[name] = pa.array(values, pa.string())
    return shown
