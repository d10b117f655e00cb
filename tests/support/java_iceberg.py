"""Tables that Java Iceberg wrote, with the rows and plans that Java gives.

- The tables are those that ``INDEX.json`` lists, so that a test runs on any corpus of that form.
- A table is unpacked once in a session, when the first test asks for it, and never changed.
- Paths that the tables hold begin with the root that the index names, or with its twin in S3.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.corpus import corpus_cases, corpus_root

from byteloom.iceberg.table import Table, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["JavaTable", "is_damaged", "is_sound", "java_table", "java_tables"]

_FOLDER = "java/iceberg"
_S3_ROOT = "s3://limn-corpus/warehouse/"


@dataclass(frozen=True)
class JavaTable:
    """One table of the index.

    record     what the index says
    corpus     the folder of the index
    warehouse  where the table was unpacked
    """

    record: dict[str, Any]
    corpus: Path
    warehouse: Path

    @property
    def name(self) -> str:
        """The table's name."""
        return str(self.record["name"])

    @property
    def expect(self) -> dict[str, str]:
        """What Java does with a damaged table: on ``load``, ``plan`` and ``rows``; else nothing."""
        return self.record.get("expect") or {}

    @property
    def location(self) -> str:
        """Where the table says that it is."""
        return str(self.record.get("location") or self.record["root"] + self.name)

    @property
    def relocate(self) -> dict[str, str]:
        """Prefixes as written, to as they are now."""
        here = f"{self.warehouse}/"
        return {self.record["root"]: here, _S3_ROOT: here}

    def open(self) -> Table:
        """Open the table by the metadata file that the index names."""
        return open_table(self.record["metadata"], relocate=self.relocate)

    def relative(self, path: str) -> str:
        """Return a path as the truth writes it: below the table's location, if it is there."""
        return path.removeprefix(f"{self.location}/")

    def truth(self, member: str) -> bytes | None:
        """Return a file of the truth; None if there is none of that name."""
        with zipfile.ZipFile(self.corpus / "truth" / f"{self.name}.zip") as archive:
            return archive.read(member) if member in archive.namelist() else None

    def truth_rows(self, snapshot: int) -> pa.Table | None:
        """Return the rows of a snapshot; None where it has none."""
        return self._parquet(f"rows/{snapshot}.parquet")

    def truth_metadata(self, kind: str) -> pa.Table | None:
        """Return a metadata table: ``entries``, ``files``, ``history``, ...; None without one."""
        return self._parquet(f"meta/{kind}.parquet")

    def truth_lines(self, member: str) -> list[dict[str, Any]]:
        """Return a file of one JSON document a line: ``splits.jsonl``, ``changes.jsonl``."""
        return [json.loads(line) for line in (self.truth(member) or b"").splitlines()]

    def planning(self) -> Iterator[dict[str, Any]]:
        """Yield the planning cases."""
        path = self.corpus / "planning" / f"{self.name}.jsonl.gz"
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                yield from map(json.loads, lines)

    def _parquet(self, member: str) -> pa.Table | None:
        """A table of the truth."""
        data = self.truth(member)
        return None if data is None else pq.read_table(BytesIO(data))


def is_sound(record: dict[str, Any]) -> bool:
    """Whether a table of the index is not damaged: what Java does with damaged ones is noted."""
    return record.get("expect") is None


def is_damaged(record: dict[str, Any]) -> bool:
    """Whether a table of the index is damaged."""
    return not is_sound(record)


def java_tables(
    keep: Callable[[dict[str, Any]], object] = lambda _: True,
) -> Callable[[Any], Any]:
    """Run a test, which takes `java_table`, once for each table of the index that *keep* keeps."""

    def find(place: Path) -> Iterator[Any]:
        index = json.loads((place / "INDEX.json").read_text())
        for record in index["tables"]:
            if keep(record):
                yield pytest.param({**record, "root": index["root"]}, id=record["name"])

    return corpus_cases(_FOLDER, find, argname="java_record")


@pytest.fixture
def java_table(java_record: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> JavaTable:
    """The table of a record of the index, unpacked."""
    corpus = corpus_root() / _FOLDER
    warehouse = tmp_path_factory.getbasetemp() / "java-iceberg" / str(java_record["name"])
    if not warehouse.exists():
        with zipfile.ZipFile(corpus / "tables" / f"{java_record['name']}.zip") as archive:
            archive.extractall(warehouse)
    return JavaTable(java_record, corpus, warehouse)
