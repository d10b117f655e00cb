"""Puffin: statistics and indexes of Iceberg tables.

- `open`: a Puffin file, by path, URL, file object or bytes, as a `PuffinFile`.
- `PuffinFile`: its blobs and properties; reads only the requested blobs.
- `PuffinWriter`: writes a Puffin file, which appears whole or not at all.
- `BlobMetadata`: what a footer says about one blob.
- `FileMetadata`: everything that a footer says.
- `ThetaSketch`: how many distinct values a column has; `ThetaSketchBuilder` builds one in batches.
- `DeletionVector`: which rows of a data file are deleted.
- `BlobPieces`: type, bytes and properties of a blob made from a sketch or a vector.

Example:
    >>> import io
    >>> import pyarrow as pa
    >>> from byteloom import puffin
    >>> sketch = puffin.ThetaSketch.from_arrow(pa.array(["a", "b", "b", None]))
    >>> file = io.BytesIO()
    >>> with puffin.PuffinWriter(file) as writer:
    ...     blob = writer.add_theta_sketch(sketch, fields=[1], snapshot_id=2, sequence_number=1)
    >>> with puffin.open(file) as statistics:
    ...     statistics.theta_sketch(statistics.blobs[0]).estimate
    2.0

Sketches and vectors load NumPy, and what else they need, when one of them is first asked for.

Source: https://iceberg.apache.org/puffin-spec/
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from byteloom.puffin.metadata import BlobMetadata, FileMetadata
from byteloom.puffin.pieces import BlobPieces
from byteloom.puffin.reader import PuffinFile, open  # noqa: A004  as gzip.open and its like
from byteloom.puffin.writer import PuffinWriter

if TYPE_CHECKING:
    from byteloom.puffin.deletion_vector import DeletionVector
    from byteloom.puffin.theta import ThetaSketch, ThetaSketchBuilder

__all__ = [
    "BlobMetadata",
    "BlobPieces",
    "DeletionVector",
    "FileMetadata",
    "PuffinFile",
    "PuffinWriter",
    "ThetaSketch",
    "ThetaSketchBuilder",
    "open",
]

_LATER: Final = {
    "DeletionVector": "deletion_vector",
    "ThetaSketch": "theta",
    "ThetaSketchBuilder": "theta",
}


def __getattr__(name: str) -> Any:
    """Import heavy modules when they are first used."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_LATER[name]}"), name))


def __dir__() -> list[str]:
    return __all__
