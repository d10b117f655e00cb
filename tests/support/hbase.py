"""HBase itself, in a process of its own: it writes HFiles, reads them, and is timed on them.

Cells go to and fro in files, of a form that `Cells.java` under tests/peers/hbase describes.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.java import JavaProgram

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SCHEMA = pa.schema(
    [
        pa.field("row", pa.binary(), nullable=False),
        pa.field("family", pa.binary(), nullable=False),
        pa.field("qualifier", pa.binary(), nullable=False),
        pa.field("timestamp", pa.int64(), nullable=False),
        pa.field("type", pa.uint8(), nullable=False),
        pa.field("value", pa.binary(), nullable=False),
        pa.field("mvcc", pa.int64(), nullable=False),
        pa.field("tags", pa.binary(), nullable=False),
    ]
)
"""What `HFile.read` gives."""

_DEFAULTS = {"timestamp": 0, "type": 4, "mvcc": 0}

_MODULES = ("java.nio", "sun.nio.ch", "java.lang", "jdk.internal.ref")


def to_stream(cells: pa.Table, path: Path) -> None:
    """Put *cells* into *path*; columns that are not there are empty, 0, or of type Put."""
    size = len(cells)
    columns = [
        cells.column(field.name).to_pylist()
        if field.name in cells.column_names
        else [_DEFAULTS.get(field.name, b"")] * size
        for field in SCHEMA
    ]
    size_of, middle, number = (struct.Struct(each).pack for each in (">i", ">qBi", ">q"))
    path.write_bytes(
        b"".join(
            b"".join((
                size_of(len(row)), row, size_of(len(family)), family, size_of(len(qualifier)),
                qualifier, middle(time, kind, len(value)), value, size_of(len(tags)), tags,
                number(mvcc),
            ))
            for row, family, qualifier, time, kind, value, mvcc, tags in zip(*columns, strict=True)
        )
    )  # fmt: skip


def from_stream(path: Path) -> pa.Table:
    """Return the cells that are in *path*."""
    return _cells(path.read_bytes())


@lru_cache(maxsize=4)  # the same cells come from files of every codec and encoding
def _cells(data: bytes) -> pa.Table:
    at = 0
    cells: list[tuple[Any, ...]] = []

    def run() -> bytes:
        nonlocal at
        start = at + 4
        at = start + int.from_bytes(data[at:start], "big")
        return data[start:at]

    while at < len(data):
        row, family, qualifier = run(), run(), run()
        time, kind = struct.unpack_from(">qB", data, at)
        at += 9
        value, tags = run(), run()
        (mvcc,) = struct.unpack_from(">q", data, at)
        at += 8
        cells.append((row, family, qualifier, time, kind, value, mvcc, tags))
    columns = list(zip(*cells, strict=True)) or [()] * len(SCHEMA)
    arrays = [pa.array(list(each), field.type) for each, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


class HBase(JavaProgram):
    """One Java machine; use it in a ``with`` block, or close it.

    settings  of an order (see `Settings.java`): codec, encoding, checksum, bytes_per_checksum,
              block_size, tags, compress_tags, mvcc, family, data_key, master_key, and conf, a dict
              of HBase's own (``{"hfile.index.block.max.size": 512}``)
    """

    project = "hbase"
    flags = (
        "-Xmx2g",
        *(f"--add-opens=java.base/{module}=ALL-UNNAMED" for module in _MODULES),
        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
    )

    def write(self, path: Path, cells: pa.Table, **settings: Any) -> None:
        """Have HBase write *cells*, which are in its order.

        settings  also bloom (ROW, ROWCOL, ROWPREFIX_FIXED_LENGTH, NONE: by a region server's
                  writer, which adds a delete-family filter where there are such cells), and meta,
                  contents of meta blocks in hex by name
        """
        stream = self._scratch / "cells"
        to_stream(cells, stream)
        self.order("write", path=path, cells=stream, **settings)

    def dump(self, path: Path, **settings: Any) -> tuple[pa.Table, dict[str, Any]]:
        """Return all cells as HBase reads them, and what else it says of the file.

        settings  also meta, names of meta blocks
        returns   cells, entries, levels, codec, encoding, mid_key, first_key and last_key (hex),
                  file_info, meta, and checksum_failures, which HBase counts and otherwise ignores
        """
        stream = self._scratch / "cells"
        answer = self.order("dump", path=path, cells=stream, **settings)
        return from_stream(stream), answer

    def seek(self, path: Path, keys: Sequence[bytes], **settings: Any) -> list[Any]:
        """Return, for each serialized key, what seekTo answers and the key it stands on, in hex."""
        hexed = [key.hex() for key in keys]
        answers: list[Any] = self.order("seek", path=path, keys=hexed, **settings)["answers"]
        return answers

    def bloom(self, path: Path, keys: Sequence[bytes], **settings: Any) -> list[bool]:
        """Return whether each key passes the filter.

        keys      rows or prefixes; of ROWCOL, serialized cell keys
        settings  also of: ``general`` or ``delete_family``
        """
        hexed = [key.hex() for key in keys]
        answers: list[bool] = self.order("bloom", path=path, keys=hexed, **settings)["answers"]
        return answers

    def bench(self, what: str, path: Path, **settings: Any) -> dict[str, float]:
        """Return median, best and first of seconds that a warm machine takes, in one thread.

        Also ``cpu``, the median of those in which the thread was running.

        what      ``scan``, ``get`` or ``write``
        settings  also warm and rounds (how many); of get, keys (serialized, hex) and cache (bytes);
                  of write, cells (a file by `to_stream`)
        """
        return self.order(f"bench-{what}", path=path, **settings)


@pytest.fixture(scope="session")
def hbase() -> Iterator[HBase]:
    """HBase, started once for all tests of a process that are marked ``peer("hbase")``."""
    with HBase() as peer:
        yield peer
