"""HBase itself, in a process of its own: it writes HFiles, reads them, and is timed on them.

The program under tests/peers/hbase is built by Maven when it is first wanted. It takes orders, a
line of JSON each; cells go to and fro in files, of a form that `Cells.java` describes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import struct
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROJECT = Path(__file__).parents[1] / "peers/hbase"

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
_FLAGS = [
    "-Xmx2g",
    "-XX:-UsePerfData",
    *(f"--add-opens=java.base/{module}=ALL-UNNAMED" for module in _MODULES),
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
]


@cache
def missing() -> str | None:
    """What this machine lacks to run HBase; None for nothing."""
    for name in ("java", "javac", "mvn"):
        if shutil.which(name) is None:
            return f"no {name} on PATH"
    done = _built()
    return None if done is None else f"Maven cannot build tests/peers/hbase: {done[-300:]}"


def _built() -> str | None:
    """Build the program, unless that is done; return what Maven says if it fails."""
    sources = [PROJECT / "pom.xml", *sorted(PROJECT.glob("src/**/*.java"))]
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    build = PROJECT / "build"
    build.mkdir(exist_ok=True)
    with (build / "lock").open("w") as lock:  # tests run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = build / "stamp"
        if done.exists() and done.read_text() == stamp:
            return None
        goals = ["compile", "dependency:build-classpath", "-Dmdep.outputFile=build/classpath"]
        run = subprocess.run(
            ["mvn", "-q", "-B", *goals], cwd=PROJECT, capture_output=True, text=True, check=False
        )
        if run.returncode:
            return (run.stdout + run.stderr).strip() or "no word"
        done.write_text(stamp)
    return None


def to_stream(cells: pa.Table, path: Path) -> None:
    """Put *cells* into *path*; columns that are not there are empty, 0, or of type Put."""
    size = len(cells)
    columns = [
        cells.column(field.name).to_pylist()
        if field.name in cells.column_names
        else [_DEFAULTS.get(field.name, b"")] * size
        for field in SCHEMA
    ]
    with path.open("wb") as out:
        for row, family, qualifier, time, kind, value, mvcc, tags in zip(*columns, strict=True):
            head = struct.pack(
                f">i{len(row)}si{len(family)}si{len(qualifier)}sqBi",
                len(row), row, len(family), family, len(qualifier), qualifier, time, kind,
                len(value),
            )  # fmt: skip
            out.write(head + value + struct.pack(f">i{len(tags)}sq", len(tags), tags, mvcc))


def from_stream(path: Path) -> pa.Table:
    """Return the cells that are in *path*."""
    data, at = path.read_bytes(), 0
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


class HBase:
    """One Java machine; use it in a ``with`` block, or close it.

    version   of HBase
    settings  of an order (see `Settings.java`): codec, encoding, checksum, bytes_per_checksum,
              block_size, tags, compress_tags, mvcc, family, data_key, master_key, and conf, a dict
              of HBase's own (``{"hfile.index.block.max.size": 512}``)
    """

    def __init__(self) -> None:
        """Start it."""
        classpath = f"{PROJECT / 'build/classes'}:{(PROJECT / 'build/classpath').read_text()}"
        self._scratch = Path(tempfile.mkdtemp(prefix="byteloom-hbase-"))
        with (self._scratch / "stderr").open("wb") as log:
            self._process = subprocess.Popen(
                ["java", *_FLAGS, "-cp", classpath, "peer.Peer"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.version: str = self._answer()["version"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the machine."""
        self._process.communicate()
        shutil.rmtree(self._scratch)

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
        told = self.order("dump", path=path, cells=stream, **settings)
        return from_stream(stream), told

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

    def order(self, name: str, **settings: Any) -> dict[str, Any]:
        """Give one order.

        raises  `HBaseError` with what HBase says
        """
        assert self._process.stdin is not None
        line = json.dumps({"do": name, **settings}, default=str)
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise HBaseError(answer["error"])
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise HBaseError(f"no answer: {(self._scratch / 'stderr').read_text()[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


class HBaseError(Exception):
    """What HBase raised, with its causes."""


@pytest.fixture(scope="session")
def hbase() -> Iterator[HBase]:
    """HBase, for all tests of a process that are marked ``peer("hbase")``."""
    with HBase() as peer:
        yield peer
