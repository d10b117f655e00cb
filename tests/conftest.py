"""Settings of every test: how long properties search, and which plugins report omitted tests."""

import gc
import itertools
import os
import re
import signal
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

pytest_plugins = [
    "tests.fuzz.reporting",
    "tests.support.corpus",
    "tests.support.distribution",
    "tests.support.hbase",
    "tests.support.java_tables",
    "tests.support.java_hudi",
    "tests.support.java_iceberg",
    "tests.support.peers",
    "tests.support.postgres",
    "tests.support.shared_fixtures",
]
if os.environ.get("BYTELOOM_KERNELS") == "both":
    pytest_plugins.append("tests.support.kernel_parity")
if os.environ.get("BYTELOOM_KERNELS") == "recorded":
    pytest_plugins.append("tests.support.kernel_recording")

# Workers of xdist start with a width of 80, of which the command line would take notice.
os.environ.pop("COLUMNS", None)

# Each mypy that tests start finds what an earlier one, of this run or another, knew of modules that
# have not changed. A worker has a cache of its own: two programs would wait for each other.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
os.environ["MYPY_CACHE_DIR"] = str(Path(__file__).parents[1] / f".mypy_cache/tests/{_WORKER}")

# A shell's background job ignores Ctrl-C, and so would the programs that tests start and interrupt.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A change is judged by what it does, not by the day's draw: what is drawn is fixed by the test.
# `search` draws anew at every run (make sweep); what it finds becomes an example of its own.
# No deadline: the first example of a compiled kernel pays for its compilation.
settings.register_profile(
    "dev",
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],  # a neighbour on the machine is no finding
)
_DEV = settings.get_profile("dev")
settings.register_profile("ci", _DEV, max_examples=100)
settings.register_profile("search", _DEV, max_examples=2000, derandomize=False, print_blob=True)
_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "dev")
settings.load_profile(_PROFILE)
if _PROFILE != "search":
    # Hypothesis draws constants of all modules that are imported, too: an edit of any of them would
    # change what each property draws, and each worker parses all, five seconds in a new checkout.
    providers._get_local_constants = Constants

_COLLECTIONS = 20_000, 10, 100
"""Objects of the youngest generation that are collected at a time, and collections of each younger
generation before one of the next: thousands of tests make and drop many objects that refer to each
other, and leave many.
"""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Turn off garbage collection while tests are collected: nearly all objects stay.

    They are left out of later collections, which would go through two million of them each time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()
        gc.set_threshold(*_COLLECTIONS)


_numbers = itertools.count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty folder of this test; pytest's own lists those of all tests to name it."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}_{next(_numbers)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Empty fsspec's memory filesystem, of which a process has only one."""
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
