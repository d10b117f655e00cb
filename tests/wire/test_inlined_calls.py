"""Methods that are inlined do the work of the reader and the writer themselves."""

from __future__ import annotations

import linecache
import re
from typing import Any

import pytest
from tests.support.inlined_parity import at_once
from tests.support.modules import module_of

from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire.inlining import reading, writing

_EVERY_KIND = """
seq:
  - {id: magic, contents: NOTE}
  - {id: kind, type: u1, enum: kind}
  - {id: signed, type: s2be}
  - {id: double, type: f8}
  - {id: high, type: b3}
  - {id: low, type: b13}
  - {id: three, type: b3le}
  - {id: five, type: b5le}
  - {id: single, type: f4}
  - {id: len_text, type: u1}
  - {id: text, type: str, encoding: UTF-8, size: len_text}
  - {id: word, type: strz, encoding: ASCII}
  - {id: padded, type: str, encoding: ASCII, size: 4, pad-right: 0x20}
  - {id: raw, size: kind.to_i + 1}
  - {id: optional, type: u2, enum: kind, if: kind == kind::one}
  - {id: numbers, type: u2, repeat: expr, repeat-expr: kind.to_i}
  - {id: octets, type: u1, repeat: expr, repeat-expr: 2}
  - {id: words, type: strz, encoding: ASCII, repeat: expr, repeat-expr: 2}
  - {id: enums, type: u1, enum: kind, repeat: expr, repeat-expr: 2}
  - {id: until, type: u1, repeat: until, repeat-until: _ == 0}
  - {id: point, type: point}
  - {id: points, type: point, repeat: expr, repeat-expr: 2}
  - {id: sized, type: point, size: 2}
  - {id: part, type: part, size: 3}
  - {id: either, type: {switch-on: kind, cases: {kind::one: point, _: part}}}
  - {id: more, type: point, repeat: eos}
types:
  point: {seq: [{id: x, type: u1}, {id: y, type: s1, enum: kind}]}
  part: {seq: [{id: rest, size-eos: true}]}
enums: {kind: {0: none, 1: one}}
"""
_BYTES = (
    b"NOTE\1\xff\xfe\0\0\0\0\0\0\xf8?\x20\2\x23\0\0\0?"  # up to `single`
    b"\2\xc3\xa9a\0ab  xy\1\0"  # up to `optional`
    b"\1\2\3\4a\0\0\1\0\2\0"  # up to `until`
    b"\1\1\1\1\2\2\1\1end\1\0\5\1\6\0"
)


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """The functions that the inlined methods of a record call, but for those of their own."""
    at_once(monkeypatch)
    module = module_of(_EVERY_KIND)
    found = reading.read_inlined(module.Sample, _BYTES, DEFAULT_LIMITS, 0, {})
    assert found is not None
    assert writing.write_inlined(found[0]) == _BYTES
    return {name: _called(module, name) for name in ("inlined", "inlined writes")}


def _called(module: Any, name: str) -> set[str]:
    text = "".join(linecache.getlines(f"<{module.__name__}, {name}>"))
    assert text
    return set(re.findall(r"(?<![.\w])(?:[rw]\.\w+|[a-z]\w*)(?=\()", text))


def test_no_field_is_read_by_the_reader(printed: dict[str, set[str]]) -> None:
    """The reader only keeps what a window has after its record."""
    assert printed["inlined"] == {"int", "r._keep_left", "type"}


def test_no_field_is_put_by_the_writer(printed: dict[str, set[str]]) -> None:
    """The writer is called for padded text, and for runs with floats that are not numbers."""
    assert printed["inlined writes"] == {"enumerate", "int", "len", "w.run_floats", "w.sized"}
