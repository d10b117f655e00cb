"""The JSON object in a metadata file, plain or gzipped, whatever its name says.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import msgspec

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kinds import GZIP_MAGIC
from byteloom.wire.json_values import check_json_values

if TYPE_CHECKING:
    from byteloom.limits import Limits

__all__ = ["json_text", "parsed"]

_PART: Final = 1 << 20


def json_text(data: bytes, limits: Limits) -> bytes:
    """Return the JSON that a file holds, which may be invalid.

    FormatError    damaged gzip data
    LimitExceeded  more than ``limits.metadata_size`` bytes, or than ``limits.json_values``
    """
    text = _unzipped(data, limits)
    check_json_values("table-metadata", text, limits)
    return text


def parsed(text: bytes) -> Any:
    """Return the value of some JSON; `FormatError` if it is invalid."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FormatError(
            "table-metadata", None, f"invalid JSON: {error}", "one JSON object"
        ) from error


def _unzipped(data: bytes, limits: Limits) -> bytes:
    """The JSON text, whatever it is wrapped in."""
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
    """All members of a gzipped file; of more than *most* bytes a little more than these."""
    parts, size = [], 0
    with gzip.open(BytesIO(data)) as members:
        # In parts: a single call would allocate *most* bytes, however few there are.
        while size <= most and (part := members.read(_PART)):
            parts.append(part)
            size += len(part)
    return b"".join(parts)
