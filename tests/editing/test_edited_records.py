"""Records are read, edited in one place and written; the edit is read back or refused."""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from tests.support.modules import module_of, read

from byteloom.errors import FormatError, LimitExceeded
from byteloom.limits import Limits
from byteloom.wire.reader import Reader

_BOX = """
seq:
  - {id: len32, type: u4be}
  - {id: len64, type: u8be, if: len32 == 1}
  - {id: body, size: len_body}
instances:
  len_body: {value: 'len32 == 0 ? _io.size - 4 : len32 == 1 ? len64 - 12 : len32 - 4'}
"""
_COUNT = """
seq:
  - {id: n, type: u1}
  - {id: xs, type: u1, repeat: expr, repeat-expr: 'n == 255 ? _io.size - 1 : n'}
"""


class TestSizesThatTheStreamDecidesAtTimes:
    """A size that depends on the stream in one branch is checked in all others."""

    @pytest.mark.parametrize(
        ("head", "after"),
        [
            (b"\0\0\0\6", b"\0\0\0\x0a"),
            (b"\0\0\0\1" + bytes(7) + b"\x0e", b"\0\0\0\1" + bytes(7) + b"\x12"),
        ],
    )
    def test_the_length_of_its_branch_follows_a_body(self, head: bytes, after: bytes) -> None:
        """The length field of the branch that the record takes follows an edited body."""
        box: Any = read(_BOX, head + b"ab")
        box.body = b"longer"
        assert box.to_bytes() == after + b"longer"

    def test_a_body_of_another_size_contradicts_an_edited_length(self) -> None:
        """A body whose size contradicts an edited length is refused, and nothing is written."""
        box: Any = read(_BOX, b"\0\0\0\6ab")
        box.body, box.len32 = b"longer", 7
        with pytest.raises(FormatError, match=r"sample.body: found 6 bytes, wanted 3 bytes, as"):
            box.to_bytes()

    def test_a_body_up_to_the_end_may_have_any_size(self) -> None:
        """A body that extends to the end of the stream may have any size."""
        box: Any = read(_BOX, bytes(4) + b"ab")
        box.body = b"longer"
        assert box.to_bytes() == bytes(4) + b"longer"

    def test_a_count_is_held_to_as_well(self) -> None:
        """A list that contradicts its count is refused, if its size is not the stream's."""
        counted: Any = read(_COUNT, b"\2ab")
        counted.xs.append(3)
        with pytest.raises(FormatError, match=r"sample.xs: found 3 elements, wanted 2, as n"):
            counted.to_bytes()


_VIEWS = """
seq:
  - {id: body, size: 4}
instances:
  head: {pos: 0, size: 2}
"""


class TestViewsOfFields:
    """A parse instance over bytes that are also fields in the sequence."""

    @pytest.mark.parametrize("asked", [False, True])
    def test_the_field_holds_where_the_view_is_as_it_was_read(self, asked: bool) -> None:
        """An edited field is written, whether its view was read or not."""
        viewed: Any = read(_VIEWS, b"abcd")
        assert not asked or viewed.head == b"ab"
        viewed.body = b"ABcd"
        assert viewed.to_bytes() == b"ABcd"

    @pytest.mark.parametrize("body", [b"abcd", b"ZZcd"])
    def test_a_view_that_says_otherwise_contradicts(self, body: bytes) -> None:
        """A view that contradicts its field is an error that names both, and nothing is written."""
        viewed: Any = read(_VIEWS, b"abcd")
        viewed.head, viewed.body = b"XY", body
        with pytest.raises(FormatError, match=r"sample.head: found bytes 0 to 2, where the fields"):
            viewed.to_bytes()

    def test_both_may_be_edited_alike(self) -> None:
        """A field and its view may be edited if they agree."""
        viewed: Any = read(_VIEWS, b"abcd")
        viewed.head, viewed.body = b"XY", b"XYcd"
        assert viewed.to_bytes() == b"XYcd"


_AMID = """
seq:
  - {id: a, type: u1}
  - {id: b, size: twice - 3}
  - {id: c, type: u1, if: second > 0}
instances:
  first: {type: u1}
  second: {type: u1}
  third: {type: u1}
  twice: {value: first * 2}
"""


class TestInstancesReadInPassing:
    """A parse instance without a position, which a field in the sequence refers to."""

    @pytest.mark.parametrize("third", [False, True])
    def test_it_is_written_where_it_was_read(self, third: bool) -> None:
        """An instance without a position is written where it was read."""
        passed: Any = read(_AMID, bytes(range(1, 8)))
        assert (passed.first, passed.b, passed.second, passed.c) == (2, b"\3", 4, 5)
        assert not third or passed.third == 6
        assert passed.to_bytes() == bytes(range(1, 8))

    def test_it_follows_what_it_gives_the_size_of(self) -> None:
        """An instance that is a size follows an edited value, unless it was edited itself."""
        passed: Any = read(_AMID, bytes(range(1, 8)))
        passed.b = b"abc"
        assert passed.to_bytes() == b"\1\3abc\4\5\6\7"
        passed.first = 4
        with pytest.raises(FormatError, match=r"sample.b: found 3 bytes, wanted 5 bytes"):
            passed.to_bytes()


_OPTIONAL = """
seq:
  - {id: flag, type: u1}
  - {id: len_note, type: u2, if: flag > 0}
  - {id: note, type: str, size: len_note, if: flag > 0}
  - {id: num_xs, type: u1, if: flag > 1}
  - {id: xs, type: u2, repeat: expr, repeat-expr: num_xs, if: flag > 1}
"""


class TestLengthsWithACondition:
    """A length that has the same condition as the value it measures."""

    @pytest.mark.parametrize("data", [b"\0", b"\1\2\0hi", b"\2\0\0\1\7\0"])
    def test_what_was_read_is_written(self, data: bytes) -> None:
        """A conditional value is written as it was read: absent, present or empty."""
        assert read(_OPTIONAL, data).to_bytes() == data

    def test_it_follows_from_an_edit(self) -> None:
        """A conditional length follows a value of another length, and one that is removed."""
        record: Any = read(_OPTIONAL, b"\2\2\0hi\1\7\0")
        record.note, record.xs = "longer", [1, 2]
        assert (record.len_note, record.num_xs) == (6, 2)
        assert record.to_bytes() == b"\2\6\0longer\2\1\0\2\0"
        record.flag, record.note, record.xs = 0, None, None
        assert record.to_bytes() == b"\0"

    def test_the_value_that_is_missing_is_named(self) -> None:
        """The error for a missing conditional value names the value, not its length."""
        record: Any = read(_OPTIONAL, b"\0")
        record.flag = 1
        with pytest.raises(FormatError, match=r"sample.note: found nothing"):
            record.to_bytes()


_UP_TO_THE_END = """
seq:
  - {id: boxes, type: box, repeat: eos}
types:
  box:
    seq:
      - {id: len, type: u1}
      - {id: body, size: 'len == 0 ? _io.size - _io.pos : len'}
"""
_UNTIL = """
seq:
  - {id: xs, type: u1, repeat: until, repeat-until: _ == 3 or _io.size - _io.pos < 1}
  - {id: rest, size-eos: true}
"""
_AHEAD = """
seq:
  - {id: a, type: u1}
  - {id: b, type: u1, if: ahead == 3}
  - {id: c, size-eos: true}
instances:
  ahead: {pos: 1, type: u1}
"""


class TestWhatOnlyAReaderKnows:
    """Fields described by the rest of a stream, or out of order, are read again first."""

    @pytest.mark.parametrize(
        ("text", "data", "edit", "error"),
        [
            (
                _UP_TO_THE_END,
                b"\1a\1b",
                lambda record: setattr(record.boxes[0], "len", 0),
                r"sample.boxes\[0\].body: found b'a', wanted b'a\\x01b', as it would be read back",
            ),
            (
                _UNTIL,
                b"\1\2\3\4",
                lambda record: record.xs.pop(),
                "sample.xs: found 2 elements, wanted 3 elements, as it would be read back",
            ),
            (
                _AHEAD,
                b"\1\3rest",
                lambda record: setattr(record, "b", 4),
                "sample.b: found 4, wanted None, as it would be read back",
            ),
        ],
    )
    def test_an_edit_that_would_read_back_otherwise_is_refused(
        self, text: str, data: bytes, edit: Callable[[Any], object], error: str
    ) -> None:
        """An edit that would not be read back is refused by the field, with both values."""
        record = read(text, data)
        assert record.to_bytes() == data
        edit(record)
        with pytest.raises(FormatError, match=error):
            record.to_bytes()

    def test_an_instance_that_one_element_asks_for_is_not_written_elsewhere(self) -> None:
        """A record whose instance is read between two elements is written only if unedited."""
        text = """
seq: [{id: xs, type: u1, repeat: until, repeat-until: _ == stop}, {id: z, type: u1}]
instances: {stop: {type: u1}}
"""
        record: Any = read(text, b"\1\3\2\3\x09")
        assert record.to_bytes() == b"\1\3\2\3\x09"
        record.z = 8
        with pytest.raises(FormatError, match="would not be read back"):
            record.to_bytes()

    def test_nothing_is_as_good_as_empty(self) -> None:
        """A field of size 0 may be None: it is written as the same bytes."""
        text = (
            "seq: [{id: a, type: u1}, {id: b, size: 0, if: not _io.eof}, {id: c, size-eos: true}]"
        )
        record: Any = read(text, b"\1\2")
        record.b = None
        assert record.to_bytes() == b"\1\2"


_MANY = """
seq:
  - {id: kind, type: u1}
  - id: body
    type: {switch-on: kind, cases: {1: one, 2: two}}
  - {id: others, type: one, repeat: eos}
types:
  one: {seq: [{id: a, type: b4}, {id: b, type: b4}]}
  two: {seq: [{id: t, type: strz}]}
"""


class TestValuesOfOtherTypes:
    """Attributes set to a value that their field cannot have."""

    @pytest.mark.parametrize(
        ("edit", "error"),
        [
            (lambda it: setattr(it, "kind", None), "sample.kind: found None, wanted an integer"),
            (lambda it: setattr(it, "kind", "2"), "sample.kind: found '2', wanted an integer"),
            (lambda it: setattr(it, "kind", 2), "sample.body: found a One, wanted a Two"),
            (lambda it: setattr(it, "body", None), "sample.body: found nothing, wanted a One"),
            (lambda it: setattr(it, "body", b"x"), "sample.body: found bytes, wanted a One"),
            (lambda it: setattr(it.body, "b", "x"), "sample.body.b: found a str, wanted int"),
            (lambda it: setattr(it, "others", None), "sample.others: found nothing, wanted a list"),
            (lambda it: setattr(it.others[1], "a", None), r"sample.others\[1\].a: found nothing"),
            (lambda it: it.others.append(None), "sample.others: found a list of NoneType, One"),
        ],
    )
    def test_the_attribute_is_named(self, edit: Callable[[Any], object], error: str) -> None:
        """An error names the attribute, the value found, and the type wanted."""
        record = read(_MANY, b"\1abc")
        edit(record)
        with pytest.raises(FormatError, match=error):
            record.to_bytes()


@pytest.mark.parametrize(("of", "written"), [("f4", 0.1), ("f8", 0.1), ("f4", -1e-50)])
def test_numbers_that_are_stored_less_exactly_are_written(of: str, written: float) -> None:
    """A float that is rounded when stored is written, in a record that is read back as a check."""
    record: Any = read(
        "seq: [{id: x, type: " + of + "be}, {id: body, size: '_io.size - _io.pos'}]",
        bytes(10),
    )
    record.x = written
    assert record.to_bytes()[-2:] == bytes(2) or of == "f8"


def test_a_count_that_depends_on_a_condition_is_compared() -> None:
    """A list of another length than the branch of its count says is refused in both branches."""
    text = (
        "seq: [{id: n, type: u1}, {id: xs, type: u1, repeat: expr, repeat-expr: 'n > 1 ? n : 0'}]"
    )
    for data in (b"\0", b"\2\7\7"):
        record: Any = read(text, data)
        assert record.to_bytes() == data
        record.n = 3
        with pytest.raises(FormatError, match=r"sample.xs: found \d elements?, wanted 3"):
            record.to_bytes()
        record.n, record.xs = 1, [1, 2]
        with pytest.raises(FormatError, match=r"sample.xs: found 2 elements, wanted 0"):
            record.to_bytes()


def test_a_negative_count_is_refused() -> None:
    """A negative count is refused, even if elements take no bytes."""
    for each in (0, 1):
        with pytest.raises(FormatError, match=r"^xs at byte 0 .*found -1, wanted a count of 0 or"):
            Reader(b"ab").check_count("xs", -1, each)


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


_HEADED = """
seq:
  - {id: header, type: header}
  - {id: body, size: header.len_body - 2}
  - {id: xs, type: u2, repeat: expr, repeat-expr: header.num_xs}
types:
  header: {seq: [{id: len_body, type: u2}, {id: num_xs, type: u1}]}
"""


class TestNumbersOfChildren:
    """A length or a count in a sibling record, such as `header.len_body`."""

    def test_they_follow_from_an_edit(self) -> None:
        """A length and a count in a sibling record follow edits, even in a record made by hand."""
        record: Any = read(_HEADED, b"\5\0\2abc\1\0\2\0")
        assert record.to_bytes() == b"\5\0\2abc\1\0\2\0"
        record.body = b"longer"
        record.xs.pop()
        assert record.to_bytes() == b"\x08\0\1longer\1\0"
        made = type(record)(header=type(record.header)(len_body=0, num_xs=0), body=b"x", xs=[7])
        assert made.to_bytes() == b"\3\0\1x\7\0"

    def test_one_that_was_edited_has_to_agree(self) -> None:
        """An edited count in a sibling record is not overwritten: it agrees or is an error."""
        record: Any = read(_HEADED, b"\5\0\2abc\1\0\2\0")
        record.header.num_xs = 3
        wanted = r"sample.header.num_xs: found 3, wanted 2, as xs says"
        with pytest.raises(FormatError, match=wanted):
            record.to_bytes()
        record.xs.append(9)
        assert record.to_bytes() == b"\5\0\3abc\1\0\2\0\x09\0"


_PADDED = """
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: len, type: u1}
      - {id: name, size: len}
      - {id: pad, size: (-_io.pos) % 4}
"""


class TestPadding:
    """Bytes that fill up to a multiple: `size: (-_io.pos) % 4`."""

    def test_it_follows_what_is_before_it(self) -> None:
        """Padding of zeros grows and shrinks with the bytes before it."""
        record: Any = read(_PADDED, b"\1a\0\0\3abc")
        assert (record.rows[0].pad, record.rows[1].pad) == (b"\0\0", b"")
        record.rows[0].name, record.rows[1].name = b"ab", b"abcd"
        assert record.to_bytes() == b"\2ab\0\4abcd\0\0\0"
        record.rows.append(type(record.rows[0])(name=b""))
        assert record.to_bytes() == b"\2ab\0\4abcd\0\0\0\0\0\0\0"

    def test_padding_that_is_no_zeros_is_kept_where_it_fits(self) -> None:
        """Padding other than zeros is kept if it fits, and else refused."""
        record: Any = read(_PADDED, b"\1axy\3abc")
        assert record.to_bytes() == b"\1axy\3abc"
        record.rows[0].name = b"ab"
        with pytest.raises(FormatError, match=r"rows\[0\].pad: found 2 bytes, wanted 1 bytes?, as"):
            record.to_bytes()


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


_MEASURED = """
seq:
  - {id: before, type: before}
  - {id: head, type: head, size: before.len_head}
  - {id: xs, type: u1, repeat: expr, repeat-expr: head.num_xs}
types:
  before:
    seq:
      - {id: len_head, type: u1}
  head:
    seq:
      - {id: num_xs, type: u1}
      - {id: rest, size-eos: true}
"""


def test_a_count_in_a_record_whose_size_is_stored_before_it_follows() -> None:
    """A count in a header follows its list, although the header's own size is stored before it."""
    counted: Any = read(_MEASURED, b"\3\2--ab")
    counted.xs.append(ord("c"))
    assert counted.to_bytes() == b"\3\3--abc"
    counted.head.rest, counted.xs = b"", []
    assert counted.to_bytes() == b"\1\0"


def test_an_edit_to_nothing_that_takes_away_its_condition_is_refused() -> None:
    """A part that an edit makes empty is refused where an empty one is read as absent."""
    record: Any = read(
        """
seq:
  - {id: ofs, type: u1}
  - {id: len, type: u1}
instances:
  body: {pos: ofs, size: len, if: len != 0}
""",
        b"\2\2ab",
    )
    record.body = b"c"
    assert record.to_bytes()[:3] == b"\2\1c"
    record.body = b""
    with pytest.raises(FormatError, match=r"sample.body: found b'', wanted None, as it would be"):
        record.to_bytes()


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


_PASSED = """
seq:
  - {id: blocks, type: block, repeat: expr, repeat-expr: 2}
  - {id: inner, type: 'inner(blocks, 2)'}
types:
  block: {seq: [{id: len, type: u1}]}
  inner:
    params: [{id: given, type: 'block[]'}, {id: len, type: u1}]
    seq:
      - {id: one, size: 'given[0].len'}
      - {id: two, size: len}
"""
_PASSED_AND_READ_BACK = f"{_PASSED}instances: {{first: {{pos: 0, type: u1}}}}\n"


@pytest.mark.parametrize("spec", [_PASSED, _PASSED_AND_READ_BACK])
class TestParameters:
    """A record is written with what the record around it passes."""

    @pytest.mark.parametrize("edit", [lambda given: given[:1], lambda given: given + given[:1]])
    def test_an_edited_list_is_refused(self, spec: str, edit: Callable[[Any], Any]) -> None:
        """A parameter with another list than is passed is refused, as often as it is written."""
        outer: Any = read(spec, b"\1\2abc")
        outer.inner.given = edit(outer.inner.given)
        for _ in range(2):
            with pytest.raises(FormatError, match=r"sample.inner.given: found \d element"):
                outer.to_bytes()

    def test_an_edited_number_is_refused(self, spec: str) -> None:
        """A parameter with another number than is passed is refused, as often."""
        outer: Any = read(spec, b"\1\2abc")
        outer.inner.len = 1
        for _ in range(2):
            with pytest.raises(FormatError, match=r"sample.inner.len: found 1, wanted 2, as it is"):
                outer.to_bytes()

    def test_what_is_passed_may_change_again_and_again(self, spec: str) -> None:
        """A list that is passed may be replaced: the parameter then is the new list."""
        outer: Any = read(spec, b"\1\2abc")
        block = type(outer.blocks[0])
        for size in (2, 3):
            outer.blocks = [block(len=size), block(len=0)]
            outer.inner.one = bytes(size)
            assert outer.to_bytes() == bytes([size, 0, *bytes(size)]) + b"bc"
            assert outer.inner.given is outer.blocks

    def test_both_may_be_edited_alike(self, spec: str) -> None:
        """A parameter may be edited to be what is passed."""
        outer: Any = read(spec, b"\1\2abc")
        outer.blocks = outer.inner.given = [type(outer.blocks[0])(len=1)] * 2
        assert outer.to_bytes() == b"\1\1abc"


_PASSED_A_LENGTH = """
seq: [{id: len_body, type: u1}, {id: body, type: outer, size: len_body}]
types:
  outer: {seq: [{id: len, type: u1}, {id: inner, type: inner(len)}]}
  inner: {params: [{id: len, type: u1}], seq: [{id: data, size: len}]}
"""
_VIEW_OF_A_LENGTH = """
seq: [{id: len, type: u2}, {id: body, size: len - 2}]
instances: {entry: {pos: 0, type: u1, repeat: expr, repeat-expr: 2}}
"""


def test_measuring_a_record_keeps_an_edited_parameter() -> None:
    """A length that is calculated leaves parameters as they are: writing refuses an edited one."""
    sample: Any = read(_PASSED_A_LENGTH, b"\3\2ab")
    sample.body.inner.len = 1
    assert sample.len_body == 3
    with pytest.raises(FormatError, match=r"sample.body.inner.len: found 1, wanted 2, as it is"):
        sample.to_bytes()


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


_VARINT = """
seq: [{id: n, type: v, -loom-varint: uleb128}]
types:
  v:
    seq: [{id: groups, type: u1, repeat: until, repeat-until: _ < 128}]
    instances: {value: {value: groups.last}}
"""


def test_a_fraction_is_no_integer_of_variable_length() -> None:
    """A float is refused where an integer of variable length is stored, even between its bounds."""
    record = read(_VARINT, b"\5")
    record.n = 1.5
    with pytest.raises(FormatError, match=r"sample\.n: found a float, wanted int"):
        record.to_bytes()
