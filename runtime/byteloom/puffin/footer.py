"""Find the footer of a Puffin file from its end, and read what it says.

The rules:

- The tail comes first, in one request that nearly always holds the whole footer.
- A file that begins as Puffin and does not end in a footer is `Truncated`: it was not finished.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn

from byteloom.codecs.compression import decompress
from byteloom.documents.json_text import check_json_values
from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom.files.kinds import PUFFIN, without_end
from byteloom.limits import Limits
from byteloom.puffin import strict
from byteloom.puffin.endings import check_start, examine_end
from byteloom.puffin.layout import MAGIC, check_layout
from byteloom.puffin.metadata import BlobMetadata, FileMetadata, decode
from byteloom.storage import Source
from byteloom_generated.puffin.puffin import Footer, FooterTail

__all__ = ["FETCH", "check_places", "parse_footer", "read_footer", "read_metadata"]

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
