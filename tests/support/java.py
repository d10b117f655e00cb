"""Programs in Java that stand for a peer: built by Maven, and asked line by line.

A program is a Maven project under tests/peers. It is built when it is first wanted, and kept in the
user's cache: a new checkout with the same sources takes it from there. So is what its machine has
loaded, when one ends for the first time: to load it again takes longer than most tests of a peer.
It says its peer's version, then takes orders, a line of JSON each, and answers each with a line.
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
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

PEERS = Path(__file__).parents[1] / "peers"

_JAR = "peer.jar"

SHORT: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
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
    build = project / "build"
    build.mkdir(exist_ok=True)
    with (build / "lock").open("w") as lock:  # tests run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _home(project) is not None:
            return None
        goals = ["compile", "dependency:build-classpath", "-Dmdep.outputFile=build/classpath"]
        run = subprocess.run(
            ["mvn", "-q", "-B", *goals],
            cwd=project,
            env={"MAVEN_OPTS": " ".join(SHORT), **os.environ},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            return (run.stdout + run.stderr).strip() or "no word"
        places = _places(project)
        try:
            _keep(build, places[0])
        except OSError:  # a cache that cannot be written keeps nothing
            _keep(build, places[1])
    return None


def _home(project: Path) -> Path | None:
    """Return the folder of a program that was built from its present sources; None for none."""
    return next(filter(_is_whole, _places(project)), None)


def _places(project: Path) -> tuple[Path, Path]:
    """Return the folders where a program may be kept: for all checkouts, and for this one."""
    sources = [project / "pom.xml", *sorted(project.glob("src/**/*.java"))]
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = f"{project.name}-jar-{stamp[:16]}"
    return cache / "byteloom/peers" / name, project / "build" / name


def _is_whole(kept: Path) -> bool:
    """Whether a program was kept there, and Maven still has all libraries that it needs."""
    listed = kept / "classpath"
    return listed.exists() and all(map(os.path.exists, listed.read_text().split(":")))


def _keep(build: Path, kept: Path) -> None:
    """Keep what was built; another checkout may be doing so."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        copy = Path(folder, "copy")
        copy.mkdir()
        archive = shutil.make_archive(str(copy / "peer"), "zip", build / "classes")
        Path(archive).rename(copy / _JAR)
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
        home = _home(PEERS / self.project)
        assert home is not None
        classpath = f"{home / _JAR}:{(home / 'classpath').read_text()}"
        self._scratch = Path(tempfile.mkdtemp(prefix=f"byteloom-{self.project}-"))
        with (self._scratch / "stderr").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    "java",
                    "-XX:-UsePerfData",
                    *SHORT * short,
                    *self._loading(home) * short,
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

    def _loading(self, home: Path) -> list[str]:
        """Return the flags with which classes come from where an earlier machine left them.

        The first machine leaves them when it ends.
        """
        java = Path(shutil.which("java") or "java").resolve()
        self._classes = home / f"{java.stat().st_mtime_ns}.jsa"
        if self._classes.exists():
            return ["-Xlog:disable", f"-XX:SharedArchiveFile={self._classes}"]
        return ["-Xlog:disable", f"-XX:ArchiveClassesAtExit={self._scratch / 'classes'}"]

    def close(self) -> None:
        """End the machine."""
        self._process.communicate()
        loaded = self._scratch / "classes"
        if loaded.exists():
            with suppress(OSError):
                partial = self._classes.with_suffix(f".{os.getpid()}")
                shutil.copy(loaded, partial)
                partial.rename(self._classes)
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
