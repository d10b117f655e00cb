"""Generated loops pack integers as a plain reading of the table in `specs/lance` does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from byteloom_generated.lance import bit_packing

GROUPS = (0, 4, 2, 6, 1, 5, 3, 7)
CASES = [(bits, width) for bits in (8, 16, 32, 64) for width in range(bits + 1)]


def plain(integers: list[int], bits: int, width: int) -> list[int]:
    """The words of 1,024 integers, put together bit by bit."""
    lanes = 1024 // bits
    streams = [0] * lanes
    for lane in range(lanes):
        for row in range(bits):
            index = GROUPS[row // 8] * 16 + row % 8 * 128 + lane
            streams[lane] |= (integers[index] & ((1 << width) - 1)) << (row * width)
    mask = (1 << bits) - 1
    return [streams[lane] >> (bits * at) & mask for at in range(width) for lane in range(lanes)]


def drawn(bits: int, count: int, seed: int) -> np.ndarray:
    """Integers of all bits."""
    data = np.random.default_rng(seed).integers(0, 256, count * bits // 8, np.uint8)
    return data.view(f"<u{bits // 8}")


def loop(name: str, bits: int) -> Any:
    """The generated loop for integers of *bits* bits."""
    return getattr(bit_packing, f"{name}_{bits}")


@pytest.mark.parametrize(("bits", "width"), CASES)
def test_integers_of_every_width_are_packed_and_unpacked(bits: int, width: int) -> None:
    """Integers of every width are packed as in plain code, and unpacked without higher bits."""
    integers = drawn(bits, 1024, width)
    wanted = np.array(plain(integers.tolist(), bits, width), integers.dtype)
    lanes, first = 1024 // bits, np.array([0])
    words = np.full(lanes * (width + 1), 7, integers.dtype)
    loop("pack", bits)(integers, first, np.array([width]), words, first)
    assert np.array_equal(words[: lanes * width], wanted)
    assert (words[lanes * width :] == 7).all()
    for run in (loop("unpack", bits), loop("unpack", bits).compiled):
        out = np.full(1024 + lanes, 7, integers.dtype)
        run(words, first, np.array([width]), out, first)
        assert np.array_equal(out[:1024], integers & integers.dtype.type((1 << width) - 1))
        assert (out[1024:] == 7).all()


@pytest.mark.parametrize(("bits", "width"), CASES)
def test_single_integers_are_those_of_their_chunk(bits: int, width: int) -> None:
    """Any single integer of two chunks is unpacked, interpreted and as machine code."""
    integers, lanes = drawn(bits, 1024, width), 1024 // bits
    words = np.full(3 + 2 * lanes * (width + 1), 7, integers.dtype)
    begins = np.array([3, 3 + lanes * width])
    for first, each in zip(begins, (integers, integers[::-1].copy()), strict=True):
        whole = np.array([width])
        loop("pack", bits)(each, np.array([0]), whole, words, np.array([first]))
    order = np.random.default_rng(bits).permutation(2048)
    wanted = np.concatenate([integers, integers[::-1]])[order]
    for run in (loop("pick", bits), loop("pick", bits).compiled):
        out = np.full(2048, 7, integers.dtype)
        run(words, begins[order // 1024], np.full(2048, width), order % 1024, out)
        assert np.array_equal(out, wanted & integers.dtype.type((1 << width) - 1))


@pytest.mark.parametrize("width", [1, 53, 54, 63, 64])
def test_machine_code_keeps_all_bits_of_large_integers(width: int) -> None:
    """Machine code keeps all 64 bits of an integer, where a float mask would keep 53."""
    integers, first, widths = drawn(64, 1024, width), np.array([0]), np.array([width])
    words, out = np.zeros(16 * width, np.uint64), np.zeros(1024, np.uint64)
    bit_packing.pack_64.compiled(integers, first, widths, words, first)
    assert words.tolist() == plain(integers.tolist(), 64, width)
    bit_packing.unpack_64.compiled(words, first, widths, out, first)
    assert np.array_equal(out, integers & np.uint64((1 << width) - 1))


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_a_chunk_may_overwrite_the_end_of_the_one_before(bits: int) -> None:
    """A chunk that is unpacked over the unused end of the one before gives the right integers."""
    integers = drawn(bits, 3 * 1024, 1)
    widths, lanes = np.array([3, 0, bits]), 1024 // bits
    places = np.concatenate([[0], np.cumsum(widths * lanes)[:-1]])
    words = np.zeros(lanes * int(widths.sum()), integers.dtype)
    loop("pack", bits)(integers, np.arange(3) * 1024, widths, words, places)
    out = np.zeros(1000 + 1024, integers.dtype)
    loop("unpack", bits)(words, places, widths, out, np.array([0, 600, 1000]))
    assert np.array_equal(out[:600], integers[:600] & integers.dtype.type(7))
    assert not out[600:1000].any()
    assert np.array_equal(out[1000:], integers[2048:])
