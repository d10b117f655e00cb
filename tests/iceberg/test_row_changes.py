"""Rows are deleted, updated, merged and overwritten as a plain list of rows would be."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples

from byteloom.errors import ArgumentError, CommitConflict, FormatError, Unsupported
from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg import Table

COLUMNS = pa.schema(
    {"id": pa.int64(), "group": pa.string(), "ratio": pa.float64(), "tags": pa.list_(pa.int32())}
)
MODES = [
    (1, "copy-on-write"),
    *((v, m) for v in (2, 3) for m in ("copy-on-write", "merge-on-read")),
]
NAN = float("nan")

Row = dict[str, Any]


def modes(mode: str) -> dict[str, str]:
    """Return the properties of a way to change rows."""
    return {f"write.{verb}.mode": mode for verb in ("delete", "update", "merge")}


def table_of(folder: Path, version: int, mode: str, **options: Any) -> Table:
    """Return an empty table."""
    return create_table(folder, COLUMNS, format_version=version, properties=modes(mode), **options)


def ids(table: Table, **options: Any) -> list[int]:
    """Return the ids of the rows in order."""
    return sorted(table.scan(**options).to_table()["id"].to_pylist())


def numbered(*numbers: int) -> pa.Table:
    """Return rows with these ids."""
    rows = [{"id": each, "group": "ab"[each % 2], "ratio": each / 4} for each in numbers]
    return pa.Table.from_pylist(rows, schema=COLUMNS)


def texts(rows: list[Row]) -> list[str]:
    """Return rows as texts, in order."""
    return sorted(repr(sorted(each.items())) for each in rows)


def plain(table: Table) -> list[Row]:
    """Return the rows with the columns that the table began with."""
    found: list[Row] = table.scan(columns=COLUMNS.names).to_table().to_pylist()
    return found


IDS = st.none() | st.integers(0, 8)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "id": IDS,
            "group": st.sampled_from([None, "a", "b"]),
            "ratio": st.sampled_from([None, NAN, 0.0, 0.5, 1.5]),
            "tags": st.sampled_from([None, [], [1, None]]),
        }
    ),
    max_size=6,
)
FILTERS: dict[str, Callable[[Row], bool]] = {
    "id < 3": lambda row: row["id"] is not None and row["id"] < 3,
    "id is null": lambda row: row["id"] is None,
    "group = 'a' and id >= 2": lambda row: (
        row["group"] == "a" and row["id"] is not None and row["id"] >= 2
    ),
    "group != 'a'": lambda row: row["group"] != "a",
    "ratio is nan": lambda row: row["ratio"] is not None and isnan(row["ratio"]),
    "ratio > 0": lambda row: row["ratio"] is not None and row["ratio"] > 0,
    "not (ratio = 0.5 or group is null)": lambda row: (
        not (row["ratio"] == 0.5 or row["group"] is None)
    ),
    "true": lambda row: True,  # noqa: ARG005
    "false": lambda row: False,  # noqa: ARG005
}
STEPS = st.one_of(
    st.tuples(st.just("append"), ROWS),
    st.tuples(st.just("delete"), st.sampled_from(list(FILTERS))),
    st.tuples(st.just("update"), st.sampled_from(list(FILTERS))),
    st.tuples(st.just("overwrite"), st.sampled_from(list(FILTERS)), ROWS),
    st.tuples(
        st.just("upsert"),
        ROWS,
        st.sampled_from(["update", "delete", "ignore"]),
        st.sampled_from(["insert", "ignore"]),
    ),
    st.tuples(st.just("delete_keys"), st.lists(IDS, max_size=3)),
    st.tuples(st.just("evolve")),
)


def distinct(rows: list[Row]) -> list[Row]:
    """Return rows of which no two have the same key; null is no key."""
    seen: set[int] = set()
    kept = []
    for row in rows:
        if row["id"] is None or row["id"] not in seen:
            kept.append(row)
        seen.add(row["id"])
    return kept


def stepped(  # noqa: PLR0911  one for each verb
    table: Table, rows: list[Row], step: Any
) -> tuple[Table, list[Row]]:
    """Return a table after a step, and what its rows then are."""
    verb, *arguments = step
    if verb == "update":
        (where,) = arguments
        values = {"group": "z", "id": pc.add(pc.field("id"), 10)}
        changed = [
            {**each, "group": "z", "id": None if each["id"] is None else each["id"] + 10}
            if FILTERS[where](each)
            else each
            for each in rows
        ]
        return table.update(values, where), changed
    if verb in {"delete", "overwrite"}:
        where, *new = arguments
        kept = [each for each in rows if not FILTERS[where](each)]
        changed_table = table.overwrite(arrow(new[0]), where) if new else table.delete(where)
        return changed_table, kept + (new[0] if new else [])
    if verb == "evolve":
        name = f"extra{len(table.schema.fields)}"
        return table.evolve().add_column(name, "int").commit(), rows
    if verb == "upsert":
        return upserted(table, rows, *arguments)
    (keys,) = arguments
    if verb == "append":
        return table.append(arrow(keys)), rows + keys
    if table.metadata.format_version == 1:
        return table, rows
    table = table.delete_keys(pa.table({"id": pa.array(keys, pa.int64())}))
    return table, [each for each in rows if each["id"] not in keys]


def upserted(
    table: Table, rows: list[Row], new: list[Row], matched: str, not_matched: str
) -> tuple[Table, list[Row]]:
    """Return a table after rows were merged, and what its rows then are."""
    new = [{"id": each["id"], "ratio": each["ratio"]} for each in distinct(new)]
    by_key = {each["id"]: each for each in new if each["id"] is not None}
    held = {each["id"] for each in rows}
    made: list[Row] = []
    for each in rows:
        if each["id"] not in by_key or matched == "ignore":
            made.append(each)
        elif matched == "update":
            made.append(each | by_key[each["id"]])
    if not_matched == "insert":
        nothing = dict.fromkeys(COLUMNS.names)
        made += [nothing | each for each in new if each["id"] is None or each["id"] not in held]
    given = arrow(new).select(["id", "ratio"])
    table = table.upsert(given, "id", when_matched=matched, when_not_matched=not_matched)
    return table, made


def arrow(rows: list[Row]) -> pa.Table:
    """Return rows as a table."""
    return pa.Table.from_pylist(rows, schema=COLUMNS)


@examples(1)
@given(
    st.sampled_from(MODES),
    st.sampled_from([[], ["group"], ["bucket(3, id)"], ["ratio"]]),
    st.sampled_from(["file", "partition"]),
    st.lists(STEPS, max_size=6),
)
def test_any_steps_change_a_table_like_a_list_of_rows(
    way: tuple[int, str], partition_by: list[str], granularity: str, steps: list[Any]
) -> None:
    """The rows after each step are those of the model, and nothing is wrong with the table."""
    if partition_by not in ([], ["bucket(3, id)"]):
        steps = [each for each in steps if each[0] != "delete_keys"]
    with TemporaryDirectory() as folder:
        table = table_of(Path(folder) / "t", *way, partition_by=partition_by)
        table = table.set_properties({"write.delete.granularity": granularity})
        rows: list[Row] = []
        for each in [("append", [{**dict.fromkeys(COLUMNS.names), "id": 1}]), *steps]:
            table, rows = stepped(table, rows, each)
            assert texts(plain(table)) == texts(rows), each
        assert table.verify() == []
        assert texts(plain(open_table(Path(folder) / "t"))) == texts(rows)


@pytest.mark.parametrize(("version", "mode"), MODES)
def test_a_change_is_one_snapshot_and_nothing_is_none(
    tmp_path: Path, version: int, mode: str
) -> None:
    """Whatever a change does to files, the table has one more snapshot, or stays as it is."""
    table = table_of(tmp_path / "t", version, mode, partition_by=["group"])
    table = table.append(numbered(*range(10)))
    changes: list[Callable[[], Table]] = [
        lambda: table.delete("id in (1, 2)"),
        lambda: table.update({"ratio": 1}, "id < 5"),
        lambda: table.upsert(numbered(3, 4, 20), "id"),
        lambda: table.overwrite(numbered(30), "id < 6"),
    ]
    for number, change in enumerate(changes, 2):
        table = change()
        assert len(table.snapshots) == number
    assert table.delete("id = 1000").metadata_location == table.metadata_location
    assert table.upsert(numbered(), "id").metadata_location == table.metadata_location


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_rows_of_version_three_keep_their_ids(tmp_path: Path, mode: str) -> None:
    """A row that changes keeps its id, and its sequence number is that of the change."""
    table = table_of(tmp_path / "t", 3, mode).append(numbered(0, 1, 2))
    table = table.update({"group": "z"}, "id = 1").append(numbered(9))
    columns = ["id", "_row_id", "_last_updated_sequence_number"]
    found = table.scan(columns=columns).to_table().sort_by("id").to_pylist()
    assert [tuple(each.values()) for each in found][:3] == [(0, 0, 1), (1, 1, 2), (2, 2, 1)]
    assert found[3]["_row_id"] == (6 if mode == "copy-on-write" else 4)
    table = table.delete("id = 0").upsert(numbered(2, 9), "id")
    found = table.scan(columns=columns[:2]).to_table().sort_by("id").to_pylist()
    assert [each["_row_id"] for each in found[:2]] == [1, 2]
    assert table.verify() == []


def test_an_update_stores_ids_and_sequence_numbers_of_moved_rows(tmp_path: Path) -> None:
    """The file that is written again has both columns; a changed row has no number in it."""
    table = table_of(tmp_path / "t", 3, "copy-on-write").append(numbered(0, 1, 2))
    table = table.update({"group": "z"}, "id = 1")
    (path,) = table.scan(columns=["_file"]).to_table()["_file"].unique().to_pylist()
    held = pa.parquet.read_table(path)
    assert held["_row_id"].to_pylist() == [0, 1, 2]
    assert held["_last_updated_sequence_number"].to_pylist() == [1, None, 1]
    assert held.schema.field("_row_id").metadata[b"PARQUET:field_id"] == b"2147483540"


def test_a_vector_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    """The new vector has all deletes of the file, and the summary counts both."""
    table = table_of(tmp_path / "t", 3, "merge-on-read").append(numbered(*range(20)))
    table = table.delete("id < 4").delete("id >= 15")
    assert table.current_snapshot is not None
    summary = table.current_snapshot.summary
    expected = {
        "operation": "delete",
        "added-dvs": "1",
        "removed-dvs": "1",
        "added-position-deletes": "9",
        "removed-position-deletes": "4",
        "total-position-deletes": "9",
        "total-delete-files": "1",
        "total-records": "20",
    }
    assert {key: summary.get(key) for key in expected} == expected
    assert ids(table) == list(range(4, 15))


def test_an_upgraded_table_merges_files_of_positions_into_vectors(tmp_path: Path) -> None:
    """A file of positions of the changed data file alone is removed; that of another file stays."""
    table = table_of(tmp_path / "t", 2, "merge-on-read")
    table = table.set_properties({"write.delete.granularity": "file"})
    table = table.append(numbered(*range(10))).append(numbered(*range(10, 20)))
    table = table.delete("id in (1, 11)").evolve().upgrade(3).commit()
    table = table.delete("id = 2")
    assert table.current_snapshot is not None
    summary = table.current_snapshot.summary
    assert summary["added-position-deletes"] == "2"
    assert summary["removed-position-delete-files"] == "1"
    assert summary["total-delete-files"] == "2"
    assert ids(table) == [0, *range(3, 11), *range(12, 20)]
    assert table.verify() == []


def test_deleted_keys_are_written_without_reading(tmp_path: Path) -> None:
    """The snapshot deletes, and adds one file of equality deletes; no data file is opened."""
    table = table_of(tmp_path / "t", 2, "copy-on-write").append(numbered(*range(10)))
    for each in (tmp_path / "t" / "data").rglob("*.parquet"):
        each.rename(each.with_suffix(".away"))
    table = table.delete_keys(pa.table({"id": [1, 2, 1000], "group": ["b", "b", "a"]}))
    for each in (tmp_path / "t" / "data").rglob("*.away"):
        each.rename(each.with_suffix(".parquet"))
    assert table.current_snapshot is not None
    assert table.current_snapshot.summary["operation"] == "delete"
    assert table.current_snapshot.summary["added-equality-deletes"] == "3"
    assert ids(table) == [0, *range(2, 10)]
    assert ids(table.delete_keys(pa.table({"id": [5], "ratio": [9.0]}), on="id")) == [
        0,
        *(2, 3, 4, 6, 7, 8, 9),
    ]


@pytest.mark.parametrize(("version", "mode"), MODES)
def test_changes_of_a_branch_leave_the_others(tmp_path: Path, version: int, mode: str) -> None:
    """A new branch begins at the current snapshot; main keeps its rows."""
    table = table_of(tmp_path / "t", version, mode).append(numbered(*range(4)))
    table = table.delete("id = 0", branch="trial")
    table = table.update({"id": 50}, "id = 1", branch="trial")
    table = table.upsert(numbered(2, 60), "id", branch="trial")
    table = table.overwrite(numbered(70), "id = 3", branch="trial")
    assert ids(table) == [0, 1, 2, 3]
    assert ids(table, ref="trial") == [2, 50, 60, 70]
    if version > 1:
        table = table.delete_keys(pa.table({"id": [70]}), branch="trial")
        assert ids(table, ref="trial") == [2, 50, 60]


@pytest.mark.parametrize(("version", "mode"), MODES)
def test_another_writers_rows_in_between_decide(tmp_path: Path, version: int, mode: str) -> None:
    """Rows that match forbid the commit, others do not; level snapshot allows both."""
    first = table_of(tmp_path / "t", version, mode).append(numbered(*range(10)))
    first.append(numbered(100))
    table = first.delete("id < 5")
    assert ids(table) == [5, 6, 7, 8, 9, 100]
    table.append(numbered(3))
    with pytest.raises(CommitConflict, match="adds rows that may match id < 7"):
        table.update({"ratio": 0.0}, "id < 7")
    level = table.set_properties({"write.update.isolation-level": "snapshot"})
    level.append(numbered(4))
    table = level.update({"group": "z"}, "id < 7")
    assert ids(table) == [3, 4, 5, 6, 7, 8, 9, 100]
    assert table.scan("group = 'z'").count() == 3
    assert table.verify() == []


@pytest.mark.parametrize(("version", "mode"), MODES)
def test_two_changes_of_one_file_conflict(tmp_path: Path, version: int, mode: str) -> None:
    """The second writer is refused, at once, and its files are removed."""
    first = table_of(tmp_path / "t", version, mode).append(numbered(*range(10)))
    first.delete("id = 1")
    before = sorted((tmp_path / "t").rglob("*"))
    with pytest.raises(CommitConflict, match=r"of another writer (adds|deletes) rows"):
        first.update({"ratio": 0.0}, "id = 2")
    assert sorted((tmp_path / "t").rglob("*")) == before
    assert ids(open_table(tmp_path / "t")) == [0, *range(2, 10)]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda t: t.delete("nothing = 1"), FormatError, "nothing"),
        (lambda t: t.update({}, "true"), ArgumentError, "values: found no column"),
        (lambda t: t.update([("id", 1)], "true"), ArgumentError, "values: found list"),
        (lambda t: t.upsert(numbered(1), 5), ArgumentError, "on: found int"),
        (lambda t: t.update({"idd": 1}, "true"), ArgumentError, "column idd"),
        (lambda t: t.update({"id": "x"}, "true"), FormatError, "column id: found 'x'"),
        (lambda t: t.update({"id": 1.5}, "true"), FormatError, "column id"),
        (lambda t: t.update({"id": pc.field("ratio")}, "id = 1"), FormatError, "column id"),
        (lambda t: t.update({"id": pc.field("no")}, "true"), FormatError, "column id"),
        (lambda t: t.upsert(numbered(1, 1), "id"), FormatError, "id = 1 in rows 0 and 1"),
        (lambda t: t.upsert(numbered(1)), ArgumentError, "no identifier fields"),
        (lambda t: t.upsert(numbered(1), "no"), ArgumentError, "on: found 'no'"),
        (lambda t: t.upsert(numbered(1), "tags"), Unsupported, "plain columns"),
        (
            lambda t: t.upsert(numbered(1).select(["group"]), "id"),
            ArgumentError,
            "rows without column id",
        ),
        (
            lambda t: t.upsert([numbered(1), numbered(2).select(["id"])], "id"),
            ArgumentError,
            "rows: found a batch with the columns id, wanted id, group, ratio, tags",
        ),
        (lambda t: t.upsert(numbered(1), "id", when_matched="?"), ArgumentError, "when_matched"),
        (lambda t: t.upsert(pa.table({"id": ["x"]}), "id"), FormatError, "column id"),
        (lambda t: t.delete_keys(pa.table({"no": [1]})), ArgumentError, "on: found 'no'"),
        (lambda t: t.overwrite(pa.table({"id": ["x"]}), "id = 1"), FormatError, "column id"),
    ],
)
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_changes_that_cannot_be_made_leave_nothing(
    tmp_path: Path,
    change: Callable[[Table], Table],
    error: type[Exception],
    message: str,
    mode: str,
) -> None:
    """The error names the column or the argument; the table has no other file than before."""
    table = table_of(tmp_path / "t", 2, mode).append(numbered(*range(4)))
    before = sorted((tmp_path / "t").rglob("*"))
    with pytest.raises(error, match=message):
        change(table)
    assert sorted((tmp_path / "t").rglob("*")) == before


EMPTY = numbered().to_batches()


@pytest.mark.parametrize("none", [[], EMPTY, pa.RecordBatchReader.from_batches(COLUMNS, [])])
def test_no_rows_change_nothing(tmp_path: Path, none: Any) -> None:
    """A stream without a batch needs no columns."""
    table = table_of(tmp_path / "t", 2, "merge-on-read").append(numbered(1))
    for changed in (table.upsert(none, "id"), table.delete_keys(none, "id")):
        assert len(changed.snapshots) == 1


def test_version_one_has_no_delete_files(tmp_path: Path) -> None:
    """Both ways to write some are refused, with what to do instead."""
    table = table_of(tmp_path / "t", 1, "merge-on-read").append(numbered(1, 2))
    with pytest.raises(Unsupported, match="version 1 has no delete files"):
        table.delete("id = 1")
    with pytest.raises(Unsupported, match="version 2 or 3"):
        table.delete_keys(pa.table({"id": [1]}))


def test_keys_without_the_partition_get_a_spec_of_their_own(tmp_path: Path) -> None:
    """Rows of every partition are deleted; the table's own spec stays the default."""
    table = table_of(tmp_path / "t", 2, "copy-on-write", partition_by=["group"])
    table = table.append(numbered(*range(6)))
    assert len(table.delete_keys(pa.table({"id": pa.array([], pa.int64())})).snapshots) == 1
    default = table.metadata.default_spec_id
    table = table.delete_keys(pa.table({"id": [1, 2]}))
    assert ids(table) == [0, 3, 4, 5]
    assert table.metadata.default_spec_id == default
    assert [each.is_unpartitioned for each in table.metadata.partition_specs.values()] == [
        False,
        True,
    ]
    assert ids(table.append(numbered(1)).delete_keys(pa.table({"id": [5]}))) == [0, 1, 3, 4]
    assert table.verify() == []


def test_keys_with_the_partition_need_no_other_spec(tmp_path: Path) -> None:
    """Files of keys are then written partition by partition."""
    table = table_of(tmp_path / "t", 2, "copy-on-write", partition_by=["group"])
    table = table.append(numbered(1, 2, 3))
    keys = pa.table({"id": [1, 2], "group": ["b", "b"]})
    table = table.delete_keys(keys)
    assert ids(table) == [2, 3]
    assert len(table.metadata.partition_specs) == 1


@pytest.mark.parametrize(
    ("properties", "codec", "groups"),
    [
        ({"write.parquet.compression-codec": "gzip"}, "GZIP", 1),
        (
            {
                "write.parquet.compression-codec": "gzip",
                "write.delete.parquet.compression-codec": "snappy",
                "write.delete.parquet.row-group-size-bytes": "8",
            },
            "SNAPPY",
            2,
        ),
    ],
)
def test_delete_files_have_properties_of_their_own(
    tmp_path: Path, properties: dict[str, str], codec: str, groups: int
) -> None:
    """What ``write.delete.parquet.*`` does not say is as in data files."""
    table = create_table(
        tmp_path / "t", COLUMNS, properties=modes("merge-on-read") | properties
    ).append(numbered(1, 2, 3, 4))
    table = table.delete("id = 1").delete_keys(pa.table({"id": [2, 3]}))
    found = table.metadata_table("delete_files").sort_by("content")["file_path"].to_pylist()
    positions, keys = [pq.read_metadata(table.relocation(each)) for each in found]
    assert positions.row_group(0).column(0).compression == codec
    assert keys.row_group(0).column(0).compression == codec
    assert keys.num_row_groups == groups
    data = table.metadata_table("data_files")["file_path"][0].as_py()
    column = pq.read_metadata(table.relocation(data)).row_group(0).column(0)
    assert column.compression == "GZIP"
    assert ids(table) == [4]
