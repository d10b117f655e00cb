"""Runs of unsigned integers, version 2, decode in all widths, and damage gives a code."""

from __future__ import annotations

import random
from typing import Final

import numpy as np
import pytest

from byteloom.kernels.orc_runs import unsigned_runs, wide_enough, width_of

WIDTHS: Final = [*range(1, 25), 26, 28, 30, 32, 40, 48, 56, 64]
"""Bits of a value, by the code that a run has for them."""

RUNS: Final[list[tuple[str, list[int]]]] = [
    ("0a 27 10", [10_000] * 5),
    ("5e 03 5c a1 ab 1e de ad be ef", [23_713, 43_806, 57_005, 48_879]),
    (
        "8e 13 2b 21 07 d0 1e 00 14 70 28 32 3c 46 50 5a 64 6e 78 82 8c 96 a0 aa b4 be fc e8",
        [2030, 2000, 2020, 1_000_000, *range(2040, 2191, 10)],
    ),
    ("c6 09 02 02 22 42 42 46", [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]),
    ("c6 04 1d 0b 42 40", [29, 23, 19, 17, 13]),
    ("c6 04 07 00 12 00", [7, 7, 8, 10, 10]),
    ("c6 01 07 04", [7, 9]),
    ("c0 04 07 03", [7, 5, 3, 1, -1]),
    ("c0 00 07 03", [7]),
    ("c0 01 07 04", [7, 9]),
    ("00 05", [5] * 3),
    ("07 ff", [255] * 10),
    ("38 01 02 03 04 05 06 07 08", [0x0102030405060708] * 3),
    ("8e 00 00 00 85 07", [2]),
]
"""The first four are those of the specification."""


def decoded(data: bytes, count: int) -> tuple[int, list[int]]:
    """Return the code of the outcome and the values of a stream."""
    out = np.full(count, -99, np.int64)
    return int(unsigned_runs(np.frombuffer(data, np.uint8), out)), out.tolist()


@pytest.mark.parametrize(("stored", "values"), RUNS)
def test_a_run_has_its_values_and_all_its_bytes(stored: str, values: list[int]) -> None:
    """A run decodes to its values, and a code reports a stream or a column that is too short."""
    data, count = bytes.fromhex(stored), len(values)
    assert decoded(data, count) == (0, values)
    assert decoded(data * 3, 3 * count) == (0, values * 3)
    for size in range(len(data)):
        assert decoded(data[:size], count)[0] == 1
        assert decoded(data + data[:size], 2 * count)[0] == 1
    assert decoded(data, count - 1)[0] == (2 if count > 1 else 0)
    assert decoded(data, count + 1)[0] == 1


def test_codes_have_their_widths() -> None:
    """Each of the 32 codes has its width, and any number of bits takes the next width up."""
    assert [width_of(code) for code in range(32)] == WIDTHS
    for bits in range(1, 65):
        assert wide_enough(bits) == min(each for each in WIDTHS if each >= bits)


@pytest.mark.parametrize("code", range(31))
@pytest.mark.parametrize("count", [1, 2, 7, 512])
def test_values_of_all_widths_are_read(code: int, count: int) -> None:
    """Values of any width are read from packed bits, the highest bit first."""
    width = WIDTHS[code]
    draw = random.Random(code)
    values = [draw.getrandbits(width) for _ in range(count - 1)] + [(1 << width) - 1]
    bits = "".join(f"{each:0{width}b}" for each in values)
    size = -(-len(bits) // 8)
    head = bytes([0x40 | code << 1 | (count - 1) >> 8, (count - 1) & 0xFF])
    data = head + int(bits.ljust(8 * size, "0"), 2).to_bytes(size, "big")
    assert decoded(data, count) == (0, values)
    assert decoded(data[:-1], count)[0] == 1


def test_patches_have_a_gap_and_a_base_may_be_negative() -> None:
    """Two of five values have patches for bits above their width, and all count from -3."""
    # 2 bits a value, a base of 1 byte, patches of 3 bits, gaps of 2 bits, two patches.
    data = bytes([0x80 | 1 << 1, 4, 0 << 5 | 2, 1 << 5 | 2, 0x83])
    values = [1, 2, 3, 0, 1]
    bits = "".join(f"{each:02b}" for each in values).ljust(16, "0")
    data += int(bits, 2).to_bytes(2, "big")
    patches = [(1, 0b101), (3, 0b110)]
    bits = "".join(f"{gap:02b}{patch:03b}" for gap, patch in patches).ljust(16, "0")
    data += int(bits, 2).to_bytes(2, "big")
    wanted = [1 - 3, (2 | 0b101 << 2) - 3, 3 - 3, 0 - 3, (1 | 0b110 << 2) - 3]
    assert decoded(data, 5) == (0, wanted)
    for gap, code in [(2, 0), (3, 2)]:  # the last of the five values, and one after it
        bits = f"{2:02b}{0b101:03b}{gap:02b}{0b110:03b}".ljust(16, "0")
        assert decoded(data[:-2] + int(bits, 2).to_bytes(2, "big"), 5)[0] == code
