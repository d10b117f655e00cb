"""The parts of a blob that its type determines, and bytes of any object with a buffer."""

from __future__ import annotations

from typing import Any, NamedTuple

from byteloom.errors import FormatError

__all__ = ["BlobPieces", "as_bytes", "as_view"]


def as_view(path: str, data: Any) -> memoryview:
    """Return the bytes of *data* in one piece, copied only where they are not contiguous.

    Args:
        path: The name of *data* in errors.

    Raises:
        FormatError: For an object without bytes, such as text or a number.
    """
    try:
        view = memoryview(data)
    except TypeError as error:
        raise FormatError(path, None, type(data).__name__, "bytes") from error
    if not view.nbytes:
        return memoryview(b"")  # an empty view of several dimensions cannot be cast
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())


def as_bytes(path: str, data: Any) -> bytes:
    """Return the same as `bytes`; an object that is `bytes` already is returned as it is."""
    return data if isinstance(data, bytes) else bytes(as_view(path, data))


class BlobPieces(NamedTuple):
    """The parts of a blob that its type determines.

    Attributes:
        type: The blob type, as the Puffin spec names it.
        data: The blob's bytes.
        properties: The properties that the footer gives a blob of this type.
    """

    type: str
    data: bytes
    properties: dict[str, str]
