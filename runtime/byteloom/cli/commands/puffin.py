"""``byteloom puffin``: take blobs out of Puffin files, and put them in.

A file is never changed in place: a new one, with everything of the old one in it, takes its name
when it is complete.
"""

from __future__ import annotations

import sys
from contextlib import closing
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from byteloom import puffin
from byteloom.cli.application import Application
from byteloom.cli.commands.puffin_dv import app as dv
from byteloom.cli.commands.puffin_ndv import BlobSnapshot, blob_snapshot, ndv
from byteloom.cli.inputs.files import Input, content, named, opened
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.outputs import Force, check_output
from byteloom.cli.options.parsers import one_of, pairs
from byteloom.cli.printing.progress import counting, progress
from byteloom.puffin.metadata import chosen
from byteloom.redaction import without_secrets
from byteloom.storage import open_source
from byteloom.storage.naming import about_file
from byteloom.storage.sources import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.puffin import BlobMetadata, PuffinFile

__all__ = ["app"]

_PIECE = 8 << 20

app = Application()

_Properties = Annotated[
    list[str] | None,
    typer.Option("--property", "-p", metavar="KEY=VALUE", help="A property; repeatable."),
]


_LISTED = (
    *("number", "type", "fields", "snapshot_id", "sequence_number", "offset", "size", "codec"),
    "properties",
)


@app.command()
@listing
def ls(
    file: Input,
    *,
    to: Listing,
) -> None:
    """List the blobs of a Puffin file."""
    with opened(file) as source, puffin.open(source) as statistics:
        rows = [
            (
                *(number, blob.type, list(blob.fields), blob.snapshot_id, blob.sequence_number),
                *(
                    blob.offset,
                    blob.length,
                    blob.compression_codec,
                    without_secrets(dict(blob.properties)),
                ),
            )
            for number, blob in enumerate(statistics.blobs)
        ]
    to.show_values(rows, list(_LISTED))


@app.command()
def cat(
    file: Input,
    blob: Annotated[
        str,
        typer.Argument(
            metavar="BLOB", help="The blob's number, from 0, or its type if that is unique."
        ),
    ],
    *,
    raw: Annotated[bool, typer.Option("--raw", help="Do not decompress the bytes.")] = False,
) -> None:
    """Write the content of one blob to stdout, which is not a terminal."""
    if sys.stdout.isatty():
        wanted = f"a pipe, or > FILE; `byteloom inspect {quote(file)}` shows what a blob has"
        raise typer.BadParameter(f"a terminal shows no bytes: wanted {wanted}", param_hint="BLOB")

    with opened(file) as source, puffin.open(source) as statistics, about_file(name_of(source)):
        found = _chosen(statistics, blob)
        for piece in _stored(statistics, found) if raw else [statistics.read(found)]:
            sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


@app.command()
def create(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A path or a URL.")],
    properties: _Properties = None,
    *,
    compress_footer: Annotated[
        bool,
        typer.Option("--compress-footer", help="With LZ4, which other readers do not support yet."),
    ] = False,
    force: Force = False,
) -> None:
    """Create a Puffin file without blobs, to which `add` adds some."""
    given = pairs(properties, "--property", "KEY=VALUE", may_be_empty=True)
    check_output(file, force=force)
    with puffin.PuffinWriter(file, properties=given, compress_footer=compress_footer):
        pass


@app.command()
@blob_snapshot
def add(  # noqa: PLR0913, PLR0917  the fields of a blob, each an option
    file: Annotated[str, typer.Argument(metavar="FILE", help="A path or a URL.")],
    type_: Annotated[str, typer.Option("--type", "-t", metavar="TYPE", help="The blob's type.")],
    data: Annotated[
        str,
        typer.Option("--data", "-d", metavar="FILE|-", help="File with its content; - is stdin."),
    ],
    fields: Annotated[
        list[int] | None,
        typer.Option("--field", "-F", metavar="ID", help="Id of a table field; repeatable."),
    ] = None,
    properties: _Properties = None,
    compression: Annotated[
        str | None,
        typer.Option(
            "--compression",
            metavar="CODEC",
            help="lz4 or zstd.",
            autocompletion=one_of("lz4", "zstd"),
        ),
    ] = None,
    *,
    snapshot: BlobSnapshot,
) -> None:
    """Add a blob to a Puffin file, after its other blobs."""
    given, added = pairs(properties, "--property", "KEY=VALUE", may_be_empty=True), content(data)
    with (
        closing(open_source(named(file))) as source,
        progress("copying", source.size) as shown,
        puffin.open(counting(source, shown)) as old,
        puffin.PuffinWriter(file, created_by=None, like=old) as new,
    ):
        for blob in old.blobs:
            new.copy(old, blob)
        new.add(
            type=type_,
            data=added,
            fields=fields or [],
            snapshot_id=snapshot.snapshot_id,
            sequence_number=snapshot.sequence_number,
            compression=compression,
            properties=given,
        )


app.command("ndv")(ndv)
app.add_typer(dv, name="dv")


def _chosen(file: PuffinFile, wanted: str) -> BlobMetadata:
    """Return the blob that *wanted*, a number or a type, names."""
    return chosen(file.blobs, int(wanted) if wanted.isdecimal() else wanted)


def _stored(file: PuffinFile, blob: BlobMetadata) -> Iterator[bytes]:
    for start in range(0, blob.length, _PIECE):
        yield file.read_stored(blob, start, min(_PIECE, blob.length - start))
