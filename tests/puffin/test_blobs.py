"""Sketches and deletion vectors are written to a Puffin file, and read back, by one call each."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.puffin_files import blob, puffin

from byteloom import puffin as subject
from byteloom.errors import ByteloomError, FormatError
from byteloom.puffin import BlobMetadata, DeletionVector, PuffinWriter, ThetaSketch
from byteloom.puffin import open as open_puffin

if TYPE_CHECKING:
    from pathlib import Path

SKETCH = ThetaSketch.from_arrow(pa.array(range(10_000)))
VECTOR = DeletionVector.from_positions(np.array([3, 5, 8]))


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_a_sketch_comes_back(compression: str | None) -> None:
    """A sketch read from a file equals the one written; its estimate is the property `ndv`."""
    file = io.BytesIO()
    with PuffinWriter(file) as writer:
        written = writer.add_theta_sketch(
            SKETCH, fields=[4], snapshot_id=7, sequence_number=2, compression=compression
        )
    read = open_puffin(file)
    assert read.theta_sketch(read.blobs[0]) == SKETCH
    assert written == BlobMetadata(
        type="apache-datasketches-theta-v1", fields=[4], snapshot_id=7, sequence_number=2, offset=4,
        length=written.length, compression_codec=compression,
        properties={"ndv": str(int(SKETCH.estimate))},
    )  # fmt: skip


def test_a_vector_comes_back() -> None:
    """A deletion vector read back equals the one written.

    Its footer entry has the values that Java's writer gives every vector.
    """
    file = io.BytesIO()
    with PuffinWriter(file) as writer:
        written = writer.add_deletion_vector(VECTOR, "s3://bucket/data.parquet")
    read = open_puffin(file)
    assert read.deletion_vector(read.blobs[0]) == VECTOR
    assert written == BlobMetadata(
        type="deletion-vector-v1", fields=[2147483645], snapshot_id=-1, sequence_number=-1,
        offset=4, length=written.length,
        properties={"referenced-data-file": "s3://bucket/data.parquet", "cardinality": "3"},
    )  # fmt: skip


def test_a_blob_of_another_type_is_refused() -> None:
    """A blob of the wrong type is refused by its type, before any of its bytes is read."""
    file = open_puffin(puffin({"blobs": [blob(), blob(type="b")]}))
    with pytest.raises(FormatError, match=r"blobs\[1\]\.type: found b, wanted deletion-vector-v1"):
        file.deletion_vector(file.blobs[1])
    with pytest.raises(FormatError, match=r"blobs\[0\]\.type: found a, wanted apache-data"):
        file.theta_sketch(file.blobs[0])


@pytest.mark.parametrize("compression", [None, "zstd"])
def test_damage_is_reported_by_its_place_in_the_file(compression: str | None) -> None:
    """An error names the damaged blob, its field, and the byte of the file if there is one."""
    data = bytearray(VECTOR.to_bytes())
    data[-1] ^= 1
    file = io.BytesIO()
    with PuffinWriter(file) as writer:
        writer.add(type="x", data=b"???", fields=[], snapshot_id=1, sequence_number=1)
        writer.add(
            type="deletion-vector-v1", data=data, fields=[], snapshot_id=1, sequence_number=1,
            compression=compression,
        )  # fmt: skip
    read = open_puffin(file)
    with pytest.raises(FormatError) as refused:
        read.deletion_vector(read.blobs[1])
    assert refused.value.path == "blobs[1].deletion_vector.crc"
    assert refused.value.offset == (7 if compression else 7 + len(data) - 4)
    if compression:
        last = 7 + read.blobs[1].length - 1
        said = (
            f" at byte {len(data) - 4} of the decompressed content (bytes 7 to {last} of the file),"
        )
        assert said in str(refused.value)


def test_a_refused_sketch_leaves_the_writer_usable() -> None:
    """A sketch with an invalid field id writes nothing, and the next blob can be added."""
    file = io.BytesIO()
    with PuffinWriter(file) as writer:
        with pytest.raises(ByteloomError, match=r"^blobs\[0\]\.fields\[0\]: found 1099511627776"):
            writer.add_theta_sketch(SKETCH, fields=[1 << 40], snapshot_id=7, sequence_number=2)
        writer.add_deletion_vector(VECTOR, "file")
    assert len(open_puffin(file).blobs) == 1


def test_names_are_loaded_when_they_are_asked_for() -> None:
    """Reading a footer does not import NumPy; `dir` shows all names, and others do not exist."""
    code = "import sys, byteloom.puffin as p; print('numpy' in sys.modules); p.DeletionVector"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
    assert dir(subject) == sorted(subject.__all__)
    assert all(hasattr(subject, name) for name in subject.__all__)
    assert not hasattr(subject, "Sketch")


@pytest.mark.parametrize("which", [0, -1, "deletion-vector-v1", None])
def test_a_blob_has_a_number_and_a_type(tmp_path: Path, which: Any) -> None:
    """A number or a type selects a blob; any other value is an error that names what is wanted."""
    path = tmp_path / "file.puffin"
    with PuffinWriter(path) as writer:
        writer.add_deletion_vector(DeletionVector.from_positions({1, 2}), "a.parquet")
    with open_puffin(path) as file:
        if which in {0, "deletion-vector-v1"}:
            assert len(file.deletion_vector(which)) == 2
            assert file.read(which) == file.read(file.blobs[0])
        else:
            with pytest.raises(FormatError, match=r"file.puffin: blob: found .*, wanted "):
                file.read(which)


def test_a_dropped_writer_leaves_nothing(tmp_path: Path) -> None:
    """A writer that is dropped unfinished removes its temporary file, and warns."""
    with pytest.warns(ResourceWarning, match="not finished"):
        drop_writer(tmp_path)
    assert list(tmp_path.iterdir()) == []


def drop_writer(folder: Path) -> None:
    """Begin a file, have a blob refused, and drop the writer."""
    writer = PuffinWriter(folder / "file.puffin")
    with pytest.raises(FormatError, match=r"^blobs\[\d\]\.fields\[0\]: found 1099511627776"):
        writer.add(type="x", data=b"", fields=[1 << 40], snapshot_id=1, sequence_number=1)
    assert len(list(folder.iterdir())) == 1
    del writer
    gc.collect()
