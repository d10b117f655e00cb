"""Written values take the encoding that makes them smallest."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pytest
from tests.support.encoded_lance import ASKED, ENCODED, SMALL, WORDS, asking, encoded
from tests.support.lance_tables import difference
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.errors import FormatError
from byteloom.lance.describing import encoding_text
from byteloom.lance.writing.symbols import SymbolTable
from byteloom.lance.writing.values import VariableValues
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.lance.fsst import Fsst


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
    """Each kind of column gets its encoding; version 2.2 has more of them than 2.1."""
    _, *wanted = ENCODED[name]
    assert wanted[VERSIONS.index(version)] in encoding_of(encoded(name)["c"].chunk(0), version)


@pytest.mark.parametrize(("bits", "encoding"), [(61, "inline_bitpacking"), (62, "flat")])
def test_an_encoding_saves_a_twenty_fifth_at_least(bits: int, encoding: str) -> None:
    """Bit-packing is chosen for 61 of 64 bits, which save a twenty-fifth, and not for 62."""
    random = np.random.default_rng(1)
    values = pa.array(random.integers(0, 1 << bits, 5120, dtype=np.uint64))
    assert f"value_compression={encoding}" in encoding_of(values, "2.2")


@pytest.mark.parametrize("version", VERSIONS)
def test_dictionaries_are_for_100_values_and_more(version: str) -> None:
    """A page of 100 repetitive texts gets a dictionary, and one of 99 does not."""
    for rows, has_one in ((99, False), (100, True)):
        values = pa.array([f"a text of some length {n % 3}" for n in range(rows)])
        assert ("dictionary=" in encoding_of(values, version)) == has_one


def test_negative_numbers_are_not_packed() -> None:
    """A chunk with a negative number takes all bits; other chunks are packed all the same."""
    values = np.random.default_rng(2).integers(0, 100, 20_000)
    assert "inline_bitpacking" in encoding_of(pa.array(np.where(values == 0, 1, values)), "2.1")
    assert "flat(64)" in encoding_of(pa.array(values - 50), "2.1")
    values[:1000] -= 200
    assert "inline_bitpacking" in encoding_of(pa.array(values), "2.1")


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_integers_of_all_widths_are_packed(bits: int) -> None:
    """Chunks of every number of bits up to the width of the integer are packed."""
    random = np.random.default_rng(bits)
    chunks = [random.integers(0, 1 << each, 1024, dtype=np.uint64) for each in range(bits + 1)]
    values = pa.array(np.concatenate(chunks).astype(f"u{bits // 8}"))
    assert f"inline_bitpacking(uncompressed_bits_per_value={bits}" in encoding_of(values, "2.1")


@pytest.mark.parametrize("length", [1, 254, 255, 256, 510, 511, 5000])
def test_runs_of_any_length_are_written(length: int) -> None:
    """Runs of any length are written, those longer than 255 as several."""
    values = pa.array(np.repeat(np.arange(20) << 50, 2 * length)[length:])
    assert "rle(" in encoding_of(values, "2.1") or length == 1


def asked(array: pa.Array, version: str = "2.2", **keys: str) -> str:
    """How a column is encoded whose field has the given Lance metadata."""
    table = asking(array, keys)
    data = written(table, version)
    with lance.open(data) as file:
        assert (file.schema.field("c").metadata or {}) == table.schema.field("c").metadata
        assert difference(file.to_table(), table) is None
    (text,) = texts(data)
    return text


@pytest.mark.parametrize(
    ("array", "keys", "wanted"),
    ASKED,
)
def test_metadata_of_a_field_chooses_its_encoding(
    array: pa.Array, keys: dict[str, str], wanted: str
) -> None:
    """Lance's own metadata keys of a field choose its encoding."""
    if wanted not in asked(array, **keys):
        raise AssertionError(asked(array, **keys))


def test_metadata_chooses_dictionaries() -> None:
    """Metadata chooses when a dictionary is used, and what compresses it."""
    array = pa.array([f"a text of some length {n % 100}" for n in range(5000)])
    assert "dictionary=general(1" in asked(array)
    assert "dictionary=general(2, level=3" in asked(
        array, dict_values_compression="zstd", dict_values_compression_level="3"
    )
    assert "dictionary=variable" in asked(array, dict_values_compression="none")
    assert "dictionary=" in asked(array, dict_divisor="50")
    assert "dictionary=" not in asked(array, dict_divisor="51")
    assert "dictionary=" not in asked(array, dict_size_ratio="0.01")


def test_metadata_chooses_the_size_of_chunks() -> None:
    """A quarter of the chunk size in metadata makes four times as many chunks."""
    array, counts = pa.array([f"{n * 7:011}" for n in range(1000)]), []
    for size in ("4096", "1024"):
        metadata = {"lance-encoding:minichunk-size": size, "lance-encoding:compression": "none"}
        schema = pa.schema([pa.field("c", pa.string(), metadata=metadata)])
        with lance.open(written(pa.table([array], schema), "2.1")) as file:
            counts.append(file.columns()[0].pages[0].buffers[0][1] // 2)
    assert counts == [4, 16]


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("compression", "gzip", "one of none, fsst, lz4, zstd"),
        ("compression-level", "23", "a number from -7 to 22"),
        ("structural-encoding", "zip", "one of miniblock, fullzip"),
        ("rle-threshold", "1.1", "a number from 0 to 1"),
        ("bss", "yes", "one of off, on, auto"),
        ("dict-divisor", "0", "a number from 1 to"),
        ("dict-size-ratio", "half", "a number from 0 to 1"),
        ("dict-values-compression", "", "one of none, lz4, zstd"),
        ("minichunk-size", "63", "a number from 64 to 32768"),
    ],
)
def test_metadata_that_means_nothing_is_refused(key: str, value: str, wanted: str) -> None:
    """The error for invalid metadata names the field, the key and the valid values."""
    inner = pa.field("x", pa.int8(), metadata={f"lance-encoding:{key}": value})
    message = rf"schema\.c\.x\.metadata\.lance-encoding:{key}: found {value!r}, wanted {wanted}"
    with pytest.raises(FormatError, match=message):
        lance.LanceWriter(io.BytesIO(), pa.schema([("c", pa.struct([inner]))]))


def test_a_plan_says_what_was_chosen_and_why() -> None:
    """The plan lists each page of each leaf: its rows, its bytes, and the encodings tried."""
    struct = pa.StructArray.from_arrays([SMALL, WORDS, pa.nulls(5000)], ["a", "b", "c"])
    table = pa.table({"s": struct, "one": pa.array([7] * 5000)})
    writer = lance.LanceWriter(out := io.BytesIO(), table.schema, page_size=200_000)
    with writer:
        writer.write(table)
    with lance.open(out.getvalue()) as file:
        pages = [page for each in file.columns() for page in each.pages]
    sizes = [sum(size for _, size in page.buffers) for page in pages]
    assert sorted(sizes) == sorted(each.size for each in writer.plan)
    found = {each.column: each for each in reversed(writer.plan)}
    assert [(name, each.layout, each.encoding) for name, each in sorted(found.items())] == [
        ("one", "constant", "one value"),
        ("s.a", "mini-block", "bit-packing"),
        ("s.b", "mini-block", "fsst"),
        ("s.c", "null", "levels"),
    ]
    rows = [
        range(each.first, each.first + each.rows) for each in writer.plan if each.column == "one"
    ]
    assert [number for each in rows for number in each] == list(range(5000))
    last = found["s.a"]
    assert last.tried["bit-packing"] < last.tried["flat"]
    assert str(last) == (
        f"s.a: rows {last.first} to {last.first + last.rows - 1}: mini-block bit-packing, "
        f"{last.size} bytes: values take {last.tried['bit-packing']} bytes, "
        f"where others take {last.tried['flat']} flat, {last.tried['dictionary']} dictionary"
    )


def test_a_dictionary_of_more_items_than_its_indices_number_is_refused() -> None:
    """Joined dictionaries of batches are refused where their index type cannot number all items."""
    type_ = pa.dictionary(pa.int8(), pa.string())
    batches = [
        pa.DictionaryArray.from_arrays(
            pa.array(range(100), pa.int8()), pa.array([f"{first + n}" for n in range(100)])
        )
        for first in (0, 10, 60)
    ]
    table = pa.table({"c": pa.chunked_array(batches[:2], type_)})
    with lance.open(written(table, "2.2")) as file:
        assert file.to_table()["c"].to_pylist() == table["c"].to_pylist()
    with pytest.raises(FormatError, match=r"rows\.c: found .* wanted rows that fit into one dict"):
        written(pa.table({"c": pa.chunked_array(batches, type_)}), "2.2")


def test_a_symbol_table_has_one_symbol_for_three_first_bytes() -> None:
    """A table keeps the first of the symbols with equal three first bytes: no other is found."""
    pieces = [b"abcd", b"abc", b"abcde", b"abd", b"ab", b"a", b"abdx"]
    texts = np.array([int.from_bytes(each, "little") for each in pieces])
    table = SymbolTable(texts, np.array([len(each) for each in pieces]))
    found = Fsst.from_bytes(table.stored())
    symbols = [text[:size] for text, size in zip(found.symbols, found.lengths, strict=True)]
    assert symbols == [b"abcd", b"abd", b"ab", b"a"]


def test_texts_of_a_chunk_end_at_a_multiple_of_the_width_of_their_offsets() -> None:
    """Texts of a chunk follow their offsets and are filled up to 4 bytes, with H as by pylance."""
    values = VariableValues(np.array([0, 1, 3, 6]), np.frombuffer(b"abbccc", np.uint8), 4)
    (part,) = values.parts(np.array([0, 2, 3]))
    assert part.sizes.tolist() == [16, 12]
    first = np.array([12, 13, 15], "<u4").tobytes() + b"abb" + b"H"
    assert part.data.tobytes() == first + np.array([8, 11], "<u4").tobytes() + b"ccc" + b"H"
