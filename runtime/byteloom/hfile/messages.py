"""The protobuf messages of an HFile, by the numbers of specs/hfile/messages.proto.

Fields of numbers that are not in the table are left out, as protobuf asks of readers; of one that
is met twice the last one counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom_generated.hfile.messages import Messages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.limits import Limits

__all__ = ["PAIR", "TRAILER", "WRAPPED_KEY", "fields", "pairs", "unknown_fields"]

VARINT: Final = 0
BYTES: Final = 2

TRAILER: Final = {
    1: ("file_info_offset", VARINT),
    2: ("load_on_open_data_offset", VARINT),
    3: ("uncompressed_data_index_size", VARINT),
    4: ("total_uncompressed_bytes", VARINT),
    5: ("data_index_count", VARINT),
    6: ("meta_index_count", VARINT),
    7: ("entry_count", VARINT),
    8: ("num_data_index_levels", VARINT),
    9: ("first_data_block_offset", VARINT),
    10: ("last_data_block_offset", VARINT),
    11: ("comparator_class_name", BYTES),
    12: ("compression_codec", VARINT),
    13: ("encryption_key", BYTES),
}
PAIR: Final = {1: ("first", BYTES), 2: ("second", BYTES)}
WRAPPED_KEY: Final = {
    1: ("algorithm", BYTES),
    2: ("length", VARINT),
    3: ("data", BYTES),
    4: ("iv", BYTES),
    5: ("hash", BYTES),
    6: ("hash_algorithm", BYTES),
}
_MAP_ENTRY: Final = 1


def fields(
    message: bytes, table: Mapping[int, tuple[str, int]], *, limits: Limits, origin: int = 0
) -> dict[str, int | bytes]:
    """Return the fields of *message* by their names in *table*.

    origin  where the message lies in its file, for what errors say
    """
    found: dict[str, int | bytes] = {}
    for field in Messages.from_bytes(message, limits=limits, origin=origin).fields:
        told = field.wire_type
        name, kind = table.get(field.number, ("", told))
        if told != kind or told not in {0, 1, 2, 5}:
            raise FormatError(name or "fields", origin, f"wire type {told}", f"{kind}")
        if name and field.varint is not None:
            found[name] = field.varint.value
        elif name and field.bytes_ is not None:
            found[name] = field.bytes_
    return found


def unknown_fields(
    message: bytes, table: Mapping[int, tuple[str, int]], *, limits: Limits
) -> list[int]:
    """Return the numbers in *message* that are not in *table*, each as often as it is met."""
    found = Messages.from_bytes(message, limits=limits).fields
    return [field.number for field in found if field.number not in table]


def pairs(message: bytes, *, limits: Limits, origin: int = 0) -> dict[bytes, bytes]:
    """Return the pairs of an InfoProto, in its order; of equal keys the last counts."""
    found: dict[bytes, bytes] = {}
    for index, field in enumerate(
        Messages.from_bytes(message, limits=limits, origin=origin).fields
    ):
        if field.number != _MAP_ENTRY or field.bytes_ is None:
            continue
        pair = fields(field.bytes_, PAIR, limits=limits, origin=origin)
        first, second = pair.get("first"), pair.get("second")
        if not isinstance(first, bytes) or not isinstance(second, bytes):
            raise FormatError(f"map_entry[{index}]", origin, sorted(pair), "first and second")
        found[first] = second
    return found
