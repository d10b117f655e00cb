"""Find out from a file's bytes which writer made it, and so how its cells are read.

No file states its dialect.  The evidence, strongest first: a block without room for checksums is by
Hudi before 1.1; index keys that end after their row are by Hudi; the form of their
lengths distinguishes 1.1 from 1.2, where a key is long enough to show it; the rest is HBase.

Source: specs/hfile/SOURCE.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from byteloom.errors import FormatError, Unsupported
from byteloom.hfile import info_entries
from byteloom.hfile.blocks import HEADER_SIZE
from byteloom.hfile.index_entries import Root
from byteloom.hfile.keys import is_row_alone
from byteloom.hfile.trailer import Trailer
from byteloom_generated.hfile.block import Block as Header
from byteloom_generated.hfile.encoded import Encoding

__all__ = [
    "ENCODINGS",
    "CellForm",
    "cell_form",
    "check_index_encoding",
    "contradictions",
    "dialect_of",
]

ENCODINGS: Final = {"NONE": 0, **{each.name: each.value for each in Encoding}}
"""Numbers of data block encodings by their names in the file info."""

_LONG: Final = 128

_NEEDED: Final = (info_entries.LAST_KEY, info_entries.AVERAGE_KEY, info_entries.AVERAGE_VALUE)
"""Entries that HBase writes into the file info of every file with cells."""


@dataclass(frozen=True, slots=True)
class CellForm:
    """How the cells of a file are stored.

    Attributes:
        has_columns: Whether keys have more after their row.
        is_mvcc_wide: Whether sequence numbers may be other than the single byte 0.
        has_packed_tags: Whether tags of encoded blocks are in the dictionary form.
    """

    has_columns: bool
    has_tags: bool
    has_mvcc: bool
    is_mvcc_wide: bool
    encoding: str
    has_packed_tags: bool


def dialect_of(trailer: Trailer, first: Header, root: Root) -> str:
    """Return ``hbase``, ``hudi-pre-1.1``, ``hudi-1.1`` or ``hudi-1.2``.

    Args:
        first: The header of the first block of the file.
    """
    if first.len_data == HEADER_SIZE + first.len_on_disk:
        return "hudi-pre-1.1"
    keys = [entry.key for entry in root.entries]
    are_rows = all(map(is_row_alone, keys))
    if (keys and not are_rows) or trailer.minor or first.checksum_type:
        return "hbase"
    if root.protobuf:
        return "hudi-1.1"
    return "hudi-1.2" if any(len(key) >= _LONG for key in keys) else "hudi-1.1"


def contradictions(
    trailer: Trailer,
    dialect: str,
    root: Root,
    info: Mapping[bytes, bytes] | None,
    *,
    protobuf_keys: bool,
) -> Iterator[FormatError]:
    """Yield an error for everything in the file that no writer of that *dialect* writes.

    Args:
        info: The file info; None where it could not be read.
    """
    at = trailer.offset
    if trailer.encryption_key == b"" and dialect != "hudi-pre-1.1":
        wanted = "a key, or no field at all"
        yield FormatError("trailer.encryption_key", at, "an empty key", wanted)
    if root.protobuf and not protobuf_keys:
        wanted = (
            "Hadoop's: Hudi 1.1 wrote protobuf's, so that no other reader finds keys of 126 "
            "bytes and more (protobuf_keys=True reads them)"
        )
        found, load = "lengths of keys as protobuf writes them", trailer.load_on_open_data_offset
        yield Unsupported("root_index.len_key", load, found, wanted)
    if info is None:
        return
    for name in _NEEDED if dialect == "hbase" and trailer.entry_count else ():
        if name not in info:
            yield FormatError("file_info", trailer.file_info_offset, "none", f"{name.decode()}")


def check_index_encoding(info: Mapping[bytes, bytes]) -> None:
    """Refuse encoded indexes, which HBase writes but cannot read itself."""
    index = info.get(info_entries.INDEX_ENCODING, b"NONE").decode("ascii", "replace")
    if index != "NONE":
        raise Unsupported("file_info.INDEX_BLOCK_ENCODING", None, index, "NONE")


def cell_form(dialect: str, info: Mapping[bytes, bytes]) -> CellForm:
    """Return how cells are stored, according to the file info."""
    encoding = info.get(info_entries.ENCODING, b"NONE").decode("ascii", "replace")
    if encoding not in ENCODINGS:
        raise Unsupported("file_info.DATA_BLOCK_ENCODING", None, encoding, ", ".join(ENCODINGS))
    old = dialect == "hudi-pre-1.1"
    return CellForm(
        has_columns=not old,
        has_tags=info_entries.MOST_TAGS in info,
        has_mvcc=old or _number(info, info_entries.MVCC_VERSION) == 1,
        is_mvcc_wide=_number(info, info_entries.MOST_MVCC) > 0,
        encoding=encoding,
        has_packed_tags=any(info.get(info_entries.PACKED_TAGS, b"\0")),
    )


def _number(info: Mapping[bytes, bytes], name: bytes) -> int:
    value = info.get(name, b"")
    if len(value) > 8:  # noqa: PLR2004  the widest number there is
        raise FormatError(f"file_info.{name.decode()}", None, value, "at most 8 bytes")
    return int.from_bytes(value, "big", signed=True)
