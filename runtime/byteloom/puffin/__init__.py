"""Puffin: statistics and indexes of Iceberg tables.

    open           a Puffin file, by path, URL, file object or bytes, as a `PuffinFile`
    PuffinFile     its blobs and properties; reads just the blobs asked for
    PuffinWriter   writes a Puffin file, seen whole or not at all
    BlobMetadata   what a footer says of one blob
    FileMetadata   all that a footer says

    >>> import io
    >>> from byteloom import puffin
    >>> file = io.BytesIO()
    >>> with puffin.PuffinWriter(file) as writer:
    ...     blob = writer.add(type="x", data=b"abc", fields=[1], snapshot_id=2, sequence_number=1)
    >>> with puffin.open(file) as statistics:
    ...     statistics.read(statistics.blobs[0])
    b'abc'

Source: https://iceberg.apache.org/puffin-spec/
"""

from byteloom.puffin.metadata import BlobMetadata, FileMetadata
from byteloom.puffin.reader import PuffinFile, open  # noqa: A004  as gzip.open and its like
from byteloom.puffin.writer import PuffinWriter

__all__ = ["BlobMetadata", "FileMetadata", "PuffinFile", "PuffinWriter", "open"]
