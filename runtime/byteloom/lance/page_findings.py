"""What is wrong with the buffers of pages, and with their encodings, though rows can be read.

Writers put buffers one behind another, each at once or at the next aligned place, and name each
buffer of a page once.  A file in which that is not so has lost something, or has other bytes for
its values than its writer gave it.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.lance.encodings import (
    ARRAY_ENCODING,
    array_encoding,
    has_early_chunks,
    page_layout,
)
from byteloom.lance.fields import BLOB, is_true
from byteloom.lance.pages21.nesting import CODES, LISTS
from byteloom.lance.tail_content import V2_1
from byteloom_generated.lance.encodings import VERSIONS
from byteloom_generated.lance.encodings20 import ArrayEncoding, Binary, Buffer, List

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.lance.column_metadata import Column, Page
    from byteloom.lance.fields import Field
    from byteloom.lance.reader import LanceFile
    from byteloom.limits import Limits
    from byteloom_generated.lance.encodings21 import CompressiveEncoding

__all__ = ["ALIGNMENT", "page_findings", "place_findings"]

ALIGNMENT: Final = {each.name: each.alignment for each in VERSIONS}
"""What places of buffers are multiples of, by version."""


def place_findings(file: LanceFile) -> Iterator[FormatError]:
    """Yield errors about buffers that do not begin where the one before them lets them begin."""
    if _has_blobs(file.fields):  # whose values are between the buffers
        return
    align = ALIGNMENT[file.version]
    found = sorted(_buffers(file))
    end = 0
    for offset, size, path, at in found:
        aligned = end + -end % align
        if end < offset != aligned:
            wanted = f"{end}, where the buffer before it ends"
            wanted += f", or {aligned}, a multiple of {align}" if aligned != end else ""
            yield FormatError(path, at, offset, wanted)
        end = max(end, offset + size)


def _buffers(file: LanceFile) -> Iterator[tuple[int, int, str, int]]:
    """Yield the offset, the size, the path and the place of the metadata of all buffers."""
    for column in file.columns():
        for page in column.pages:
            for number, (offset, size) in enumerate(page.buffers):
                yield offset, size, f"{page.path}.buffers[{number}]", page.at
    if file.tail.is_early:  # whose metadata of columns is before the first global buffer
        return
    for number, each in enumerate(file.tail.buffers):
        yield each.offset, each.size, f"buffers[{number}]", file.tail.at


def _has_blobs(fields: Sequence[Field]) -> bool:
    return any(is_true(each.metadata, BLOB) or _has_blobs(each.children) for each in fields)


def page_findings(column: Column, version: str, limits: Limits) -> Iterator[ByteloomError]:
    """Yield what is wrong with the encodings of the pages of a column.

    What reading refuses is not among it.

    Args:
        version: The version of the file.
    """
    for page in column.pages:
        try:
            if page.encoding.type == ARRAY_ENCODING:
                yield from _array_findings(page, array_encoding(page, limits))
            elif not has_early_chunks(page, limits):
                yield from _layout_findings(page, page_layout(page, limits), version)
        except (Unsupported, FormatError):
            continue


def _array_findings(page: Page, encoding: ArrayEncoding) -> Iterator[FormatError]:
    """Yield the error about buffers of a page that its encoding names never, or twice."""
    named = sorted(each.buffer_index for each in _named_buffers(encoding))
    if named != list(range(len(page.buffers))):
        found = f"the buffers {', '.join(map(str, named)) or 'none'}"
        wanted = f"each of the page's {len(page.buffers)} once"
        yield FormatError(f"{page.path}.encoding", page.at, found, wanted)
    yield from _encoding_findings(encoding, page, f"{page.path}.encoding")


def _encoding_findings(message: Any, page: Page, path: str) -> Iterator[FormatError]:
    """Yield what is wrong in an encoding, or in one inside it, that only other readers use."""
    if isinstance(message, ArrayEncoding) and message.WhichOneof("array_encoding") is None:
        yield FormatError(path, page.at, "nothing", "a kind of encoding")
    if isinstance(message, Binary):
        size, found = _plain_size(message.bytes, page), message.null_adjustment
        where, wanted = f"{path}.null_adjustment", "1 more than its bytes"
        if size is None and not found:
            yield FormatError(where, page.at, found, wanted)
        elif size is not None and found != size + 1:
            yield FormatError(where, page.at, found, f"{size + 1}, {wanted}")
    if isinstance(message, List) and message.null_offset_adjustment != message.num_items + 1:
        found, wanted = message.null_offset_adjustment, f"{message.num_items + 1}"
        where = f"{path}.null_offset_adjustment"
        yield FormatError(where, page.at, found, f"{wanted}, 1 more than items")
    for name, each in _inner(message):
        yield from _encoding_findings(each, page, f"{path}.{name}")


def _inner(message: Any) -> Iterator[tuple[str, Any]]:
    """Yield the messages in a message, each with the name of its field."""
    for field, value in message.ListFields():
        if field.message_type is not None:
            for each in value if hasattr(value, "append") else [value]:
                yield field.name, each


def _plain_size(encoding: ArrayEncoding, page: Page) -> int | None:
    """The bytes of a buffer of text, all of which are values; None if it is compressed."""
    if encoding.WhichOneof("array_encoding") == "nullable":  # as by releases 0.14 to 0.17
        encoding = encoding.nullable.no_nulls.values
    flat = encoding.flat
    is_plain = flat.compression.scheme in {"", "none"} and flat.HasField("buffer")
    number = flat.buffer.buffer_index
    return page.buffers[number][1] if is_plain and number < len(page.buffers) else None


def _named_buffers(message: Any) -> Iterator[Buffer]:
    """Yield the buffers of the page that an encoding names."""
    if isinstance(message, Buffer):
        if message.buffer_type == Buffer.BufferType.PAGE:
            yield message
        return
    for name, each in _inner(message):
        if name != "inner":  # fields of packed structs name no buffers of their own
            yield from _named_buffers(each)


def _layout_findings(page: Page, layout: Any, version: str) -> Iterator[FormatError]:
    """Yield what is wrong with a page from 2.1 on."""
    if page.priority != page.first:
        wanted = f"{page.first}, its first row"
        yield FormatError(f"{page.path}.priority", page.at, page.priority, wanted)
    kind = layout.WhichOneof("layout")
    path = f"{page.path}.encoding.{kind}"
    if kind == "full_zip_layout":
        yield from _full_zip_findings(page, layout.full_zip_layout, path)
    if kind != "mini_block_layout":
        return
    found = layout.mini_block_layout
    has_lists = not LISTS.isdisjoint(found.layers)
    agree = found.HasField("rep_compression") == has_lists
    if agree and found.repetition_index_depth != has_lists:
        wanted = "1, since it has lists" if has_lists else "0, since it has no lists"
        where = f"{path}.repetition_index_depth"
        yield FormatError(where, page.at, found.repetition_index_depth, wanted)
    if found.has_large_chunk and version == V2_1:
        wanted = "none in a file of version 2.1: Lance refuses the page"
        yield FormatError(f"{path}.has_large_chunk", page.at, "large chunks", wanted)
    most_def = sum(CODES.get(each, 0) for each in found.layers)
    for name, has_levels in (
        ("rep_compression", has_lists),
        ("def_compression", most_def > 0),
    ):
        if found.HasField(name) != has_levels:
            levels = "levels" if found.HasField(name) else "no levels"
            wanted = "levels, as its layers have" if has_levels else "none, as its layers have none"
            yield FormatError(f"{path}.{name}", page.at, levels, wanted)
        elif has_levels and _packed_to_nothing(getattr(found, name)):
            yield FormatError(f"{path}.{name}", page.at, "levels of 0 bits", "at least 1 bit")
    wanted_buffers = _buffers_of(found.value_compression)
    if wanted_buffers is not None and found.num_buffers != wanted_buffers:
        yield FormatError(f"{path}.num_buffers", page.at, found.num_buffers, f"{wanted_buffers}")


def _full_zip_findings(page: Page, found: Any, path: str) -> Iterator[FormatError]:
    """Yield errors about bits of levels that are not those of the layers."""
    lists = sum(each in LISTS for each in found.layers)
    nulls = sum(CODES.get(each, 0) for each in found.layers)
    for name, most in (("bits_rep", lists), ("bits_def", nulls)):
        bits = getattr(found, name)
        if bits != most.bit_length():
            wanted = f"{most.bit_length()}, for levels up to {most}"
            yield FormatError(f"{path}.{name}", page.at, bits, wanted)


def _packed_to_nothing(levels: CompressiveEncoding) -> bool:
    if levels.WhichOneof("compression") != "out_of_line_bitpacking":
        return False
    return not levels.out_of_line_bitpacking.values.flat.bits_per_value


def _buffers_of(values: CompressiveEncoding) -> int | None:
    """The buffers of a chunk that an encoding of values has; None for an unknown one."""
    kind = values.WhichOneof("compression")
    if kind in {"flat", "variable", "inline_bitpacking", "byte_stream_split", "packed_struct"}:
        return 1
    if kind == "rle":
        return 2
    if kind in {"fsst", "general"}:
        return _buffers_of(getattr(values, kind).values)
    if kind == "fixed_size_list":
        inner = _buffers_of(values.fixed_size_list.values)
        return None if inner is None else inner + values.fixed_size_list.has_validity
    return None
