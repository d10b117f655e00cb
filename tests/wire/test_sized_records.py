"""Records in bytes of their own are written in place, with the sizes that come before them."""

from typing import Any

import pytest
from tests.support.modules import module_of

from byteloom.errors import FormatError

NESTED = """
seq:
  - {id: len_middle, type: u2}
  - {id: middle, type: middle, size: len_middle}
  - {id: last, type: u1}
types:
  middle:
    seq:
      - {id: len_inner, type: u1}
      - {id: inner, type: inner, size: len_inner}
      - {id: rest, size-eos: true}
  inner:
    seq:
      - {id: flag, type: b1}
      - {id: low, type: b7}
      - {id: number, type: u2}
"""
BYTES = bytes.fromhex("0700 03 85 0201 616263 09")


@pytest.fixture(scope="module")
def module() -> Any:
    """The module of nested sized records."""
    return module_of(NESTED)


def made(module: Any, number: int = 258, rest: bytes = b"abc") -> Any:
    """Make the records that the bytes are read as."""
    inner = module.Inner(flag=True, low=5, number=number)
    return module.Sample(middle=module.Middle(inner=inner, rest=rest), last=9)


def test_sizes_come_before_records_inside_records(module: Any) -> None:
    """Each size is that of the record after it, at every level."""
    assert made(module).to_bytes() == BYTES
    assert made(module, rest=bytes(300)).to_bytes()[:2] == (304).to_bytes(2, "little")
    assert module.Sample.from_bytes(BYTES) == made(module)


def test_bytes_after_the_fields_of_a_sized_record_stay(module: Any) -> None:
    """A record that was read with more bytes than its fields take is written with them."""
    data = bytes.fromhex("0700 05 85 0201 6162 63 09")
    record = module.Sample.from_bytes(data)
    record.middle.inner.number = 7
    assert record.to_bytes() == bytes.fromhex("0700 05 85 0700 6162 63 09")


def test_a_number_that_does_not_fit_is_named_in_the_records_around_it(module: Any) -> None:
    """A number out of range has the path of its field, and the range in words."""
    wanted = r"sample\.middle\.inner\.number: found 65536, wanted an integer from 0 to 65535"
    with pytest.raises(FormatError, match=wanted):
        made(module, number=1 << 16).to_bytes()


def test_a_size_that_does_not_fit_its_field_is_refused(module: Any) -> None:
    """A record that is larger than its size can say is refused with the name of the size."""
    with pytest.raises(FormatError, match=r"sample\.len_middle: found 70004, wanted an integer"):
        made(module, rest=bytes(70_000)).to_bytes()
