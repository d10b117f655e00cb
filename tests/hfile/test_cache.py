"""A block cache keeps blocks up to a number of bytes."""

from __future__ import annotations

import pytest

from byteloom.errors import ArgumentError
from byteloom.hfile import BlockCache


class Block:
    """A block that takes a given number of bytes."""

    def __init__(self, cost: int) -> None:
        """Take this many bytes."""
        self.cost = cost


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    """A full cache evicts the least recently used block first."""
    cache, files = BlockCache(10), (object(), object())
    for at, cost in enumerate((3, 3, 4)):
        cache.put(files[0], at, Block(cost))
    assert (len(cache), cache.used) == (3, 10)
    assert cache.get(files[0], 0) is not None
    cache.put(files[1], 0, Block(1))
    assert [cache.has(files[0], at) for at in range(3)] == [True, False, True]
    assert (cache.used, cache.hits, cache.misses) == (8, 1, 0)
    assert cache.get(files[0], 1) is None
    assert (cache.hits, cache.misses) == (1, 1)


def test_a_block_is_kept_if_it_fits_by_itself() -> None:
    """A block as large as the cache is kept; a larger one changes nothing."""
    cache = BlockCache(10)
    cache.put(cache, 0, Block(10))
    assert cache.used == 10
    cache.put(cache, 1, Block(11))
    assert (cache.has(cache, 0), cache.has(cache, 1)) == (True, False)


def test_a_block_that_is_put_again_counts_once() -> None:
    """A block that is put again counts by its new size; a dropped file takes nothing."""
    cache, other = BlockCache(10), object()
    cache.put(cache, 0, Block(6))
    cache.put(cache, 0, Block(4))
    cache.put(other, 0, Block(3))
    assert (len(cache), cache.used) == (2, 7)
    cache.drop(cache)
    assert (len(cache), cache.used, cache.has(other, 0)) == (1, 3, True)


def test_a_size_is_not_negative() -> None:
    """A cache of size 0 keeps nothing, and a negative size is refused."""
    cache = BlockCache(0)
    cache.put(cache, 0, Block(1))
    assert len(cache) == 0
    with pytest.raises(ArgumentError, match=r"^size: found -1, wanted a number of bytes"):
        BlockCache(-1)
