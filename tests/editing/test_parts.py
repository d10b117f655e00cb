"""Parts at places of their own are read when they are asked for, and follow an edit."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from tests.support.modules import module_of, read

from byteloom.errors import FormatError
from byteloom.limits import Limits

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
_NAMED = b"\6ab\0cd\0" + b"\0\3"


class TestPartsReadWhenTheyAreAskedFor:
    """Lazy parts at positions of their own, which may not have been read yet."""

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

    def test_limits_of_a_record_hold_for_its_edits(self) -> None:
        """What moves in a record that was read with other limits is found with these limits."""
        chain = b"\1" * 250 + b"\0"
        data = (255).to_bytes(2, "little") + chain + b"\1aBOD"
        record: Any = module_of(_CHAINED).Sample.from_bytes(data, limits=Limits(nesting=300))
        record.name = b"abc"
        assert record.to_bytes() == (257).to_bytes(2, "little") + chain + b"\3abcBOD"
