"""Avro container files: their blocks in one buffer.

The rules:

- Blocks are found by the walk over the spec's record of a block, and decompressed.
- The content of a file that is decompressed as a whole is bounded by the file's size
  (`Limits.expansion`).
- Nothing may follow the last block, and a file that ends inside a block is `Truncated`.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.avro.codecs import UNDO, inflate_deflate, wrong_block
from byteloom.avro.headers import read_header
from byteloom.columns.loops import DONE
from byteloom.columns.walks import Walked
from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom.files.kinds import AVRO, without_end
from byteloom.limits import FREE_EXPANSION, Limits
from byteloom_generated.avro.container import Block
from byteloom_generated.avro.container_scan import BLOCKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.avro.codecs import Content

__all__ = [
    "AvroFile",
    "find_blocks",
    "in_block",
    "inflate_into",
    "inflate_some",
    "name_missing_end",
    "open_avro",
]

_BLOCKS: Final = replace(BLOCKS, usual=1 << 12)
_NAMES: Final = ("num_objects", "len_objects", "place")


@dataclass(frozen=True, slots=True)
class AvroFile:
    """A container file whose header has been read.

    data         the whole file
    schema       the writer's schema, as JSON
    place        offset of that JSON
    metadata     the header's other properties, by key
    codec        ``null``, ``deflate``, ``zstandard``, ``snappy``, ``bzip2`` or ``xz``
    sync         the sync marker, which follows each block
    first_block  offset of the first block
    """

    data: np.ndarray
    schema: Any
    place: int
    metadata: dict[str, bytes]
    codec: str
    sync: bytes
    first_block: int


def open_avro(data: bytes) -> AvroFile:
    """Return the container file in *data*; errors as for `read_header`."""
    try:
        header = read_header(data)
    except Truncated as error:
        raise name_missing_end(error) from error.__cause__
    start = len(header.raw)
    end = start + header.len_sync
    return AvroFile(
        np.frombuffer(data, np.uint8),
        header.schema,
        header.place,
        {**header.metadata},
        header.codec,
        data[start:end],
        end,
    )


def name_missing_end(error: FormatError) -> FormatError:
    """Return *error* about the header or a block; one about too few bytes says what is missing."""
    is_cut = isinstance(error, Truncated) and not error.path.endswith("header.magic")
    return error.adding(without_end(AVRO)) if is_cut else error


def inflate_into(content: Content, file: AvroFile, limits: Limits) -> NDArray[np.int64]:
    """Decompress all blocks into *content*, and return where each is in it.

    Returns int64[block, 3]: for each block its records, and where they start and end in *content*.

    FormatError    a block that is cut off, ends without the sync marker or does not inflate
    LimitExceeded  content beyond what `limits.expansion` allows
    """
    table, refused = find_blocks(file.data, file.first_block, file.sync)
    if refused is not None:
        raise name_missing_end(refused)
    first = content.size
    allowance = limits.expansion * len(file.data) + FREE_EXPANSION
    ends = inflate_some(content, file, table, allowance)
    if len(ends) < len(table):
        start, wanted = int(table[len(ends), 1]), f"at most {allowance} (limits.expansion)"
        raise LimitExceeded("avro.block", start, "more bytes when decompressed", wanted)
    starts = np.concatenate([[first], ends[:-1]]) if len(ends) else ends
    return np.stack([table[:, 0], starts, ends], axis=1)


def inflate_some(
    content: Content, file: AvroFile, table: NDArray[np.int64], allowance: int
) -> NDArray[np.int64]:
    """Add blocks to *content*, up to the first that does not fit; return where each added one ends.

    table        int64[block, 3]: records, start and size in the file's data
    allowance    most bytes of all their content
    FormatError  a block that does not inflate
    """
    ends = None
    if file.codec == "deflate":
        ends = inflate_deflate(file.data, table, content, allowance)
    return _inflate_each(content, file, table, allowance) if ends is None else ends


def _inflate_each(
    content: Content, file: AvroFile, table: NDArray[np.int64], allowance: int
) -> NDArray[np.int64]:
    """Add blocks as `inflate_some` does, one by one in Python."""
    data, undo = file.data.data, UNDO[file.codec]
    ends = np.empty(len(table), np.int64)
    for i, (_, start, size) in enumerate(table.tolist()):
        try:
            part = undo(data[start : start + size], allowance)
        except FormatError as error:
            error.offset = start
            raise error.inside("avro.block") from error.__cause__
        except Exception as error:  # each codec library has its own errors
            raise wrong_block(file.codec, start) from error
        allowance -= len(part)
        if allowance < 0:
            return ends[:i]
        content.append(part)
        ends[i] = content.size
    return ends


def in_block(error: FormatError, codec: str, number: int, start: int, size: int) -> FormatError:
    """Return *error*, whose offset counts from the content of a block, with the block's place.

    number  of blocks of the file before it
    start   where its bytes begin in the file
    size    how many they are in the file
    """
    if codec != "null":
        return error.inside_decompressed(f"block {number}", start, size)
    if error.offset is None:
        error.offset = 0
    return error.moved(start)


def find_blocks(
    data: NDArray[np.uint8], at: int, sync: bytes, *, origin: int = 0, before: int = 0
) -> tuple[NDArray[np.int64], FormatError | None]:
    """Return int64[block, 3] (records, start and size of each complete block), and what ends them.

    at      where the first block begins
    origin  where *data* begins in the file
    before  number of blocks of the file before the first
    """
    end, given = len(data), {"marker": sync}
    most = end // Block.MIN_SIZE + 1
    found = _BLOCKS.over(data, np.array([[at, end]]), _NAMES, most, given)
    table = _table(found, end if found.code == DONE else found.place, len(sync))
    if found.code == DONE:
        return table, None
    found = found._replace(rows=before + found.rows)
    return table, _BLOCKS.refusal(data, end, found, given, origin).inside("avro")


def _table(found: Walked, end: int, len_sync: int) -> NDArray[np.int64]:
    """Return records, start and size of each block; the last one ends at *end*."""
    table = np.empty((found.rows, 3), np.int64)
    if found.rows:
        counts, sizes, places = (found.columns[each].view(np.int64) for each in _NAMES)
        table[:, 0], table[:, 2] = counts[: found.rows], sizes[: found.rows]
        table[:-1, 1], table[-1, 1] = places[1 : found.rows], end  # where the next one begins
        table[:, 1] -= table[:, 2]
        table[:, 1] -= len_sync
    return table
