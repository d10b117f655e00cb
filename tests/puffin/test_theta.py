"""Theta sketches as values: what they keep, how they merge, which bytes they accept."""

import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import ByteloomError, FormatError, Truncated, Unsupported
from byteloom.puffin import ThetaSketch, ThetaSketchBuilder

MAX_THETA = (1 << 63) - 1
ONE, TWO = 405753591161026837, 2206043092153046979
"""Hashes of the integers 1 and 2 as Iceberg longs, by datasketches-python."""

SETS = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=60)


def head(words: int, version: int = 3, flags: int = 0x1A, seed: int = 37836) -> bytes:
    """Return the first word of a sketch."""
    return struct.pack("<6BH", words, version, 3, 0, 0, flags, seed)


def exact(*hashes: int, flags: int = 0x1A) -> bytes:
    """Return a sketch with two words of preamble."""
    return head(2, flags=flags) + struct.pack(f"<If{len(hashes)}Q", len(hashes), 1.0, *hashes)


def estimating(theta: int, *hashes: int) -> bytes:
    """Return a sketch with three words of preamble."""
    return head(3) + struct.pack(f"<IfQ{len(hashes)}Q", len(hashes), 1.0, theta, *hashes)


class TestValue:
    def test_hashes_are_those_of_datasketches(self) -> None:
        """The integers 1 and 2 have the hashes of the DataSketches library."""
        sketch = ThetaSketch.from_arrow(pa.array([1, 2]))
        assert sketch.hashes.tolist() == [ONE, TWO]

    def test_a_small_set_is_counted_exactly(self) -> None:
        """A sketch of fewer than k values is exact, and both bounds equal its count."""
        sketch = ThetaSketch.from_arrow(pa.array([3, 1, 3, None, 2, 1]))
        assert not sketch.is_estimation_mode
        assert (sketch.lower_bound(), sketch.estimate, sketch.upper_bound()) == (3, 3, 3)
        assert sketch.properties() == {"ndv": "3"}

    def test_bounds_are_those_at_two_standard_deviations(self) -> None:
        """Bounds are those at 2 standard deviations, unless others are asked for."""
        sketch = ThetaSketch.from_arrow(pa.array(range(5000)), k=16)
        assert (sketch.lower_bound(), sketch.upper_bound()) == (
            sketch.lower_bound(2),
            sketch.upper_bound(2),
        )
        assert sketch.lower_bound(3) < sketch.lower_bound(2) < sketch.lower_bound(1)
        assert sketch.upper_bound(1) < sketch.upper_bound(2) < sketch.upper_bound(3)

    def test_a_column_of_nulls_is_empty(self) -> None:
        """A column of nulls gives an empty sketch."""
        assert ThetaSketch.from_arrow(pa.nulls(5, pa.int64())).is_empty
        assert ThetaSketch.from_arrow(pa.nulls(5)).is_empty

    def test_k_hashes_are_kept_and_the_next_is_theta(self) -> None:
        """A sketch of many values keeps the k smallest hashes; the next one is theta."""
        values = pa.array(range(1000))
        every = ThetaSketch.from_arrow(values, k=4096)
        some = ThetaSketch.from_arrow(values, k=64)
        assert some.hashes.tolist() == every.hashes[:64].tolist()
        assert some.theta64 == every.hashes[64]

    @pytest.mark.parametrize("k", [0, 15, 17, 1 << 27, -16])
    def test_k_is_a_power_of_two(self, k: int) -> None:
        """A sketch size that is not an allowed power of two is refused."""
        with pytest.raises(FormatError, match="k: found"):
            ThetaSketchBuilder(k=k)

    @pytest.mark.parametrize("deviations", [0, 4])
    def test_bounds_are_of_one_to_three_deviations(self, deviations: int) -> None:
        """Bounds exist for one to three standard deviations; other numbers are refused."""
        with pytest.raises(FormatError, match="num_std_devs"):
            ThetaSketch.from_arrow(pa.array([1])).lower_bound(deviations)

    def test_the_blob_has_type_bytes_and_property(self) -> None:
        """A sketch's blob has the type, bytes and property that a Puffin writer needs."""
        sketch = ThetaSketch.from_arrow(pa.array(["a", "b"]))
        blob = sketch.blob()
        assert blob.type == "apache-datasketches-theta-v1"
        assert ThetaSketch.from_bytes(blob.data) == sketch
        assert blob.properties == {"ndv": "2"}


class TestMerging:
    @given(SETS, SETS)
    def test_a_union_is_the_sketch_of_both(self, left: list[int], right: list[int]) -> None:
        """Merging sketches gives the same as one sketch of all their values."""
        sketches = [
            ThetaSketch.from_arrow(pa.array(each, pa.int64()), k=16) for each in (left, right)
        ]
        together = ThetaSketch.from_arrow(pa.array(left + right, pa.int64()), k=16)
        assert ThetaSketch.union(sketches, k=16) == together

    @given(st.lists(SETS, max_size=6))
    def test_batches_do_not_matter(self, batches: list[list[int]]) -> None:
        """A column in several batches has the same sketch as in one."""
        builder = ThetaSketchBuilder(k=16)
        for batch in batches:
            builder.update(pa.array(batch, pa.int64()))
        whole = pa.chunked_array([pa.array(batch, pa.int64()) for batch in batches], pa.int64())
        assert builder.sketch() == ThetaSketch.from_arrow(whole, k=16)

    def test_a_long_column_goes_on_where_numpy_left_off(self) -> None:
        """Switching from NumPy to compiled loops between two batches loses nothing."""
        builder = ThetaSketchBuilder(k=1024)
        for start in range(0, 150_000, 10_000):
            builder.update(pa.array(range(start, start + 10_000)))
        assert builder.sketch() == ThetaSketch.from_arrow(pa.array(range(150_000)), k=1024)

    def test_a_builder_merges_and_goes_on(self) -> None:
        """A builder counts the values of a sketch merged into it as its own."""
        builder = ThetaSketchBuilder(k=64).update(pa.array(range(120_000)))
        builder.merge(ThetaSketch.from_arrow(pa.array(range(10_000, 130_000)), k=64))
        builder.merge(ThetaSketch.from_arrow(pa.array([], pa.int64())))
        builder.update(pa.array(range(140_000)))
        assert builder.sketch() == ThetaSketch.from_arrow(pa.array(range(140_000)), k=64)

    def test_many_sketches_merge_as_few(self) -> None:
        """A union by compiled loops equals the union of its parts two at a time."""
        parts = [
            ThetaSketch.from_arrow(
                pa.array(range(start, start + 9_000)), k=1 << 12 if start % 2 else 64
            )
            for start in range(0, 200_000, 1_777)
        ]
        pairwise = ThetaSketch.union([])
        for part in parts:
            pairwise = ThetaSketch.union([pairwise, part], k=256)
        assert ThetaSketch.union(parts * 2, k=256) == pairwise

    def test_a_union_of_nothing_is_empty(self) -> None:
        """The union of no sketches, or of empty ones, is empty."""
        assert ThetaSketch.union([]).is_empty
        assert ThetaSketch.union([ThetaSketch.from_arrow(pa.array([], pa.int64()))]).is_empty


class TestBytes:
    @given(SETS)
    def test_what_is_written_is_read(self, values: list[int]) -> None:
        """Every sketch survives being written and read."""
        sketch = ThetaSketch.from_arrow(pa.array(values, pa.int64()), k=16)
        assert ThetaSketch.from_bytes(sketch.to_bytes()) == sketch

    @pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 40])
    def test_every_shorter_prefix_is_truncated(self, count: int) -> None:
        """A sketch of any form that is cut anywhere is reported as truncated."""
        data = ThetaSketch.from_arrow(pa.array(range(count)), k=16).to_bytes()
        for size in range(len(data)):
            with pytest.raises(Truncated, match=r"^theta_sketch\b.* at byte \d+ .*, wanted \d+ "):
                ThetaSketch.from_bytes(data[:size])

    @pytest.mark.parametrize("count", [0, 1, 2, 40])
    def test_a_flipped_bit_never_escapes(self, count: int) -> None:
        """A flipped bit of a sketch gives a valid sketch or a ByteloomError."""
        data = ThetaSketch.from_arrow(pa.array(range(count)), k=16).to_bytes()
        for bit in range(8 * len(data)):
            damaged = bytearray(data)
            damaged[bit // 8] ^= 1 << bit % 8
            try:
                sketch = ThetaSketch.from_bytes(damaged)
            except ByteloomError:
                continue
            assert sketch.lower_bound() <= sketch.estimate <= sketch.upper_bound()

    @pytest.mark.parametrize(
        ("data", "field", "because"),
        [
            (exact(ONE, TWO) + b"\0", "theta_sketch", "1 bytes after its end"),
            (exact(TWO, ONE), "theta_sketch.hashes", f"{TWO} to {ONE}"),
            (exact(ONE, ONE), "theta_sketch.hashes[1]", f"more than {ONE}"),
            (exact(0, ONE), "theta_sketch.hashes", "found 0"),
            (exact(ONE, MAX_THETA), "theta_sketch.hashes", "wanted 1 to"),
            (exact(ONE, 3 << 62), "theta_sketch.hashes", "wanted 1 to"),
            (estimating(TWO, ONE, TWO), "theta_sketch.hashes", f"wanted 1 to {TWO - 1}"),
            (estimating(0), "theta_sketch.theta", "found 0"),
            (estimating(1 << 63), "theta_sketch.theta", "wanted 1 to"),
            (exact(ONE, flags=0x1E), "theta_sketch.flags.is_empty", "1 hashes"),
            (head(1, seed=1) + bytes(8), "theta_sketch.seed_hash", "37836"),
            (head(1, seed=0) + bytes(8), "theta_sketch.seed_hash", "37836"),
        ],
    )
    def test_a_sketch_that_cannot_be_is_refused(
        self, data: bytes, field: str, because: str
    ) -> None:
        """An invalid sketch is refused, and the error names the field."""
        with pytest.raises(FormatError) as refused:
            ThetaSketch.from_bytes(data)
        assert refused.value.path == field
        assert because in str(refused.value)

    @pytest.mark.parametrize(
        ("data", "place"),
        [
            (exact(ONE, TWO) + b"\0", 32),
            (estimating(0), 16),
            (exact(ONE, flags=0x1E), 5),
            (head(1, seed=1) + bytes(8), 6),
            (exact(TWO, ONE), None),
        ],
    )
    def test_what_cannot_be_has_its_place(self, data: bytes, place: int | None) -> None:
        """The error for an invalid sketch gives the offset from its start, if there is one."""
        with pytest.raises(FormatError) as refused:
            ThetaSketch.from_bytes(data)
        assert refused.value.offset == place

    def test_another_byte_order_is_unsupported(self) -> None:
        """A big-endian sketch is refused as such."""
        with pytest.raises(Unsupported, match="little-endian"):
            ThetaSketch.from_bytes(exact(ONE, flags=0x1B))

    def test_hashes_in_any_order_are_read(self) -> None:
        """A sketch that does not claim to be ordered is read, and its hashes are sorted."""
        assert ThetaSketch.from_bytes(exact(TWO, ONE, flags=0x0A)).hashes.tolist() == [ONE, TWO]

    @pytest.mark.parametrize(
        ("data", "kept", "is_empty"),
        [
            (head(3, 1, 0, 0) + struct.pack("<IfQQ", 1, 1.0, MAX_THETA, ONE), 1, False),
            (head(3, 1, 0, 0) + struct.pack("<IfQ", 0, 1.0, MAX_THETA), 0, True),
            (head(1, 2, 0x0E), 0, True),
            (head(2, 2, 0x0A) + struct.pack("<IfQ", 1, 1.0, ONE), 1, False),
            (head(3, 2, 0x0A) + struct.pack("<IfQQ", 1, 1.0, TWO, ONE), 1, False),
        ],
    )
    def test_versions_1_and_2_are_read(self, data: bytes, kept: int, is_empty: bool) -> None:
        """Sketches of serial versions 1 and 2, from before 2015, are read."""
        sketch = ThetaSketch.from_bytes(data)
        assert (sketch.num_retained, sketch.is_empty) == (kept, is_empty)

    def test_no_hash_kept_is_not_no_value_seen(self) -> None:
        """A sketch with a theta but without hashes is not empty, and its upper bound is above 0."""
        sketch = ThetaSketch.from_bytes(estimating(TWO))
        assert not sketch.is_empty
        assert sketch.estimate == 0
        assert sketch.upper_bound() > 0

    def test_hashes_cannot_be_changed(self) -> None:
        """The hashes of a sketch are read-only, however it was made."""
        made = ThetaSketch.from_arrow(pa.array([1, 2]))
        for sketch in (made, ThetaSketch.from_bytes(made.to_bytes()), ThetaSketch.union([made])):
            with pytest.raises(ValueError, match="read-only"):
                sketch.hashes[0] = np.uint64(7)

    @pytest.mark.parametrize("count", [4097, 5000, 60_000])
    def test_a_sketch_that_is_not_ordered_is_the_same(self, count: int) -> None:
        """The form that is usual, which is read quickly, has the hashes of any other form."""
        sketch = ThetaSketch.from_arrow(pa.array(range(count)))
        data = bytearray(sketch.to_bytes())
        assert data[5] == 0x1A
        assert ThetaSketch.from_bytes(data) == sketch
        data[5] = 0x0A
        assert ThetaSketch.from_bytes(data) == sketch
