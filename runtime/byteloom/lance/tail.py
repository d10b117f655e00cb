"""Read the end of a Lance file: its version, and where its columns and global buffers are.

- One request for the end of the file opens it: schema and metadata of columns nearly always fit.
- Every place is compared with the size of the file before anything is read or allocated there.
- Release 0.10.18 wrote a longer footer, which is recognised by its contents.
- Fragments of a dataset often end with the same bytes.  All that a tail says follows from these and
  from the size of the file, so files that are alike in both share one tail: footer, schema, and
  places of pages.  Only short tails without damage are kept, and the oldest makes way for a new
  one.

Source: specs/lance/tail.ksy
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from byteloom.errors import (
    ByteloomError,
    FormatError,
    LimitExceeded,
    Truncated,
    Unsupported,
    count_of_bytes,
)
from byteloom.lance.fields import tree_of
from byteloom.lance.tail_content import V0_1, V2_0, AnyFooter, FileSchema, FileTail
from byteloom.storage.endings import early_end
from byteloom_generated.lance.encodings import VERSIONS
from byteloom_generated.lance.file import FileDescriptor
from byteloom_generated.lance.tail import (
    EarlyFooter,
    Extent,
    Extents,
    Footer,
    LegacyTail,
    Version,
)

if TYPE_CHECKING:
    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.limits import Limits

__all__ = ["keep_tail", "known_tail", "read_tail"]

_SHORT: Final = 1 << 18
"""Bytes of a schema that is kept for other files."""

_READ: Final = tuple(each.name for each in VERSIONS)


def read_tail(file: BufferedFile, limits: Limits) -> FileTail:
    """Return the content of the end of *file*.

    raises  `Unsupported` for an unknown version, `FormatError` for damage,
            `LimitExceeded` for a schema larger than ``limits.metadata_size``
    """
    known = known_tail(file, limits)
    if known is not None:
        return known
    return keep_tail(file, _parsed_tail(file, limits), limits)


def _parsed_tail(file: BufferedFile, limits: Limits) -> FileTail:
    version = _read_version(file)
    if version == V0_1:
        from byteloom.lance.legacy.tail import read_legacy_tail

        return read_legacy_tail(file, limits)
    footer, at = _read_footer(file, version)
    columns = _read_extents(file, "column", footer, at, limits)
    buffers = _read_extents(file, "buffer", footer, at, limits)
    first = buffers[0]
    if first.size > limits.metadata_size:
        wanted = f"at most {limits.metadata_size} (limits.metadata_size)"
        raise LimitExceeded("buffers[0].size", footer.ofs_buffer_extents + 8, first.size, wanted)
    schema = read_schema(file.read(first.offset, first.size), first.offset, limits)
    return FileTail(version, footer, at, columns, buffers, schema)


def read_schema(data: bytes, at: int, limits: Limits) -> FileSchema:
    """Return the schema and the number of rows of a file, shared by files with the same bytes.

    at  where the bytes are in the file
    """
    if len(data) <= _SHORT:
        try:
            return _known_schema(data, limits)
        except ByteloomError:
            pass  # parsed again for an error that has a place
    return _parsed_schema(data, at, limits)


@lru_cache(maxsize=4)
def _known_schema(data: bytes, limits: Limits) -> FileSchema:
    return _parsed_schema(data, 0, limits)


def _parsed_schema(data: bytes, at: int, limits: Limits) -> FileSchema:
    found = FileDescriptor.parse(data, limits=limits, origin=at, path="descriptor")
    return FileSchema(found, tree_of(found.schema.fields, limits))


def _read_version(file: BufferedFile) -> str:
    if file.size < Version.SIZE:
        wanted = f"at least {Version.SIZE} bytes in a file"
        raise Truncated("version", None, count_of_bytes(file.size), wanted)
    at = file.size - Version.SIZE
    if not file.tail.endswith(Version.magic):
        raise _without_end(file)
    pair = Version.from_bytes(file.tail[-Version.SIZE :], origin=at)
    if pair.format in _READ:
        return pair.format
    named = f" ({pair.format})" if pair.format else ""
    wanted = f"the pair of a version of {', '.join(_READ)}"
    raise Unsupported("version", at, f"{pair.major}/{pair.minor}{named}", wanted)


def _without_end(file: BufferedFile) -> FormatError:
    """Return the error about a file that does not end in the magic, which begins with none."""
    magic = Version.magic
    early = early_end("version", file.size, file.tail, magic, lambda end: _is_version(file, end))
    if early is not None:
        return early
    wanted = (
        f"{magic!r}, which ends every Lance file: its end is missing, or it is not a Lance file"
    )
    place = file.size - len(magic)
    return FormatError("version.magic", place, file.tail[-len(magic) :], wanted)


def _is_version(file: BufferedFile, end: int) -> bool:
    """Whether the bytes before a place in the tail are a version that is read."""
    if end < Version.SIZE:
        return False
    return Version.from_bytes(file.tail[end - Version.SIZE : end]).format in _READ


def _read_footer(file: BufferedFile, version: str) -> tuple[AnyFooter, int]:
    """Return the footer, and where it begins."""
    if file.size < Footer.SIZE:
        wanted = f"at least {Footer.SIZE} bytes in a file of version {version}"
        raise Truncated("footer", 0, count_of_bytes(file.size), wanted)
    at = file.size - Footer.SIZE
    footer = Footer.from_bytes(file.tail[-Footer.SIZE :], origin=at)
    end = footer.ofs_buffer_extents + footer.num_buffers * Extent.SIZE
    early = file.size - EarlyFooter.SIZE
    if version == V2_0 and end == early:
        return EarlyFooter.from_bytes(file.tail[-EarlyFooter.SIZE :], origin=early), early
    return footer, at


def _read_extents(
    file: BufferedFile, kind: str, footer: AnyFooter, end: int, limits: Limits
) -> list[Extent]:
    """Return a table of extents, which must all be before *end*, where the footer begins.

    kind  the beginning of the names of its fields in the footer: ``column``
    """
    offset: int = getattr(footer, f"ofs_{kind}_extents")
    count: int = getattr(footer, f"num_{kind}s")
    size = count * Extent.SIZE
    if size > end:
        wanted = f"at most {end // Extent.SIZE}, as many as fit before the footer at byte {end}"
        raise _footer_error(footer, f"num_{kind}s", end, count, wanted)
    if offset + size > end:
        fits = f"so that {count} extents of {Extent.SIZE} bytes end before the footer at byte {end}"
        wanted = f"at most {end - size}, {fits}"
        raise _footer_error(footer, f"ofs_{kind}_extents", end, offset, wanted)
    data = file.read(offset, size)
    table = Extents.from_bytes(data, limits=limits, origin=offset, count=count).items
    for number, each in enumerate(table):
        if each.offset + each.size > end:
            found = f"bytes {each.offset} to {each.offset + each.size}"
            at = offset + number * Extent.SIZE
            wanted = f"at most {end}, where the footer begins"
            raise FormatError(f"{kind}s[{number}]", at, found, wanted)
    return table


def _footer_error(footer: AnyFooter, name: str, at: int, found: int, wanted: str) -> FormatError:
    """Return the error about a field of the footer, which begins at byte *at*."""
    return FormatError(f"footer.{name}", at + footer.PLACES[name], found, wanted)


_MOST: Final = 256
"""Number of tails that are kept."""

_LONGEST: Final = 1 << 14
"""Bytes of a tail that is kept, the metadata of some 100 columns."""

_MOST_LENGTHS: Final = 4
"""Number of lengths that tails are looked up by."""

_tails: dict[tuple[int, bytes], tuple[Limits, FileTail]] = {}
_lengths: list[int] = []
"""Lengths of tails that were kept, the last first."""


def known_tail(file: BufferedFile, limits: Limits) -> FileTail | None:
    """Return the tail of *file*, which is shared and must not be changed; None if it is unknown."""
    for length in _lengths:
        found = _tails.get((file.size, file.tail[-length:]))
        if found is not None and found[0] is limits:
            return found[1]
    return None


def keep_tail(file: BufferedFile, tail: FileTail, limits: Limits) -> FileTail:
    """Keep a tail that was read, if all it was read from is at the end of *file*; return it."""
    footer = tail.footer
    if isinstance(footer, LegacyTail):
        return tail
    parts = [each.offset for each in (*tail.columns, tail.buffers[0])]
    start = min(*parts, footer.ofs_column_extents, footer.ofs_buffer_extents)
    length = file.size - start
    if start < file.start or length > _LONGEST:
        return tail
    tail = replace(tail, readers={})
    while len(_tails) >= _MOST:
        _tails.pop(next(iter(_tails)), None)
    _tails[file.size, file.tail[-length:]] = limits, tail
    if length not in _lengths:
        _lengths[:] = [length, *_lengths[: _MOST_LENGTHS - 1]]
    return tail
