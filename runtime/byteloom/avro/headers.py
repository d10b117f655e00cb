"""The header of an Avro container file: schema, codec and other properties.

The rules:

- It is a record of the spec. Files of one table mostly have the same properties, so the last few
  headers are kept: a file that begins with the same bytes has the same schema and codec.
- Kept headers must not be changed; each file gets its own dict.
- A header of more than `_HEADER_LIMITS` is refused: its entries would take a minute to read.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from json import JSONDecodeError
from typing import Any, Final

from byteloom.avro.codecs import UNDO
from byteloom.documents.json_text import check_json_values
from byteloom.errors import FormatError, Unsupported, beginning
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import Reader
from byteloom_generated.avro.container import Header

__all__ = ["AvroHeader", "parse_property", "read_header"]

_HEADER_LIMITS: Final = replace(DEFAULT_LIMITS, objects=100_000)

_MOST: Final = 8
"""Number of headers that are kept."""

_LARGEST: Final = 1 << 20
"""Most bytes of a header that is kept."""


@dataclass(frozen=True, slots=True)
class AvroHeader:
    """The properties of a file, from its header.

    raw       its bytes before the sync marker
    schema    the writer's schema, as JSON
    place     offset of that JSON
    metadata  the other properties, by key
    codec     ``null``, ``deflate``, ``zstandard``, ``snappy``, ``bzip2`` or ``xz``
    len_sync  bytes of the sync marker, which follows the header
    """

    raw: bytes
    schema: Any
    place: int
    metadata: dict[str, bytes]
    codec: str
    len_sync: int


_KEPT: Final = list[AvroHeader]()


def read_header(data: bytes) -> AvroHeader:
    """Return the header of a file that begins with *data*.

    FormatError    a damaged header, or one without a schema
    Truncated      the header is cut off
    LimitExceeded  more than 100,000 entries
    Unsupported    a codec that the specification does not name; an encrypted or a Parquet file
    """
    for kept in _KEPT:
        if data.startswith(kept.raw) and len(data) - len(kept.raw) >= kept.len_sync:
            return kept
    header = _read(data)
    if len(header.raw) <= _LARGEST:
        _KEPT[:] = [header, *_KEPT][:_MOST]
    return header


def _read(data: bytes) -> AvroHeader:
    """Return the same as `read_header`, read by the record class."""
    reader = Reader(data, limits=_HEADER_LIMITS)
    try:
        record = reader.record("avro.header", Header.read)
    except FormatError:
        _refuse_others(data[: len(Header.magic)])
        raise
    entries = (entry for block in record.metadata for entry in block.entries)
    metadata = {entry.key: entry.value for entry in entries}
    raw = data[: reader.pos - len(record.sync)]
    schema, codec = _schema(metadata, raw), _codec(metadata, raw)
    place = _place("avro.schema", metadata["avro.schema"], raw)
    return AvroHeader(raw, schema, place, metadata, codec, len(record.sync))


def _refuse_others(found: bytes) -> None:
    """Refuse a file that begins with the bytes *found* of another format."""
    # Imported late: few files need them.
    from byteloom_generated.iceberg.gcm_stream import GcmStream
    from byteloom_generated.parquet.parquet import Parquet

    others = {
        GcmStream.magic: "an AES-GCM stream (AGS1): the file is encrypted",
        Parquet.magic: "a Parquet file, as drafts of version 4 write manifests",
    }
    if found in others:
        raise Unsupported("avro.header.magic", 0, others[found], "a plain Avro file") from None


def _schema(metadata: dict[str, bytes], raw: bytes) -> Any:
    """Return the writer's schema; *raw* has the header's bytes, for errors."""
    text = metadata.get("avro.schema")
    if text is None:
        raise FormatError("avro.schema", len(Header.magic), "nothing", "the writer's schema")
    return parse_property("avro.schema", text, raw)


def parse_property(key: str, text: bytes, raw: bytes) -> Any:
    """Return a property of a header as JSON; *raw* has the header's bytes, for errors."""
    check_json_values(key, text, DEFAULT_LIMITS)
    try:
        return json.loads(text)
    except JSONDecodeError as error:
        at = _place(key, text, raw) + len(error.doc[: error.pos].encode())
        raise FormatError(key, at, f"invalid JSON ({error.msg})", "JSON") from error
    except UnicodeDecodeError as error:
        at = _place(key, text, raw) + error.start
        raise FormatError(key, at, f"byte 0x{text[error.start]:02x}", "UTF-8") from error
    except (ValueError, RecursionError) as error:
        at = _place(key, text, raw)
        raise FormatError(key, at, beginning(text), "JSON") from error


def _place(key: str, value: bytes, raw: bytes) -> int:
    """Return where the value of a key begins in a header."""
    named = bytes([2 * len(key)]) + key.encode()  # `schema` is the end of `avro.schema`, too
    return raw.find(value, raw.find(named) + len(named))


def _codec(metadata: dict[str, bytes], raw: bytes) -> str:
    """Return the codec, if it can be decompressed here; *raw* has the header's bytes."""
    codec = metadata.get("avro.codec", b"null").decode(errors="replace") or "null"
    if codec not in UNDO:
        known = ", ".join(sorted(UNDO))
        at = _place("avro.codec", metadata["avro.codec"], raw)
        raise Unsupported("avro.codec", at, repr(codec), known)
    return codec
