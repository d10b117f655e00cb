"""What is wrong with the ends of a Puffin file.

The rules:

- A footer is sound enough if both of its magics are where its length says; its payload is not read.
- A file that ends neither in a magic nor in such a footer was cut off or not finished.
- Bytes after such a footer are found if they, and its last twelve bytes, are in what was fetched.

Source: https://iceberg.apache.org/puffin-spec/#footer-structure
"""

from __future__ import annotations

from typing import Final

from byteloom.errors import FormatError, Truncated
from byteloom.files.kinds import PUFFIN, without_end, without_start
from byteloom.puffin.layout import MAGIC
from byteloom.storage import Source
from byteloom.storage.endings import early_end
from byteloom.wire import Reader
from byteloom_generated.puffin.puffin import Footer, FooterTail

__all__ = ["check_start", "examine_end", "has_no_footer"]

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
