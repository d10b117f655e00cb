"""Lance datasets with columns of blobs of version 2, and files with their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from tests.support.lance_datasets import fragment, put_dataset
from tests.support.lance_files import lance_field
from tests.support.written_lance import written

from byteloom import lance
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom_generated.lance.encodings import BLOB_DESCRIPTOR

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["ONE", "PACKED", "SIX", "TYPE", "V2", "blob_dataset", "blob_fields", "place", "put"]

PACKED = {"lance-encoding:packed": b"true", "lance-encoding:blob": b"true"}
V2 = {"ARROW:extension:name": b"lance.blob.v2", "ARROW:extension:metadata": b""}
X = lance_field("x", "int64")
TYPES = [pa.uint8(), pa.uint64(), pa.uint64(), pa.uint32(), pa.string()]
TYPE = pa.struct(
    [
        pa.field(each.name, type_, nullable=False)
        for each, type_ in zip(BLOB_DESCRIPTOR, TYPES, strict=True)
    ]
)
SIX = "01100000000000000000000000000000.blob"
ONE = "10000000000000000000000000000000.blob"


def place(kind: int, position: int, size: int, number: int = 0, uri: str = "") -> dict[str, Any]:
    """A descriptor."""
    values = (kind, position, size, number, uri)
    return {each.name: value for each, value in zip(BLOB_DESCRIPTOR, values, strict=True)}


def blob_fields(first: int = 1, parent: int = -1) -> list[Any]:
    """The field of blobs, as manifests have it."""
    return [
        lance_field("b", "struct", first, parent_id=parent, metadata=V2),
        lance_field("data", "large_binary", first + 1, parent_id=first),
        lance_field("uri", "string", first + 2, parent_id=first),
    ]


def blob_dataset(
    folder: Path,
    *fragments: Sequence[dict[str, Any] | None],
    limits: Limits = DEFAULT_LIMITS,
    allow: Any = None,
    **values: Any,
) -> lance.Dataset:
    """A dataset of a number and a blob; *fragments* have the descriptors of their rows."""
    made = []
    field = pa.field("b", TYPE, metadata=PACKED)
    for number, rows in enumerate(fragments):
        columns = [pa.array(range(len(rows)), pa.int64()), pa.array(rows, TYPE)]
        table = pa.table(columns, schema=pa.schema([("x", pa.int64()), field]))
        made.append(fragment(folder, number, len(rows), ([0, 1], written(table, "2.2"))))
    put_dataset(folder, [X, *blob_fields()], *made, data_version="2.2", **values)
    return lance.open_dataset(folder, limits=limits, allow=allow)


def put(folder: Path, name: str, data: bytes) -> None:
    """Put a file of blobs."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
