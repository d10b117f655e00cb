"""Decoded columns of manifests become Arrow arrays of their values; live files are found twice.

What is decoded is internal: no manifest has most of these numbers, and no few files fill a table.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg.expressions.stats import Spans
from byteloom.iceberg.manifests.arrow_columns import map_array, number_array, texts
from byteloom.iceberg.manifests.checks import LiveFiles
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


def test_numbers_of_32_bits_are_taken_to_their_ends() -> None:
    """The smallest and largest number of 32 bits are accepted, and others refused."""
    ends = np.array([-(1 << 31), (1 << 31) - 1, 1 << 40])
    array = number_array(ends, pa.int32(), np.array([True, True, False]), "a")
    assert array.to_pylist() == [-(1 << 31), (1 << 31) - 1, None]
    both = np.array([True, True])
    for numbers, said in (
        ([5, -(1 << 31) - 1], "-2147483649 to 5"),
        ([0, 1 << 31], "0 to 2147483648"),
    ):
        with pytest.raises(FormatError, match=rf"^a: found {said}, wanted numbers of type int32$"):
            number_array(np.array(numbers), pa.int32(), both, "a")


# ------------------------------------------------------------------------------- live files

FILES = st.lists(
    st.tuples(st.text("aé\U0001f600", max_size=20), st.integers(-1, 2)), min_size=1, max_size=9
)


def path_spans(paths: list[str]) -> Spans:
    """Return the UTF-8 of paths, one after the other."""
    raw = [path.encode() for path in paths]
    sizes = np.array([len(each) for each in raw], np.int64)
    data = np.frombuffer(b"".join(raw) + b"\0", np.uint8)
    return Spans(data, np.cumsum(sizes) - sizes, sizes)


@given(FILES, FILES)
@example([("é" * 4, -1)], [("é" * 4, -1)])  # eight bytes, whose word is negative
@example([("a" * 8, -1), ("a" * 9, -1)], [("a" * 8, 0), ("a" * 7 + "é", -1)])
def test_the_first_file_that_was_there_is_returned(
    first: list[tuple[str, int]], second: list[tuple[str, int]]
) -> None:
    """The first repeated file is found by its row; the same path with another offset is new."""
    live, seen = LiveFiles(), set[tuple[str, int]]()
    for files in (first, second):
        wanted = None
        for row, each in enumerate(files):
            if wanted is None and each in seen:
                wanted = row
            seen.add(each)
        offsets = np.array([offset for _, offset in files], np.int64)
        assert live.add(path_spans([path for path, _ in files]), offsets) == wanted
        if wanted is not None:
            return


@pytest.mark.parametrize("count", [511, 512, 513, 5000])
def test_many_files_are_remembered(count: int) -> None:
    """The table of live files grows before it is full, and loses no file."""
    live = LiveFiles()
    for start in range(0, count, 100):
        paths = [f"s3://bucket/größe/{n:05}.parquet" for n in range(start, min(start + 100, count))]
        assert live.add(path_spans(paths), np.full(len(paths), -1)) is None
    last = [f"s3://bucket/größe/{n:05}.parquet" for n in (count, 0)]
    assert live.add(path_spans(last), np.full(2, -1)) == 1
