"""Every edit is written, even of what equality of records ignores; what was only read is not."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.modules import read

_SPEC = """
seq:
  - {id: num, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num}
types:
  entry:
    seq:
      - {id: ofs, type: u1}
      - {id: kind, type: kind}
    instances:
      body: {pos: ofs, size: 2}
      inner: {pos: ofs, type: kind}
      around: {pos: ofs, type: around}
  around: {instances: {inner: {pos: 6, size: 1}}}
  kind: {seq: [{id: value, type: u1}]}
"""
_DATA = b"\2\5\1\6\2abcd"


def _edit_body(sample: Any) -> None:
    sample.entries[1].body = b"XY"


def _edit_inner(sample: Any) -> None:
    sample.entries[0].inner.value = 7


def _edit_part_of_part(sample: Any) -> None:
    sample.entries[0].around.inner = b"Z"


def _edit_kind(sample: Any) -> None:
    sample.entries[1].kind.value = 9


def _drop(sample: Any) -> None:
    del sample.entries[1]


@pytest.mark.parametrize(
    ("edit", "written"),
    [
        (_edit_body, b"\2\5\1\6\2aXYd"),
        (_edit_inner, b"\2\5\1\6\2\7bcd"),
        (_edit_part_of_part, b"\2\5\1\6\2aZcd"),
        (_edit_kind, b"\2\5\1\6\x09abcd"),
        (_drop, b"\1\5\1\0\0abcd"),
    ],
)
def test_an_edit_is_written(edit: Callable[[Any], None], written: bytes) -> None:
    """A part that was read when asked, what is inside it, a field, a list: none is overlooked."""
    sample: Any = read(_SPEC, _DATA)
    edit(sample)
    assert sample.to_bytes() == written
