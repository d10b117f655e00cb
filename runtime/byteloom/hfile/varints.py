"""Write integers of variable length; the spec only describes how they are read.

Source: specs/hfile/varints.ksy
"""

from __future__ import annotations

from byteloom.wire.varints import hadoop_bytes, uleb128_bytes
from byteloom_generated.hfile.varints import HadoopVlong, ProtobufVarint

__all__ = ["hadoop_vlong", "protobuf_varint"]


def hadoop_vlong(value: int) -> HadoopVlong:
    """Return *value*, from -2^63 to 2^63 - 1, in Hadoop's form, which is the shortest."""
    return HadoopVlong.from_bytes(hadoop_bytes(value))


def protobuf_varint(value: int) -> ProtobufVarint:
    """Return *value*, from 0 to 2^64 - 1, in protobuf's form, in as few bytes as it takes."""
    return ProtobufVarint.from_bytes(uleb128_bytes(value))
