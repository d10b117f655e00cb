"""``byteloom table``: Iceberg tables, their past, their files, their plans and their rows."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.application import Application
from byteloom.cli.commands.table_changes import (
    branch,
    cherry_pick,
    fast_forward,
    rollback,
    set_,
    tag,
)
from byteloom.cli.commands.table_evolving import evolve
from byteloom.cli.commands.table_queries import count, plan, scan
from byteloom.cli.commands.table_rows import add_files, delete, overwrite, update, upsert
from byteloom.cli.commands.table_writing import append, create
from byteloom.cli.formats.iceberg_metadata import summary_of
from byteloom.cli.inputs.files import named, report_walks
from byteloom.cli.inputs.tables import Place, TableAccess, TableState, table_access, table_state
from byteloom.cli.options.documents import Document, document, print_document
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.parsers import one_of
from byteloom.cli.printing.arrow_rows import without_secret_texts
from byteloom.cli.printing.rows import show_facts
from byteloom.iceberg.metadata.listing import TableEntry, is_catalog, tables_below, tables_in
from byteloom.late import pa, pc
from byteloom.redaction import without_secrets
from byteloom.storage.folders import Walk

if TYPE_CHECKING:
    from byteloom.iceberg.metadata import TableMetadata

__all__ = ["app"]

app = Application()

_KINDS: Final = (
    "snapshots, history, refs, metadata_log_entries; of one snapshot: manifests, partitions, "
    "files, data_files, delete_files, position_deletes, entries; of all: all_manifests, all_files, "
    "all_data_files, all_delete_files, all_entries."
)
_NAMES: Final = tuple(re.findall(r"[a-z]+(?:_[a-z]+)*(?=[,.;])", _KINDS))
_SNAPSHOTS: Final = ("committed_at", "snapshot_id", "parent_id", "operation")
_CHANGES: Final = ("data-files", "records", "delete-files")
"""What the summary of a snapshot counts: those added, deleted, or removed, and in total."""

_COUNTS: Final = ("added", "deleted", "removed", "total")
_FILES: Final = (
    *("content", "file_path", "file_format", "spec_id", "partition", "record_count"),
    "file_size_in_bytes",
)


_ABSENT: Final = {"partitioned_by": "unpartitioned", "sorted_by": "unsorted"}
"""The text for an absent value."""


@app.command()
@document
@table_access
def info(table: Place, *, access: TableAccess, form: Document) -> None:
    """Summarize a table: version, schema, partitioning, current snapshot, refs, properties."""
    found = access.open(table)
    facts = {"metadata_file": found.metadata_location, **summary_of(found.metadata)}
    if form is not Document.TEXT:
        facts |= _documents(found.metadata)
        print_document(without_secrets(facts), form)
        return
    facts = without_secrets(facts)
    absent = {key: [_ABSENT.get(key, "none")] for key in facts}
    show_facts({key: list(map(_line, _lines(facts[key]))) or absent[key] for key in facts})


@app.command("list")
@listing
def list_(
    place: Annotated[
        str,
        typer.Argument(
            metavar="CATALOG|DIR",
            help="sqlite:///cat.db, catalog:NAME[#namespace] of pyiceberg's configuration, or a"
            " folder with tables below it.",
        ),
    ],
    *,
    to: Listing,
) -> None:
    """List the tables of a catalog, or those below a folder.

    Links to folders are not followed. Exit status: 0 done; 1 a folder could not be searched, which
    stderr names.
    """
    walk = None if is_catalog(place) else Walk(named(place))
    found = islice(tables_in(place) if walk is None else tables_below(walk), to.limit)
    to.show_values(list(found), list(TableEntry._fields))
    if walk is not None:
        report_walks([walk])


@app.command()
@listing
@table_state
def schema(table: Place, *, state: TableState, to: Listing) -> None:
    """List the columns: id, name, type, whether each is required, and its comment."""
    scan = state.scan(table, to=to)
    marks = set(scan.schema.identifier_field_ids)
    rows = [
        (each.id, each.name, str(each.type), each.required, each.id in marks, each.doc)
        for each in scan.schema.fields
    ]
    to.show_values(rows, ["id", "name", "type", "required", "identifier", "doc"])


@app.command()
@listing
@table_access
def snapshots(table: Place, *, access: TableAccess, to: Listing) -> None:
    """List the snapshots in the metadata, the oldest first."""
    found = access.open(table, to).metadata_table("snapshots").sort_by("committed_at")
    shown = _short(found) if to.is_short else found
    to.show(map(without_secret_texts, shown.to_batches()), shown.schema)


@app.command()
@listing
@table_state
def files(table: Place, *, state: TableState, to: Listing) -> None:
    """List the live files of a snapshot, data and deletes; JSON and Parquet have all columns."""
    _show(table, "files", state, to)


@app.command()
@listing
@table_state
def metadata(
    table: Place,
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help=_KINDS, autocompletion=one_of(*_NAMES))
    ],
    *,
    state: TableState,
    to: Listing,
) -> None:
    """Print a metadata table; JSON and Parquet have all columns of files."""
    from byteloom.iceberg.metadata_tables import KINDS  # late: it loads all of them

    if kind not in KINDS:
        msg = f"found {kind!r}, wanted one of {', '.join(KINDS)}"
        raise typer.BadParameter(msg, param_hint="KIND")
    _show(table, kind, state, to)


def _documents(metadata: TableMetadata) -> dict[str, Any]:
    """Return schema, partition spec and sort order as Iceberg's metadata has them."""
    return {
        "schema": metadata.schema().to_json(),
        "partitioned_by": metadata.spec().to_json(),
        "sorted_by": metadata.sort_orders[metadata.default_sort_order_id].to_json(),
    }


def _lines(value: Any) -> list[Any]:
    """What is shown below each other: elements of a list, keys of an object."""
    if isinstance(value, dict):
        return [f"{key} {each}" for key, each in value.items()]
    return value if isinstance(value, list) else [value]


def _line(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {each}" for key, each in value.items())
    return "none" if value is None else str(value)


def _show(place: str, kind: str, state: TableState, to: Listing) -> None:
    when = state.arguments
    found = state.open(place, to).metadata_batches(kind, **when)
    shown = map(without_secret_texts, found)
    if to.is_short:
        schema = _fitting(found.schema)
        to.show((_fitted(each, schema) for each in shown), schema)
    else:
        to.show(shown, found.schema)


def _fitting(schema: pa.Schema) -> pa.Schema:
    """The columns of file tables that fit on a line; for other tables, all but the metrics."""
    kept = [each for each in schema if each.name != "readable_metrics"]
    if len(kept) < len(schema) and "file_path" in schema.names:
        kept = [each for each in kept if each.name in _FILES]
    return pa.schema([_of_file(each) if each.name == "data_file" else each for each in kept])


def _of_file(field: pa.Field) -> pa.Field:
    """A field of the struct of a file, with the parts that fit on a line."""
    return field.with_type(pa.struct([each for each in field.type if each.name in _FILES]))


def _fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The columns of *schema*, with only those parts that it has."""
    arrays = []
    for field in schema:
        array = batch.column(field.name)
        if array.type != field.type:
            parts = [pc.struct_field(array, each.name) for each in field.type]
            array = pa.StructArray.from_arrays(parts, fields=list(field.type))
        arrays.append(array)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _short(found: pa.Table) -> pa.Table:
    """Snapshots with the counts from their summaries."""
    summaries = [dict(each or ()) for each in found.column("summary").to_pylist()]
    found = found.select(list(_SNAPSHOTS))
    for name in _CHANGES:
        counts = [_counts(each, name) for each in summaries]
        found = found.append_column(name.replace("-", "_"), pa.array(counts, pa.string()))
    return found


def _counts(summary: dict[str, str], name: str) -> str:
    """Return a summary's counts of one kind of things: ``added 2, total 12``."""
    found = ((each, summary.get(f"{each}-{name}")) for each in _COUNTS)
    return ", ".join(f"{each} {value}" for each, value in found if value is not None)


app.command("plan")(plan)
app.command("scan")(scan)
app.command("count")(count)
app.command("create")(create)
app.command("append")(append)
app.command("delete")(delete)
app.command("update")(update)
app.command("upsert")(upsert)
app.command("overwrite")(overwrite)
app.command("add-files")(add_files)
app.command("evolve")(evolve)
app.command("set")(set_)
app.command("branch")(branch)
app.command("tag")(tag)
app.command("rollback")(rollback)
app.command("fast-forward")(fast_forward)
app.command("cherry-pick")(cherry_pick)
