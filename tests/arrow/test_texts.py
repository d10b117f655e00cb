"""Texts for the codes of a dictionary, with offsets of either width.

Readers have codes of either width for few of the types.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.arrow.texts import texts_of_codes
from byteloom.errors import LimitExceeded

TYPES = [
    (pa.string(), pa.string()),
    (pa.string(), pa.large_string()),
    (pa.large_string(), pa.large_string()),
    (pa.binary(), pa.binary()),
    (pa.binary(), pa.large_binary()),
    (pa.large_binary(), pa.large_binary()),
]


@pytest.mark.parametrize("width", ["i4", "i8"])
@pytest.mark.parametrize(("stored", "wanted"), TYPES)
@given(values=st.lists(st.text(max_size=4), min_size=1), data=st.data())
def test_each_code_gives_its_text(
    width: str, stored: pa.DataType, wanted: pa.DataType, values: list[str], data: st.DataObject
) -> None:
    """Codes become the texts that Arrow's `take` gives, even from a slice of the values."""
    first = data.draw(st.integers(0, len(values) - 1))
    held = pa.array(values).cast(stored).slice(first)
    codes = data.draw(st.lists(st.integers(0, len(held) - 1)))
    found = texts_of_codes(np.array(codes, width), held, wanted)
    found.validate(full=True)
    assert found.equals(held.take(pa.array(codes, pa.int64())).cast(wanted))


def test_more_text_than_offsets_reach_is_refused() -> None:
    """More than 2 GiB of text is refused for 32-bit offsets, before it is allocated."""
    codes = np.zeros(1 << 12, np.int32)
    with pytest.raises(LimitExceeded, match=f"found {1 << 31} bytes, wanted less than 2 GiB"):
        texts_of_codes(codes, pa.array(["a" * (1 << 19)]), pa.string())
