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
