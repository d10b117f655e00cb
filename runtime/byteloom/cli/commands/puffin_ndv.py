"""``byteloom puffin ndv``: distinct values of every column of Parquet files, as sketches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from byteloom.cli.inputs.files import named
from byteloom.cli.inputs.parquet_files import open_parquet, parquet_files
from byteloom.cli.options.columns import Columns, check_names, names_of, unknown
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.groups import option_group
from byteloom.cli.options.outputs import Force, check_output
from byteloom.cli.printing.progress import progress
from byteloom.cli.printing.rows import Form, show
from byteloom.errors import ArgumentError, FormatError, Unsupported
from byteloom.puffin import PuffinWriter
from byteloom.puffin.single_value import iceberg_type_of
from byteloom.puffin.theta import ThetaSketchBuilder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.cli.inputs.parquet_files import ParquetPlace
    from byteloom.cli.printing.progress import Progress
    from byteloom.puffin.theta import ThetaSketch
    from byteloom.storage import Source

__all__ = ["BlobSnapshot", "Estimate", "blob_snapshot", "estimate_of", "ndv", "show_estimates"]


@dataclass(frozen=True, slots=True)
class BlobSnapshot:
    """The id of a snapshot and its sequence number, -1 where there is none."""

    snapshot_id: Annotated[
        int,
        typer.Option("--snapshot-id", metavar="ID", help="The snapshot that blobs are about."),
    ] = -1
    sequence_number: Annotated[
        int, typer.Option("--sequence-number", metavar="NUMBER", help="Its sequence number.")
    ] = -1


blob_snapshot = option_group("snapshot", BlobSnapshot)
"""Gives a command these options, and passes it a `BlobSnapshot` as *snapshot*."""


class Estimate(NamedTuple):
    """The distinct values of one column, with the bounds of the estimate."""

    column: str
    field_id: int
    ndv: int
    lower_bound: float
    upper_bound: float


def estimate_of(column: str, field_id: int, count: int, sketch: ThetaSketch) -> Estimate:
    """Return the line of a column, whose sketch estimates *count*."""
    return Estimate(column, field_id, count, sketch.lower_bound(), sketch.upper_bound())


def show_estimates(found: Iterable[Estimate], *, json: bool) -> None:
    """Print a line for each column, as JSON or below a heading."""
    lines = list(found)
    if not json:  # bounds of a number of values are shown as whole numbers
        lines = [_rounded(each) for each in lines]
    columns = [list(each) for each in zip(*lines, strict=True)]
    show([columns], list(Estimate._fields), Form.JSON if json else Form.TABLE)


def _rounded(found: Estimate) -> Estimate:
    """Return an estimate whose bounds are whole numbers."""
    low, high = round(found.lower_bound), round(found.upper_bound)
    return found._replace(lower_bound=low, upper_bound=high)


_FIELD_ID: Final = b"PARQUET:field_id"
_ROWS: Final = 1 << 20
"""Rows of a column that are hashed at a time: a moment's work, after which Ctrl-C is heard."""


class _Column(NamedTuple):
    """A column that all files have, of one type."""

    name: str
    field_id: int
    type: Any


@as_json
@blob_snapshot
def ndv(  # noqa: PLR0913  each is an option
    parquet: Annotated[
        list[str],
        typer.Argument(
            metavar="PARQUET|DIR...", help="Parquet files: paths, URLs, folders, globs."
        ),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Puffin file.")],
    columns: Columns = None,
    *,
    snapshot: BlobSnapshot,
    json: bool,
    force: Force = False,
) -> None:
    """Sketch the distinct values of columns of Parquet files into a Puffin file.

    Several files, or those below a folder, are sketched together, and must have the same
    columns. Columns without field ids are numbered from 1. Nested columns are left out.
    """
    places = parquet_files([named(each) for each in parquet])
    check_output(output, [each.name for each in places], force=force)
    lines = []  # after the file is written: a reader that closes the pipe must not prevent it
    with PuffinWriter(output) as writer, progress("sketching", _size(places)) as shown:
        for column, sketch in _sketches(places, names_of(columns), shown):
            blob = sketch.blob()
            writer.add(
                type=blob.type,
                data=blob.data,
                fields=[column.field_id],
                snapshot_id=snapshot.snapshot_id,
                sequence_number=snapshot.sequence_number,
                compression="zstd",
                properties=blob.properties,
            )
            count = int(blob.properties["ndv"])
            lines.append(estimate_of(column.name, column.field_id, count, sketch))
    show_estimates(lines, json=json)


def _size(places: Sequence[ParquetPlace]) -> int:
    return sum(each.size for each in places)


def _sketches(
    places: Sequence[ParquetPlace], wanted: list[str] | None, shown: Progress
) -> list[tuple[_Column, ThetaSketch]]:
    """Return the columns that were chosen and what all files have in them."""
    builders: dict[_Column, ThetaSketchBuilder] = {}
    for place in places:
        with open_parquet(place.name) as (source, file):
            if not builders:
                chosen = _chosen(file.schema_arrow, wanted, place.name)
                if not chosen:
                    found, needed = "no column that can be sketched", "a column of a primitive type"
                    raise FormatError(place.name, None, found, needed)
                builders = {column: ThetaSketchBuilder() for column in chosen}
            _check(file.schema_arrow, builders, place.name, places[0].name)
            _add(source, file, builders, shown)
    return [(column, builder.sketch()) for column, builder in builders.items()]


def _add(
    source: Source, file: Any, builders: dict[_Column, ThetaSketchBuilder], shown: Progress
) -> None:
    """Add the values of one file, a column after the other."""
    from byteloom.parquet.whole import batches_of

    rows = max(file.metadata.num_rows * len(builders), 1)
    for column, builder in builders.items():
        for batch in batches_of(source, file, [column.name], most=_ROWS):
            builder.update(batch.column(0))
            shown.advance(source.size * batch.num_rows / rows)


def _columns(schema: Any, wanted: list[str] | None) -> Iterator[_Column]:
    """Yield the columns that Iceberg stores as primitives; others are named on stderr.

    wanted  names, of which alone others are named; None for all
    """
    for number, field in enumerate(schema, 1):
        try:
            iceberg_type_of(field.type)
        except Unsupported:
            if wanted is None or field.name in wanted:
                left_out = f"{field.name}: {field.type} has no sketch, left out"
                typer.echo(f"byteloom: {left_out}", err=True)
            continue
        stored = (field.metadata or {}).get(_FIELD_ID)
        yield _Column(field.name, number if stored is None else int(stored), field.type)


def _chosen(schema: Any, wanted: list[str] | None, file: str) -> list[_Column]:
    """Return the columns to sketch; `ArgumentError` for a name that is not one of them."""
    found = {each.name: each for each in _columns(schema, wanted)}
    nested = tuple(f"{name}." for name in schema.names if name not in found)
    for name in wanted or ():
        if name not in found and f"{name}.".startswith(nested):
            needed = f"{unknown(name, list(found))}; nested columns have no sketch"
            raise ArgumentError("columns", None, repr(name), needed).in_file(file)
    check_names(wanted or (), found, file)
    return list(found.values()) if wanted is None else [found[name] for name in wanted]


def _check(schema: Any, columns: dict[_Column, Any], file: str, first: str) -> None:
    """Refuse a file that lacks one of the columns, has it twice, or has another type for it."""
    for column in columns:
        places = schema.get_all_field_indices(column.name)
        if len(places) > 1:
            found = f"{len(places)} columns of that name"
            raise FormatError(f"column {column.name}", None, found, "one").in_file(file)
        found = schema.field(places[0]).type if places else "no such column"
        if found != column.type:
            wanted = f"{column.type}, as in {first}"
            raise FormatError(f"column {column.name}", None, str(found), wanted).in_file(file)
