"""Parts at places of their own are read when they are asked for, and follow an edit."""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from tests.support.modules import module_of, read

from byteloom.errors import FormatError, LimitExceeded
from byteloom.limits import Limits

_OFFSET = """
seq:
  - {id: len_name, type: u1}
  - {id: name, size: len_name}
  - {id: ofs_body, type: u1}
instances:
  body: {pos: ofs_body, size: 3}
"""
_CHAINED = """
seq:
  - {id: ofs_body, type: u2}
  - {id: chain, type: node}
  - {id: len_name, type: u1}
  - {id: name, size: len_name}
instances:
  body: {pos: ofs_body, size: 3}
types:
  node: {seq: [{id: has_next, type: u1}, {id: next, type: node, if: has_next == 1}]}
"""
_PAST_THE_END = """
seq: [{id: ofs, type: u1}, {id: rest, size: 2}]
instances: {payload: {pos: ofs, size-eos: true}}
"""
_FROM_ITS_PLACE = """
seq: [{id: first, type: u1}, {id: box, type: box}]
types:
  box:
    seq: [{size: 0, if: start < 0}, {id: kind, type: u1}]
    instances:
      start: {value: _io.pos}
      again: {pos: start, type: u1}
"""
_NAMES = """
seq:
  - {id: len_names, type: u1}
  - {id: names, type: names, size: len_names}
  - {id: entries, type: entry, repeat: eos}
types:
  names:
    seq: [{id: all, type: strz, encoding: ASCII, repeat: eos}]
  entry:
    seq: [{id: ofs_name, type: u1}]
    instances: {name: {io: _root.names._io, pos: ofs_name, type: strz, encoding: ASCII}}
"""
_NAMES_LATER = """
seq:
  - {id: entries, type: entry, repeat: expr, repeat-expr: 2}
  - {id: names, type: names, size: 6}
types:
  names: {}
  entry:
    seq: [{id: ofs_name, type: u1}]
    instances: {name: {io: _root.names._io, pos: ofs_name, type: strz, encoding: ASCII}}
"""
_NAMES_OF_A_PARAMETER = """
seq:
  - {id: names, type: names, size: 6}
  - {id: entries, type: entry(names._io), repeat: eos}
types:
  names: {}
  entry:
    params: [{id: stream, type: io}]
    seq: [{id: ofs_name, type: u1}]
    instances: {name: {io: stream, pos: ofs_name, type: strz, encoding: ASCII}}
"""
_NAMED = b"\6ab\0cd\0" + b"\0\3"


class TestPartsReadWhenTheyAreAskedFor:
    """Lazy parts at positions of their own, which may not have been read yet."""

    @pytest.mark.parametrize("is_read", [True, False])
    def test_its_position_follows_whether_it_was_read_or_not(self, *, is_read: bool) -> None:
        """A longer name moves the body after it, whether the body was read or not."""
        record: Any = read(_OFFSET, b"\3abc\5BODY")
        if is_read:
            assert record.body == b"BOD"
        record.name = b"abcd"
        again: Any = read(_OFFSET, record.to_bytes())
        assert (again.name, again.body) == (b"abcd", b"BOD")

    @pytest.mark.parametrize(
        ("text", "data", "ask"),
        [
            (_PAST_THE_END, b"\x40ab", lambda record: record.payload),
            (_FROM_ITS_PLACE, b"\1\2", lambda record: record.box.again),
            (_NAMES, _NAMED, lambda record: [each.name for each in record.entries]),
        ],
    )
    def test_reading_them_changes_no_byte(
        self, text: str, data: bytes, ask: Callable[[Any], object]
    ) -> None:
        """A record without edits gives the bytes that it was read from, every time."""
        record = read(text, data)
        assert record.to_bytes() == data
        with suppress(FormatError):
            ask(record)
        assert record.to_bytes() == data
        assert record.to_bytes() == data

    def test_another_view_of_an_edited_value_follows_it(self) -> None:
        """Another view of an edited value shows the edit, if its length stays."""
        record: Any = read(_NAMES, _NAMED)
        record.names.all[0] = "xy"
        again: Any = read(_NAMES, record.to_bytes())
        assert [each.name for each in again.entries] == ["xy", "cd"]

    @pytest.mark.parametrize("is_new", [True, False])
    def test_they_may_be_in_a_stream_that_is_written_later(self, *, is_new: bool) -> None:
        """Parts are put into the stream of a record that follows, read or made by hand."""
        record: Any = read(_NAMES_LATER, b"\0\3ab\0cd\0")
        record.entries[1].name = "xy"
        if is_new:
            record.names = type(record.names)()
            record.entries[0].name = "ab"
        assert record.to_bytes() == b"\0\3ab\0xy\0"

    def test_they_may_be_in_a_stream_that_is_a_parameter(self) -> None:
        """Parts are put into the stream that was handed to their record when it was read."""
        record: Any = read(_NAMES_OF_A_PARAMETER, b"ab\0cd\0\0\3")
        record.entries[1].name = "xy"
        assert record.to_bytes() == b"ab\0xy\0\0\3"

    @pytest.mark.parametrize("is_read", [True, False])
    def test_offsets_follow_an_edit_that_moves_what_they_point_to(self, *, is_read: bool) -> None:
        """An edit that moves fields which offsets of others refer to changes those offsets."""
        record: Any = read(_NAMES, _NAMED)
        if is_read:
            assert record.entries[1].name == "cd"
        record.names.all[0] = "xyz"
        assert record.to_bytes() == b"\7xyz\0cd\0" + b"\0\4"
        record.names.all[0] = "x"
        assert record.to_bytes() == b"\5x\0cd\0" + b"\0\2"
        assert [each.ofs_name for each in record.entries] == [0, 2]

    @pytest.mark.parametrize("ofs", [2, 5])
    def test_an_offset_that_was_edited_has_to_agree(self, ofs: int) -> None:
        """An offset that was edited itself does not follow: what it points to is as it says."""
        record: Any = read(_NAMES, _NAMED)
        record.names.all[0] = "xyz"
        record.entries[1].ofs_name = ofs
        with pytest.raises(FormatError, match=r"entries\[\d\].name: found"):
            record.to_bytes()

    def test_an_edit_of_a_view_that_cannot_be_written_is_refused(self) -> None:
        """A shorter value is refused where the field would still read its old number of bytes."""
        record: Any = read(_OFFSET, b"\3abc\1")
        assert record.body == b"abc"
        record.body = b"ab"
        with pytest.raises(FormatError):
            record.to_bytes()

    def test_limits_of_a_record_hold_for_its_edits(self) -> None:
        """What moves in a record that was read with other limits is found with these limits."""
        chain = b"\1" * 250 + b"\0"
        data = (255).to_bytes(2, "little") + chain + b"\1aBOD"
        record: Any = module_of(_CHAINED).Sample.from_bytes(data, limits=Limits(nesting=300))
        record.name = b"abc"
        assert record.to_bytes() == (257).to_bytes(2, "little") + chain + b"\3abcBOD"

    def test_what_is_written_is_forgotten_again(self) -> None:
        """Parts that were read for a comparison alone are dropped after writing."""
        record: Any = read(_OFFSET, b"\3abc\5BODY")
        record.name = b"abcd"
        record.to_bytes()
        assert record._body is None


_TWO_PARTS = """
seq: [{id: ofs_a, type: u1}, {id: len_a, type: u1}, {id: ofs_b, type: u1}]
instances:
  a: {pos: ofs_a, size: len_a}
  b: {pos: ofs_b, size: 2}
"""


class TestPartsThatAreInTheWay:
    """Parts that grow into the part after them."""

    @pytest.mark.parametrize("is_read", [True, False])
    def test_the_next_part_moves(self, *, is_read: bool) -> None:
        """A part that grows moves the next one, whether that was read before or not."""
        record: Any = read(_TWO_PARTS, b"\3\2\5aabb")
        if is_read:
            assert record.b == b"bb"
        record.a = b"aaaa"
        again: Any = read(_TWO_PARTS, record.to_bytes())
        assert (again.a, again.b) == (b"aaaa", b"bb")


def test_the_parts_of_an_element_that_was_taken_out_excuse_no_other_part() -> None:
    """Without an element, a part that shared bytes with one of its parts still has them."""
    text = """
seq:
  - {id: n, type: u1}
  - {id: es, type: e, repeat: expr, repeat-expr: n}
instances:
  fixed: {pos: 6, size: 1}
types:
  e:
    seq: [{id: ofs, type: u1}, {id: len, type: u1}, {id: tag, type: u1}]
    instances:
      body: {io: _root._io, pos: ofs, size: len}
"""
    record: Any = read(text, b"\2\1\6x\6\1y...")
    assert ([each.body for each in record.es], record.fixed) == ([b"\1\6x\6\1y", b"y"], b"y")
    del record.es[0]
    with pytest.raises(FormatError, match=r"fixed: found b'y', wanted b'\.', as it would be read"):
        record.to_bytes()


_VIEW_OF_A_LENGTH = """
seq: [{id: len, type: u2}, {id: body, size: len - 2}]
instances: {entry: {pos: 0, type: u1, repeat: expr, repeat-expr: 2}}
"""


def test_a_view_of_a_number_that_follows_is_refused() -> None:
    """A part that overlaps a stored length is no view of the edited value; it must not change."""
    viewed: Any = read(_VIEW_OF_A_LENGTH, b"\5\0abc")
    viewed.body = b"abcd"
    with pytest.raises(FormatError, match=r"sample.entry\[0\]: found 5, wanted 6, as it would be"):
        viewed.to_bytes()


_RING = """
seq: [{id: len, type: u1}, {id: name, size: len}, {id: node, type: node}]
types:
  node:
    seq: [{id: at, type: u1}, {id: tag, type: u1}]
    instances: {next: {pos: at, type: node, io: _root._io}}
"""


@pytest.mark.parametrize(
    ("data", "name", "after"),
    [
        (b"\2ab\3x", b"ABC", b"\3ABC\4x"),  # to its own place
        (b"\2ab\5x\3y", b"AB", b"\2AB\5x\3y"),  # to one that points back
    ],
)
def test_a_pointer_that_leads_to_itself_follows(data: bytes, name: bytes, after: bytes) -> None:
    """A position that leads to its own record follows it; nothing is read without an end."""
    ring: Any = read(_RING, data)
    ring.name = name
    assert ring.to_bytes() == after


_FAR = """
seq: [{id: n, type: u1}, {id: xs, type: x, repeat: expr, repeat-expr: n}]
types:
  x:
    seq: [{id: at, type: u4}, {id: len, type: u1}]
    instances: {body: {pos: at, size: len}}
"""


def test_a_part_far_behind_the_end_takes_no_memory() -> None:
    """A part at 4 GB of a file of 6 bytes is refused by a limit when an edit moves it."""
    far: Any = read(_FAR, b"\1\0\0\0\xf0\0")
    assert far.xs[0].body == b""
    far.xs = [far.xs[0], deepcopy(far.xs[0])]
    with pytest.raises(LimitExceeded, match="found 4026531840 bytes in all"):
        far.to_bytes()
