"""The JSON object in a metadata file, plain or gzipped, and what must be true of it to be used.

The rules:

- A file is read regardless of its name.
- Ids refer to existing objects; `byteloom.iceberg.verification` checks everything else.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

import gzip
import itertools
import re
import zlib
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import msgspec

from byteloom.documents.json_text import check_json_values, line_and_column, offset_of
from byteloom.errors import FormatError, LimitExceeded, Unsupported, beginning
from byteloom.files.kinds import GZIP_MAGIC
from byteloom.iceberg.transforms import Void

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.limits import Limits
    from byteloom_generated.iceberg.table_metadata import SnapshotReference, TableMetadata


__all__ = [
    "MAIN",
    "check_log",
    "check_orders",
    "check_refs",
    "check_specs",
    "check_version",
    "json_text",
    "parsed",
    "placed",
]

_PART: Final = 1 << 20
_BYTE: Final = re.compile(r" \(byte (\d+)\)$")
"""How msgspec's messages end."""


def json_text(data: bytes, limits: Limits) -> bytes:
    """Return the JSON in a file; it may be invalid.

    Raises:
        FormatError: Damaged gzip data.
        LimitExceeded: More than ``limits.metadata_size`` bytes or ``limits.json_values`` values.
    """
    text = _unzipped(data, limits)
    check_json_values("table-metadata", text, limits)
    return text


def parsed(text: bytes) -> Any:
    """Return the value of a JSON text; `FormatError` with the place in *text* if it is invalid."""
    try:
        return msgspec.json.decode(text)
    except UnicodeDecodeError as error:
        at = _first_invalid(text)
        found = f"byte 0x{text[at]:02x} ({line_and_column(text, at)})"
        raise FormatError("table-metadata", at, found, "UTF-8") from error
    except (msgspec.DecodeError, RecursionError) as error:
        message, place = _place_of(str(error), len(text))
        where = "" if place is None else f" ({line_and_column(text, place)})"
        found = f"invalid JSON: {message}{where}"
        raise FormatError("table-metadata", place, found, "one JSON object") from error


@contextmanager
def placed(text: bytes, data: bytes) -> Iterator[None]:
    """Add the offset of its field to an error that has none.

    Args:
        text: The JSON.
        data: The file it comes from; if that is gzipped, the error says both places.
    """
    try:
        yield
    except FormatError as error:
        if error.offset is None:
            error.offset = offset_of(text, error.path)
        if error.offset is not None and text is not data:
            error.inside_decompressed("JSON", 0, len(data))
        raise


def _first_invalid(text: bytes) -> int:
    """Return the first byte that is not UTF-8; msgspec counts from the start of a string."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _place_of(message: str, size: int) -> tuple[str, int | None]:
    """Return msgspec's message and the byte it names; the end for JSON that was cut off."""
    found = _BYTE.search(message)
    if found is not None:
        return message[: found.start()], min(int(found[1]), size)
    return message, size if "truncated" in message else None


def _unzipped(data: bytes, limits: Limits) -> bytes:
    """Return the JSON text of a plain or gzipped file."""
    if data[:2] == GZIP_MAGIC:
        try:
            text = _inflated(data, limits.metadata_size)
        except EOFError as error:
            found = "gzip data that is cut off"
            raise FormatError("table-metadata", len(data), found, "all of it") from error
        except (zlib.error, gzip.BadGzipFile) as error:
            raise FormatError("table-metadata", 0, "damaged gzip data", "gzipped JSON") from error
        data = text
    if len(data) > limits.metadata_size:
        raise LimitExceeded(
            "table-metadata",
            None,
            f"{len(data)} bytes",
            f"limits.metadata_size ({limits.metadata_size})",
        )
    return data


def _inflated(data: bytes, most: int) -> bytes:
    """Decompress all members of a gzipped file; beyond *most* bytes, stop soon after."""
    parts, size = [], 0
    with gzip.open(BytesIO(data)) as members:
        # In parts: a single call would allocate *most* bytes, however few there are.
        while size <= most and (part := members.read(_PART)):
            parts.append(part)
            size += len(part)
    return b"".join(parts)


MAIN: Final = "main"
"""The branch whose snapshot is the current one."""

_VERSIONS: Final = (1, 2, 3)
_CLOCK_SKEW: Final = 60_000
"""Milliseconds that the clocks of two writers may differ."""


def check_version(document: Any) -> int:
    """Return the format version of a document; refuse one that is no table metadata."""
    if not isinstance(document, dict):
        raise FormatError("table-metadata", None, beginning(document, 60), "an object")
    version = document.get("format-version")
    if type(version) is not int:
        found = "nothing" if version is None else repr(version)
        raise FormatError("format-version", None, found, "1, 2 or 3")
    if version not in _VERSIONS:
        raise Unsupported("format-version", None, repr(version), "1, 2 or 3")
    _check_current_schema(document)
    return version


def _check_current_schema(document: dict[str, Any]) -> None:
    """Refuse a missing current schema before any other check."""
    schemas, current = document.get("schemas"), document.get("current-schema-id")
    if current is None or not isinstance(schemas, list):
        return
    ids = [each.get("schema-id", 0) for each in schemas if isinstance(each, dict)]
    if current not in ids:
        wanted = f"the id of a schema: {', '.join(map(str, ids)) or 'none is there'}"
        raise FormatError("current-schema-id", None, repr(current), wanted)


def check_specs(specs: Iterable[PartitionSpec], default: PartitionSpec, schema: Schema) -> None:
    """Check the source columns of partition fields.

    Args:
        default: The spec that writers use.
        schema: The current one.
    """
    for spec in specs:
        ids = [each.field_id for each in spec.fields]
        if len(set(ids)) != len(ids):
            raise FormatError(f"partition-specs[{spec.spec_id}]", None, "a field id twice", "once")
    for field in default.fields:
        gone = [each for each in field.source_ids if schema.find(each) is None]
        if gone and not isinstance(field.transform, Void):
            where = f"partition-specs[{default.spec_id}].{field.name}"
            raise FormatError(where, None, f"source column {gone[0]}", "a column of the schema")


def check_refs(
    refs: Mapping[str, SnapshotReference], snapshots: Collection[int], current: int | None
) -> None:
    """Check that branches and tags name existing snapshots.

    Args:
        snapshots: The ids of all snapshots.
        current: The id of the current one.
    """
    for name, ref in refs.items():
        if ref.snapshot_id not in snapshots:
            raise FormatError(
                f"refs.{name}", None, f"snapshot {ref.snapshot_id}", "a snapshot of the metadata"
            )
    main = refs.get(MAIN)
    if main is not None and main.snapshot_id != current:
        wanted = "no such branch: there is no current snapshot" if current is None else str(current)
        raise FormatError("refs.main", None, str(main.snapshot_id), wanted)


def check_log(document: TableMetadata) -> None:
    """Check that each snapshot has an id of its own, and that the snapshot log is in order."""
    if len({each.snapshot_id for each in document.snapshots}) != len(document.snapshots):
        raise FormatError("snapshots", None, "a snapshot id twice", "distinct ids")
    log = [each.timestamp_ms for each in document.snapshot_log]
    if any(later < earlier - _CLOCK_SKEW for earlier, later in itertools.pairwise(log)):
        raise FormatError("snapshot-log", None, "entries out of order", "the oldest first")


def check_orders(default: int, orders: Collection[int]) -> None:
    """Check that the sort order that writers use is one of the table's, whose ids these are."""
    if default not in orders:
        raise FormatError("default-sort-order-id", None, repr(default), "the id of a sort order")
