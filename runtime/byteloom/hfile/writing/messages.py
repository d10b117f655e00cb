"""Write file info and trailer as protobuf messages.

- Pairs of the file info are in the order of their names.
- Fields of the trailer are in the order of their numbers.

Source: specs/hfile/messages.proto
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import ArgumentError, LimitExceeded
from byteloom.hfile.messages import delimited
from byteloom.hfile.trailer import SIZES
from byteloom_generated.hfile.file_info import FileInfo
from byteloom_generated.hfile.messages import BytesBytesPair, InfoProto
from byteloom_generated.hfile.trailer import Trailer, Version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom_generated.hfile.messages import TrailerProto

__all__ = ["file_info_payload", "trailer_bytes"]

_SIZE: Final = SIZES[3]
_AROUND: Final = 12
"""Bytes of a trailer's magic and version together."""


def file_info_payload(info: Mapping[bytes, bytes]) -> bytes:
    """Return the payload of a file info block.

    raises  `FormatError` for names and values that are not bytes
    """
    for name, value in info.items():
        if {type(name), type(value)} != {bytes}:
            found = f"{type(name).__name__}, {type(value).__name__}"
            raise ArgumentError("file_info", None, found, "bytes as key and value")
    entries = [BytesBytesPair(first=name, second=info[name]) for name in sorted(info)]
    return FileInfo(body=delimited(InfoProto(map_entry=entries))).to_bytes()


def trailer_bytes(said: TrailerProto, minor: int) -> bytes:
    """Return a trailer of version 3 with the message *said*."""
    body = delimited(said)
    padding = _SIZE - _AROUND - len(body.to_bytes())
    if padding < 0:
        raise LimitExceeded("trailer", None, f"{_SIZE - padding} bytes", f"at most {_SIZE}")
    version = Version(minor=minor, major=3)
    return Trailer(body=body, padding=bytes(padding), version=version).to_bytes()
