"""A part that grows pushes back what follows it, and the numbers that lead there follow."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from tests.support.modules import module_of, read

from byteloom.errors import FormatError

_TABLE = """
seq:
  - {id: num, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num}
types:
  entry:
    seq:
      - {id: ofs, type: u1}
      - {id: len, type: u1}
    instances:
      body: {io: _root._io, pos: ofs, size: len}
      first: {io: _root._io, pos: ofs, size: 1}
"""
_THREE = b"\3" + b"\x07\2\x09\3\x0d\1" + b"aabbb?c!"


@pytest.fixture(params=[False, True], ids=["unread", "read"])
def table(request: pytest.FixtureRequest) -> Any:
    """A table of three parts, with a byte between them that belongs to none, and one after them."""
    found: Any = read(_TABLE, _THREE)
    if request.param:
        assert [each.body + each.first for each in found.entries] == [b"aaa", b"bbbb", b"cc"]
    return found


def bodies(record: Any) -> list[bytes]:
    """Return the parts that a table leads to."""
    return [each.body for each in record.entries]


def test_parts_behind_a_longer_one_move_back(table: Any) -> None:
    """Parts behind a longer one, and bytes of no field, are as much further back."""
    table.entries[0].body = b"AAAAA"
    assert table.to_bytes() == b"\3" + b"\x07\5\x0c\3\x10\1" + b"AAAAAbbb?c!"


def test_parts_that_moved_can_still_be_read(table: Any) -> None:
    """Parts that are read only after others were written are read as they were before."""
    table.entries[0].body = b"AAAAA"
    table.to_bytes()
    assert bodies(table) == [b"AAAAA", b"bbb", b"c"]


def test_room_is_made_for_one_edit_after_another(table: Any) -> None:
    """A second edit, and a second writing of the same, find the record as the first left it."""
    table.entries[0].body = b"AAAA"
    assert table.to_bytes() == table.to_bytes()
    table.entries[1].body = b"BBBBBB"
    table.entries[2].body = b"CC"
    assert table.to_bytes() == b"\3" + b"\x07\4\x0b\6\x12\2" + b"AAAABBBBBB?CC!"


def test_a_longer_list_pushes_back_what_its_entries_lead_to(table: Any) -> None:
    """A new entry moves all parts; it leads to the part that the entry it is a copy of leads to."""
    table.entries.append(deepcopy(table.entries[1]))
    data = table.to_bytes()
    assert data == b"\4" + b"\x09\2\x0b\3\x0f\1\x0b\3" + b"aabbb?c!"
    assert bodies(table) == bodies(read(_TABLE, data)) == [b"aa", b"bbb", b"c", b"bbb"]
    assert table.to_bytes() == data


def test_a_number_that_was_edited_is_not_changed(table: Any) -> None:
    """A position that was set by hand stays, and nothing is written where it cannot."""
    table.entries[0].body = b"AAAAA"
    table.entries[1].ofs = 8
    with pytest.raises(FormatError):
        table.to_bytes()
    assert [each.ofs for each in table.entries] == [7, 8, 13]


def test_elements_stay_what_they_were_when_their_positions_follow() -> None:
    """An entry that is taken out is the one that is missed, though the others' positions differ."""
    sample = module_of(_TABLE).Sample
    table = sample.from_bytes(_THREE)
    table.entries[2].body = b"cccc"
    table.entries[1].body = b"bbbb"
    del table.entries[0]
    assert bodies(sample.from_bytes(table.to_bytes())) == [b"bbbb", b"cccc"]


def test_room_is_made_at_several_places_at_once(table: Any) -> None:
    """Each part moves by what all before it grew, the fields in sequence among them."""
    table.entries.append(deepcopy(table.entries[1]))
    table.entries[0].body = b"AAAA"
    table.entries[2].body = b"CCCC"
    data = table.to_bytes()
    assert data == b"\4" + b"\x09\4\x0d\3\x11\4\x0d\3" + b"AAAAbbb?CCCC!"
    assert bodies(table) == bodies(read(_TABLE, data)) == [b"AAAA", b"bbb", b"CCCC", b"bbb"]


_SIZED_RECORDS = """
seq:
  - {id: num, type: u1}
  - {id: entries, type: entry, size: 2, repeat: expr, repeat-expr: num}
  - {id: names, type: names, size-eos: true}
types:
  entry:
    seq:
      - {id: ofs, type: u1}
      - {id: kind, type: u1, valid: {max: 9}}
    instances:
      name: {io: _root.names._io, pos: ofs, type: strz}
      first: {io: _root.names._io, pos: ofs, size: 1}
  names:
    seq:
      - {id: all, type: strz, repeat: eos}
"""


class TestRecordsInStreamsOfTheirOwn:
    """Elements of a list that each have a stream of their own are distinguished by their index."""

    def test_an_error_names_the_element(self) -> None:
        """An error in one of them has its index."""
        with pytest.raises(FormatError, match=r"sample\.entries\[1\]\.kind at byte 4 "):
            read(_SIZED_RECORDS, b"\2\0\1\2\xffab\0")

    @pytest.mark.parametrize("name", ["c", "cde"])
    def test_an_edit_of_what_one_leads_to_is_an_edit_of_that(self, name: str) -> None:
        """The field that has the bytes gets the edited value, and positions behind it follow."""
        found: Any = read(_SIZED_RECORDS, b"\2\0\1\2\1a\0b\0")
        found.entries[0].name = name
        data = found.to_bytes()
        after = len(name) + 1
        assert data == b"\2\0\1" + bytes([after]) + b"\1" + name.encode() + b"\0b\0"
        assert read(_SIZED_RECORDS, data).names.all == [name, "b"]
