"""Checksums, from the libraries that compute them with the CPU's own instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crc32c import crc32c as _crc32c
from isal.isal_zlib import crc32 as _crc32

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["crc32", "crc32c"]


def crc32(data: Buffer, value: int = 0) -> int:
    """CRC-32 of *data* (that of gzip, zip and PNG), going on from *value*."""
    return int(_crc32(data, value))


def crc32c(data: Buffer, value: int = 0) -> int:
    """CRC-32C of *data* (Castagnoli; that of HBase and iSCSI), going on from *value*."""
    return int(_crc32c(data, value))
