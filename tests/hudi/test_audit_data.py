"""An audit reads all data files of a Hudi table: damage anywhere in them is a finding."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.local import LocalFileSystem
from tests.support.cli import byteloom
from tests.support.hudi_indexed import COLUMNS, FILE, KEYS, PARTITION, Indexed, listing, made
from tests.support.hudi_indexed import parquet as parquet_of
from tests.support.hudi_logs import COMMAND, DELETES, INSTANT, PARQUET, ROWS, avro_block
from tests.support.hudi_tables import HudiTable, hfile_of

from byteloom.hudi import MetadataTable, audit
from byteloom_generated.hfile.hudi_log import HeaderKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OTHERS: Final[dict[str, list[Any]]] = {
    "number": [1, 2, None, 4, 5, 6],
    "text": ["x", "y", None, "z", "", "y"],
    "list": [[1], [], None, [2, 3], [4], [5]],
    "struct": [{"a": 1, "b": each} for each in KEYS],
}
"""Columns that no index describes."""

TIME: Final = INSTANT[HeaderKey.INSTANT_TIME]
LOG: Final = f".af8108ef-1b07-447d-813e-14be9cf771b6-0_{TIME}.log.1_0-3-4"
TORN: Final = ROWS[:-20]
"""What a writer leaves that dies while it writes."""


def wide() -> Indexed:
    """Return a table of whose columns some are in no index."""
    table = made()
    table.data = {**table.data, **OTHERS}
    table.rows["files"][PARTITION] = listing({FILE: len(parquet_of(table.data))}, 2)
    return table


def leaves() -> list[tuple[str, int]]:
    """Return each column of the data file, with a place among its values."""
    group = pq.ParquetFile(io.BytesIO(parquet_of(wide().data))).metadata.row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    starts = [each.dictionary_page_offset or each.data_page_offset for each in columns]
    return [
        (each.path_in_schema, start + each.total_compressed_size - 1)
        for each, start in zip(columns, starts, strict=True)
    ]


def damage(file: Path, at: int) -> None:
    """Flip a bit."""
    raw = bytearray(file.read_bytes())
    raw[at] ^= 1
    file.write_bytes(raw)


def found(root: Path, *, rows: bool = True) -> list[str]:
    """Return the kind and the subject of each finding."""
    table = MetadataTable.open(root)
    return [f"{each.kind} {each.subject}" for each in audit(table, rows=rows).findings]


@pytest.mark.parametrize(("column", "at"), leaves())
def test_damage_in_any_column_is_one_finding(tmp_path: Path, column: str, at: int) -> None:
    """A flipped bit in any column of a base file is one finding, about the file."""
    root = wide().write(tmp_path)
    assert found(root) == []
    damage(root / PARTITION / FILE, at)
    assert found(root) == [f"damaged {FILE}"]
    is_indexed = column in {"_hoodie_record_key", *COLUMNS}
    assert found(root, rows=False) == ([f"damaged {FILE}"] if is_indexed else [])


def test_the_command_line_leaves_out_rows(tmp_path: Path) -> None:
    """`hudi verify` finds damage in a column without an index, unless `--no-rows` is given."""
    root = wide().write(tmp_path)
    damage(root / PARTITION / FILE, dict(leaves())["number"])
    assert byteloom("hudi", "verify", root, "--no-rows").status == 0
    done = byteloom("hudi", "verify", root)
    assert done.status == 1
    assert done.out.startswith(f"data: damaged {PARTITION}/{FILE}: ")


def test_damage_in_an_older_version_is_found(tmp_path: Path) -> None:
    """A base file that a newer one replaced is read as well: queries of the past read it."""
    table = wide()
    older = FILE.replace("20261121070120991", "20261121070119000")
    table.others[older] = table.data
    sizes = dict.fromkeys([FILE, older], len(parquet_of(table.data)))
    table.rows["files"][PARTITION] = listing(sizes, 2)
    root = table.write(tmp_path)
    assert found(root) == []
    damage(root / PARTITION / older, dict(leaves())["text"])
    assert found(root) == [f"damaged {older}"]


def logged(root: Path, log: bytes, *, records: int | None = None, deletes: int = 0) -> Path:
    """Write a table of one log file, and a commit that says how many records it wrote."""
    table = HudiTable(root)
    (root / PARTITION).mkdir()
    (root / PARTITION / ".hoodie_partition_metadata").write_text("")
    (root / PARTITION / LOG).write_bytes(log)
    written = {"path": f"{PARTITION}/{LOG}", "numWrites": records or 0, "numDeletes": deletes}
    content = None if records is None else {"partitionToWriteStats": {PARTITION: [written]}}
    table.instant(TIME, of="data", content=content)
    return root


def data_of(root: Path) -> list[str]:
    """Return the findings about the data, which has no index."""
    return [str(each) for each in audit(MetadataTable.open(root), []).findings]


SOUND: Final = [
    (ROWS, 3, 0),
    (PARQUET + DELETES, 7, 2),
    (ROWS + ROWS, 3, 0),
    (TORN + ROWS, 3, 0),
    (ROWS + DELETES[:3], 3, 0),
    (ROWS + COMMAND, None, 0),
]


@pytest.mark.parametrize(("log", "records", "deletes"), SOUND)
def test_a_log_with_all_that_was_written_is_sound(
    tmp_path: Path, log: bytes, records: int | None, deletes: int
) -> None:
    """A log file is sound if it has what its commit wrote, also beside what a dead writer left."""
    assert data_of(logged(tmp_path, log, records=records, deletes=deletes)) == []


LACKING: Final = [
    (b"", 3, 0, "0 records, wanted 3"),
    (TORN, 3, 0, "0 records, wanted 3"),
    (ROWS + DELETES, 3, 3, "2 deletes, wanted 3"),
    (ROWS.replace(TIME.encode(), b"20260101000000001"), 3, 0, "0 records, wanted 3"),
]


@pytest.mark.parametrize(("log", "records", "deletes", "what"), LACKING)
def test_a_log_without_what_was_written_is_damaged(
    tmp_path: Path, log: bytes, records: int, deletes: int, what: str
) -> None:
    """A log file whose blocks have less than the commit says was cut, or a block was damaged."""
    (line,) = data_of(logged(tmp_path, log, records=records, deletes=deletes))
    start = f"data: damaged {PARTITION}/{LOG}: found {what} in whole blocks, as deltacommit {TIME}"
    assert line == f"{start} wrote"


def test_damage_inside_a_block_is_found(tmp_path: Path) -> None:
    """A record of a log file that does not fit the schema of its block is a finding."""
    block = avro_block([{"id": 1, "name": "abc"}, {"id": 2, "name": "abc"}])
    (line,) = data_of(logged(tmp_path, block.replace(b"\x06abc", b"\x07abc"), records=2))
    assert line.startswith(f"data: damaged {PARTITION}/{LOG}: blocks[0].body.content.records[0]")


def test_a_damaged_commit_is_one_finding(tmp_path: Path) -> None:
    """A commit whose number of records is not a number is one finding, about the commit."""
    root = logged(tmp_path, ROWS, records=3)
    (commit,) = (root / ".hoodie/timeline").glob("*.deltacommit")
    commit.write_text(commit.read_text().replace('"numWrites": 3', '"numWrites": "many"'))
    (line,) = data_of(root)
    assert line.startswith(f"data: damaged .hoodie/timeline/{commit.name}: ")


def test_each_commit_is_read_once(tmp_path: Path) -> None:
    """What a commit wrote is read once, for the files that are there and for what logs lack."""
    root = logged(tmp_path, ROWS, records=3)
    read: list[str] = []

    class Noting(LocalFileSystem):  # type: ignore[misc]
        """A store that notes the files that are opened."""

        protocol = "noting"

        def _open(self, path: str, *args: Any, **named: Any) -> Any:
            read.append(path.rpartition("/")[2])
            return super()._open(path, *args, **named)

    assert audit(MetadataTable.open(str(root), filesystem=Noting()), []).is_clean
    assert [name.partition(".")[2] for name in read if name.startswith(TIME)] == ["deltacommit"]


def _orc() -> bytes:
    out = io.BytesIO()
    pyarrow.orc.write_table(pa.table({"_hoodie_record_key": KEYS}), out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("ending", "data", "kinds"),
    [
        ("hfile", lambda: hfile_of({"a": b""}), ([], [])),
        ("hfile", lambda: hfile_of({"a": b""})[:-4] + b"\0\0\0\3", (["damaged"], [])),
        ("orc", _orc, ([], ["found orc, wanted a base file in Parquet or an HFile"])),
    ],
)
def test_base_files_of_other_formats(
    tmp_path: Path, ending: str, data: Callable[[], bytes], kinds: tuple[list[str], list[str]]
) -> None:
    """HFiles are examined completely, and files in ORC are listed as not compared."""
    root = logged(tmp_path, ROWS, records=3)
    name = f"bf8108ef-1b07-447d-813e-14be9cf771b6-0_0-1-2_{TIME}.{ending}"
    (root / PARTITION / name).write_bytes(data())
    result = audit(MetadataTable.open(root), [])
    assert [each.kind for each in result.findings] == kinds[0]
    assert [each.reason for each in result.skipped] == kinds[1]
