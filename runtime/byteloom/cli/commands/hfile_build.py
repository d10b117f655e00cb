"""``byteloom hfile build``: an HFile from a Parquet or CSV file.

- Columns have the names that `byteloom hfile scan` prints, or those that ``--columns`` gives them.
- Rows go out as they are read, a batch at a time; ``--sort`` has them all in memory.
- What `scan` prints as CSV, `build` reads: bytes by the same ``--bytes``, types by their names.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from byteloom.cli.inputs.csv_files import is_csv, lines_named
from byteloom.cli.inputs.files import content, named
from byteloom.cli.inputs.hfile_cells import ROWS, CellInput, cell_input
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.groups import option_group
from byteloom.cli.options.outputs import Force, check_output
from byteloom.cli.options.parsers import from_hex, one_of
from byteloom.cli.printing.progress import counted_rows
from byteloom.cli.printing.value_text import counted, json_text
from byteloom.hfile.bloom_build import BloomBuilder
from byteloom.hfile.keys import LATEST
from byteloom.hfile.writing import HFileWriter
from byteloom.hfile.writing.profiles import PROFILES
from byteloom.hfile.writing.settings import ENCODINGS, WRITABLE
from byteloom.hfile.writing.sorting import sorted_cells
from byteloom.hfile.writing.writer import Options
from byteloom.late import pa
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.hfile.writing.profiles import Profile

__all__ = ["build"]

_CODECS: Final = ("NONE", "GZ", "SNAPPY", "LZ4", "ZSTD", "BZIP2", "BROTLI", "LZO")
_ENCODINGS: Final = ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")
_BLOOMS: Final = ("ROW", "ROWCOL", "DELETE_FAMILY")


@dataclass(frozen=True, slots=True)
class HFileForm:
    """How an HFile is written."""

    profile: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="hbase, or hudi for metadata tables.",
            autocompletion=one_of("hbase", "hudi"),
        ),
    ] = "hbase"
    codec: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="NONE, GZ, SNAPPY, LZ4, ZSTD, BZIP2, BROTLI or LZO.",
            autocompletion=one_of(*_CODECS),
        ),
    ] = None
    encoding: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="NONE, PREFIX, DIFF, FAST_DIFF or ROW_INDEX_V1.",
            autocompletion=one_of(*_ENCODINGS),
        ),
    ] = "NONE"
    bloom: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="ROW, ROWCOL, ROWPREFIX:LENGTH or DELETE_FAMILY.",
            autocompletion=one_of("ROW", "ROWCOL", "ROWPREFIX:", "DELETE_FAMILY"),
        ),
    ] = None
    block_size: Annotated[
        int | None, typer.Option(metavar="BYTES", help="The size at which a data block ends.")
    ] = None
    encoded_ratio: Annotated[
        float | None,
        typer.Option(metavar="PART", help="Ratio of encoded cells to block size."),
    ] = None
    max_uncompressed_size: Annotated[
        int | None,
        typer.Option(metavar="BYTES", help="With --by-compressed-size: the limit."),
    ] = None
    by_compressed_size: Annotated[
        bool,
        typer.Option("--by-compressed-size", help="Fill blocks up to their compressed size."),
    ] = False
    info: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=TEXT", help="More file info; @FILE reads the text from a file."),
    ] = None
    key: Annotated[
        str | None, typer.Option(metavar="HEX", help="Encrypt under this master key (AES).")
    ] = None

    def check(self) -> None:
        """Refuse unknown names, and sizes that do not go together; `typer.BadParameter`."""
        _check_known("--profile", self.profile, PROFILES)
        _check_known("--codec", (self.codec or "NONE").upper(), WRITABLE)
        _check_known("--encoding", self.encoding.upper(), ENCODINGS)
        if self.max_uncompressed_size is not None and not self.by_compressed_size:
            wanted = "wanted --by-compressed-size with it"
            raise typer.BadParameter(wanted, param_hint="--max-uncompressed-size")

    @property
    def files(self) -> list[str]:
        """The files from which file info is read."""
        return [text.partition("=@")[2] for text in self.info or () if "=@" in text]

    def open(self, output: str, *, file_info: dict[bytes, bytes], tags: bool) -> HFileWriter:
        """Return the writer of *output*.

        file_info  what `info` says, read from its files
        tags       whether cells have tags
        """
        options = Options(encoding=self.encoding.upper(), tags=tags)
        if self.codec is not None:
            options["compression"] = self.codec.upper()
        if self.block_size is not None:
            options["block_size"] = self.block_size
        if self.encoded_ratio is not None:
            options["encoded_ratio"] = self.encoded_ratio
        if self.by_compressed_size:
            options["by_compressed_size"] = True
            options["max_uncompressed_size"] = self.max_uncompressed_size
        return HFileWriter(
            output,
            profile=cast("Profile", self.profile),  # the writer refuses all others
            blooms=[_bloom(each) for each in self.bloom or ()],
            file_info=file_info,
            key=from_hex(self.key),
            **options,
        )


hfile_form = option_group("form", HFileForm)
"""Gives a command these options, and passes it an `HFileForm` as *form*."""


def _check_known(option: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        msg = f"found {name!r}, wanted one of {', '.join(known)}"
        raise typer.BadParameter(msg, param_hint=option)


def _bloom(kind: str) -> Any:
    name, _, length = kind.upper().partition(":")
    if not length:
        if name not in _BLOOMS:
            msg = f"{kind!r} is not one of {', '.join(_BLOOMS)}, ROWPREFIX:LENGTH"
            raise typer.BadParameter(msg, param_hint="--bloom")
        return name
    if name != "ROWPREFIX" or not length.isdecimal():
        raise typer.BadParameter(f"{kind!r}: wanted ROWPREFIX:LENGTH", param_hint="--bloom")
    return BloomBuilder("ROWPREFIX_FIXED_LENGTH", prefix_length=int(length))


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
    first = next(batches, None)
    return first, batches if first is None else chain([first], batches)
