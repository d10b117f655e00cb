"""Every worked example of every format, against the generated records."""

import pytest

from byteloom.errors import ByteloomError, FormatError, Truncated
from tests.support.vectors import Vector, plain, tidy, vectors


def named(outcome: str) -> pytest.MarkDecorator:
    """Run a test for every vector of one outcome."""
    cases = vectors(outcome)
    return pytest.mark.parametrize("vector", cases, ids=[each.id for each in cases])


@named("value")
def test_a_value_reads_and_writes_back_byte_for_byte(vector: Vector) -> None:
    """What a vector shows is what is read, and what is read becomes the same bytes."""
    record = vector.record.from_bytes(vector.raw)
    assert plain(record) == tidy(vector.wanted)
    assert record.to_bytes() == vector.raw


@named("reads_as")
def test_a_tolerated_form_reads_and_is_never_written(vector: Vector) -> None:
    """Bytes that a reader accepts and no writer makes."""
    record = vector.record.from_bytes(vector.raw)
    assert plain(record) == tidy(vector.wanted)
    assert record.to_bytes() != vector.raw


@named("refused")
def test_a_wrong_form_is_refused_by_name(vector: Vector) -> None:
    """The error names the field, and says what the vector says."""
    with pytest.raises(FormatError) as refused:
        vector.record.from_bytes(vector.raw)
    assert refused.value.path == vector.wanted["field"]
    assert vector.wanted["because"] in str(refused.value)


@named("value")
def test_every_shorter_prefix_is_truncated(vector: Vector) -> None:
    """Cut a good example anywhere: the reader says so, and nothing else."""
    for size in range(len(vector.raw)):
        with pytest.raises(Truncated):
            vector.record.from_bytes(vector.raw[:size])


@named("value")
def test_a_flipped_bit_never_escapes(vector: Vector) -> None:
    """Whatever one damaged bit makes of an example, it reads or it is a ByteloomError."""
    for bit in range(8 * len(vector.raw)):
        damaged = bytearray(vector.raw)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            vector.record.from_bytes(bytes(damaged))
        except ByteloomError:
            continue
