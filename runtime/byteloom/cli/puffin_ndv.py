"""``byteloom puffin ndv``: distinct values of every column of a Parquet file, as sketches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from byteloom.cli.advice import Force, refuse_existing
from byteloom.errors import StorageError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.puffin.theta import ThetaSketch

__all__ = ["ndv"]

_FIELD_ID: Final = b"PARQUET:field_id"


class _Column(NamedTuple):
    name: str
    field_id: int


def ndv(
    parquet: Annotated[str, typer.Argument(metavar="PARQUET", help="A path or a URL.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Puffin file.")],
    snapshot_id: Annotated[int, typer.Option("--snapshot-id", metavar="ID")] = -1,
    sequence_number: Annotated[int, typer.Option("--sequence-number", metavar="NUMBER")] = -1,
    *,
    force: Force = False,
) -> None:
    """Sketch the distinct values of every column of a Parquet file into a Puffin file.

    Columns without field ids are numbered from 1. Nested columns are left out.
    """
    from byteloom.puffin import PuffinWriter

    if not force:
        refuse_existing(output)
    told = []  # once the file is there: who stops reading must not stop its writing
    with _opened(parquet) as table, PuffinWriter(output) as writer:
        for column in _columns(table.schema_arrow):
            sketch = _sketch(table, column.name)
            blob = sketch.blob()
            writer.add(
                type=blob.type,
                data=blob.data,
                fields=[column.field_id],
                snapshot_id=snapshot_id,
                sequence_number=sequence_number,
                compression="zstd",
                properties=blob.properties,
            )
            low, high = sketch.lower_bound(), sketch.upper_bound()
            stored = int(blob.properties["ndv"])
            told.append(f"{column.name}: {stored:,} ({low:,.0f} to {high:,.0f})")
    typer.echo("\n".join(told))


def _opened(place: str) -> Any:
    """Open a Parquet file; what is wrong with it is pyarrow's to say, and ours to pass on."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow.fs import FileSystem

    from byteloom.storage.native import local_file

    try:
        if "://" in place:
            filesystem, path = FileSystem.from_uri(place)
            return pq.ParquetFile(path, filesystem=filesystem)
        return pq.ParquetFile(local_file(place))
    except pa.ArrowInvalid as error:
        raise StorageError(f"{place}: {error}") from error


def _columns(schema: Any) -> Iterator[_Column]:
    """Yield the columns that Iceberg stores as primitives; others are told on stderr."""
    from byteloom.puffin.single_value import iceberg_type_of

    for number, field in enumerate(schema, 1):
        try:
            iceberg_type_of(field.type)
        except Unsupported:
            typer.echo(f"byteloom: {field.name}: {field.type} has no sketch, left out", err=True)
            continue
        stored = (field.metadata or {}).get(_FIELD_ID)
        yield _Column(field.name, number if stored is None else int(stored))


def _sketch(table: Any, name: str) -> ThetaSketch:
    from byteloom.puffin.theta_builder import ThetaSketchBuilder

    builder = ThetaSketchBuilder()
    for batch in table.iter_batches(batch_size=1 << 20, columns=[name]):
        builder.update(batch.column(0))
    return builder.sketch()
