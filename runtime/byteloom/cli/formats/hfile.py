"""HFiles: trailer, file info, and the headers of blocks.

- Inspecting reads headers and what comes after the data, however large the file; verifying reads
  all of it.
- The parser's own verdict counts: whatever `byteloom.hfile` refuses is the report's error, and
  verifying reports everything that it would refuse.
- The blocks of a file whose trailer is damaged are still listed, as far as they follow each other.
- Values of the file info are shown as what their names say: numbers, moments, keys of cells, flags.

Source: specs/hfile/info_entries.yaml
"""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.formats.content import show_message, tracer
from byteloom.cli.printing.report import Decoded, Report
from byteloom.errors import ByteloomError
from byteloom.hfile.blocks import HEADER_SIZE, MAGICS, TYPE_NAMES
from byteloom.hfile.info_entries import (
    BIGGEST_KEY,
    CREATED,
    EARLIEST_PUT,
    LAST_KEY,
    PACKED_TAGS,
    TIME_RANGE,
    time_range,
)
from byteloom.hfile.info_entries import SIZES as INFO_SIZES
from byteloom.hfile.keys import LATEST, Key
from byteloom.hfile.reader import HFile
from byteloom.hfile.trailer import SIZES
from byteloom.wire import Node
from byteloom.wire.nodes import Folding
from byteloom_generated.hfile.block import Block
from byteloom_generated.hfile.cell import KeyType
from byteloom_generated.hfile.file_info import FileInfo
from byteloom_generated.hfile.messages import Codec, InfoProto, TrailerProto
from byteloom_generated.hfile.trailer import Trailer, Version

if TYPE_CHECKING:
    from byteloom.documents.messages import Message
    from byteloom.storage import Source

__all__ = ["explain", "info_text", "printable_or_hex"]

_MOMENTS: Final = {CREATED, EARLIEST_PUT}
_KEYS: Final = {LAST_KEY, BIGGEST_KEY}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def info_text(name: bytes, value: bytes) -> str:
    """Return the value of an entry as what its name says; as text or hex where it is not that."""
    with suppress(ByteloomError, OverflowError):
        if len(value) == INFO_SIZES.get(name):
            number = int.from_bytes(value, "big", signed=True)
            return _moment(number) if name in _MOMENTS and number != LATEST else str(number)
        if name == TIME_RANGE:
            return " to ".join(map(_moment, time_range(value)))
        if name in _KEYS:
            return _key(Key.decode(value))
        if name == PACKED_TAGS and len(value) == 1:
            return str(value != b"\0").lower()
    return printable_or_hex(value)


def printable_or_hex(value: bytes) -> str:
    """Return *value* as text if it is printable, otherwise as hex."""
    text = value.decode("utf-8", "replace")
    return text if text.isprintable() and "\ufffd" not in text else value.hex()


def _moment(milliseconds: int) -> str:
    """Return a time with its milliseconds; `OverflowError` beyond the year 9999."""
    return (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")


def _key(key: Key) -> str:
    """Return a key as HBase's tools print it: ``row/family:qualifier/timestamp/Put``."""
    row = printable_or_hex(key.row)
    if key == Key(key.row):
        return row
    names = f"{printable_or_hex(key.family)}:{printable_or_hex(key.qualifier)}"
    kind = next((each.name for each in KeyType if each == key.type), str(key.type))
    return f"{row}/{names}/{key.timestamp}/{kind.title().replace('_', '')}"


_UNCHECKED: Final = (
    "what is in the blocks of data; `byteloom inspect --blocks` compares their checksums, "
    "`byteloom verify` checks everything"
)
_LISTED: Final = 1_000
"""The most blocks whose headers are read, a request each, unless all are wanted."""


def explain(source: Source, *, folding: Folding, key: bytes | None = None) -> Report:
    """Return the report of an HFile: trailer, file info and blocks; *key* opens encrypted files."""
    root = Node(name="", start=0, end=source.size)
    report = Report(source=source, format="hfile", title="HFile", root=root, by_value=True)
    report.unchecked = _UNCHECKED
    end = _trace_trailer(source, root, folding=folding)
    file = None
    try:
        file = HFile(source, key=key)
        report.facts, report.properties = _facts(file), _properties(file)
        report.tables["meta_blocks"] = [
            {"name": printable_or_hex(entry.key), "offset": entry.offset, "size": entry.size}
            for entry in file.meta_root.entries
        ]
    except ByteloomError as error:
        report.error = error
    data_end = end if file is None else file.trailer.load_on_open_data_offset
    most = sys.maxsize if folding.full else _LISTED
    stop = _trace_blocks(source, root, data_end, most, file=file)
    if file is not None:
        if stop < data_end:
            root.children.append(Node(name="further blocks", start=stop, end=data_end))
            report.error = _wrong_header(file, stop)
        _trace_blocks(source, root, end, sys.maxsize, start=data_end)
        _trace_file_info(file, root, report, folding=folding)
    root.children.sort(key=lambda node: node.start)
    return report


def _trace_trailer(source: Source, root: Node, *, folding: Folding) -> int:
    """Trace the trailer, as far as it is understood; return where it begins."""
    size = max(SIZES.values())
    with suppress(ByteloomError):
        size = SIZES.get(Version.from_bytes(source.read_tail(Version.SIZE)).major, size)
    at = max(source.size - size, 0)
    reader = tracer(source.read(at, source.size - at), at, folding=folding)
    with suppress(ByteloomError):
        body = reader.record(Trailer.NAME, Trailer.read).body
        path = (Trailer.NAME, "body", "message")
        _show(reader.root, path, TrailerProto, body.message, folding=folding)
        _name_codec(reader.root)
    root.children += reader.root.children
    return at


def _trace_file_info(file: HFile, root: Node, report: Report, *, folding: Folding) -> None:
    """Trace the file info: in its place, or among what is decoded where it is compressed."""
    block = next(each for each in file.on_open if each.type == "file_info")
    payload = file.blocks.payload(block)
    is_plain = file.trailer.compression_codec == "NONE" and not file.trailer.encryption_key
    reader = tracer(payload, block.offset + HEADER_SIZE if is_plain else 0, folding=folding)
    body = reader.record(FileInfo.NAME, FileInfo.read).body
    path = (FileInfo.NAME, "body", "message")
    _show(reader.root, path, InfoProto, body.message, folding=folding)
    if is_plain:
        above = next(each for each in root.children if each.start == block.offset)
        above.children += reader.root.children
    else:
        decoded = Decoded(
            name=FileInfo.NAME, root=reader.root, load=lambda: file.blocks.payload(block)
        )
        report.decoded.append(decoded)


def _wrong_header(file: HFile, at: int) -> ByteloomError | None:
    """Return what is wrong with the header of the block at *at*, among those before the trailer."""
    end = file.trailer.load_on_open_data_offset
    try:
        file.blocks.check_header(file.source.read(at, min(HEADER_SIZE, end - at)), at, end)
    except ByteloomError as error:
        return error
    return None


def _show(
    root: Node, path: tuple[str, ...], kind: type[Message], data: bytes, *, folding: Folding
) -> None:
    """Show the fields of the message at a path of nodes."""
    for name in path:
        root = next(each for each in root.children if each.name == name)
    show_message(root, kind, data, folding=folding)


def _name_codec(root: Node) -> None:
    """Show the codec in the message of a trailer by its name."""
    for _, node in root.leaves():
        if node.name == "compression_codec":
            with suppress(ValueError):
                node.value = Codec(node.value)  # type: ignore[arg-type]  # a varint


def _trace_blocks(  # noqa: PLR0913  the two sections differ
    source: Source,
    root: Node,
    end: int,
    most: int,
    *,
    start: int | None = None,
    file: HFile | None = None,
) -> int:
    """Trace the headers of blocks up to *end* or the first invalid one; return where that is.

    file   what says more of the headers in its data than their fields do: whether sizes add up
    start  where the blocks after the data begin, which go by their types; None for those from the
           first on, which are elements of ``blocks``; of two root indexes the second is that of
           meta blocks
    """
    at, number = start or 0, 0
    met: set[str] = set()
    while at + HEADER_SIZE <= end and number < most:
        reader = tracer(source.read(at, HEADER_SIZE), at, folding=Folding.none())
        try:
            header = reader.record(Block.NAME, Block.read)
        except ByteloomError:
            return at
        size = HEADER_SIZE + header.len_on_disk
        if at + size > end or (file is not None and _wrong_header(file, at) is not None):
            return at
        node = reader.root.children[0]
        kind = TYPE_NAMES[header.magic]
        node.end = at + size
        next(each for each in node.children if each.name == "magic").value = MAGICS[kind]
        if start is not None and kind == "root_index" and kind in met:
            node.name = "meta_root_index"
        elif start is not None or kind == "root_index":
            node.name = kind
        else:
            node.name, node.value = f"blocks[{number}]", kind
        root.children.append(node)
        met.add(kind)
        at, number = at + size, number + 1
    return at


def _facts(file: HFile) -> dict[str, Any]:
    trailer = file.trailer
    return {
        "dialect": file.dialect,
        "made_for": "hudi" if trailer.is_for_hudi else "hbase",
        "version": f"{trailer.major}.{trailer.minor}",
        "codec": trailer.compression_codec,
        "encoding": file.form.encoding,
        "cells": trailer.entry_count,
        "index_levels": trailer.num_data_index_levels,
        "comparator": trailer.comparator_class_name,
        "encrypted": bool(trailer.encryption_key),
        "tags": file.form.has_tags,
        "bloom_filters": [bloom.kind for bloom in file.bloom_filters],
        "load_on_open_offset": trailer.load_on_open_data_offset,
        "trailer_offset": trailer.offset,
    }


def _properties(file: HFile) -> dict[str, str]:
    return {printable_or_hex(key): info_text(key, value) for key, value in file.file_info.items()}
