"""Parquet files whose footers are encrypted."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
from pyarrow.parquet import encryption

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

__all__ = ["write_encrypted"]


class _Keys(encryption.KmsClient):  # type: ignore[misc]
    """Keys that are wrapped in Base64 alone."""

    def __init__(self, _: Any) -> None:
        super().__init__()

    def wrap_key(self, key: bytes, _: str) -> bytes:
        return b64encode(key)

    def unwrap_key(self, wrapped: bytes, _: str) -> bytes:
        return b64decode(wrapped)


def write_encrypted(table: pa.Table, place: Path) -> None:
    """Write a file that shows nothing of itself without its key."""
    how = encryption.EncryptionConfiguration(
        footer_key="footer", column_keys={"column": table.column_names}, plaintext_footer=False
    )
    properties = encryption.CryptoFactory(_Keys).file_encryption_properties(
        encryption.KmsConnectionConfig(), how
    )
    with pq.ParquetWriter(place, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
