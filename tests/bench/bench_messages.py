"""Reading protobuf messages: ours, which says where damage is, beside the package's own parser.

    make bench ONLY=messages

- An ORC footer of 20,000 types, and statistics of 10,000 columns of stripes: these are like the
  pages of Lance's metadata, a few numbers and a message inside.
- Also with an unknown field, as files of later writers have them.
"""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import pytest

from byteloom_generated.orc.messages import (
    ColumnStatistics,
    Footer,
    IntegerStatistics,
    Metadata,
    StripeStatistics,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.documents.messages import Message

pytestmark = pytest.mark.bench

ROUNDS = 5


def footer() -> bytes:
    """The footer of a wide table."""
    types = [Type(kind=Type.Kind.LONG, fieldNames=[f"column {each}"]) for each in range(20_000)]
    return Footer(types=types).SerializeToString()


def statistics() -> bytes:
    """Small messages inside others."""
    column = ColumnStatistics(
        numberOfValues=1_000_000,
        intStatistics=IntegerStatistics(minimum=-5, maximum=1 << 40),
        bytesOnDisk=123_456,
    )
    return Metadata(
        stripeStats=[StripeStatistics(colStats=[column] * 10)] * 1_000
    ).SerializeToString()


def seconds(run: Callable[[], object]) -> float:
    """Processor seconds of the best round."""
    times = []
    for _ in range(ROUNDS):
        start = process_time()
        run()
        times.append(process_time() - start)
    return min(times)


@pytest.mark.parametrize(("kind", "data"), [(Footer, footer()), (Metadata, statistics())])
def test_reading(kind: type[Message], data: bytes) -> None:
    """Prints the milliseconds to parse a message, and the ratio to the package's parser."""
    unknown = data + b"\xc0\x3e\1"
    package = seconds(lambda: kind.made().FromString(data))
    ours = seconds(lambda: kind.parse(data))
    walked = seconds(lambda: kind.parse(unknown))
    print(
        f"\n{kind.__name__}, {len(data):,} bytes: the package {package * 1e3:.2f} ms, "
        f"ours {ours * 1e3:.2f} ms (x{ours / package:.1f}), "
        f"with an unknown field {walked * 1e3:.1f} ms (x{walked / package:.0f})"
    )
