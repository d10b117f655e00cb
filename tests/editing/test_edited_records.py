"""Records are read, edited in one place and written; the edit is read back or refused."""

from typing import Any

import pytest
from tests.support.modules import read

from byteloom.errors import FormatError

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
