"""``byteloom hfile build``: an HFile from a Parquet or CSV file.

- Columns have the names that `byteloom hfile scan` prints, or those that ``--columns`` gives them.
- Rows go out as they are read, a batch at a time; ``--sort`` has them all in memory.
- What `scan` prints as CSV, `build` reads: bytes by the same ``--bytes``, types by their names.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from byteloom import compute as pc
from byteloom.cli.cells import TYPES, Bytes, bytes_of
from byteloom.cli.columns_option import check_names, names_of
from byteloom.cli.documents import as_json
from byteloom.cli.inputs import content, named
from byteloom.cli.json_text import json_text
from byteloom.cli.keys import from_hex
from byteloom.cli.outputs import Force, check_output
from byteloom.cli.parquet_files import open_parquet
from byteloom.cli.progress import counted_rows, progress
from byteloom.cli.values import counted
from byteloom.errors import FormatError, found_by
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from byteloom.hfile.writing.profiles import Profile

__all__ = ["arrow_input", "build"]

_COLUMNS: Final = ("row", "family", "qualifier", "timestamp", "type", "value", "mvcc", "tags")
_BLOOMS: Final = ("ROW", "ROWCOL", "DELETE_FAMILY")
_HEADER: Final = 1 << 20
_ROWS: Final = 1 << 16
"""Rows that are processed at a time, so that Ctrl-C takes effect soon."""

_BINARY: Final = ("row", "family", "qualifier", "value", "tags")


@as_json
def build(  # noqa: PLR0913, PLR0917  each is an option
    output: Annotated[str, typer.Argument(metavar="OUT", help="The HFile to write.")],
    source: Annotated[
        str, typer.Option("--from", metavar="FILE", help="The input, .parquet or .csv.")
    ],
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="hbase, or hudi for metadata tables.")
    ] = "hbase",
    codec: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="NONE, GZ, SNAPPY, LZ4, ZSTD, BZIP2, BROTLI or LZO."),
    ] = None,
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="NONE, PREFIX, DIFF, FAST_DIFF or ROW_INDEX_V1.")
    ] = "NONE",
    bloom: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="ROW, ROWCOL, ROWPREFIX:LENGTH or DELETE_FAMILY."),
    ] = None,
    block_size: Annotated[
        int | None, typer.Option(metavar="BYTES", help="The size at which a data block ends.")
    ] = None,
    encoded_ratio: Annotated[
        float | None,
        typer.Option(metavar="PART", help="Ratio of encoded cells to block size."),
    ] = None,
    max_uncompressed_size: Annotated[
        int | None,
        typer.Option(metavar="BYTES", help="With --by-compressed-size: the limit."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            "-c",
            metavar="NAME=COLUMN,...",
            help=f"The input's column for each of {', '.join(_COLUMNS)}.",
        ),
    ] = None,
    family: Annotated[
        str | None, typer.Option(metavar="NAME", help="Family of all cells without such a column.")
    ] = None,
    info: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=TEXT", help="More file info; @FILE reads the text from a file."),
    ] = None,
    how: Annotated[
        Bytes,
        typer.Option("--bytes", metavar="HOW", help="Form of bytes in CSV: escaped, hex, text."),
    ] = Bytes.ESCAPED,
    key: Annotated[
        str | None, typer.Option(metavar="HEX", help="Encrypt under this master key (AES).")
    ] = None,
    *,
    by_compressed_size: Annotated[
        bool,
        typer.Option("--by-compressed-size", help="Fill blocks up to their compressed size."),
    ] = False,
    json: bool,
    sort: Annotated[bool, typer.Option("--sort", help="Sort the cells first, in memory.")] = False,
    force: Force = False,
) -> None:
    """Write the rows of a Parquet or CSV file as an HFile."""
    from byteloom.hfile.writing import HFileWriter
    from byteloom.hfile.writing.profiles import PROFILES
    from byteloom.hfile.writing.settings import ENCODINGS, WRITABLE
    from byteloom.hfile.writing.sorting import sorted_cells
    from byteloom.hfile.writing.writer import Options

    files = [text.partition("=@")[2] for text in info or ()]
    check_output(output, [named(source), *filter(None, files)], force=force)
    _check_known("--profile", profile, PROFILES)
    _check_known("--codec", (codec or "NONE").upper(), WRITABLE)
    _check_known("--encoding", encoding.upper(), ENCODINGS)
    chosen = _mapping(columns)
    batches = _named(_batches(source, chosen, how), chosen, family)
    with about_file(source):
        first, batches = _first(batches)
    names = first.schema.names if first is not None else []
    options = Options(encoding=encoding.upper(), tags="tags" in names)
    if codec is not None:
        options["compression"] = codec.upper()
    if block_size is not None:
        options["block_size"] = block_size
    if encoded_ratio is not None:
        options["encoded_ratio"] = encoded_ratio
    if by_compressed_size:
        options["by_compressed_size"] = True
        options["max_uncompressed_size"] = max_uncompressed_size
    elif max_uncompressed_size is not None:
        wanted = "--by-compressed-size with it"
        raise typer.BadParameter(f"wanted {wanted}", param_hint="--max-uncompressed-size")
    blooms = [_bloom(each) for each in bloom or ()]
    said = dict(_pair(each) for each in info or ())
    checked = cast("Profile", profile)  # the writer refuses others
    with (
        HFileWriter(
            output, profile=checked, blooms=blooms, file_info=said, key=from_hex(key), **options
        ) as writer,
        about_file(source),
    ):
        if sort and first is not None:
            import pyarrow as pa

            cells = sorted_cells(pa.Table.from_batches(batches))
            ready = cells.to_batches(max_chunksize=_ROWS)
            batches = counted_rows(ready, "writing", cells.num_rows)
        for batch in batches:
            writer.write(batch)
    if json:
        typer.echo(json_text({"cells": writer.num_cells, "bytes": writer.file_size}))
    else:
        typer.echo(f"{counted(writer.num_cells, 'cell')}, {counted(writer.file_size, 'byte')}")


def _mapping(given: list[str] | None) -> dict[str, str]:
    """Return names of parts of a cell by columns of the source."""
    chosen: dict[str, str] = {}
    for each in names_of(given) or ():
        name, equals, column = each.partition("=")
        if name not in _COLUMNS or (equals and not column) or name in chosen.values():
            raise typer.BadParameter(f"{each!r}: wanted NAME=COLUMN", param_hint="--columns")
        chosen[column or name] = name
    return chosen


def _check_known(option: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        msg = f"found {name!r}, wanted one of {', '.join(known)}"
        raise typer.BadParameter(msg, param_hint=option)


def _pair(text: str) -> tuple[bytes, bytes]:
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r}: wanted NAME=TEXT", param_hint="--info")
    if not value.startswith("@"):
        return name.encode(), value.encode()
    return name.encode(), content(value[1:])


def _bloom(kind: str) -> Any:
    from byteloom.hfile.bloom_build import BloomBuilder

    name, _, length = kind.upper().partition(":")
    if not length:
        if name not in _BLOOMS:
            msg = f"{kind!r} is not one of {', '.join(_BLOOMS)}, ROWPREFIX:LENGTH"
            raise typer.BadParameter(msg, param_hint="--bloom")
        return name
    if name != "ROWPREFIX" or not length.isdecimal():
        raise typer.BadParameter(f"{kind!r}: wanted ROWPREFIX:LENGTH", param_hint="--bloom")
    return BloomBuilder("ROWPREFIX_FIXED_LENGTH", prefix_length=int(length))


def _batches(place: str, chosen: dict[str, str], how: Bytes) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file, with the chosen columns only, if any were chosen."""
    import pyarrow as pa

    if not place.lower().endswith(".csv"):
        yield from _parquet(place, chosen)
        return
    try:
        with arrow_input(place) as file:
            yield from _csv(file, place, chosen, how)
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0]
        raise FormatError(place, None, f"invalid CSV: {reason}") from error


def _parquet(place: str, chosen: dict[str, str]) -> Iterator[pa.RecordBatch]:
    from byteloom.parquet.batches import batches_of

    with open_parquet(place, "a Parquet file, or one named .csv") as (source, file):
        there = file.schema_arrow.names
        check_names(chosen, there, place)
        batches = batches_of(source, file, list(chosen) or there, most=_ROWS)
        yield from counted_rows(batches, "reading", file.metadata.num_rows)


def arrow_input(place: str) -> Any:
    """Return an Arrow file: Arrow reads ahead in threads, which must not call Python at exit."""
    import pyarrow as pa

    from byteloom.storage.native import local_file
    from byteloom.storage.open import resolve
    from byteloom.storage.sources import storing

    with storing(place):
        filesystem, path = resolve(place, None)
        if filesystem is None:
            return local_file(path)
        if hasattr(filesystem, "open_input_file"):
            return filesystem.open_input_file(path)
        return pa.BufferReader(filesystem.cat_file(path))


def _csv(file: Any, place: str, chosen: dict[str, str], how: Bytes) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, open_csv

    names = dict.fromkeys(_COLUMNS) | dict.fromkeys(chosen)
    binary = [column for column in names if chosen.get(column, column) in _BINARY]
    kinds = {column: pa.string() for column in binary} | {"type": pa.string()}
    options = ConvertOptions(column_types=kinds, strings_can_be_null=False)
    if chosen:
        check_names(chosen, _header(file), place)
        options.include_columns = list(chosen)
    with (
        progress("reading", file.size()) as shown,
        open_csv(file, convert_options=options) as reader,
    ):
        for batch in reader:
            yield _cells(batch, binary, chosen, how)
            shown.reach(file.tell())


def _header(file: Any) -> list[str]:
    """Read the column names in the first line of a CSV file, and go back to its start."""
    line = file.read(_HEADER).decode("utf-8", "replace").splitlines()[:1]
    file.seek(0)
    return next(csv.reader(line), [])


def _cells(
    batch: pa.RecordBatch, binary: Sequence[str], chosen: dict[str, str], how: Bytes
) -> pa.RecordBatch:
    """Return the columns *binary* as bytes, and types as codes."""
    import pyarrow as pa

    arrays = [
        _decoded(array, how, name)
        if name in binary
        else _types(array)
        if chosen.get(name, name) == "type"
        else array
        for name, array in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)


def _decoded(array: pa.Array, how: Bytes, name: str) -> pa.Array:
    """Return the bytes that the texts of a column represent."""
    import pyarrow as pa

    if how is Bytes.TEXT or (
        how is Bytes.ESCAPED and not pc.any(pc.match_substring(array, "\\")).as_py()
    ):
        return array.cast(pa.binary())
    try:
        return pa.array([bytes_of(text, how) for text in array.to_pylist()], pa.binary())
    except ValueError as error:
        raise FormatError(name, None, found_by("other text", error), f"bytes, {how}") from error


def _types(array: pa.Array) -> pa.Array:
    """Return the codes of types given by name or number."""
    import pyarrow as pa

    codes = {name: code for code, name in TYPES.items()} | {str(code): code for code in TYPES}
    try:
        return pa.array([codes[str(text)] for text in array.to_pylist()], pa.uint8())
    except KeyError as error:
        raise FormatError("type", None, error.args[0], f"one of {', '.join(codes)}") from None


def _named(
    batches: Iterable[pa.RecordBatch], chosen: dict[str, str], family: str | None
) -> Iterator[pa.RecordBatch]:
    """Yield batches with their columns named as parts of cells, and with the given family."""
    import pyarrow as pa

    for batch in batches:
        names = [chosen.get(name, name) for name in batch.schema.names]
        renamed = batch.rename_columns(names)
        if family is not None and "family" not in names:
            same = pa.repeat(pa.scalar(family.encode(), pa.binary()), batch.num_rows)
            renamed = renamed.append_column("family", same)
        yield renamed


def _first(
    batches: Iterator[pa.RecordBatch],
) -> tuple[pa.RecordBatch | None, Iterator[pa.RecordBatch]]:
    """Return the first batch, and all of them."""
    from itertools import chain

    first = next(batches, None)
    return first, batches if first is None else chain([first], batches)
