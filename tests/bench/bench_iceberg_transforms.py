"""Partition transforms of columns, against pyiceberg-core's over the same arrays.

    make bench ONLY=iceberg_transforms

Both on one thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.speed import Side, compared, of_package, seconds

from byteloom.iceberg.transforms import apply_array, parse_transform
from byteloom.iceberg.types import parse_primitive

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.bench

INTS, TEXTS = 10_000_000, 5_000_000
RANDOM = np.random.default_rng(7)


def longs() -> pa.Array:
    """Random integers of 63 bits."""
    return pa.array(RANDOM.integers(-(1 << 62), 1 << 62, INTS))


def texts() -> pa.Array:
    """Text of 17 to 29 bytes."""
    return pa.array([f"customer-{each:07d}-{'x' * (each % 13)}" for each in range(TEXTS)])


def moments() -> pa.Array:
    """Whole seconds on both sides of 1970: fractions before it the peer gives to the next day."""
    seconds = RANDOM.integers(-(1 << 30), 1 << 31, TEXTS)
    return pa.array(seconds * 1_000_000).view(pa.timestamp("us"))


def decimals() -> pa.Array:
    """Unscaled values of 60 bits."""
    return longs()[:TEXTS].cast(pa.decimal128(38, 0))


CASES: list[tuple[str, str, Callable[[], pa.Array]]] = [
    ("bucket[16]", "long", longs),
    ("bucket[16]", "string", texts),
    ("bucket[16]", "decimal(38, 0)", decimals),
    ("truncate[10]", "long", longs),
    ("truncate[10]", "string", texts),
    ("truncate[10]", "decimal(38, 0)", decimals),
    *((unit, "timestamp", moments) for unit in ("year", "month", "day", "hour")),
]


@pytest.mark.parametrize(
    ("text", "source", "column"), CASES, ids=[f"{text} {source}" for text, source, _ in CASES]
)
def test_transform_a_column(text: str, source: str, column: Callable[[], pa.Array]) -> None:
    """Prints how many times as fast a transform is as the peer's, whose results it equals."""
    peer = pytest.importorskip("pyiceberg_core").transform
    values, of, transform = column(), parse_primitive(source), parse_transform(text)
    name, _, number = text.rstrip("]").partition("[")
    numbers = [int(number)] if number else []
    theirs = getattr(peer, name)(values, *numbers)
    assert apply_array(transform, of, values).cast(theirs.type).equals(theirs)
    compared(
        f"`{text}` of {len(values) // 1_000_000} million {source}",
        "ms",
        Side("byteloom", seconds(lambda: apply_array(transform, of, values))),
        of_package(
            "pyiceberg-core",
            "pyiceberg-core",
            seconds(lambda: getattr(peer, name)(values, *numbers)),
        ),
    )
