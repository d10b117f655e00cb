"""A cluster in miniature: Spark's master and two workers, each a process of its own.

Executors run a Python that has what byteloom needs, but not byteloom: its packages are links to
those of this environment, without the checkout.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pyspark

from byteloom.spark.java import find_java, launcher_home

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Cluster"]

_HOSTS = ("127.0.0.1", "localhost")
"""Names of this machine: Spark does not run two attempts of a task on machines of one name."""

_WAIT = 120.0
"""Seconds after which a process that is not there is given up."""


class Cluster:
    """A master and workers, from the beginning of a ``with`` block to its end.

    url     of the master, as ``spark://127.0.0.1:40000``
    python  the program that executors start
    """

    def __init__(self, root: Path, workers: int = 2) -> None:
        """Take the folder of their logs, in which nothing is yet."""
        self._root, self._workers = root, workers
        self._stack = ExitStack()
        self.url = ""
        self.python = root / "python" / "bin" / "python"

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._make_python()
            master = "org.apache.spark.deploy.master.Master"
            self._start(stack, _HOSTS[0], "master", master, "--port", "0")
            self.url = self._waited("master", r"Starting Spark master at (spark://\S+)")
            for number in range(self._workers):
                name = f"worker{number}"
                folder = str(self._root / f"work{number}")
                room = ["--cores", "1", "--memory", "2g", "--work-dir", folder]
                worker = "org.apache.spark.deploy.worker.Worker"
                host = _HOSTS[number % len(_HOSTS)]
                self._start(stack, host, name, worker, *room, self.url)
            for number in range(self._workers):
                self._waited(f"worker{number}", r"(Successfully registered with master)")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self, stack: ExitStack, host: str, name: str, main: str, *arguments: str) -> None:
        """Start a process of Spark's, which ends with the block."""
        home = Path(pyspark.__file__).parent
        java = launcher_home(find_java()) / "bin" / "java"
        place = ["--host", host, "--webui-port", "0"]
        command = [str(java), "-Xmx512m", "-cp", f"{home}/jars/*", main, *place, *arguments]
        environment = {key: each for key, each in os.environ.items() if key != "PYTHONPATH"}
        environment |= {
            "JAVA_HOME": str(java.parents[1]),
            "SPARK_HOME": str(home),
            "SPARK_SCALA_VERSION": "2.13",  # which Spark looks for in a checkout of its own
        }
        log = stack.enter_context(self._log(name).open("wb"))
        run = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env=environment, cwd=self._root
        )
        stack.callback(run.wait)
        stack.callback(run.terminate)

    def _log(self, name: str) -> Path:
        return self._root / f"{name}.log"

    def _waited(self, name: str, pattern: str) -> str:
        """What a process writes to its log, once it does."""
        end = time.monotonic() + _WAIT
        while time.monotonic() < end:
            found = re.search(pattern, self._log(name).read_text(errors="replace"))
            if found:
                return found[1]
            time.sleep(0.1)
        raise TimeoutError(self._log(name).read_text(errors="replace")[-2000:])

    def _make_python(self) -> None:
        """A virtual environment whose packages are links, those of byteloom left out."""
        folder = self._root / "python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
        (packages,) = folder.glob("lib/python*/site-packages")
        for each in _packages():
            (packages / each.name).symlink_to(each)


def _packages() -> Iterator[Path]:
    """The packages of this environment but those that lead to the checkout."""
    for each in Path(pyspark.__file__).parents[1].iterdir():
        if not re.search("byteloom|editable|__pycache__", each.name):
            yield each
