"""Messages with their size in front, as in manifests and in files of version 0.1.

Source: specs/lance/tail.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom_generated.lance.tail import FramedMessage

if TYPE_CHECKING:
    from byteloom.limits import Limits

__all__ = ["read_framed"]

_SIZE: Final = FramedMessage.MIN_SIZE
"""Bytes of the size of a message."""


class _Ranged(Protocol):
    def read(self, offset: int, length: int) -> bytes:
        """Return exactly *length* bytes from *offset* on."""


def read_framed(
    source: _Ranged, offset: int, end: int, path: str, limits: Limits
) -> tuple[bytes, int]:
    """Return a message that has its size in front, and the offset of the message.

    Args:
        offset: Offset of the size.
        end: Upper bound of the end of the message.
        path: Its name in errors.

    Raises:
        Truncated: Bytes are missing.
        LimitExceeded: For more than ``limits.metadata_size`` bytes.
    """
    if not 0 <= offset <= end - _SIZE:
        raise Truncated(
            f"{path}.len_message", offset, f"byte {offset}", f"{_SIZE} bytes before {end}"
        )
    size = int.from_bytes(source.read(offset, _SIZE), "little")
    if size > limits.metadata_size:
        wanted = f"at most {limits.metadata_size} (limits.metadata_size)"
        raise LimitExceeded(f"{path}.len_message", offset, size, wanted)
    stored = source.read(offset, min(_SIZE + size, end - offset))
    try:
        message = FramedMessage.from_bytes(stored, limits=limits, origin=offset).message
    except FormatError as error:
        error.inside(path)
        raise
    return message, offset + _SIZE
