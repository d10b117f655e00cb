"""``byteloom hfile build``: an HFile from a Parquet or CSV file.

- Columns have the names that `byteloom hfile scan` prints, or those that ``--columns`` gives them.
- Rows go out as they are read, a batch at a time; ``--sort`` has them all in memory.
- What `scan` prints as CSV, `build` reads: bytes by the same ``--bytes``, types by their names.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from byteloom.cli.inputs.csv_cells import PARTS, is_csv
from byteloom.cli.inputs.csv_rows import lines_named
from byteloom.cli.inputs.files import content, named
from byteloom.cli.inputs.hfile_cells import ROWS, cells_of_input, same_in_all
from byteloom.cli.options.cells import Bytes
from byteloom.cli.options.columns import names_of
from byteloom.cli.options.common import one_of
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.keys import from_hex
from byteloom.cli.options.outputs import Force, check_output
from byteloom.cli.printing.json_text import json_text
from byteloom.cli.printing.progress import counted_rows
from byteloom.cli.printing.value_text import counted
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from byteloom.hfile.writing.profiles import Profile

__all__ = ["build"]

_CODECS: Final = ("NONE", "GZ", "SNAPPY", "LZ4", "ZSTD", "BZIP2", "BROTLI", "LZO")
_ENCODINGS: Final = ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")
_BLOOMS: Final = ("ROW", "ROWCOL", "DELETE_FAMILY")


@as_json
def build(  # noqa: PLR0913, PLR0917  each is an option
    output: Annotated[str, typer.Argument(metavar="OUT", help="The HFile to write.")],
    source: Annotated[
        str, typer.Option("--from", metavar="FILE", help="The input, .parquet or .csv.")
    ],
    profile: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="hbase, or hudi for metadata tables.",
            autocompletion=one_of("hbase", "hudi"),
        ),
    ] = "hbase",
    codec: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="NONE, GZ, SNAPPY, LZ4, ZSTD, BZIP2, BROTLI or LZO.",
            autocompletion=one_of(*_CODECS),
        ),
    ] = None,
    encoding: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="NONE, PREFIX, DIFF, FAST_DIFF or ROW_INDEX_V1.",
            autocompletion=one_of(*_ENCODINGS),
        ),
    ] = "NONE",
    bloom: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="ROW, ROWCOL, ROWPREFIX:LENGTH or DELETE_FAMILY.",
            autocompletion=one_of("ROW", "ROWCOL", "ROWPREFIX:", "DELETE_FAMILY"),
        ),
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
            help=f"The input's column for each of {', '.join(PARTS)}.",
        ),
    ] = None,
    family: Annotated[
        str | None, typer.Option(metavar="NAME", help="Family of all cells without such a column.")
    ] = None,
    timestamp: Annotated[
        str | None,
        typer.Option(
            metavar="NOW|MS", help="Timestamp of all cells without such a column, in ms since 1970."
        ),
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
    """Write the rows of a Parquet or CSV file as an HFile.

    Each row is a cell. A part of a cell that no column has is the same in all cells: an empty
    family, qualifier and value; the type Put, which stores a value; the latest timestamp there is,
    with which a cell hides all others of its column, even later ones, unless --timestamp
    gives another one. Cells must be in HBase's order, or --sort.
    """
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
    batches = cells_of_input(source, chosen, how, same_in_all(family, timestamp))
    with about_file(source), lines_named(source) if is_csv(source) else nullcontext():
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
    checked = cast("Profile", profile)  # the writer refuses all others
    with (
        HFileWriter(
            output, profile=checked, blooms=blooms, file_info=said, key=from_hex(key), **options
        ) as writer,
        about_file(source),
        lines_named(source) if is_csv(source) and not sort else nullcontext(),
    ):
        if sort and first is not None:
            import pyarrow as pa

            cells = sorted_cells(pa.Table.from_batches(batches))
            ready = cells.to_batches(max_chunksize=ROWS)
            batches = counted_rows(ready, "writing", cells.num_rows)
        for batch in batches:
            writer.write(batch)
    if json:
        typer.echo(json_text({"cells": writer.num_cells, "size": writer.file_size}))
    else:
        typer.echo(f"{counted(writer.num_cells, 'cell')}, {counted(writer.file_size, 'byte')}")


def _mapping(given: list[str] | None) -> dict[str, str]:
    """Return names of parts of a cell by columns of the source."""
    chosen: dict[str, str] = {}
    for each in names_of(given) or ():
        name, equals, column = each.partition("=")
        wrong = _wrong(name, column, chosen)
        if wrong is None and equals and not column:
            wrong = "found no column, wanted NAME=COLUMN"
        if wrong is not None:
            raise typer.BadParameter(f"{each!r}: {wrong}", param_hint="--columns")
        chosen[column or name] = name
    return chosen


def _wrong(name: str, column: str, chosen: dict[str, str]) -> str | None:
    """Return what is wrong with a pair, given those already *chosen*; None if nothing is."""
    if name in chosen.values():
        return f"found {name} twice, wanted one column for each part"
    if name in PARTS:
        return None
    if column in PARTS:
        return f"found the column first, wanted {column}={name}"
    return f"found {name!r}, wanted one of {', '.join(PARTS)} before the column"


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


def _first(
    batches: Iterator[pa.RecordBatch],
) -> tuple[pa.RecordBatch | None, Iterator[pa.RecordBatch]]:
    """Return the first batch, and all of them."""
    from itertools import chain

    first = next(batches, None)
    return first, batches if first is None else chain([first], batches)
