"""byteloom in an archive, for executors that have none."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import byteloom
from byteloom.spark.shipping import archive

_ELSEWHERE = """if True:
    import sys
    from pathlib import Path

    archive, checkout = sys.argv[1:]
    sys.path[:] = [each for each in sys.path if not each.startswith(checkout) or ".venv" in each]
    sys.path.insert(1, archive)
    import byteloom_generated
    import byteloom.spark.sources.reading
    from byteloom.iceberg.transforms import arrays
    import byteloom
    from byteloom.native.linking import FOLDER, _entries, read_index
    import importlib

    place = Path(byteloom.__file__)
    assert not place.is_relative_to(checkout), place
    assert Path(byteloom_generated.__file__).parents[1] == place.parents[1]
    index = read_index()
    modules = index["modules"] if index else {}
    for each in modules:
        importlib.import_module(each)
    missing = [each for each in modules if not _entries(each)]
    import byteloom.errors
    print(place, len(modules), missing, Path(byteloom.errors.__cached__).exists())
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of one's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "byteloom"


def test_the_archive_runs_where_byteloom_is_not_installed(tmp_path: Path, cache: Path) -> None:
    """The archive is unpacked once, and runs with this installation's machine code."""
    from byteloom.native.linking import _entries, read_index

    index = read_index() or {"modules": {}}
    path = archive()
    found = []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-I", "-c", _ELSEWHERE, path, _checkout()],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.stderr == ""
        found.append(run.stdout)
    assert found[0] == found[1]
    stale = [each for each in index["modules"] if not _entries(each)]
    place = cache / path.stem / "content" / "byteloom" / "__init__.py"
    assert found[0] == f"{place} {len(index['modules'])} {stale} True\n"


def _checkout() -> str:
    """The folder above the packages of this byteloom."""
    return str(Path(byteloom.__file__).parents[2])


def test_the_same_sources_make_the_same_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same sources make the same bytes under the same name."""
    one = archive()
    assert archive() == one
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    others = [archive()]
    for seed in ("1", "2"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / seed))
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        code = "from byteloom.spark.shipping import archive; print(archive())"
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        others.append(Path(run.stdout.strip()))
    for other in others:
        assert (one.name, one.read_bytes()) == (other.name, other.read_bytes())


def test_the_archive_has_the_module_that_spark_looks_for() -> None:
    """The archive has the module that Spark looks for, at both places of its path."""
    with zipfile.ZipFile(archive()) as packed:
        names = set(packed.namelist())
    assert {"pyspark_byteloom/__init__.py", "content/pyspark_byteloom/__init__.py"} <= names
    assert "content/byteloom/spark/log4j2.properties" in names
