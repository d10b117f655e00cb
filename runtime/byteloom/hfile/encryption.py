"""Encrypted files of HBase: the key that the trailer holds, and the payloads that it encrypts.

- A file has a key of its own, drawn at random, which its trailer keeps wrapped: encrypted by a
  master key that the cluster keeps.  A hash of the file's key, in written files MD5 as is HBase's
  default, shows whether unwrapping gave the right one.
- A payload is the length of its IV, the IV and the ciphertext, AES in counter mode over what was
  compressed; an empty one is a length of 0.  Headers and checksums stay as they are.
- Each written payload has an IV of its own: no two are encrypted with the same stream.

Source: specs/hfile/messages.proto (WrappedKey);
https://hbase.apache.org/book.html#hbase.encryption.server
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Final, TypeAlias

from byteloom.errors import ArgumentError, FormatError, Unsupported
from byteloom.hfile.messages import delimited, place_of_message
from byteloom.limits import Limits
from byteloom_generated.hfile.delimited import Delimited
from byteloom_generated.hfile.messages import WrappedKey

__all__ = ["IV_SIZE", "KEY_SIZES", "Cipher", "Keys", "Sealer", "cipher_of"]

Keys: TypeAlias = "bytes | Mapping[str, bytes]"
"""A master key, or several by name, of which the one that fits the file is used."""

_Data: TypeAlias = "bytes | memoryview"

IV_SIZE: Final = 16
"""Bytes of an initialization vector."""

KEY_SIZES: Final = (16, 24, 32)
"""Numbers of bytes of a key: AES of 128, 192 and 256 bits."""

_ALGORITHM: Final = "AES"
_HASHES: Final = {
    "MD5": "md5",
    "SHA-1": "sha1",
    "SHA-224": "sha224",
    "SHA-256": "sha256",
    "SHA-384": "sha384",
    "SHA-512": "sha512",
}


class Cipher:
    """The cipher that decrypts the payloads of one file."""

    def __init__(self, key: bytes) -> None:
        """Decrypt with the file's own *key*."""
        self._key = key

    def opened(self, payload: memoryview, offset: int) -> bytes:
        """Return the decrypted *payload* of the block at *offset*."""
        size = payload[0] if len(payload) else -1
        if size == 0 and len(payload) == 1:
            return b""
        if size != IV_SIZE or len(payload) < 1 + IV_SIZE:
            wanted = f"{IV_SIZE}, the length of the IV, and that many bytes"
            raise FormatError("block.iv", offset, bytes(payload[:17]), wanted)
        return _counter_mode(self._key, bytes(payload[1 : 1 + IV_SIZE]), payload[1 + IV_SIZE :])


def cipher_of(field: bytes, keys: Keys | None, *, limits: Limits, origin: int) -> Cipher:
    """Return the cipher of a file whose trailer, at *origin*, holds the encrypted key *field*.

    Raises:
        Unsupported: Without a key and for other algorithms.
        FormatError: For a wrong key.
    """
    try:
        wrapped = _wrapped(field, limits, origin)
        if keys is None:
            found = f"an encrypted file ({_ALGORITHM})"
            wanted = "the master key it was encrypted with (key=..., on the command line --key)"
            raise Unsupported("", origin, found, wanted)
        return Cipher(_unwrapped(wrapped, keys, origin))
    except FormatError as error:
        raise error.inside("trailer.encryption_key") from error.__cause__


def _wrapped(field: bytes, limits: Limits, origin: int) -> WrappedKey:
    body = Delimited.from_bytes(field, limits=limits, origin=origin)
    start = origin + place_of_message(body)
    wrapped = WrappedKey.parse(body.message, limits=limits, origin=start)
    if wrapped.algorithm != _ALGORITHM:
        found = f"an encrypted file, by {wrapped.algorithm!r}"
        raise Unsupported("algorithm", origin, found, _ALGORITHM)
    if len(wrapped.iv) != IV_SIZE:
        raise FormatError("iv", origin, f"{len(wrapped.iv)} bytes", f"{IV_SIZE}")
    if wrapped.length != len(wrapped.data) or len(wrapped.data) not in KEY_SIZES:
        wanted = f"{wrapped.length} bytes of key, one of {KEY_SIZES}"
        raise FormatError("length", origin, len(wrapped.data), wanted)
    return wrapped


def _unwrapped(wrapped: WrappedKey, keys: Keys, origin: int) -> bytes:
    """Return the file's own key."""
    named = keys if isinstance(keys, Mapping) else {"key": keys}
    for name, master in named.items():
        if len(master) not in KEY_SIZES:
            raise FormatError(name, None, f"{len(master)} bytes", f"one of {KEY_SIZES}")
        key = _counter_mode(master, wrapped.iv, wrapped.data)
        if _fits(key, wrapped, origin):
            return key
    raise FormatError("hash", origin, "a key of another hash", "the master key of this file")


def _fits(key: bytes, wrapped: WrappedKey, origin: int) -> bool:
    """Return whether *key* is the file's own key; old files have no hash to compare it with."""
    if not wrapped.HasField("hash"):
        return True
    name = wrapped.hash_algorithm
    if name not in _HASHES:
        raise Unsupported("hash_algorithm", origin, name, " or ".join(_HASHES))
    return hashlib.new(_HASHES[name], key, usedforsecurity=False).digest() == wrapped.hash


def _counter_mode(key: bytes, iv: bytes, data: _Data) -> bytes:
    """Return *data* encrypted or decrypted, which is the same in this mode."""
    from cryptography.hazmat.primitives.ciphers import Cipher as Openssl
    from cryptography.hazmat.primitives.ciphers import algorithms, modes

    return Openssl(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)


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
