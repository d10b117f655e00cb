"""Deletion vectors as values: positions in, masks out, and which bytes are accepted."""

import struct
import zlib
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from byteloom.errors import ByteloomError, ChecksumMismatch, FormatError, LimitExceeded, Truncated
from byteloom.limits import Limits
from byteloom.puffin import DeletionVector
from byteloom_generated.puffin.roaring_bitmap import RoaringMap

MAX_POSITION = ((1 << 31) - 2 << 32) + (1 << 31)
"""The last position that Java's bitmaps take."""

RANGES = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 300_000), st.integers(2**32 - 70_000, 2**32 + 70_000)),
        st.integers(0, 70_000),
        st.sampled_from([1, 1, 2, 7, 20]),
    ),
    max_size=5,
)


def expanded(ranges: list[tuple[int, int, int]]) -> list[int]:
    """Return the positions of triples (start, count, step), ascending."""
    return sorted({p for start, count, step in ranges for p in range(start, start + count, step)})


def entry(key: int, bitmap: str) -> bytes:
    """Return the bytes of one upper half and its bitmap, given in hex."""
    return struct.pack("<I", key) + bytes.fromhex(bitmap)


def mapped(*entries: bytes) -> bytes:
    """Return a 64-bit map of these entries."""
    return struct.pack("<Q", len(entries)) + b"".join(entries)


def framed(vector: bytes) -> bytes:
    """Return the map as a blob with a correct checksum."""
    inner = bytes.fromhex("d1d33964") + vector
    return struct.pack(">I", len(inner)) + inner + struct.pack(">I", zlib.crc32(inner))


EMPTY = "3a300000 00000000"
ONE = "3a300000 01000000 00000000 10000000 0100"


class TestPositions:
    @pytest.mark.parametrize(
        "positions",
        [
            [5, 1, 3, 1],
            (1, 3, 5),
            range(1, 6, 2),
            range(5, 0, -2),
            np.array([5, 3, 1], np.uint64),
            np.array([1, 3, 5], np.int8),
            pa.array([3, 1, 5]),
            pa.array([3, 1, 5], pa.uint32()),
            pa.chunked_array([[3], [], [5, 1]], pa.int64()),
        ],
    )
    def test_any_column_of_integers_will_do(self, positions: Any) -> None:
        """Arrow, NumPy, sequences and ranges of positions, in any order, give one vector."""
        vector = DeletionVector.from_positions(positions)
        assert vector.positions().tolist() == [1, 3, 5]
        assert vector.to_arrow() == pa.array([1, 3, 5])
        assert (vector.cardinality, len(vector)) == (3, 3)
        assert vector == DeletionVector.from_positions([1, 3, 5])

    @pytest.mark.parametrize(
        "positions",
        [
            [-1],
            [MAX_POSITION + 1],
            [2**64],
            [1.5],
            ["1"],
            [[1], [2]],
            [True],
            pa.array([1, None]),
            range(-1, 3),
            range(MAX_POSITION, MAX_POSITION + 2),
            [None],
            pa.array(["x"]),
        ],
    )
    def test_what_is_no_position_is_refused(self, positions: Any) -> None:
        """A negative, too large, null or fractional position is refused."""
        with pytest.raises(FormatError, match="positions"):
            DeletionVector.from_positions(positions)

    def test_the_last_position_is_one(self) -> None:
        """The largest position that Java's bitmaps can hold is read back."""
        vector = DeletionVector.from_positions([0, MAX_POSITION])
        assert vector.positions().tolist() == [0, MAX_POSITION]

    def test_a_range_is_not_expanded(self) -> None:
        """A range of sixteen billion positions becomes a vector without a list of its positions."""
        vector = DeletionVector.from_positions(range(1, 1 << 34))
        assert len(vector) == (1 << 34) - 1
        assert len(vector.to_bytes()) < 4_000_000

    @pytest.mark.parametrize("end", [1 << 62, 1 << 63, 1 << 80])
    def test_an_endless_range_is_refused(self, end: int) -> None:
        """A range that needs more bitmaps than memory or keys allow is refused at once."""
        with pytest.raises(FormatError, match="positions"):
            DeletionVector.from_positions(range(end))


class TestMask:
    @given(RANGES, st.integers(0, 400_000), st.integers(0, 200_000))
    def test_a_mask_is_membership(
        self, ranges: list[tuple[int, int, int]], start: int, length: int
    ) -> None:
        """A mask over any window of rows marks exactly the deleted ones."""
        positions = np.array(expanded(ranges), np.int64)
        vector = DeletionVector.from_positions(positions)
        for first in (start, start + 2**32 - 200_000):
            inside = positions[(positions >= first) & (positions < first + length)]
            assert np.flatnonzero(vector.mask(first, length)).tolist() == (inside - first).tolist()

    @given(RANGES, st.lists(st.integers(0, 2**33), max_size=30))
    def test_contains_is_membership(
        self, ranges: list[tuple[int, int, int]], asked: list[int]
    ) -> None:
        """A column of positions, in any order, near or far apart, can be looked up."""
        positions = expanded(ranges)
        vector = DeletionVector.from_positions(positions)
        for wanted in (asked, positions[:50] + asked, [p + 1 for p in positions[::3]]):
            members = set(positions)
            assert vector.contains(wanted).tolist() == [p in members for p in wanted]
            assert all((p in vector) == (p in members) for p in wanted[:5])

    @pytest.mark.parametrize(("start", "length"), [(-1, 5), (0, -5)])
    def test_a_window_is_not_negative(self, start: int, length: int) -> None:
        """A window with a negative start or length is refused."""
        with pytest.raises(FormatError, match="start, length"):
            DeletionVector().mask(start, length)


class TestMerging:
    @given(RANGES, RANGES)
    def test_a_union_has_all(
        self, left: list[tuple[int, int, int]], right: list[tuple[int, int, int]]
    ) -> None:
        """A union has the positions of both vectors, and the bytes of a vector made of them all."""
        one, two = (DeletionVector.from_positions(expanded(each)) for each in (left, right))
        both = DeletionVector.from_positions(expanded(left + right))
        assert (one | two) == both
        assert DeletionVector.union([one, two, DeletionVector()]) == both

    def test_merging_leaves_its_parts_alone(self) -> None:
        """Merging a vector into another one does not change it."""
        one, two = DeletionVector.from_positions([1]), DeletionVector.from_positions([2])
        assert len(one | two) == 2
        assert (one.positions().tolist(), two.positions().tolist()) == ([1], [2])


class TestBytes:
    @given(RANGES)
    def test_what_is_written_is_read(self, ranges: list[tuple[int, int, int]]) -> None:
        """Every vector survives being written and read, framed or not."""
        vector = DeletionVector.from_positions(expanded(ranges))
        assert DeletionVector.from_bytes(vector.to_bytes()) == vector
        assert DeletionVector.from_roaring(vector.to_roaring()) == vector

    @given(RANGES)
    def test_the_generated_records_read_the_same(self, ranges: list[tuple[int, int, int]]) -> None:
        """The generated records read a vector, container by container, as the library does."""
        vector = DeletionVector.from_positions(expanded(ranges))
        record = RoaringMap.from_bytes(vector.to_roaring())
        counts = [
            header.last_value + 1 for each in record.bitmaps for header in each.bitmap.headers
        ]
        assert sum(counts) == len(vector)
        assert record.to_bytes() == vector.to_roaring()

    def test_upper_halves_without_positions_are_written(self) -> None:
        """Empty bitmaps before the last one are written, since Java reads bitmaps into an array."""
        data = DeletionVector.from_positions([2 << 32 | 1]).to_roaring()
        assert data == mapped(entry(0, EMPTY), entry(1, EMPTY), entry(2, ONE))

    def test_many_empty_upper_halves_are_no_burden(self) -> None:
        """Three million empty bitmaps are skipped in reading, and written only on request."""
        vector = DeletionVector.from_positions([3, 3_000_000 << 32])
        written = vector.to_bytes(limits=Limits(empty_elements=3_000_000))
        assert DeletionVector.from_bytes(written) == vector

    def test_empty_upper_halves_are_written_up_to_the_limit(self) -> None:
        """A vector writes at most `limits.empty_elements` upper halves without positions."""
        limits = Limits(empty_elements=5)
        vector = DeletionVector.from_positions([1, 6 << 32])
        assert DeletionVector.from_bytes(vector.to_bytes(limits=limits)) == vector
        with pytest.raises(LimitExceeded, match=r"found 6 upper halves.*at most 5"):
            DeletionVector.from_positions([1, 7 << 32]).to_bytes(limits=limits)

    def test_a_blob_of_gigabytes_is_refused(self) -> None:
        """A far position that needs too many empty bitmaps before it is refused by the limit."""
        with pytest.raises(LimitExceeded, match=r"limits\.empty_elements"):
            DeletionVector.from_positions([MAX_POSITION]).to_bytes()

    def test_positions_beyond_the_limit_are_refused(self) -> None:
        """A small blob can hold billions of positions; listing them is refused beyond the limit."""
        vector = DeletionVector.from_bytes(DeletionVector.from_positions(range(1 << 33)).to_bytes())
        with pytest.raises(LimitExceeded, match=r"limits\.elements"):
            vector.positions()
        few = DeletionVector.from_positions(range(10))
        with pytest.raises(LimitExceeded, match="at most 9"):
            few.positions(limits=Limits(elements=9))

    def test_the_blob_has_type_bytes_and_properties(self) -> None:
        """A vector's blob has the type, bytes and properties that a Puffin writer needs."""
        blob = DeletionVector.from_positions([1, 5]).blob("s3://bucket/data.parquet")
        assert blob.type == "deletion-vector-v1"
        assert blob.properties == {
            "referenced-data-file": "s3://bucket/data.parquet",
            "cardinality": "2",
        }
        assert DeletionVector.from_bytes(blob.data).positions().tolist() == [1, 5]


SHAPES = [
    [],
    [7],
    list(range(100)),
    [1, 3, 5, 70_000, 2**32 + 9],
    [*range(0, 9000, 2), *range(70_000, 71_000)],
    [*range(10), *range(70_000, 70_010), *range(140_000, 140_010), *range(210_000, 210_010)],
]


@pytest.mark.parametrize("positions", SHAPES, ids=len)
class TestDamage:
    def test_every_shorter_prefix_is_truncated(self, positions: list[int]) -> None:
        """A blob or bare map that is cut anywhere is reported as truncated."""
        vector = DeletionVector.from_positions(positions)
        for read, data in (
            (DeletionVector.from_bytes, vector.to_bytes()),
            (DeletionVector.from_roaring, vector.to_roaring()),
        ):
            for size in [*range(min(len(data), 300)), *range(300, len(data), 97)]:
                with pytest.raises(
                    Truncated, match=r" at byte \d+ .*: found \d+ bytes? left, wanted"
                ):
                    read(data[:size])

    def test_a_flipped_bit_is_found(self, positions: list[int]) -> None:
        """A flipped bit of a vector is found by its checksum, or by its frame."""
        data = DeletionVector.from_positions(positions).to_bytes()
        for bit in [*range(min(8 * len(data), 2000)), *range(2000, 8 * len(data), 397)]:
            damaged = bytearray(data)
            damaged[bit // 8] ^= 1 << bit % 8
            with pytest.raises(
                FormatError, match=r"^deletion_vector\.(len_\w+|vector|magic|crc) at byte \d+ "
            ):
                DeletionVector.from_bytes(damaged)

    def test_a_forged_vector_never_escapes(self, positions: list[int]) -> None:
        """A flipped bit in a map without a checksum gives a valid vector or a ByteloomError."""
        data = DeletionVector.from_positions(positions).to_roaring()
        for bit in [*range(min(8 * len(data), 2000)), *range(2000, 8 * len(data), 397)]:
            damaged = bytearray(data)
            damaged[bit // 8] ^= 1 << bit % 8
            try:
                vector = DeletionVector.from_roaring(damaged)
            except ByteloomError:
                continue
            assert (np.diff(vector.positions()) > 0).all()
            assert DeletionVector.from_positions(vector.positions()) == vector


@pytest.mark.parametrize(
    ("vector", "field", "because"),
    [
        (mapped(entry(2**31 - 1, ONE)), "bitmaps[0].key", "0 to 2147483646"),
        (mapped(entry(1, ONE), entry(1, ONE)), "bitmaps[1].key", "2 to 2147483646"),
        (mapped(entry(1, EMPTY), entry(1, EMPTY)), "bitmaps[1].key", "found 1"),
        (mapped(entry(1, EMPTY), entry(2**31 - 1, EMPTY)), "bitmaps[1].key", "found 2147483647"),
        (mapped(entry(3, EMPTY), entry(2, ONE)), "bitmaps[1].key", "found 2"),
        (mapped(entry(0, EMPTY)) + b"\0", "", "1 bytes after its end"),
        (struct.pack("<Q", 2**63) + entry(0, EMPTY), "bitmaps", f"{2**63} elements"),
        (mapped(entry(0, "3c300000 00000000")), "bitmaps[0].bitmap.cookie", "12346"),
        (mapped(entry(0, "3a300100 00000000")), "bitmaps[0].bitmap.cookie", "12346"),
        (
            mapped(entry(0, "3a300000 01000100")),
            "bitmaps[0].bitmap.num_containers_no_runs",
            "at most 65536",
        ),
        (
            mapped(entry(0, "3a300000 01000000 00000000 11000000 0100")),
            "bitmaps[0].bitmap.offsets[0]",
            "found 17, wanted 16",
        ),
        (
            mapped(entry(0, "3a300000 02000000 00000000 00000000 18000000 1a000000 0100 0100")),
            "bitmaps[0].bitmap.headers[1].key",
            "more than 0",
        ),
        (
            mapped(entry(0, "3a300000 01000000 00000100 10000000 0500 0100")),
            "bitmaps[0].bitmap",
            "valid bitmap",
        ),
        (
            mapped(entry(0, "3a300000 01000000 00000100 10000000 0500 0500")),
            "bitmaps[0].bitmap",
            "valid bitmap",
        ),
        (
            mapped(entry(0, "3a300000 01000000 00000010 10000000" + "00" * 8192)),
            "bitmaps[0].bitmap",
            "valid bitmap",
        ),
        (
            mapped(entry(0, "3b300000 01 00000500 0100 01000100")),
            "bitmaps[0].bitmap.headers",
            "6 integers",
        ),
        (
            mapped(entry(0, "3b300000 01 00000300 0200 05000100 01000100")),
            "bitmaps[0].bitmap",
            "valid bitmap",
        ),
        (mapped(entry(0, "3b300000 01 00000100 0100 ffff0100")), "bitmaps[0].bitmap", ""),
    ],
)
def test_a_map_that_cannot_be_is_refused(vector: bytes, field: str, because: str) -> None:
    """An invalid map with a correct checksum is refused, and the error names the place."""
    with pytest.raises(FormatError) as refused:
        DeletionVector.from_bytes(framed(vector))
    assert refused.value.path == f"deletion_vector.vector.{field}".rstrip(".")
    assert because in str(refused.value)


def test_a_wrong_checksum_is_named() -> None:
    """A wrong checksum has an error of its own, distinct from that of an invalid layout."""
    data = bytearray(framed(mapped(entry(0, ONE))))
    data[-1] ^= 1
    with pytest.raises(ChecksumMismatch, match=r"deletion_vector\.crc"):
        DeletionVector.from_bytes(data)


def test_bytes_behind_the_blob_are_refused() -> None:
    """Bytes after the end of a blob are refused; its length has to be that in the manifest."""
    with pytest.raises(FormatError, match="3 bytes after its end"):
        DeletionVector.from_bytes(framed(mapped()) + b"abc")


@pytest.mark.parametrize("nonsense", [None, "abc", 10**12])
def test_what_has_no_bytes_is_refused(nonsense: Any) -> None:
    """A number is refused as data, and not taken for the size of a buffer."""
    with pytest.raises(FormatError, match="wanted bytes"):
        DeletionVector.from_bytes(nonsense)
    with pytest.raises(FormatError, match="wanted bytes"):
        DeletionVector.from_roaring(nonsense)


def test_masked_positions_are_refused() -> None:
    """A masked NumPy array of positions is refused, since NumPy would return masked values too."""
    with pytest.raises(FormatError, match="a masked array"):
        DeletionVector.from_positions(np.ma.array([1, 2], mask=[False, True]))


@pytest.mark.parametrize("key", [-1, (1 << 31) - 1])
def test_bitmaps_have_the_keys_of_java(key: int) -> None:
    """A bitmap with an upper half that Java does not accept is refused before it is written."""
    with pytest.raises(FormatError, match="wanted 0 to 2147483646"):
        DeletionVector({key: BitMap([1])})


def test_a_bitmap_may_have_the_last_key_of_java() -> None:
    """A vector with the largest key of Java's bitmaps can be read and constructed."""
    vector = DeletionVector.from_bytes(framed(mapped(entry((1 << 31) - 2, ONE))))
    assert vector.positions().tolist() == [((1 << 31) - 2 << 32) + 1]
    assert DeletionVector({(1 << 31) - 2: BitMap([1])}) == vector


def test_a_mask_beyond_memory_is_refused() -> None:
    """A mask larger than memory, or with a fractional start, is refused."""
    vector = DeletionVector.from_positions([1])
    with pytest.raises(LimitExceeded, match="fits into memory"):
        vector.mask(0, 1 << 60)
    with pytest.raises(FormatError, match="two integers"):
        vector.mask(0.5, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("nonsense", ["a", 1.5, None, -1, 1 << 90])
def test_what_is_no_position_is_in_no_vector(nonsense: Any) -> None:
    """A value that is not a position is not `in` a vector, and cannot be merged with one."""
    vector = DeletionVector.from_positions([1])
    assert nonsense not in vector
    assert np.int64(1) in vector
    with pytest.raises(FormatError, match="wanted a DeletionVector"):
        DeletionVector.union([vector, nonsense])
    with pytest.raises(TypeError, match="unsupported operand"):
        vector | nonsense  # what Python says of types that do not go together


class TestWindows:
    """Masks are exact over containers of each form, at the edges of containers and of bitmaps."""

    FORMS = {  # noqa: RUF012  read by each test, changed by none
        "array": np.arange(3, 400_000, 97),
        "bits": np.flatnonzero(np.random.default_rng(1).random(400_000) < 0.6),
        "runs": np.concatenate([np.arange(at, at + 30_000) for at in range(7, 400_000, 70_000)]),
    }

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("base", [0, (1 << 32) - 130_000, (1 << 32) - 65_536, 5 << 32])
    def test_a_window_may_begin_and_end_anywhere(self, form: str, base: int) -> None:
        """A window may begin or end inside a container, at its edge, or outside all positions."""
        positions = self.FORMS[form] + base
        vector = DeletionVector.from_positions(positions)
        ends = [0, 1, 65_535, 65_536, 65_537, 130_000, 130_001, 399_999, 400_000, 400_001]
        for first in ends:
            for last in (each for each in ends if each >= first):
                start = base + first
                inside = positions[(positions >= start) & (positions < base + last)]
                found = np.flatnonzero(vector.mask(start, last - first))
                assert np.array_equal(found, inside - start)

    def test_the_last_position_of_a_bitmap_is_in_its_window(self) -> None:
        """A window over two bitmaps has the last position of one and the first of the next."""
        last, first = (1 << 32) - 1, 1 << 32
        vector = DeletionVector.from_positions([last, first])
        assert vector.mask(last, 1).tolist() == vector.mask(first, 1).tolist() == [True]
        assert vector.mask(last - 1, 4).tolist() == [False, True, True, False]
        assert vector.mask(first, 0).tolist() == []


def test_sets_that_differ_in_one_position_differ() -> None:
    """Vectors differ if one position differs, in its upper half too; equal ones hash alike."""
    vectors = [DeletionVector.from_positions([each]) for each in (5, 6, 5 + (1 << 32))]
    assert vectors[0] == DeletionVector.from_positions([5])
    assert hash(vectors[0]) == hash(DeletionVector.from_positions([5]))
    assert vectors[0] not in vectors[1:]
    assert vectors[0] != {5}


_MOST = f"wanted 0 to {MAX_POSITION}$"


@pytest.mark.parametrize(
    ("positions", "said"),
    [
        ([5, 0, -1, -2], f"found -1, {_MOST}"),
        ([MAX_POSITION + 1], f"found {MAX_POSITION + 1}, {_MOST}"),
        (range(-1, 3), rf"found range\(-1, 3\), {_MOST}"),
        (range(MAX_POSITION, MAX_POSITION + 2), rf"found range\(\d+, \d+\), {_MOST}"),
        (5, "found int, wanted integers: a column, a set$"),
        ([[1], [2]], "found 2 dimensions of int64, wanted a column of integers$"),
        ([1.5], "found 1 dimensions of float64, wanted a column of integers$"),
        (pa.array([1, None, None]), "found 2 nulls, wanted none$"),
        (pa.chunked_array([[1, None]]), "found 1 nulls, wanted none$"),
        (pl.Series([1, None, 2]), "found 1 nulls, wanted none$"),
        (pl.DataFrame({"a": [1]}), "found 1 dimensions of object, wanted a column of integers$"),
        (
            range(0, (1 << 44) + 2, (1 << 44) + 1),
            rf"found range\(.*\), wanted at most {1 << 44} rows from end to end$",
        ),
    ],
    ids=str,
)
def test_an_error_says_what_is_no_position(positions: Any, said: str) -> None:
    """An error for an invalid position shows the value found and the allowed range."""
    with pytest.raises(FormatError, match=f"^positions: {said}"):
        DeletionVector.from_positions(positions)


def test_a_range_may_be_as_wide_as_the_limit() -> None:
    """A range may span from the first position to the last, in either direction."""
    ends = [0, 1 << 44]
    for wide in (range(0, (1 << 44) + 1, 1 << 44), range(1 << 44, -1, -(1 << 44))):
        assert DeletionVector.from_positions(wide).positions().tolist() == ends


@pytest.mark.parametrize(
    "step", [65_535, 65_536, 65_537, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 3 << 32]
)
def test_positions_of_a_range_may_be_far_apart(step: int) -> None:
    """A range may have a step larger than a container, or larger than a bitmap."""
    for start in (0, 1, (1 << 32) - 65_537):
        wide = range(start, start + 5 * step, step)
        assert DeletionVector.from_positions(wide).positions().tolist() == list(wide)


@pytest.mark.parametrize("column", [pl.Series([5, 1]), pl.Series([5, 1], dtype=pl.UInt32)])
def test_a_column_of_another_library_has_positions(column: Any) -> None:
    """A column that exports itself as Arrow is taken as an Arrow array is."""
    assert DeletionVector.from_positions(column).positions().tolist() == [1, 5]


@pytest.mark.parametrize(
    "nothing", [range(0), range(5, 5), range(3, 9, -1), [], set(), pa.array([])]
)
def test_no_positions_are_an_empty_vector(nothing: Any) -> None:
    """An empty range, list, set or Arrow array gives an empty vector."""
    assert len(DeletionVector.from_positions(nothing)) == 0
