"""``byteloom scan``: the repeated records of a file as a table, by any spec.

The spec is compiled on the spot, and the result is kept for later commands.  A loop reads the
records if it supports them; otherwise their classes do, which is slower, and stderr says so.
"""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path  # noqa: TC003  typer asks for it
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.columns_option import Fields, names_of
from byteloom.cli.commands import Application
from byteloom.cli.describe import Classes, Include, Param, imported, packaged
from byteloom.cli.inputs import Input, opened
from byteloom.cli.listing import Listing, listing
from byteloom.cli.modules import add_module
from byteloom.cli.options import Rows, range_of
from byteloom.cli.scan_plans import Asked, planned
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from byteloom.cli.scan_plans import Plan, Step
    from byteloom.storage import Source
    from byteloom.wire.scan import Scan

__all__ = ["Table", "app", "table_of"]

app = Application()

_AT_ONCE: Final = 1 << 16
"""Records that are turned into columns together."""


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
            help="The repeated field to list, as header.entries; default: that nearest the top.",
        ),
    ] = None,
    columns: Fields = None,
    rows: Rows = None,
    include: Include = None,
    classes: Classes = None,
    param: Param = None,
    *,
    to: Listing,
) -> None:
    """Print the repeated records of FILE as a table, by the Kaitai Struct spec SPEC.

    A field whose type depends on another value has a column for each of its types.
    """
    from byteloom.cli.nested_columns import NestedColumns  # late: it takes pyarrow

    with ExitStack() as stack:
        asked = Asked(spec, include or [], records, bool(classes))
        table = stack.enter_context(table_of(asked, classes or [], param or []))
        all_columns = table.scan.none("binary").schema
        given = names_of(columns)
        chosen = NestedColumns(
            all_columns.names if given is None else given, all_columns, str(spec)
        )
        wanted = range_of(rows)
        table.warn_if_slow()
        source = stack.enter_context(opened(file))
        found = _within(table.batches(source), wanted)
        to.show(map(chosen.of, found), chosen.schema)


@contextmanager
def table_of(
    asked: Asked, classes: Sequence[Path] = (), param: Sequence[str] = ()
) -> Iterator[Table]:
    """Yield the records that are *asked* for, of any file; mistakes in the spec are printed.

    classes  folders with the classes that the spec names and does not describe
    param    the parameters that are given, which no kept plan knows
    """
    params: dict[str, Any] = {}

    def new() -> tuple[Plan, list[Path] | None]:
        from byteloom.cli.scan_making import make  # the generator, which takes long to import

        plan, files, given = make(asked, param)
        params.update(given)
        return plan, files

    plan = new()[0] if param else planned(asked, new)
    with packaged({}, classes) as package:
        for name, text in (*plan.modules.items(), plan.scanner):
            add_module(package, name, text)
        top, *kinds = (
            each and getattr(imported(f"{package}.{each[0]}", asked.spec), each[1])
            for each in (plan.top, *(one.kind for one in plan.steps or ()))
        )
        scan = vars(imported(f"{package}.{plan.scanner[0]}", asked.spec))[plan.scan]
        yield Table(plan, scan, top, kinds, params, asked.spec.name)


class Table:
    """The records of a file that are its table.

    kinds  for each step to them, the class that is meant; None where there is one
    spec   the name of the spec's file, for errors
    """

    def __init__(  # noqa: PLR0913, PLR0917  all that a scan is made of
        self,
        plan: Plan,
        scan: Scan,
        top: Any,
        kinds: Sequence[Any],
        params: dict[str, Any],
        spec: str,
    ) -> None:
        """Keep all of it."""
        self.plan, self.scan, self.top, self.params, self.spec = plan, scan, top, params, spec
        self._kinds = kinds
        self.read: Any = partial(top.read, **params) if params else top.read

    @property
    def loops(self) -> bool:
        """Whether a loop reads the records."""
        return not self.plan.why

    def warn_if_slow(self) -> None:
        """Say on stderr why no loop reads the records, if none does."""
        if not self.loops:
            typer.echo(
                f"byteloom: reading record by record, which is slower: {self.plan.why}", err=True
            )

    def batches(self, source: Source) -> Iterator[pa.RecordBatch]:
        """Yield the rows; an error names the file."""
        from byteloom.storage.naming import about_file

        with about_file(source.name):
            yield from self._batches(source)

    def _batches(self, source: Source) -> Iterator[pa.RecordBatch]:
        from byteloom.wire.scan_batches import batches

        if self.plan.steps is None or not self.plan.streams:
            yield from self._whole(source.read(0, source.size))
            return
        path = self._path(self.plan.steps)
        yield from batches(self.scan, self.read, path, source.read, source.size, self._whole)

    def _whole(self, data: bytes) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a file that is in memory."""
        from byteloom.wire.recorded import batch_of
        from byteloom.wire.scan_reader import ScanReader

        steps = self.plan.steps
        if steps is None:
            with _end_to_end(self.top.NAME, self.spec):
                yield self.scan.whole(data, None, "binary")
        elif self.loops:
            reader = ScanReader(data)
            reader.begin(self.scan, "binary", self._path(steps))
            reader.record(self.top.NAME, self.read)
            yield reader.batch
        else:
            found = [self.top.from_bytes(data, **self.params)]
            for step, kind in zip(steps, self._kinds, strict=True):
                found = list(_members(found, step, kind))
            for start in range(0, max(len(found), 1), _AT_ONCE):
                yield batch_of(self.scan.columns, found[start : start + _AT_ONCE], "binary")

    def _path(self, steps: Sequence[Step]) -> tuple[str, ...]:
        """Return the names of the records around the wanted ones, for errors."""
        return (self.top.NAME, *(each.name for each in steps[:-1]))


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


def _members(records: Iterable[Any], step: Step, kind: type | None) -> Iterator[Any]:
    """Yield the records that a step reaches from each record."""
    for record in records:
        value = getattr(record, step.attribute)
        for each in value if isinstance(value, list) else [value]:
            if each is not None and (kind is None or type(each) is kind):
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
