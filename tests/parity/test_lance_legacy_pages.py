"""Pages of Lance's first format have the values that a plain reader finds, damaged or not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.lance_files import lance_field
from tests.support.lance_legacy import Stored, legacy_file, plain, texts

from byteloom import lance
from byteloom.errors import ByteloomError

KINDS = {"int16": "<i2", "int64": "<i8", "double": "<f8"}

names = st.lists(
    st.sampled_from([b"", b"a", b"some text", "\u00e9".encode()]), min_size=1, max_size=9
)
numbers = st.lists(st.integers(-(1 << 15), (1 << 15) - 1), min_size=1, max_size=9)


def by_reader(data: bytes) -> list[Any] | None:
    """The values that a scan gives; None where the file is refused."""
    try:
        with lance.open(data) as file:
            found: list[Any] = file.to_table()["x"].to_pylist()
            return found
    except ByteloomError:
        return None


def plain_texts(data: bytes, at: int, count: int) -> list[Any] | None:
    """Texts between the offsets at a place; empty ones are null. None for damage."""
    ends = [
        int.from_bytes(data[at + 8 * n : at + 8 * n + 8], "little", signed=True)
        for n in range(count + 1)
    ]
    if ends[0] < 0 or any(a > b for a, b in pairwise(ends)) or ends[-1] > len(data):
        return None
    try:
        found = [data[a:b].decode() for a, b in pairwise(ends)]
    except UnicodeDecodeError:
        return None
    return [each or None for each in found]


def flipped(draw: Any, data: bytes, begin: int, size: int) -> bytes:
    """The bytes of a file with up to two bits of a part changed."""
    out = bytearray(data)
    for _ in range(draw(st.integers(0, 2))):
        out[begin + draw(st.integers(0, size - 1))] ^= 1 << draw(st.integers(0, 7))
    return bytes(out)


@given(values=names, data=st.data())
def test_texts_are_between_their_offsets(values: list[bytes], data: st.DataObject) -> None:
    """Texts equal a plain reader's, which refuses the same bad offsets and invalid UTF-8."""
    page = texts(values)
    file = legacy_file([lance_field("x", "string")], {0: [page]}, [0, len(values)])
    size = len(b"".join(values))
    damaged = flipped(data.draw, file, 0, size + len(page.data))
    assert by_reader(damaged) == plain_texts(damaged, size, len(values))


@pytest.mark.parametrize("kind", KINDS)
@given(values=numbers, data=st.data())
def test_numbers_are_one_after_the_other(kind: str, values: list[int], data: st.DataObject) -> None:
    """Numbers of any bits equal a plain reader's."""
    page = plain(values, KINDS[kind])
    file = legacy_file([lance_field("x", kind)], {0: [page]}, [0, len(values)])
    damaged = flipped(data.draw, file, 0, len(page.data))
    wanted = np.frombuffer(damaged[: len(page.data)], KINDS[kind]).tolist()
    assert repr(by_reader(damaged)) == repr(wanted)


@pytest.mark.parametrize(("kind", "width"), [("list", 4), ("large_list", 8)])
@given(sizes=st.lists(st.integers(0, 4), min_size=1, max_size=6), data=st.data())
def test_lists_are_between_their_offsets(
    kind: str, width: int, sizes: list[int], data: st.DataObject
) -> None:
    """Lists equal a plain reader's, which refuses the same descending offsets and missing items."""
    ends = np.cumsum([data.draw(st.integers(0, 3)), *sizes]).astype(f"<i{width}")
    items = plain(range(int(ends[-1]) + 8), "<i2")
    fields = [lance_field("x", kind), lance_field("item", "int16", 1, parent_id=0)]
    page = Stored(ends.tobytes(), len(ends))
    file = legacy_file(fields, {0: [page], 1: [items]}, [0, len(sizes)])
    damaged = flipped(data.draw, file, 0, len(page.data))
    found = np.frombuffer(damaged[: len(page.data)], f"<i{width}").tolist()
    pairs = list(pairwise(found))
    begin = found[0]
    if begin < 0 or any(a > b for a, b in pairs) or found[-1] - begin > items.length:
        assert by_reader(damaged) is None
    else:
        assert by_reader(damaged) == [list(range(a - begin, b - begin)) for a, b in pairs]
