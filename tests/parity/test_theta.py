"""The usual form of a sketch, read without its record, is what the record reads."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import ByteloomError
from byteloom.puffin.theta_form import MAX_THETA, _ordinary, _plain, compose
from byteloom.wire import Reader


@given(st.lists(st.integers(1, MAX_THETA - 2), max_size=3, unique=True))
def test_damaged_sketches_are_read_as_their_records_are(hashes: list[int]) -> None:
    """A damaged sketch is read as by its record, or is left to the record."""
    data = compose(np.array(sorted(hashes), np.uint64), MAX_THETA - 1, is_empty=False)
    assert _ordinary(data) is not None
    number = int.from_bytes(data, "little")
    flips = [(number ^ 1 << bit).to_bytes(len(data), "little") for bit in range(8 * 24)]
    for damaged in [data, *flips, *(data[:end] for end in range(len(data)))]:
        found = _ordinary(damaged)
        if found is None:
            continue
        try:
            wanted = _plain(Reader(damaged))
        except ByteloomError as error:
            raise AssertionError(damaged.hex()) from error
        assert found[0].tolist() == wanted[0].tolist()
        assert found[1:] == wanted[1:]
