"""Tables below a folder: each of them once, by its folder, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from byteloom.errors import StorageError
from byteloom.iceberg.metadata.listing import TableEntry, tables_below, tables_in
from byteloom.storage.walking import Walk

if TYPE_CHECKING:
    from pathlib import Path


def filled(root: Path, *names: str) -> Path:
    """A folder with empty files."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


def test_a_folder_of_metadata_files_is_a_table(tmp_path: Path) -> None:
    """By a metadata file; in the order of the names, with what is between them and the place."""
    root = filled(
        tmp_path,
        "b/metadata/v1.metadata.json",
        "a/c/metadata/00000-x.metadata.json",
        "a/data/metadata/notes.json",
        "a/empty/file",
    )
    assert list(tables_in(str(root))) == [
        TableEntry("a/c", f"{root}/a/c"),
        TableEntry("b", f"{root}/b"),
    ]


def test_a_table_is_not_looked_into(tmp_path: Path) -> None:
    """What is below its folder is its own."""
    name = "metadata/v1.metadata.json"
    root = filled(tmp_path / "t", name, f"data/copy/{name}")
    assert list(tables_in(f"{root}/")) == [TableEntry("t", str(root))]
    assert [each.name for each in tables_in(str(tmp_path))] == ["t"]


def test_hidden_folders_are_not_looked_into(tmp_path: Path) -> None:
    """Those that begin with a dot, as versions of notebooks and of code do."""
    root = filled(tmp_path, ".old/metadata/v1.metadata.json", "new/metadata/v1.metadata.json")
    assert [each.name for each in tables_in(str(root))] == ["new"]


@pytest.mark.parametrize("name", ["", "none"])
def test_a_place_without_anything_is_refused(tmp_path: Path, name: str) -> None:
    """An empty folder, and none at all; one of other files has no table."""
    with pytest.raises(StorageError, match=r"found nothing, wanted a folder|No such file"):
        list(tables_in(f"{tmp_path}/{name}"))
    assert list(tables_in(str(filled(tmp_path, "file")))) == []


def test_folders_that_cannot_be_read_are_named_after_all_tables(tmp_path: Path) -> None:
    """By whoever asks for tables alone; a walk keeps them."""
    root = filled(tmp_path, "t/metadata/v1.metadata.json", "z/file")
    walk = Walk(str(root))
    found = []
    for each in tables_below(walk):
        (root / "z/file").unlink()
        (root / "z").rmdir()
        found.append(each.name)
    assert (found, list(walk.refused)) == (["t"], [f"{root}/z"])
