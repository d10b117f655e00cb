"""What a file is, by its first and last bytes: the one table of what files begin and end with.

A magic that a spec describes is taken from the code generated from it.
"""

from __future__ import annotations

import zlib
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Final

from byteloom.errors import (
    ByteloomError,
    FormatError,
    LimitExceeded,
    Truncated,
    Unsupported,
    count_of_bytes,
)
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.storage.sources import Source

__all__ = [
    "ARROW",
    "AVRO",
    "BARE_VECTOR",
    "EMPTY_FILE",
    "ENCRYPTED_PARQUET",
    "END",
    "GZIPPED",
    "GZIP_MAGIC",
    "HFILE",
    "HTML",
    "HUDI_LOG",
    "JSON",
    "LANCE",
    "ORC",
    "ORC_MAGIC",
    "PARQUET",
    "PUFFIN",
    "WEB",
    "XML",
    "cut_file",
    "expecting",
    "found_instead",
    "head_of",
    "is_postscript",
    "is_view_metadata",
    "kind_of",
    "without_end",
    "without_ends",
    "without_start",
]

ARROW: Final = "an Arrow IPC file"
AVRO: Final = "an Avro file"
HFILE: Final = "an HFile"
HUDI_LOG: Final = "a Hudi log file"
LANCE: Final = "a Lance file"
ORC: Final = "an ORC file"
PARQUET: Final = "a Parquet file"
PUFFIN: Final = "a Puffin file"
ENCRYPTED_PARQUET: Final = "an encrypted Parquet file"
BARE_VECTOR: Final = "a bare deletion vector, without the frame of a Puffin file"
"""What DuckDB up to 1.5.3 writes in place of a Puffin file."""
HTML: Final = "an HTML page"
XML: Final = "an XML document"
GZIPPED: Final = "gzipped data"
JSON: Final = "a JSON document"

WEB: Final = frozenset({HTML, XML})
"""What a server sends in place of a file: a page to log in, an error of a store."""

EMPTY_FILE: Final = "an empty file"

GZIP_MAGIC: Final = b"\x1f\x8b"

END: Final = 64
"""Number of bytes at either end of a file in which a magic may be."""

_PAGE: Final = 4096
"""Number of bytes of a gzipped file that decompress to at least as many."""

_VIEW: Final = b'"view-uuid"'
"""A key that the metadata of every Iceberg view has near its beginning, and of no table."""

_LONGEST: Final = 12

_ARROW_MAGIC: Final = b"ARROW1"
ORC_MAGIC: Final = b"ORC"

_POSTSCRIPT: Final = 256
"""Most bytes of an ORC file's postscript and of its length, which is the last byte."""

_WEB: Final = ((b"<!doctype html", HTML), (b"<html", HTML), (b"<?xml", XML))
"""How those begin, in small letters, after a byte order mark and blanks."""

_BOM: Final = b"\xef\xbb\xbf"

_LEAST_PARQUET: Final = 12
"""Number of bytes of a Parquet file that has a magic at both ends, and the size of its footer."""


@cache
def _magics() -> tuple[tuple[bytes, bytes, str], ...]:
    """How files begin, how they end, and what they are; the first row that fits counts."""
    from byteloom_generated.avro.container import Header
    from byteloom_generated.hfile.block import BlockType
    from byteloom_generated.hfile.hudi_log import LogBlock
    from byteloom_generated.lance.tail import Version
    from byteloom_generated.parquet.parquet import EncryptedTail, Parquet, Tail
    from byteloom_generated.puffin.puffin import FooterTail, Puffin

    data = BlockType.DATA.to_bytes(8, "big")[:-1]  # data blocks, encoded or not
    return (
        (Puffin.magic, FooterTail.magic, PUFFIN),
        (Parquet.magic, Tail.magic, PARQUET),
        (EncryptedTail.magic, EncryptedTail.magic, ENCRYPTED_PARQUET),
        (ORC_MAGIC, b"", ORC),
        (Header.magic, b"", AVRO),
        (LogBlock.magic, b"", HUDI_LOG),
        (data, b"\0\0\2", HFILE),
        (data, b"\0\0\3", HFILE),
        (b"", Version.magic, LANCE),
        (_ARROW_MAGIC, _ARROW_MAGIC, ARROW),
        (b"PK\3\4", b"", "a ZIP archive"),
        (GZIP_MAGIC, b"", GZIPPED),
        (b'{"', b"", JSON),
        (b"{\n", b"", JSON),
    )


def kind_of(source: Source) -> str | None:
    """Return the kind of a file with its article, ``an HFile``; None if its ends do not show it."""
    size = min(_LONGEST, source.size)
    head, tail = source.read(0, size), source.read_tail(size)
    fitting = (
        kind
        for start, end, kind in _magics()
        if head.startswith(start) and tail.endswith(end) and size >= len(start + end)
    )
    return next(fitting, None) or _vector_kind(head) or _web_kind(source)


def _vector_kind(head: bytes) -> str | None:
    """Return what a file is that begins as a deletion vector: its size, then the magic."""
    from byteloom_generated.puffin.deletion_vector import DeletionVector

    return BARE_VECTOR if head[4:].startswith(DeletionVector.magic) else None


def _web_kind(source: Source) -> str | None:
    """Return which of `WEB` a file is; None for any other."""
    head = source.read(0, min(END, source.size)).removeprefix(_BOM).lstrip().lower()
    return next((kind for start, kind in _WEB if head.startswith(start)), None)


def found_instead(source: Source, wanted: str) -> str | None:
    """Return what errors say of a file whose ends are not those of a *wanted* kind.

    None where they are: another kind with its article, or what is missing.
    """
    kind = kind_of(source)
    if kind == wanted:
        return None
    if not source.size:
        return EMPTY_FILE
    start, end = next((start, end) for start, end, each in _magics() if each == wanted)
    if kind is None and start and source.read(0, min(len(start), source.size)) == start:
        return f"{wanted} whose end is missing"
    found = source.read_tail(len(end or start) or END)
    return kind or f"{found!r} at its end"


def without_end(kind: str) -> str:
    """Return what an error says of a file of which only the beginning is there."""
    return f"the file begins as {kind}, but its end is missing"


def without_start(kind: str) -> str:
    """Return what an error says of a file that has the end of a *kind*, and not its beginning."""
    return f"the file ends as {kind}, but does not begin as one"


def without_ends(kind: str) -> str:
    """Return what an error says of a file without the beginning and the end of a *kind*."""
    return f"the file neither begins nor ends as {kind}"


def cut_file(source: Source) -> FormatError | None:
    """Return the error about a file with only one end of a Parquet or ORC file; None for others.

    Libraries read these files, and report a missing end in words of their own.
    """
    return _cut_parquet(source) or _cut_orc(source)


def _cut_parquet(source: Source) -> FormatError | None:
    size = source.size
    for start, end, kind in _magics():
        if kind not in {PARQUET, ENCRYPTED_PARQUET} or size < len(start):
            continue
        head, tail = source.read(0, len(start)), source.read_tail(len(end))
        begins, ends = head == start, tail == end
        if begins and (not ends or size < _LEAST_PARQUET):
            is_missing = without_end(kind)
            if size < _LEAST_PARQUET:
                wanted = f"at least {_LEAST_PARQUET} bytes: {is_missing}"
                return Truncated("tail.magic", None, count_of_bytes(size), wanted)
            return Truncated("tail.magic", size - len(end), tail, f"{end!r}: {is_missing}")
        if ends and not begins:
            return FormatError("magic", 0, head, f"{start!r}: {without_start(kind)}")
    return None


def _cut_orc(source: Source) -> FormatError | None:
    """Return the error about a file with only the header or the postscript of an ORC file."""
    size = len(ORC_MAGIC)
    if source.size < size:
        return None
    head, tail = source.read(0, size), source.read_tail(size + 1)
    if head != ORC_MAGIC:
        if tail[:-1] != ORC_MAGIC or not _has_postscript(source):
            return None
        return FormatError("magic", 0, head, f"{ORC_MAGIC!r}: {without_start(ORC)}")
    if (source.size > size and tail[:-1] == ORC_MAGIC) or _has_postscript(source):
        return None
    path, least = "orc.postscript.magic", 2 * size + 1
    if source.size < least:
        wanted = f"at least {least} bytes: {without_end(ORC)}"
        return Truncated(path, None, count_of_bytes(source.size), wanted)
    place, wanted = source.size - len(tail), f"{ORC_MAGIC!r}: {without_end(ORC)}"
    return Truncated(path, place, tail[:-1], wanted)


def _has_postscript(source: Source) -> bool:
    """Return whether a file ends in the postscript of an ORC file."""
    return is_postscript(source.read_tail(_POSTSCRIPT), source.size)


def is_postscript(tail: bytes, file_size: int) -> bool:
    """Return whether *tail* is the end of an ORC file of some size, with its whole postscript.

    Those that Hive 0.11 wrote have no magic in it; then the file must have room for the footer.
    """
    from byteloom_generated.orc.messages import PostScript

    size = tail[-1] if tail else 0
    if not 0 < size < len(tail):
        return False
    try:
        found = PostScript.parse(tail[-1 - size : -1])
    except FormatError:
        return False
    if found.magic:
        return bool(found.magic == ORC_MAGIC.decode())
    rest = file_size - len(ORC_MAGIC) - size - 1
    return 0 < found.footerLength <= rest - found.metadataLength


def head_of(source: Source) -> bytes:
    """Return the first bytes of a file, up to 64; of a gzipped one, those inside."""
    head = source.read(0, min(END, source.size))
    if head.startswith(GZIP_MAGIC):
        inflated = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        with suppress(zlib.error):
            return inflated.decompress(source.read(0, min(_PAGE, source.size)), END)
    return head


def is_view_metadata(head: bytes) -> bool:
    """Return whether a file that begins with *head* is metadata of an Iceberg view.

    Its file has a name like that of a table's metadata.
    """
    return _VIEW in head


@contextmanager
def expecting(wanted: str, source: Source, name: str | None = None) -> Iterator[None]:
    """Replace an error about a file of another format than *wanted* by one that names the format.

    A file of 0 bytes is called empty; of no bytes in memory the error names the field that is cut.
    Of a Parquet or ORC file that has only one of its ends, the error says which one is missing.

    name  what the error calls the file; the name of *source* by default
    """
    try:
        yield
    except LimitExceeded:
        raise  # only a file of the wanted format reaches a limit
    except FormatError as error:
        if source.size == 0 and not isinstance(source, BytesSource):
            raise Truncated(name or source.name, None, EMPTY_FILE, wanted) from error
        try:
            found, cut = kind_of(source), cut_file(source)
        except ByteloomError:
            found = cut = None
        if cut is not None and (found or wanted) == wanted and wanted in {PARQUET, ORC}:
            raise cut.in_file(name or source.name) from error
        if found is None or found == wanted:
            raise
        if (found, wanted) == (ENCRYPTED_PARQUET, PARQUET):
            raise Unsupported(name or source.name, None, found, "an unencrypted one") from error
        raise FormatError(name or source.name, None, found, wanted) from error
