"""Keys made up between two blocks have a place between the cells around it, as their fields say."""

from __future__ import annotations

from hypothesis import given
from tests.parity.test_hfile_keys import KEYS, by_record

from byteloom.hfile import Key
from byteloom.hfile.keys import order_of_cells
from byteloom.hfile.writing.index import between


@given(KEYS, KEYS)
def test_a_key_between_two_cells_is_a_record_after_the_one_and_not_after_the_other(
    one: Key, two: Key
) -> None:
    """A key made up between two cells is after the first, and not after the second."""
    before, key = sorted((one.encode(), two.encode()), key=order_of_cells)
    if order_of_cells(before) == order_of_cells(key):
        return
    made = between(before, key)
    assert by_record(made) == Key.decode(made)
    assert order_of_cells(before) < order_of_cells(made) <= order_of_cells(key)
