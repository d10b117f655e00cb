"""Puffin files put together by hand, good or bad, without byteloom's writer."""

from __future__ import annotations

import json
from typing import Any

MAGIC = b"PFA1"


def blob(offset: int = 4, length: int = 0, **fields: Any) -> dict[str, Any]:
    """A blob's JSON object; *fields* go over it, ``snapshot_id`` as ``snapshot-id``."""
    plain = {
        "type": "a", "fields": [1], "snapshot-id": 2, "sequence-number": 1,
        "offset": offset, "length": length,
    }  # fmt: skip
    return plain | {name.replace("_", "-"): value for name, value in fields.items()}


def puffin(
    payload: Any = None, blobs: bytes = b"", *, flags: int = 0, size: int | None = None
) -> bytes:
    """A file; *payload* is the footer's, as bytes or as something to make JSON of.

    size  the payload's length according to the tail, if it is to be wrong
    """
    if not isinstance(payload, bytes):
        payload = json.dumps({"blobs": []} if payload is None else payload).encode()
    length = len(payload) if size is None else size
    tail = length.to_bytes(4, "little", signed=True) + flags.to_bytes(4, "little") + MAGIC
    file: bytes = MAGIC + blobs + MAGIC + payload + tail
    return file
