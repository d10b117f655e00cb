"""``byteloom lance convert``: Parquet, Arrow and CSV to Lance, and back.

Rows go out as they are read, a batch at a time; the output appears when it is finished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from byteloom import lance
from byteloom.cli.inputs.csv_files import types_of
from byteloom.cli.inputs.files import named
from byteloom.cli.inputs.lance import (
    BlobBytes,
    DatasetVersion,
    dataset_version,
    is_dataset,
)
from byteloom.cli.inputs.row_inputs import form_of, open_rows
from byteloom.cli.options.columns import Columns, names_of
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.listing import Counting
from byteloom.cli.options.outputs import Force, check_output
from byteloom.cli.printing.row_files import WRITERS
from byteloom.cli.printing.value_text import counted, json_text
from byteloom.errors import AlreadyExists
from byteloom.late import pa
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["convert"]

_NEWEST: Final = "2.2"
_MODES: Final = ("create", "append", "overwrite")
_ALREADY: Final = (
    "there is a Lance dataset already, which --force does not replace: --mode append adds rows to "
    "it, --mode overwrite makes a version with only the new rows"
)


@as_json
@dataset_version
def convert(  # noqa: PLR0913  each is an option
    source: Annotated[str, typer.Argument(metavar="FROM", help="A file or a Lance dataset.")],
    output: Annotated[
        str, typer.Argument(metavar="TO", help="The file to write, typed by its ending.")
    ],
    columns: Columns = None,
    lance_version: Annotated[
        str | None,
        typer.Option(
            "--lance-version",
            metavar="NAME",
            help="Lance version: 2.0, 2.1 or 2.2; by default the dataset's, or 2.2.",
        ),
    ] = None,
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--types",
            metavar="NAME=TYPE,...",
            help="Arrow types of columns of CSV, as zip=string; others are inferred.",
        ),
    ] = None,
    *,
    at: DatasetVersion,
    json: bool,
    dataset: Annotated[
        bool, typer.Option("--dataset", help="Write a Lance dataset (a folder), not a file.")
    ] = False,
    mode: Annotated[
        str,
        typer.Option(
            "--mode", metavar="NAME", help="Of --dataset: create, append rows, or overwrite all."
        ),
    ] = "create",
    blob_bytes: BlobBytes = False,
    force: Force = False,
) -> None:
    """Convert rows of Parquet, Arrow or CSV to Lance, or rows of Lance to one of these."""
    form = "dataset" if dataset else form_of(output, "TO")
    _check_mode(mode, dataset=dataset)
    exists = dataset and is_dataset(output)
    if exists and mode == "create":
        raise AlreadyExists(f"{output}: {_ALREADY}")
    check_output(output, [named(source)], force=force or exists)
    chosen, typed = names_of(columns), types_of(types)
    with (
        open_rows(
            source, "converting", columns=chosen, at=at, types=typed, blob_bytes=blob_bytes
        ) as (schema, batches),
        about_file(source),
    ):
        rows = Counting(batches, len)
        if form == "dataset":
            reader = pa.RecordBatchReader.from_batches(schema, rows)
            lance.write_dataset(output, reader, mode=mode, version=lance_version)
        elif form == "lance":
            _to_lance(output, schema, rows, lance_version or _NEWEST)
        else:
            WRITERS[form](output, schema, rows)
    typer.echo(json_text({"rows": rows.count}) if json else counted(rows.count, "row"))


def _to_lance(place: str, schema: pa.Schema, rows: Iterable[pa.RecordBatch], version: str) -> None:
    with lance.LanceWriter(place, schema, version=version) as writer:
        for each in rows:
            writer.write(each)


def _check_mode(mode: str, *, dataset: bool) -> None:
    """Refuse an unknown mode, and one for a file, which --force replaces."""
    if mode not in _MODES:
        raise typer.BadParameter(f"found {mode!r}, wanted {', '.join(_MODES)}", param_hint="--mode")
    if mode != "create" and not dataset:
        raise typer.BadParameter("it needs --dataset; --force replaces a file", param_hint="--mode")
