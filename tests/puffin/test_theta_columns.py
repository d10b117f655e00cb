"""Which bytes of an Arrow column are hashed; compiled and NumPy hashing agree.

The number of rows from which compiled code is worth it is replaced, to compare both on few rows.
"""

import decimal
import struct
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from typing import Any

import mmh3
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError, Unsupported
from byteloom.puffin import ThetaSketch, theta
from byteloom.puffin.single_value import iceberg_type_of

MOMENT = datetime(2017, 11, 16, 22, 31, 8, 123456, tzinfo=UTC)
DECIMAL = decimal.Decimal
U = uuid.UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")


def hashed(values: list[bytes]) -> list[int]:
    """Return what a sketch keeps of these single-value forms, by another Murmur3."""
    halves = (mmh3.hash64(value, 9001, signed=False)[0] >> 1 for value in values)
    return sorted(set(halves))


def sketches(array: Any, **kwargs: Any) -> list[int]:
    """Return the hashes of a column, after checking that NumPy and compiled code agree on them."""
    few = ThetaSketch.from_arrow(array, **kwargs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(theta, "_FEW_ROWS", -1)
        compiled = ThetaSketch.from_arrow(array, **kwargs)
    assert few == compiled
    hashes: list[int] = few.hashes.tolist()
    return hashes


def unscaled(value: int) -> bytes:
    """Return an integer as the shortest big-endian two's complement."""
    return value.to_bytes(
        (value if value >= 0 else ~value).bit_length() // 8 + 1, "big", signed=True
    )


TYPES = [
    ("boolean", pa.array([True, None, False]), [b"\1", b"\0"]),
    ("int", pa.array([34, -1, None], pa.int32()), [struct.pack("<i", 34), struct.pack("<i", -1)]),
    ("int", pa.array([34, -1], pa.int8()), [struct.pack("<i", 34), struct.pack("<i", -1)]),
    ("int", pa.array([65535], pa.uint16()), [struct.pack("<i", 65535)]),
    ("long", pa.array([34, None, -1]), [struct.pack("<q", 34), struct.pack("<q", -1)]),
    ("long", pa.array([4294967295], pa.uint32()), [struct.pack("<q", 4294967295)]),
    (
        "float",
        pa.array([1.5, -0.0], pa.float32()),
        [struct.pack("<f", 1.5), struct.pack("<f", -0.0)],
    ),
    ("float", pa.array(np.array([1.5], np.float16)), [struct.pack("<f", 1.5)]),
    ("double", pa.array([0.0, -0.0, 1.5]), [struct.pack("<d", x) for x in (0.0, -0.0, 1.5)]),
    ("date", pa.array([date(2017, 11, 16)]), [struct.pack("<i", 17486)]),
    ("date", pa.array([date(2017, 11, 16)], pa.date64()), [struct.pack("<i", 17486)]),
    ("time", pa.array([time(22, 31, 8)], pa.time64("us")), [struct.pack("<q", 81068000000)]),
    ("time", pa.array([time(22, 31, 8)], pa.time32("s")), [struct.pack("<q", 81068000000)]),
    (
        "timestamp",
        pa.array([MOMENT.replace(tzinfo=None)], pa.timestamp("us")),
        [struct.pack("<q", 1510871468123456)],
    ),
    ("timestamp", pa.array([1510871468], pa.timestamp("s")), [struct.pack("<q", 1510871468000000)]),
    (
        "timestamptz",
        pa.array([MOMENT], pa.timestamp("us", "UTC")),
        [struct.pack("<q", 1510871468123456)],
    ),
    (
        "timestamp_ns",
        pa.array([1510871468123456001], pa.timestamp("ns")),
        [struct.pack("<q", 1510871468123456001)],
    ),
    ("timestamptz_ns", pa.array([7], pa.timestamp("ns", "UTC")), [struct.pack("<q", 7)]),
    (
        "string",
        pa.array(["iceberg", None, "ä", "", "x" * 100]),
        [b"iceberg", "ä".encode(), b"x" * 100],
    ),
    ("string", pa.array(["iceberg", "ä"], pa.large_string()), [b"iceberg", "ä".encode()]),
    (
        "string",
        pa.array(["iceberg", "longer than an inline view", None], pa.string_view()),
        [b"iceberg", b"longer than an inline view"],
    ),
    ("binary", pa.array([b"\0\1", b"", None], pa.binary()), [b"\0\1"]),
    ("binary", pa.array([b"\0\1"], pa.large_binary()), [b"\0\1"]),
    ("binary", pa.array([b"\0\1", b"x" * 20], pa.binary_view()), [b"\0\1", b"x" * 20]),
    ("fixed[3]", pa.array([b"abc", None, b"xyz"], pa.binary(3)), [b"abc", b"xyz"]),
    ("uuid", pa.array([U.bytes], pa.uuid()), [U.bytes]),
    (
        "decimal(9, 2)",
        pa.array([DECIMAL("14.20"), None, DECIMAL("-0.01")], pa.decimal128(9, 2)),
        [unscaled(1420), unscaled(-1)],
    ),
    (
        "decimal(9, 2)",
        pa.array([DECIMAL("14.20"), DECIMAL("-1.28")], pa.decimal32(9, 2)),
        [unscaled(1420), unscaled(-128)],
    ),
    ("decimal(18, 0)", pa.array([DECIMAL(-(10**17))], pa.decimal64(18, 0)), [unscaled(-(10**17))]),
    (
        "decimal(38, 0)",
        pa.array([DECIMAL(10**37), DECIMAL(0)], pa.decimal128(38, 0)),
        [unscaled(10**37), b"\0"],
    ),
    ("decimal(76, 0)", pa.array([DECIMAL(-(10**75))], pa.decimal256(76, 0)), [unscaled(-(10**75))]),
    ("unknown", pa.nulls(2), []),
]


@pytest.mark.parametrize(
    ("iceberg_type", "array", "forms"), TYPES, ids=[f"{t}-{a.type}" for t, a, _ in TYPES]
)
class TestTypes:
    def test_the_type_is_inferred(
        self, iceberg_type: str, array: pa.Array, forms: list[bytes]
    ) -> None:
        """Each Arrow type holds one Iceberg type."""
        del forms
        assert iceberg_type_of(array.type) == iceberg_type

    def test_values_are_hashed_in_their_single_value_form(
        self, iceberg_type: str, array: pa.Array, forms: list[bytes]
    ) -> None:
        """Values are hashed as the bytes of Appendix D; nulls are not hashed."""
        assert sketches(array) == hashed(forms)
        assert sketches(array, iceberg_type=iceberg_type) == hashed(forms)

    def test_a_slice_is_only_its_rows(
        self, iceberg_type: str, array: pa.Array, forms: list[bytes]
    ) -> None:
        """A slice hashes its own rows only, by its offsets into values and validity bits."""
        del iceberg_type
        padded = pa.concat_arrays([array, pa.nulls(13, array.type), array, pa.nulls(3, array.type)])
        assert sketches(padded.slice(len(array) + 5, len(array) + 8)) == hashed(forms)
        assert sketches(padded.slice(len(array), 13)) == []

    def test_a_bitmap_of_nulls_ends_with_the_last_row(
        self, iceberg_type: str, array: pa.Array, forms: list[bytes]
    ) -> None:
        """A validity bitmap without padding is read no further than the last row."""
        del iceberg_type
        rows = pa.concat_arrays([array, pa.nulls(1, array.type)] * 8)
        bitmap, *others = rows.buffers()
        cut = bitmap and pa.py_buffer(bitmap.to_pybytes()[: len(array) + 1])
        made = pa.Array.from_buffers(array.type, len(rows), [cut, *others])
        assert sketches(made) == hashed(forms)

    def test_chunks_are_one_column(
        self, iceberg_type: str, array: pa.Array, forms: list[bytes]
    ) -> None:
        """Chunks, including empty ones, count as one column."""
        del iceberg_type
        assert sketches(pa.chunked_array([array, array.slice(0, 0), array])) == hashed(forms)


def test_an_int_column_of_a_promoted_type_is_hashed_as_long() -> None:
    """An int column of a field that was promoted to long is hashed as long."""
    stored, promoted = pa.array([7, -7], pa.int32()), pa.array([7, -7], pa.int64())
    assert sketches(stored, iceberg_type="long") == sketches(promoted)


def test_a_dictionary_counts_what_occurs() -> None:
    """Entries of a dictionary that no row refers to are not hashed."""
    encoded = pa.DictionaryArray.from_arrays(
        pa.array([2, None, 0, 2]), pa.array(["a", "b", "c", "d"])
    )
    assert sketches(encoded) == hashed([b"a", b"c"])
    assert sketches(encoded.slice(1, 2)) == hashed([b"a"])


def test_runs_count_once() -> None:
    """A slice of a run-end encoded column is hashed by the values of its rows."""
    runs = pa.RunEndEncodedArray.from_arrays(
        pa.array([3, 5, 9], pa.int32()), pa.array(["a", "b", "c"])
    )
    assert sketches(runs) == hashed([b"a", b"b", b"c"])
    assert sketches(runs.slice(3, 2)) == hashed([b"b"])


@pytest.mark.parametrize("tail", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33])
def test_no_byte_outside_the_buffer_counts(tail: int) -> None:
    """Values of every length, at every position of an unpadded buffer, hash correctly."""
    for front in range(12):
        values = [b"f" * front, b"v" * tail]
        offsets = pa.py_buffer(np.array([0, front, front + tail], np.int32))
        data = pa.py_buffer(b"".join(values))
        array = pa.Array.from_buffers(pa.binary(), 2, [None, offsets, data])
        assert sketches(array) == hashed([value for value in values if value])


@given(st.lists(st.one_of(st.none(), st.binary(max_size=50)), max_size=80))
def test_bytes_hash_as_any_murmur3_hashes_them(values: list[bytes | None]) -> None:
    """NumPy, compiled code and mmh3 hash bytes of any length alike."""
    assert sketches(pa.array(values, pa.binary())) == hashed([value for value in values if value])


@given(st.lists(st.one_of(st.none(), st.integers(-(10**38) + 1, 10**38 - 1)), max_size=80))
def test_decimals_hash_in_their_shortest_form(values: list[int | None]) -> None:
    """Decimals are hashed in their shortest two's complement form."""
    array = pa.array([None if v is None else DECIMAL(v) for v in values], pa.decimal128(38, 0))
    assert sketches(array) == hashed([unscaled(value) for value in values if value is not None])


@given(st.lists(st.one_of(st.none(), st.floats()), max_size=80))
def test_floats_hash_as_their_bytes(values: list[float | None]) -> None:
    """NaN and minus zero are hashed like other floats."""
    forms = [struct.pack("<d", value) for value in values if value is not None]
    assert sketches(pa.array(values, pa.float64())) == hashed(forms)


@pytest.mark.parametrize(
    ("array", "iceberg_type", "error", "because"),
    [
        (pa.array([[1]]), None, Unsupported, "list<"),
        (pa.array([{"a": 1}]), None, Unsupported, "struct<"),
        (pa.array([1]), "int", FormatError, "an Arrow type that holds int"),
        (pa.array(["x"]), "uuid", FormatError, "an Arrow type that holds uuid"),
        (pa.array([1]), "variant", FormatError, "a primitive type"),
        (pa.array([b"abcd"]), "fixed[3]", FormatError, "fixed_size_binary"),
        (pa.array([b"abcd"], pa.binary(4)), "fixed[3]", FormatError, "3 bytes a value"),
        (pa.array([2**64 - 1], pa.uint64()), None, FormatError, "int64"),
        (pa.array([1], pa.timestamp("ns")), "timestamp", FormatError, "would lose data"),
        (pa.array([DECIMAL("1.25")]), "decimal(3, 1)", FormatError, "decimal128(3, 1)"),
    ],
)
def test_a_column_that_would_lose_values_is_refused(
    array: pa.Array, iceberg_type: str | None, error: type[Exception], because: str
) -> None:
    """A column that would lose values in the wanted type, or is not primitive, is refused."""
    with pytest.raises(error) as refused:
        ThetaSketch.from_arrow(array, iceberg_type=iceberg_type)
    assert because in str(refused.value)


def _offsets(*offsets: int) -> pa.Array:
    buffer = pa.py_buffer(np.array(offsets, np.int32))
    return pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, buffer, pa.py_buffer(b"0123456789")]
    )


@pytest.mark.parametrize(
    "damaged",
    [
        lambda: _offsets(0, 99, 5),
        lambda: _offsets(5, 2, 7),
        lambda: _offsets(3, -1, 7),
        lambda: _offsets(0, -1, 2, 7)[1:],
        lambda: _offsets(0, 5, 99, 7)[:2],
        lambda: pa.DictionaryArray.from_arrays(pa.array([9]), pa.array(["a"]), safe=False),
    ],
)
def test_a_damaged_array_is_refused(damaged: Callable[[], pa.Array]) -> None:
    """Invalid offsets or buffers of an array are refused before any is followed."""
    array = damaged()
    for rows in (100_000, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(theta, "_FEW_ROWS", rows)
            with pytest.raises(
                FormatError,
                match=r"^column: found (offsets outside|an index outside the dictionary)",
            ):
                ThetaSketch.from_arrow(array)


def test_what_was_sorted_in_waits_no_longer() -> None:
    """Small batches are hashed once each, however many there are."""
    builder = theta.ThetaSketchBuilder()
    for number in range(3):
        builder.update(pa.array([number]))
        assert builder._waiting == []
    assert builder.sketch().estimate == 3


@pytest.mark.parametrize(
    "nonsense", [[1, 2], np.arange(3), pa.scalar(1), pa.table({"a": [1]}), None, "abc"]
)
def test_what_is_no_arrow_column_is_refused(nonsense: Any) -> None:
    """A list, a NumPy array or a table is refused as a column; the error names its type."""
    with pytest.raises(FormatError, match=type(nonsense).__name__):
        ThetaSketch.from_arrow(nonsense)


@pytest.mark.parametrize(
    "iceberg_type",
    ["foo", 5, "", "decimal", "decimal(9)", "decimal(99, 2)", "long(1, 2)", "fixed[9999999999]"],
)
def test_a_type_that_iceberg_does_not_spell_is_refused(iceberg_type: Any) -> None:
    """An invalid Iceberg type is refused, by the argument or by the column."""
    decimals, fixed = pa.array([DECIMAL("1.10")], pa.decimal64(12, 2)), pa.array([b"ab"])
    for column in (decimals, fixed, pa.array([1])):
        with pytest.raises(
            FormatError, match=r"^(iceberg_type: |column: found \w+, wanted an Arrow type)"
        ):
            ThetaSketch.from_arrow(column, iceberg_type=iceberg_type)


@pytest.mark.parametrize(
    ("length", "said"),
    [
        ((1 << 31) - 1, r"^column: .*\b2147483647 bytes a value"),
        (1 << 31, r"^iceberg_type: found fixed\[2147483648\], wanted a primitive type"),
    ],
)
def test_values_of_one_length_have_at_most_31_bits_of_it(length: int, said: str) -> None:
    """The length of a fixed type is at most 2^31 - 1, as in Arrow."""
    column = pa.array([b"ab"], pa.binary(2))
    with pytest.raises(FormatError, match=said):
        ThetaSketch.from_arrow(column, iceberg_type=f"fixed[{length}]")


@pytest.mark.parametrize("nonsense", [None, "abc", 10**12, b"abc"])
def test_what_is_no_sketch_is_refused(nonsense: Any) -> None:
    """A number, None or text is refused as a sketch, by reading and by merging."""
    with pytest.raises(FormatError, match=r"^theta_sketch"):
        ThetaSketch.from_bytes(nonsense)
    with pytest.raises(FormatError, match="wanted a ThetaSketch"):
        ThetaSketch.union([nonsense])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()])
def test_an_empty_column_may_lack_its_offsets(kind: pa.DataType) -> None:
    """An array of no texts, whose buffer of offsets is empty, has no hashes."""
    nothing = pa.py_buffer(b"")
    assert sketches(pa.Array.from_buffers(kind, 0, [None, nothing, nothing])) == []
