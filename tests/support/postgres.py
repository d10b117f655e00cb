"""A PostgreSQL server of Debian's, started once for all tests of a process."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.peers import postgresql, skip_without

__all__ = ["postgres_uri"]


@pytest.fixture(scope="session")
def postgres_uri() -> Iterator[str]:
    """The URI of a new database, reached by a socket; the server does not run as root."""
    skip_without("postgresql")
    programs = postgresql()
    assert programs is not None
    root = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    user = "postgres" if os.getuid() == 0 else None
    if user is not None:
        shutil.chown(root, user)

    def run(program: str, *given: str) -> None:
        command = [str(programs / program), "-D", str(root / "data"), *given]
        subprocess.run(command, check=True, user=user, cwd=root, stdout=subprocess.DEVNULL)

    try:
        run("initdb", "--auth=trust", "--username=byteloom", "--no-sync")
        settings = f"-k {root} -c listen_addresses='' -c fsync=off -c max_connections=200"
        run("pg_ctl", "-w", "-l", str(root / "log"), "-o", settings, "start")
        try:
            yield f"postgresql+psycopg2://byteloom@/postgres?host={root}"
        finally:
            run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(root)
