"""Parquet files whose footers, or some of whose columns, are encrypted."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
from pyarrow.parquet import encryption

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa

__all__ = ["encrypting", "write_encrypted"]


class _Keys(encryption.KmsClient):  # type: ignore[misc]
    """Keys that are wrapped in Base64 alone."""

    def __init__(self, _: Any) -> None:
        super().__init__()

    def wrap_key(self, key: bytes, _: str) -> bytes:
        return b64encode(key)

    def unwrap_key(self, wrapped: bytes, _: str) -> bytes:
        return b64decode(wrapped)


def encrypting(columns: Sequence[str], *, footer: bool = False) -> Any:
    """Return the option ``encryption_properties`` for some columns, and the footer too."""
    how = encryption.EncryptionConfiguration(
        footer_key="footer", column_keys={"column": list(columns)}, plaintext_footer=not footer
    )
    return encryption.CryptoFactory(_Keys).file_encryption_properties(
        encryption.KmsConnectionConfig(), how
    )


def write_encrypted(table: pa.Table, place: Path) -> None:
    """Write a file that shows nothing of itself without its key."""
    properties = encrypting(table.column_names, footer=True)
    with pq.ParquetWriter(place, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
