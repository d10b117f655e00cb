"""Encrypt the payloads of a file, and wrap its key for the trailer.

- Each file has a key of its own, drawn at random, and each payload an IV of its own: no two are
  encrypted with the same stream.
- The trailer holds the file's key encrypted by the master key, and a hash that distinguishes
  a right key from a wrong one; it is MD5, HBase's default.

Source: specs/hfile/messages.proto (WrappedKey); https://hbase.apache.org/book.html#hbase.encryption.server
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TypeAlias

from byteloom.errors import ArgumentError
from byteloom.hfile.encryption import IV_SIZE, KEY_SIZES
from byteloom.hfile.messages import delimited
from byteloom_generated.hfile.messages import WrappedKey

__all__ = ["Sealer"]

_Data: TypeAlias = "bytes | memoryview"


class Sealer:
    """The cipher that encrypts the payloads of one file."""

    def __init__(self, master: bytes) -> None:
        """Draw a random key of the size of *master*, which encrypts the trailer's copy of it."""
        if len(master) not in KEY_SIZES:
            raise ArgumentError("key", None, f"{len(master)} bytes", f"one of {KEY_SIZES}")
        self._master, self._key = master, secrets.token_bytes(len(master))

    def sealed(self, payload: _Data) -> bytes:
        """Return *payload* encrypted, after its IV; safe to call from any thread."""
        if not len(payload):
            return b"\0"
        iv = secrets.token_bytes(IV_SIZE)
        return bytes([IV_SIZE]) + iv + _counter_mode(self._key, iv, payload)

    def wrapped_key(self) -> bytes:
        """Return the encrypted key that the trailer holds."""
        iv = secrets.token_bytes(IV_SIZE)
        wrapped = WrappedKey(
            algorithm="AES",
            length=len(self._key),
            data=_counter_mode(self._master, iv, self._key),
            iv=iv,
            hash=hashlib.md5(self._key, usedforsecurity=False).digest(),
        )
        return delimited(wrapped).to_bytes()


def _counter_mode(key: bytes, iv: bytes, data: _Data) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)
