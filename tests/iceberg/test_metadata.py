"""Tables open by file, folder, hint and catalog, and can be read as of any time."""

from __future__ import annotations

import gzip
import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from pyiceberg.table import StaticTable
from tests.support.gallery import rows
from tests.support.iceberg_plans import metadata_table_kinds
from tests.support.sql_catalogs import sql_catalog

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, StorageError, Unsupported
from byteloom.iceberg import Table, col, open_table
from byteloom.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _schema(schema_id: int, *names: str) -> dict[str, Any]:
    """Return a schema of optional longs."""
    fields = [
        {"id": at, "name": name, "required": False, "type": "long"}
        for at, name in enumerate(names, 1)
    ]
    return {"type": "struct", "schema-id": schema_id, "fields": fields}


def _document(location: str, **more: Any) -> dict[str, Any]:
    """Return the metadata of a table of version 2 with two snapshots, a branch and a tag."""
    snapshots = [
        {
            "snapshot-id": each,
            "sequence-number": each,
            "timestamp-ms": 1_000_000 * each,
            "manifest-list": f"{location}/metadata/snap-{each}.avro",
            "summary": {"operation": "append"},
            "schema-id": each - 1,
            **({"parent-snapshot-id": each - 1} if each > 1 else {}),
        }
        for each in (1, 2)
    ]
    return {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": location,
        "last-sequence-number": 2,
        "last-updated-ms": 2_000_000,
        "last-column-id": 2,
        "schemas": [_schema(0, "a"), _schema(1, "a", "b")],
        "current-schema-id": 1,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "last-partition-id": 999,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
        "properties": {},
        "current-snapshot-id": 2,
        "snapshots": snapshots,
        "snapshot-log": [
            {"timestamp-ms": 1_000_000 * each, "snapshot-id": each} for each in (1, 2)
        ],
        "metadata-log": [],
        "refs": {
            "main": {"snapshot-id": 2, "type": "branch"},
            "old": {"snapshot-id": 1, "type": "branch"},
            "first": {"snapshot-id": 1, "type": "tag", "max-ref-age-ms": 7},
        },
        **more,
    }


def _write(folder: Path, name: str, **more: Any) -> Path:
    """Write a metadata file in a table's folder."""
    path = folder / "metadata" / name
    path.parent.mkdir(exist_ok=True)
    data = json.dumps(_document(str(folder), **more)).encode()
    path.write_bytes(gzip.compress(data) if ".gz" in name else data)
    return path


def _opened(folder: Path, data: bytes | dict[str, Any], **options: Any) -> Table:
    """Return the table of a metadata file with this content."""
    path = folder / "any.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return open_table(path, **options)


def test_version_1_may_have_one_schema_alone(tmp_path: Path) -> None:
    """A single schema in version 1 is the current one, and metadata without any is refused."""
    document = _document("/t", **{"format-version": 1})
    for name in ("schemas", "current-schema-id"):
        del document[name]
    with pytest.raises(FormatError, match=r": current-schema-id: found nothing, wanted the id of"):
        _ = _opened(tmp_path, document)
    alone = _opened(tmp_path, {**document, "schema": _schema(3, "a")}).metadata
    assert ([*alone.schemas], alone.current_schema_id) == ([3], 3)
    other = _opened(
        tmp_path, {**document, "schema": _schema(3, "a"), "schemas": [_schema(1, "b")]}
    ).metadata
    assert ([*other.schemas], other.current_schema_id) == ([1, 3], 3)


@pytest.mark.parametrize(
    ("names", "hint", "opened"),
    rows("iceberg/metadata", "a_folder_opens_at_its_newest_metadata"),
)
def test_a_folder_opens_at_its_newest_metadata(
    tmp_path: Path, names: list[str], hint: str | None, opened: str
) -> None:
    """A folder opens at the hinted version and those after it, or at the highest one."""
    for name in names:
        _write(tmp_path, name)
    if hint is not None:
        (tmp_path / "metadata" / "version-hint.text").write_text(hint)
    assert open_table(tmp_path).metadata_location == f"{tmp_path}/metadata/{opened}"


def test_a_folder_without_metadata_is_an_error(tmp_path: Path) -> None:
    """Opening a folder without metadata is an error that says so."""
    with pytest.raises(StorageError, match="no metadata file"):
        open_table(tmp_path)


def test_moved_tables_open_by_their_old_paths(tmp_path: Path) -> None:
    """A map of prefixes replaces written paths by the places where the files are."""
    _write(tmp_path, "v1.metadata.json")
    table = open_table("s3://gone/t", relocate={"s3://gone/t": str(tmp_path)})
    assert table.metadata.current_snapshot_id == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("s3://b/t", "{}"),
        ("s3://b/t/", "{}"),
        ("s3://b/t", "{}/"),
        ("s3://b", "{}/.."),
        ("s3://b/t", "file://{}"),
    ],
)
def test_prefixes_end_where_names_end(tmp_path: Path, old: str, new: str) -> None:
    """A prefix ends at a name's end, with or without a slash: ``t`` does not match ``t_2``."""
    folder = tmp_path / "t"
    (folder / "city=O%27Fallon").mkdir(parents=True)
    (folder / "city=O%27Fallon" / "a").write_bytes(b"here")
    path = _write(tmp_path, "v1.metadata.json")
    relocation = open_table(path, relocate={old: new.format(folder)}).relocation
    assert relocation.read("s3://b/t/city=O%27Fallon/a") == b"here"
    assert relocation("s3://b_2/t/a") == "s3://b_2/t/a"
    assert (
        open_table(path, relocate={"s3://b/t": "/c"}).relocation("s3://b/t_2/a") == "s3://b/t_2/a"
    )


def test_errors_for_files_of_moved_tables_say_what_to_map(tmp_path: Path) -> None:
    """An error about a missing file of a moved table names both places."""
    path = _write(tmp_path, "v1.metadata.json")
    missing = f"{tmp_path}/metadata/snap-2.avro: No such file"
    for place, advised in ((tmp_path / "moved", True), (tmp_path, False)):
        moved = place / "metadata" / path.name
        moved.parent.mkdir(parents=True, exist_ok=True)
        moved.write_bytes(path.read_bytes())
        with pytest.raises(StorageError, match=re.escape(missing)) as caught:
            open_table(place).scan().plan()
        assert (f"relocate {tmp_path}={place}" in str(caught.value)) == advised
    with pytest.raises(StorageError) as caught:
        open_table(place, relocate={str(tmp_path): place}).scan().plan()
    assert "moved" not in str(caught.value).partition("No such file")[2]


def test_no_map_is_advised_where_another_one_led_to_an_error(tmp_path: Path) -> None:
    """An unreachable filesystem is reported without advice about moved tables."""
    path = _write(tmp_path, "v1.metadata.json")
    moved = tmp_path / "moved" / "metadata" / path.name
    moved.parent.mkdir(parents=True)
    moved.write_bytes(path.read_bytes())
    with pytest.raises(StorageError, match=r"^nowhere://x/.* \(written as [^;]*\)$"):
        open_table(
            tmp_path / "moved", relocate={f"{tmp_path}/metadata": "nowhere://x"}
        ).scan().plan()


@pytest.mark.parametrize("name", ["any.bin", "v7.json", "metadata.gz"])
def test_metadata_files_of_any_name_open(tmp_path: Path, name: str) -> None:
    """A metadata file opens under any name."""
    path = _write(tmp_path, name)
    assert open_table(path).metadata.current_snapshot_id == 2


def test_the_folder_of_the_metadata_opens_the_table(tmp_path: Path) -> None:
    """The folder ``metadata`` opens the table at its newest file, as the table's folder does."""
    path = _write(tmp_path, "v1.metadata.json")
    assert open_table(path.parent).metadata_location == str(path)


def test_data_files_open_no_table(tmp_path: Path) -> None:
    """Opening a data file as a table is an error with its first bytes, and reads no more of it."""
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and so on")
    with pytest.raises(FormatError, match="found b'PAR1 and', wanted a table's folder"):
        open_table(path)


@pytest.mark.parametrize("place", [None, 3, ["t"]])
def test_what_names_no_table_is_refused(place: Any) -> None:
    """A number is refused, and not used as the name of a folder."""
    with pytest.raises(StorageError, match="names no table"):
        open_table(place)


@pytest.mark.parametrize(
    ("damage", "error", "because"),
    [
        (
            lambda data: data[:-20],
            FormatError,
            r"truncated \(line 1, .*wanted one JSON object",
        ),
        (
            lambda data: data[:30] + b"\xff" + data[31:],
            FormatError,
            r"at byte 30 .*0xff .*column 31",
        ),
        (lambda _: b"", FormatError, r"truncated \(line 1, .*wanted one JSON object"),
        (lambda _: b"[]", FormatError, r": table-metadata: found \[\], wanted an object"),
        (lambda _: b"{}", FormatError, ": format-version: found nothing"),
        (lambda _: b"[" * 100_000, LimitExceeded, "found 100000 bytes, wanted at most 50000"),
        (lambda data: gzip.compress(data)[:-20], FormatError, "gzip data that is cut off"),
        (lambda data: gzip.compress(data)[:12] + b"garbage", FormatError, "damaged gzip data"),
        (lambda data: gzip.compress(data) + b"garbage", FormatError, "damaged gzip data"),
        (lambda data: gzip.compress(data) + gzip.compress(data), FormatError, "trailing char"),
        (
            lambda data: gzip.compress(data[:99]) + _with_wrong_sum(gzip.compress(data[99:])),
            FormatError,
            "damaged gzip data",
        ),
        (
            lambda data: _with_wrong_sum(gzip.compress(data[:99])) + gzip.compress(data[99:]),
            FormatError,
            "damaged gzip data",
        ),
        (
            lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:])[:-1],
            FormatError,
            "gzip data that is cut off",
        ),
        (
            lambda data: data.replace(b'"format-version": 2', b'"format-version": 4'),
            Unsupported,
            ": format-version at byte 19 .*: found 4, wanted 1, 2 or 3",
        ),
        (
            lambda data: data.replace(b'"format-version": 2', b'"format-version": "2"'),
            FormatError,
            ": format-version at byte 19 .*: found '2', wanted 1, 2 or 3",
        ),
        (lambda data: data.ljust(50_001), LimitExceeded, "found 50001 bytes, wanted at most 50000"),
        (lambda data: gzip.compress(data.ljust(50_001)), LimitExceeded, "found 50001 bytes"),
    ],
)
def test_files_that_are_no_metadata_are_refused(
    tmp_path: Path, damage: Callable[[bytes], bytes], error: type[ByteloomError], because: str
) -> None:
    """Metadata that is cut off, garbled, too large or of a later version is refused."""
    data = damage(json.dumps(_document("/t")).encode())
    with pytest.raises(error, match=because):
        _opened(tmp_path, data, limits=Limits(metadata_size=50_000))


def _with_wrong_sum(member: bytes) -> bytes:
    """Return a gzip member with a wrong checksum."""
    return member[:-8] + bytes([member[-8] ^ 1]) + member[-7:]


@pytest.mark.parametrize("stored", [bytes, gzip.compress])
def test_metadata_as_large_as_the_limit_is_read(
    tmp_path: Path, stored: Callable[[bytes], bytes]
) -> None:
    """The limit applies to the decompressed document."""
    data = json.dumps(_document("/t")).encode()
    wanted = json.loads(data)
    limits = Limits(metadata_size=50_000)
    assert _opened(tmp_path, stored(data.ljust(50_000)), limits=limits).metadata.to_json() == wanted


def test_gzip_data_of_several_members_is_one_document(tmp_path: Path) -> None:
    """Metadata in several gzip members, with zeros after the last, is one document."""
    data = json.dumps(_document("/t")).encode()
    split = gzip.compress(data[:100]) + gzip.compress(data[100:]) + bytes(8)
    assert _opened(tmp_path, split).metadata.to_json() == json.loads(data)


@pytest.mark.parametrize(
    ("asked", "snapshot_id"),
    [
        ({}, 2),
        ({"snapshot": 1}, 1),
        ({"as_of": 1_000_000}, 1),
        ({"as_of": 1_999_999}, 1),
        ({"as_of": 2_000_000}, 2),
        ({"as_of": "1970-01-01T00:33:19.999"}, 1),
        ({"as_of": "1970-01-01T01:33:20+01:00"}, 2),
        ({"as_of": "1970-01-02"}, 2),
        ({"as_of": datetime(1970, 1, 1, 0, 33, 20, tzinfo=UTC)}, 2),
        ({"as_of": datetime(1970, 1, 1, 0, 33, 19)}, 1),  # noqa: DTZ001  the claim: UTC
        ({"ref": "main"}, 2),
        ({"ref": "old"}, 1),
        ({"ref": "first"}, 1),
    ],
)
def test_snapshots_are_found_by_id_time_branch_and_tag(
    tmp_path: Path, asked: dict[str, Any], snapshot_id: int
) -> None:
    """A snapshot is found by id, branch and tag, and by any time at which it was current."""
    found = _opened(tmp_path, _document("/t")).snapshot_for(**asked)
    assert found is not None
    assert found.snapshot_id == snapshot_id


@pytest.mark.parametrize(
    "asked",
    [
        {"snapshot": 3},
        {"as_of": 999_999},
        {"as_of": "yesterday"},
        {"as_of": 1.5},
        {"ref": "no"},
        {"ref": "old", "snapshot": 1},
    ],
)
def test_snapshots_that_are_not_there_are_errors(tmp_path: Path, asked: dict[str, Any]) -> None:
    """An unknown id or name, a time before the first snapshot, and two choices are errors."""
    with pytest.raises(FormatError, match=r": (snapshot|moment|branch or tag)"):
        _opened(tmp_path, _document("/t")).snapshot_for(**asked)


@pytest.mark.parametrize(
    ("asked", "columns"),
    [
        ({}, ["a", "b"]),
        ({"snapshot": 1}, ["a"]),
        ({"as_of": 1_500_000}, ["a"]),
        ({"ref": "first"}, ["a"]),
        ({"ref": "old"}, ["a", "b"]),
    ],
)
def test_old_snapshots_are_read_with_their_schema(
    tmp_path: Path, asked: dict[str, Any], columns: list[str]
) -> None:
    """Snapshots and tags are read with the schema of their time, branches with the table's."""
    table = _opened(tmp_path, _document("/t"))
    assert [each.name for each in table.scan(**asked).schema.fields] == columns


def test_moments_before_the_first_snapshot_are_reported_as_they_were_asked(
    tmp_path: Path,
) -> None:
    """An error about a time before the first snapshot shows both times as dates."""
    with pytest.raises(FormatError, match=r"as of 1970-01-01T00:00:05.*wanted 1970-01-01T00:16:40"):
        _opened(tmp_path, _document("/t")).snapshot_for(as_of=5_000)


@pytest.mark.parametrize(
    "asked",
    [
        {"filter": 3},
        {"filter": col("a")},
        {"columns": "ab"},
        {"columns": [3]},
        {"limit": -1},
        {"limit": "3"},
    ],
)
def test_scans_refuse_what_is_no_filter_and_no_list(tmp_path: Path, asked: dict[str, Any]) -> None:
    """A scan refuses a column as a filter, a text as a list of names, and an id as a name."""
    table = _opened(tmp_path, _document("/t"))
    with pytest.raises(FormatError, match=f"{next(iter(asked))}: found"):
        table.scan(**asked)


def test_scans_are_narrowed_by_text_and_by_expressions(tmp_path: Path) -> None:
    """Filters may be text, which is parsed, or expressions."""
    scan = _opened(tmp_path, _document("/t")).scan()
    assert scan.where("a > 3").filter == scan.where(col("a") > 3).filter == (col("a") > 3)
    with pytest.raises(TypeError, match="unsupported operand"):
        (col("a") > 3) & "a < 5"  # type: ignore[operator]
    with pytest.raises(FormatError, match="columns: found"):
        scan.select(["a"])  # type: ignore[arg-type]


def test_unknown_keys_survive_a_round_trip(tmp_path: Path) -> None:
    """Unknown keys of metadata are written back, at every level."""
    document = _document("/t", unheard={"of": [1, 2]})
    document["snapshots"][0]["also"] = "this"
    document["refs"]["first"]["and"] = None
    assert _opened(tmp_path, document).metadata.to_json() == document


def test_catalog_entries_open_tables(tmp_path: Path) -> None:
    """An entry of an SQL catalog opens its table, and the catalog is not changed."""
    metadata = str(_write(tmp_path, "00001-a.metadata.json"))
    place = tmp_path / "cat.db"
    sql_catalog(
        place, ("c", "db", "t", metadata), ("c", "db", "none", None), ("c", "n.m", "t", metadata)
    )
    before = place.read_bytes()
    assert open_table(f"sqlite:///{place}#db.t").metadata_location == metadata
    assert open_table(f"sqlite:///{place}?catalog=c#n.m.t").metadata_location == metadata
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    ("tail", "says"),
    [
        ("#db.u", "there is db.none, db.t, db.v"),
        ("#db.none", "no table"),
        ("#t", "wanted #namespace.table"),
        ("", "wanted #namespace.table"),
        ("?catalog=other#db.v", "no table db.v in a catalog other; there is c, d"),
        ("#db.v", "say \\?catalog=NAME"),
    ],
)
def test_catalogs_without_the_table_say_what_they_have(
    tmp_path: Path, tail: str, says: str
) -> None:
    """An unknown, incomplete or ambiguous name is an error that lists the tables there."""
    place = tmp_path / "cat.db"
    rows = [("c", "db", "t", "/m"), ("c", "db", "none", None), ("c", "db", "v", "/m")]
    sql_catalog(place, *rows, ("d", "db", "v", "/m"))
    with pytest.raises(StorageError, match=says):
        open_table(f"sqlite:///{place}{tail}")


def test_files_that_are_no_catalogs_are_refused(tmp_path: Path) -> None:
    """A missing file, one that is not SQLite, and one without the catalog's table are refused."""
    with pytest.raises(StorageError, match="no file"):
        open_table(f"sqlite:///{tmp_path}/none.db#db.t")
    place = tmp_path / "text.db"
    place.write_text("text, and rather more of it than a header has")
    with pytest.raises(StorageError, match="no catalog"):
        open_table(f"sqlite:///{place}#db.t")


def test_tables_of_pyiceberg_open(tmp_path: Path) -> None:
    """A table of pyiceberg, and whatever else knows its metadata file, can be opened."""
    metadata = str(_write(tmp_path, "00001-a.metadata.json"))
    assert open_table(StaticTable.from_metadata(metadata)).metadata_location == metadata


def test_metadata_tables_of_an_empty_table_have_no_rows(tmp_path: Path) -> None:
    """A table without snapshots has all metadata tables, with their columns."""
    empty: dict[str, Any] = {
        "current-snapshot-id": None,
        "snapshots": [],
        "snapshot-log": [],
        "refs": {},
    }
    table = open_table(_write(tmp_path, "v1.metadata.json", **empty))
    for kind in metadata_table_kinds(table):
        found = table.metadata_table(kind)
        assert found.num_rows == (kind == "metadata_log_entries"), kind
        assert found.num_columns > 3


def test_metadata_tables_show_history_and_refs(tmp_path: Path) -> None:
    """Metadata tables have the history, refs and metadata files that Java reports."""
    table = _opened(tmp_path, _document("/t"))
    history = table.metadata_table("history")
    assert history.column("parent_id").to_pylist() == [None, 1]
    assert history.column("is_current_ancestor").to_pylist() == [True, True]
    refs = table.metadata_table("refs").to_pylist()
    assert [(each["name"], each["type"], each["max_reference_age_in_ms"]) for each in refs] == [
        ("main", "BRANCH", None),
        ("old", "BRANCH", None),
        ("first", "TAG", 7),
    ]
    log = table.metadata_table("metadata_log_entries").to_pylist()
    assert [each["latest_sequence_number"] for each in log] == [2]


def test_metadata_tables_of_all_snapshots_take_no_snapshot(tmp_path: Path) -> None:
    """Tables about all snapshots take no snapshot."""
    table = _opened(tmp_path, _document("/t"))
    with pytest.raises(FormatError, match="one of manifests"):
        table.metadata_table("all_files", snapshot=1)


def test_moments_beyond_any_calendar_are_refused(tmp_path: Path) -> None:
    """A time beyond 64 bits of microseconds is an error with its column."""
    document = _document("/t", **{"snapshot-log": [{"timestamp-ms": 1 << 62, "snapshot-id": 2}]})
    table = _opened(tmp_path, document)
    with pytest.raises(FormatError, match="made_current_at"):
        table.metadata_table("history")


@pytest.mark.parametrize(
    ("written", "found", "is_moved"),
    [
        ("s3a://b/t", "s3://b/t", False),
        ("s3://b/t/", "s3n://b/t", False),
        ("s3a://b/t", "s3://c/t", True),
        ("s3a://b/t", "s3://b/u", True),
        ("s3a://b/t", "/t", True),
    ],
)
def test_schemes_of_one_store_are_one_place(
    tmp_path: Path, written: str, found: str, is_moved: bool
) -> None:
    """A table that was written by s3a is not moved when it is opened by s3."""
    names = [f"{written.rstrip('/')}/metadata/snap-1.avro"]
    relocation = _opened(tmp_path, _document("/t")).relocation
    moved = relocation.found_at(written, found, names).moved()
    assert (moved is not None) == is_moved


@pytest.mark.parametrize(
    ("key", "value", "said"),
    rows("iceberg/metadata", "ids_that_contradict_each_other_are_refused"),
)
def test_ids_that_contradict_each_other_are_refused(
    tmp_path: Path, key: str, value: Any, said: str
) -> None:
    """A partition spec with two fields of one id, and an order that is not there, are refused."""
    with pytest.raises(FormatError, match=f": {said}$"):
        _opened(tmp_path, _document("/t", **{key: value}))
