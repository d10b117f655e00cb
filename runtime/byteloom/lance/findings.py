"""What is wrong with the metadata of a Lance file though its rows can be read without it.

Readers of others depend on it: Lance's own does not open a file whose columns have no encoding that
it knows, nor one whose footer has a wrong place of its columns.

Source: specs/lance/file2.proto, specs/lance/tail.ksy
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.column_metadata import check_size
from byteloom.lance.encodings import COLUMN_ENCODING
from byteloom.lance.page_findings import ALIGNMENT, page_findings, place_findings
from byteloom.lance.tail_content import UNREAD, V0_1, V2_0, V2_1
from byteloom_generated.lance.encodings20 import ColumnEncoding
from byteloom_generated.lance.file2 import ColumnMetadata, Described
from byteloom_generated.lance.tail import EarlyFooter, Footer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.lance.fields import Field
    from byteloom.lance.reader import LanceFile
    from byteloom.limits import Limits

__all__ = ["footer_findings", "metadata_findings", "name_findings"]

_DEEPEST: Final = 8
"""Column encodings inside one another."""


def metadata_findings(file: LanceFile) -> list[ByteloomError]:
    """Return what is wrong with the footer and the metadata of the columns of *file*.

    What a scan of all columns refuses is not among it.
    """
    if file.version in {V0_1, UNREAD}:
        return []
    found: list[ByteloomError] = [
        *footer_findings(file),
        *name_findings(file.fields, "descriptor.schema"),
    ]
    if not file.tail.is_early:
        is_plain = _has_no_encodings(file)
        for number in range(len(file.tail.columns)):
            try:
                found += _column_findings(file, number, is_plain=is_plain)
            except ByteloomError as error:
                found.append(error)
    try:
        found += _buffer_findings(file)
        found += place_findings(file)
        for column in file.columns():
            found += page_findings(column, file.version, file.limits)
    except ByteloomError as error:
        found.append(error)
    return found


def _has_no_encodings(file: LanceFile) -> bool:
    """Return whether no column says how it is encoded as a whole, as by releases 0.11 and 0.12."""
    try:
        return file.version == V2_0 and not any(each.encoding.type for each in file.columns())
    except ByteloomError:
        return False


def name_findings(fields: Sequence[Field], path: str) -> Iterator[FormatError]:
    """Yield an error about each name that two fields of the schema, or of a struct, share.

    Args:
        path: The name of the schema in errors.
    """
    seen: set[str] = set()
    for each in fields:
        if each.name in seen:
            wanted = "a name that no field beside it has"
            yield FormatError(path, None, f"two fields {each.path}", wanted)
        seen.add(each.name)
        yield from name_findings(each.children, path)


def _buffer_findings(file: LanceFile) -> Iterator[FormatError]:
    """Yield errors about buffers of different columns that overlap, and about unaligned ones."""
    found = sorted(
        (offset, offset + size, f"{page.path}.buffers[{number}]", page.at)
        for column in file.columns()
        for page in column.pages
        for number, (offset, size) in enumerate(page.buffers)
        if size
    )
    for (_, stop, other, _), (offset, _, path, at) in pairwise(found):
        if offset < stop:
            yield FormatError(path, at, offset, f"at least {stop}, where {other} ends")
    for offset, _, path, at in found:
        # Some releases wrote unaligned ones in 2.1.
        if file.version not in {V2_0, V2_1} and offset % (align := ALIGNMENT[file.version]):
            yield FormatError(path, at, offset, f"a multiple of {align}")


def footer_findings(file: LanceFile) -> Iterator[FormatError]:
    """Yield the error about the place of the first column, which version 0.1 does not have."""
    footer, columns = file.tail.footer, file.tail.columns
    if not isinstance(footer, Footer | EarlyFooter):
        return
    first = min((each.offset for each in columns), default=None)
    found = footer.ofs_columns
    at = file.tail.at + footer.PLACES["ofs_columns"]
    if first is not None and found != first:
        yield FormatError("footer.ofs_columns", at, found, f"{first}, where the first column is")
    elif first is None and found > file.tail.at:
        wanted = f"at most {file.tail.at}, where the footer begins"
        yield FormatError("footer.ofs_columns", at, found, wanted)


def _column_findings(file: LanceFile, number: int, *, is_plain: bool) -> Iterator[FormatError]:
    """Yield what is wrong with the encoding and the own buffers of a column."""
    extent, path, limits = file.tail.columns[number], f"columns[{number}]", file.limits
    check_size(number, extent, limits)
    data = file.data.read(extent.offset, extent.size)
    message = ColumnMetadata.parse(data, limits=limits, origin=extent.offset, path=path)
    place = ColumnMetadata.place_of(data, "encoding", extent.offset) or extent.offset
    name = f"{path}.encoding"
    yield from _encoding_findings(message, name, place, limits, is_plain=is_plain)
    sizes, count = message.buffer_sizes, len(message.buffer_offsets)
    if len(sizes) != count:
        wanted = f"{count}, one for each offset"
        yield FormatError(f"{path}.buffer_sizes", extent.offset, len(sizes), wanted)
    for index, (start, size) in enumerate(zip(message.buffer_offsets, sizes, strict=False)):
        if start + size > file.tail.at:
            wanted = f"at most {file.tail.at}, where the footer begins"
            found = f"bytes {start} to {start + size}"
            yield FormatError(f"{path}.buffers[{index}]", extent.offset, found, wanted)


def _encoding_findings(
    message: ColumnMetadata, path: str, at: int, limits: Limits, *, is_plain: bool
) -> Iterator[FormatError]:
    """Yield what is wrong with the encoding of a column as a whole.

    Args:
        at: Where it is in the file.
        is_plain: Whether no column of the file has an encoding.
    """
    kind = message.encoding.WhichOneof("location")
    if kind == "none" and is_plain:
        return
    if kind != "direct":
        found = "an encoding stored elsewhere" if kind == "indirect" else "no encoding"
        yield FormatError(path, at, found, COLUMN_ENCODING)
        return
    data = message.encoding.direct.encoding
    described = Described.parse(data, limits=limits, origin=at, path=path)
    if described.type_url != COLUMN_ENCODING:
        yield FormatError(path, at, described.type_url, COLUMN_ENCODING)
        return
    encoding = ColumnEncoding.parse(described.value, limits=limits, origin=at, path=path)
    for _ in range(_DEEPEST):
        which = encoding.WhichOneof("column_encoding")
        if which is None:
            yield FormatError(path, at, "no kind of encoding", "values, zone_index or blob")
        if which in {None, "values"}:
            return
        encoding = getattr(encoding, which).inner
    yield FormatError(path, at, "more", f"at most {_DEEPEST} encodings inside one another")
