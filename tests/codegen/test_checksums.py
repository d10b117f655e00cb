"""Generated records calculate checksums of any fields of theirs, before or after the checksum."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest
from crc32c import crc32c
from tests.support.gallery import rows
from tests.support.modules import module_of

from byteloom.errors import ChecksumMismatch
from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.load import load_text

if TYPE_CHECKING:
    from collections.abc import Iterator


def spec(*fields: str) -> str:
    """Return a spec of these fields."""
    return "seq:\n" + "".join(f"  - {{{each}}}\n" for each in fields)


def crc(name: str, first: str, last: str, type_: str = "u4", algorithm: str = "crc32") -> str:
    """Return a field with a checksum."""
    over = f"algorithm: {algorithm}, over: [{first}, {last}]"
    return f"id: {name}, type: {type_}, -loom-crc: {{{over}}}"


A, B, C = "id: a, type: u1", "id: b, size: 2", "id: c, type: u1"
BYTES = {"a": b"\1", "b": b"\2\3", "c": b"\4"}


def le(data: bytes) -> bytes:
    """Return the CRC-32 of bytes, as it is stored."""
    return zlib.crc32(data).to_bytes(4, "little")


a, b, c = BYTES.values()
INNER = le(b)
CASES = {
    "after": (spec(A, B, C, crc("k", "a", "c")), a + b + c + le(a + b + c)),
    "after, and a field between": (spec(A, B, C, crc("k", "a", "b")), a + b + c + le(a + b)),
    "after, of one field": (spec(A, B, C, crc("k", "a", "a")), a + b + c + le(a)),
    "before": (spec(crc("k", "a", "c"), A, B, C), le(a + b + c) + a + b + c),
    "before, and a field between": (spec(crc("k", "b", "c"), A, B, C), le(b + c) + a + b + c),
    "before, and a field after": (spec(A, crc("k", "b", "b"), B, C), a + le(b) + b + c),
    "before, big-endian": (
        spec(crc("k", "a", "c", "u4be"), A, B, C),
        le(a + b + c)[::-1] + a + b + c,
    ),
    "before, CRC-32C": (
        spec(crc("k", "a", "c", algorithm="crc32c"), A, B, C),
        crc32c(a + b + c).to_bytes(4, "little") + a + b + c,
    ),
    "after, CRC-32C": (
        spec(A, B, C, crc("k", "a", "c", algorithm="crc32c")),
        a + b + c + crc32c(a + b + c).to_bytes(4, "little"),
    ),
    "one over another, both before": (
        spec(crc("k", "l", "c"), A, crc("l", "b", "c"), B, C),
        le(le(b + c) + b + c) + a + le(b + c) + b + c,
    ),
    "one before, under one after": (
        spec(crc("k", "b", "b"), A, B, C, crc("l", "k", "c")),
        INNER + a + b + c + le(INNER + a + b + c),
    ),
    "one after, under one before": (
        spec(crc("k", "a", "l"), A, B, crc("l", "b", "b"), C),
        le(a + b + INNER) + a + b + INNER + c,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_checksum_is_that_of_its_fields(case: str) -> None:
    """It is calculated from exactly the bytes that `over` names, and each of these is checked."""
    text, data = CASES[case]
    sample = module_of(text).Sample
    made = sample(a=1, b=b"\2\3", c=4)
    assert made.to_bytes() == data
    read = sample.from_bytes(data)
    assert read == made
    read.b = b"\7\7"
    assert sample.from_bytes(read.to_bytes()) == sample(a=1, b=b"\7\7", c=4)


def test_fields_may_have_the_names_of_places() -> None:
    """Checksums whose names are those of places and values in the code do not disturb others."""
    fields = ("id: a_at, type: u1", "id: at, type: u1", "id: computed, type: u1")
    names = ("at_end", "k_place", "a_at_at", "l")
    after = [crc(each, "a", "at") for each in names]
    sample = module_of(spec(crc("k", "a", "at"), A, *fields, *after)).Sample
    stored = le(b"\1\2\3") + b"\1\2\3\4" + len(names) * le(b"\1\2\3")
    assert sample(a=1, a_at=2, at=3, computed=4).to_bytes() == stored
    assert sample.from_bytes(stored).to_bytes() == stored


def test_a_mismatch_inside_a_part_is_at_its_place_in_the_file() -> None:
    """The error about a checksum of a part counts from the first byte of the file."""
    part = f"types: {{p: {{seq: [{{{crc('k', 'a', 'a')}}}, {{{A}}}]}}}}\n"
    sample = module_of(spec(B, "id: p, type: p, size: 5") + part).Sample
    with pytest.raises(ChecksumMismatch) as raised:
        sample.from_bytes(b"\1\2" + le(b"\1") + b"\2")
    assert raised.value.offset == 2


UNCOVERED = {
    "after, and a field between": {"c"},
    "after, of one field": {"b", "c"},
    "before, and a field between": {"a"},
    "before, and a field after": {"a", "c"},
    "one over another, both before": {"a"},
    "one after, under one before": {"c"},
}
"""Fields that no checksum covers, where there are any."""


@pytest.mark.parametrize("case", CASES)
def test_a_flipped_bit_is_found_where_a_checksum_covers_it(case: str) -> None:
    """A flipped bit changes a field that no checksum covers, or is a mismatch at a checksum."""
    text, data = CASES[case]
    sample = module_of(text).Sample
    sound, changed, places = sample.from_bytes(data), set(), set()
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            found = sample.from_bytes(bytes(flipped))
        except ChecksumMismatch as error:
            places.add((error.path, error.offset))
        else:
            (name,) = (each for each in BYTES if getattr(found, each) != getattr(sound, each))
            changed.add(name)
    assert changed == UNCOVERED.get(case, set())
    assert places == {(f"sample.{each}", place) for each, place in _places(text)}


def _places(text: str) -> Iterator[tuple[str, int]]:
    """Yield the checksums of a spec, with their places."""
    place = 0
    for line in text.splitlines()[1:]:
        if "crc" in line:
            yield line.split("id: ")[1][0], place
        place += 4 if "crc" in line else 2 if "size" in line else 1


@pytest.mark.parametrize(
    ("fields", "wrong"),
    rows("checksums", "checksums_that_cannot_be_calculated_are_refused"),
)
def test_checksums_that_cannot_be_calculated_are_refused(
    fields: tuple[str, ...], wrong: str
) -> None:
    """A checksum over itself, or over one that is known later, is refused at its place."""
    with pytest.raises(SpecErrors) as raised:
        load_text(f"meta: {{id: t, endian: le}}\n{spec(*fields)}", "t.ksy")
    assert wrong in str(raised.value)
