"""The streams of other records, as `_root._io`, inside records that have streams of their own."""

from textwrap import dedent

import pytest
from tests.support.gallery import rows
from tests.support.modules import read

_SPEC = """
seq:
  - {{id: heads, type: head, size: 8, repeat: expr, repeat-expr: 2}}
  - {{id: rest, size-eos: true}}
instances:
  total: {{value: _io.size}}
  there: {{pos: 20, type: head}}
types:
  head:
    seq:
      - {{id: first, type: u1}}
      - id: second
        type: u1
        {condition}
"""
_DATA = bytes(range(40))


def _second(condition: str) -> list[object]:
    """Return `second` of the records in sized substreams, then of the one at a position."""
    record = read(_SPEC.format(condition=condition), _DATA)
    assert record.to_bytes() == _DATA
    return [each.second for each in (*record.heads, record.there)]


class TestStreamsOfOthers:
    """Inside a record in a substream of its own."""

    @pytest.mark.parametrize("other", ["_root._io.size", "_parent._io.size", "_root.total"])
    def test_the_size_is_that_of_the_whole_file(self, other: str) -> None:
        """The size of another record's stream is not that of the substream."""
        assert _second(f"if: {other} == 40") == [1, 9, 21]
        assert _second(f"valid: {{expr: '_ < {other}'}}") == [1, 9, 21]
        assert _second(f"repeat: expr\n        repeat-expr: {other} - 38")[:2] == [[1, 2], [9, 10]]

    def test_the_position_is_after_the_substream(self) -> None:
        """The position of the parent's stream is after a substream, as soon as that is begun."""
        assert _second("if: _parent._io.pos == 8") == [1, None, None]
        assert _second("if: _root._io.pos == 16") == [None, 9, None]

    def test_a_part_at_a_position_moves_the_stream_that_it_shares(self) -> None:
        """A part without a size shares its parent's stream, whose position it moves."""
        assert _second("if: _parent._io.pos == 21") == [None, None, 21]

    def test_the_end_is_that_of_the_other_stream(self) -> None:
        """A stream is at its end when no bytes of it are left, however many of the substream."""
        assert _second("if: _root._io.eof") == [None, None, None]
        assert _second("if: not _root._io.eof") == [1, 9, 21]

    @pytest.mark.parametrize(
        ("param", "argument", "size"),
        rows("streams", "a_parameter_keeps_its_own_stream"),
    )
    def test_a_parameter_keeps_its_own_stream(self, param: str, argument: str, size: str) -> None:
        """A record or a stream that is passed as a parameter keeps the size that it has."""
        text = f"""
        seq: [{{id: box, type: 'box({argument})', size: 3}}, {{id: rest, size-eos: true}}]
        instances: {{total: {{value: _io.size}}}}
        types:
          box:
            params: [{{id: up, type: {param}}}]
            seq: [{{id: a, type: u1}}, {{id: b, type: u1, if: '{size} == 40'}}]
        """
        record = read(dedent(text), _DATA)
        assert record.box.b == 1
        assert record.to_bytes() == _DATA

    def test_an_element_read_before_keeps_its_own_stream(self) -> None:
        """A record of a list that was read before is at the position where it ended."""
        text = """
        seq:
          - {id: items, type: item, size: 3, repeat: expr, repeat-expr: 2}
          - {id: box, type: box, size: 3}
        types:
          item: {seq: [{id: x, type: u1}]}
          box:
            seq:
              - {id: a, type: u1}
              - {id: b, type: u1, if: _parent.items.last._io.pos == 1}
              - {id: c, type: u1, if: '_parent.items[0]._io.eof'}
        """
        box = read(dedent(text), _DATA[:9]).box
        assert (box.b, box.c) == (7, None)

    def test_the_stream_of_an_element_may_be_a_parameter(self) -> None:
        """Sizes and places in the stream of an element that was passed are written back."""
        text = """
        seq:
          - {id: items, type: item, size: 3, repeat: expr, repeat-expr: 2}
          - {id: box, type: 'box([items[1]._io, _io])', size-eos: true}
        types:
          item: {seq: [{id: x, type: u1}]}
          box:
            params: [{id: up, type: 'io[]'}]
            seq: [{id: a, size: 'up[0].size'}, {id: b, size: 'up[1].size - 9'}]
            instances: {c: {io: 'up[0]', pos: 1, size: 2}}
        """
        record = read(dedent(text), _DATA[:13])
        assert (record.box.a, record.box.b, record.box.c) == (_DATA[6:9], _DATA[9:13], _DATA[4:6])
        assert record.to_bytes() == _DATA[:13]
