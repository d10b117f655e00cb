"""Values of Thrift's compact protocol that are not needed are skipped to their exact end."""

from __future__ import annotations

import numpy as np
import pytest

from byteloom.kernels.thrift import passed, varint

I8, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 3, 6, 7, 8, 9, 10, 11, 12


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (I8, "7f"),
        (I8, "80"),
        (I64, "ff01"),
        (DOUBLE, "00" * 8),
        (BINARY, "03616263"),
        (BINARY, "00"),
        (LIST, "06"),
        (LIST, "36 02 8001 04"),
        (LIST, f"f6 10 {'02' * 16}"),
        (LIST, "28 0161 026262"),
        (LIST, "2c 1502 00 00"),
        (LIST, "29 16 02 26 02 8001"),
        (SET, "28 0161 026262"),
        (MAP, "00"),
        (MAP, "02 86 0161 02 026262 8001"),
        (MAP, "02 68 02 0161 8001 026262"),
        (MAP, "01 8c 0161 1502 00"),
        (MAP, "01 8b 0161 01 68 02 0161"),
        (STRUCT, "00"),
        (STRUCT, "1502 00"),
        (STRUCT, "1b 01 86 0161 02 18 0161 00"),
        (STRUCT, "05 8002 02 00"),
        (STRUCT, "11 12 00"),
    ],
)
def test_a_value_is_passed_by_its_type(kind: int, value: str) -> None:
    """A value of any type is skipped to its end, and no prefix of it has an end."""
    data = bytes.fromhex(value)
    assert passed(np.frombuffer(data + b"\x18\x18\x18", np.uint8), 0, kind) == len(data)
    for size in range(len(data)):
        assert passed(np.frombuffer(data[:size], np.uint8), 0, kind) > size


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ("7f", 127),
        ("8001", 128),
        ("ff" * 8 + "7f", (1 << 63) - 1),
        ("ff" * 9 + "01", (1 << 63) - 1),
        ("80" * 9 + "01", 0),
    ],
)
def test_a_number_has_63_bits(data: str, value: int) -> None:
    """Of a number of 64 bits, more than any length has, the highest bit is left out."""
    stored = np.frombuffer(bytes.fromhex(data), np.uint8)
    assert varint(stored, 0) == (value, len(stored))
    assert varint(stored[:-1], 0)[1] > len(stored) - 1
