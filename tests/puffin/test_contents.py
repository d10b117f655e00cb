"""What a footer says of a blob is compared with the blob."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from tests.support.puffin_files import blob, puffin

from byteloom.errors import FormatError
from byteloom.puffin import DeletionVector, PuffinWriter, ThetaSketch
from byteloom.puffin import open as open_puffin

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.puffin import BlobPieces

VECTOR = DeletionVector.from_positions([2, 5])
EXACT = ThetaSketch.from_arrow(pa.array([10, 20, 30]))
SAMPLE = ThetaSketch(np.array([1 << 60, 1 << 61], np.uint64), int((1 << 63) / 1.3))
"""A sketch whose estimate is about 2.6."""


def written(pieces: BlobPieces, compression: str | None = None, **properties: str | None) -> bytes:
    """Return a file with one blob; *properties* go over its own, None removes one."""
    held = {name.replace("_", "-"): value for name, value in properties.items()}
    kept = {name: value for name, value in {**pieces.properties, **held}.items() if value}
    file = io.BytesIO()
    with PuffinWriter(file) as writer:
        writer.add(
            type=pieces.type,
            data=pieces.data,
            fields=[1],
            snapshot_id=-1,
            sequence_number=-1,
            properties=kept,
            compression=compression,
        )
    return file.getvalue()


def errors(data: bytes) -> list[str]:
    """Return the errors of a file; `verify` raises the first of them."""
    with open_puffin(data) as file:
        found = list(map(str, file.errors()))
        if found:
            with pytest.raises(FormatError) as caught:
                file.verify()
            assert str(caught.value) == found[0]
        else:
            file.verify()
    return found


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
@pytest.mark.parametrize("sketch", [EXACT, SAMPLE])
def test_sound_sketches_have_no_error(sketch: ThetaSketch, compression: str | None) -> None:
    """A sketch whose property `ndv` is its estimate is sound, compressed or not."""
    assert errors(written(sketch.blob(), compression)) == []


@pytest.mark.parametrize(
    ("properties", "wrong"),
    [
        ({}, []),
        ({"cardinality": "7"}, ["cardinality: found 7, wanted 2, as many as the vector holds"]),
        ({"cardinality": "two"}, ["cardinality: found two, wanted 2, as many as the vector holds"]),
        ({"cardinality": None}, ["cardinality: found nothing, wanted a value for each vector"]),
        (
            {"cardinality": "1", "referenced_data_file": None},
            [
                "referenced-data-file: found nothing, wanted a value for each vector",
                "cardinality: found 1, wanted 2, as many as the vector holds",
            ],
        ),
    ],
)
def test_a_vector_has_its_cardinality_and_its_data_file(
    properties: dict[str, Any], wrong: list[str]
) -> None:
    """A missing data file, and a cardinality that is missing or not the vector's, are errors."""
    file = written(VECTOR.blob("data.parquet"), **properties)
    assert errors(file) == [f"blobs[0].properties.{each}" for each in wrong]


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_a_compressed_vector_is_an_error(codec: str) -> None:
    """A deletion vector must not be compressed, though its content can be read."""
    file = written(VECTOR.blob("data.parquet"), codec)
    assert errors(file) == [
        f"blobs[0].compression-codec: found {codec}, wanted no compression of a deletion vector"
    ]
    with open_puffin(file) as opened:
        assert opened.deletion_vector(0) == VECTOR


@pytest.mark.parametrize(
    ("sketch", "ndv", "wanted"),
    [
        (EXACT, "3", None),
        (EXACT, None, None),
        (EXACT, "2", "3"),
        (EXACT, "4", "3"),
        (EXACT, "0", "3"),
        (EXACT, "3.0", "3"),
        (EXACT, "xyz", "3"),
        (SAMPLE, "2", None),
        (SAMPLE, "3", None),
        (SAMPLE, "1", "2"),
        (SAMPLE, "4", "2"),
    ],
)
def test_ndv_is_the_estimate_of_the_sketch(
    sketch: ThetaSketch, ndv: str | None, wanted: str | None
) -> None:
    """The property `ndv` may be missing, or is the estimate, cut or rounded; others are errors."""
    text = f"blobs[0].properties.ndv: found {ndv}, wanted {wanted}, the estimate of the sketch"
    assert errors(written(sketch.blob(), ndv=ndv)) == ([] if wanted is None else [text])


def test_a_hash_that_was_left_out_contradicts_ndv() -> None:
    """A sketch that lost a hash no longer has the estimate that its property states."""
    less = ThetaSketch(EXACT.hashes[:-1])
    file = written(less.blob(), ndv=EXACT.properties()["ndv"])
    assert errors(file) == [
        "blobs[0].properties.ndv: found 3, wanted 2, the estimate of the sketch"
    ]


@pytest.mark.parametrize(("flags", "shown"), [(2, "0x1"), (1 << 31, "0x40000000")])
def test_unknown_flags_are_an_error(flags: int, shown: str) -> None:
    """Readers refuse flags that they do not know; the file is still opened."""
    data = puffin(flags=flags)
    place = len(data) - 8
    where = f"footer.reserved at byte {place} (0x{place:x})"
    wanted = "0: readers refuse unknown flags"
    assert errors(data) == [f"{where}: found unknown flags {shown}, wanted {wanted}"]


def test_unknown_types_are_not_checked() -> None:
    """Nothing is known about a blob of an unknown type, whatever its properties are."""
    data = puffin({"blobs": [blob(length=3, properties={"ndv": "x"})]}, b"???")
    assert errors(data) == []


def test_verify_lists_the_errors_of_all_blobs(tmp_path: Path) -> None:
    """`verify` prints every error of every blob."""
    path = tmp_path / "two.puffin"
    with PuffinWriter(path) as writer:
        for properties in ({"cardinality": "9"}, {"referenced-data-file": "a.parquet"}):
            writer.add(
                type="deletion-vector-v1",
                data=VECTOR.to_bytes(),
                fields=[],
                snapshot_id=-1,
                sequence_number=-1,
                properties=properties,
            )
    done = byteloom("verify", path)
    assert done.status == 1
    wanted = [
        "blobs[0].properties.referenced-data-file: found nothing, wanted a value for each vector",
        "blobs[0].properties.cardinality: found 9, wanted 2, as many as the vector holds",
        "blobs[1].properties.cardinality: found nothing, wanted a value for each vector",
    ]
    found = [line[line.index("blobs[") :] for line in done.out.splitlines() if "wanted" in line]
    assert found == wanted
