"""The trailer: what it says, held against the size of the file.

- A file of version 3 ends in 4096 bytes of trailer, one of version 2 in 212.
- Nothing protects a trailer, so that every field is checked against the others and the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError, Truncated, Unsupported
from byteloom.hfile.codecs import CODECS
from byteloom.hfile.messages import TRAILER, fields
from byteloom_generated.hfile import trailer as layout

if TYPE_CHECKING:
    from byteloom.limits import Limits

__all__ = ["HEADER_SIZE", "Trailer", "read_trailer"]

HEADER_SIZE: Final = 33
"""Bytes of a block's header."""

_SIZES: Final = {2: 212, 3: 4096}
_NO_BLOCK: Final = (1 << 64) - 1
_MOST_LEVELS: Final = 16
_ORDERS: Final = ("KVComparator", "KeyComparator", "CellComparator", "CellComparatorImpl")
_KNOWN_COMPARATORS: Final = (
    *_ORDERS, "MetaComparator", "MetaCellComparator", "RawBytesComparator",
    "ByteArrayComparator", "HoodieHBaseKVComparator", "HoodieKVComparator",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Trailer:
    """What the trailer says; offsets count from the start of the file.

    minor                    of the version
    offset                   where the trailer begins
    encryption_key           None where the field is absent, which is not the same as empty
    first_data_block_offset  None in a file without cells; so is the last
    """

    major: int
    minor: int
    offset: int
    file_info_offset: int
    load_on_open_data_offset: int
    uncompressed_data_index_size: int
    total_uncompressed_bytes: int | None
    data_index_count: int
    meta_index_count: int
    entry_count: int
    num_data_index_levels: int
    first_data_block_offset: int | None
    last_data_block_offset: int | None
    comparator_class_name: str
    compression_codec: str
    encryption_key: bytes | None

    @property
    def is_meta_order(self) -> bool:
        """Whether rows are ordered as in HBase's catalog, by the parts between their commas."""
        return "Meta" in self.comparator_class_name


def read_trailer(tail: bytes, size: int, limits: Limits) -> Trailer:
    """Return the trailer of a file of *size* bytes that ends in *tail*.

    raises  `Unsupported` for other versions than 2 and 3, `FormatError` for what cannot be
    """
    if size < min(_SIZES.values()):
        wanted = f"at least {min(_SIZES.values())} bytes in an HFile"
        raise Truncated("trailer", None, f"{size} bytes", wanted)
    version = layout.Version.from_bytes(tail[-4:], origin=size - 4)
    if version.major not in _SIZES:
        raise _no_version(version, tail, size)
    length = _SIZES[version.major]
    if size < length:
        raise Truncated("trailer", None, f"{size} bytes", f"{length} bytes")
    at = size - length
    record = layout.Trailer.from_bytes(tail[-length:], limits=limits, origin=at)
    if record.padding.strip(b"\0"):
        raise FormatError("trailer.padding", at, record.padding.strip(b"\0")[:8], "zeros")
    if version.minor > 3 or (version.major == 2 and version.minor != 3):  # noqa: PLR2004  the newest
        wanted = "3.0 to 3.3, or 2.3"
        raise Unsupported("trailer.version", size - 4, f"{version.major}.{version.minor}", wanted)
    try:
        said = fields(record.body.message, TRAILER, limits=limits, origin=at)
        trailer = _checked(said, version, at)
    except FormatError as error:
        error.offset = at if error.offset is None else error.offset
        raise error.inside("trailer") from error.__cause__
    return trailer


def _no_version(version: layout.Version, tail: bytes, size: int) -> FormatError:
    found = f"{version.major}.{version.minor}"
    if version.major in {1, 4}:
        return Unsupported("trailer.version", size - 4, found, "version 2 or 3 of HFile")
    return FormatError("trailer.version", size - 4, tail[-4:], "the version of an HFile, 2 or 3")


def _checked(said: dict[str, int | bytes], version: layout.Version, at: int) -> Trailer:
    def number(name: str) -> int:
        value = said.get(name, 0)
        return value if isinstance(value, int) else 0

    def offset(name: str) -> int | None:
        value = number(name)
        return None if value == _NO_BLOCK else value

    load, info, levels = (
        number("load_on_open_data_offset"),
        number("file_info_offset"),
        number("num_data_index_levels"),
    )
    _within("load_on_open_data_offset", load, 0, at - HEADER_SIZE)
    _within("file_info_offset", info, load, at - HEADER_SIZE)
    _within("num_data_index_levels", levels, 1, _MOST_LEVELS)
    first, last = offset("first_data_block_offset"), offset("last_data_block_offset")
    if first is None:
        if last:  # Hudi leaves 0 there
            raise FormatError("last_data_block_offset", None, last, "none without a first one")
        last = None
    if first is not None and last is not None:
        _within("last_data_block_offset", last, first, load)
    key = said.get("encryption_key")
    return Trailer(
        major=version.major,
        minor=version.minor,
        offset=at,
        file_info_offset=info,
        load_on_open_data_offset=load,
        uncompressed_data_index_size=number("uncompressed_data_index_size"),
        total_uncompressed_bytes=(
            number("total_uncompressed_bytes") if "total_uncompressed_bytes" in said else None
        ),
        data_index_count=number("data_index_count"),
        meta_index_count=number("meta_index_count"),
        entry_count=number("entry_count"),
        num_data_index_levels=levels,
        first_data_block_offset=first,
        last_data_block_offset=last,
        comparator_class_name=_comparator(said.get("comparator_class_name")),
        compression_codec=_codec(said.get("compression_codec", CODECS.index("NONE"))),
        encryption_key=key if isinstance(key, bytes) else None,
    )


def _within(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise FormatError(name, None, value, f"{least} to {most}")


def _comparator(name: int | bytes | None) -> str:
    if not isinstance(name, bytes):
        raise FormatError("comparator_class_name", None, "none", "the class that orders the keys")
    text = name.decode("utf-8", "replace")
    if text.replace("$", ".").rpartition(".")[2] not in _KNOWN_COMPARATORS:
        wanted = f"a class named one of {', '.join(_KNOWN_COMPARATORS)}"
        raise Unsupported("comparator_class_name", None, text, wanted)
    return text


def _codec(number: int | bytes) -> str:
    if not isinstance(number, int) or number >= len(CODECS):
        raise FormatError("compression_codec", None, number, f"0 to {len(CODECS) - 1}")
    return CODECS[number]
