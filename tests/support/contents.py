"""What vectors say of contents that take more than one type of a spec: read, as plain data, write.

`CONTENTS` has the three functions by the name of the section; one of a new format adds a line.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from tests.support.hfile_blocks import BLOCKS

from byteloom.puffin import PuffinFile, PuffinWriter
from byteloom.puffin import open as open_puffin
from byteloom.puffin.deletion_vector import DeletionVector
from byteloom.puffin.metadata import plain
from byteloom.puffin.theta import ThetaSketch

if TYPE_CHECKING:
    from collections.abc import Callable


def _verified(data: bytes) -> PuffinFile:
    file = open_puffin(data)
    for error in file.errors():
        if error.path != "footer.reserved":  # Unknown flags are read, and reported.
            raise error
    return file


def _file(file: PuffinFile) -> dict[str, Any]:
    stated = {
        "metadata": plain(file.metadata) | {"blobs": [plain(blob) for blob in file.blobs]},
        "contents": [content.hex() for content in file.read_many(file.blobs)],
    }
    flags = {
        "payload_is_compressed": file.footer.payload_is_compressed,
        "reserved": file.footer.reserved,
    }
    return stated | {name: value for name, value in flags.items() if value}


def _rewritten(file: PuffinFile) -> bytes:
    copy = io.BytesIO()
    with PuffinWriter(copy, like=file, created_by=None) as writer:
        for blob in file.blobs:
            writer.copy(file, blob)
    return copy.getvalue()


def _vector(vector: DeletionVector) -> dict[str, Any]:
    return {"positions": vector.positions().tolist()}


def _sketch(sketch: ThetaSketch) -> dict[str, Any]:
    return {
        "hashes": sketch.hashes.tolist(),
        "theta64": sketch.theta64,
        "is_empty": sketch.is_empty,
        "estimate": sketch.estimate,
    }


CONTENTS: dict[
    str, tuple[Callable[[bytes], Any], Callable[[Any], object], Callable[[Any], bytes]]
] = {
    "puffin file": (_verified, _file, _rewritten),
    "deletion-vector-v1": (DeletionVector.from_bytes, _vector, DeletionVector.to_bytes),
    "apache-datasketches-theta-v1": (ThetaSketch.from_bytes, _sketch, ThetaSketch.to_bytes),
    **BLOCKS,
}
