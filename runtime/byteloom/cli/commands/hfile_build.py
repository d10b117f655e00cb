"""``byteloom hfile build``: an HFile from a Parquet or CSV file.

- Columns have the names that `byteloom hfile scan` prints, or those that ``--columns`` gives them.
- Rows go out as they are read, a batch at a time; ``--sort`` has them all in memory.
- What `scan` prints as CSV, `build` reads: bytes by the same ``--bytes``, types by their names.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.cli.inputs.csv_cells import is_csv
from byteloom.cli.inputs.csv_rows import lines_named
from byteloom.cli.inputs.files import content, named
from byteloom.cli.inputs.hfile_cells import ROWS, CellInput, cell_input
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.hfile_form import HFileForm, hfile_form
from byteloom.cli.options.outputs import Force, check_output
from byteloom.cli.printing.json_text import json_text
from byteloom.cli.printing.progress import counted_rows
from byteloom.cli.printing.value_text import counted
from byteloom.late import pa
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["build"]


@as_json
@hfile_form
@cell_input
def build(  # noqa: PLR0913  each is an option
    output: Annotated[str, typer.Argument(metavar="OUT", help="The HFile to write.")],
    source: Annotated[
        str, typer.Option("--from", metavar="FILE", help="The input, .parquet or .csv.")
    ],
    *,
    cells: CellInput,
    form: HFileForm,
    json: bool,
    sort: Annotated[bool, typer.Option("--sort", help="Sort the cells first, in memory.")] = False,
    force: Force = False,
) -> None:
    """Write the rows of a Parquet or CSV file as an HFile.

    Each row is a cell. A part of a cell that no column has is the same in all cells: an empty
    family, qualifier and value; the type Put, which stores a value; the latest timestamp there is,
    with which a cell hides all others of its column, even later ones, unless --timestamp
    gives another one. Cells must be in HBase's order, or --sort.
    """
    from byteloom.hfile.keys import LATEST
    from byteloom.hfile.writing.sorting import sorted_cells

    check_output(output, [named(source), *form.files], force=force)
    form.check()
    batches = cells.batches(source)
    with about_file(source), lines_named(source) if is_csv(source) else nullcontext():
        first, batches = _first(batches)
    names = first.schema.names if first is not None else []
    file_info = dict(_pair(each) for each in form.info or ())
    with (
        form.open(output, file_info=file_info, tags="tags" in names) as writer,
        about_file(source),
        lines_named(source) if is_csv(source) and not sort else nullcontext(),
    ):
        if sort and first is not None:
            made = sorted_cells(pa.Table.from_batches(batches))
            ready = made.to_batches(max_chunksize=ROWS)
            batches = counted_rows(ready, "writing", made.num_rows)
        for batch in batches:
            writer.write(batch)
    if names and "timestamp" not in names and form.profile == "hbase":
        given = f"have the latest timestamp, {LATEST}; --timestamp gives another"
        typer.echo(f"byteloom: {source}: no column timestamp, so all cells {given}", err=True)
    if json:
        typer.echo(json_text({"cells": writer.num_cells, "size": writer.file_size}))
    else:
        typer.echo(f"{counted(writer.num_cells, 'cell')}, {counted(writer.file_size, 'byte')}")


def _pair(text: str) -> tuple[bytes, bytes]:
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r}: wanted NAME=TEXT", param_hint="--info")
    if not value.startswith("@"):
        return name.encode(), value.encode()
    return name.encode(), content(value[1:])


def _first(
    batches: Iterator[pa.RecordBatch],
) -> tuple[pa.RecordBatch | None, Iterator[pa.RecordBatch]]:
    """Return the first batch, and all of them."""
    from itertools import chain

    first = next(batches, None)
    return first, batches if first is None else chain([first], batches)
