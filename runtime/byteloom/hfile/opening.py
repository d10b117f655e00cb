"""What is read when an HFile is opened: everything behind its data, in one request as a rule.

- One request for the end of the file opens it: trailer, root indexes and file info lie there, and
  nearly always fit.
- Nothing in the file is believed before it was compared with something else.
- A dialect is told by the bytes of the file and never by its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError, Unsupported
from byteloom.hfile.blocks import Block, Blocks
from byteloom.hfile.dialect import CellForm, cell_form, check_index_encoding, dialect_of
from byteloom.hfile.encryption import Keys, cipher_of
from byteloom.hfile.index import Root, read_root
from byteloom.hfile.messages import pairs
from byteloom.hfile.trailer import HEADER_SIZE, Trailer, read_trailer
from byteloom_generated.hfile.file_info import FileInfo

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.limits import Limits
    from byteloom.storage import Source
    from byteloom_generated.hfile.block import Block as Header

__all__ = ["FETCH", "Opened", "opened"]

FETCH: Final = 1 << 18
"""Bytes of the first request: a root index of 128 KiB, HBase's usual bound, with all around it."""

_NEEDED: Final = (b"hfile.LASTKEY", b"hfile.AVG_KEY_LEN", b"hfile.AVG_VALUE_LEN")
"""What HBase writes into every file with cells."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What lies behind the data of a file; its fields are those of `HFile`."""

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
    """Read what lies behind the data of *source*; *key* opens it where it is encrypted."""
    tail = source.read_tail(FETCH)
    trailer = read_trailer(tail, source.size, limits)
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
    _check_dialect(found, source.size, protobuf_keys=protobuf_keys)
    return found


def _load_on_open(
    trailer: Trailer, blocks: Blocks, size: int, tail: bytes, limits: Limits
) -> list[Block]:
    start, end = trailer.load_on_open_data_offset, trailer.offset
    base = size - len(tail)
    if end - start > limits.metadata_size:
        wanted = f"at most {limits.metadata_size} (limits.metadata_size)"
        raise FormatError("trailer.load_on_open_data_offset", trailer.offset, start, wanted)
    return list(blocks.between(start, end, tail, base))


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
        wanted = "2 or more with a mid key behind the root index, 1 without"
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
    block = on_open[2]
    if block.offset != trailer.file_info_offset:
        found = trailer.file_info_offset
        raise FormatError("trailer.file_info_offset", trailer.offset, found, f"{block.offset}")
    record = FileInfo.from_bytes(blocks.payload(block), limits=limits, origin=block.offset)
    return pairs(record.body.message, limits=limits, origin=block.offset)


def _first_header(trailer: Trailer, blocks: Blocks, on_open: list[Block], source: Source) -> Header:
    if trailer.load_on_open_data_offset == 0:
        return on_open[0].header
    return blocks.header(source.read(0, HEADER_SIZE), 0)


def _check_dialect(file: Opened, size: int, *, protobuf_keys: bool) -> None:
    trailer = file.trailer
    if trailer.encryption_key == b"" and file.dialect != "hudi-pre-1.1":
        wanted = "a key, or no field at all"
        raise FormatError("trailer.encryption_key", trailer.offset, "an empty key", wanted)
    if file.root.protobuf and not protobuf_keys:
        wanted = (
            "Hadoop's: Hudi 1.1 wrote protobuf's, so that no other reader finds keys of 126 "
            "bytes and more (protobuf_keys=True reads them)"
        )
        found = "lengths of keys as protobuf writes them"
        raise Unsupported("root_index.len_key", file.on_open[0].offset, found, wanted)
    if trailer.minor == 0 and b"hfile.KEY_OF_BIGGEST_CELL" in file.file_info:
        wanted = "3, as HBase writes with hfile.KEY_OF_BIGGEST_CELL"
        raise FormatError("trailer.version.minor", size - 4, 0, wanted)
    needed = _NEEDED if file.dialect == "hbase" and trailer.entry_count else ()
    for name in needed:
        if name not in file.file_info:
            raise FormatError("file_info", trailer.file_info_offset, "none", f"{name.decode()}")
