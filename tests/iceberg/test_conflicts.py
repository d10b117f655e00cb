"""Two writers change a table from the same state: the second lands, or gets a conflict.

`specs/iceberg/commit_checks.yaml` says which pairs of changes conflict.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.errors import CommitConflict
from byteloom.iceberg import Table, create_table, open_table
from byteloom_generated.iceberg.commit_checks import CONFLICTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.commits.evolving import Evolution

    Row = tuple[str, int, int]
    Rows = list[Row]

COLUMNS: Final = pa.schema({"city": pa.string(), "id": pa.int64(), "value": pa.int64()})
BASE: Final = [(city, number, 0) for city in ("Oslo", "Rome") for number in range(4)]
VERBS: Final = ("delete", "update", "merge")


def rows(*given: Row) -> pa.Table:
    """Return rows."""
    named = [dict(zip(COLUMNS.names, each, strict=True)) for each in given]
    return pa.Table.from_pylist(named, COLUMNS)


def held(table: Table) -> Rows:
    """Return all rows, in order."""
    return sorted(tuple(each.values()) for each in table.scan().to_table().to_pylist())


@dataclass
class Given:
    """What a change is given.

    Attributes:
        table: The table.
        city: The partition.
        picked: The snapshot that is picked.
        file: A file that is added.
    """

    table: Table
    city: str
    picked: int
    file: Path

    @property
    def some(self) -> str:
        """A filter of rows whose file has others too."""
        return f"city = '{self.city}' and id < 2"

    def row(self, value: int) -> pa.Table:
        """Return a new row, with the key of one that the table has."""
        return rows((self.city, 1, value))


@dataclass(frozen=True)
class Change:
    """A change of rows of one city.

    Attributes:
        does: What it does with a table.
        means: What it does with a list of rows, given the city.
        mode: How rows are changed.
        prepares: Makes the snapshot that is picked, in a branch.
        is_anew: Whether it finds the rows that go on the newest state.
    """

    does: Callable[[Given], Table]
    means: Callable[[Rows, str], Rows]
    mode: str = "copy-on-write"
    prepares: Callable[[Table, pa.Table], Table] | None = None
    is_anew: bool = False


def transacted(given: Given) -> Table:
    """Return a table after two changes in one commit."""
    with given.table.transaction() as change:
        change.append(rows(("Bern", 7, 7)))
        change.delete(given.some)
    return change.table


def adds(value: int) -> Callable[[Rows, str], Rows]:
    """Return what an append does with rows."""
    return lambda old, city: [*old, (city, 1, value)]


def replaces(value: int) -> Callable[[Rows, str], Rows]:
    """Return what it does with rows to replace those of a city by one."""
    return lambda old, city: [*without(old, city), (city, 1, value)]


def without(old: Rows, city: str, end: int = 9) -> Rows:
    """Return rows without those of a city whose ids are below a number."""
    return [each for each in old if each[0] != city or each[1] >= end]


def updated(old: Rows, city: str, value: int, ids: tuple[int, ...]) -> Rows:
    """Return rows of which some have another value."""
    return [(*e[:2], value) if e[0] == city and e[1] in ids else e for e in old]


def both(
    name: str, does: Callable[[Given], Table], means: Callable[[Rows, str], Rows]
) -> dict[str, Change]:
    """Return a change in both modes."""
    marked = Change(does, means, "merge-on-read")
    return {name: Change(does, means), f"{name} merge-on-read": marked}


CHANGES: Final[dict[str, Change]] = {
    "append": Change(lambda g: g.table.append(g.row(1)), adds(1)),
    "add_files": Change(lambda g: g.table.add_files([g.file]), adds(2)),
    "cherry_pick": Change(
        lambda g: g.table.cherry_pick(g.picked),
        adds(3),
        prepares=lambda t, row: t.append(row, branch="audit"),
    ),
    "cherry_pick of partitions": Change(
        lambda g: g.table.cherry_pick(g.picked),
        replaces(3),
        prepares=lambda t, row: t.overwrite_partitions(row, branch="audit"),
    ),
    "overwrite_partitions": Change(
        lambda g: g.table.overwrite_partitions(g.row(4)), replaces(4), is_anew=True
    ),
    "delete_keys": Change(
        lambda g: g.table.delete_keys(pa.table({"city": [g.city], "id": [1]})),
        lambda old, city: [each for each in old if each[:2] != (city, 1)],
    ),
    "delete of files": Change(lambda g: g.table.delete(f"city = '{g.city}'"), without),
    **both("delete", lambda g: g.table.delete(g.some), lambda old, city: without(old, city, 2)),
    **both(
        "update",
        lambda g: g.table.update({"value": 5}, g.some),
        lambda old, city: updated(old, city, 5, (0, 1)),
    ),
    **both(
        "upsert",
        lambda g: g.table.upsert(g.row(6), ["city", "id"]),
        lambda old, city: updated(old, city, 6, (1,)),
    ),
    **both(
        "overwrite",
        lambda g: g.table.overwrite(g.row(8), g.some),
        lambda old, city: [*without(old, city, 2), (city, 1, 8)],
    ),
    **both(
        "transaction",
        transacted,
        lambda old, city: [*without(old, city, 2), ("Bern", 7, 7)],
    ),
}
RULES: Final = {each.name: each for each in CONFLICTS}
LEVELS: Final = ("serializable", "snapshot")
WAYS: Final = list(product((2, 3), LEVELS))
PAIRS: Final = [
    pytest.param(first, second, *way, marks=[] if way == WAYS[number % 4] else pytest.mark.slow)
    for number, (first, second) in enumerate(product(CHANGES, CHANGES))
    for way in WAYS
]
"""Each pair is tried in one way always, in the others by ``make sweep``."""

APART: Final = [
    pytest.param(*each, marks=[] if number % 17 == 0 else pytest.mark.slow)
    for number, each in enumerate(product(CHANGES, CHANGES, (2, 3), LEVELS))
]


def pair(
    folder: Path, names: tuple[str, str], cities: tuple[str, str], version: int, level: str
) -> tuple[Given, Given]:
    """Return a table of eight rows for each of two changes, opened twice at one snapshot."""
    changes = [CHANGES[each] for each in names]
    (folder / f"city={cities[0]}").mkdir()
    file = folder / f"city={cities[0]}" / "a.parquet"
    pq.write_table(rows((cities[0], 1, 2)).drop_columns("city"), file)
    properties = {f"write.{each}.isolation-level": level for each in VERBS}
    properties |= {f"write.{each}.mode": changes[0].mode for each in VERBS}
    properties |= {"write.delete.granularity": "file", "commit.retry.min-wait-ms": "0"}
    table = create_table(
        folder / "t",
        COLUMNS,
        partition_by=["city"],
        format_version=version,
        properties=properties,
    )
    table = table.append(rows(*BASE))
    picked = [0, 0]
    for number, each in enumerate(changes):
        if each.prepares is not None:
            table = each.prepares(table, rows((cities[number], 1, 3)))
            picked[number] = table.metadata.refs["audit"].snapshot_id
            table = table.drop_ref("audit")
    first = open_table(folder / "t")
    if changes[1].mode != changes[0].mode:
        table.set_properties({f"write.{each}.mode": changes[1].mode for each in VERBS})
    second = open_table(folder / "t")
    if cities[1] != cities[0] and names[1] == "add_files":
        (folder / f"city={cities[1]}").mkdir()
        moved = folder / f"city={cities[1]}" / "a.parquet"
        pq.write_table(rows((cities[1], 1, 2)).drop_columns("city"), moved)
        return Given(first, cities[0], picked[0], file), Given(second, cities[1], 0, moved)
    return Given(first, cities[0], picked[0], file), Given(second, cities[1], picked[1], file)


@pytest.mark.parametrize(("first", "second", "version", "level"), PAIRS)
def test_a_change_lands_after_another_or_conflicts(
    tmp_path: Path, first: str, second: str, version: int, level: str
) -> None:
    """What lands has the effect of both, one after the other; what conflicts has none.

    Under the isolation level ``snapshot`` the second may leave rows that the first has added as
    they are.

    Source: Iceberg table spec, "Optimistic Concurrency".
    """
    ours = pair(tmp_path, (first, second), ("Oslo", "Oslo"), version, level)
    one, two, rule = CHANGES[first], CHANGES[second], RULES[second]
    one.does(ours[0])
    after_first = one.means(BASE, "Oslo")
    is_refused = first in rule.always or (version == 3 and first in rule.by_vectors)
    is_refused |= level == "serializable" and first in rule.if_serializable
    if is_refused:
        with pytest.raises(CommitConflict):
            two.does(ours[1])
        expected = after_first
    else:
        two.does(ours[1])
        expected = two.means(after_first, "Oslo")
        if first in rule.if_serializable and not two.is_anew:
            new = Counter(after_first) - Counter(BASE)
            expected = [*two.means(BASE, "Oslo"), *new.elements()]
    table = open_table(tmp_path / "t")
    assert held(table) == sorted(expected)
    assert table.verify() == []


@pytest.mark.parametrize(("first", "second", "version", "level"), APART)
def test_changes_of_apart_partitions_both_land(
    tmp_path: Path, first: str, second: str, version: int, level: str
) -> None:
    """Whatever they are."""
    ours = pair(tmp_path, (first, second), ("Oslo", "Rome"), version, level)
    one, two = CHANGES[first], CHANGES[second]
    one.does(ours[0])
    table = two.does(ours[1])
    assert held(table) == sorted(two.means(one.means(BASE, "Oslo"), "Rome"))


def test_the_table_of_conflicts_has_every_change() -> None:
    """Each name in it is one that is tried here."""
    assert [each.name for each in CONFLICTS] == list(CHANGES)
    named: set[str] = set()
    for each in CONFLICTS:
        named |= {*each.always, *each.if_serializable, *each.by_vectors}
    assert named <= set(CHANGES)


GROUPS: Final = {
    "new rows": ["append", "add_files", "cherry_pick"],
    "keys": ["delete_keys"],
    "whole files": ["delete of files"],
    "partitions": ["overwrite_partitions", "cherry_pick of partitions"],
    "overwritten partitions": ["overwrite_partitions"],
    "picked partitions": ["cherry_pick of partitions"],
    "copy-on-write": ["delete", "update", "upsert", "overwrite", "transaction"],
    "marked rows": ["delete merge-on-read", "transaction merge-on-read"],
    "moved rows": [f"{each} merge-on-read" for each in ("update", "upsert", "overwrite")],
}


def test_the_guide_says_the_same() -> None:
    """Each cell of its table is what the specs say of all pairs that it stands for."""
    page = (Path(__file__).parents[2] / "docs" / "iceberg-writing.md").read_text("utf-8")
    table = page.partition("| second, below")[2].partition("\n\n")[0].splitlines()
    columns = [each.strip() for each in table[0].split("|")[1:-1]]
    lines = [[each.strip() for each in line.split("|")[1:-1]] for line in table[2:]]
    assert {each[0] for each in lines} | {*columns} == set(GROUPS)
    for second, *cells in lines:
        for first, cell in zip(columns, cells, strict=True):
            for names in product(GROUPS[second], GROUPS[first]):
                if names != ("add_files", "add_files"):
                    assert cell == said(*names), names


def said(second: str, first: str) -> str:
    """Return what the guide should say of a pair."""
    rule = RULES[second]
    if first in rule.always:
        return "conflict"
    words = ["serializable"] * (first in rule.if_serializable)
    words += ["version 3"] * (first in rule.by_vectors)
    return ", ".join(words) or "lands"


def table_of(folder: Path, version: int, mode: str, **properties: str) -> Table:
    """Return a table of two files of one partition, with the ids 0 to 3 and 10 to 13."""
    named = {f"write.{each}.mode": mode for each in VERBS} | properties
    table = create_table(folder, COLUMNS, format_version=version, properties=named)
    table = table.append(rows(*[("Oslo", number, 0) for number in range(4)]))
    return table.append(rows(*[("Oslo", number, 0) for number in range(10, 14)]))


COPY, MARK = "copy-on-write", "merge-on-read"


def test_a_change_inside_a_transaction_sees_what_others_add(tmp_path: Path) -> None:
    """Its start is that of the transaction, though it builds on the transaction's own snapshots."""
    table = table_of(tmp_path / "t", 2, COPY)
    with pytest.raises(CommitConflict, match="adds rows that may match id < 2"):  # noqa: PT012, SIM117
        with table.transaction() as change:
            change.append(rows(("Oslo", 20, 0)))
            change.delete("id < 2")
            table.append(rows(("Oslo", 1, 1)))
    assert len(open_table(tmp_path / "t").snapshots) == 3


def test_what_a_transaction_did_before_is_no_conflict(tmp_path: Path) -> None:
    """Its changes meet its own rows and deletes, whoever commits in between."""
    table = table_of(tmp_path / "t", 3, MARK)
    with table.transaction() as change:
        change.append(rows(("Oslo", 1, 1)))
        change.delete("id < 2")
        change.update({"value": 5}, "id < 3")
        change.delete("id = 2")
        table.append(rows(("Oslo", 30, 0)))
    assert [each[1] for each in held(change.table)] == [3, 10, 11, 12, 13, 30]
    assert change.table.verify() == []


@pytest.mark.parametrize(("granularity", "lands"), [("file", True), ("partition", False)])
def test_a_file_of_positions_forbids_moves_of_the_files_that_it_may_name(
    tmp_path: Path, granularity: str, lands: bool
) -> None:
    """One that names its data file is compared by it; one of a partition may be about any file."""
    properties = {"write.delete.granularity": granularity}
    table = table_of(tmp_path / "t", 2, MARK, **properties)
    table.delete("id in (1, 11)" if granularity == "partition" else "id = 11")
    if lands:
        made = table.update({"value": 5}, "id = 2")
        assert [each[1:] for each in held(made) if each[2]] == [(2, 5)]
        return
    with pytest.raises(CommitConflict, match="deletes rows that may match id = 2"):
        table.update({"value": 5}, "id = 2")


@pytest.mark.parametrize("mode", [COPY, MARK])
def test_deleted_keys_forbid_what_would_bring_them_back(tmp_path: Path, mode: str) -> None:
    """A file is not written again with rows that others' keys delete; other files are."""
    table = table_of(tmp_path / "t", 2, mode)
    table.delete_keys(pa.table({"id": [1]}))
    made = table.update({"value": 5}, "id = 12")
    assert [each[1:] for each in held(made) if each[2]] == [(12, 5)]
    if mode == MARK:
        assert held(table.update({"value": 6}, "id = 2"))[1] == ("Oslo", 2, 6)
    else:
        with pytest.raises(CommitConflict, match="of another writer deletes from it too"):
            table.update({"value": 6}, "id = 2")
    with pytest.raises(CommitConflict):
        table.update({"value": 7}, "id = 1")
    assert 1 not in [each[1] for each in held(open_table(tmp_path / "t"))]


def test_a_file_that_only_partly_matches_forbids_the_removal_of_files(tmp_path: Path) -> None:
    """A delete of whole files takes new files along if all their rows match, and no others."""
    table = table_of(tmp_path / "t", 2, COPY)
    newer = table.append(rows(("Oslo", 2, 1)))
    assert [each[1] for each in held(table.delete("id < 4"))] == [10, 11, 12, 13]
    newer.append(rows(("Oslo", 12, 1), ("Oslo", 50, 1)))
    with pytest.raises(CommitConflict, match=r"adds rows of which only some match .id >= 10 and"):
        newer.delete("id >= 10 and id < 20")


def test_a_vector_of_a_removed_file_is_left_out(tmp_path: Path) -> None:
    """Of two files in which a change deletes rows, one is gone: the other's are deleted."""
    table = table_of(tmp_path / "t", 3, MARK)
    table.delete("id < 4")
    made = table.delete("id in (1, 11)")
    assert [each[1] for each in held(made)] == [10, 12, 13]
    assert made.verify() == []
    assert len(table.delete("id = 1").snapshots) == len(made.snapshots)


def test_an_upgrade_forbids_files_of_positions(tmp_path: Path) -> None:
    """Version 3 has no new ones; rows that were written for version 2 are added all the same."""
    table = table_of(tmp_path / "t", 2, MARK)
    table.evolve().upgrade(3).commit()
    assert len(held(table.append(rows(("Oslo", 5, 0))))) == 9
    with pytest.raises(CommitConflict, match="upgraded the table to version 3"):
        table.delete("id = 1")
    assert open_table(tmp_path / "t").verify() == []


@pytest.mark.parametrize(
    ("evolves", "found"),
    [
        (lambda e: e.make_required("value"), "value"),
        (lambda e: e.make_required("at.x"), "at.x"),
        (lambda e: e.add_column("more", "int", required=True), "more"),
        (lambda e: e.add_column("at.z", "int", required=True), "at.z"),
        (lambda e: e.add_column("more", "int", required=True, default=5), ""),
        (lambda e: e.add_column("p", pa.struct([pa.field("x", pa.int32(), nullable=False)])), ""),
        (lambda e: e.add_column("more", "int").rename_column("value", "price"), ""),
        (lambda e: e.drop_column("value").add_partition_field("id").sort_by("id desc"), ""),
    ],
)
def test_a_column_that_becomes_required_forbids_rows_that_may_lack_it(
    tmp_path: Path, evolves: Callable[[Evolution[Table]], Evolution[Table]], found: str
) -> None:
    """Rows were checked against the old schema; other changes of it let them land."""
    point = pa.struct({"x": pa.int32(), "y": pa.int32()})
    columns = pa.schema({"id": pa.int64(), "value": pa.int64(), "at": point})
    table = create_table(tmp_path / "t", columns, format_version=3)
    evolves(table.evolve(allow_incompatible=True)).commit()
    changes: list[Callable[[], Table]] = [
        lambda: table.append(pa.table({"id": [1]})),
        lambda: table.upsert(pa.table({"id": [2]}), "id"),
        lambda: table.overwrite(pa.table({"id": [3]}), "id > 8"),
    ]
    for number, change in enumerate(changes, 1):
        if found:
            with pytest.raises(CommitConflict, match=f"column {found}, which another writer"):
                change()
            assert not list((tmp_path / "t").rglob("*.parquet"))
        else:
            assert change().scan().count() == number
    assert open_table(tmp_path / "t").verify() == []


def test_a_branch_without_the_start_forbids_a_change(tmp_path: Path) -> None:
    """After a rollback nothing is known of what changed since."""
    table = table_of(tmp_path / "t", 2, COPY)
    table.rollback(to=table.snapshots[0].snapshot_id)
    with pytest.raises(CommitConflict, match="is no longer in the branch"):
        table.delete("id = 1")
    assert len(held(table.append(rows(("Oslo", 5, 0))))) == 5
