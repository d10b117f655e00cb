"""The properties of a table are read as Hudi reads them, from the file or from its copy."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest
from tests.support.hudi_indexed import made
from tests.support.hudi_tables import HudiTable

from byteloom.errors import MissingFile, Unsupported
from byteloom.hudi import MetadataTable, audit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WHOLE = (
    "#Updated at 2026-11-28T21:07:16Z\n#Sat Nov 28 21:07:16 UTC 2026\n"
    "hoodie.table.name=trips\nhoodie.table.version=9\nhoodie.database.name=sales\n"
    "hoodie.table.metadata.partitions=files\nhoodie.timeline.layout.version=2\n"
    f"hoodie.table.checksum={zlib.crc32(b'sales.trips')}\n"
)


def stored(root: Path, **files: str | bytes) -> Path:
    """Return a table with these files, by what is after ``hoodie.properties`` in their names."""
    if not (root / ".hoodie").exists():
        HudiTable(root)
        (root / ".hoodie/hoodie.properties").unlink()
    for ending, text in files.items():
        name = "hoodie.properties" + ("" if ending == "own" else f".{ending}")
        (root / ".hoodie" / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def properties(root: Path) -> Mapping[str, str]:
    """Return the properties of a table."""
    return MetadataTable.open(root).properties


def test_properties_are_read_as_java_writes_them(tmp_path: Path) -> None:
    """Properties may have comments, three separators, escapes and continued lines."""
    lines = [
        "hoodie.table.version=9", "#comment", "! comment", "", "  a=1", "b : 2", "c 3", "d",
        "# not continued \\",
        "e=x\\:\\=\\ \\\\y", "f\\ g=\\u00e9", "h=one \\", "   two", "i==", "j=\\t|", "a=last",
        "k=end\\\\", "l=\x0b\u2028", "m=cut \\",
    ]  # fmt: skip
    assert properties(stored(tmp_path, own="\r\n".join(lines))) == {
        "hoodie.table.version": "9",
        "a": "last",
        "b": "2",
        "c": "3",
        "d": "",
        "e": "x:= \\y",
        "f g": "é",
        "h": "one two",
        "i": "=",
        "j": "\t|",
        "k": "end\\",
        "l": "\x0b\u2028",
        "m": "cut ",
    }


def test_properties_that_are_not_utf_8(tmp_path: Path) -> None:
    """Properties that are not UTF-8 are Latin-1, as in Java."""
    assert properties(stored(tmp_path, own=b"hoodie.table.version=9\na=\xff\n"))["a"] == "\xff"


def test_properties_that_are_missing_are_those_of_the_copy(tmp_path: Path) -> None:
    """The copy of properties is read where the file is missing, with or without a checksum."""
    for text in (WHOLE, "hoodie.table.version=9"):
        assert properties(stored(tmp_path, backup=text))["hoodie.table.version"] == "9"


def test_properties_that_are_cut_are_those_of_the_copy(tmp_path: Path) -> None:
    """The copy of properties is read where the file was cut at any byte."""
    table = stored(tmp_path, backup=WHOLE)
    wanted = properties(table)
    for size in range(len(WHOLE)):
        assert properties(stored(tmp_path, own=WHOLE[:size])) == wanted


@pytest.mark.parametrize(
    "copy", ["", "hoodie.table.name=old\n", WHOLE.replace("trips", "old"), WHOLE[:-5]]
)
def test_whole_properties_count_beside_their_copy(tmp_path: Path, copy: str) -> None:
    """The file counts if it is whole, and where its copy is not whole either."""
    table = stored(tmp_path, own=WHOLE, backup=copy)
    assert properties(table)["hoodie.table.name"] == "trips"
    table = stored(tmp_path, own="hoodie.table.name=new\nhoodie.table.version=9")
    assert properties(table)["hoodie.table.name"] == "new"


def test_a_checksum_of_other_names_is_that_of_a_damaged_file(tmp_path: Path) -> None:
    """A file with a wrong checksum counts only where its copy is not whole."""
    wrong = WHOLE.replace("trips", "wrong")
    table = stored(tmp_path, own=wrong)
    assert properties(table)["hoodie.table.name"] == "wrong"
    stored(tmp_path, backup=WHOLE)
    assert properties(table)["hoodie.table.name"] == "trips"


def test_errors_about_properties_name_the_files_beside_them(tmp_path: Path) -> None:
    """The error for missing or empty properties names the copies that are in the folder."""
    files = "hoodie.properties.backup (0 bytes), hoodie.properties.updated (2 bytes)"
    stored(tmp_path, backup="", updated="a=")
    with pytest.raises(MissingFile) as missing:
        MetadataTable.open(tmp_path)
    assert f"found no .hoodie/hoodie.properties; beside it {files}, wanted" in str(missing.value)
    stored(tmp_path, own="")
    with pytest.raises(Unsupported) as empty:
        MetadataTable.open(tmp_path)
    assert f"found none; beside it {files}, wanted one of 6, 8, 9" in str(empty.value)


def test_an_audit_lists_a_copy_that_is_used(tmp_path: Path) -> None:
    """An audit of a table without its properties compares the same, and lists the copies."""
    root = made().write(tmp_path)
    for folder in (root, root / ".hoodie/metadata"):
        place = folder / ".hoodie/hoodie.properties"
        place.rename(place.with_name("hoodie.properties.backup"))
    result = audit(MetadataTable.open(root))
    assert result.is_clean
    assert [each.subject for each in result.skipped] == [
        ".hoodie/hoodie.properties.backup",
        ".hoodie/metadata/.hoodie/hoodie.properties.backup",
    ]


@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_table_that_does_not_state_its_layout(tmp_path: Path, version: int) -> None:
    """The layout of the timeline follows from the version of the table where none is stated."""
    table = HudiTable(tmp_path, version)
    table.instant("20261121070120991")
    for folder in (table.root, table.metadata):
        place = folder / ".hoodie/hoodie.properties"
        lines = place.read_text().splitlines()
        place.write_text("\n".join(line for line in lines if "layout" not in line))
    opened = MetadataTable.open(tmp_path)
    for timeline in (opened.timeline, opened.metadata_timeline):
        assert [each.time for each in timeline.completed] == ["20261121070120991"]


@pytest.mark.parametrize("ending", ["", ".parquet", ".orc"])
def test_partitions_are_marked_in_three_formats(tmp_path: Path, ending: str) -> None:
    """The file that marks a partition may be text, Parquet or ORC."""
    root = made().write(tmp_path)
    place = root / "p0/.hoodie_partition_metadata"
    place.rename(place.with_name(place.name + ending))
    assert audit(MetadataTable.open(root)).is_clean
