"""``byteloom scan``: the repeated records of a file as a table, by any spec.

The spec is compiled on the spot, and the result is kept for later commands.  A loop reads the
records if it supports them; otherwise their classes do, which is slower, and stderr says so.
"""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from byteloom.cli.application import Application
from byteloom.cli.inputs.files import Input, opened
from byteloom.cli.inputs.generated_modules import add_module, imported, packaged
from byteloom.cli.inputs.scan_plans import ScanRequest, make, planned
from byteloom.cli.options.columns import Fields, NestedColumns, names_of
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.parsers import Rows, range_of
from byteloom.cli.options.specs import ALONE, SpecParts, spec_parts
from byteloom.columns.scan_batches import batches
from byteloom.errors import ArgumentError, FormatError
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from byteloom.columns.chosen_records import ChosenRecords
    from byteloom.columns.scan_plan import ScanPlan
    from byteloom.storage import Source

__all__ = ["Table", "app", "table_of"]

app = Application()


@app.command()
@listing
@spec_parts
def scan(  # noqa: PLR0913  one for each option
    file: Input,
    spec: Annotated[
        Path, typer.Option("--spec", "-s", metavar="SPEC", help="What FILE is: a .ksy file.")
    ],
    records: Annotated[
        str | None,
        typer.Option(
            "--records",
            metavar="PATH",
            help="The repeated field to list, as header.entries; default: that nearest the top.",
        ),
    ] = None,
    columns: Fields = None,
    rows: Rows = None,
    *,
    parts: SpecParts,
    to: Listing,
) -> None:
    """Print the repeated records of FILE as a table, by the Kaitai Struct spec SPEC.

    A field whose type depends on another value has a column for each of its types.
    """
    with ExitStack() as stack:
        given = names_of(columns)
        request = ScanRequest(spec, parts.include or [], records, bool(parts.classes), given)
        table = stack.enter_context(table_of(request, parts))
        schema = table.chosen.schema
        try:
            chosen = NestedColumns(schema.names if given is None else given, schema, str(spec))
        except ArgumentError:
            with table_of(replace(request, columns=None), parts) as full:
                NestedColumns(given or [], full.chosen.schema, str(spec))  # names all columns
            raise
        wanted = range_of(rows)
        table.warn_if_slow()
        source = stack.enter_context(opened(file))
        found = _within(table.batches(source), wanted)
        to.show(map(chosen.of, found), chosen.schema)


@contextmanager
def table_of(request: ScanRequest, parts: SpecParts = ALONE) -> Iterator[Table]:
    """Yield the requested records, of any file; mistakes in the spec are printed."""
    params: dict[str, Any] = {}

    def new() -> tuple[ScanPlan, list[Path] | None]:
        plan, files, given = make(request, parts)
        params.update(given)
        return plan, files

    plan = new()[0] if parts.param else planned(request, new)  # no kept plan knows parameters
    with packaged({}, parts.classes or []) as package:
        for name, text in (*plan.modules.items(), plan.scanner):
            add_module(package, name, text)

        def found(module: str, name: str) -> Any:
            return vars(imported(f"{package}.{module}", request.spec))[name]

        yield Table(plan, plan.chosen(found, params), request.spec.name)


class Table:
    """The records of a file that are its table.

    chosen  how they are read
    spec    the name of the spec's file, for errors
    """

    def __init__(self, plan: ScanPlan, chosen: ChosenRecords, spec: str) -> None:
        """Keep all of it."""
        self.plan, self.chosen, self.spec = plan, chosen, spec

    def warn_if_slow(self) -> None:
        """Say on stderr why no loop reads the records, if none does."""
        if self.plan.why:
            typer.echo(
                f"byteloom: reading record by record, which is slower: {self.plan.why}", err=True
            )

    def batches(self, source: Source) -> Iterator[pa.RecordBatch]:
        """Yield the rows; an error names the file."""
        with about_file(source.name):
            yield from self._batches(source)

    def _batches(self, source: Source) -> Iterator[pa.RecordBatch]:
        chosen = self.chosen
        if chosen.steps is None or not self.plan.streams:
            yield from self._whole(source.read(0, source.size))
            return
        fetch, size = source.read, source.size
        yield from batches(chosen.scan, chosen.read, chosen.path, fetch, size, self._whole)

    def _whole(self, data: bytes) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a file that is in memory."""
        if self.chosen.steps is None:
            with _end_to_end(self.chosen.top.NAME, self.spec):
                yield from self.chosen.batches(data)
        else:
            yield from self.chosen.batches(data)


@contextmanager
def _end_to_end(name: str, spec: str) -> Iterator[None]:
    """Explain an error after the first record of a file read as records *name* from end to end."""
    try:
        yield
    except FormatError as error:
        if re.match(rf"{re.escape(name)}\[[1-9]", error.path):
            error.wanted += (
                f" ({spec} repeats no field, so the file was read as {name} records end to end;"
                " to list the elements of one such record, give their field a `repeat`;"
                " `byteloom describe` shows all fields of a file)"
            )
        raise


def _within(batches: Iterable[pa.RecordBatch], wanted: range) -> Iterator[pa.RecordBatch]:
    """Yield the rows whose numbers are *wanted*."""
    at = 0
    for batch in batches:
        first, last = max(wanted.start - at, 0), min(wanted.stop - at, batch.num_rows)
        yield batch.slice(first, max(last - first, 0))
        at += batch.num_rows
        if at >= wanted.stop:
            return
