"""The JSON object in a metadata file, plain or gzipped, regardless of the file's name.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

import gzip
import re
import zlib
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import msgspec

from byteloom.documents.json_places import line_and_column, offset_of
from byteloom.documents.json_values import check_json_values
from byteloom.errors import FormatError, LimitExceeded
from byteloom.files.kinds import GZIP_MAGIC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.limits import Limits

__all__ = ["json_text", "parsed", "placed"]

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
