"""An audit finds damaged data files, and where a Hudi table's indexes and its data disagree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from fsspec.implementations.local import LocalFileSystem
from tests.support import hudi_indexed as parts
from tests.support.cli import byteloom
from tests.support.hudi_indexed import BLOOM_KEY, FILE, KEYS, PARTITION, STATS_KEY, Indexed, made

from byteloom import hudi
from byteloom.hudi import Audit, MetadataTable, audit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_an_audit_of_a_true_table_finds_nothing(root: Path) -> None:
    """An audit of a true table finds nothing, and counts what it compared."""
    result = audit(MetadataTable.open(root))
    assert result.is_clean
    assert not result.skipped
    assert result.compared == {
        "bloom_filters": 6,
        "column_stats": 2,
        "files": 1,
        "record_index": 6,
        "secondary_index_idx_rider": 6,
    }


def forget_a_record(table: Indexed) -> None:
    """Remove a key from the index."""
    del table.rows["record_index"]["key-2"]


def move_a_record(table: Indexed) -> None:
    """Let the index refer to another file group."""
    table.rows["record_index"]["key-2"] = parts.place(fileIndex=9)


def keep_a_record(table: Indexed) -> None:
    """Add a key to the index that the data does not have."""
    table.rows["record_index"]["gone"] = parts.place()


def narrow_a_bound(table: Indexed) -> None:
    """Lower the maximum of a column below its greatest value."""
    bound = ("DoubleWrapper", {"value": 6.0})
    table.rows["column_stats"][STATS_KEY] = parts.statistics("fare", maxValue=bound)


def miscount_nulls(table: Indexed) -> None:
    """Add one to the count of nulls."""
    table.rows["column_stats"][STATS_KEY] = parts.statistics("fare", nullCount=2)


def forget_statistics(table: Indexed) -> None:
    """Remove the statistics of a file."""
    other = hudi.keys.column_stats_key("fare", PARTITION, "other.parquet")
    table.rows["column_stats"] = {other: parts.statistics("fare", fileName="other.parquet")}


def deny_a_key(table: Indexed) -> None:
    """Build the Bloom filter without one of its keys."""
    table.rows["bloom_filters"][BLOOM_KEY] = parts.bloom(KEYS[1:])


def forget_a_filter(table: Indexed) -> None:
    """Remove the Bloom filter of the file."""
    table.rows["bloom_filters"] = {"AAAA": parts.bloom(KEYS)}


def list_another_size(table: Indexed) -> None:
    """List the file with another size."""
    table.rows["files"][PARTITION] = parts.listing({FILE: 1}, 2)


def list_another_file(table: Indexed) -> None:
    """List a file that does not exist instead of the one that does."""
    table.rows["files"][PARTITION] = parts.listing({"x-0_0-1-2_20261121070120991.parquet": 1}, 2)


def mistake_a_value(table: Indexed) -> None:
    """Give a record another value in the secondary index."""
    rows = table.rows["secondary_index_idx_rider"]
    rows[hudi.keys.secondary_key("z", "key-2")] = rows.pop(hudi.keys.secondary_key(None, "key-2"))


CHANGES: list[tuple[Callable[[Indexed], None], str, list[str]]] = [
    (forget_a_record, "record_index", ["missing p0/key-2"]),
    (move_a_record, "record_index", ["wrong p0/key-2"]),
    (keep_a_record, "record_index", ["stale p0/gone"]),
    (narrow_a_bound, "column_stats", ["wrong p0/" + FILE + ": max of fare"]),
    (miscount_nulls, "column_stats", ["wrong p0/" + FILE + ": null_count of fare"]),
    (forget_statistics, "column_stats", ["missing p0/" + FILE]),
    (deny_a_key, "bloom_filters", ["wrong p0/" + FILE + ": key-0"]),
    (forget_a_filter, "bloom_filters", ["missing p0/" + FILE]),
    (list_another_size, "files", ["wrong p0/" + FILE]),
    (list_another_file, "files", ["missing p0/" + FILE, "stale p0/x-0"]),
    (mistake_a_value, "secondary_index_idx_rider", ["missing key-2", "stale key-2"]),
]


@pytest.mark.parametrize(("change", "index", "wanted"), CHANGES)
def test_an_audit_finds_what_was_changed(
    tmp_path: Path, change: Callable[[Indexed], None], index: str, wanted: list[str]
) -> None:
    """An audit finds the one entry that was changed, and names its index."""
    given = made()
    change(given)
    result = audit(MetadataTable.open(given.write(tmp_path)))
    reported = sorted(str(each) for each in result.findings)
    assert len(reported) == len(wanted)
    for line, start in zip(reported, wanted, strict=True):
        assert line.startswith(f"{index}: {start}")


@pytest.mark.parametrize("damaged", ["data", "index"])
def test_damage_is_reported_and_hides_nothing(root: Path, damaged: str) -> None:
    """An audit names a data file or index that cannot be read, and compares the others."""
    (index,) = (root / ".hoodie/metadata/record_index").glob("*.hfile")
    path = root / PARTITION / FILE if damaged == "data" else index
    path.write_bytes(path.read_bytes()[:-50])
    result = audit(MetadataTable.open(root))
    kinds = [(each.index, each.kind, each.subject) for each in result.findings]
    assert (("data", "damaged", FILE) in kinds) == (damaged == "data")
    assert any(each.index == "record_index" for each in result.skipped) == (damaged == "index")
    assert not result.is_clean
    assert result.errors == (damaged == "index")
    assert result.compared["files"] == 1


def overwrite(path: Path) -> None:
    """Overwrite the first pages of a Parquet file, at the same size."""
    raw = path.read_bytes()
    path.write_bytes(raw[:4] + b"\xff" * 60 + raw[64:])


def test_damage_of_a_data_file_is_one_finding(root: Path) -> None:
    """A data file overwritten at its size is one finding, though four indexes are compared with it.

    What needs its records is listed as not compared.
    """
    overwrite(root / PARTITION / FILE)
    result = audit(MetadataTable.open(root))
    (finding,) = result.findings
    assert str(finding) == (
        f"data: damaged {PARTITION}/{FILE}: row_groups[0].columns[0] at byte 4 (0x4):"
        " found a damaged page header, wanted type and sizes of a page"
    )
    assert not result.is_clean
    assert result.unread == {f"{PARTITION}/{FILE}"}
    reason = "secondary_index_idx_rider: not compared: the index: 1 file group could not be read"
    assert [str(each) for each in result.skipped] == [reason]
    assert result.compared["record_index"] == 0


def test_a_damaged_data_file_ends_the_command_with_status_1(root: Path) -> None:
    """`hudi verify` prints a damaged file once, counts it on stderr, and ends with status 1."""
    overwrite(root / PARTITION / FILE)
    found = byteloom("hudi", "verify", root)
    assert found.status == 1
    assert found.out.count(FILE) == 1
    assert found.out.startswith(f"data: damaged {PARTITION}/{FILE}: ")
    assert found.err.splitlines()[-1] == "data: the records of 1 file were not compared"
    listed = byteloom("hudi", "verify", root, "--json").out.splitlines()
    assert json.loads(listed[-1])["unread_files"] == 1


class Failing(LocalFileSystem):  # type: ignore[misc]
    """A store that lists its Parquet files, and fails to open them."""

    protocol = "failing"

    def _open(self, path: str, *args: Any, **named: Any) -> Any:
        if path.endswith(".parquet"):
            raise OSError(5, "Input/output error", path)
        return super()._open(path, *args, **named)


def test_a_data_file_that_cannot_be_opened_is_a_finding(root: Path) -> None:
    """A data file that its store lists, but cannot open, is one finding."""
    result = audit(MetadataTable.open(str(root), filesystem=Failing()))
    (finding,) = result.findings
    assert (finding.index, finding.kind, finding.subject) == ("data", "damaged", FILE)
    assert "Input/output error" in str(finding)
    assert str(finding).count(f"{PARTITION}/{FILE}: ") == 1


def test_what_is_not_supported_is_named_once(tmp_path: Path) -> None:
    """A file without Hudi's columns is not compared, and the line names its path once."""
    given = made()
    given.data = {name: values for name, values in given.data.items() if name != "key"}
    size = len(parts.parquet(given.data))
    given.rows["files"][PARTITION] = parts.listing({FILE: size}, 2)
    result = audit(MetadataTable.open(given.write(tmp_path)), ["files", "column_stats"])
    assert result.is_clean
    (line,) = map(str, result.skipped)
    assert line == (
        f"column_stats: not compared: {PARTITION}/{FILE}: _hoodie_record_key:"
        " found no such column, wanted files with Hudi's own columns"
    )
    assert result.unread == {f"{PARTITION}/{FILE}"}


def test_a_secondary_index_without_a_column_is_not_compared(root: Path) -> None:
    """An audit skips a secondary index without source fields, and compares the others."""
    place = root / ".hoodie/.index_defs/index.json"
    definitions = json.loads(place.read_text())
    definitions["indexDefinitions"]["secondary_index_idx_rider"]["sourceFields"] = []
    place.write_text(json.dumps(definitions))
    found = audit(MetadataTable.open(root))
    assert [each.index for each in found.skipped] == ["secondary_index_idx_rider"]
    assert found.compared["record_index"] == len(KEYS)


def test_the_command_line_verifies(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """`hudi verify` returns 0 for a true table, else 1 and one line for each finding."""
    clean = byteloom("hudi", "verify", root)
    assert (clean.status, clean.out) == (0, "")
    assert "record_index: 6 compared, 0 disagree" in clean.err
    given = made()
    forget_a_record(given)
    other = given.write(tmp_path_factory.mktemp("other"))
    wrong = byteloom("hudi", "verify", other, "--index", "record_index", "--json")
    finding, compared = map(json.loads, wrong.out.splitlines())
    assert wrong.status == 1
    assert finding["finding"]["kind"] == "missing"
    assert compared == {"compared": {"record_index": 6}, "unread_files": 0}


def test_an_audit_of_nothing_is_clean() -> None:
    """An empty audit is clean; one with an error or a finding is not."""
    assert (Audit().is_clean, Audit().errors) == (True, 0)
    assert not Audit(errors=1).is_clean
    found: Any = object()
    assert not Audit(findings=[found]).is_clean
