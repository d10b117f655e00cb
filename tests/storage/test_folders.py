"""Folders of any filesystem are listed, and their files are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import fsspec
import pytest
from pyarrow import fs

from byteloom.errors import StorageError
from byteloom.storage import Folder

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
