"""What ``byteloom lance convert`` writes: a Lance file or dataset, Parquet, Arrow, CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from byteloom.cli.printing.parquet import Sink, write_parquet
from byteloom.cli.printing.rows import whole
from byteloom.errors import Unsupported
from byteloom.late import pa, pa_csv

if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["WRITERS"]

_NEWEST: Final = "2.2"


class Writer(Protocol):
    """A function that writes all rows to a place.

    version  the Lance version; None for that of the dataset, or the newest
    mode     how a dataset is written: ``create``, ``append`` or ``overwrite``
    """

    def __call__(
        self,
        place: str,
        schema: pa.Schema,
        rows: Iterable[pa.RecordBatch],
        *,
        version: str | None,
        mode: str,
    ) -> None:
        """Write *rows*, which are batches of *schema*."""


def _to_lance(
    place: str,
    schema: pa.Schema,
    rows: Iterable[pa.RecordBatch],
    *,
    version: str | None,
    **_: object,
) -> None:
    from byteloom import lance

    with lance.LanceWriter(place, schema, version=version or _NEWEST) as writer:
        for each in rows:
            writer.write(each)


def _to_dataset(
    place: str, schema: pa.Schema, rows: Iterable[pa.RecordBatch], *, version: str | None, mode: str
) -> None:
    from byteloom import lance

    reader = pa.RecordBatchReader.from_batches(schema, rows)
    lance.write_dataset(place, reader, mode=mode, version=version)


def _to_parquet(place: str, schema: pa.Schema, rows: Iterable[pa.RecordBatch], **_: object) -> None:
    try:
        write_parquet(rows, schema, place)
    except pa.ArrowNotImplementedError as error:
        raise _refused(place, schema, "Parquet") from error


def _to_arrow(place: str, schema: pa.Schema, rows: Iterable[pa.RecordBatch], **_: object) -> None:
    with whole(place) as target, pa.ipc.new_file(pa.PythonFile(Sink(target), "w"), schema) as out:
        for each in rows:
            out.write_batch(each)


def _to_csv(place: str, schema: pa.Schema, rows: Iterable[pa.RecordBatch], **_: object) -> None:
    try:
        with (
            whole(place) as target,
            pa_csv.CSVWriter(pa.PythonFile(Sink(target), "w"), schema) as out,
        ):
            for each in rows:
                out.write_batch(each)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise _no_csv(place, schema) from error


def _no_csv(place: str, schema: pa.Schema) -> Unsupported:
    """Return the error about the columns that Arrow does not write as CSV."""
    names = ", ".join(f"{each.name} ({each.type})" for each in schema if not _is_csv(each))
    advice = "`byteloom lance cat X.lance -o X.csv` writes others as JSON"
    return Unsupported(place, None, f"columns {names}", f"types that CSV has; {advice}")


def _is_csv(field: pa.Field) -> bool:
    try:
        pa_csv.write_csv(pa.schema([field]).empty_table(), pa.BufferOutputStream())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return False
    return True


def _refused(place: str, schema: pa.Schema, form: str) -> Unsupported:
    types = ", ".join(sorted({str(each) for each in schema.types}))
    return Unsupported(place, None, f"columns of {types}", f"types that {form} has")


WRITERS: Final[dict[str, Writer]] = {
    "lance": _to_lance,
    "dataset": _to_dataset,
    "parquet": _to_parquet,
    "arrow": _to_arrow,
    "csv": _to_csv,
}
"""The writer of each format, by its name's ending, and of a dataset."""
