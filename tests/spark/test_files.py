"""The files that a path, a folder or a pattern names."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from byteloom.errors import MissingFile
from byteloom.spark.files import find_files


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Folders of files, each with as many bytes as its name."""
    for name in ("b.x", "a.x", "c/d.x", "c/e/f.y", "c/_SUCCESS", ".h/g.x", "_t/g.x", "c2/d.x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(len(name)))
    return tmp_path


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("", ["a.x", "b.x", "c/d.x", "c/e/f.y", "c2/d.x"]),
        ("a.x", ["a.x"]),
        ("c/", ["c/d.x", "c/e/f.y"]),
        ("_t", ["_t/g.x"]),
        ("*.x", ["a.x", "b.x"]),
        ("c*", ["c/d.x", "c/e/f.y", "c2/d.x"]),
        ("c*/*.x", ["c/d.x", "c2/d.x"]),
        ("[ab].x", ["a.x", "b.x"]),
        ("?.x", ["a.x", "b.x"]),
        ("c/*/*", ["c/e/f.y"]),
        (".*/g.x", [".h/g.x"]),
    ],
)
def test_a_path_names_files(path: str, names: list[str], place: Path) -> None:
    """A path names a file, the visible files below a folder, or those that match a pattern."""
    found = find_files([f"{place}/{path}"], {})
    assert [Path(each.place).relative_to(place).as_posix() for each in found] == names
    assert [each.size for each in found] == [len(name) for name in names]


def test_several_paths_are_read_in_their_order(place: Path) -> None:
    """Files come in the order of the paths that name them, whatever kind each path is."""
    found = find_files([f"{place}/c2", f"{place}/b.x", f"{place}/a*"], {})
    assert [Path(each.place).name for each in found] == ["d.x", "b.x", "a.x"]


def test_files_that_urls_name_are_urls(place: Path) -> None:
    """Files named by a URL come out as URLs, whatever filesystem they are in."""
    assert [each.place for each in find_files([f"file://{place}/c2/*"], {})] == [
        f"file://{place}/c2/d.x"
    ]
    memory = fsspec.filesystem("memory")
    memory.pipe({"/files/a.x": b"a", "/files/b/c.x": b"abc", "/files/_b/c.x": b"abc"})
    found = find_files(["memory://files", "memory://files/?/*.x"], {})
    assert found == [
        ("memory://files/a.x", 1),
        ("memory://files/b/c.x", 3),
        ("memory://files/b/c.x", 3),
    ]


def test_relative_paths_are_of_the_working_directory(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path becomes absolute, since executors may have another working directory."""
    monkeypatch.chdir(place / "c")
    assert [each.place for each in find_files(["d.x"], {})] == [f"{place}/c/d.x"]


def test_links_to_folders_are_not_followed(place: Path) -> None:
    """A link to a folder is skipped, and a link to a file is read."""
    (place / "c2/up").symlink_to(place)
    (place / "c2/z").symlink_to(place / "b.x")
    names = [Path(each.place).name for each in find_files([f"{place}/c2"], {})]
    assert names == ["d.x", "z"]


@pytest.mark.parametrize(
    ("path", "words"),
    [("none", r"none: no such file or folder$"), ("c/*.z", r"c/\*\.z: no file matches$")],
)
def test_what_names_no_file_is_an_error(path: str, words: str, place: Path) -> None:
    """A path or pattern that matches nothing is an error; an empty folder has no files."""
    with pytest.raises(MissingFile, match=words):
        find_files([f"{place}/{path}"], {})
    (place / "empty").mkdir()
    assert find_files([f"{place}/empty"], {}) == []
