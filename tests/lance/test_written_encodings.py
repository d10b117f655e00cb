"""Values of Lance files that we write take the encoding that makes them smallest."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.support.encoded_lance import ENCODED, encoded
from tests.support.lance_tables import difference
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.lance.describing import encoding_text
from byteloom.limits import DEFAULT_LIMITS


def texts(data: bytes) -> list[str]:
    """How the pages of a file are encoded."""
    with lance.open(data) as file:
        return [encoding_text(p, DEFAULT_LIMITS) for each in file.columns() for p in each.pages]


def encoding_of(array: pa.Array, version: str) -> str:
    """How the one page of a column is encoded; it must be read as it was given."""
    table = pa.table({"c": array})
    data = written(table, version)
    with lance.open(data) as file:
        assert difference(file.to_table(), table) is None
        rows = np.arange(0, len(table), 97)
        assert difference(file.take(rows), table.take(rows)) is None
    (text,) = texts(data)
    return text


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ENCODED)
def test_a_column_gets_the_encoding_that_fits_it(name: str, version: str) -> None:
    """Bit-packing, runs, dictionaries, one value; in 2.2 some more than in 2.1."""
    _, *wanted = ENCODED[name]
    assert wanted[VERSIONS.index(version)] in encoding_of(encoded(name)["c"].chunk(0), version)


@pytest.mark.parametrize(("bits", "encoding"), [(60, "inline_bitpacking"), (61, "flat")])
def test_an_encoding_saves_a_twentieth_at_least(bits: int, encoding: str) -> None:
    """60 of 64 bits are that, 61 are not."""
    random = np.random.default_rng(1)
    values = pa.array(random.integers(0, 1 << bits, 5120, dtype=np.uint64))
    assert f"value_compression={encoding}" in encoding_of(values, "2.2")


@pytest.mark.parametrize("version", VERSIONS)
def test_dictionaries_are_for_100_values_and_more(version: str) -> None:
    """A page of fewer is not worth another buffer."""
    for rows, has_one in ((99, False), (100, True)):
        values = pa.array([f"a text of some length {n % 3}" for n in range(rows)])
        assert ("dictionary=" in encoding_of(values, version)) == has_one


def test_negative_numbers_are_not_packed() -> None:
    """One that is negative takes all bits of its chunk; the others are packed all the same."""
    values = np.random.default_rng(2).integers(0, 100, 20_000)
    assert "inline_bitpacking" in encoding_of(pa.array(np.where(values == 0, 1, values)), "2.1")
    assert "flat(64)" in encoding_of(pa.array(values - 50), "2.1")
    values[:1000] -= 200
    assert "inline_bitpacking" in encoding_of(pa.array(values), "2.1")


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_integers_of_all_widths_are_packed(bits: int) -> None:
    """Each number of bits that an integer can have, in chunks of their own."""
    random = np.random.default_rng(bits)
    chunks = [random.integers(0, 1 << each, 1024, dtype=np.uint64) for each in range(bits + 1)]
    values = pa.array(np.concatenate(chunks).astype(f"u{bits // 8}"))
    assert f"inline_bitpacking(uncompressed_bits_per_value={bits}" in encoding_of(values, "2.1")


@pytest.mark.parametrize("length", [1, 254, 255, 256, 510, 511, 5000])
def test_runs_of_any_length_are_written(length: int) -> None:
    """One that is longer than 255 is written as several."""
    values = pa.array(np.repeat(np.arange(20) << 50, 2 * length)[length:])
    assert "rle(" in encoding_of(values, "2.1") or length == 1
