"""Open an HFile: read everything after its data, usually in one request.

- One request for the end of the file opens it: trailer, root indexes and file info are there, and
  nearly always fit.
- Nothing in the file is used before it has been checked against something else.
- A dialect is recognised by the bytes of the file, never by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.hfile.blocks import Block, Blocks
from byteloom.hfile.dialect import (
    CellForm,
    cell_form,
    check_index_encoding,
    contradictions,
    dialect_of,
)
from byteloom.hfile.encryption import Keys, cipher_of
from byteloom.hfile.index import Root, read_root
from byteloom.hfile.messages import pairs
from byteloom.hfile.trailer import HEADER_SIZE, Trailer, name_missing_part, read_trailer
from byteloom.limits import FREE_EXPANSION, Limits
from byteloom.storage import Source
from byteloom_generated.hfile.block import Block as Header
from byteloom_generated.hfile.file_info import FileInfo

__all__ = ["FETCH", "Opened", "opened", "read_file_info"]

FETCH: Final = 1 << 18
"""Bytes of the first request: a root index of 128 KiB, HBase's usual bound, with all around it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What comes after the data of a file; the fields are those of `HFile`."""

    trailer: Trailer
    blocks: Blocks
    on_open: list[Block]
    file_info: Mapping[bytes, bytes]
    root: Root
    meta_root: Root
    dialect: str
    form: CellForm


def opened(
    source: Source,
    limits: Limits,
    *,
    verify_checksums: bool,
    protobuf_keys: bool,
    key: Keys | None = None,
) -> Opened:
    """Read what comes after the data of *source*; *key* is the master key of an encrypted file."""
    tail = source.read_tail(FETCH)
    try:
        trailer = read_trailer(tail, source.size, limits)
    except FormatError as wrong:
        raise name_missing_part(wrong, source, tail) from wrong.__cause__
    wrapped = trailer.encryption_key
    cipher = cipher_of(wrapped, key, limits=limits, origin=trailer.offset) if wrapped else None
    blocks = Blocks(
        source, trailer.compression_codec, limits, verify=verify_checksums, cipher=cipher
    )
    on_open = _load_on_open(trailer, blocks, source.size, tail, limits)
    info = _read_file_info(trailer, blocks, on_open, limits)
    check_index_encoding(info)
    root, meta_root = _roots(trailer, blocks, on_open, limits)
    dialect = dialect_of(trailer, _first_header(trailer, blocks, on_open, source), root)
    form = cell_form(dialect, info)
    found = Opened(trailer, blocks, on_open, info, root, meta_root, dialect, form)
    for error in contradictions(trailer, dialect, root, info, protobuf_keys=protobuf_keys):
        raise error
    return found


def _load_on_open(
    trailer: Trailer, blocks: Blocks, size: int, tail: bytes, limits: Limits
) -> list[Block]:
    start, end = trailer.load_on_open_data_offset, trailer.offset
    base = size - len(tail)
    if end - start > limits.metadata_size:
        wanted = f"at most {limits.metadata_size} (limits.metadata_size)"
        raise LimitExceeded("load_on_open", start, f"{end - start} bytes", wanted)
    found = list(blocks.between(start, end, tail, base))
    most = min(limits.metadata_size, limits.expansion * size + FREE_EXPANSION)
    plain = sum(each.header.len_uncompressed for each in found)
    if plain > most:
        wanted = f"at most {most} (limits.metadata_size, limits.expansion)"
        raise LimitExceeded("load_on_open", start, f"{plain} bytes when decompressed", wanted)
    return found


def _roots(
    trailer: Trailer, blocks: Blocks, on_open: list[Block], limits: Limits
) -> tuple[Root, Root]:
    counts = trailer.data_index_count, trailer.meta_index_count
    data, meta = (
        read_root(blocks.payload(block), count, limits=limits, origin=block.offset)
        for block, count in zip(on_open, counts, strict=False)
    )
    levels = trailer.num_data_index_levels
    if (data.mid_key is not None) != (levels > 1):
        wanted = "2 or more with a mid key after the root index, 1 without"
        raise FormatError("trailer.num_data_index_levels", trailer.offset, levels, wanted)
    return data, meta


def _read_file_info(
    trailer: Trailer, blocks: Blocks, on_open: list[Block], limits: Limits
) -> dict[bytes, bytes]:
    types = [block.type for block in on_open[:3]]
    if types != ["root_index", "root_index", "file_info"]:
        wanted = "root_index, root_index, file_info"
        at = trailer.load_on_open_data_offset
        raise FormatError("load_on_open", at, ", ".join(types), wanted)
    return read_file_info(blocks, on_open[2], limits)


def read_file_info(blocks: Blocks, block: Block, limits: Limits) -> dict[bytes, bytes]:
    """Return the pairs of a file info block."""
    record = FileInfo.from_bytes(blocks.payload(block), limits=limits, origin=block.offset)
    return pairs(record.body.message, limits=limits, origin=block.offset)


def _first_header(trailer: Trailer, blocks: Blocks, on_open: list[Block], source: Source) -> Header:
    if trailer.load_on_open_data_offset == 0:
        return on_open[0].header
    return blocks.header(source.read(0, HEADER_SIZE), 0)
