"""Truth values of Arrow as those of NumPy."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from byteloom.arrow.flags import flags_of


@given(values=st.lists(st.booleans(), max_size=40), data=st.data())
def test_flags_are_the_values(values: list[bool], data: st.DataObject) -> None:
    """Each flag is the value of its row, even of a slice of a column."""
    first = data.draw(st.integers(0, len(values)))
    array = pa.array(values, pa.bool_()).slice(first, data.draw(st.integers(0, 40)))
    assert flags_of(array).tolist() == array.to_pylist()
