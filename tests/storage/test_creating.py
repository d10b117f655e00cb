"""Files are created only if they do not exist, on this machine and in stores of fsspec."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from pyarrow import fs

from byteloom.errors import CommitConflict, StorageError, Unsupported
from byteloom.storage.creating import check_creates, create_file, make_folder, remove_file
from byteloom.storage.folders import Folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["local", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """Return an empty folder."""
    return Folder(str(tmp_path) if request.param == "local" else f"memory://{uuid4()}")


def files(folder: Folder) -> list[str]:
    """Return the names of the files of a folder."""
    return sorted(folder.names("")[1])


def test_a_file_is_created_once(folder: Folder) -> None:
    """The second writer of a name is refused, and the file of the first one is unchanged."""
    make_folder(folder, "a/b")
    create_file(folder, "a/b/c", b"first")
    with pytest.raises(CommitConflict) as second:
        create_file(folder, "a/b/c", b"second")
    assert str(second.value) == f"{folder}/a/b/c: another writer created it first"
    below = Folder(f"{folder}/a/b", filesystem=folder.filesystem)
    assert files(below) == ["c"]
    assert below.read("c") == b"first"
    remove_file(below, "c")
    assert files(below) == []
    create_file(folder, "a/b/c", b"second")
    assert files(below) == ["c"]


def test_a_folder_may_be_there(folder: Folder) -> None:
    """A folder is created with its parents, and it may exist already."""
    for name in ("a", "a/b", "a/b", "c/d/e"):
        make_folder(folder, name)
    create_file(folder, "c/d/e/f", b"")


def test_what_is_not_there_need_not_be_removed(folder: Folder) -> None:
    """Removing a file that does not exist reports no error, as it follows another error."""
    remove_file(folder, "nothing")
    remove_file(folder, "no/folder")


def test_other_errors_are_reported_as_they_are(tmp_path: Path) -> None:
    """An error other than a conflict names the path and keeps the system's reason."""
    with pytest.raises(StorageError, match=r"/a/b: No such file or directory$") as missing:
        create_file(Folder(str(tmp_path)), "a/b", b"")
    assert not isinstance(missing.value, CommitConflict)
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match=r"/file/b: Not a directory$"):
        make_folder(Folder(str(tmp_path)), "file/b")


def test_filesystems_that_can_only_replace_are_refused(tmp_path: Path) -> None:
    """Filesystems of pyarrow other than stores are refused before a write."""
    folder = Folder("x", filesystem=fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem()))
    said = "found SubTreeFileSystem, wanted a local folder, S3, GCS or Azure, or a filesystem of"
    with pytest.raises(Unsupported, match=said):
        check_creates(folder)
    with pytest.raises(Unsupported, match=said):
        create_file(folder, "a", b"")
    assert list(tmp_path.iterdir()) == []
    check_creates(Folder(str(tmp_path)))
    check_creates(Folder("memory://x"))


def test_a_created_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is synchronized before it gets its name, and its folder after that.

    No handle stays open.
    """
    seen: list[tuple[bool, int]] = []
    sync = os.fsync

    def noted(file: int) -> None:
        size = -1 if os.path.isdir(f"/dev/fd/{file}") else os.fstat(file).st_size  # noqa: PTH112
        seen.append(((tmp_path / "file").exists(), size))
        sync(file)

    monkeypatch.setattr(os, "fsync", noted)
    create_file(Folder(str(tmp_path)), "first", b"")
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    del seen[:]
    create_file(Folder(str(tmp_path)), "file", b"twelve bytes")
    assert seen == [(False, 12), (True, -1)]
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "first"]
