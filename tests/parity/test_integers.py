"""Kernels read and put integers of variable length as records do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.kernels import avro_items, hfile_cells
from byteloom.native import integers
from byteloom.wire import varints

if TYPE_CHECKING:
    from byteloom.native.kernel import Kernel

READ = {
    "uleb128": (integers.uleb128_at,),
    "zigzag": (integers.zigzag_at, integers.wide_zigzag_at),
    "hadoop": (integers.hadoop_at,),
}
PUT = {"uleb128": integers.put_uleb128, "hadoop": integers.put_hadoop}

words = st.integers(-(1 << 63), (1 << 63) - 1) | st.sampled_from(
    [sign * (1 << bits) - less for bits in range(64) for sign in (1, -1) for less in (0, 1)]
).filter(lambda each: -(1 << 63) <= each < 1 << 63)
runs = st.lists(st.sampled_from((0, 1, 0x7F, 0x80, 0x81, 0xFF)) | st.integers(0, 255), max_size=12)
ends = st.just(b"") | st.binary(max_size=12)


def by_record(form: str, data: bytes) -> tuple[int, int]:
    """An integer as records read it, as a signed word, and the place after it, if there is one."""
    try:
        value, stop = varints.FORMS[form][0](data, 0, len(data))
    except ValueError:
        return 0, integers.NOWHERE
    return value - (value >> 63 << 64) if form == "uleb128" else value, stop


def by_kernel(read: Kernel, data: bytes) -> tuple[int, int]:
    """An integer as a kernel reads it; its value counts where there is one."""
    array = np.frombuffer(data, np.uint8) if data else np.zeros(1, np.uint8)
    value, stop = map(int, read(array.ctypes.data, 0, len(data)))
    return (value, stop) if stop >= 0 else (0, stop)


@pytest.mark.parametrize("form", READ)
@given(runs.map(bytes), ends)
def test_any_bytes_are_the_same_integer_or_none(form: str, data: bytes, end: bytes) -> None:
    """Kernels read the same integer as records from any bytes, or none."""
    wanted = by_record(form, data + end)
    assert [by_kernel(each, data + end) for each in READ[form]] == [wanted] * len(READ[form])


@pytest.mark.parametrize("form", READ)
@given(words, ends)
def test_written_integers_are_read(form: str, value: int, end: bytes) -> None:
    """A written integer is read with its own number of bytes, whatever follows."""
    value = abs(value + (value < 0)) if form == "uleb128" else value
    stored = varints.FORMS[form][1](value)
    for each in READ[form]:
        assert by_kernel(each, stored + end) == (value, len(stored))


@given(runs.map(bytes))
def test_integers_are_passed_over_to_where_they_end(data: bytes) -> None:
    """Skipping an integer ends after the first byte without the high bit, of at most ten."""
    stops = [at + 1 for at, each in enumerate(data[:10]) if each < 0x80]
    array = np.frombuffer(data, np.uint8) if data else np.zeros(1, np.uint8)
    found = integers.pass_uleb128(array.ctypes.data, 0, len(data))
    assert found == (stops[0] if stops else integers.NOWHERE)


@pytest.mark.parametrize(
    ("value", "found"), [((1 << 31) - 1, ((1 << 31) - 1, 5)), (1 << 31, (0, -1)), (-1, (0, -1))]
)
def test_lengths_of_tags_have_at_most_31_bits(value: int, found: tuple[int, int]) -> None:
    """A tag length of 2^31 or more, or a negative one, is refused."""
    data = np.frombuffer(varints.FORMS["uleb128"][1](value & (1 << 64) - 1), np.uint8)
    assert hfile_cells.length_at(data.ctypes.data, 0, len(data)) == found


@pytest.mark.parametrize("form", PUT)
@given(words)
def test_integers_are_put_as_records_write_them(form: str, value: int) -> None:
    """Kernels put an integer in the bytes of its record, and touch none after them."""
    value = abs(value + (value < 0)) if form == "uleb128" else value
    out = np.zeros(12, np.uint8)
    stop = int(PUT[form](out.ctypes.data, 0, value))
    assert out.tobytes() == varints.FORMS[form][1](value).ljust(12, b"\0")
    assert stop == len(varints.FORMS[form][1](value))


def test_avros_code_of_a_number_is_that_of_no_integer() -> None:
    """Avro's error code for a number, negated, is the place that marks no integer."""
    assert integers.NOWHERE == -avro_items.NUMBER
