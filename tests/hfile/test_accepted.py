"""What HBase's own readers accept is read; `verify` reports what is untidy in it."""

from __future__ import annotations

import pytest
from tests.support import hfile_damage as damage
from tests.support.hfile_files import Built, Given
from tests.support.hfile_findings import audit

from byteloom import hfile
from byteloom.errors import Unsupported

HBASE = "org.apache.hadoop.hbase."
SHADED = "org.apache.hudi.org.apache.hadoop.hbase."

TABLES = ["KeyValue$KVComparator", "KeyValue$KeyComparator", "CellComparator", "CellComparatorImpl"]
TABLES += [
    "InnerStoreCellComparator",
    "KeyValue$RawBytesComparator",
    "util.Bytes$ByteArrayComparator",
]
CATALOG = ["KeyValue$MetaComparator", "KeyValue$MetaKeyComparator", "MetaCellComparator"]
CATALOG += ["CellComparator$MetaCellComparator", "CellComparatorImpl$MetaCellComparator"]

ROWS = [b"t!", b"t,a"]
"""In the order of tables; in that of the catalog, what comes before the comma is compared first."""


def ordered(name: str | None, rows: list[bytes]) -> bytes:
    """Return a file of these rows whose keys the class *name* orders."""
    said: dict[int, int | bytes | None] = {11: None if name is None else name.encode()}
    return Built(blocks=[[Given(row=row)] for row in rows], said=said).data()


def rows_of(data: bytes) -> list[bytes]:
    """Return the rows that a scan gives, after a lookup has found each of them."""
    with hfile.open(data) as file:
        rows: list[bytes] = file.read(["row"])["row"].to_pylist()
        assert [file.get(row).num_rows for row in rows] == [1] * len(rows)
    return rows


@pytest.mark.parametrize("package", [HBASE, SHADED, "org.apache.hudi.hbase."])
@pytest.mark.parametrize("name", [*TABLES, *CATALOG])
def test_each_class_that_hbase_maps_orders_keys_as_hbase_does(package: str, name: str) -> None:
    """Names of all versions, in Hudi's packages too, stand for one of two orders."""
    rows = ROWS[::-1] if name in CATALOG else ROWS
    data = ordered(package + name, rows)
    assert rows_of(data) == rows
    assert [str(each) for each in audit(data).findings] == []
    with hfile.open(data) as file:
        assert file.trailer.is_meta_order == (name in CATALOG)


@pytest.mark.parametrize("name", ["org.Meta.KVComparator", "MetaX$KVComparator"])
def test_only_the_last_part_of_a_name_decides_the_order(name: str) -> None:
    """A package or an outer class with Meta in its name does not make an order of the catalog."""
    assert rows_of(ordered(name, ROWS)) == ROWS


@pytest.mark.parametrize(
    "name", ["", "KVComparators", "com.example.Reversed", "KeyValue$RootComparator"]
)
def test_an_unknown_class_is_refused(name: str) -> None:
    """A class whose order is unknown is refused, as HBase refuses one that it cannot load."""
    with pytest.raises(Unsupported, match=r"^trailer\.comparator_class_name at byte "):
        hfile.open(ordered(name, ROWS))


def test_without_a_class_keys_are_in_the_order_of_tables() -> None:
    """A trailer that names no class is read as HBase reads it, and reported."""
    data = ordered(None, ROWS)
    assert rows_of(data) == ROWS
    (found,) = audit(data).findings
    assert str(found).startswith("trailer.comparator_class_name at byte ")
    assert "found none, wanted the class that orders the keys" in str(found)


@pytest.mark.parametrize("minor", [0, 1, 2, 3, 4, 9, 255])
def test_the_minor_version_of_version_3_changes_nothing(minor: int) -> None:
    """HBase reads version 3 whatever its minor version; what no writer writes is reported."""
    data = bytearray(ordered(HBASE + TABLES[0], ROWS))
    data[-4] = minor
    assert rows_of(bytes(data)) == ROWS
    paths = [each.path for each in audit(bytes(data)).findings]
    assert paths == ["trailer.version.minor"] * (minor not in {0, 3})


@pytest.mark.parametrize("at", [-5, -100])
def test_bytes_after_the_message_of_a_trailer_are_ignored(at: int) -> None:
    """HBase skips what fills a trailer up; `verify` reports what is not zero there."""
    data = bytearray(ordered(HBASE + TABLES[0], ROWS))
    data[at] = 7
    assert rows_of(bytes(data)) == ROWS
    assert [each.path for each in audit(bytes(data)).findings] == ["trailer.padding"]


@pytest.mark.parametrize("offset", [0, 1, 1 << 40, None])
def test_the_file_info_is_found_by_its_order(offset: int | None) -> None:
    """HBase finds the file info as the third block from the root index on, wherever it is said."""
    data = damage.with_trailer(ordered(HBASE + TABLES[0], ROWS), {1: offset})
    assert rows_of(data) == ROWS
    paths = {each.path for each in audit(data).findings}
    assert paths == {"trailer.file_info_offset"}
