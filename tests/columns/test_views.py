"""Arrow views of values inside a buffer equal Arrow's own arrays of the same values.

No reader has values at any offset, or of more than 1 GiB, at hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.columns import views

if TYPE_CHECKING:
    import pyarrow as pa


def viewed(data: bytes, starts: list[int], sizes: list[int]) -> pa.Array:
    """Return the values of these sizes at these offsets."""
    made = views.binary_views(data, np.array(starts, np.int64), np.array(sizes, np.int64))
    made.validate(full=True)
    return made


@given(st.binary(max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 40))))
def test_values_are_the_bytes_at_their_places(data: bytes, parts: list[tuple[int, int]]) -> None:
    """A view has the bytes at the given offsets, in any order and overlapping or not."""
    wanted = [data[start : start + size] for start, size in parts]
    starts = [min(start, len(data)) for start, _ in parts]
    assert viewed(data, starts, [len(each) for each in wanted]).to_pylist() == wanted


@pytest.mark.parametrize("byte", [0, 0x7F, 0x80, 0xFF])
def test_values_of_12_bytes_or_fewer_are_in_the_view_itself(byte: int) -> None:
    """A value of up to 12 bytes is inlined; a longer one has a prefix and an offset."""
    data = b"before" + bytes([byte]) * 20
    for size in range(21):
        made = viewed(data, [6], [size])
        view = made.buffers()[1].to_pybytes()
        assert view[:4] == size.to_bytes(4, "little")
        if size <= 12:
            assert view[4:] == data[6 : 6 + size].ljust(12, b"\0")
        else:
            assert view[4:] == data[6:10] + bytes(4) + (6).to_bytes(4, "little")
        assert made.to_pylist() == [data[6 : 6 + size]]


def test_places_after_1_gib_are_those_of_another_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offsets beyond 1 GiB refer to another buffer, which begins one step later."""
    monkeypatch.setattr(views, "_STEP", 8)
    made = views.binary_views(b"x" * 20, np.array([0]), np.array([20]))
    assert [each.size for each in made.buffers()[2:]] == [20, 12, 4]


@given(st.binary(max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 40))))
def test_numpy_and_the_loop_make_the_same_views(data: bytes, parts: list[tuple[int, int]]) -> None:
    """Views of small inputs, which NumPy makes, are those that the loop makes of large ones."""
    starts = np.array([min(start, len(data)) for start, _ in parts], np.int64)
    sizes = np.array([len(data[start : start + size]) for start, size in parts], np.int64)
    small, large = np.ones((2, len(parts), 2), np.int64)
    views._fill_with_numpy(data, starts, sizes, small)
    views._fill(data, starts, sizes, large)
    assert small.tolist() == large.tolist()
