"""`verify` compares the order of cells, and what an HFile states about them, with the cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.support import hfile_damage as damage
from tests.support.hfile_files import LATEST, Built, Given
from tests.support.hfile_findings import audit, hudi_file

from byteloom import hfile
from byteloom.errors import FormatError

CATALOG: dict[int, int | bytes | None] = {11: b"org.apache.hadoop.hbase.KeyValue$MetaComparator"}
"""The field of the trailer of a file whose keys are in the order of HBase's catalog."""


def findings_of(blocks: list[list[Given]], **built: Any) -> list[str]:
    """Return what `verify` reports of a file of these blocks."""
    return [str(each) for each in audit(Built(blocks=blocks, **built).data()).findings]


def with_numbers(*numbers: int) -> list[Given]:
    """Return cells of one key with these sequence numbers."""
    return [Given(row=b"r", timestamp=7, mvcc=number) for number in numbers]


def test_cells_of_one_key_from_the_newest_on_are_sound() -> None:
    """Cells of one key may have falling or equal sequence numbers; other keys begin again."""
    more = [Given(row=b"r", timestamp=6, mvcc=99), Given(row=b"s", mvcc=100)]
    assert findings_of([with_numbers(9, 3, 3, 0), more]) == []


@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_cell_newer_than_the_one_before_it_is_reported(size: int) -> None:
    """A cell after an older one of its key is a finding, in the same block or the next one."""
    cells = with_numbers(5, 4, 9, 1)
    blocks = [cells[at : at + size] for at in range(0, 4, size)]
    (found,) = findings_of(blocks)
    assert found.startswith("cells[2].mvcc at byte ")
    assert found.endswith(
        "found 9, wanted at most 4: HBase reads the first cell of a key as the newest"
    )


def test_the_order_within_a_block_of_the_catalog_is_checked() -> None:
    """In a file of HBase's catalog keys are compared by its order within each block, too."""
    rows = [b"t,,1", b"t,!,0"]
    assert findings_of([[Given(row=row) for row in rows]], said=CATALOG) == []
    (found, *_) = findings_of([[Given(row=row) for row in reversed(rows)]], said=CATALOG)
    assert "found a key before that of the cell before, wanted keys that ascend" in found


@pytest.mark.parametrize("name", ["EARLIEST_PUT_TS", "MAX_SEQ_ID_KEY", "hfile.AVG_KEY_LEN"])
def test_a_number_of_another_width_is_reported(name: str) -> None:
    """HBase reads each number of the file info with one width, and fails on others."""
    found = findings_of([[Given(row=b"a")]], info={name.encode(): b"\x07"})
    assert any(f"file_info.{name} at byte " in each and "found 1 bytes" in each for each in found)


@pytest.mark.parametrize("kind", [b"\x04", b"\x08", b"\xff"])
@pytest.mark.parametrize("time", [5, 8, (1 << 63) - 1])
@pytest.mark.parametrize("is_meta", [False, True])
def test_a_key_of_the_index_is_the_first_of_its_block_or_made_up(
    kind: bytes, time: int, is_meta: bool
) -> None:
    """A made-up key has the latest time and type 255, and HBase makes up none in its catalog."""
    blocks = [[Given(row=b"a", family=b"")], [Given(row=b"b", family=b"", timestamp=5)]]
    made_up = blocks[1][0].key[:-9] + time.to_bytes(8, "big") + kind
    found = findings_of(blocks, keys=[blocks[0][0].key, made_up], said=CATALOG if is_meta else {})
    is_first = made_up == blocks[1][0].key
    is_sound = is_first or (not is_meta and (kind, time) == (b"\xff", (1 << 63) - 1))
    assert ["index.key at byte " in each for each in found] == [True] * (not is_sound)
    data = Built(
        blocks=blocks, keys=[blocks[0][0].key, made_up], said=CATALOG if is_meta else {}
    ).data()
    with hfile.open(data) as file:
        if kind == b"\xff" and time != LATEST:
            with pytest.raises(FormatError, match=r"^index\.key at byte .* wanted the latest time"):
                file.read()
        else:
            assert file.read().num_rows == 2


@pytest.mark.parametrize(
    "change", [{"family": b"f"}, {"qualifier": b"q"}, {"timestamp": 5}, {"type": 8}]
)
@pytest.mark.parametrize("number", [0, 3])
def test_keys_by_hudi_have_a_row_and_nothing_else(change: dict[str, Any], number: int) -> None:
    """A cell of Hudi's own writer with a column, a time or another type is a finding."""
    rows = [b"a", b"b", b"c", b"d"]
    cells = [Given(row=row, family=b"", timestamp=LATEST) for row in rows]
    cells[number] = replace(cells[number], **change)
    keys = [len(each.row).to_bytes(2, "big") + each.row for each in cells]
    info = {b"hfile.LASTKEY": keys[-1], b"hfile.AVG_KEY_LEN": (1).to_bytes(4, "big")}
    built = Built(blocks=[cells[:2], cells[2:]], keys=keys[::2], info=info, said={4: None})
    data = bytearray(built.data())
    for place in damage.places(bytes(data)):
        data[place.start + 24] = 0  # checksums of type 0 are zeros
        data[place.start + place.len_data : place.start + place.size] = bytes(4)
    data[-4] = 0  # the minor version
    found = audit(bytes(data))
    assert found.dialect == "hudi-1.1"
    wanted = "wanted no family and qualifier, the latest time and Put, as Hudi writes them"
    (error,) = found.findings
    assert str(error).startswith(f"cells[{number}].key at byte ")
    assert str(error).endswith(wanted)


def test_the_last_key_of_a_file_by_hudi_is_required() -> None:
    """Hudi's reader takes the last key from the file info, so a file without it is reported."""
    data = hudi_file()
    without = data.replace(b"hfile.LASTKEY", b"hfile.LASTKEX")
    found = [str(each) for each in audit(without).findings]
    assert any("file_info.hfile.LASTKEY at byte " in each for each in found)
    assert audit(data).findings == []


@pytest.mark.parametrize(
    ("before", "first", "made_up"),
    [
        (b"row-1", b"row-5", {b"row-2"}),
        (b"row-1x", b"row-2", {b"row-2"}),
        (b"row", b"row-5", {b"row\0", b"row-"}),
    ],
)
def test_a_made_up_row_is_the_shortest_between_two_blocks(
    before: bytes, first: bytes, made_up: set[bytes]
) -> None:
    """HBase makes up one row between two, as short as possible; another one is a finding."""
    blocks = [[Given(row=before, family=b"")], [Given(row=first, family=b"", timestamp=5)]]
    for row in {*made_up, b"row-", b"row-1y", b"row-2", b"row-3", b"row-5", b"row\0", b"rows"}:
        key = Given(row=row, family=b"", timestamp=LATEST, type=255).key
        found = findings_of(blocks, keys=[blocks[0][0].key, key])
        assert ["index.key at byte " in each for each in found] == [True] * (row not in made_up)
