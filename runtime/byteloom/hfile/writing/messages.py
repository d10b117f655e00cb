"""File info and trailer going out, as protobuf messages.

- Pairs of the file info stand in the order of their names.
- Fields of the trailer ascend; numbers below zero are those of 64 bits that protobuf makes of them.

Source: specs/hfile/messages.proto
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.hfile.messages import BYTES, PAIR, TRAILER, VARINT
from byteloom.hfile.varints import protobuf_varint
from byteloom_generated.hfile.file_info import FileInfo
from byteloom_generated.hfile.messages import Delimited, Field, Messages
from byteloom_generated.hfile.trailer import Trailer, Version

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["delimited", "file_info_payload", "message", "trailer_bytes"]

_SIZE: Final = 4096
_AROUND: Final = 12
"""Bytes of a trailer that are its magic and version."""


def file_info_payload(info: Mapping[bytes, bytes]) -> bytes:
    """Return the payload of a file info block.

    raises  `FormatError` for names and values that are no bytes
    """
    for name, value in info.items():
        if {type(name), type(value)} != {bytes}:
            found = f"{type(name).__name__}, {type(value).__name__}"
            raise FormatError("file_info", None, found, "bytes, bytes")
    pairs = [
        _bytes(1, message({"first": name, "second": value}, PAIR))
        for name, value in sorted(info.items())
    ]
    return FileInfo(body=delimited(Messages(fields=pairs).to_bytes())).to_bytes()


def trailer_bytes(said: Mapping[str, int | bytes], minor: int) -> bytes:
    """Return the trailer of version 3 that says *said*, by the names of the fields."""
    body = delimited(message(said, TRAILER))
    padding = _SIZE - _AROUND - len(body.to_bytes())
    if padding < 0:
        raise LimitExceeded("trailer", None, f"{_SIZE - padding} bytes", f"at most {_SIZE}")
    version = Version(minor=minor, major=3)
    return Trailer(body=body, padding=bytes(padding), version=version).to_bytes()


def message(said: Mapping[str, int | bytes], table: Mapping[int, tuple[str, int]]) -> bytes:
    """Return a message of the fields that *table* names, those that are said."""
    fields = []
    for number, (name, _) in sorted(table.items()):
        value = said.get(name)
        if isinstance(value, int):
            key = protobuf_varint(number << 3 | VARINT)
            fields.append(Field(key=key, varint=protobuf_varint(value % (1 << 64))))
        elif value is not None:
            fields.append(_bytes(number, value))
    return Messages(fields=fields).to_bytes()


def _bytes(number: int, value: bytes) -> Field:
    key = protobuf_varint(number << 3 | BYTES)
    return Field(key=key, len_bytes=protobuf_varint(len(value)), bytes_=value)


def delimited(message: bytes) -> Delimited:
    """Return *message* behind its length."""
    return Delimited(len_message=protobuf_varint(len(message)), message=message)
