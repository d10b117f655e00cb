"""Checksums, from the libraries that compute them with the CPU's own instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from crc32c import crc32c as _crc32c
from isal.isal_zlib import crc32 as _crc32

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Checksum", "crc32", "crc32c"]


class Checksum(Protocol):
    """The interface of checksum functions: a library's own, as a wrapper would cost too much."""

    def __call__(self, data: Buffer, value: int = 0, /) -> int:
        """Return the checksum of *data*, going on from *value*."""


crc32: Final[Checksum] = _crc32
"""CRC-32 of *data* (that of gzip, zip and PNG), going on from *value*."""

crc32c: Final[Checksum] = _crc32c
"""CRC-32C of *data* (Castagnoli; that of HBase and iSCSI), going on from *value*."""
