"""Options of commands that list rows: the form, the file, how many, which columns.

All of them take ``--format``, ``--json`` (short for ``--format json``), ``--output`` and
``--limit``.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, cast

import typer

from byteloom.cli.options.documents import JsonLines, refuse_two_forms
from byteloom.cli.options.groups import option_group
from byteloom.cli.options.outputs import STANDARD_OUTPUT, Force, check_output
from byteloom.cli.options.parsers import number
from byteloom.cli.printing.progress import counted_rows
from byteloom.cli.printing.rows import Form, Part, form_for, show
from byteloom.cli.printing.streams import print_utf8
from byteloom.cli.printing.value_text import bytes_of, counted
from byteloom.late import pa
from byteloom.storage import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


__all__ = ["Counting", "Listing", "first", "listing"]

_F = TypeVar("_F", bound="Callable[..., Any]")
_Part = TypeVar("_Part")

_Format = Annotated[
    Form | None,
    typer.Option(
        "--format",
        metavar="FORM",
        help="table, json (one object per line), csv or parquet; default: by --output, or table.",
    ),
]
_Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE, - is stdout; .parquet, .csv or .json selects the format.",
    ),
]
_Limit = Annotated[
    int | None,
    typer.Option("--limit", "-n", parser=number, metavar="NUMBER", help="List at most NUMBER."),
]


@dataclass(frozen=True, slots=True)
class Listing:
    """The form and the destination of listed rows.

    form    never a table where a file's name decides another
    output  the file; None for stdout
    limit   rows at most; None for all
    force   whether a file that is there may be replaced
    """

    form: Form
    output: str | None = None
    limit: int | None = None
    force: bool = False

    def spare(self, *inputs: str, tables: Sequence[str] = ()) -> None:
        """Refuse, with a `StorageError`, an output that would replace or join what is read.

        inputs  files and folders that must not be replaced
        tables  those of tables, into which nothing new is written without ``--force`` either
        """
        if self.output is not None:
            check_output(self.output, inputs, force=self.force, tables=tables)

    @property
    def is_short(self) -> bool:
        """Whether columns that only a program reads are left out."""
        return self.form in {Form.TABLE, Form.CSV}

    def show(
        self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, total: int | None = None
    ) -> None:
        """Print rows, or write them to the file.

        total  how many there are; None where unknown
        """
        from byteloom.cli.printing.arrow_rows import parts_of, show_csv, text_column
        from byteloom.cli.printing.row_files import write_parquet

        listed = self.rows(batches, total)
        if self.form not in {Form.PARQUET, Form.CSV}:
            self.show_parts(parts_of(listed), schema.names)
            return
        counted_batches = Counting(listed, len)
        if self.form is Form.PARQUET:
            write_parquet(counted_batches, schema, self.output)
        else:
            show_csv(counted_batches, schema.names, text_column, self.output)
        self._report(counted_batches.count)

    def rows(
        self, batches: Iterable[pa.RecordBatch], total: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows that are listed; writing them to a file shows progress."""
        listed = first(batches, self.limit)
        if self.output is None:
            return listed
        least = [each for each in (total, self.limit) if each is not None]
        return counted_rows(listed, "writing", min(least, default=None))

    def show_table(self, table: pa.Table) -> None:
        """Print the rows of *table*, or write them to the file."""
        self.show(table.to_batches(), table.schema, table.num_rows)

    def show_values(self, rows: Sequence[Sequence[Any]], names: list[str]) -> None:
        """Print rows of JSON values, or write them to the file."""
        shown = rows[: self.limit]
        columns = [list(column) for column in zip(*shown, strict=True)] or [[] for _ in names]
        if self.form is Form.PARQUET:
            self.show_table(pa.table(dict(zip(names, map(pa.array, columns), strict=True))))
        else:
            self.show_parts([columns], names)

    def show_parts(self, parts: Iterable[Part], names: list[str]) -> None:
        """Print rows of JSON values in a text format."""
        rows = Counting(parts, lambda part: len(part[0]) if part else 0)
        show(rows, names, self.form, self.output)
        self._report(rows.count)

    def _report(self, rows: int) -> None:
        """Say on stdout how many rows, and bytes, a file was given."""
        if self.output is not None:
            with closing(open_source(self.output)) as written:
                typer.echo(f"{counted(rows, 'row')}, {bytes_of(written.size)}")


def _listing(
    form: _Format = None,
    output: _Output = None,
    limit: _Limit = None,
    *,
    json: JsonLines = False,
    force: Force = False,
) -> Listing:
    """Return the options as a value; `typer.BadParameter` where they contradict each other."""
    refuse_two_forms(form, json=json)
    output = None if output == STANDARD_OUTPUT else output
    chosen = form_for((Form.JSON if json else form) or Form.TABLE, output)
    if chosen in {Form.JSON, Form.CSV}:
        print_utf8()
    return Listing(chosen, output, limit, force)


def listing(command: _F) -> _F:
    """Give a command these options, and pass it a `Listing` as *to*.

    Its first parameter names what it reads, which the output must not replace.
    """
    read = next(iter(signature(command).parameters))

    @wraps(command)
    def sparing(**given: Any) -> Any:
        given["to"].spare(given[read])
        return command(**given)

    return option_group("to", _listing)(cast("_F", sparing))


class Counting(Generic[_Part]):
    """Parts of a table that are gone through once, and the number of rows so far."""

    def __init__(self, parts: Iterable[_Part], rows: Callable[[_Part], int]) -> None:
        """Count nothing yet; *rows* returns how many a part has."""
        self._parts, self._rows, self.count = parts, rows, 0

    def __iter__(self) -> Iterator[_Part]:
        for each in self._parts:
            self.count += self._rows(each)
            yield each


def first(batches: Iterable[pa.RecordBatch], limit: int | None) -> Iterator[pa.RecordBatch]:
    """Yield the first *limit* rows; None for all."""
    left = limit
    for batch in batches:
        if left is not None and left <= batch.num_rows:
            yield batch.slice(0, left)
            return
        left = None if left is None else left - batch.num_rows
        yield batch
