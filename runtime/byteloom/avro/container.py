"""Avro container files: their header, and their blocks in one buffer.

The rules:

- The header is read by fastavro; the blocks are found by a kernel and inflated.
- A file that is inflated as a whole is bounded by its size (`Limits.expansion`).
- Nothing may follow the last block, and a file that ends inside a block is `Truncated`.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import fastavro
import numpy as np

from byteloom.avro.codecs import UNDO
from byteloom.avro.deflate import inflate_deflate, wrong_block
from byteloom.errors import FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.kernels.avro_blocks import BYTES, CUT, FULL, SYNC_SIZE, WRONG, walk_blocks
from byteloom.kinds import AVRO_MAGIC
from byteloom.limits import DEFAULT_LIMITS, FREE_EXPANSION, Limits
from byteloom.wire.json_values import check_json_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.avro.content import Content

__all__ = ["AvroFile", "find_blocks", "inflate_into", "inflate_some", "open_avro"]

_HEADER: Final = fastavro.parse_schema(
    {
        "type": "record",
        "name": "Header",
        "fields": [
            {"name": "magic", "type": {"type": "fixed", "name": "Magic", "size": len(AVRO_MAGIC)}},
            {"name": "meta", "type": {"type": "map", "values": "bytes"}},
            {"name": "sync", "type": {"type": "fixed", "name": "Sync", "size": SYNC_SIZE}},
        ],
    }
)
_ENCRYPTED: Final = b"AGS1"


@dataclass(frozen=True, slots=True)
class AvroFile:
    """A container file whose header was read.

    data         the whole file
    schema       the writer's schema, as JSON
    metadata     what else the header says, by key
    codec        ``null``, ``deflate``, ``zstandard``, ``snappy``, ``bzip2`` or ``xz``
    sync         the 16 bytes between blocks
    first_block  where the blocks start
    """

    data: np.ndarray
    schema: Any
    metadata: dict[str, bytes]
    codec: str
    sync: bytes
    first_block: int


def open_avro(data: bytes) -> AvroFile:
    """Return the container file that *data* holds.

    FormatError  no header, or one without a schema
    Truncated    the header is cut off
    Unsupported  a codec that the specification does not name; an encrypted or a Parquet file
    """
    if data[: len(AVRO_MAGIC)] != AVRO_MAGIC:
        raise _no_magic(bytes(data[: len(AVRO_MAGIC)]))
    stream = BytesIO(data)
    try:
        header: Any = fastavro.schemaless_reader(stream, _HEADER, None)
    except (EOFError, IndexError, ValueError, OverflowError, MemoryError, TypeError) as error:
        raise _cut(data) from error
    if len(header["sync"]) < SYNC_SIZE:  # older releases of fastavro return an incomplete header
        raise _cut(data)
    metadata: dict[str, bytes] = header["meta"]
    return AvroFile(
        np.frombuffer(data, np.uint8),
        _schema(metadata),
        metadata,
        _codec(metadata),
        header["sync"],
        stream.tell(),
    )


def _no_magic(found: bytes) -> FormatError:
    """Return the error of a file that begins with *found*."""
    from byteloom_generated.parquet.parquet import Parquet  # here: few files need it

    others = {
        _ENCRYPTED: "an AES-GCM stream (AGS1): the file is encrypted",
        Parquet.magic: "a Parquet file, as drafts of version 4 write manifests",
    }
    if found in others:
        return Unsupported("avro.magic", 0, others[found], "a plain Avro file")
    kind = Truncated if AVRO_MAGIC.startswith(found) else FormatError
    return kind("avro.magic", 0, repr(found), repr(AVRO_MAGIC))


def _cut(data: bytes) -> Truncated:
    """Return the error of a header that is cut off."""
    return Truncated("avro.header", 0, f"{len(data)} bytes", "a whole header")


def _schema(metadata: dict[str, bytes]) -> Any:
    """The writer's schema."""
    text = metadata.get("avro.schema")
    if text is None:
        raise FormatError("avro.schema", None, "nothing", "the writer's schema")
    check_json_values("avro.schema", text, DEFAULT_LIMITS)
    try:
        return _parsed(text)
    except (ValueError, RecursionError) as error:
        raise FormatError("avro.schema", None, repr(text[:40]), "JSON") from error


@lru_cache(maxsize=8)
def _parsed(text: bytes) -> Any:
    """Parse a schema, which the manifests of a table share; it must not be changed."""
    return json.loads(text)


def _codec(metadata: dict[str, bytes]) -> str:
    """Return the codec, if it can be decompressed here."""
    codec = metadata.get("avro.codec", b"null").decode(errors="replace") or "null"
    if codec not in UNDO:
        known = ", ".join(sorted(UNDO))
        raise Unsupported("avro.codec", None, repr(codec), known)
    return codec


def inflate_into(content: Content, file: AvroFile, limits: Limits) -> NDArray[np.int64]:
    """Inflate all blocks into *content*; return int64[block, 3]: records, start and end in it.

    FormatError    a block that is cut off, ends without the sync marker or does not inflate
    LimitExceeded  content beyond what `limits.expansion` allows
    """
    table, refused = find_blocks(file.data, file.first_block, file.sync)
    if refused is not None:
        raise refused
    first = content.size
    allowance = limits.expansion * len(file.data) + FREE_EXPANSION
    ends = inflate_some(content, file, table, allowance)
    if len(ends) < len(table):
        start, wanted = int(table[len(ends), 1]), "no more than limits.expansion allows"
        raise LimitExceeded("avro.block", start, "blocks that grow on", wanted)
    starts = np.concatenate([[first], ends[:-1]]) if len(ends) else ends
    return np.stack([table[:, 0], starts, ends], axis=1)


def inflate_some(
    content: Content, file: AvroFile, table: NDArray[np.int64], allowance: int
) -> NDArray[np.int64]:
    """Add blocks to *content*, up to the first that does not fit; return where each added one ends.

    table        int64[block, 3]: records, start and size in the file's data
    allowance    bytes that the blocks may come to together
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
        except Exception as error:  # each codec library has its own
            raise wrong_block(file.codec, start) from error
        allowance -= len(part)
        if allowance < 0:
            return ends[:i]
        content.append(part)
        ends[i] = content.size
    return ends


def find_blocks(
    data: NDArray[np.uint8], at: int, sync: bytes
) -> tuple[NDArray[np.int64], FormatError | None]:
    """Return int64[block, 3], records, start and size of each whole block, and what ends them.

    at  where the first begins
    """
    marker = np.frombuffer(sync, np.uint8)
    table = np.empty((max(64, len(data) // 4096), 3), np.int64)
    found, code = 0, FULL
    while code == FULL:
        more, code, at = walk_blocks(data, at, marker, table[found:])
        found += more
        if code == FULL:
            table = np.concatenate([table, np.empty_like(table)])
    return table[:found], _refusal(code, int(at)) if code else None


def _refusal(code: int, place: int) -> FormatError:
    """Return the error of a block; `Truncated` where more bytes might help."""
    found, wanted = WRONG[code]
    kind = Truncated if code in {CUT, BYTES} else FormatError
    return kind("avro.block", place, found, wanted)
