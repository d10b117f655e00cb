"""Tables that Hudi wrote, and what Hudi says of them, as the corpus keeps both.

Tables are zipped; results are beside the archives, in folders of the tables' names.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.hudi import MetadataTable

__all__ = ["FOLDER", "Case", "hudi_answer", "hudi_table", "tables"]

FOLDER = "java/hudi"

Case: TypeAlias = tuple[Path, dict[str, Any]]
"""The folder, and what its index says of a table."""


def tables(folder: Path) -> Iterator[Any]:
    """Each table of the index, with what the index says of it."""
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        entry = json.loads(line)
        yield pytest.param((folder, entry), id=entry["name"])


@pytest.fixture(scope="session")
def hudi_table(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What opens the metadata table of a case, its archive unpacked once."""

    @cache
    def unpack(archive: Path) -> Path:
        place = tmp_path_factory.mktemp("hudi")
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(place)
        return place

    def opened(case: Case) -> MetadataTable:
        from byteloom.hudi import MetadataTable

        folder, entry = case
        return MetadataTable.open(unpack(folder / entry["zip"]) / entry["name"])

    return opened


def hudi_answer(case: Case, name: str) -> Any:
    """What Hudi says, by the name of a file beside the archive."""
    folder, entry = case
    path = folder / entry["name"] / name
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if ".jsonl" in name:
        return [json.loads(line) for line in raw.decode().splitlines()]
    return json.loads(raw)
