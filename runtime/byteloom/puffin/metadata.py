"""What a footer says, as typed values and as JSON.

There are two ways to read the JSON, which always agree.  A footer that comes out of the encoder
just as it went into the decoder holds no key twice and no number that was bent; that is nearly
every footer, and it takes half a microsecond a blob.  Any other, such as one with unknown fields,
goes through `byteloom.puffin.strict`, which tells what is wrong and where, or keeps the unknown.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

__all__ = ["BlobMetadata", "FileMetadata", "decode", "encode", "plain"]

_Int32 = Annotated[int, Meta(ge=-(1 << 31), le=(1 << 31) - 1)]
_Int64 = Annotated[int, Meta(ge=-(1 << 63), le=(1 << 63) - 1)]


class BlobMetadata(Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True):
    """What a footer says of one blob.

    type               one of the spec's blob types, or any other name
    fields             ids of the table's fields that it was computed from; their order matters
    snapshot_id        snapshot that it was computed from; -1 in a deletion vector
    sequence_number    that of the snapshot; -1 likewise
    offset             its first byte, from the start of the file
    length             its bytes as stored, that is after compression
    compression_codec  ``lz4`` or ``zstd``; None for a blob stored as it is
    properties         whatever else its writer had to say
    extra              JSON fields that the spec does not know; a number with a point or an exponent
                       is a `decimal.Decimal`

    Source: https://iceberg.apache.org/puffin-spec/#blobmetadata
    """

    type: str
    fields: list[_Int32]
    snapshot_id: _Int64
    sequence_number: _Int64
    offset: _Int64
    length: _Int64
    compression_codec: str | None = None
    properties: dict[str, str] = {}
    extra: dict[str, Any] = {}


class FileMetadata(Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True):
    """All that a footer says.

    blobs       in the order of the footer, which need not be that of the file
    properties  of the file, such as ``created-by``
    extra       JSON fields that the spec does not know, as in `BlobMetadata`

    Source: https://iceberg.apache.org/puffin-spec/#filemetadata
    """

    blobs: list[BlobMetadata]
    properties: dict[str, str] = {}
    extra: dict[str, Any] = {}


_FILE_FIELDS: Final = frozenset(FileMetadata.__struct_encode_fields__) - {"extra"}
_BLOB_FIELDS: Final = frozenset(BlobMetadata.__struct_encode_fields__) - {"extra"}

_DECODER: Final = msgspec.json.Decoder(FileMetadata)
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


def decode(payload: bytes) -> FileMetadata | None:
    """Read a footer's JSON, or return None where only a closer look can tell what it holds."""
    try:
        metadata = _DECODER.decode(payload)
        return metadata if _is_all_of(metadata, payload) else None
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def encode(metadata: FileMetadata) -> bytes:
    """Return *metadata* as JSON: no blanks, keys in the order of the spec, unknown ones last."""
    if not metadata.extra and not any(blob.extra for blob in metadata.blobs):
        return _ENCODER.encode(metadata)
    return _ENCODER.encode({**plain(metadata), "blobs": [plain(blob) for blob in metadata.blobs]})


def _is_all_of(metadata: FileMetadata, payload: bytes) -> bool:
    """Whether *metadata* is surely all that *payload* says."""
    # `extra` is ours; a field of that name in the JSON is an unknown one like any other.
    if metadata.extra or any(blob.extra for blob in metadata.blobs):
        return False
    again = _ENCODER.encode(metadata)
    if again == payload or again == (compact := msgspec.json.format(payload, indent=-1)):
        return True
    # Keys in another order, or empty values spelt out: then plain objects have to come back.
    tree = msgspec.json.decode(payload)
    return (
        _ENCODER.encode(tree) == compact
        and tree.keys() <= _FILE_FIELDS
        and all(blob.keys() <= _BLOB_FIELDS for blob in tree["blobs"])
    )


def plain(struct: BlobMetadata | FileMetadata) -> dict[str, Any]:
    """Return the JSON object that *struct* stands for, unknown fields among the others."""
    known: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(struct, extra={}))
    return {**known, **struct.extra}
