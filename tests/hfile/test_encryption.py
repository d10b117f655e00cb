"""Encrypted HFiles, made from plain ones, are read with their key and refused without it."""

from __future__ import annotations

import hashlib

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.support.hfile_damage import patched, places, said, trailer_at, with_trailer
from tests.support.hfile_files import Built, Given, number, text
from tests.support.varints import varint

from byteloom import hfile
from byteloom.codecs.checksums import crc32c
from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.hfile.verify import audit

MASTER, DATA, IV = b"m" * 16, bytes(range(16)), b"i" * 16
PLAIN = Built(
    blocks=[[Given(row=b"a", value=b"one"), Given(row=b"b", value=b"two")], [Given(row=b"c")]]
)


def crypt(key: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt *data* by AES in counter mode."""
    return Cipher(algorithms.AES(key), modes.CTR(IV)).encryptor().update(data)


def wrapped(algorithm: bytes = b"AES", hash_name: bytes = b"MD5", hashed: bytes = DATA) -> bytes:
    """Return the file's key as a trailer has it."""
    digest = {b"MD5": hashlib.md5, b"SHA-256": hashlib.sha256}.get(hash_name, hashlib.md5)
    message = text(1, algorithm) + number(2, 16) + text(3, crypt(MASTER, DATA)) + text(4, IV)
    message += text(5, digest(hashed, usedforsecurity=False).digest()) + text(6, hash_name)
    return varint(len(message)) + message


class Sealed(Built):
    """A file whose payloads are encrypted."""

    def block(self, magic: bytes, payload: bytes, previous: int = -1) -> bytes:
        """Return a block with its header and checksum; an empty payload is a length of 0."""
        stored = bytes([16]) + IV + crypt(DATA, payload) if payload else b"\0"
        head = (
            magic + (len(stored) + 4).to_bytes(4, "big") + len(payload).to_bytes(4, "big")
            + previous.to_bytes(8, "big", signed=True) + b"\2"
            + (1 << 20).to_bytes(4, "big") + (33 + len(stored)).to_bytes(4, "big")
        )  # fmt: skip
        return head + stored + crc32c(head + stored).to_bytes(4, "big")


def sealed(field: bytes = b"") -> bytes:
    """Return the encrypted form of PLAIN."""
    return Sealed(blocks=PLAIN.blocks, said={13: field or wrapped()}).data()


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
    ("field", "message"),
    [
        (wrapped(algorithm=b"DES"), "DES"),
        (wrapped(hash_name=b"WHIRLPOOL"), "WHIRLPOOL"),
        (wrapped(hashed=b"other"), "hash"),
        (wrapped()[:-3], "encryption_key"),
        (b"\0", r"encryption_key\.algorithm at byte .*a required field"),
    ],
)
def test_a_wrapped_key_that_makes_no_sense_is_refused(field: bytes, message: str) -> None:
    """An invalid wrapped key is refused, even with the right master key."""
    with pytest.raises(FormatError, match=message):
        hfile.open(with_trailer(sealed(), {13: field}), key=MASTER)


def test_an_iv_of_another_length_is_damage() -> None:
    """An IV of another length is a finding, though its checksum is right."""
    data = sealed()
    broken = patched(data, places(data)[0], 33, b"\x07")
    assert any("iv" in error.path for error in audit(broken, key=MASTER).findings)


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
