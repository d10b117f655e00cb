"""Words and bytes are loaded, stored and copied alike by Python and by machine code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.native import loads
from byteloom.native.kernel import kernel


@given(st.binary(min_size=8, max_size=24), st.integers(0, 15))
def test_words_are_loaded_and_stored_as_they_are_reported(data: bytes, skip: int) -> None:
    """Words of every width are loaded and stored by their byte order, aligned or not."""
    at = min(skip, len(data) - 8)
    whole = data[at : at + 8]
    wanted = (
        whole[0],
        int.from_bytes(whole[:2], "big"),
        int.from_bytes(whole[:4], "big", signed=True),
        int.from_bytes(whole, "big", signed=True),
        int.from_bytes(whole[:2], "little"),
        int.from_bytes(whole[:4], "little"),
        int.from_bytes(whole, "little", signed=True),
    )
    for run in (_words.compiled, _words.interpreted):
        out = np.zeros(37, np.uint8)
        assert run(np.frombuffer(data, np.uint8), at, out) == wanted
        assert out.tobytes() == b"".join(whole[:size] for size in (1, 2, 4, 8, 8, 2, 4, 8))


@kernel
def _copied(data: np.ndarray, out: np.ndarray, size: int, room: int) -> int:
    loads.copy(data.ctypes.data + 3, out.ctypes.data + 5, size, room)
    return size


@pytest.mark.parametrize("room", [0, 7, 8])
@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 16, 17, 24, 25, 100])
def test_copies_overwrite_fewer_than_eight_bytes_more(size: int, room: int) -> None:
    """A copy writes whole words only if the target has room for one more."""
    data = np.arange(1, 201, dtype=np.uint8)
    for run in (_copied, _copied.compiled):
        out = np.zeros(200, np.uint8)
        run(data, out, size, size + room)
        assert out[5 : 5 + size].tolist() == data[3 : 3 + size].tolist()
        most = 5 + (-(-size // 8) * 8 if room == 8 else size)
        assert not out[:5].any()
        assert not out[most:].any()


@kernel
def _words(data: np.ndarray, at: int, out: np.ndarray) -> tuple[int, ...]:
    base, to = data.ctypes.data, out.ctypes.data
    found = (
        loads.byte(base, at),
        loads.be16(base, at),
        loads.be32(base, at),
        loads.be64(base, at),
        loads.le16(base, at),
        loads.le32(base, at),
        loads.le64(base, at),
    )
    loads.put_byte(to, 0, found[0])
    loads.put_be16(to, 1, found[1])
    loads.put_be32(to, 3, found[2])
    loads.put_be64(to, 7, found[3])
    loads.put_le16(to, 23, found[4])
    loads.put_le32(to, 25, found[5])
    loads.put_le64(to, 15, found[6])
    loads.copy(base + at, to + 29, 8, 0)
    return found
