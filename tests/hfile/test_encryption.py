"""Encrypted HFiles, made from plain ones, are read with their key and refused without it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.support.hfile_damage import places, said, trailer_at, with_trailer
from tests.support.hfile_files import Built, Given, framed, number, text
from tests.support.hfile_findings import audit
from tests.support.varints import varint

from byteloom import hfile
from byteloom.errors import ByteloomError, FormatError, Unsupported

MASTER, DATA, IV = b"m" * 16, bytes(range(16)), b"i" * 16
PLAIN = Built(
    blocks=[[Given(row=b"a", value=b"one"), Given(row=b"b", value=b"two")], [Given(row=b"c")]]
)


def crypt(key: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt *data* by AES in counter mode."""
    return Cipher(algorithms.AES(key), modes.CTR(IV)).encryptor().update(data)


def wrapped(
    *,
    algorithm: bytes = b"AES",
    hash_name: bytes = b"MD5",
    key: bytes = DATA,
    hashed: bytes = b"",
    iv: bytes = IV,
    length: int = 0,
) -> bytes:
    """Return the file's key as a trailer has it."""
    digest = {b"MD5": hashlib.md5, b"SHA-256": hashlib.sha256}.get(hash_name, hashlib.md5)
    message = text(1, algorithm) + number(2, length or len(key)) + text(3, crypt(MASTER, key))
    message += text(4, iv) + text(5, digest(hashed or key, usedforsecurity=False).digest())
    message += text(6, hash_name)
    return varint(len(message)) + message


@dataclass(kw_only=True)
class Sealed(Built):
    """A file whose payloads are encrypted; data blocks may have another payload instead."""

    key: bytes = DATA
    instead: bytes | None = None

    def block(self, magic: bytes, payload: bytes, previous: int = -1) -> bytes:
        """Return a block with its header and checksum; an empty payload is a length of 0."""
        stored = bytes([16]) + IV + crypt(self.key, payload) if payload else b"\0"
        if magic == b"DATABLK*" and self.instead is not None:
            stored = self.instead
        return framed(magic, stored, len(payload), previous)


def sealed(field: bytes = b"", **changes: Any) -> bytes:
    """Return the encrypted form of PLAIN."""
    said: dict[int, int | bytes | None] = {13: field or wrapped()}
    return Sealed(blocks=PLAIN.blocks, said=said, **changes).data()


@pytest.mark.parametrize("hash_name", [b"MD5", b"SHA-256"])
def test_the_master_key_opens_a_file(hash_name: bytes) -> None:
    """With its master key, an encrypted file has the cells of the plain one and verifies."""
    with hfile.open(PLAIN.data()) as plain:
        wanted = plain.read()
    data = sealed(wrapped(hash_name=hash_name))
    with hfile.open(data, key=MASTER) as file:
        assert file.read().equals(wanted)
        assert file.get(b"b", ["value"])["value"].to_pylist() == [b"two"]
        assert file.verify() == 3
    assert audit(data, key=MASTER).findings == []


def test_one_of_several_keys_opens_it() -> None:
    """If several master keys are given, any one that fits opens the file."""
    with hfile.open(sealed(), key={"old": b"o" * 16, "new": MASTER}) as file:
        assert file.read().num_rows == 3


def test_without_a_key_it_is_refused_by_name() -> None:
    """A file without its key is refused; an audit lists its blocks and one finding."""
    with pytest.raises(Unsupported, match="encrypted"):
        hfile.open(sealed())
    found = audit(sealed())
    assert [type(error) for error in found.findings] == [Unsupported]
    assert len(found.blocks) == len(places(sealed()))


@pytest.mark.parametrize("key", [b"x" * 16, DATA, b"short", {}, {"a": b"y" * 16}], ids=str)
def test_a_wrong_key_is_refused(key: bytes | dict[str, bytes]) -> None:
    """A wrong master key is refused by the hash of the key that it unwraps."""
    with pytest.raises(FormatError, match="encryption_key"):
        hfile.open(sealed(), key=key)


def test_a_wrong_key_without_a_hash_ends_in_an_error() -> None:
    """A wrong key is an error without a hash too: the file info has a wrong magic."""
    message = text(1, b"AES") + number(2, 16) + text(3, crypt(MASTER, DATA)) + text(4, IV)
    data = sealed(varint(len(message)) + message)
    with hfile.open(data, key=MASTER) as file:
        assert file.read().num_rows == 3
    with pytest.raises(ByteloomError, match=r"^file_info\.magic at byte \d+ "):
        hfile.open(data, key=b"x" * 16)


@pytest.mark.parametrize(
    ("changes", "keys", "wanted"),
    [
        ({"iv": b"i" * 15}, MASTER, "iv at byte {}: found 15 bytes, wanted 16"),
        ({"iv": b"i" * 17}, MASTER, "iv at byte {}: found 17 bytes, wanted 16"),
        (
            {"length": 17},
            MASTER,
            "length at byte {}: found 16, wanted 17 bytes of key, one of (16, 24, 32)",
        ),
        (
            {"key": b"k" * 17, "length": 17},
            MASTER,
            "length at byte {}: found 17, wanted 17 bytes of key, one of (16, 24, 32)",
        ),
        ({}, b"short", "key: found 5 bytes, wanted one of (16, 24, 32)"),
        ({}, {"a": b"x" * 33}, "a: found 33 bytes, wanted one of (16, 24, 32)"),
        (
            {},
            {},
            "hash at byte {}: found a key of another hash, wanted the master key of this file",
        ),
        (
            {"algorithm": b"DES"},
            MASTER,
            "algorithm at byte {}: found an encrypted file, by 'DES', wanted AES",
        ),
        (
            {"hash_name": b"WHIRLPOOL"},
            MASTER,
            (
                "hash_algorithm at byte {}: found WHIRLPOOL, wanted "
                "MD5 or SHA-1 or SHA-224 or SHA-256 or SHA-384 or SHA-512"
            ),
        ),
        (
            {"hashed": b"other"},
            MASTER,
            "hash at byte {}: found a key of another hash, wanted the master key of this file",
        ),
    ],
)
def test_a_wrapped_key_that_makes_no_sense_is_refused(changes: Any, keys: Any, wanted: str) -> None:
    """An invalid key, in the trailer or among those given, is refused by its field."""
    data = sealed(wrapped(**changes))
    at = trailer_at(data)
    with pytest.raises(FormatError) as error:
        hfile.open(data, key=keys)
    assert str(error.value) == f"trailer.encryption_key.{wanted.format(f'{at} ({at:#x})')}"


def test_a_wrapped_key_is_read_whole() -> None:
    """A wrapped key that is cut, or empty, is refused by its field."""
    for field, wanted in [
        (wrapped()[:-3], "encryption_key"),
        (b"\0", r"encryption_key\.algorithm at byte .*a required field"),
    ]:
        with pytest.raises(FormatError, match=wanted):
            hfile.open(with_trailer(sealed(), {13: field}), key=MASTER)


@pytest.mark.parametrize("size", [24, 32])
def test_keys_of_each_size_open_their_file(size: int) -> None:
    """Keys of 192 and 256 bits decrypt their payloads too."""
    key = bytes(range(size))
    with hfile.open(sealed(wrapped(key=key), key=key), key=MASTER) as file:
        assert file.read()["value"].to_pylist() == [b"one", b"two", b""]


@pytest.mark.parametrize(
    "payload", [b"", b"\0\0", b"\x0f" + bytes(40), b"\x11" + bytes(40), b"\x10" + bytes(15)]
)
def test_a_payload_begins_with_its_iv(payload: bytes) -> None:
    """An encrypted payload that does not begin with 16 and an IV of 16 bytes is damage."""
    data = sealed(instead=payload)
    with hfile.open(data, key=MASTER) as file:
        found = []
        for use in (file.read, partial(file.get, b"a")):
            with pytest.raises(FormatError) as error:
                use()
            found.append(str(error.value))
    for each in found:
        assert each.startswith("block.iv at byte 0 (0x0): ")
        assert each.endswith("wanted 16, the length of the IV, and that many bytes")
    assert any("iv" in error.path for error in audit(data, key=MASTER).findings)


def test_no_flipped_byte_gives_other_cells() -> None:
    """A flipped byte of an encrypted file is an error or changes no cell."""
    data = sealed()
    with hfile.open(data, key=MASTER) as file:
        wanted = file.read()
    assert said(data)[13]
    for at in range(0, trailer_at(data) + 300, 3):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        try:
            with hfile.open(bytes(damaged), key=MASTER) as file:
                assert file.read().equals(wanted)
        except ByteloomError:
            continue
