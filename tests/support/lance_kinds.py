"""Columns as they are in everyday tables, of which files of some size are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EVERYDAY", "kinds", "texts"]

Random = np.random.Generator

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "lorem",
    "ipsum",
    "dolor",
    "sit",
    "amet",
    "elit",
    "sed",
]


def texts(random: Random, rows: int) -> pa.Array:
    """Short texts, hardly any twice."""
    return pa.array([f"{each:x}" for each in random.integers(0, 1 << 48, rows).tolist()])


def kinds(rows: int) -> dict[str, Callable[[Random], pa.Array]]:
    """Return functions that make nine kinds of columns: *rows* texts or twice as many numbers."""
    words = np.array([f"value {number}" for number in range(20)], object)
    return {
        "int64": lambda random: pa.array(random.integers(-(1 << 62), 1 << 62, 2 * rows)),
        "int64, small": lambda random: pa.array(random.integers(0, 1_000, 2 * rows)),
        "int32, nulls": lambda random: pa.array(
            random.integers(0, 1 << 30, 2 * rows).astype(np.int32),
            mask=random.random(2 * rows) < 0.1,
        ),
        "double": lambda random: pa.array(random.random(2 * rows)),
        "text": lambda random: texts(random, rows),
        "text, few": lambda random: pa.array(words[random.integers(0, 20, rows)]),
        "list<int32>": lambda random: pa.ListArray.from_arrays(
            pa.array(np.arange(rows // 4 + 1) * 8, pa.int32()),
            pa.array(random.integers(0, 1 << 30, 2 * rows).astype(np.int32)),
        ),
        "struct of 3": lambda random: pa.StructArray.from_arrays(
            [
                pa.array(random.integers(0, 100, rows)),
                pa.array(random.random(rows)),
                texts(random, rows),
            ],
            ["a", "b", "c"],
        ),
        "vector of 128": lambda random: pa.FixedSizeListArray.from_arrays(
            pa.array(random.random(rows // 50 * 128).astype(np.float32)), 128
        ),
    }


def _sentences(random: Random, rows: int, words: int) -> pa.Array:
    chosen = random.integers(0, len(WORDS), (rows, words)).tolist()
    return pa.array([" ".join(WORDS[each] for each in row) for row in chosen])


def _lists(random: Random, rows: int, of: Callable[[int], Any]) -> list[Any]:
    return [[of(each) for each in row[: row[0] % 6]] for row in random.integers(0, 60, (rows, 6))]


EVERYDAY: dict[str, Callable[[Random, int], pa.Array]] = {
    "float": lambda random, rows: pa.array(random.random(rows).astype(np.float32)),
    "half": lambda random, rows: pa.array(random.random(rows).astype(np.float16)),
    "price": lambda random, rows: pa.array(np.round(random.gamma(2, 10, rows), 2)),
    "doubles, mostly null": lambda random, rows: pa.array(
        random.random(rows), mask=random.random(rows) < 0.99
    ),
    "doubles, mostly zero": lambda random, rows: pa.array(
        np.where(random.random(rows) < 0.95, 0, random.random(rows))
    ),
    "ascending": lambda _, rows: pa.array(np.arange(rows) + (1 << 50)),
    "times": lambda random, rows: pa.array(
        random.integers(0, 10**15, rows) + 17 * 10**17, pa.timestamp("ns", "UTC")
    ),
    "dates": lambda random, rows: pa.array(
        random.integers(19_000, 19_500, rows).astype(np.int32), pa.date32()
    ),
    "negative": lambda random, rows: pa.array(random.integers(-5, 5, rows)),
    "outliers": lambda random, rows: pa.array(
        np.where(random.random(rows) < 0.001, 1 << 60, random.integers(0, 100, rows))
    ),
    "few large integers": lambda random, rows: pa.array(
        random.choice(random.integers(0, 1 << 60, 30), rows), mask=random.random(rows) < 0.3
    ),
    "one value and null": lambda random, rows: pa.array(
        np.full(rows, 7), mask=random.random(rows) < 0.1
    ),
    "runs": lambda random, rows: pa.array(np.repeat(random.integers(0, 1 << 40, rows // 50), 50)),
    "truth": lambda random, rows: pa.array(
        random.random(rows) < 0.5, mask=random.random(rows) < 0.2
    ),
    "decimal": lambda random, rows: pa.array(random.integers(0, 10**6, rows)).cast(
        pa.decimal128(20, 0)
    ),
    "fixed bytes": lambda random, rows: pa.array(
        [random.bytes(16) for _ in range(rows)], pa.binary(16)
    ),
    "bytes": lambda random, rows: pa.array([random.bytes(each % 11) for each in range(rows)]),
    "addresses": lambda random, rows: pa.array(
        [
            f"https://example.org/{WORDS[each % 16]}?id={each}"
            for each in random.integers(0, 10**6, rows).tolist()
        ]
    ),
    "sentences": lambda random, rows: _sentences(random, rows, 8),
    "long texts": lambda random, rows: _sentences(random, rows // 20, 120),
    "huge texts": lambda random, rows: _sentences(random, rows // 4_000, 8_000),
    "customers": lambda random, rows: pa.array(
        [f"customer {each}" for each in random.integers(0, rows // 40, rows).tolist()]
    ),
    "letters": lambda random, rows: pa.array(
        [chr(97 + each) for each in random.integers(0, 26, rows).tolist()]
    ),
    "one text": lambda _, rows: pa.array(["same"] * rows),
    "dictionary": lambda random, rows: pa.DictionaryArray.from_arrays(
        pa.array(random.integers(0, 16, rows).astype(np.int32)), pa.array(WORDS)
    ),
    "tags": lambda random, rows: pa.array(
        _lists(random, rows // 4, lambda number: WORDS[number % 16])
    ),
    "lists, mostly null": lambda random, rows: pa.array(
        [[1, 2, 3] if each < 0.02 else None for each in random.random(rows).tolist()]
    ),
    "lists of doubles": lambda random, rows: pa.array(_lists(random, rows // 4, lambda n: n / 7)),
}
"""What makes a column of about a given number of values."""
