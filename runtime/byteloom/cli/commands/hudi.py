"""``byteloom hudi``: query the metadata table of a Hudi table, and check it against the data."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.application import Application
from byteloom.cli.inputs.files import named
from byteloom.cli.options.columns import Columns, names_of, unknown
from byteloom.cli.options.documents import Document, as_json, document, print_document
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.printing.arrow_rows import plain
from byteloom.cli.printing.rows import show_facts, text_of
from byteloom.cli.printing.value_text import counted, json_text
from byteloom.hudi import MetadataTable, audit
from byteloom.late import pa
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.hudi import Audit

__all__ = ["app"]


app = Application()

_LATEST: Final = ("time", "action", "completed")
"""What is shown of the latest completed instant."""

_Table = Annotated[
    str, typer.Argument(metavar="TABLE", help="A path or a URL: the folder with .hoodie in it.")
]
_Partition = Annotated[
    str | None,
    typer.Option("--partition", metavar="PATH", help="Partition of the table; all by default."),
]


@app.command()
@document
def info(table: _Table, *, form: Document) -> None:
    """Show the table: type, version, keys, timeline, enabled partitions of its metadata."""
    facts = _facts(MetadataTable.open(named(table)))
    if form is not Document.TEXT:
        print_document(facts, form)
        return
    timeline = [
        f"{counted(count, action)} {state}"
        for action, states in facts["timeline"].items()
        for state, count in states.items()
    ]
    lines = {**facts, "timeline": timeline, "latest_completed": _instant(facts)}
    show_facts({name: _lines(value) for name, value in lines.items()})


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


@app.command()
@as_json
def verify(
    table: _Table,
    indexes: Annotated[
        list[str] | None,
        typer.Option(
            "--index",
            "-i",
            metavar="NAME",
            help="Check only this index; repeatable; all enabled ones by default.",
        ),
    ] = None,
    *,
    no_rows: Annotated[
        bool,
        typer.Option(
            "--no-rows",
            help="Of data files, read only record keys and the columns that indexes describe.",
        ),
    ] = False,
    json: bool,
) -> None:
    """Compare the indexes of a Hudi table with its data files, and read all of these.

    Each line says that an index lacks something (missing), contradicts it (wrong) or has what
    the data does not have (stale), or that a data file cannot be read (damaged) or is missing
    (lost). What could not be compared is listed too.

    Exit status: 0 everything agrees; 1 something differs, or is unreadable; 2 nothing compared.
    """
    found = audit(MetadataTable.open(named(table)), indexes, rows=not no_rows)
    if json:
        _print_json(found)
    else:
        _print_text(found)
    if not found.is_clean:
        raise typer.Exit(1)
    if not sum(found.compared.values()):
        typer.echo("byteloom: nothing compared", err=True)
        raise typer.Exit(2)


def _facts(table: MetadataTable) -> dict[str, Any]:
    """Return what properties and timeline say of a table; properties that it lacks are None."""
    stored = table.properties
    timeline: dict[str, dict[str, int]] = {}
    counts = Counter((each.action, each.state) for each in table.timeline.instants)
    for (action, state), count in sorted(counts.items()):
        timeline.setdefault(action, {})[state] = count
    completed = table.timeline.completed
    latest = {name: getattr(completed[-1], name) for name in _LATEST} if completed else None
    return {
        "name": stored.get("hoodie.table.name"),
        "type": stored.get("hoodie.table.type"),
        "table_version": table.table_version,
        "record_key_fields": _fields(stored.get("hoodie.table.recordkey.fields")),
        "partition_fields": _fields(stored.get("hoodie.table.partition.fields")),
        "timeline": timeline,
        "latest_completed": latest,
        "metadata_partitions": list(table.partitions),
    }


def _fields(stored: str | None) -> list[str]:
    return [each.strip() for each in (stored or "").split(",") if each.strip()]


def _instant(facts: dict[str, Any]) -> str | None:
    latest = facts["latest_completed"]
    return None if latest is None else f"{latest['time']} {latest['action']}"


def _lines(value: object) -> list[str]:
    """Return the lines of a fact: one for each item of a list, and ``none`` without any."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [str(each) for each in values] or ["none"]


def _opened(place: str, to: Listing) -> MetadataTable:
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


def _print_json(found: Audit) -> None:
    lines: list[dict[str, Any]] = [{"finding": asdict(each)} for each in found.findings]
    lines += [{"not_compared": asdict(each)} for each in found.skipped]
    lines.append({"compared": found.compared, "unread_files": len(found.unread)})
    for line in lines:
        sys.stdout.write(json_text(line) + "\n")


def _print_text(found: Audit) -> None:
    for finding in found.findings:
        sys.stdout.write(f"{finding}\n")
    reasons = Counter((each.index, each.reason) for each in found.skipped)
    first = {(each.index, each.reason): each.subject for each in reversed(found.skipped)}
    for (index, reason), count in reasons.items():
        more = f" and {count - 1:,} more" if count > 1 else ""
        sys.stdout.write(f"{index}: not compared: {first[index, reason]}{more}: {reason}\n")
    wrong = Counter(each.index for each in found.findings)
    for index, count in found.compared.items():
        typer.echo(f"{index}: {count:,} compared, {wrong[index]:,} disagree", err=True)
    if found.unread:
        files = counted(len(found.unread), "file")
        typer.echo(f"data: the records of {files} were not compared", err=True)
