"""The trailer, parsed and checked against the size of the file.

- A file of version 3 ends in 4096 bytes of trailer, one of version 2 in 212.
- No checksum protects a trailer, so every field is checked against the others and the file.
- What no reader uses is only untidy: bytes after the message, an unknown minor version of version
  3, a missing name of the class that orders keys.  `verify` reports it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from byteloom.errors import FormatError, Truncated, Unsupported
from byteloom.files.kinds import HFILE, without_end, without_ends, without_start
from byteloom.hfile.blocks import FILE_TYPES, HEADER_SIZE
from byteloom.hfile.codecs import CODECS
from byteloom.hfile.messages import place_of_message
from byteloom.limits import Limits
from byteloom.storage import Source
from byteloom_generated.hfile import trailer as layout
from byteloom_generated.hfile.comparators import COMPARATORS
from byteloom_generated.hfile.messages import TrailerProto

__all__ = [
    "MOST_LEVELS",
    "SIZES",
    "Trailer",
    "examine_trailer",
    "name_missing_part",
    "read_trailer",
]

SIZES: Final = {major: layout.Version(minor=0, major=major).len_trailer for major in (2, 3)}
"""Bytes of a trailer, by major version."""

MOST_LEVELS: Final = 16
"""Most levels of an index: even with two entries a block, each level doubles the number of blocks.
"""

_MAGIC: Final = 8
_NO_BLOCK: Final = (1 << 64) - 1
_COMPARATORS: Final = {each.name: each for each in COMPARATORS}
_LEAST_MINOR: Final = 3
"""The least minor version of version 2 that HBase 2 still reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trailer:
    """The fields of the trailer; offsets count from the start of the file.

    Attributes:
        minor: Minor version.
        offset: Where the trailer begins.
        encryption_key: None where the field is absent, which is not the same as empty.
        absent: Names of absent fields, which have their defaults.
        unknown: Numbers of unknown fields.
        first_data_block_offset: None in a file without cells, like the last one.
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
    absent: frozenset[str] = frozenset()
    unknown: tuple[int, ...] = ()

    @property
    def is_for_hudi(self) -> bool:
        """Whether Hudi's comparator is named, in either form; Hudi long used HBase's own writer."""
        return self.comparator_class_name.startswith("org.apache.hudi.")

    @property
    def is_meta_order(self) -> bool:
        """Whether rows are ordered as in HBase's catalog, by the parts between their commas."""
        comparator = _COMPARATORS.get(_last_part(self.comparator_class_name))
        return comparator is not None and comparator.is_catalog


def read_trailer(tail: bytes, size: int, limits: Limits) -> Trailer:
    """Return the trailer of a file of *size* bytes that ends in *tail*.

    Raises:
        Unsupported: For versions other than 2 and 3.
        FormatError: For impossible values.
    """
    trailer, wrong, _ = examine_trailer(tail, size, limits)
    if wrong or trailer is None:
        raise wrong[0]
    return trailer


def _last_part(class_name: str) -> str:
    return class_name.replace("$", ".").rpartition(".")[2]


def name_missing_part(error: FormatError, source: Source, tail: bytes) -> FormatError:
    """Return *error* about a trailer, with a note if the file lacks its end or its beginning."""
    begins = source.read(0, min(_MAGIC, source.size)) in FILE_TYPES
    is_of_version = error.path == "trailer.version" and not isinstance(error, Unsupported)
    if not begins and is_of_version:
        return error.adding(without_ends(HFILE))
    if begins and (is_of_version or error.path == "trailer") and layout.Trailer.magic not in tail:
        return error.adding(without_end(HFILE))
    if not begins and error.path == "trailer.load_on_open_data_offset":
        return error.adding(without_start(HFILE))
    return error


def examine_trailer(
    tail: bytes, size: int, limits: Limits
) -> tuple[Trailer | None, list[FormatError], list[FormatError]]:
    """Return the trailer as far as it makes sense, and everything that is wrong or untidy in it.

    Returns:
        None where no field can be used; otherwise a wrong field has the safest value for it.
        What is untidy changes nothing that is read.
    """
    wrong: list[FormatError] = []
    untidy: list[FormatError] = []
    try:
        version, record, at = _record(tail, size, limits)
        if record.padding.strip(b"\0"):
            stray = record.padding.lstrip(b"\0")
            place = size - 4 - len(stray)
            untidy.append(FormatError("trailer.padding", place, stray[:8], "zeros"))
        if version.major == min(SIZES) and version.minor < _LEAST_MINOR:
            found = f"{version.major}.{version.minor}"
            wrong.append(Unsupported("trailer.version", size - 4, found, "version 3, or 2.3"))
        message = record.body.message
        start = at + len(record.magic) + place_of_message(record.body)
        said = TrailerProto.parse(message, limits=limits, origin=start, path="trailer")
    except FormatError as error:
        path = "" if error.path.startswith("trailer") else "trailer"
        return None, [*wrong, error.inside(path) if path else error], untidy
    return _Examined(said, version, at, wrong, untidy).trailer(), wrong, untidy


def _record(tail: bytes, size: int, limits: Limits) -> tuple[layout.Version, layout.Trailer, int]:
    """Return version and trailer as stored, and where the trailer begins."""
    if size < min(SIZES.values()):
        wanted = f"at least {min(SIZES.values())} bytes in an HFile"
        raise Truncated("trailer", None, f"{size} bytes", wanted)
    version = layout.Version.from_bytes(tail[-4:], origin=size - 4)
    if version.major not in SIZES:
        raise _no_version(version, tail, size)
    length = SIZES[version.major]
    if size < length:
        raise Truncated("trailer", None, f"{size} bytes", f"{length} bytes")
    at = size - length
    return version, layout.Trailer.from_bytes(tail[-length:], limits=limits, origin=at), at


def _no_version(version: layout.Version, tail: bytes, size: int) -> FormatError:
    found = f"{version.major}.{version.minor}"
    if version.major in {1, 4}:
        return Unsupported("trailer.version", size - 4, found, "version 2 or 3 of HFile")
    return FormatError("trailer.version", size - 4, tail[-4:], "the version of an HFile, 2 or 3")


class _Examined:
    """The fields of one trailer, each checked against the others and the file."""

    def __init__(
        self,
        said: TrailerProto,
        version: layout.Version,
        at: int,
        wrong: list[FormatError],
        untidy: list[FormatError],
    ) -> None:
        self._said, self._version, self._at = said, version, at
        self._wrong, self._untidy = wrong, untidy

    def trailer(self) -> Trailer:
        """Return the fields, and record what is wrong."""
        load = self._within("load_on_open_data_offset", 0, self._at - HEADER_SIZE)
        first, last = self._data_blocks(load)
        said = self._said
        present = {each.name for each, _ in said.ListFields()}
        return Trailer(
            major=self._version.major,
            minor=self._version.minor,
            offset=self._at,
            file_info_offset=said.file_info_offset,
            load_on_open_data_offset=load,
            uncompressed_data_index_size=said.uncompressed_data_index_size,
            total_uncompressed_bytes=(
                said.total_uncompressed_bytes if "total_uncompressed_bytes" in present else None
            ),
            data_index_count=said.data_index_count,
            meta_index_count=said.meta_index_count,
            entry_count=said.entry_count,
            num_data_index_levels=self._within("num_data_index_levels", 1, MOST_LEVELS),
            first_data_block_offset=first,
            last_data_block_offset=last,
            comparator_class_name=self._comparator(),
            compression_codec=self._codec(),
            encryption_key=said.encryption_key if "encryption_key" in present else None,
            absent=frozenset(TrailerProto.names() - present),
            unknown=TrailerProto.unknown(said),
        )

    def _refuse(
        self, name: str, found: object, wanted: str, kind: type[FormatError] = FormatError
    ) -> None:
        self._wrong.append(kind(f"trailer.{name}", self._at, found, wanted))

    def _within(self, name: str, least: int, most: int) -> int:
        value = int(getattr(self._said, name))
        if not least <= value <= most:
            self._refuse(name, value, f"{least} to {most}")
            return least
        return value

    def _data_blocks(self, load: int) -> tuple[int | None, int | None]:
        """Return where the first and the last data block begin, None where there are none."""
        first, last = (
            None if value == _NO_BLOCK else value
            for value in (self._said.first_data_block_offset, self._said.last_data_block_offset)
        )
        if first is None:
            if last:  # Hudi leaves 0 there
                self._refuse("last_data_block_offset", last, "none without a first one")
            return None, None
        if first > load:
            self._refuse("first_data_block_offset", first, f"0 to {load}")
        elif last is not None and not first <= last <= load:
            self._refuse("last_data_block_offset", last, f"{first} to {load}")
        return first, last

    def _comparator(self) -> str:
        text = self._said.comparator_class_name
        if not self._said.HasField("comparator_class_name"):
            path = "trailer.comparator_class_name"
            wanted = "the class that orders the keys"
            self._untidy.append(FormatError(path, self._at, "none", wanted))
        elif _last_part(text) not in _COMPARATORS:
            wanted = f"a class named one of {', '.join(_COMPARATORS)}"
            self._refuse("comparator_class_name", text, wanted, Unsupported)
        return text

    def _codec(self) -> str:
        number = self._said.compression_codec
        if number >= len(CODECS):
            self._refuse("compression_codec", number, f"0 to {len(CODECS) - 1}")
            return "NONE"
        return CODECS[number]
