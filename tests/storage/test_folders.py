"""Folders of any filesystem are listed, walked through once and in order, and their files read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import fsspec
import pytest
from pyarrow import fs
from tests.support.deep_folders import too_deep

from byteloom.errors import StorageError
from byteloom.storage import Folder
from byteloom.storage.folders import Level, Walk

if TYPE_CHECKING:
    from pathlib import Path


def filled(place: Path) -> Path:
    """Return a folder with a file, a hidden one, and two folders, one of them empty."""
    (place / "in/deep").mkdir(parents=True)
    (place / "other").mkdir()
    for name, data in (("a", b"12345"), (".hidden", b""), ("in/b c", b"678"), ("in/deep/d", b"9")):
        (place / name).write_bytes(data)
    return place


@pytest.fixture(params=["path", "slash", "url", "arrow", "fsspec", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """Return one folder, named and reached in different ways."""
    place = filled(tmp_path)
    if request.param == "memory":
        memory, root = fsspec.filesystem("memory"), f"/{uuid4()}"
        memory.put(f"{place}/", root, recursive=True)
        return Folder(f"memory:/{root}")
    ways: dict[str, Any] = {
        "path": lambda: Folder(place),
        "slash": lambda: Folder(f"{place}/"),
        "url": lambda: Folder(place.as_uri()),
        "arrow": lambda: Folder(str(place), filesystem=fs.LocalFileSystem()),
        "fsspec": lambda: Folder(str(place), filesystem=fsspec.filesystem("file")),
    }
    found: Folder = ways[request.param]()
    return found


def test_files_are_listed_with_their_sizes(folder: Folder) -> None:
    """Files are listed with their sizes, hidden ones included, and folders are not."""
    assert folder.files() == {"a": 5, ".hidden": 0}
    assert folder.files("in") == {"b c": 3}


def test_folders_are_listed_by_name(folder: Folder) -> None:
    """The folders in a folder are listed without its files."""
    assert "in" in folder.folders()
    assert folder.folders("in") == ["deep"]


def test_a_folder_that_is_not_there_is_empty(folder: Folder) -> None:
    """A missing folder is listed as empty, as object stores do not distinguish the two."""
    assert folder.files("no/such") == {}
    assert folder.folders("no/such") == []


def test_files_are_read(folder: Folder) -> None:
    """A file is read by its path below the folder, whole or in ranges."""
    assert folder.read("in/deep/d") == b"9"
    source = folder.open("in/b c")
    assert (source.size, source.read(1, 2)) == (3, b"78")
    source.close()


def test_a_file_that_is_not_there_is_an_error(folder: Folder) -> None:
    """Reading a missing file is an error with its name."""
    with pytest.raises(StorageError, match="none"):
        folder.read("none")


def nested(root: Path) -> Path:
    """Fill a folder with files in folders two deep."""
    for name in ("b/c/3", "b/2", "a/1", "0"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


LEVELS = [
    Level("", ["a", "b"], [], ["0"]),
    Level("a", [], [], ["1"]),
    Level("b", ["c"], [], ["2"]),
    Level("b/c", [], [], ["3"]),
]


def test_each_folder_comes_before_those_in_it(tmp_path: Path) -> None:
    """A walk visits folders by name, parents first, by path, by URL and in a store."""
    nested(tmp_path)
    store, root = fsspec.filesystem("memory"), f"/{uuid4()}"
    store.put(f"{tmp_path}/", root, recursive=True)
    for place in (str(tmp_path), f"{tmp_path}/", tmp_path.as_uri(), f"memory:/{root}"):
        walk = Walk(place)
        assert list(walk) == LEVELS
        assert (walk.refused, walk.links) == ({}, [])
        assert walk.place("b/c") == f"{place.rstrip('/')}/b/c"


def test_a_level_knows_folders_links_to_them_and_paths() -> None:
    """A level of a walk knows its folders, links to folders, and paths of its files."""
    level = Level("a/b", ["folder"], ["link"], ["file"])
    assert [level.has_folder(name) for name in ("folder", "link", "file", "none")] == [
        True,
        True,
        False,
        False,
    ]
    assert level.path("file") == "a/b/file"
    assert level._replace(below="").path("file") == "file"


def test_folders_that_are_taken_out_are_not_walked(tmp_path: Path) -> None:
    """A folder that the caller removes from a level is not visited."""
    seen = []
    for level in Walk(str(nested(tmp_path))):
        seen.append(level.below)
        level.folders[:] = [name for name in level.folders if name != "b"]
    assert seen == ["", "a"]


def test_links_to_folders_are_kept_and_not_followed(tmp_path: Path) -> None:
    """Links to folders are listed and not followed; all other links count as files."""
    nested(tmp_path)
    for name, target in (
        ("b/up", ".."),
        ("b/file", "2"),
        ("b/none", "nothing"),
        ("b/self", "self"),
    ):
        (tmp_path / name).symlink_to(target)
    walk = Walk(str(tmp_path))
    assert list(walk)[2] == Level("b", ["c"], ["up"], ["2", "file", "none", "self"])
    assert walk.links == [f"{tmp_path}/b/up"]


def test_a_folder_that_cannot_be_read_ends_no_walk(tmp_path: Path) -> None:
    """A walk goes on after a folder that cannot be read, and keeps the reason by its path."""
    deep = too_deep(nested(tmp_path))
    walk = Walk(str(tmp_path))
    assert [each.below for each in walk][:4] == ["", "a", "b", "b/c"]
    assert {place: str(error) for place, error in walk.refused.items()} == {
        str(deep): f"{deep}: File name too long"
    }


def test_a_place_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A walk of a missing folder, or of a file, visits nothing and keeps the reason."""
    (tmp_path / "file").touch()
    for name, why in (("none", "No such file or directory"), ("file", "Not a directory")):
        walk = Walk(f"{tmp_path}/{name}")
        assert list(walk) == []
        assert [str(error) for error in walk.refused.values()] == [f"{tmp_path}/{name}: {why}"]
