"""Every worked example of every format, read and written by generated records and library."""

from dataclasses import fields
from pathlib import Path

import pytest
from tests.support.vectors import SPECS, Vector, tidy, vectors, vectors_of

from byteloom.errors import ByteloomError, FormatError, Truncated
from byteloom_codegen.load import load_spec


def named(*outcomes: str) -> pytest.MarkDecorator:
    """Run a test for every vector of these outcomes."""
    cases = [each for outcome in outcomes for each in vectors(outcome)]
    return pytest.mark.parametrize("vector", cases, ids=[each.id for each in cases])


@named("value")
def test_a_value_reads_and_writes_back_byte_for_byte(vector: Vector) -> None:
    """An example is read as the value shown, and written back to the same bytes."""
    read = vector.codec.read(vector.raw)
    assert vector.codec.plain(read) == tidy(vector.wanted)
    assert vector.codec.write(read) == vector.raw


@pytest.mark.parametrize(
    "vector", [each for each in vectors("value") if each.defaults], ids=lambda each: each.id
)
def test_what_is_left_out_has_the_default_of_the_spec(vector: Vector) -> None:
    """A record made without its fields under `defaults` becomes the same bytes."""
    read = vector.codec.read(vector.raw)
    given = {each.name for each in fields(read) if each.init} - set(vector.defaults)
    assert vector.record is not None
    made = vector.record(**{name: getattr(read, name) for name in given})
    assert made.to_bytes() == vector.raw


def test_every_default_has_an_example() -> None:
    """Each field with `-loom-default` is under `defaults` of a vector of its type."""
    shown = {
        (vector.record.NAME, name)
        for vector in vectors("value")
        if vector.record is not None
        for name in vector.defaults
    }
    types = [each for path in SPECS.glob("*/*.ksy") for each in load_spec(path).top.walk()]
    said = {
        (each.name, field.name) for each in types for field in each.seq if "default" in field.loom
    }
    assert said == shown


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("hex: '00', default: [x]", "puffin/footer_tail: one: unknown keys default"),
        ("hex: 10", "puffin/footer_tail: one: `hex` must be in quotes"),
    ],
)
def test_a_vector_with_a_mistake_is_named(tmp_path: Path, keys: str, words: str) -> None:
    """A key that no vector has, and bytes that YAML reads as a number, are errors with its name."""
    path = tmp_path / "puffin" / "vectors.yaml"
    path.parent.mkdir()
    path.write_text(f"footer_tail: [{{name: one, value: {{}}, {keys}}}]\n")
    with pytest.raises((ValueError, TypeError), match=words):
        vectors_of(path)


@named("reads_as")
def test_a_tolerated_form_reads_and_is_never_written(vector: Vector) -> None:
    """A tolerated form is read, and written as other bytes of the same meaning."""
    read = vector.codec.read(vector.raw)
    written = vector.codec.write(read)
    assert vector.codec.plain(read) == tidy(vector.wanted)
    assert written != vector.raw, "it is written as it was read: it is a `value`"
    assert vector.codec.write(vector.codec.read(written)) == written


@named("refused")
def test_a_wrong_form_is_refused_by_name(vector: Vector) -> None:
    """The error for an invalid example names the field, and says what the vector says."""
    with pytest.raises(FormatError) as refused:
        vector.codec.read(vector.raw)
    assert refused.value.path == vector.wanted["field"]
    assert vector.wanted["because"] in str(refused.value)


@named("value", "reads_as")
def test_every_shorter_prefix_is_refused(vector: Vector) -> None:
    """An example that is cut anywhere is refused, as truncated where a reader can know."""
    wanted = FormatError if vector.from_end else Truncated
    for size in range(len(vector.raw)):
        with pytest.raises(wanted, match=r"^[\w.\[\]]+( at byte \d+ \(0x[0-9a-f]+\))?: found "):
            _read_cut(vector, size)


def _read_cut(vector: Vector, size: int) -> None:
    """Read the first *size* bytes of a vector, which must fail."""
    vector.codec.read(vector.raw[:size])
    pytest.fail(
        f"its first {size} bytes are read: if they are sound, as where a record repeats to the end,"
        " give it an empty `value`, and this one to the type of its items (specs/README.md)"
    )


@named("value", "reads_as")
def test_a_flipped_bit_never_escapes(vector: Vector) -> None:
    """A flipped bit of an example gives a value or a ByteloomError."""
    for bit in range(8 * len(vector.raw)):
        damaged = bytearray(vector.raw)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            vector.codec.read(bytes(damaged))
        except ByteloomError:
            continue
