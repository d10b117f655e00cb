"""Protobuf messages after their lengths, and the pairs of the file info.

Source: specs/hfile/messages.proto
"""

from __future__ import annotations

from byteloom.documents.messages import Message
from byteloom.hfile.varints import protobuf_varint
from byteloom.limits import Limits
from byteloom_generated.hfile.delimited import Delimited
from byteloom_generated.hfile.messages import InfoProto

__all__ = ["delimited", "pairs", "place_of_message"]


def delimited(message: Message) -> Delimited:
    """Return *message* with its length before it."""
    data = message.SerializeToString()
    return Delimited(len_message=protobuf_varint(len(data)), message=data)


def place_of_message(body: Delimited) -> int:
    """Return how many bytes precede the message."""
    return len(body.len_message.groups)


def pairs(message: bytes, *, limits: Limits, origin: int = 0) -> dict[bytes, bytes]:
    """Return the pairs of an InfoProto in its order; of equal keys the last one counts.

    Args:
        origin: Where the message begins in its block.
    """
    info = InfoProto.parse(message, limits=limits, origin=origin, path="file_info")
    return {each.first: each.second for each in info.map_entry}
