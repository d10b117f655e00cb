"""Integers of variable length as they are written, and protobuf messages after their lengths.

The spec of the integers describes only how to read them.

Source: specs/hfile/messages.proto, specs/hfile/varints.ksy
"""

from __future__ import annotations

from byteloom.documents.messages import Message
from byteloom.limits import Limits
from byteloom.wire.varints import hadoop_bytes, uleb128_bytes
from byteloom_generated.hfile.delimited import Delimited
from byteloom_generated.hfile.messages import InfoProto
from byteloom_generated.hfile.varints import HadoopVlong, ProtobufVarint

__all__ = ["delimited", "hadoop_vlong", "pairs", "place_of_message", "protobuf_varint"]


def hadoop_vlong(value: int) -> HadoopVlong:
    """Return *value*, from -2^63 to 2^63 - 1, in Hadoop's form, which is the shortest."""
    return HadoopVlong.from_bytes(hadoop_bytes(value))


def protobuf_varint(value: int) -> ProtobufVarint:
    """Return *value*, from 0 to 2^64 - 1, as protobuf's varint, in the fewest bytes."""
    return ProtobufVarint.from_bytes(uleb128_bytes(value))


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
