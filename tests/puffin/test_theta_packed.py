"""Theta sketches of serial version 4, whose hashes are packed differences."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import Final

import pytest

from byteloom.errors import FormatError, Truncated, Unsupported
from byteloom.puffin import ThetaSketch

MAX_THETA: Final = (1 << 63) - 1
SEED_HASH: Final = 37836
ORDERED: Final = 0x1A
EMPTY: Final = 0x04
FOREIGN: Final = 0x01


def packed(
    *differences: int,
    width: int = 62,
    theta: int | None = None,
    flags: int = ORDERED,
    seed_hash: int = SEED_HASH,
    len_count: int = 1,
) -> bytes:
    """Return a sketch of hashes by their differences, packed as one number, the first on top."""
    bits = "".join(f"{each:0{width}b}" for each in differences)
    size = -(-len(bits) // 8)
    word = int(bits.ljust(8 * size, "0") or "0", 2)
    return (
        bytes([1 if theta is None else 2, 4, 3, width, len_count, flags])
        + seed_hash.to_bytes(2, "little")
        + (b"" if theta is None else theta.to_bytes(8, "little"))
        + len(differences).to_bytes(len_count, "little")
        + word.to_bytes(size, "big")
    )


@pytest.mark.parametrize("width", [1, 7, 13, 48])
@pytest.mark.parametrize("count", [1, 8, 9, 32_768, 32_769])
def test_hashes_come_back(width: int, count: int) -> None:
    """Packed differences of any width and number are read, even past the batch of 32,768."""
    draw = random.Random(width * count)
    differences = [draw.randrange(1, 1 << width) if width > 1 else 1 for _ in range(count)]
    sketch = ThetaSketch.from_bytes(packed(*differences, width=width, len_count=2))
    assert sketch.hashes.tolist() == [*accumulate(differences)]
    assert (sketch.theta64, sketch.is_empty) == (MAX_THETA, False)


def test_differences_of_the_most_bits_come_back() -> None:
    """Differences of 63 bits, as many as a hash has, are read."""
    sketch = ThetaSketch.from_bytes(packed(1 << 62, (1 << 62) - 2, width=63))
    assert sketch.hashes.tolist() == [1 << 62, MAX_THETA - 1]


def test_theta_is_above_all_hashes() -> None:
    """A sketch with a theta estimates; a theta that is not above all hashes is refused."""
    sketch = ThetaSketch.from_bytes(packed(5, 6, theta=12))
    assert (sketch.hashes.tolist(), sketch.theta64, sketch.is_empty) == ([5, 11], 12, False)
    assert sketch.is_estimation_mode
    with pytest.raises(FormatError, match=r"theta_sketch\.hashes: found 5 to 11, wanted 1 to 10$"):
        ThetaSketch.from_bytes(packed(5, 6, theta=11))
    with pytest.raises(FormatError, match=r"hashes: found 5 to 9223372036854775807, wanted 1 to"):
        ThetaSketch.from_bytes(packed(5, MAX_THETA - 5, width=63))


@pytest.mark.parametrize("theta", [0, 1 << 63])
def test_theta_is_a_hash_or_the_largest_there_can_be(theta: int) -> None:
    """Theta is from 1 to 2^63 - 1."""
    said = rf"theta_sketch\.theta at byte 16 .*: found {theta}, wanted 1 to {MAX_THETA}$"
    with pytest.raises(FormatError, match=said):
        ThetaSketch.from_bytes(packed(theta=theta))
    for sound in (1, MAX_THETA):
        assert ThetaSketch.from_bytes(packed(theta=sound)).theta64 == sound


def test_hashes_ascend() -> None:
    """A difference of 0 is refused, since hashes ascend from 1."""
    with pytest.raises(FormatError, match=r"hashes\[2\]: found 11, wanted more than 11, before it"):
        ThetaSketch.from_bytes(packed(5, 6, 0, 7))
    with pytest.raises(FormatError, match=r"theta_sketch\.hashes: found 0 to 6, wanted 1 to"):
        ThetaSketch.from_bytes(packed(0, 6))


def test_an_empty_sketch_has_nothing() -> None:
    """An empty sketch has neither hashes nor a theta; its seed hash may be 0."""
    assert ThetaSketch.from_bytes(packed(flags=ORDERED | EMPTY)).is_empty
    assert ThetaSketch.from_bytes(packed(flags=ORDERED | EMPTY, seed_hash=0)).is_empty
    for wrong in (packed(1, flags=ORDERED | EMPTY), packed(theta=5, flags=ORDERED | EMPTY)):
        with pytest.raises(FormatError, match=r"flags\.is_empty at byte 5 .*found True with [01] "):
            ThetaSketch.from_bytes(wrong)


@pytest.mark.parametrize("seed_hash", [0, SEED_HASH - 1, SEED_HASH + 1])
def test_sketches_of_other_seeds_are_refused(seed_hash: int) -> None:
    """A sketch of another seed is refused, as it cannot be merged with those of Iceberg."""
    said = rf"seed_hash at byte 6 .*: found {seed_hash}, wanted 37836, that of the default seed$"
    with pytest.raises(FormatError, match=said):
        ThetaSketch.from_bytes(packed(1, seed_hash=seed_hash))


def test_another_byte_order_is_unsupported() -> None:
    """A big-endian sketch is unsupported."""
    with pytest.raises(Unsupported, match=r"is_big_endian at byte 5 .*found True, wanted a little"):
        ThetaSketch.from_bytes(packed(1, flags=ORDERED | FOREIGN))


@pytest.mark.parametrize("theta", [None, MAX_THETA])
def test_a_sketch_has_all_its_bytes_and_no_more(theta: int | None) -> None:
    """Every prefix of a sketch is truncated, and bytes after its end are refused."""
    data = packed(5, 6, 7, theta=theta)
    for size in range(len(data)):
        with pytest.raises(Truncated):
            ThetaSketch.from_bytes(data[:size])
    said = rf"^theta_sketch at byte {len(data)} .*: found 2 bytes after its end, wanted none$"
    with pytest.raises(FormatError, match=said):
        ThetaSketch.from_bytes(data + b"\0\0")
