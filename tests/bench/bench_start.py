"""Processor seconds of whole commands on small files, in processes of their own.

    make bench ONLY=start

- "Cold" is the first use on a new machine: numba has compiled nothing yet.  "Warm" is the next use.
- Kernels have the machine code that was made when byteloom was installed.
- Seconds are user and system time of the process and its threads.  The ratio is to the start of
  Python with pyarrow, which every command pays for, measured before each command.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.small_files import COMMANDS, write_small_files

from byteloom.native.build import build

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files, and compile kernels that have changed."""
    build()
    folder = tmp_path_factory.mktemp("start")
    write_small_files(folder)
    return folder


@pytest.mark.bench
@pytest.mark.parametrize("title", COMMANDS)
def test_start(folder: Path, tmp_path: Path, title: str) -> None:
    """Prints the processor time of a command, first with an empty cache of compiled code."""
    command = ["-m", "byteloom", *COMMANDS[title].split()]
    floor = min(used(folder, tmp_path, ["-c", "import pyarrow"]) for _ in range(ROUNDS))
    cold = used(folder, tmp_path, command)
    warm = min(used(folder, tmp_path, command) for _ in range(ROUNDS))
    print(
        f"\n{title:20} cold {cold:5.2f} s ({cold / floor:5.1f} times pyarrow's import),"
        f" warm {warm:5.2f} s ({warm / floor:4.1f})"
    )


def used(folder: Path, cache: Path, arguments: list[str]) -> float:
    """Return the processor seconds of Python with *arguments*."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    with subprocess.Popen(
        [sys.executable, *arguments], env=environment, cwd=folder, stdout=subprocess.DEVNULL
    ) as process:
        _, status, resources = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return resources.ru_utime + resources.ru_stime
