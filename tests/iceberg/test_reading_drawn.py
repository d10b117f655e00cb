"""Tables that grow by random commits have the rows that their deletes leave."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.iceberg_drawn import commits, left, write
from tests.support.iceberg_plain import ordered

from byteloom.iceberg import open_table


@pytest.mark.parametrize(
    ("version", "kinds"), [(2, "positions equality"), (3, "positions vectors equality")]
)
@given(data=st.data(), together=st.booleans())
def test_rows_are_left_that_no_delete_takes(
    version: int, kinds: str, together: bool, data: st.DataObject
) -> None:
    """Exactly the rows that no delete matches by scope, age and partition are left."""
    made = data.draw(commits(frozenset([*kinds.split(), "nulls", "partitions"])))
    with TemporaryDirectory() as folder:
        place = write(made, Path(folder), version=version, together=together)
        rows = open_table(place).scan().to_table().to_pylist()
    assert ordered(rows) == ordered(left(made))
