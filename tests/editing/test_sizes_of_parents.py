"""The size of a field may depend on a length that follows from the record around the field."""

from typing import Any

import pytest
from tests.support.modules import read

from byteloom.errors import FormatError

_SIZED = """
seq:
  - {id: chunks, type: chunk, repeat: eos}
types:
  chunk:
    seq:
      - {id: len, type: u1}
      - {id: body, size: len - 2, type: body}
      - {id: end, type: u1}
  body:
    seq:
      - {id: len_name, type: u1}
      - {id: name, size: len_name}
      - {id: value, size: _parent.len - 3 - len_name}
"""
_COUNTED = """
seq:
  - {id: len, type: u1}
  - {id: body, size: len, type: body}
types:
  body:
    seq:
      - {id: kind, type: u1}
      - {id: numbers, type: u2, repeat: expr, repeat-expr: (_parent.len - 1) / 2}
"""
_DATA = b"\x06\1aXY!" + b"\x05\0ZZ?"


def test_a_field_that_takes_what_is_left_may_have_any_size() -> None:
    """The length around it follows, even where another field of the record was edited."""
    record: Any = read(_SIZED, _DATA)
    record.chunks[0].body.value = b"longer"
    assert record.to_bytes() == b"\x0a\1alonger!" + b"\x05\0ZZ?"
    record.chunks[1].body.name = b"name"
    assert record.to_bytes() == b"\x0a\1alonger!" + b"\x09\4nameZZ?"
    record.chunks.pop(0)
    assert record.to_bytes() == b"\x09\4nameZZ?"


@pytest.mark.parametrize("count", [0, 1, 9])
def test_a_list_that_takes_what_is_left_may_have_any_count(count: int) -> None:
    """A list that fills the bytes around it may have any count."""
    record: Any = read(_COUNTED, b"\5\7\1\0\2\0")
    record.body.numbers = [3] * count
    assert record.to_bytes() == bytes([1 + 2 * count, 7]) + b"\3\0" * count


def test_a_record_made_by_hand_is_written_likewise() -> None:
    """Nothing about the sizes has to be known from reading."""
    record: Any = read(_COUNTED, b"\1\7")
    kind = type(record)
    made = kind(body=type(record.body)(kind=7, numbers=[1, 2]))
    assert made.to_bytes() == b"\5\7\1\0\2\0"


def test_a_size_that_does_not_fit_is_refused_as_ever() -> None:
    """A list that fills the rest of a fixed size must have exactly that size."""
    spec = _SIZED.replace("_parent.len - 3 - len_name", "_parent.len - 4 - len_name")
    record: Any = read(spec.replace("size: len - 2", "size: len - 3"), _DATA[:1] + b"\1aX!")
    record.chunks[0].body.value = b"longer"
    assert len(record.to_bytes()) == 10
    uneven: Any = read(_SIZED.replace("- 3 - len_name", "- 3"), b"\x05\0ZZ?")
    uneven.chunks[0].body.name = b"n"
    with pytest.raises(FormatError, match=r"value: found 2 bytes, wanted 3 bytes, as _parent.len"):
        uneven.to_bytes()
