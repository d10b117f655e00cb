"""``byteloom lance convert``: Parquet, Arrow and CSV to Lance, and back.

- The ending of a name is its format: ``.lance``, ``.parquet``, ``.arrow``, ``.csv``; a folder is a
  Lance dataset.
- Rows go out as they are read, a batch at a time; the output appears when it is finished.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom import lance
from byteloom.cli.inputs.csv_files import arrow_input, open_typed, types_of
from byteloom.cli.inputs.files import named
from byteloom.cli.inputs.lance import (
    BlobBytes,
    DatasetVersion,
    dataset_version,
    is_dataset,
    refuse_blob_bytes,
)
from byteloom.cli.inputs.parquet_files import open_parquet
from byteloom.cli.options.columns import Columns, check_distinct, check_names, names_of
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.listing import Counting
from byteloom.cli.options.outputs import Force, check_output
from byteloom.cli.printing.progress import counted_rows, counting, progress
from byteloom.cli.printing.row_files import WRITERS
from byteloom.cli.printing.value_text import counted, json_text
from byteloom.errors import AlreadyExists, ArgumentError, FormatError
from byteloom.late import pa
from byteloom.parquet.whole import batches_of
from byteloom.storage import open_source
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from byteloom.arrow.data import ArrowStream
    from byteloom.cli.printing.progress import Progress

__all__ = ["convert"]

_FORMS: Final = ("lance", "parquet", "arrow", "csv")
_ROWS: Final = 1 << 16
_NEWEST: Final = "2.2"
_MODES: Final = ("create", "append", "overwrite")
_ALREADY: Final = (
    "there is a Lance dataset already, which --force does not replace: --mode append adds rows to "
    "it, --mode overwrite makes a version with only the new rows"
)
_WANTED: Final = "a name that ends in .lance, .parquet, .arrow or .csv"


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
    form = "dataset" if dataset else _form(output, "TO")
    _check_mode(mode, dataset=dataset)
    exists = dataset and is_dataset(output)
    if exists and mode == "create":
        raise AlreadyExists(f"{output}: {_ALREADY}")
    check_output(output, [named(source)], force=force or exists)
    chosen, typed = names_of(columns), types_of(types)
    with (
        _opened(source, chosen, at, typed, blob_bytes=blob_bytes) as (schema, batches),
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


def _form(place: str, name: str) -> str:
    ending = place.rpartition(".")[2].lower()
    if ending not in _FORMS:
        raise typer.BadParameter(f"found {place!r}, wanted {_WANTED}", param_hint=name)
    return ending


_Rows = tuple["pa.Schema", "Iterator[pa.RecordBatch]"]


@contextmanager
def _opened(
    place: str,
    columns: list[str] | None,
    at: DatasetVersion,
    types: dict[str, pa.DataType],
    *,
    blob_bytes: bool,
) -> Iterator[_Rows]:
    """Give the schema and the rows of a place until the block ends."""
    if is_dataset(place):
        found = at.open(place)
        with progress("converting", found.num_rows, "rows") as shown:
            scan = found.scan(columns, with_blob_bytes=blob_bytes)
            yield _counted(scan, lambda batch: shown.advance(batch.num_rows))
        return
    at.refuse_file(place)
    if blob_bytes:
        refuse_blob_bytes(place)
    form = _form(place, "FROM")
    if types and form != "csv":
        wanted = "a CSV file: others say the types of their columns"
        raise ArgumentError("--types", None, place, wanted)
    read = partial(_from_csv, types=types) if form == "csv" else _READERS[form]
    with read(place, columns) as rows:
        yield rows


def _counted(stream: ArrowStream, done: Callable[[pa.RecordBatch], None]) -> _Rows:
    """The schema and the batches of a scan; *done* is called after each batch."""
    reader = stream.to_reader()

    def batches() -> Iterator[pa.RecordBatch]:
        for each in reader:
            yield each
            done(each)

    return reader.schema, batches()


@contextmanager
def _from_lance(place: str, columns: list[str] | None) -> Iterator[_Rows]:
    with (
        closing(open_source(place)) as source,
        progress("converting", source.size) as shown,
        lance.open(counting(source, shown)) as file,
    ):
        yield _counted(file.scan(columns), lambda _: None)


@contextmanager
def _from_parquet(place: str, columns: list[str] | None) -> Iterator[_Rows]:
    with open_parquet(place) as (source, file):
        schema = _chosen(file.schema_arrow, columns, place)
        found = batches_of(source, file, schema.names, most=_ROWS)
        rows = counted_rows(found, "converting", file.metadata.num_rows)
        yield schema, (each.select(schema.names) for each in rows)


@contextmanager
def _from_arrow(place: str, columns: list[str] | None) -> Iterator[_Rows]:
    """An Arrow file, or a stream in a file."""
    with _arrow_file(place) as (file, shown), _arrow_errors(place, "an Arrow file"):
        try:
            found = pa.ipc.open_file(file)
            batches = (found.get_batch(number) for number in range(found.num_record_batches))
        except pa.ArrowInvalid:
            file.seek(0)
            found = pa.ipc.open_stream(file)
            batches = iter(found)
        yield _selected(found.schema, batches, columns, place, lambda: shown.reach(file.tell()))


@contextmanager
def _from_csv(
    place: str, columns: list[str] | None, types: dict[str, pa.DataType]
) -> Iterator[_Rows]:
    with (
        _arrow_file(place) as (file, shown),
        open_typed(file, place, types) as found,
    ):
        batches = iter(found)
        yield _selected(found.schema, batches, columns, place, lambda: shown.reach(file.tell()))


@contextmanager
def _arrow_file(place: str) -> Iterator[tuple[Any, Progress]]:
    """A file of Arrow's own, and how far it is read."""
    with arrow_input(place) as file, progress("converting", file.size()) as shown:
        yield file, shown


@contextmanager
def _arrow_errors(place: str, wanted: str) -> Iterator[None]:
    try:
        yield
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0]
        raise FormatError(place, None, f"not {wanted}: {reason}", wanted) from error


def _selected(
    schema: pa.Schema,
    batches: Iterator[pa.RecordBatch],
    columns: list[str] | None,
    place: str,
    done: Callable[[], None],
) -> _Rows:
    """Only *columns*, if there are any; *done* is called after each batch."""
    chosen = _chosen(schema, columns, place)

    def rows() -> Iterator[pa.RecordBatch]:
        for each in batches:
            yield each.select(chosen.names)
            done()

    return chosen, rows()


def _chosen(schema: pa.Schema, columns: list[str] | None, place: str) -> pa.Schema:
    """Return the schema of *columns*, of all for None; refuse unknown and repeated names."""
    check_distinct(schema.names, place)
    check_names(columns or (), schema.names, place)
    if columns is None:
        return schema
    return pa.schema([schema.field(name) for name in columns], metadata=schema.metadata)


_READERS: Final = {
    "lance": _from_lance,
    "parquet": _from_parquet,
    "arrow": _from_arrow,
}
