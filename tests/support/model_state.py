"""The state of a table and of its plain model, and what compares them.

The rules:

- The model keeps the rows of each snapshot, with the schema of its time, and where branches and
  tags are. Columns are found by their keys, whatever their names are.
- Each row has a number, ``uid``, which no step changes: by it `_row_id` of version 3 is followed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from tests.support.model_values import (
    Column,
    Kind,
    Row,
    canonical,
    kinds,
    row_of,
    shown,
)

from byteloom.iceberg import Table, create_table, open_table

__all__ = ["KEY_KINDS", "PROPERTIES", "ROW_ID", "UID", "VERBS", "ModelState", "Snapshot", "Wanted"]

_HALF = 0.5
UID = 0
KEY_KINDS = {"int", "long", "string", "date", "uuid", "boolean", "decimal(9, 2)", "binary"}
_TRANSFORMS: dict[str, Callable[[str], bool]] = {
    "identity": bool,
    "bucket(3, {})": lambda kind: kind not in {"boolean", "float", "double"},
    "truncate(2, {})": lambda kind: kind in {"int", "long", "string", "binary", "decimal(9, 2)"},
    "year({})": lambda kind: kind.startswith(("date", "timestamp")),
    "day({})": lambda kind: kind.startswith(("date", "timestamp")),
    "hour({})": lambda kind: kind.startswith("timestamp"),
    "void({})": bool,
}
PROPERTIES: dict[str, list[str]] = {
    "write.delete.mode": ["copy-on-write", "merge-on-read"],
    "write.update.mode": ["copy-on-write", "merge-on-read"],
    "write.merge.mode": ["copy-on-write", "merge-on-read"],
    "write.delete.granularity": ["partition", "file"],
    "write.format.default": ["parquet", "orc", "avro"],
    "write.metadata.metrics.default": ["none", "counts", "truncate(1)", "full"],
    "write.parquet.row-group-size-bytes": ["1", "200"],
    "write.target-file-size-bytes": ["1"],
    "commit.manifest.min-count-to-merge": ["2"],
    "commit.manifest-merge.enabled": ["false"],
    "write.metadata.compression-codec": ["gzip"],
    "write.metadata.previous-versions-max": ["1"],
    "write.summary.partition-limit": ["10"],
    "write.object-storage.enabled": ["true"],
    "write.delete.isolation-level": ["serializable"],
}
VERBS = (
    "append",
    "delete",
    "update",
    "upsert",
    "overwrite",
    "overwrite_partitions",
    "delete_keys",
)
_OTHERS = (
    "evolve",
    "evolve",
    "create_branch",
    "create_tag",
    "fast_forward",
    "rollback",
    "cherry_pick",
)
_MORE = ("stage", "transaction", "properties", "reopen", "drop_ref", "add_files")
ROW_ID = -1
"""The key of a row's `_row_id`, once it is known."""


@dataclass(frozen=True)
class Wanted:
    """What may be drawn.

    Attributes:
        versions: The format versions.
        verbs: The steps that are drawn.
        kinds: Types that columns do not have.
        formats: The formats of data files.
        most: The most steps.
    """

    versions: Sequence[int] = (1, 2, 3)
    verbs: Sequence[str] = VERBS + VERBS + _OTHERS + _MORE
    without: frozenset[str] = frozenset()
    formats: Sequence[str] = ("parquet", "orc", "avro")
    most: int = 8


@dataclass
class Snapshot:
    """What a snapshot has.

    Attributes:
        rows: Its rows, each with the id that version 3 gave it, under ``None``.
        columns: The schema when it was made.
        added: The rows of an append; None for other operations.
    """

    rows: list[Row]
    columns: list[Column]
    added: list[Row] | None = None


@dataclass
class ModelState:
    """A table, its model, and what compares them.

    Attributes:
        folder: Where the table is.
        draw: What steps are drawn with.
        wanted: What may be drawn.
        log: The steps so far, for a failure.
        refusals: How often what was refused.
    """

    folder: Path
    draw: Random
    wanted: Wanted = field(default_factory=Wanted)
    log: list[str] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Draw and create the table."""
        self.said: Any = None
        self._keys = 0
        self._uids = 0
        self.version = self.first = self._one(self.wanted.versions)
        self.columns = [Column(UID, "uid", Kind("long"))]
        for number in range(self.draw.randint(1, 4)):
            self.columns.append(self._column(f"c{number}"))
        properties = {}
        for name, known in PROPERTIES.items():
            if self.draw.randint(0, 3) == 0:
                properties[name] = self._one(known)
        if self.version == 1:
            properties = {k: v for k, v in properties.items() if v != "merge-on-read"}
        if properties.get("write.format.default", "parquet") not in self.wanted.formats:
            del properties["write.format.default"]
        self.snapshots: dict[int, Snapshot] = {}
        self.refs: dict[str, tuple[str, int]] = {}
        self.table: Table = create_table(
            self.folder / "t",
            pa.schema([each.arrow for each in self.columns]),
            format_version=self.version,
            partition_by=self._terms(),
            sort_by=self._orders(),
            properties=properties,
        )
        self.older: list[tuple[Table, list[Column]]] = []
        self.log.append(
            f"create v{self.version} {self.table.schema} {self.table.metadata.spec()} {properties}"
        )

    def _one(self, known: Sequence[Any]) -> Any:
        return self.draw.choice(list(known))

    def _flag(self) -> bool:
        return self.draw.random() < _HALF

    def _key(self) -> int:
        self._keys += 1
        return self._keys

    def _kind(self) -> Kind:
        kind = kinds(self.draw, self.version, self._key)
        return Kind("string") if kind.name in self.wanted.without else kind

    def _column(self, name: str) -> Column:
        return Column(self._key(), name, self._kind(), required=self.draw.randint(0, 4) == 0)

    def _term(self) -> str | None:
        """Draw a transform of a column."""
        known = [
            (each.name if term == "identity" else term.format(each.name))
            for each in self.columns
            for term, fits in _TRANSFORMS.items()
            if not each.kind.inner
            and not each.kind.fields
            and fits(each.kind.name)
            and each.key != UID
        ]
        return self._one(known) if known else None

    def _terms(self) -> list[str]:
        if not self._flag():
            return []
        found = [self._term() for _ in range(self.draw.randint(1, 2))]
        columns = {each.split("(")[-1].split(", ")[-1].rstrip(")"): each for each in found if each}
        return list(columns.values())

    def _orders(self) -> list[str]:
        if self.draw.randint(0, 2):
            return []
        term = self._term()
        if term is None or term.startswith("void"):
            return []
        return [term + self._one(["", " desc", " asc nulls last", " desc nulls first"])]

    def head(self, branch: str = "main") -> Snapshot:
        """Return what the newest snapshot of a branch has."""
        if branch in self.refs:
            return self.snapshots[self.refs[branch][1]]
        return self.head() if branch != "main" else Snapshot([], self.columns)

    def _branches(self) -> list[str]:
        return [name for name, (kind, _) in self.refs.items() if kind == "branch"]

    def _branch(self) -> str:
        known = {"main", *self._branches()}
        return str(self._one(sorted(known | ({"new"} if self.refs else set()))))

    def _new_rows(self, columns: Sequence[Column], most: int = 6, least: int = 0) -> list[Row]:
        """Draw rows; some columns may be left out of all."""
        others = [e for e in columns if e.key != UID]
        drawn = [row_of(self.draw, others) for _ in range(self.draw.randint(least, most))]
        for each in drawn:
            self._uids += 1
            each[UID] = self._uids
        return drawn

    @staticmethod
    def _arrow(columns: Sequence[Column], given: Sequence[Row]) -> pa.Table:
        """Return rows as Arrow data."""
        schema = pa.schema([(each.name, each.kind.stored) for each in columns])
        held = [{e.name: shown(e.kind, e.of(row)) for e in columns} for row in given]
        return pa.Table.from_pylist(held, schema)

    def _some(self, columns: list[Column], fits: Callable[[Column], bool]) -> Column | None:
        known = [e for e in columns if e.key != UID and fits(e)]
        return self._one(known) if known else None

    def check_head(self) -> None:
        """Compare all branches' newest rows, and ids of rows."""
        names = set(self.table.metadata.refs)
        assert names == set(self.refs), self.log
        for name in self._branches():
            self._compare(self.head(name).rows, self.columns, ref=name)
            if self.version == 3:
                self._check_row_ids(name)

    def _check_row_ids(self, branch: str) -> None:
        found = self.table.scan(ref=branch, columns=["uid", "_row_id"]).to_table().to_pylist()
        by_uid = {each["uid"]: each["_row_id"] for each in found}
        held = self.head(branch).rows
        numbers = [each["_row_id"] for each in found if each["_row_id"] is not None]
        if len(by_uid) == len(found):
            assert len(set(numbers)) == len(numbers), ("row ids twice", found)
        for row in held:
            if sum(each[UID] == row[UID] for each in held) > 1:
                continue
            number = by_uid[row[UID]]
            # Branches of a table that was upgraded number the same rows each on its own.
            if self.first == 3:
                assert number == row.setdefault(ROW_ID, number), ("row id changed", row, number)

    def _compare(self, held: list[Row], columns: list[Column], **scan: Any) -> None:
        found = self.table.scan(**scan).to_table()
        assert sorted(found.column_names) == sorted(each.name for each in columns)
        self.same(found.to_pylist(), held, columns, scan)

    @staticmethod
    def same(
        found: list[dict[str, Any]], held: list[Row], columns: Sequence[Column], where: Any = None
    ) -> None:
        """Refuse rows that are not those of the model, each as often."""
        ours = [{e.name: shown(e.kind, e.of(row)) for e in columns} for row in held]
        given = sorted(repr(canonical(each)) for each in found)
        wanted = sorted(repr(canonical(each)) for each in ours)
        if given != wanted:
            more = list((Counter(given) - Counter(wanted)).elements())
            less = list((Counter(wanted) - Counter(given)).elements())
            raise AssertionError(f"{where}: found {more}, wanted {less}")

    def check_all(self) -> None:
        """Compare each snapshot, branch and tag, and verify the table."""
        self.table = open_table(self.folder / "t")
        assert set(self.table.metadata.snapshots) == set(self.snapshots)
        for number, each in self.snapshots.items():
            self._compare(each.rows, each.columns, snapshot=number)
        for name, (kind, number) in self.refs.items():
            each = self.snapshots[number]
            self._compare(each.rows, self.columns if kind == "branch" else each.columns, ref=name)
        found = self.table.verify()
        assert not found, [str(each) for each in found]
