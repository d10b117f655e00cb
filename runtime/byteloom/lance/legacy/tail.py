"""The end of a file of version 0.1: where its batches, its pages and its schema are.

Source: specs/lance/tail.ksy, specs/lance/file.proto
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError, Truncated, count_of_bytes
from byteloom.lance.fields import tree_of
from byteloom.lance.file_tail import V0_1, FileSchema, FileTail
from byteloom.lance.framed import read_framed
from byteloom_generated.lance.file import FileDescriptor, Metadata, Schema
from byteloom_generated.lance.table import Manifest
from byteloom_generated.lance.tail import LegacyTail

__all__ = ["read_legacy_tail"]

if TYPE_CHECKING:
    from byteloom.lance.tailed_file import TailedFile
    from byteloom.limits import Limits


def read_legacy_tail(file: TailedFile, limits: Limits) -> FileTail:
    """Return the places of batches, pages and schema from the end of a file of version 0.1.

    raises  `FormatError` for damage, `LimitExceeded`
    """
    if file.size < LegacyTail.SIZE:
        wanted = f"at least {LegacyTail.SIZE} bytes in a file of version {V0_1}"
        raise Truncated("legacy_tail", 0, count_of_bytes(file.size), wanted)
    at = file.size - LegacyTail.SIZE
    footer = LegacyTail.from_bytes(file.tail[-LegacyTail.SIZE :], origin=at)
    data, place = read_framed(file, footer.ofs_message, at, "metadata", limits)
    metadata = _metadata(data, place, limits)
    if not (metadata.batch_offsets or metadata.manifest_position):
        found = f"a message of {count_of_bytes(len(data))} with neither"
        raise FormatError("metadata", place, found, "batches or the place of a schema")
    _check_batches(metadata, place)
    rows = metadata.batch_offsets[-1] if metadata.batch_offsets else 0
    descriptor = FileDescriptor(schema=_schema(file, metadata, at, limits), length=rows)
    schema = FileSchema(descriptor, tree_of(descriptor.schema.fields, limits))
    return FileTail(V0_1, footer, at, [], [], schema, metadata)


def _metadata(data: bytes, place: int, limits: Limits) -> Metadata:
    """Return the message that the tail names; manifests of datasets have the same tail."""
    try:
        return Metadata.parse(data, limits=limits, origin=place, path="metadata")
    except FormatError:
        try:
            manifest = Manifest.parse(data, limits=limits)
        except ByteloomError:
            manifest = Manifest()
        if not (manifest.version and manifest.fields):
            raise
    found = f"the manifest of version {manifest.version} of a dataset"
    wanted = "a file with rows; byteloom.lance.open_dataset opens datasets"
    raise FormatError("metadata", place, found, wanted)


def _schema(file: TailedFile, metadata: Metadata, end: int, limits: Limits) -> Schema:
    """Return the schema of the manifest inside the file; without fields if it has none."""
    if not metadata.manifest_position:
        return Schema()
    place = metadata.manifest_position
    data, place = read_framed(file, place, end, "manifest", limits)
    manifest = Manifest.parse(data, limits=limits, origin=place, path="manifest")
    return Schema(fields=manifest.fields, metadata=manifest.schema_metadata)


def _check_batches(metadata: Metadata, at: int) -> None:
    """Refuse batches that do not begin with row 0, or end before they begin."""
    offsets = metadata.batch_offsets
    path = "metadata.batch_offsets"
    if offsets and offsets[0] != 0:
        raise FormatError(f"{path}[0]", at, offsets[0], "0")
    for number, (start, stop) in enumerate(pairwise(offsets)):
        if stop < start:
            raise FormatError(f"{path}[{number + 1}]", at, stop, f"{start} or more")
