"""Find the footer of a Puffin file from its end, and read what it says.

The rules:

- The tail comes first, in one request that nearly always holds the whole footer.
- A file that begins as Puffin and does not end in a footer is `Truncated`: it was not finished.
- A footer is sound enough if both of its magics are where its length says; its payload is not read.
- A file that ends neither in a magic nor in such a footer was cut off or not finished.
- Bytes after such a footer are found if they, and its last twelve bytes, are in what was fetched.
- Blobs are after the leading magic and before the footer, without overlaps.

Source: https://iceberg.apache.org/puffin-spec/#footer-structure
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NoReturn

from byteloom.codecs.compression import decompress
from byteloom.documents.json_text import check_json_values
from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom.files.kinds import PUFFIN, without_end, without_start
from byteloom.limits import Limits
from byteloom.puffin import strict
from byteloom.puffin.metadata import BlobMetadata, FileMetadata, decode
from byteloom.storage import Source
from byteloom.storage.endings import early_end
from byteloom.wire import Reader
from byteloom_generated.puffin.puffin import Footer, FooterTail, Puffin

__all__ = [
    "FETCH",
    "MAGIC",
    "check_layout",
    "check_places",
    "check_start",
    "examine_end",
    "has_no_footer",
    "parse_footer",
    "read_footer",
    "read_metadata",
]

MAGIC: Final = Puffin.magic


def check_layout(blobs: Sequence[BlobMetadata], ofs_footer: int) -> None:
    """Refuse blobs that overlap each other, the magic, or the footer.

    Args:
        ofs_footer: Where the footer begins, in bytes from the start of the file.

    Raises:
        FormatError: About ``blobs[i].offset`` or ``blobs[i].length``.

    Source: https://iceberg.apache.org/puffin-spec/#file-structure
    """
    end = len(MAGIC)
    for blob in blobs:
        if blob.offset < end or blob.length < 0:
            break
        end = blob.offset + blob.length
    else:
        if end <= ofs_footer:
            return  # in order and without overlaps, as in nearly every file
    _check_each(blobs, ofs_footer)
    _check_apart(blobs)


def _check_each(blobs: Sequence[BlobMetadata], ofs_footer: int) -> None:
    for index, blob in enumerate(blobs):
        if not len(MAGIC) <= blob.offset <= ofs_footer:
            wanted = f"{len(MAGIC)} to {ofs_footer}, where the footer begins"
            raise FormatError(f"blobs[{index}].offset", None, blob.offset, wanted)
        left = ofs_footer - blob.offset
        if not 0 <= blob.length <= left:
            wanted = f"0 to {left}, the bytes from {blob.offset} to the footer"
            raise FormatError(f"blobs[{index}].length", None, blob.length, wanted)


def _check_apart(blobs: Sequence[BlobMetadata]) -> None:
    filled = [index for index, blob in enumerate(blobs) if blob.length]
    filled.sort(key=lambda index: blobs[index].offset)
    for before, after in pairwise(filled):
        end = blobs[before].offset + blobs[before].length
        if blobs[after].offset < end:
            wanted = f"{end} or more, where blobs[{before}] ends"
            raise FormatError(f"blobs[{after}].offset", None, blobs[after].offset, wanted)


_TRIES: Final = 8
"""Magics near the end that are tried: a footer has two."""


def check_start(source: Source, head: bytes) -> None:
    """Refuse a file whose first bytes, *head*, are not Puffin's; the error says if its last are."""
    try:
        Reader(head).magic("magic", MAGIC)
    except FormatError as error:
        if source.size >= Footer.MIN_SIZE and source.read_tail(len(MAGIC)) == MAGIC:
            raise error.adding(without_start(PUFFIN)) from error.__cause__
        raise


def has_no_footer(source: Source, tail: bytes) -> bool:
    """Return whether a file with the last bytes *tail* ends in no footer, not even a damaged one.

    A footer in which only the last magic or only the length is damaged still counts as one.
    """
    return not tail.endswith(MAGIC) and not _is_footer(source, tail, len(tail))


def examine_end(source: Source, tail: bytes) -> FormatError | None:
    """Return what is wrong with the end as a whole; None if a footer's fields are damaged."""
    if not has_no_footer(source, tail):
        return None
    size = source.size
    early = early_end(
        "footer_tail", size, tail, MAGIC, lambda end: _is_footer(source, tail, end), tries=_TRIES
    )
    if early is not None:
        return early
    wanted = f"{MAGIC!r}: {without_end(PUFFIN)}"
    place = size - len(MAGIC)
    return Truncated("footer_tail.magic", place, tail[-len(MAGIC) :], wanted)


def _is_footer(source: Source, tail: bytes, end: int) -> bool:
    """Return whether a footer, except for its last magic, ends before *end* in *tail*."""
    stored = tail[max(end - FooterTail.MIN_SIZE, 0) : end - len(MAGIC)]
    try:
        size = FooterTail.from_bytes(stored + MAGIC).len_payload + Footer.MIN_SIZE
    except FormatError:
        return False
    place = source.size - len(tail) + end - size
    return place >= len(MAGIC) and source.read(place, len(MAGIC)) == MAGIC


FETCH: Final = 1 << 16
"""Bytes of the first request: enough for the footer of 300 blobs, and as cheap as twelve bytes."""

_FRAME: Final = 16
"""Bytes of a footer around its payload: two magics, a length and the flags."""

_SMALLEST: Final = len(MAGIC) + _FRAME


def read_metadata(footer: Footer, ofs_footer: int, limits: Limits) -> FileMetadata:
    """Return the content of *footer*, without checking the offsets of its blobs."""
    at = ofs_footer + len(MAGIC)
    payload = footer.payload
    if footer.payload_is_compressed:
        payload = decompress(
            "lz4", payload, limits=limits, bound="metadata_size", name="footer.payload", offset=at
        )
    try:
        check_json_values("", payload, limits)
        return decode(payload, limits) or strict.file_metadata(payload, limits)
    except FormatError as error:
        if footer.payload_is_compressed:
            error.offset = error.offset or None
            error.inside_decompressed("payload", at, len(footer.payload))
        else:
            error.offset = at + (error.offset or 0)
        raise error.inside("footer.payload") from error.__cause__


def check_places(blobs: Sequence[BlobMetadata], ofs_footer: int) -> None:
    """Refuse blobs that are not between the leading magic and the footer, or that overlap."""
    try:
        check_layout(blobs, ofs_footer)
    except FormatError as error:
        error.offset = ofs_footer + len(MAGIC)
        raise error.inside("footer.payload") from error.__cause__


def read_footer(source: Source, limits: Limits) -> tuple[int, Footer]:
    """Return the offset of the footer, and the footer."""
    tail = source.read_tail(FETCH)
    if len(tail) == source.size:
        check_start(source, tail)
    try:
        return parse_footer(source, tail, limits)
    except LimitExceeded:
        raise
    except FormatError as error:
        if isinstance(error, Truncated):
            raise
        _unfinished(source, tail, error)


def parse_footer(source: Source, tail: bytes, limits: Limits) -> tuple[int, Footer]:
    """Return the offset of the footer, and the footer, of a file whose last bytes are *tail*."""
    size = source.size
    if size < _SMALLEST:
        error = Truncated("footer", None, f"{size} bytes", f"at least {_SMALLEST} bytes in a file")
        raise error.adding(without_end(PUFFIN)) if tail.startswith(MAGIC) else error
    end = FooterTail.from_bytes(tail[-FooterTail.MIN_SIZE :], origin=size - FooterTail.MIN_SIZE)
    footer_size = end.len_payload + _FRAME
    at = size - FooterTail.MIN_SIZE
    if footer_size > size - len(MAGIC):
        wanted = f"at most {size - _SMALLEST}, the bytes before it"
        raise Truncated("footer_tail.len_payload", at, end.len_payload, wanted)
    if end.len_payload > limits.metadata_size:
        wanted = f"at most {limits.metadata_size} (limits.metadata_size)"
        raise LimitExceeded("footer_tail.len_payload", at, end.len_payload, wanted)
    ofs_footer = size - footer_size
    stored = (
        tail[-footer_size:] if footer_size <= len(tail) else source.read(ofs_footer, footer_size)
    )
    found = stored[: len(MAGIC)]
    if found != MAGIC:  # its place follows from the length, which may be the wrong field
        wanted = f"{MAGIC!r}: footer_tail.len_payload ({end.len_payload} at byte {at}) leads here"
        raise FormatError("footer.magic", ofs_footer, found, wanted)
    return ofs_footer, Footer.from_bytes(stored, limits=limits, origin=ofs_footer)


def _unfinished(source: Source, tail: bytes, error: FormatError) -> NoReturn:
    """Distinguish a file that is not Puffin from one that is cut off, which look alike."""
    check_start(source, source.read(0, min(len(MAGIC), source.size)))
    wrong = examine_end(source, tail)
    if wrong is not None:
        raise wrong from error
    raise Truncated(error.path, error.offset, error.found, error.wanted) from error
