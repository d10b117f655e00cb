"""Decoded columns of manifests become Arrow arrays of their values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg.expressions.stats import Spans
from byteloom.iceberg.manifests.arrow_columns import map_array, number_array, texts
from byteloom.iceberg.manifests.decoding import Runs, _row_count
from byteloom.iceberg.manifests.fields import map_type

INTS = st.integers(-(1 << 31), (1 << 31) - 1)
MAPS = st.lists(st.one_of(st.none(), st.dictionaries(INTS, st.integers(0, 255), max_size=4)))


def laid_out(rows: list[dict[int, int] | None]) -> tuple[Runs, np.ndarray]:
    """Return items of rows with another map's item between them, as decoded manifests have."""
    items, starts, ends = [(9, 9)], [], []
    for row in rows:
        starts.append(len(items))
        items += (row or {}).items()
        ends.append(len(items))
        items.append((1 << 40, 1))
    valid = np.array([row is not None for row in rows], np.bool_)
    runs = Runs(np.array(starts, np.int64), np.array(ends, np.int64), valid)
    return runs, np.array(items, np.int64).T.copy()


@given(MAPS)
def test_maps_have_the_items_of_their_rows(rows: list[dict[int, int] | None]) -> None:
    """Maps have the items of their rows, with numbers as values and bytes by offset and size."""
    runs, items = laid_out(rows)
    found = map_array(runs, items, map_type(pa.int64()), "counts", None)
    found.validate(full=True)
    assert found.to_pylist() == [None if each is None else list(each.items()) for each in rows]

    data, packed = np.arange(256, dtype=np.uint8), items.copy()
    packed[1] = items[1] << 32 | items[1] % 3
    found = map_array(runs, packed, map_type(pa.large_binary()), "bounds", data)
    found.validate(full=True)
    assert found.to_pylist() == [
        None
        if row is None
        else [(key, data[at : at + at % 3].tobytes()) for key, at in row.items()]
        for row in rows
    ]


@pytest.mark.parametrize("data", [None, np.zeros(1, np.uint8)], ids=["numbers", "bytes"])
@pytest.mark.parametrize("key", [1 << 31, -(1 << 31) - 1])
def test_keys_that_are_no_column_ids_are_refused(key: int, data: np.ndarray | None) -> None:
    """A key that is not a column id is an error with the field and the range of its keys."""
    runs, items = laid_out([{1: 0}, {key: 0}])
    of = map_type(pa.int64() if data is None else pa.large_binary())
    with pytest.raises(FormatError, match=f"counts.*{key}"):
        map_array(runs, items, of, "counts", data)


@given(st.lists(st.one_of(st.none(), st.text(st.characters(categories=["L", "N", "P", "S"])))))
def test_texts_are_those_of_their_runs(values: list[str | None]) -> None:
    """Texts of any characters, null and empty ones included, are those of their bytes."""
    parts = [(each or "").encode() for each in values]
    sizes = np.array(
        [-1 if each is None else len(part) for each, part in zip(values, parts, strict=True)],
        np.int64,
    )
    places = np.cumsum([0, *map(len, parts)], dtype=np.int64)[:-1]
    spans = Spans(np.frombuffer(b"".join(parts), np.uint8), places, sizes)
    found = texts(spans, pa.large_string(), "path")
    found.validate(full=True)
    assert found.to_pylist() == values


def one_span(text: bytes) -> Spans:
    """Return a column of one text."""
    return Spans(np.frombuffer(text, np.uint8), np.zeros(1, np.int64), np.array([len(text)]))


@pytest.mark.parametrize("text", ["a\x1fb", "a\x7f", "é\n", "\0"])
def test_control_characters_are_text(text: str) -> None:
    """Control characters in a text are kept unchanged."""
    found = texts(one_span(text.encode()), pa.large_string(), "path")
    assert found.to_pylist() == [text]


@pytest.mark.parametrize("text", [b"\xc3", b"a\xff", b"\xed\xa0\x80"])
def test_invalid_utf_8_is_refused(text: bytes) -> None:
    """Invalid UTF-8 is an error with the name of the field."""
    with pytest.raises(FormatError, match=r"path.*UTF-8"):
        texts(one_span(text), pa.large_string(), "path")


@given(st.lists(st.one_of(st.none(), INTS)))
def test_numbers_are_those_that_are_valid(values: list[int | None]) -> None:
    """A number that is not valid is null, whatever its place holds."""
    valid = np.array([each is not None for each in values], np.bool_)
    numbers = np.array([-1 if each is None else each for each in values], np.int64)
    found = number_array(numbers, pa.int32(), valid, "sort_order_id")
    found.validate(full=True)
    assert found.to_pylist() == values


@pytest.mark.parametrize(("size", "is_read"), [((1 << 31) - 1, True), (1 << 31, False)])
def test_blocks_of_31_bits_are_decoded_at_a_time(size: int, *, is_read: bool) -> None:
    """Blocks are decoded together only if their offsets fit 31 bits."""
    blocks = np.array([[3, 0, 30], [2, 30, 50]], np.int64)
    if is_read:
        assert _row_count(blocks, size, 10) == 5
        return
    said = rf"^avro\.blocks: found {size} bytes, wanted under {1 << 31} at a time"
    with pytest.raises(LimitExceeded, match=said):
        _row_count(blocks, size, 10)
