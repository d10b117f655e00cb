"""The content of a footer, as typed values and as JSON; how a blob is selected by it.

There are two ways to read the JSON, which always agree.  The quick one uses a decoder that takes
the last of repeated keys and ignores unknown fields, and then compares two counts: the quotes in
the bytes say how many strings (keys and values) the JSON has.  If fewer were decoded, there are
unknown fields, which are then fetched, or repeated keys.  If the counts still differ, the footer
goes through `byteloom.puffin.strict`, which says what is wrong and where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from operator import index
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct

from byteloom.errors import ArgumentError
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import Properties, redacted

__all__ = ["BlobMetadata", "FileMetadata", "Which", "chosen", "decode", "encode", "plain"]

_Int32 = Annotated[int, Meta(ge=-(1 << 31), le=(1 << 31) - 1)]
_Int64 = Annotated[int, Meta(ge=-(1 << 63), le=(1 << 63) - 1)]


class BlobMetadata(Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True):
    """The description of one blob in a footer.

    Attributes:
        type: One of the spec's blob types, or any other name.
        fields: Ids of the table's fields that it was computed from; their order matters.
        snapshot_id: Snapshot that it was computed from; -1 in a deletion vector.
        sequence_number: Sequence number of the snapshot; -1 in a deletion vector.
        offset: The offset of its first byte, from the start of the file.
        length: Its number of bytes as stored, after compression.
        compression_codec: ``lz4`` or ``zstd``; None for a blob stored as it is.
        properties: Other information from its writer.
        extra: JSON fields that the spec does not know; a number with a point or an exponent is
            a `decimal.Decimal`.

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

    def __repr__(self) -> str:
        """Fields and values, without secrets."""
        return redacted(super().__repr__())


class FileMetadata(Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True):
    """Everything that a footer says.

    Attributes:
        blobs: The blobs in the order of the footer, which need not be that of the file.
        properties: Properties of the file, such as ``created-by``.
        extra: JSON fields that the spec does not know, as in `BlobMetadata`.

    Source: https://iceberg.apache.org/puffin-spec/#filemetadata
    """

    blobs: list[BlobMetadata]
    properties: dict[str, str] = {}
    extra: dict[str, Any] = {}

    def __repr__(self) -> str:
        """Fields and values, without secrets."""
        return redacted(super().__repr__())


def _hiding(struct: Any) -> Callable[[Any], dict[str, str]]:
    """Hide secrets in the properties of *struct*; return a function that gets them unchanged."""
    held = vars(struct)["properties"]
    struct.properties = property(lambda self: Properties(held.__get__(self)))
    get: Callable[[Any], dict[str, str]] = held.__get__
    return get


_file_properties: Final = _hiding(FileMetadata)
_blob_properties: Final = _hiding(BlobMetadata)

_FILE_FIELDS: Final = frozenset(FileMetadata.__struct_encode_fields__) - {"extra"}
_BLOB_FIELDS: Final = frozenset(BlobMetadata.__struct_encode_fields__) - {"extra"}
_REQUIRED: Final = 6
"""Fields that every blob has; one of them, its type, is a string."""

_MOST_UNKNOWN: Final = 32
"""Each unknown name is looked up in every blob; the bound keeps this from taking quadratic time."""

_DECODER: Final = msgspec.json.Decoder(FileMetadata)
_ANYTHING: Final = msgspec.json.Decoder(float_hook=Decimal)
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


def decode(payload: bytes, limits: Limits = DEFAULT_LIMITS) -> FileMetadata | None:
    """Read a footer's JSON; return None if the strict reader has to find the error."""
    try:
        metadata = _DECODER.decode(payload)
        strings, (names, texts) = _count_strings(payload), _count_known(metadata)
        if strings != names + texts:
            names = _take_unknown(metadata, payload, limits)
        return metadata if strings == names + texts else None
    except (msgspec.MsgspecError, ValueError, ArithmeticError, RecursionError):
        return None


def encode(metadata: FileMetadata) -> bytes:
    """Return *metadata* as JSON: no spaces, keys in the order of the spec, unknown ones last."""
    if not metadata.extra and not any(blob.extra for blob in metadata.blobs):
        return _ENCODER.encode(metadata)
    return _ENCODER.encode({**plain(metadata), "blobs": [plain(blob) for blob in metadata.blobs]})


def _count_strings(payload: bytes) -> int:
    """The number of strings in JSON that is known to be valid."""
    quotes = payload.count(b'"')
    if b"\\" in payload:
        if rb"\\" in payload:  # a backslash before a quote may itself be escaped
            payload = payload.replace(rb"\\", b"")
        quotes -= payload.count(rb"\"")
    return quotes // 2


def _count_known(metadata: FileMetadata) -> tuple[int, int]:
    """Return the number of field names, if all are known ones, and the number of other strings."""
    blobs = metadata.blobs
    coded = len(blobs) - [blob.compression_codec for blob in blobs].count(None)
    held = [*filter(None, (_file_properties(metadata), *map(_blob_properties, blobs)))]
    names = 1 + len(held) + _REQUIRED * len(blobs) + coded
    texts = 2 * sum(map(len, held)) + len(blobs) + coded
    return names, texts


def _take_unknown(metadata: FileMetadata, payload: bytes, limits: Limits) -> int:
    """Add the unknown fields to *metadata*; return the number of names and strings in them."""
    tree = _ANYTHING.decode(payload)
    trees: list[dict[str, Any]] = tree["blobs"]
    count = len(tree) + sum(map(len, trees))
    count += _take([metadata], [tree], _FILE_FIELDS, limits)
    return count + _take(metadata.blobs, trees, _BLOB_FIELDS, limits)


def _take(
    structs: list[Any], trees: list[dict[str, Any]], known: frozenset[str], limits: Limits
) -> int:
    """Copy fields that are not *known* to *structs*; return how many strings their values have."""
    unknown = sorted(set().union(*trees) - known)
    if len(unknown) > _MOST_UNKNOWN:
        raise ValueError(unknown)
    if "extra" in unknown:  # the decoder took the last of them for the known field
        for struct in structs:
            struct.extra.clear()
    count = 0
    for name in unknown:
        found = [tree[name] for tree in trees if name in tree]
        owners = structs
        if len(found) < len(trees):
            owners = [each for each, tree in zip(structs, trees, strict=True) if name in tree]
        for struct, value in zip(owners, found, strict=True):
            struct.extra[name] = value
        count += _count_inside(found, limits.nesting + 1)
    return count


def _count_inside(values: Iterable[Any], depth: int) -> int:
    """The number of strings, including keys, in *values*, which nest no deeper than *depth*."""
    if depth == 0:
        raise RecursionError
    count = 0
    for value in values:
        kind = type(value)
        if kind is str:
            count += 1
        elif kind is list:
            count += _count_inside(value, depth - 1)
        elif kind is dict:
            count += len(value) + _count_inside(value.values(), depth - 1)
    return count


def plain(struct: BlobMetadata | FileMetadata) -> dict[str, Any]:
    """Return the JSON object of *struct*, with unknown fields."""
    known: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(struct, extra={}))
    return {**known, **struct.extra}


Which: TypeAlias = BlobMetadata | int | str
"""A blob's metadata, its number in the footer, from 0, or its type if only one blob has it."""


def chosen(blobs: Sequence[BlobMetadata], which: Which) -> BlobMetadata:
    """Return the blob that *which* selects; `FormatError` unless there is exactly one."""
    if isinstance(which, BlobMetadata):
        return which
    if isinstance(which, str):
        return _of_type(blobs, which)
    try:
        number = index(which)
    except TypeError as error:
        wanted = "the metadata of a blob, its number, or its type"
        raise ArgumentError("blob", None, type(which).__name__, wanted) from error
    if not 0 <= number < len(blobs):
        raise ArgumentError("blob", None, str(number), f"a number below {len(blobs)}, or a type")
    return blobs[number]


def _of_type(blobs: Sequence[BlobMetadata], type_: str) -> BlobMetadata:
    numbers = [number for number, blob in enumerate(blobs) if blob.type == type_]
    if len(numbers) != 1:
        found = f"{len(numbers)} blobs of type {type_}"
        types = ", ".join(dict.fromkeys(blob.type for blob in blobs)) or "no blobs"
        raise ArgumentError("blob", None, found, f"one of {', '.join(map(str, numbers)) or types}")
    return blobs[numbers[0]]
