"""Records are read, edited in one place and written; the edit is read back or refused."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.modules import read

from byteloom.errors import FormatError

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
