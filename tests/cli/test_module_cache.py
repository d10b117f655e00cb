"""Modules of loops are kept for later processes, or used without that where nothing can be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import time

import pytest

from byteloom.cli.inputs.generated_modules import kept_module

DAY = 86_400
PCAP = Path(__file__).parents[1] / "bench/formats/protobuf.ksy"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of caches is the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_module_is_written_once() -> None:
    """A text that was kept is not written again; another text has another file."""
    first = kept_module("rows_scan", "a = 1\n")
    assert first is not None
    before = first.stat()
    assert kept_module("rows_scan", "a = 1\n") == first
    after = first.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    second = kept_module("rows_scan", "a = 2\n")
    assert second is not None
    assert second.parent != first.parent
    assert second.read_text() == "a = 2\n"


def test_a_file_with_other_text_is_replaced() -> None:
    """Text that somebody else put into a kept file is not run."""
    path = kept_module("rows_scan", "a = 1\n")
    assert path is not None
    path.write_text("a = 3\n")
    assert kept_module("rows_scan", "a = 1\n") == path
    assert path.read_text() == "a = 1\n"


def test_processes_may_keep_the_same_module_together() -> None:
    """Many that write one module at a time all find it whole, and leave nothing else."""
    text = "a = 1\n" * 10_000
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: kept_module("rows_scan", text), range(40)))
    (path,) = {*paths}
    assert path is not None
    assert path.read_text() == text
    assert [each.name for each in path.parent.iterdir()] == ["rows_scan.py"]


def test_what_was_not_used_for_long_is_removed(cache: Path) -> None:
    """Old folders go when something new is kept; one that is used again counts as new."""
    paths = [kept_module("rows_scan", f"a = {n}\n") for n in range(3)]
    folders = [each.parent for each in paths if each]
    (other := cache / "byteloom/other-1").mkdir()
    for each in (*folders, other):
        os.utime(each, (time() - 61 * DAY, time() - 61 * DAY))
    assert kept_module("rows_scan", "a = 1\n") == paths[1]
    assert all(each.exists() for each in folders)
    kept_module("rows_scan", "a = 3\n")
    assert [each.exists() for each in folders] == [False, True, False]
    assert other.exists()


@pytest.mark.parametrize("age", [59 * DAY, 2 * 3_600, 3_000])
def test_the_number_of_folders_is_bounded(cache: Path, age: int) -> None:
    """Of more than 300 folders those go that were used longest ago, if not within the last hour."""
    root = cache / "byteloom"
    folders = [root / f"loops-{n:03}" for n in range(310)]
    for number, each in enumerate(folders):
        each.mkdir(parents=True)
        os.utime(each, (time() - age - number, time() - age - number))
    kept_module("rows_scan", "a = 1\n")
    gone = [each for each in folders if not each.exists()]
    assert gone == ([] if age == 3_000 else folders[299:])


def test_nothing_is_kept_where_no_folder_can_be_made(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in place of the folder, and a user without a home, leave modules unkept."""
    cache.write_text("no folder")
    assert kept_module("rows_scan", "a = 1\n") is None
    monkeypatch.delenv("XDG_CACHE_HOME")

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert kept_module("rows_scan", "a = 1\n") is None


def test_a_second_process_finds_the_machine_code_of_the_first(cache: Path, tmp_path: Path) -> None:
    """A loop that one process has compiled is loaded by the next one, which compiles nothing."""
    (tmp_path / "large").write_bytes(b"\x08\x01" * (5 << 19))
    command = [sys.executable, "-m", "byteloom", "scan", str(tmp_path / "large")]
    command += ["--spec", str(PCAP), "--rows", "0:1", "--json"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "NUMBA_DEBUG_CACHE": "1"}
    printed = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    said = [each.stdout + each.stderr for each in printed]
    assert "data saved to" in said[0]
    assert "_fill_pairs" in said[1]
    assert "data saved to" not in said[1]
    assert "data loaded from" in said[1]
