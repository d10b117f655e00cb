"""What lookups in a Hudi table's indexes return, and how commands show it."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support import hudi_indexed as parts
from tests.support.cli import byteloom
from tests.support.hudi_indexed import BLOOM_KEY, FILE, FILE_ID, KEYS, PARTITION, STATS_KEY, made
from tests.support.hudi_records import SCHEMA_TEXT, value_of

from byteloom import hudi
from byteloom.errors import ByteloomError, FormatError
from byteloom.hudi import MetadataTable, Rows, audit
from byteloom.hudi.records import _file_ids
from byteloom.hudi.statistics import statistics

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def table(root: Path) -> MetadataTable:
    """Open the table whose indexes are all true."""
    return MetadataTable.open(root)


def test_records_are_found_by_their_keys(table: MetadataTable) -> None:
    """Records are found in the order of the keys, each once; unknown keys are left out."""
    found = table.record_index(["key-3", "none", "key-0", "key-3"]).to_pylist()
    assert [row["key"] for row in found] == ["key-3", "key-0"]
    assert found[0] == {
        "key": "key-3",
        "partition": PARTITION,
        "file_id": FILE_ID,
        "instant": "20261121070120991",
        "position": None,
    }
    assert table.record_index()["key"].to_pylist() == KEYS
    assert not len(table.record_index([]))


def test_a_record_index_is_asked_for_one_partition(table: MetadataTable) -> None:
    """A lookup in the record index may be restricted to a partition, with or without keys."""
    rows = table.record_index().to_pylist()
    (partition,) = {row["partition"] for row in rows}
    for asked in (None, KEYS):
        assert table.record_index(asked, partition=partition).to_pylist() == rows
        assert not len(table.record_index(asked, partition="elsewhere"))


def file_ids(*numbers: int) -> list[str]:
    """Return file group names of one UUID and these numbers, stored in a schema of longs."""
    row = {"fileIdEncoding": 0, "fileIdHighBits": 0, "fileIdLowBits": 255}
    found = _file_ids(pa.array([{**row, "fileIndex": each} for each in numbers]))
    return [str(each) for each in found.to_pylist()]


@pytest.mark.parametrize("rows", [1, 20_000])
def test_the_number_of_a_file_group_has_32_bits(rows: int) -> None:
    """A file group's number has 32 bits, of any sign; -1 means none, and others are refused."""
    uuid = "00000000-0000-0000-0000-0000000000ff"
    numbers = [0, 9, 10, 99, -2, -10, (1 << 31) - 1, -1 << 31]
    assert file_ids(*numbers * rows) == [f"{uuid}-{each}" for each in numbers] * rows
    assert file_ids(-1) == [uuid]
    for wrong in (1 << 31, (-1 << 31) - 1, -1 << 63):
        with pytest.raises(FormatError, match=rf"fileIndex: found {wrong}, wanted 32 bits$"):
            file_ids(*[0] * rows, wrong)


@pytest.mark.parametrize(
    ("stored", "file_id"),
    [
        ({"fileIndex": -1}, FILE_ID.removesuffix("-0")),
        ({"fileIndex": 1_000_000}, FILE_ID[:-1] + "1000000"),
        ({"fileIdEncoding": 1, "fileId": "any text"}, "any text"),
        ({"fileIdHighBits": -1, "fileIdLowBits": 0}, "ffffffff-ffff-ffff-0000-000000000000-0"),
    ],
    ids=["no number", "a large number", "text", "a sign"],
)
def test_file_groups_have_their_names(tmp_path: Path, stored: dict[str, Any], file_id: str) -> None:
    """A file group's name is stored as three integers or as text, and both may be mixed."""
    given = made()
    given.rows["record_index"]["key-1"] = parts.place(**stored, position=7)
    found = MetadataTable.open(given.write(tmp_path)).record_index(["key-0", "key-1"]).to_pylist()
    assert [row["file_id"] for row in found] == [FILE_ID, file_id]
    assert [row["position"] for row in found] == [None, 7]


@pytest.mark.parametrize(
    "stored",
    [
        {"fileIdEncoding": 2},
        {"fileIdHighBits": None},
        {"partitionName": None},
        {"fileIdEncoding": 1, "fileId": None},
        {"instantTime": -1},
    ],
    ids=str,
)
def test_places_that_name_no_file_group_are_refused(tmp_path: Path, stored: dict[str, Any]) -> None:
    """A location with an unknown encoding, or with a null part, is refused."""
    given = made()
    given.rows["record_index"]["key-1"] = parts.place(**stored)
    table = MetadataTable.open(given.write(tmp_path))
    with pytest.raises(FormatError, match="recordIndexMetadata"):
        table.record_index()


def test_statistics_have_the_type_of_their_column(table: MetadataTable) -> None:
    """Bounds have the type of their column; a lookup may name columns and files."""
    found = table.column_stats()
    assert {name: each["min"].type for name, each in found.items()} == {
        "fare": pa.float64(),
        "rider": pa.string(),
    }
    (row,) = found["fare"].to_pylist()
    assert row["partition"] == PARTITION
    assert row["file"] == FILE
    assert (row["min"], row["max"], row["value_count"], row["null_count"]) == (1.5, 6.5, 6, 1)
    assert table.column_stats(["fare"], partition=PARTITION, files=[FILE]) == {
        "fare": found["fare"]
    }
    assert not len(table.column_stats(["fare"], partition="elsewhere")["fare"])
    with pytest.raises(FormatError, match="both, with files"):
        table.column_stats(["fare"], files=[FILE])


def test_statistics_of_older_releases_are_not_tight() -> None:
    """Bounds that a release stored before it knew tight ones are not tight, as Hudi reads them."""
    schema = json.loads(SCHEMA_TEXT)
    (of_statistics,) = (each for each in schema["fields"] if each["name"] == "ColumnStatsMetadata")
    fields = of_statistics["type"][1]["fields"]
    fields[:] = [each for each in fields if each["name"] != "isTightBound"]
    whole: Any = fastavro.schemaless_reader(
        io.BytesIO(parts.statistics("fare")), fastavro.parse_schema(json.loads(SCHEMA_TEXT)), None
    )
    out = io.BytesIO()
    del whole["ColumnStatsMetadata"]["isTightBound"]
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), whole)
    rows = [
        Rows(pa.array([STATS_KEY.encode()]), pa.array([value]), text)
        for value, text in (
            (out.getvalue(), json.dumps(schema)),
            (parts.statistics("fare"), SCHEMA_TEXT),
        )
    ]
    found = statistics(rows, [PARTITION])["fare"]
    assert found["is_tight_bound"].to_pylist() == [False, True]


@pytest.mark.parametrize("text", [None, ""])
def test_a_table_whose_definitions_are_gone(root: Path, text: str | None) -> None:
    """Indexes are read without their definitions; ids of file groups name their partitions."""
    place = root / ".hoodie/.index_defs/index.json"
    place.unlink() if text is None else place.write_text(text)
    table = MetadataTable.open(root)
    assert not table.is_record_index_partitioned
    assert table.record_index(["key-3"])["partition"].to_pylist() == [PARTITION]
    assert table.secondary_index("idx_rider", ["b$"])["key"].to_pylist() == ["key-1", "key-5"]
    folder = root / ".hoodie/metadata/record_index"
    (file,) = folder.glob("*.hfile")
    file.rename(folder / file.name.replace("index-0000", f"index-{PARTITION}-0000"))
    table = MetadataTable.open(root)
    assert table.is_record_index_partitioned
    found = table.record_index(["key-3"], partition=PARTITION)
    assert found["file_id"].to_pylist() == [FILE_ID]


def test_values_lead_to_records(table: MetadataTable) -> None:
    """A secondary index, by its short or full name, returns the records of each value."""
    for name in ("idx_rider", "secondary_index_idx_rider"):
        found = table.secondary_index(name, ["b$", None, "nobody"]).to_pylist()
        pairs = sorted((row["key"], row["value"]) for row in found)
        assert pairs == [("key-1", "b$"), ("key-2", None), ("key-5", "b$")]


def test_bloom_filters_are_asked_for_keys(table: MetadataTable) -> None:
    """Bloom filters are found by partition and file; a file without one is left out."""
    found = table.bloom_filters(PARTITION, [FILE, "none.parquet"])
    assert list(found) == [FILE]
    assert found[FILE].might_contain([b"key-0", b"absent"]).tolist() == [True, False]


def test_an_index_that_is_not_there_is_refused(table: MetadataTable) -> None:
    """An index that the table lacks is refused; the error lists those that exist."""
    with pytest.raises(FormatError, match="partition_stats"):
        table.partition_stats()
    with pytest.raises(FormatError, match="wanted one of bloom_filters"):
        audit(table, ["partition_stats"])


@pytest.mark.parametrize("name", ["stats", "files", "lookup", "verify"])
def test_what_is_no_table_is_refused_in_a_line(tmp_path: Path, name: str) -> None:
    """Every command reports a folder that is not a Hudi table in one line."""
    outcome = byteloom("hudi", name, tmp_path, *(["key"] if name == "lookup" else []))
    assert outcome.status == 1
    assert outcome.err.count("\n") == 1
    found = "found no .hoodie/hoodie.properties, wanted the folder of a Hudi table"
    assert outcome.err.startswith(f"byteloom: {tmp_path}: {found}")


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("metadata/v1.metadata.json", "; it is an Iceberg table, whose rows `byteloom table scan "),
        ("_versions/1.manifest", "; it is a Lance dataset, whose rows `byteloom lance cat "),
        ("metadata/v1.json", "wanted the folder of a Hudi table, or its metadata table\n"),
    ],
)
def test_a_table_of_another_format_is_named_with_its_command(
    tmp_path: Path, inside: str, said: str
) -> None:
    """The error for a table of another format has the command for it."""
    (tmp_path / inside).parent.mkdir()
    (tmp_path / inside).touch()
    assert said in byteloom("hudi", "files", tmp_path).err


def test_the_command_line_shows_files_and_statistics(root: Path) -> None:
    """Files and statistics are shown as a table, as CSV or as lines of JSON."""
    size = (root / PARTITION / FILE).stat().st_size
    listed = byteloom("hudi", "files", root, "--format", "csv").out
    assert listed == f"partition,file,size\n{PARTITION},{FILE},{size}\n"
    shown = byteloom("hudi", "stats", root, "--columns", "fare", "--format", "json").out
    assert json.loads(shown) == {
        "column": "fare", "partition": PARTITION, "file": FILE, "min": "1.5", "max": "6.5",
        "value_count": 6, "null_count": 1,
    }  # fmt: skip
    assert byteloom("hudi", "files", root).out.splitlines()[0].split() == [
        "partition", "file", "size",
    ]  # fmt: skip


def test_the_command_line_hands_out_parquet(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Results are written as Parquet to a file or stdout, and never inside the table."""
    tmp_path = tmp_path_factory.mktemp("out")
    out = tmp_path / "stats.parquet"
    outcome = byteloom("hudi", "stats", root, "-c", "fare", "--format", "parquet", "-o", out)
    assert (outcome.status, outcome.out) == (0, f"1 row, {out.stat().st_size:,} bytes\n")
    shown = byteloom("hudi", "stats", root, "-c", "fare", "--format", "json").out
    assert pq.read_table(out).to_pylist() == [json.loads(shown)]
    assert byteloom("hudi", "stats", root, "-o", tmp_path / "stats").status == 2
    for command in (["files"], ["stats"], ["lookup", "key-1"]):
        inside = byteloom("hudi", command[0], root, *command[1:], "-o", root / "x.csv")
        assert inside.status == 1
        assert f"{root}/x.csv: it would be inside {root}, which the command reads" in inside.err


def test_the_command_line_looks_up_keys_and_values(root: Path) -> None:
    """A lookup reports keys that do not exist on stderr and by its exit status."""
    found = byteloom("hudi", "lookup", root, "key-1", "none", "--format", "json")
    assert json.loads(found.out)["file_id"] == FILE_ID
    assert (found.status, found.err) == (1, f"byteloom: {root}: not in the index: none\n")
    found = byteloom("hudi", "lookup", root, "a", "--index", "idx_rider", "--format", "csv")
    assert (found.status, found.out) == (0, "value,key\na,key-0\na,key-3\n")


def test_bytes_of_an_index_changed_anywhere_are_no_other_error(root: Path) -> None:
    """A changed byte of a base file gives the right answer or a ByteloomError."""
    (path,) = (root / ".hoodie/metadata/record_index").glob("*.hfile")
    sound = path.read_bytes()
    for at in range(0, len(sound), 41):
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 0x55]) + sound[at + 1 :])
        try:
            found = MetadataTable.open(root).record_index(["key-0"])
        except ByteloomError:
            continue
        assert found["key"].to_pylist() == ["key-0"]


@pytest.mark.parametrize(
    ("command", "option", "missing"),
    [
        ("stats", "--columns", "column nope, wanted a column of the schema"),
        ("stats", "--partition", "partition nope"),
        ("files", "--partition", "partition nope"),
    ],
)
def test_a_misspelt_name_is_an_error(root: Path, command: str, option: str, missing: str) -> None:
    """A column or partition that does not exist is an error, not an empty answer."""
    done = byteloom("hudi", command, root, option, "nope")
    assert done.status == 1
    assert f"byteloom: {root}: nothing is known of {missing}" in done.err


def test_statistics_are_listed_by_column_partition_and_file(root: Path) -> None:
    """Statistics are sorted by column, partition and file, not by the hashes of their keys."""
    shown = byteloom("hudi", "stats", root, "--format", "csv").out.splitlines()[1:]
    listed = [line.split(",")[:3] for line in shown]
    assert listed == sorted(listed)
    assert listed


class TestDeleted:
    """Entries marked as deleted in a base file are absent, even if no log follows it."""

    @staticmethod
    def opened(place: Path, index: str, key: str, value: bytes) -> MetadataTable:
        """Open a table in which one entry is replaced."""
        given = made()
        given.rows[index][key] = value
        return MetadataTable.open(given.write(place))

    def test_statistics(self, tmp_path: Path) -> None:
        """A column whose only statistics are deleted has none; another column keeps its own."""
        deleted = parts.statistics("fare", isDeleted=True)
        found = self.opened(tmp_path, "column_stats", STATS_KEY, deleted).column_stats()
        assert set(found) == set(parts.COLUMNS) - {"fare"}

    def test_bloom_filters(self, tmp_path: Path) -> None:
        """A deleted Bloom filter is not returned."""
        deleted = parts.bloom(KEYS, deleted=True)
        table = self.opened(tmp_path, "bloom_filters", BLOOM_KEY, deleted)
        assert table.bloom_filters(PARTITION, [FILE]) == {}

    def test_secondary_keys(self, tmp_path: Path) -> None:
        """A deleted secondary key is found neither by its value nor in the whole index."""
        riders = dict(zip(KEYS, parts.COLUMNS["rider"], strict=True))
        gone = KEYS[1]
        place = hudi.keys.secondary_key(riders[gone], gone)
        deleted = value_of(type=7, SecondaryIndexMetadata={"isDeleted": True})
        table = self.opened(tmp_path, "secondary_index_idx_rider", place, deleted)
        assert sorted(table.secondary_index("idx_rider")["key"].to_pylist()) == sorted(
            set(KEYS) - {gone}
        )
        asked = table.secondary_index("idx_rider", [riders[gone]])["key"].to_pylist()
        assert sorted(asked) == [
            key for key in sorted(KEYS) if riders[key] == riders[gone] and key != gone
        ]

    def test_files_and_partitions(self, tmp_path: Path) -> None:
        """Deleted files and partitions are not listed; the others are."""
        files = parts.listing({FILE: 5, "gone.parquet": 6}, 2, deleted=["gone.parquet"])
        table = self.opened(tmp_path / "files", "files", PARTITION, files)
        assert table.files(PARTITION) == {FILE: 5}
        partitions = parts.listing({PARTITION: 0, "gone": 0}, 1, deleted=["gone"])
        table = self.opened(tmp_path / "partitions", "files", hudi.keys.ALL_PARTITIONS, partitions)
        assert table.partition_paths() == [PARTITION]
