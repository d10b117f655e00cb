"""The size of the heaviest row of an ORC stripe is the same in windows of any size."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import orc
from tests.orc.test_runs import RUNS
from tests.support.drawn import examples
from tests.support.orc_files import TYPES, Content, orc_file, same

from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.orc.heaviest import heaviest_row
from byteloom.orc.layout import OrcLayout
from byteloom.orc.run_values import PRESENT, RunValues
from byteloom.orc.weights import StripeWeights
from byteloom.storage.sources import BytesSource

WINDOWS = (1, 7, 1_000)


def heaviest(data: bytes, window: int = 1 << 15, **limits: int) -> int | None:
    """Return the size in bytes of the heaviest row of the only stripe of a file."""
    bounds = Limits(**limits)
    layout = OrcLayout(BytesSource(data), DEFAULT_LIMITS)
    stripe = layout.stripes[0]
    found = layout.streams(stripe)
    streams = {
        (each.column, each.kind): (offset, each.length)
        for each, offset in zip(found.footer.streams, found.offsets, strict=True)
    }
    encodings: Any = found.footer.columns
    columns = layout.types[0].subtypes
    return heaviest_row(layout, streams, encodings, columns, stripe.numberOfRows, bounds, window)


def taken(parts: list[bytes], version: int, count: int, window: int) -> list[int]:
    """Return the values of a stream, read a window at a time."""
    values = RunValues(parts, version)
    sizes = [min(window, count - at) for at in range(0, count, window)]
    return [each for size in sizes for each in values.take(size).tolist()]


SECOND = (
    b"".join(bytes.fromhex(run) for run, _ in RUNS),
    [each for _, run in RUNS for each in run],
)
FIRST = (
    bytes.fromhex("07 ff 0a fd 05 80 01 07 00 02 09") + b"\x80" + b"\xac\x02" * 128,
    [*range(10, 0, -1), 5, 128, 7, 9, 11, 13, *[300] * 128],
)
BITS = (bytes.fromhex("02 f0 fe 01 80"), [1, 1, 1, 1, 0, 0, 0, 0] * 5 + [0] * 7 + [1, 1] + [0] * 7)


@pytest.mark.parametrize(
    ("version", "stream"), [(PRESENT, BITS), (1, FIRST), (2, SECOND)], ids=["bits", "1", "2"]
)
@pytest.mark.parametrize("window", [1, 7, 64, 1_000])
def test_values_are_the_same_in_any_window_and_any_parts(
    version: int, stream: tuple[bytes, list[int]], window: int
) -> None:
    """The values of a stream depend neither on the size of the window nor on how it is split."""
    data, values = stream
    assert taken([data], version, len(values), window) == values
    assert taken([bytes([each]) for each in data], version, len(values), window) == values
    for at in range(len(data)):
        assert taken([data[:at], b"", data[at:]], version, len(values), window) == values


@pytest.mark.parametrize(
    ("version", "stream"), [(PRESENT, BITS), (1, FIRST), (2, SECOND)], ids=["bits", "1", "2"]
)
@pytest.mark.parametrize("window", [1, 7, 1_000])
def test_a_stream_that_ends_early_is_cut_off(
    version: int, stream: tuple[bytes, list[int]], window: int
) -> None:
    """A stream cut off at any byte, or asked for one value too many, raises `Truncated`."""
    data, values = stream
    for size in range(len(data)):
        with pytest.raises(Truncated, match=r"^orc\.stream: found the end of the stream, wanted"):
            taken([data[:size]], version, len(values), window)
    with pytest.raises(Truncated, match=r"^orc\.stream: found the end of the stream, wanted"):
        taken([data], version, len(values) + 1, window)


@pytest.mark.parametrize("window", [1, 7, 1_000])
def test_a_patch_after_the_last_value_is_damage(window: int) -> None:
    """A patch after the last value raises a `FormatError`, but not before its run is read."""
    # Five values of 2 bits, a base of 1 byte, patches of 3 bits, gaps of 2 bits, two patches.
    head = bytes([0x80 | 1 << 1, 4, 0 << 5 | 2, 1 << 5 | 2, 0, 0, 0])
    fits, beyond = (f"{2:02b}{5:03b}{gap:02b}{6:03b}".ljust(16, "0") for gap in (2, 3))
    sound = head + int(fits, 2).to_bytes(2, "big")
    assert taken([same(3, 30) + sound], 2, 35, window) == [3] * 30 + [0, 0, 20, 0, 24]
    damaged = same(3, 30) + head + int(beyond, 2).to_bytes(2, "big")
    assert taken([damaged], 2, 30, window) == [3] * 30
    said = r"^orc\.stream: found a patch after the last value, wanted a patch of a value$"
    with pytest.raises(FormatError, match=said):
        taken([damaged], 2, 31, window)


def size_of(value: object) -> int:
    """Return the size of a value: 8 bytes and one for each letter, with all values inside it."""
    if isinstance(value, str):
        return 8 + len(value)
    if isinstance(value, list):
        return 8 + sum(map(size_of, value))
    if isinstance(value, dict):
        return 8 + sum(map(size_of, value.values()))
    return 8


TEXTS = st.sampled_from([None, "", "ab", "c" * 90, "x" * 900])
STRUCTS = st.none() | st.fixed_dictionaries({"s": TEXTS, "n": st.none() | st.integers(0, 9)})
ROWS = st.none() | st.lists(st.none() | st.lists(STRUCTS, max_size=12), max_size=6)
KIND = pa.list_(pa.list_(pa.struct([("s", pa.string()), ("n", pa.int64())])))


@examples(0.5)
@given(
    st.lists(ROWS, min_size=1, max_size=30),
    st.sampled_from(["uncompressed", "zstd", "zlib"]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from(["0.11", "0.12"]),
)
@example(
    [[[{"s": "x" * (each % 50), "n": 1}]] * (each % 3) for each in range(1100)], "zstd", 0, "0.12"
)
def test_windows_of_any_size_find_the_heaviest_row(
    rows: list[Any], codec: str, dictionaries: float, version: str
) -> None:
    """The heaviest row is the same in any window, with nulls, dictionaries and both run forms."""
    out = BytesIO()
    table = pa.table({"a": pa.array(rows, KIND)})
    orc.write_table(
        table,
        out,
        compression=codec,
        dictionary_key_size_threshold=dictionaries,
        file_version=version,
    )
    found = max(map(size_of, rows))
    assert heaviest(out.getvalue()) == found
    assert [heaviest(out.getvalue(), each) for each in WINDOWS] == [found] * 3


def lists(*streams: tuple[int, str, Content]) -> bytes:
    """Return a file of a thousand rows of lists of text."""
    return orc_file([(TYPES.LIST, [2]), (TYPES.STRING, [])], 1_000, streams)


LONG = same(2, 999) + same(1_000, 1)
"""Lengths of lists of 2,998 items."""

TWO = (1, "LENGTH", LONG)
BITS_OF_ALL = b"\x7f\xff" * 2 + bytes([375 - 260 - 3, 0xFF])
"""That each of 3,000 values is there."""


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (lists(TWO, (2, "LENGTH", same(5, 2_998))), 8 + 1_000 * 13),
        (lists(TWO, (2, "LENGTH", same(5, 2_997))), None),
        (lists(TWO, (2, "LENGTH", same(5, 2_999))), None),
        (lists(TWO, (2, "LENGTH", same(5, 2_998)), (2, "PRESENT", BITS_OF_ALL)), 8 + 1_000 * 13),
        (lists(TWO, (2, "LENGTH", same(5, 2_998)), (2, "PRESENT", BITS_OF_ALL[:-2])), None),
        (lists((1, "LENGTH", LONG[:-4]), (2, "LENGTH", same(5, 2_998))), None),
        (lists(TWO, (2, "LENGTH", same(5, 2_900) + same(1 << 63, 98))), None),
        (lists(TWO, (2, "LENGTH", same(5, 2_900) + same(1 << 40, 98))), None),
        (
            lists(TWO, (2, "LENGTH", same(5, 2_997) + same(1 << 39, 1))),
            8_000 + 999 * 5 + (1 << 39) + 8,
        ),
        (lists((1, "LENGTH", same(2, 999) + same(1 << 41, 1))), None),
    ],
    ids=[
        "sound",
        "a length too few",
        "a length too many",
        "all there",
        "bits cut off",
        "lists cut off",
        "below 0",
        "beyond any limit",
        "large",
        "too long a list",
    ],
)
def test_damage_gives_no_answer_in_windows_of_any_size(data: bytes, size: int | None) -> None:
    """A stripe with damage has no heaviest row, wherever the damage is and whatever the window."""
    assert heaviest(data) == size
    assert [heaviest(data, each) for each in WINDOWS] == [size] * 3


def test_no_more_values_are_read_than_limits_allow() -> None:
    """The limit counts the values of all streams: 1,000 lengths of lists and 2,998 of texts."""
    data = lists(TWO, (2, "LENGTH", same(5, 2_998)))
    stored = len(LONG) + len(same(5, 2_998))
    assert heaviest(data, elements=3_998, expansion=0) == 8 + 1_000 * 13
    assert heaviest(data, elements=3_997, expansion=0) is None
    assert heaviest(data, elements=3_998 - 2 * stored, expansion=2) == 8 + 1_000 * 13
    assert heaviest(data, elements=3_997 - 2 * stored, expansion=2) is None


def test_items_of_one_size_are_counted_and_not_read() -> None:
    """A list of decimals counts 16 bytes for each item, and its items are not read."""
    data = orc_file(
        [(TYPES.LIST, [2]), (TYPES.DECIMAL, [])], 600, [(1, "LENGTH", same(1 << 35, 600))]
    )
    assert heaviest(data, elements=600, expansion=0) == 8 + (16 << 35)
    beyond = [(1, "LENGTH", same((1 << 36) + 1, 600))]
    assert heaviest(orc_file([(TYPES.LIST, [2]), (TYPES.DECIMAL, [])], 600, beyond)) is None


@pytest.mark.parametrize("rows", [1, 1_000])
def test_values_of_one_size_are_not_read(rows: int) -> None:
    """A struct of fixed-size values has a fixed size: its own, and that of each value inside."""
    inner = [(TYPES.STRUCT, [3, 4]), (TYPES.LONG, []), (TYPES.DECIMAL, [])]
    data = orc_file([(TYPES.STRUCT, [2]), *inner], rows, [])
    assert heaviest(data, elements=0, expansion=0) == 8 + (8 + 8 + 16)
    data = orc_file([(TYPES.LIST, [2]), *inner], rows, [(1, "LENGTH", same(3, rows))])
    assert heaviest(data, elements=rows, expansion=0) == 8 + 3 * (8 + 8 + 16)


@pytest.mark.parametrize(
    "columns",
    [
        [(TYPES.LIST, [2])],
        [(TYPES.STRUCT, [3]), (TYPES.LONG, []), (TYPES.LIST, [2])],
        [(TYPES.LIST, [2]), (TYPES.LIST, [2])],
        [(TYPES.LONG, [2]), (TYPES.LONG, [])],
    ],
    ids=["a type that is missing", "an earlier type", "the type itself", "inside of a number"],
)
def test_types_that_are_no_tree_give_no_answer(columns: list[tuple[int, list[int]]]) -> None:
    """A stripe whose types do not form a tree in depth-first order has no heaviest row."""
    assert heaviest(orc_file(columns, 1, [])) is None


def test_a_dictionary_is_held_within_limits() -> None:
    """A dictionary takes eight bytes for each entry, and a code after its last entry is damage."""
    streams = [(1, "DATA", same(9, 50)), (1, "LENGTH", same(7, 10))]
    data = orc_file([(TYPES.STRING, [])], 50, streams, dictionaries={1: 10})
    assert heaviest(data, decompressed_size=80) == 15
    assert heaviest(data, decompressed_size=79) is None
    streams[0] = (1, "DATA", same(9, 40) + same(10, 10))
    data = orc_file([(TYPES.STRING, [])], 50, streams, dictionaries={1: 10})
    assert [heaviest(data, each) for each in WINDOWS] == [None] * 3


def test_lists_of_more_than_sixteen_million_items_count_by_their_own_rows() -> None:
    """In a stripe of 17 million texts, the limit applies to the heaviest row.

    That is one of a million empty texts, and not the row of one long text.
    """
    items, rows, long = 1_000_000, 17, 1_000_000
    ends = np.zeros(rows * items + 2, np.int32)
    ends[-1] = long
    texts = pa.StringArray.from_buffers(
        rows * items + 1, pa.py_buffer(ends), pa.py_buffer(b"x" * long)
    )
    places = [*range(0, rows * items + 1, items), rows * items + 1]
    table = pa.table({"a": pa.ListArray.from_arrays(pa.array(places, pa.int32()), texts)})
    out = BytesIO()
    orc.write_table(table, out, batch_size=1, stripe_size=1 << 30, dictionary_key_size_threshold=0)
    data, size = out.getvalue(), 8 + 8 * items
    assert weighed(data, decompressed_size=size).rows_within(size, 1 << 17) == 1
    said = rf"found a row of up to {size} bytes, wanted at most {size - 1} \(limits"
    with pytest.raises(LimitExceeded, match=said):
        weighed(data, decompressed_size=size - 1).rows_within(size, 1 << 17)


def weighed(data: bytes, **limits: int) -> StripeWeights:
    """Return the weights of the only column of a file's stripe."""
    bounds = Limits(**limits)
    layout = OrcLayout(BytesSource(data), bounds)
    assert len(layout.stripes) == 1
    return StripeWeights(layout, 0, layout.types[0].subtypes, bounds)
