"""Puffin files, deletion vectors and sketches."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from tests.fuzz.containers import damaged_puffin, damaged_vector
from tests.fuzz.seeds import Seed

from byteloom import puffin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["blobs", "files"]


def files(folder: Path) -> Iterator[Seed]:
    """Yield Puffin files with blobs of each kind, compressed and not."""
    del folder
    for codec in (None, "lz4", "zstd"):
        out = io.BytesIO()
        with puffin.PuffinWriter(out, properties={"a": "b"}) as writer:
            for sketch in _sketches():
                writer.add_theta_sketch(sketch, fields=[1], snapshot_id=2, sequence_number=1)
            for vector in _vectors():
                writer.add_deletion_vector(vector, "s3://b/data.parquet")
            writer.add(
                type="some-blob", data=b"abc" * 40, fields=[1, 2], snapshot_id=1,
                sequence_number=1, compression=codec,
            )  # fmt: skip
        yield Seed(f"puffin {codec}", out.getvalue(), _file, _verified, (damaged_puffin,))


def blobs(folder: Path) -> Iterator[Seed]:
    """Yield deletion vectors of all kinds of containers, and sketches of all forms."""
    del folder
    for number, vector in enumerate(_vectors()):
        yield Seed(f"vector {number}", vector.to_bytes(), _vector, damages=(damaged_vector,))
    for number, sketch in enumerate(_sketches()):
        yield Seed(f"sketch {number}", sketch.to_bytes(), _sketch)


def _vectors() -> list[puffin.DeletionVector]:
    """Return vectors of arrays, runs, bitmaps, and of several upper keys."""
    some = [[], [1, 5, 9], range(3000), range(0, 20_000, 2), [1, 1 << 33, (3 << 32) + 70_000]]
    return [puffin.DeletionVector.from_positions(np.array(each, np.int64)) for each in some]


def _sketches() -> list[puffin.ThetaSketch]:
    """Return sketches that are empty, of one value, exact, and estimated."""
    return [
        puffin.ThetaSketch.from_arrow(pa.array(range(size), pa.int64()))
        for size in (0, 1, 50, 9000)
    ]


def _file(data: bytes) -> int:
    with puffin.open(data) as file:
        for blob in file.blobs:
            file.read(blob)
            if blob.type.startswith("deletion"):
                _use(file.deletion_vector(blob))
            elif blob.type.startswith("apache"):
                _measure(file.theta_sketch(blob))
        return len(file.blobs)


def _verified(data: bytes) -> int:
    with puffin.open(data) as file:
        file.verify()
    return 0


def _vector(data: bytes) -> int:
    return _use(puffin.DeletionVector.from_bytes(data))


def _use(vector: puffin.DeletionVector) -> int:
    vector.mask(0, 1000)
    if vector.cardinality < 1_000_000:
        vector.positions()
    vector.to_bytes()
    return vector.cardinality


def _sketch(data: bytes) -> int:
    return _measure(puffin.ThetaSketch.from_bytes(data))


def _measure(sketch: puffin.ThetaSketch) -> int:
    assert sketch.estimate >= 0
    sketch.lower_bound()
    sketch.upper_bound()
    sketch.to_bytes()
    return sketch.num_retained
