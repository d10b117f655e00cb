"""Which format a file has, and the module that verifies it.

Formats are recognised by their magic, wherever it is.  A name counts only if a file has no known
magic: one that has the `ending` of a format, as `.lance`, or is named as Iceberg names
metadata files (`v3.metadata.json`), Lance its manifests (`_versions/3.manifest`) or Hudi its logs,
was cut off or overwritten, or is empty.

To add a format, write a module in this package with a function `verify` and give it a line in
`FORMATS`; it is imported only when a file of its format is checked, and what is generated from its
spec only when a file is recognised: all commands import this module.  A blob of Puffin files that
is a file of its own has its function in their module.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from struct import Struct
from typing import Final, Protocol, cast

from byteloom.files.kinds import (
    END,
    ORC_MAGIC,
    WEB,
    head_of,
    is_postscript,
    is_view_metadata,
    kind_of,
)
from byteloom.storage import Source

__all__ = ["FORMATS", "LANCE", "TABLE_METADATA", "VERSIONS", "Ends", "Format", "recognise"]

_THETA: Final = Struct("<BBB2xBxx")
_COMPACT_FAMILY: Final = 3
_COMPACT_READ_ONLY: Final = 0b1010


@dataclass(frozen=True, slots=True)
class Ends:
    """What formats are recognised by: the first and last 64 bytes, and the size."""

    head: bytes
    tail: bytes
    size: int


class Verifier(Protocol):
    """The interface of a format's module."""

    def verify(self, source: Source) -> str:
        """Check everything; return a summary of the file's content.

        Raises a `ByteloomError` at the first damage, or `Damage` with everything that was found.
        """


class Encrypted(Protocol):
    """The interface of modules whose format allows encrypted files: `verify` takes a key."""

    def verify(self, source: Source, *, key: bytes) -> str:
        """Check everything in *source* and decrypt it with *key*; return a summary of it."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format, and how its files are recognised.

    name       the name of its module in `byteloom.cli.formats`, and in this package
    title      what messages call such a file
    matches    returns whether a file with these ends is one, damaged or not
    takes_key  whether its files may be encrypted
    ending     how the names of its files end: a file without any known magic that has such a name
               was cut off or overwritten; None if no name shows the format
    is_blob    whether it is a blob of Puffin files
    is_data    whether its files have the rows of tables, which are read with their table
    """

    name: str
    title: str
    matches: Callable[[Ends], bool]
    takes_key: bool = False
    ending: str | None = None
    is_blob: bool = False
    is_data: bool = False

    def verify(self, source: Source, key: bytes | None) -> str:
        """Check everything in the file; *key* decrypts it if its format has encrypted files."""
        if self.is_blob:
            module = import_module("byteloom.verification.puffin")
            return cast("str", vars(module)[f"verify_{self.name}"](source))
        module = import_module(f"byteloom.verification.{self.name}")
        if key is None or not self.takes_key:
            return cast("Verifier", module).verify(source)
        return cast("Encrypted", module).verify(source, key=key)


def _is_puffin(ends: Ends) -> bool:
    from byteloom_generated.puffin.puffin import FooterTail, Puffin

    # One end is enough: the other end may be the damaged one.
    return ends.head.startswith(Puffin.magic) or ends.tail.endswith(FooterTail.magic)


def _is_deletion_vector(ends: Ends) -> bool:
    from byteloom_generated.puffin.deletion_vector import DeletionVector

    return ends.head[4:8] == DeletionVector.magic


def _is_theta(ends: Ends) -> bool:
    # No magic: 1 to 3 words of preamble, serial version 1 to 4, family 3 (compact), the flags
    # "compact" and "read-only".
    if len(ends.head) < _THETA.size:
        return False
    words, version, family, flags = _THETA.unpack_from(ends.head)
    compact = flags & _COMPACT_READ_ONLY == _COMPACT_READ_ONLY
    return (
        words & 0x3F in {1, 2, 3}
        and version in {1, 2, 3, 4}
        and family == _COMPACT_FAMILY
        and compact
    )


def _is_hudi_log(ends: Ends) -> bool:
    from byteloom_generated.hfile.hudi_log import LogBlock

    return ends.head.startswith(LogBlock.magic)


def _is_hfile(ends: Ends) -> bool:
    from byteloom_generated.hfile.block import BlockType

    # A block's magic at the start, or after zeros a version at the end: the trailer's own magic
    # is too far from it.
    version = ends.tail[-4:-3] <= b"\3" and ends.tail[-3:] in {b"\0\0\2", b"\0\0\3"}
    padded = len(ends.tail) == END and not any(ends.tail[:-4])
    first = {
        BlockType.DATA, BlockType.ENCODED_DATA, BlockType.LEAF_INDEX, BlockType.BLOOM_CHUNK,
        BlockType.META, BlockType.ROOT_INDEX,
    }  # fmt: skip
    return int.from_bytes(ends.head[:8], "big") in first or (version and padded)


def _is_lance(ends: Ends) -> bool:
    from byteloom_generated.lance.tail import Version

    return ends.tail.endswith(Version.magic)


def _is_parquet(ends: Ends) -> bool:
    from byteloom_generated.parquet.parquet import EncryptedTail, Parquet, Tail

    magics = (Parquet.magic, EncryptedTail.magic)
    return ends.head.startswith(magics) or ends.tail.endswith((Tail.magic, EncryptedTail.magic))


def _is_orc(ends: Ends) -> bool:
    return ends.head.startswith(ORC_MAGIC) or is_postscript(ends.tail, ends.size)


def _is_avro(ends: Ends) -> bool:
    from byteloom_generated.avro.container import Header

    return ends.head.startswith(Header.magic)


def _is_table_metadata(ends: Ends) -> bool:
    # JSON has no magic.  Every writer puts one of these keys first; those of views differ.
    keys = (b'"format-version"', b'"table-uuid"', b'"location"')
    is_table = not is_view_metadata(ends.head) and any(key in ends.head for key in keys)
    return is_table and ends.head.lstrip().startswith(b"{")


HUDI_LOG: Final = Format("hudi_log", "Hudi log file", _is_hudi_log)
LANCE: Final = Format("lance", "Lance file", _is_lance, ending=".lance")
TABLE_METADATA: Final = Format("iceberg_metadata", "Iceberg table metadata", _is_table_metadata)

PARQUET: Final = Format("parquet", "Parquet file", _is_parquet, is_data=True)
ORC: Final = Format("orc", "ORC file", _is_orc, is_data=True)

FORMATS: Final = (
    Format("puffin", "Puffin file", _is_puffin, ending=".puffin"),
    HUDI_LOG,  # before HFiles: one that was cut may end as an HFile
    Format("hfile", "HFile", _is_hfile, takes_key=True, ending=".hfile"),
    Format("deletion_vector", "deletion vector", _is_deletion_vector, is_blob=True),
    Format("theta", "Theta sketch", _is_theta, is_blob=True),
    Format("avro", "Avro file", _is_avro, ending=".avro"),
    LANCE,
    TABLE_METADATA,
    PARQUET,
    ORC,
)
"""All formats; the first that matches is chosen."""


_NAMED: Final = {each.ending: each for each in FORMATS if each.ending}
"""Formats by name ending, for files without a known magic."""

_METADATA: Final = (".metadata.json", ".metadata.json.gz")
VERSIONS: Final = "_versions"
_MANIFEST: Final = ".manifest"
"""The folder with the manifests of a Lance dataset, and the ending of their names."""

_LOG: Final = re.compile(r"\..+_[0-9]+\.log\.[0-9]+_[0-9]+-[0-9]+-[0-9]+(\.cdc)?")
"""The names of Hudi's log files: file group, instant, version, and the token of its writer."""


def recognise(source: Source) -> Format | None:
    """Return the format of *source*, or None for an unknown one.

    A page that has the name of a format's files is damaged, or was never downloaded.
    """
    size = min(END, source.size)
    ends = Ends(head_of(source), source.read(source.size - size, size), source.size)
    found = next((known for known in FORMATS if known.matches(ends)), None)
    if found is not None or is_view_metadata(ends.head):
        return found
    kind = kind_of(source)
    if kind is not None and kind not in WEB:
        return None
    path = PurePath(source.name)
    if path.suffix == _MANIFEST and path.parent.name == VERSIONS:
        return LANCE
    if _LOG.fullmatch(path.name):
        return HUDI_LOG
    return _NAMED.get(path.suffix.lower()) or (TABLE_METADATA if _is_version(path.name) else None)


def _is_version(name: str) -> bool:
    """Return whether Iceberg's writers give such a name to metadata files."""
    if not name.endswith(_METADATA):
        return False
    from byteloom.iceberg.metadata.opening import version_of

    return version_of(name) is not None
