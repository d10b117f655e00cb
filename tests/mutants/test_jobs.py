"""Processes that try faults end, whatever happens."""

from __future__ import annotations

import multiprocessing
import subprocess
import time
from typing import TYPE_CHECKING, Final

from tests.mutants.faults import faults
from tests.mutants.forks import Forks
from tests.mutants.jobs import Jobs, _trials

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

_FORK: Final = multiprocessing.get_context("fork")
_CODE: Final = "SIZE = 4\n"
_SECONDS: Final = 60


def _wait(connection: Connection) -> None:
    connection.recv()


def _keep_waiting(tree: Path) -> None:
    """Start a process that waits for faults until it is ended, in a process of `Jobs`."""
    _trials.append(Forks(tree).start(_wait))  # type: ignore[arg-type]


def _fail(root: Path, copies: Path) -> None:
    """Try faults of a file that does not exist."""
    (fault, *_) = faults(_CODE)
    with Jobs(root, copies, quick=True, count=1) as jobs:
        (pool,) = jobs._pools
        pool.submit(_keep_waiting, root).result()
        for _ in range(5):
            pool.submit(time.sleep, 0.1)
        list(jobs.outcomes([("runtime/missing.py", fault)] * 20))


def test_an_error_ends_what_waits_for_faults(tmp_path: Path) -> None:
    """The error of a trial is raised, and no process is left waiting for other faults."""
    root = tmp_path / "root"
    (root / "runtime/byteloom/native").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    process = _FORK.Process(target=_fail, args=(root, tmp_path / "copies"))
    process.start()
    process.join(_SECONDS)
    is_over = not process.is_alive()
    process.kill()
    assert (is_over, process.exitcode) == (True, 1)
