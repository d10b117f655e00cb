"""Commands with a spec need no place that can be written: no cache, home or temporary folder."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

READ_ONLY = """
import errno, os, sys

def refuse(event, given):
    writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    if event == "os.mkdir" or (event == "open" and (given[2] or 0) & writes):
        raise OSError(errno.EROFS, "Read-only file system", str(given[0]))

sys.addaudithook(refuse)
from byteloom.__main__ import main
sys.exit(main())
"""
"""The program of the command line, in a process that can create and write no file or folder."""

SPEC = """
meta: {id: t, endian: le}
seq: [{id: recs, type: rec, repeat: eos}]
types:
  rec:
    seq: [{id: name, type: strz, encoding: ASCII}, {id: raw, type: s2}]
    instances: {celsius: {value: raw / 10.0}}
"""
ROW = b"ab\0\xd7\0"


def read_only(folder: Path, *words: str, rows: int = 2) -> tuple[int, str, str]:
    """Return what a command says about a file with some rows, in a read-only system."""
    (folder / "t.ksy").write_text(SPEC)
    (folder / "data").write_bytes(ROW * rows)
    command, *options = words
    args = [command, str(folder / "data"), "--spec", str(folder / "t.ksy"), *options]
    run = subprocess.run(
        [sys.executable, "-c", READ_ONLY, *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={"XDG_CACHE_HOME": str(folder / "cache")},
    )
    return run.returncode, run.stdout, run.stderr


def test_a_scan_needs_no_place_to_write(tmp_path: Path) -> None:
    """Loops that are made of a spec run from memory."""
    said = read_only(tmp_path, "scan", "--format", "csv")
    assert said == (0, "name,raw,celsius\nab,215,21.5\nab,215,21.5\n", "")


@pytest.mark.parametrize("column", ["celsius", "raw"])
def test_a_description_needs_no_place_to_write(tmp_path: Path, column: str) -> None:
    """Classes that are made of a spec run from memory, and all values are shown."""
    status, out, err = read_only(tmp_path, "describe")
    assert (status, err, out.count(column)) == (0, "", 2)


def test_a_loop_that_cannot_be_kept_is_compiled_for_one_command(tmp_path: Path) -> None:
    """A large file is read by a compiled loop, and stderr says how to keep it."""
    many = (4 << 20) // len(ROW) + 10
    status, out, err = read_only(tmp_path, "scan", "--rows", f"{many - 1}:", "--json", rows=many)
    assert (status, out) == (0, '{"name": "ab", "raw": 215, "celsius": 21.5}\n')
    assert "set XDG_CACHE_HOME to a writable folder to keep it" in err
