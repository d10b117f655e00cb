"""Write integers of variable length, whose spec describes only how to read them.

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
    """Return *value*, from 0 to 2^64 - 1, as protobuf's varint, in the fewest bytes."""
    return ProtobufVarint.from_bytes(uleb128_bytes(value))
