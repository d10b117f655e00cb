"""Compiled loops do the same as the interpreted Python, on valid blocks and on damaged ones.

Loops are called by themselves: files made by a writer have no damage inside a block.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hfile_cells import table_of

from byteloom.hfile import HFileWriter
from byteloom.kernels.hfile_encodings import decode
from byteloom.native import loads
from byteloom.native.kernel import kernel

if TYPE_CHECKING:
    import pyarrow as pa

ENCODINGS = ("NONE", "PREFIX", "DIFF", "FAST_DIFF")
ROOT = Path(__file__).parents[2]


def cells(*, tags: bool) -> pa.Table:
    """Return cells that share rows, values and tags, some empty and some longer than a view."""
    return table_of(
        [
            {
                "row": b"r" * (i // 5) + b"%03d" % (i // 3),
                "family": b"f",
                "qualifier": b"q" * (i % 3 * 7),
                "timestamp": (1 << (i % 60)) + i,
                "type": (4, 8, 14)[i % 3],
                "value": b"value" * (i // 4 % 4),
                "mvcc": i**3,
                "tags": (b"", b"\0\x01\x05", b"\0\x02\x01" + bytes([i]))[i % 3] if tags else b"",
            }
            for i in range(60)
        ]
    )


def loop_output(paths: list[Path], count: int, *, interpreted: bool) -> list[str]:
    """Return what the loops print, in a process of their own."""
    command = [sys.executable, "-m", "tests.support.hfile_loops", *map(str, paths), str(count)]
    machine = "compiled" if decode.native is None else "native"
    how = {"BYTELOOM_KERNELS": "interpreted" if interpreted else machine}
    roots = map(str, (ROOT, *(ROOT / name for name in ("runtime", "generated", "codegen"))))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots), **how}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_compiled_and_interpreted_are_equal(tmp_path: Path) -> None:
    """Compiled and interpreted loops give equal codes and columns, on damaged blocks too."""
    paths = []
    for tags, encoding in product(["none", "plain", "packed"], ENCODINGS):
        if tags == "packed" and encoding == "NONE":
            continue
        path = tmp_path / f"{encoding}-{tags}"
        options: Any = {"tags": tags != "none", "compress_tags": tags == "packed"}
        with HFileWriter(path, encoding=encoding, block_size=600, mvcc=True, **options) as writer:
            writer.write(cells(tags=tags != "none"))
        paths.append(path)
    lines = loop_output(paths, 25, interpreted=True)
    assert len(lines) > 900
    assert loop_output(paths, 25, interpreted=False) == lines


@given(st.binary(min_size=8, max_size=24), st.integers(0, 15))
def test_words_are_loaded_and_stored_as_they_are_reported(data: bytes, skip: int) -> None:
    """Words of every width are loaded and stored by their byte order, aligned or not."""
    at = min(skip, len(data) - 8)
    whole = data[at : at + 8]
    wanted = (
        whole[0],
        int.from_bytes(whole[:2], "big"),
        int.from_bytes(whole[:4], "big", signed=True),
        int.from_bytes(whole, "big", signed=True),
        int.from_bytes(whole[:2], "little"),
        int.from_bytes(whole[:4], "little"),
        int.from_bytes(whole, "little", signed=True),
    )
    for run in (_words.compiled, _words.interpreted):
        out = np.zeros(37, np.uint8)
        assert run(np.frombuffer(data, np.uint8), at, out) == wanted
        assert out.tobytes() == b"".join(whole[:size] for size in (1, 2, 4, 8, 8, 2, 4, 8))


@kernel
def _copied(data: np.ndarray, out: np.ndarray, size: int, room: int) -> int:
    loads.copy(data.ctypes.data + 3, out.ctypes.data + 5, size, room)
    return size


@pytest.mark.parametrize("room", [0, 7, 8])
@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 16, 17, 24, 25, 100])
def test_copies_overwrite_fewer_than_eight_bytes_more(size: int, room: int) -> None:
    """A copy writes whole words only if the target has room for one more."""
    data = np.arange(1, 201, dtype=np.uint8)
    for run in (_copied, _copied.compiled):
        out = np.zeros(200, np.uint8)
        run(data, out, size, size + room)
        assert out[5 : 5 + size].tolist() == data[3 : 3 + size].tolist()
        most = 5 + (-(-size // 8) * 8 if room == 8 else size)
        assert not out[:5].any()
        assert not out[most:].any()


@kernel
def _words(data: np.ndarray, at: int, out: np.ndarray) -> tuple[int, ...]:
    base, to = data.ctypes.data, out.ctypes.data
    found = (
        loads.byte(base, at),
        loads.be16(base, at),
        loads.be32(base, at),
        loads.be64(base, at),
        loads.le16(base, at),
        loads.le32(base, at),
        loads.le64(base, at),
    )
    loads.put_byte(to, 0, found[0])
    loads.put_be16(to, 1, found[1])
    loads.put_be32(to, 3, found[2])
    loads.put_be64(to, 7, found[3])
    loads.put_le16(to, 23, found[4])
    loads.put_le32(to, 25, found[5])
    loads.put_le64(to, 15, found[6])
    loads.copy(base + at, to + 29, 8, 0)
    return found
