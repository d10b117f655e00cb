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
_DATA = b"\x06\1aXY!" + b"\x05\0ZZ?"


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
