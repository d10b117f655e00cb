"""The loop over well-known binary finds what a plain reader finds, and refuses what it refuses."""

from __future__ import annotations

import math
import struct
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from byteloom.iceberg.geo_bounds import GeoBound
from byteloom.iceberg.shape_boxes import ShapeBox
from byteloom.iceberg.types import GeographyType, GeometryType

Shape = tuple[int, list[Any]]
NUMBERS = st.floats(-1e6, 1e6) | st.just(math.nan)
DIMENSIONS = {0: 2, 1: 3, 2: 3, 3: 4}


def coordinates(dimensions: int) -> st.SearchStrategy[list[float]]:
    """Return the numbers of a point."""
    size = DIMENSIONS[dimensions]
    return st.lists(NUMBERS, min_size=size, max_size=size)


def shapes(dimensions: int) -> st.SearchStrategy[Shape]:
    """Return shapes: a kind, and its numbers, points, rings or shapes."""
    point = coordinates(dimensions)
    line = st.lists(point, max_size=3)
    flat = (
        st.tuples(st.just(1), point)
        | st.tuples(st.just(2), line)
        | st.tuples(st.just(3), st.lists(line, max_size=2))
    )
    return st.recursive(
        flat, lambda inner: st.tuples(st.integers(4, 7), st.lists(inner, max_size=3)), max_leaves=4
    )


def written(shape: Shape, dimensions: int, order: str) -> bytes:
    """Return a shape as bytes."""
    kind, held = shape
    head = struct.pack(f"{order}BI", order == "<", kind + 1000 * dimensions)

    def points(of: list[list[float]]) -> bytes:
        return b"".join(struct.pack(f"{order}{len(each)}d", *each) for each in of)

    count = struct.pack(f"{order}I", len(held))
    if kind == 1:
        return head + points([held])
    if kind == 2:
        return head + count + points(held)
    if kind == 3:
        rings = [struct.pack(f"{order}I", len(each)) + points(each) for each in held]
        return head + count + b"".join(rings)
    return head + count + b"".join(written(each, dimensions, order) for each in held)


def points_of(shape: Shape) -> list[list[float]]:
    """Return all points of a shape."""
    kind, held = shape
    if kind == 1:
        return [held]
    if kind == 2:
        return held
    inner = held if kind == 3 else [points_of(each) for each in held]
    return [point for each in inner for point in each]


def ends(numbers: list[float]) -> tuple[float, float] | None:
    """Return the least and the greatest number that is not NaN."""
    real = [each for each in numbers if not math.isnan(each)]
    return (min(real), max(real)) if real else None


@given(st.data(), st.sampled_from([0, 1, 2, 3]), st.sampled_from("<>"))
def test_the_box(data: st.DataObject, dimensions: int, order: str) -> None:
    """A box has the least and the greatest number of each dimension."""
    drawn = data.draw(st.lists(shapes(dimensions), max_size=4))
    held = [written(each, dimensions, order) for each in drawn]
    box = ShapeBox()
    assert box.add(pa.array([None, *held, None], pa.binary())) == -1
    points = [point for each in drawn for point in points_of(each)]
    found = box.bounds(GeometryType())
    columns = [ends([point[at] for point in points]) for at in range(DIMENSIONS[dimensions])]
    if not columns[0] or not columns[1]:
        assert found is None
        return
    names = {0: "", 1: "z", 2: "m", 3: "zm"}[dimensions]
    more = dict(zip(names, columns[2:], strict=True))
    for at, bound in enumerate(found or ()):
        corner = GeoBound.from_bytes(bound)
        assert (corner.x, corner.y) == (columns[0][at], columns[1][at])
        for name in "zm":
            wanted = more.get(name)
            stated = getattr(corner, name)
            assert stated == (None if wanted is None else wanted[at])


@given(shapes(0), st.sampled_from("<>"), st.integers(0, 60))
def test_a_cut_or_longer_shape_is_none(shape: Shape, order: str, size: int) -> None:
    """Fewer bytes, and more, are refused, and then there is no box."""
    held = written(shape, 0, order)
    for wrong in (held[: min(size, len(held) - 1)], held + b"x"):
        box = ShapeBox()
        assert box.add(pa.array([held, wrong], pa.binary())) == 1
        assert box.bounds(GeometryType()) is None


@given(st.lists(st.tuples(st.floats(-180, 180), st.floats(-90, 90)), min_size=1, max_size=5))
def test_points_of_a_globe(points: list[tuple[float, float]]) -> None:
    """All points are in the box, which is not wider than the plain one."""
    box = ShapeBox()
    box.add(pa.array([struct.pack("<BIdd", 1, 1, *each) for each in points], pa.binary()))
    low, high = map(GeoBound.from_bytes, box.bounds(GeographyType()) or ())
    for x, y in points:
        assert low.y <= y <= high.y
        assert low.x <= x <= high.x if low.x <= high.x else x >= low.x or x <= high.x
    width = high.x - low.x if low.x <= high.x else 360 - low.x + high.x
    assert width <= max(each[0] for each in points) - min(each[0] for each in points)


@given(shapes(0))
def test_kinds_that_are_none(shape: Shape) -> None:
    """Another order of bytes, another kind, and flags of PostGIS are refused."""
    held = written(shape, 0, "<")
    for wrong in (b"\x02" + held[1:], held[:1] + b"\x08" + held[2:], held[:4] + b"\x20" + held[5:]):
        assert ShapeBox().add(pa.array([wrong], pa.binary())) == 0
