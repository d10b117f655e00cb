"""Profiles: the defaults and checks for the readers that a file is written for.

- ``hbase`` is HBase's own writer.
- ``hudi`` is for Hudi's metadata tables: keys and values alone, one level of index.  One checksum
  covers a whole block: with several checksums in a block, two readers of Hudi misjudge where its
  cells end: they lose its last cells, or cannot read it if its size is near a multiple of 16 KiB.
  Keys of its index are keys of cells: Hudi 1.0 misses cells before an index key that is not.

Source: https://hudi.apache.org/docs/hfile_format
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias

from byteloom.errors import ArgumentError, Unsupported
from byteloom.hfile import info_entries
from byteloom.hfile.keys import LATEST, row_of
from byteloom.hfile.writing.cell_columns import Columns
from byteloom.hfile.writing.closing import Ends
from byteloom.hfile.writing.settings import Settings
from byteloom.kernels.hfile_cells import KEY_LEAST
from byteloom_generated.hfile.cell import KeyType

__all__ = ["PROFILES", "Profile", "Rules"]

Profile: TypeAlias = Literal["hbase", "hudi"]

_WHOLE: Final = 1 << 30
_LONGEST_ROW: Final = 32767 - KEY_LEAST
"""Most bytes of a row, since Hudi keeps the length of a whole key in a signed short."""


class Rules(Protocol):
    """What a profile decides about files.

    Attributes:
        options: The settings that differ from HBase's defaults.
        shortens_index: Whether index keys may be shortened to keys that no cell has.
    """

    options: ClassVar[dict[str, Any]]
    shortens_index: ClassVar[bool]

    def check(self, settings: Settings) -> None:
        """Refuse settings that the profile's readers cannot handle."""

    def check_cells(self, columns: Columns, first: int) -> None:
        """Refuse cells that its readers cannot handle; *first* is the number of the first."""

    def info(self, ends: Ends) -> dict[bytes, bytes]:
        """Return the entries of the file info that HBase's files do not have."""


class HBase:
    """The profile for HBase, which reads everything that the writer accepts."""

    options: ClassVar[dict[str, Any]] = {}
    shortens_index: ClassVar[bool] = True

    def check(self, settings: Settings) -> None:
        """Refuse nothing."""

    def check_cells(self, columns: Columns, first: int) -> None:
        """Refuse nothing."""

    def info(self, _: Ends) -> dict[bytes, bytes]:
        """Return nothing."""
        return {}


class Hudi:
    """The profile for Hudi: what all its releases, and the package `hudi` on PyPI, can read."""

    options: ClassVar[dict[str, Any]] = {
        "compression": "GZ",
        "block_size": 1 << 20,
        "bytes_per_checksum": _WHOLE,
        "index_block_max_size": _WHOLE,
        "comparator": "org.apache.hudi.io.storage.HoodieHBaseKVComparator",
    }
    shortens_index: ClassVar[bool] = False

    def check(self, settings: Settings) -> None:
        """Refuse settings that the profile's readers cannot handle."""
        if settings.compression not in {"GZ", "NONE"}:
            raise Unsupported("compression", None, settings.compression, "GZ or NONE for Hudi")
        for name, wanted in (
            ("encoding", "NONE"), ("tags", False), ("mvcc", True), ("is_meta", False),
            ("bytes_per_checksum", _WHOLE),
        ):  # fmt: skip
            value = getattr(settings, name)
            if value != wanted:
                raise Unsupported(name, None, value, f"{wanted!r}, for Hudi")

    def check_cells(self, columns: Columns, first: int) -> None:
        """Refuse cells with more than a key and a value."""
        rows, families, qualifiers, _, tags = columns.binary
        times, types, mvccs = columns.numbers
        lengths = [each.ends[1:] - each.ends[:-1] for each in (families, qualifiers, tags)]
        for name, bad in (
            ("row", rows.ends[1:] - rows.ends[:-1] > _LONGEST_ROW),
            *zip(("family", "qualifier", "tags"), (each > 0 for each in lengths), strict=True),
            ("timestamp", times != LATEST), ("type", types != KeyType.PUT), ("mvcc", mvccs != 0),
        ):  # fmt: skip
            if bad.any():
                number = first + int(bad.argmax())
                wanted = f"a key of at most {_LONGEST_ROW} bytes and a value, for Hudi"
                found = columns.shown(name, number - first)
                raise ArgumentError(f"cells[{number}].{name}", None, found, wanted)

    def info(self, ends: Ends) -> dict[bytes, bytes]:
        """Return the entries for the least and the greatest key."""
        if ends.first is None or ends.last is None:
            return {}
        return {
            info_entries.HUDI_FIRST: row_of(ends.first),
            info_entries.HUDI_LAST: row_of(ends.last),
        }


PROFILES: Final[dict[str, Rules]] = {"hbase": HBase(), "hudi": Hudi()}
