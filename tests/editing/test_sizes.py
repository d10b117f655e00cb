"""Numbers follow an edit through the formulas of sizes and counts, or the edit is refused."""

from copy import deepcopy
from typing import Any

import pytest
from tests.support.modules import module_of, read

from byteloom.errors import FormatError

_SIZED = """
seq:
  - {{id: head, type: u1}}
  - {{id: len, type: u1}}
  - {{id: body, size: '{}'}}
instances:
  halved: {{value: len / 2}}
"""
_SIZES = {
    "shifted": ("len >> 3", b"\x17", b"AB", b"ABC", b"\x1f"),
    "the low bits": ("len & 0x1f", b"\xe2", b"AB", b"ABC", b"\xe3"),
    "a ternary": ("len > 100 ? 0 : len + 1", b"\1", b"AB", b"ABC", b"\2"),
    "an instance": ("halved - 1", b"\7", b"AB", b"ABCD", b"\x0b"),
    "the root": ("_root.len", b"\2", b"AB", b"A", b"\1"),
    "more than another": ("len - head", b"\4", b"AB", b"ABCDE", b"\7"),
    "times another": ("head * len", b"\3", b"ABCDEF", b"ABCDEFGH", b"\4"),
}
"""Cases by name: the size, the number and the value as read, another value, and its number."""


@pytest.mark.parametrize("kind", _SIZES)
def test_the_number_of_a_formula_follows_the_size(kind: str) -> None:
    """The number in a formula becomes the one that gives the new size; no other changes."""
    formula, number, value, edited, follows = _SIZES[kind]
    sized: Any = read(_SIZED.format(formula), b"\2" + number + value)
    assert sized.body == value
    sized.body = edited
    assert sized.to_bytes() == b"\2" + follows + edited


_UNSOLVED = {
    "two numbers that may change": ("len - head", b"\4AB", b"A"),
    "a factor of each": ("head * len", b"\4ABCDEFGH", b"ABCD"),
    "numbers that round to the same": ("(len + 3) / 4 * 4", b"\3ABCD", b"ABCDEFGH"),
    "no number": ("len & 3", b"\3ABC", b"ABCD"),
    "a part of a unit": ("len / 2 * 4", b"\2ABCD", b"ABCDEF"),
}


@pytest.mark.parametrize("kind", _UNSOLVED)
def test_a_size_without_a_number_of_its_own_is_refused(kind: str) -> None:
    """A new size that no number gives, or more than one may give, is refused."""
    formula, data, edited = _UNSOLVED[kind]
    sized: Any = read(_SIZED.format(formula), b"\2" + data)
    sized.body = edited
    with pytest.raises(FormatError, match=r"sample.body: found \d bytes, wanted \d bytes, as"):
        sized.to_bytes()
    assert (sized.head, sized.len) == (2, data[0])


def test_a_number_that_cannot_hold_the_size_is_refused() -> None:
    """A size beyond the largest value of its number is refused; the largest is written."""
    sized: Any = read(_SIZED.format("len & 0x3ff"), b"\0\2AB")
    sized.body = bytes(255)
    assert sized.to_bytes() == b"\0\xff" + bytes(255)
    sized.body = bytes(256)
    with pytest.raises(FormatError, match=r"found 256 bytes, wanted 255 bytes, as len & 1023"):
        sized.to_bytes()


def test_a_number_follows_each_edit_also_that_of_a_copy() -> None:
    """A number that followed one edit follows the next one too, even in a copy."""
    first: Any = read(_SIZED.format("len & 0x1f"), b"\0\2AB")
    first.body = b"ABC"
    assert first.to_bytes() == b"\0\3ABC"
    second = deepcopy(first)
    for record in (first, second):
        record.body = b"A"
        assert record.to_bytes() == b"\0\1A"
        record.len = 3
        with pytest.raises(FormatError, match="found 1 bytes, wanted 3 bytes"):
            record.to_bytes()


def test_an_edited_number_has_to_agree() -> None:
    """A number that the user edited is not changed, and has to agree with the size."""
    sized: Any = read(_SIZED.format("len & 0x1f"), b"\0\2AB")
    sized.body, sized.len = b"ABCD", 3
    with pytest.raises(FormatError, match=r"found 4 bytes, wanted 3 bytes, as len & 31 says"):
        sized.to_bytes()
    sized.len = 4
    assert sized.to_bytes() == b"\0\4ABCD"


_BOXES = """
seq:
  - {id: items, type: box, repeat: eos}
types:
  box:
    seq:
      - {id: len, type: u1}
      - {id: kind, type: u1}
      - id: body
        size: len_body
        type: {switch-on: kind, cases: {1: boxes}}
    instances:
      len_body: {value: len - 2}
  boxes:
    seq:
      - {id: items, type: box, repeat: eos}
"""


class TestBoxesInBoxes:
    """A size that counts its own head, around others."""

    _DATA = b"\x0a\1\x08\1\4\0AB\2\0\3\0C"

    def test_all_sizes_around_an_edit_follow(self) -> None:
        """All sizes around an edited value follow, from the innermost to the outermost."""
        boxes: Any = read(_BOXES, self._DATA)
        boxes.items[0].body.items[0].body.items[0].body = b"ABCD"
        assert boxes.to_bytes() == b"\x0c\1\x0a\1\6\0ABCD\2\0\3\0C"


def test_lists_that_share_a_count_agree_or_are_refused() -> None:
    """A shared count follows lists that grow together; one that grows alone is refused."""
    spec = """
seq:
  - {id: n, type: u1}
  - {id: xs, type: u1, repeat: expr, repeat-expr: n & 15}
  - {id: ys, type: u1, repeat: expr, repeat-expr: n & 15}
"""
    shared: Any = read(spec, b"\x41\5\6")
    shared.xs.append(7)
    with pytest.raises(FormatError, match=r"sample.xs: found 2 elements, wanted 1, as n & 15 says"):
        shared.to_bytes()
    shared.ys.append(8)
    assert shared.to_bytes() == b"\x42\5\7\6\x08"


_DIGITS = """
seq:
  - {id: len, type: number}
  - {id: body, size: len.value}
  - {id: rest, size-eos: true}
types:
  number:
    seq:
      - {id: groups, type: group, repeat: until, repeat-until: not _.more}
    instances:
      last: {value: groups.size - 1}
      value:
        value: 'groups[last].digit + (last >= 1 ? groups[last - 1].digit << 7 : 0)'
  group:
    seq:
      - {id: more, type: b1}
      - {id: digit, type: b7}
"""


def test_digits_in_a_list_of_groups_follow() -> None:
    """Digits of a size follow across groups with a carry; a size that needs more is refused."""
    digits: Any = read(_DIGITS, b"\x80\x7f" + bytes(127) + b"end")
    digits.body += b"\1\1\1"
    assert digits.to_bytes() == b"\x81\x02" + bytes(127) + b"\1\1\1end"
    short: Any = read(_DIGITS, b"\x7f" + bytes(127))
    short.body += b"\0"
    with pytest.raises(FormatError, match=r"sample"):
        short.to_bytes()


def test_records_made_by_hand_are_not_mended() -> None:
    """A record made by hand whose size disagrees is refused, and none of its numbers changes."""
    made: Any = module_of(_SIZED.format("len & 15")).Sample(head=0, len=2, body=b"ABC")
    with pytest.raises(FormatError, match=r"body: found 3 bytes, wanted 2 bytes, as len & 15"):
        made.to_bytes()


def test_numbers_of_the_parent_follow() -> None:
    """A size in the parent record, used through `_parent`, follows an edit of its child."""
    spec = """
seq:
  - {id: len, type: u1}
  - {id: items, type: item, repeat: expr, repeat-expr: 2}
types:
  item:
    seq:
      - {id: body, size: _parent.len + 1}
"""
    parent: Any = read(spec, b"\0AB")
    parent.items[0].body = b"AA"
    with pytest.raises(FormatError, match=r"body: found \d bytes, wanted \d bytes"):
        parent.to_bytes()
    parent.items[1].body = b"BB"
    assert parent.to_bytes() == b"\1AABB"
    assert parent.len == 1


def test_a_number_that_the_spec_gives_stays() -> None:
    """A list whose count is a number in the spec, by way of an instance, keeps that count."""
    spec = """
seq:
  - {id: xs, type: u1, repeat: expr, repeat-expr: count}
instances:
  count: {value: 2}
"""
    record: Any = read(spec, b"ab")
    record.xs.append(3)
    with pytest.raises(FormatError, match=r"sample.xs: found 3 elements, wanted 2, as count"):
        record.to_bytes()


_GROUPS = """
seq:
  - {id: groups, type: group, repeat: until, repeat-until: not _.has_next}
  - {id: rest, size-eos: true}
types:
  group:
    seq:
      - {id: has_next, type: b1}
      - {id: value, type: b7}
"""


class TestFlagsThatEndLists:
    """A flag of the elements says where their list ends; it follows an edit of the list."""

    @pytest.mark.parametrize("spec", [_GROUPS, _GROUPS.replace("  - {id: rest", "#")])
    def test_the_flag_follows_more_elements(self, spec: str) -> None:
        """The element that was the last one says that another follows."""
        found: Any = read(spec, b"\x81\x02")
        found.groups.append(deepcopy(found.groups[1]))
        assert found.to_bytes() == found.to_bytes() == b"\x81\x82\x02"

    def test_the_flag_follows_fewer_elements(self) -> None:
        """The element that is the last one now says that none follows."""
        found: Any = read(_GROUPS, b"\x81\x82\x03rest")
        del found.groups[1:]
        assert found.to_bytes() == b"\x01rest"

    def test_a_flag_that_was_edited_stays(self) -> None:
        """A flag that was edited is not changed back."""
        found: Any = read(_GROUPS, b"\x81\x82\x03")
        found.groups[0].has_next = False
        with pytest.raises(FormatError, match="at the end and only there"):
            found.to_bytes()
        assert [each.has_next for each in found.groups] == [False, True, False]

    def test_two_flags_that_could_follow_are_refused(self) -> None:
        """Which of two flags ends the list is not guessed."""
        spec = _GROUPS.replace("not _.has_next", "_.a or _.b").replace(
            "has_next, type: b1}\n      - {id: value, type: b7}",
            "a, type: b1}\n      - {id: b, type: b1}\n      - {id: value, type: b6}",
        )
        found: Any = read(spec, b"\x01\x82")
        found.groups.pop()
        with pytest.raises(FormatError, match="at the end and only there"):
            found.to_bytes()
        assert [(each.a, each.b) for each in found.groups] == [(False, False)]

    def test_a_number_that_ends_a_list_stays(self) -> None:
        """A number by which elements end their list is data, and is not changed."""
        found: Any = read("seq: [{id: xs, type: u1, repeat: until, repeat-until: _ == 0}]", b"ab\0")
        found.xs.append(1)
        with pytest.raises(FormatError, match="at the end and only there"):
            found.to_bytes()
