"""Integers of variable length, made: what the spec only says how to read.

Source: specs/hfile/varints.ksy
"""

from __future__ import annotations

from byteloom_generated.hfile.varints import HadoopVlong, ProtobufVarint

__all__ = ["hadoop_vlong", "protobuf_varint"]

_ONE_BYTE = -112
_NEGATIVE = -120


def hadoop_vlong(value: int) -> HadoopVlong:
    """Return *value*, from -2^63 to 2^63 - 1, in Hadoop's form, which is the shortest."""
    if _ONE_BYTE <= value <= 127:  # noqa: PLR2004  what fits a signed byte
        return HadoopVlong(first=value, rest=[])
    magnitude = value if value >= 0 else -1 - value
    size = max((magnitude.bit_length() + 7) // 8, 1)
    first = (_ONE_BYTE if value >= 0 else _NEGATIVE) - size
    return HadoopVlong(first=first, rest=list(magnitude.to_bytes(size, "big")))


def protobuf_varint(value: int) -> ProtobufVarint:
    """Return *value*, from 0 to 2^64 - 1, in protobuf's form, in as few bytes as it takes."""
    groups = []
    while value > 127:  # noqa: PLR2004  seven bits in each byte
        groups.append(value & 127 | 128)
        value >>= 7
    return ProtobufVarint(groups=[*groups, value])
