"""``byteloom scan``: the repeated records of a file as a table, by any spec.

The spec is compiled on the spot.  A loop reads the records where one takes them; elsewhere their
classes do, which is slower, and said on stderr.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path  # noqa: TC003  typer asks for it
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.columns_option import Columns, check_names, names_of
from byteloom.cli.commands import Application
from byteloom.cli.describe import Classes, Include, Param, compiled, params_of
from byteloom.cli.inputs import Input, opened
from byteloom.cli.listing import Listing, listing
from byteloom.cli.options import Rows, range_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from byteloom.cli.describe import Format
    from byteloom.storage import Source
    from byteloom.wire.scan import Scan
    from byteloom_codegen.scanners.chosen import Chosen
    from byteloom_codegen.scanners.paths import Repeated, Step

__all__ = ["Table", "app"]

app = Application()

_AT_ONCE: Final = 1 << 16
"""Records whose columns are made at once."""


@app.command()
@listing
def scan(  # noqa: PLR0913, PLR0917  one for each option
    file: Input,
    spec: Annotated[
        Path, typer.Option("--spec", "-s", metavar="SPEC", help="What FILE is: a .ksy file.")
    ],
    records: Annotated[
        str | None,
        typer.Option(
            "--records",
            metavar="PATH",
            help="Which repeated field is the table, as header.entries; the only one by default.",
        ),
    ] = None,
    columns: Columns = None,
    rows: Rows = None,
    include: Include = None,
    classes: Classes = None,
    param: Param = None,
    *,
    to: Listing,
) -> None:
    """Print the repeated records of FILE as a table, by the Kaitai Struct spec SPEC.

    A type that another value decides is a column for each type that it may be.
    """
    with ExitStack() as stack:
        format_ = stack.enter_context(compiled(spec, include or [], classes or []))
        params = params_of(format_.spec, param or [])
        table = Table(format_, records, params)
        names = names_of(columns)
        check_names(names or (), table.scan.schema.names, str(spec))
        names = table.scan.schema.names if names is None else names
        wanted = range_of(rows)
        table.tell()
        source = stack.enter_context(opened(file))
        found = _within(table.batches(source), wanted)
        chosen = (each.select(names) for each in found)
        schema = table.scan.none("binary").select(names).schema
        to.show(chosen, schema)


class Table:
    """The records of a file that are its table."""

    def __init__(self, format_: Format, path: str | None, params: dict[str, Any]) -> None:
        """Choose them, and compile what scans them; `typer.BadParameter` for a path of none."""
        from byteloom_codegen.python.names import module_name
        from byteloom_codegen.scanners.calculation import NotScannableError
        from byteloom_codegen.scanners.chosen import choose, chosen_scanner

        try:
            self.where: Repeated | None = choose(format_.spec, path)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--records") from error
        try:
            self.made: Chosen = chosen_scanner(format_.spec, self.where)
        except NotScannableError as error:
            raise typer.BadParameter(str(error), param_hint="--spec") from error
        module = format_.add(f"{module_name(format_.spec.name)}_scan", self.made.text)
        self.scan: Scan = vars(module)[self.made.scan]
        self.top, self.types = format_.top, format_.types
        self.params = params
        self.read: Any = partial(self.top.read, **params) if params else self.top.read

    def tell(self) -> None:
        """Say that no loop takes the records, where none does."""
        if not self.made.loops:
            typer.echo(
                f"byteloom: reading record by record, which is slower: {self.made.why}", err=True
            )

    def batches(self, source: Source) -> Iterator[pa.RecordBatch]:
        """Yield the rows; an error names the file."""
        from byteloom.storage.naming import about_file

        with about_file(source.name):
            yield from self._batches(source)

    def _batches(self, source: Source) -> Iterator[pa.RecordBatch]:
        from byteloom.wire.scan_batches import batches

        where = self.where
        if where is None or not where.streams:
            yield from self._whole(source.read(0, source.size))
            return
        path = (self.top.NAME, *(each.name for each in where.steps[:-1]))
        yield from batches(self.scan, self.read, path, source.read, source.size, self._whole)

    def _whole(self, data: bytes) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a file that is in memory."""
        from byteloom.wire.recorded import batch_of
        from byteloom.wire.scan_reader import ScanReader

        if self.where is None:
            yield self.scan.whole(data, None, "binary")
        elif self.made.loops:
            reader = ScanReader(data)
            path = (self.top.NAME, *(each.name for each in self.where.steps[:-1]))
            reader.begin(self.scan, "binary", path)
            reader.record(self.top.NAME, self.read)
            yield reader.batch
        else:
            found = [self.top.from_bytes(data, **self.params)]
            for step in self.where.steps:
                found = list(self._members(found, step))
            for start in range(0, max(len(found), 1), _AT_ONCE):
                yield batch_of(self.scan.columns, found[start : start + _AT_ONCE], "binary")

    def _members(self, records: Iterable[Any], step: Step) -> Iterator[Any]:
        """Yield what a step leads to from each record."""
        for record in records:
            value = getattr(record, step.attribute)
            for each in value if isinstance(value, list) else [value]:
                if each is not None and (
                    step.type is None or self.types.get(type(each)) is step.type
                ):
                    yield each


def _within(batches: Iterable[pa.RecordBatch], wanted: range) -> Iterator[pa.RecordBatch]:
    """Yield the rows whose numbers are *wanted*."""
    at = 0
    for batch in batches:
        first, last = max(wanted.start - at, 0), min(wanted.stop - at, batch.num_rows)
        yield batch.slice(first, max(last - first, 0))
        at += batch.num_rows
        if at >= wanted.stop:
            return
