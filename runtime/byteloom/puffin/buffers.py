"""Bytes of any object with the buffer protocol."""

from __future__ import annotations

from typing import Any

from byteloom.errors import FormatError

__all__ = ["as_bytes", "as_view"]


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
