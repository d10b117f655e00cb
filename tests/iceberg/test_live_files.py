"""A file that is live twice is found, whatever the paths are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.iceberg.expressions.stats import Spans
from byteloom.iceberg.manifests.checks import LiveFiles

FILES = st.lists(
    st.tuples(st.text("aé\U0001f600", max_size=20), st.integers(-1, 2)), min_size=1, max_size=9
)


def spans(paths: list[str]) -> Spans:
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
        assert live.add(spans([path for path, _ in files]), offsets) == wanted
        if wanted is not None:
            return


@pytest.mark.parametrize("count", [511, 512, 513, 5000])
def test_many_files_are_remembered(count: int) -> None:
    """The table of live files grows before it is full, and loses no file."""
    live = LiveFiles()
    for start in range(0, count, 100):
        paths = [f"s3://bucket/größe/{n:05}.parquet" for n in range(start, min(start + 100, count))]
        assert live.add(spans(paths), np.full(len(paths), -1)) is None
    last = [f"s3://bucket/größe/{n:05}.parquet" for n in (count, 0)]
    assert live.add(spans(last), np.full(2, -1)) == 1
