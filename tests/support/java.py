"""Programs in Java that stand for a peer: built by Maven, and asked line by line.

A program is a Maven project under tests/peers. It is built when it is first wanted, and kept in the
user's cache: a new checkout with the same sources takes it from there. It says its peer's version,
then takes orders, a line of JSON each, and answers each with a line.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

PEERS = Path(__file__).parents[1] / "peers"

_SHORT = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Flags of a machine that runs too short for optimizing to pay: half the processor time."""


@cache
def missing(name: str) -> str | None:
    """What this machine lacks to run the program of tests/peers/*name*; None for nothing."""
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            return f"no {tool} on PATH"
    said = _built(PEERS / name)
    return None if said is None else f"Maven cannot build tests/peers/{name}: {said[-300:]}"


def _built(project: Path) -> str | None:
    """Build a program, unless that is done; return what Maven says if it fails."""
    sources = [project / "pom.xml", *sorted(project.glob("src/**/*.java"))]
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    build = project / "build"
    build.mkdir(exist_ok=True)
    with (build / "lock").open("w") as lock:  # tests run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = build / "stamp"
        if done.exists() and done.read_text() == stamp:
            return None
        kept = _cache() / f"{project.name}-{stamp[:16]}"
        if _is_whole(kept):
            shutil.copytree(kept, build, dirs_exist_ok=True)
            done.write_text(stamp)
            return None
        goals = ["compile", "dependency:build-classpath", "-Dmdep.outputFile=build/classpath"]
        run = subprocess.run(
            ["mvn", "-q", "-B", *goals],
            cwd=project,
            env={"MAVEN_OPTS": " ".join(_SHORT), **os.environ},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            return (run.stdout + run.stderr).strip() or "no word"
        with suppress(OSError):  # a folder that cannot be written keeps nothing
            _keep(build, kept)
        done.write_text(stamp)
    return None


def _cache() -> Path:
    """Return where programs that were built are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "byteloom/peers"


def _is_whole(kept: Path) -> bool:
    """Whether a program was kept there, and Maven still has all libraries that it needs."""
    listed = kept / "classpath"
    return listed.exists() and all(map(os.path.exists, listed.read_text().split(":")))


def _keep(build: Path, kept: Path) -> None:
    """Keep what was built; another checkout may be doing so."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        copy = Path(folder, "copy")
        shutil.copytree(build / "classes", copy / "classes")
        shutil.copy(build / "classpath", copy)
        shutil.rmtree(kept, ignore_errors=True)
        copy.rename(kept)


class JavaProgram:
    """One Java machine; use it in a ``with`` block, or close it.

    project  the folder under tests/peers
    flags    of the machine
    version  of the peer
    short    whether it runs too short for optimizing to pay; a benchmark's does not
    """

    project: ClassVar[str]
    flags: ClassVar[Sequence[str]] = ()

    def __init__(self, *, short: bool = True) -> None:
        """Start it."""
        build = PEERS / self.project / "build"
        classpath = f"{build / 'classes'}:{(build / 'classpath').read_text()}"
        self._scratch = Path(tempfile.mkdtemp(prefix=f"byteloom-{self.project}-"))
        with (self._scratch / "stderr").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    "java",
                    "-XX:-UsePerfData",
                    *_SHORT * short,
                    *self.flags,
                    "-cp",
                    classpath,
                    "peer.Peer",
                ],
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

    def order(self, name: str, **settings: Any) -> dict[str, Any]:
        """Give one order.

        raises  `JavaError` with what the peer says
        """
        assert self._process.stdin is not None
        line = json.dumps({"do": name, **settings}, default=str)
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise JavaError(answer["error"])
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise JavaError(f"no answer: {(self._scratch / 'stderr').read_text()[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


class JavaError(Exception):
    """What the peer raised, with its causes."""
