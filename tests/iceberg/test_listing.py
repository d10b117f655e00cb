"""The tables below a folder or in a catalog are listed once each, and nothing else is.

Listing is internal: the command line shows it, and these are its order, its names and its errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.sql_catalogs import sql_catalog

from byteloom.errors import StorageError
from byteloom.iceberg.metadata.listing import TableEntry, tables_below, tables_in
from byteloom.storage.folders import Walk

if TYPE_CHECKING:
    from pathlib import Path


def filled(root: Path, *names: str) -> Path:
    """Create a folder with empty files."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


def test_a_folder_of_metadata_files_is_a_table(tmp_path: Path) -> None:
    """A folder with a metadata file is listed as a table, in order, with its relative path."""
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
    """Folders below a table are not listed."""
    name = "metadata/v1.metadata.json"
    root = filled(tmp_path / "t", name, f"data/copy/{name}")
    assert list(tables_in(f"{root}/")) == [TableEntry("t", str(root))]
    assert [each.name for each in tables_in(str(tmp_path))] == ["t"]


def test_hidden_folders_are_not_looked_into(tmp_path: Path) -> None:
    """Folders whose name begins with a dot are not listed."""
    root = filled(tmp_path, ".old/metadata/v1.metadata.json", "new/metadata/v1.metadata.json")
    assert [each.name for each in tables_in(str(root))] == ["new"]


@pytest.mark.parametrize("name", ["", "none"])
def test_a_place_without_anything_is_refused(tmp_path: Path, name: str) -> None:
    """Listing an empty or missing folder is an error; a folder of other files has no tables."""
    with pytest.raises(StorageError, match=r"found nothing, wanted a folder|No such file"):
        list(tables_in(f"{tmp_path}/{name}"))
    assert list(tables_in(str(filled(tmp_path, "file")))) == []


def test_folders_that_cannot_be_read_are_named_after_all_tables(tmp_path: Path) -> None:
    """A folder that cannot be read is reported after all tables were listed."""
    root = filled(tmp_path, "t/metadata/v1.metadata.json", "z/file")
    walk = Walk(str(root))
    found = []
    for each in tables_below(walk):
        (root / "z/file").unlink()
        (root / "z").rmdir()
        found.append(each.name)
    assert (found, list(walk.refused)) == (["t"], [f"{root}/z"])


_ROWS = [("c", "n m", "t", "/m"), ("c", "db", "none", None), ("c", "db", "t", "/m")]


@pytest.mark.parametrize(
    ("others", "tail", "places"),
    [
        ([], "", ["#db.t", "#n%20m.t"]),
        ([], "#db", ["#db.t"]),
        ([], "#n%20m", ["#n%20m.t"]),
        ([], "?catalog=c", ["?catalog=c#db.t", "?catalog=c#n%20m.t"]),
        (["a d"], "", ["?catalog=a%20d#db.t", "?catalog=c#db.t", "?catalog=c#n%20m.t"]),
        (["a d"], "#db", ["?catalog=a%20d#db.t", "?catalog=c#db.t"]),
        (["a d"], "?catalog=a%20d", ["?catalog=a%20d#db.t"]),
        (["a d"], "?catalog=c#db", ["?catalog=c#db.t"]),
    ],
)
def test_places_name_a_catalog_only_where_a_file_has_several(
    tmp_path: Path, others: list[str], tail: str, places: list[str]
) -> None:
    """Tables are listed by catalog, namespace and name; each place names one table of the file."""
    file = tmp_path / "cat.db"
    sql_catalog(file, *_ROWS, *((each, "db", "t", "/m") for each in others))
    found = [each.place for each in tables_in(f"sqlite:///{file}{tail}")]
    assert found == [f"sqlite:///{file}{each}" for each in places]
