"""Rows of a file or a Lance dataset that a command line names, as Arrow.

- The ending of a name is its format: ``.lance``, ``.parquet``, ``.arrow``, ``.csv``; a folder is a
  Lance dataset.
- Rows come as they are read, a batch at a time.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import typer

from byteloom import lance
from byteloom.cli.inputs.csv_files import arrow_input, open_typed
from byteloom.cli.inputs.lance import DatasetVersion, is_dataset, refuse_blob_bytes
from byteloom.cli.inputs.parquet_files import open_parquet
from byteloom.cli.options.columns import check_distinct, check_names
from byteloom.cli.printing.progress import counted_rows, counting, progress
from byteloom.errors import ArgumentError, FormatError
from byteloom.late import pa
from byteloom.parquet.whole import batches_of
from byteloom.storage import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from byteloom.arrow.data import ArrowStream
    from byteloom.cli.printing.progress import Progress

__all__ = ["form_of", "open_rows"]

_FORMS: Final = ("lance", "parquet", "arrow", "csv")
_ROWS: Final = 1 << 16
_WANTED: Final = "a name that ends in .lance, .parquet, .arrow or .csv"
_NEWEST: Final = DatasetVersion()


def form_of(place: str, name: str) -> str:
    """Return the format that a file's name says; *name* is the argument, for the error."""
    ending = place.rpartition(".")[2].lower()
    if ending not in _FORMS:
        raise typer.BadParameter(f"found {place!r}, wanted {_WANTED}", param_hint=name)
    return ending


_Rows = tuple["pa.Schema", "Iterator[pa.RecordBatch]"]


@contextmanager
def open_rows(  # noqa: PLR0913  what inputs of each kind have
    place: str,
    verb: str,
    *,
    columns: list[str] | None = None,
    at: DatasetVersion = _NEWEST,
    types: Mapping[str, pa.DataType] | None = None,
    blob_bytes: bool = False,
) -> Iterator[_Rows]:
    """Give the schema and the rows of a place until the block ends.

    place       a Lance dataset, or a file whose name ends as its format is called
    verb        what is done with the rows, for the progress on stderr: ``converting``
    columns     the wanted ones; None for all
    at          the version, of a dataset
    types       Arrow types of columns, of a CSV file
    blob_bytes  whether blobs are read, of a dataset
    """
    if is_dataset(place):
        found = at.open(place)
        with progress(verb, found.num_rows, "rows") as shown:
            scan = found.scan(columns, with_blob_bytes=blob_bytes)
            yield _counted(scan, lambda batch: shown.advance(batch.num_rows))
        return
    at.refuse_file(place)
    if blob_bytes:
        refuse_blob_bytes(place)
    form = form_of(place, "FROM")
    if types and form != "csv":
        wanted = "a CSV file: others say the types of their columns"
        raise ArgumentError("--types", None, place, wanted)
    read = partial(_from_csv, types=types or {}) if form == "csv" else _READERS[form]
    with read(place, columns, verb) as rows:
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
def _from_lance(place: str, columns: list[str] | None, verb: str) -> Iterator[_Rows]:
    with (
        closing(open_source(place)) as source,
        progress(verb, source.size) as shown,
        lance.open(counting(source, shown)) as file,
    ):
        yield _counted(file.scan(columns), lambda _: None)


@contextmanager
def _from_parquet(place: str, columns: list[str] | None, verb: str) -> Iterator[_Rows]:
    with open_parquet(place) as (source, file):
        schema = _chosen(file.schema_arrow, columns, place)
        found = batches_of(source, file, schema.names, most=_ROWS)
        rows = counted_rows(found, verb, file.metadata.num_rows)
        yield schema, (each.select(schema.names) for each in rows)


@contextmanager
def _from_arrow(place: str, columns: list[str] | None, verb: str) -> Iterator[_Rows]:
    """An Arrow file, or a stream in a file."""
    with _arrow_file(place, verb) as (file, shown), _arrow_errors(place, "an Arrow file"):
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
    place: str, columns: list[str] | None, verb: str, types: Mapping[str, pa.DataType]
) -> Iterator[_Rows]:
    with (
        _arrow_file(place, verb) as (file, shown),
        open_typed(file, place, types) as found,
    ):
        batches = iter(found)
        yield _selected(found.schema, batches, columns, place, lambda: shown.reach(file.tell()))


@contextmanager
def _arrow_file(place: str, verb: str) -> Iterator[tuple[Any, Progress]]:
    """A file of Arrow's own, and how far it is read."""
    with arrow_input(place) as file, progress(verb, file.size()) as shown:
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
