"""Written values take the encoding that makes them smallest, or that metadata asks for."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pytest
from tests.support.encoded_lance import ASKED, ENCODED, SMALL, WORDS, asking, encoded
from tests.support.written_lance import VERSIONS, check_written, encodings, planned, written

from byteloom import lance
from byteloom.errors import FormatError


def encoding_of(array: pa.Array, version: str = "2.2", **keys: str) -> str:
    """How the one page of a field with Lance metadata is encoded; it must be read as given."""
    ((text,),) = check_written(asking(array, keys), version)
    return text


def tried(array: pa.Array, version: str = "2.2", **keys: str) -> dict[str, int]:
    """The sizes of the encodings that were tried for the one page of such a field."""
    (page,) = planned(asking(array, keys), version)
    return page.tried


def small(count: int) -> pa.Array:
    """Numbers of one byte each."""
    return pa.array(np.arange(count).astype(np.int8))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ENCODED)
def test_a_column_gets_the_encoding_that_fits_it(name: str, version: str) -> None:
    """Each kind of column gets its encoding; version 2.2 has more of them than 2.1."""
    _, *wanted = ENCODED[name]
    assert wanted[VERSIONS.index(version)] in encoding_of(encoded(name)["c"].chunk(0), version)


@pytest.mark.parametrize(("runs", "taken"), [(112, "runs"), (113, "flat")])
def test_what_takes_96_of_100_bytes_is_taken(runs: int, taken: str) -> None:
    """An encoding of 576 bytes replaces plain values of 600; one of 581 does not."""
    numbers = np.random.default_rng(1).integers(0, 1 << 31, 146, np.int32)
    values = pa.array(numbers[np.arange(146) * runs // 146])
    (page,) = planned(asking(values, {"rle_threshold": "1"}), "2.2")
    sizes = page.tried["flat"], page.tried["runs"], page.encoding
    assert sizes == (600, 5 * runs + 16, taken)


def test_sizes_of_texts_count_their_offsets() -> None:
    """Three texts of six bytes have four offsets of four bytes; sixteen bytes are the chunk's."""
    assert tried(pa.array(["a", "bb", "ccc"]), "2.1") == {"flat": 6 + 4 * 4 + 16}


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


@pytest.mark.parametrize(
    ("word", "last", "is_tried"), [("abcde", "abc", 1), ("abcde", "ab", 0), ("abcd", "abcd", 0)]
)
def test_a_table_of_symbols_is_tried_for_32_kib_of_words(
    word: str, last: str, is_tried: bool
) -> None:
    """FSST is tried for 32 KiB of text whose longest value has at least five bytes."""
    words = pa.array([word] * ((1 << 15) // len(word) - (len(word) == 4)) + [last])
    assert ("fsst" in tried(words, dict_divisor=f"{1 << 31}")) == is_tried


@pytest.mark.parametrize(("count", "is_tried"), [(4080, True), (4079, False)])
def test_a_codec_is_tried_for_4_kib(count: int, is_tried: bool) -> None:
    """A codec is tried for values of 4,096 bytes, 16 of which are the chunk's, and not below."""
    assert ("lz4" in tried(small(count), compression="lz4")) == is_tried


@pytest.mark.parametrize(
    ("values", "is_tried"), [([0, 0, 1, 1, 2, 2, 3, 3], True), ([0, 0, 1, 1, 2, 2, 3, 4], False)]
)
def test_runs_are_tried_for_fewer_changes_than_half_of_the_values(
    values: list[int], is_tried: bool
) -> None:
    """Runs are tried for three changes among eight values, and not for four."""
    assert ("runs" in tried(pa.array(values, pa.int32()))) == is_tried


def test_a_dictionary_may_take_the_share_that_was_asked_for() -> None:
    """A dictionary that takes exactly the requested share is tried; one byte more is too much."""
    array = pa.array([f"a text of some length {n % 3}" for n in range(400)])
    sizes = tried(array, dict_size_ratio="1")
    share = sizes["dictionary"] / sizes["flat"]
    assert share * sizes["flat"] == sizes["dictionary"]
    assert "dictionary" in tried(array, dict_size_ratio=f"{share}")
    less = (sizes["dictionary"] - 1) / sizes["flat"]
    assert "dictionary" not in tried(array, dict_size_ratio=f"{less}")


@pytest.mark.parametrize(("more", "is_tried"), [(0, False), (1, True)])
def test_values_of_more_than_32_kib_are_compressed_each(more: int, is_tried: bool) -> None:
    """Zstandard is tried for values whose average size exceeds 32 KiB."""
    array = pa.array([bytes(1 << 15), b"x" * ((1 << 15) + more)])
    assert ("zstd" in tried(array)) == is_tried


@pytest.mark.parametrize(
    ("width", "most"), [(1, 4096), (2, 2048), (4, 1024), (1023, 8), (1024, None)]
)
def test_a_chunk_has_fewer_than_8186_bytes_of_values(width: int, most: int | None) -> None:
    """A chunk holds the largest power of two of values that fits; values on their own need none."""
    keys = {"structural_encoding": "miniblock", "compression": "none"}
    for rows in (most or 5, (most or 5) + 1):
        values = [b"%06d" % n * 200 for n in range(rows)]
        table = asking(pa.array([each[-width:] for each in values], pa.binary(width)), keys)
        with lance.open(written(table, "2.1")) as file:
            (page,) = file.columns()[0].pages
        ((text,),) = encodings(written(table, "2.1"))
        assert text.startswith("mini_block" if most else "full_zip")
        if most:
            assert page.buffers[0][1] == 2 * (1 + (rows > most))


@pytest.mark.parametrize(
    ("array", "sizes"),
    [
        (pa.nulls(5, pa.int32()), []),
        (pa.array([{"x": None}, None], pa.struct({"x": pa.int32()})), [0, 4]),
        (pa.array([[None], [None, None]], pa.list_(pa.int32())), [6, 6]),
        (pa.array([[], []], pa.list_(pa.int32())), [4, 4]),
    ],
)
def test_a_page_of_nulls_has_the_levels_that_it_needs(array: pa.Array, sizes: list[int]) -> None:
    """A page of nulls stores no levels for a plain column, and both kinds for a nested one."""
    data = written(pa.table({"c": array}), "2.1")
    assert encodings(data)[0][0].startswith("constant_layout(")
    with lance.open(data) as file:
        assert [size for _, size in file.columns()[0].pages[0].buffers] == sizes


# What metadata asks for


@pytest.mark.parametrize(
    ("array", "keys", "wanted"),
    ASKED,
)
def test_metadata_of_a_field_chooses_its_encoding(
    array: pa.Array, keys: dict[str, str], wanted: str
) -> None:
    """Lance's own metadata keys of a field choose its encoding."""
    assert wanted in encoding_of(array, **keys)


def test_metadata_chooses_dictionaries() -> None:
    """Metadata chooses when a dictionary is used, and what compresses it."""
    array = pa.array([f"a text of some length {n % 100}" for n in range(5000)])
    assert "dictionary=general(1" in encoding_of(array)
    assert "dictionary=general(2, level=3" in encoding_of(
        array, dict_values_compression="zstd", dict_values_compression_level="3"
    )
    assert "dictionary=variable" in encoding_of(array, dict_values_compression="none")
    assert "dictionary=" in encoding_of(array, dict_divisor="50")
    assert "dictionary=" not in encoding_of(array, dict_divisor="51")
    assert "dictionary=" not in encoding_of(array, dict_size_ratio="0.01")


def test_metadata_chooses_the_size_of_chunks() -> None:
    """A quarter of the chunk size in metadata makes four times as many chunks."""
    array, counts = pa.array([f"{n * 7:011}" for n in range(1000)]), []
    for size in ("4096", "1024"):
        table = asking(array, {"minichunk_size": size, "compression": "none"})
        with lance.open(written(table, "2.1")) as file:
            counts.append(file.columns()[0].pages[0].buffers[0][1] // 2)
    assert counts == [4, 16]


def write_nothing(key: str, value: str) -> None:
    """Begin a file with a field inside a struct that has Lance metadata."""
    inner = pa.field("x", pa.int8(), metadata={f"lance-encoding:{key}": value})
    lance.LanceWriter(io.BytesIO(), pa.schema([("c", pa.struct([inner]))])).abort()


@pytest.mark.parametrize(
    ("key", "sound", "wrong", "wanted"),
    [
        ("compression", ["zstd"], ["gzip"], "one of none, fsst, lz4, zstd"),
        ("compression-level", ["-7", "22"], ["-8", "23"], "a number from -7 to 22"),
        ("structural-encoding", ["fullzip"], ["zip"], "one of miniblock, fullzip"),
        ("rle-threshold", ["0", "1"], ["-0.1", "1.1"], "a number from 0 to 1"),
        ("bss", ["auto"], ["yes"], "one of off, on, auto"),
        ("dict-divisor", ["1", "2147483648"], ["0", "2147483649"], "a number from 1 to"),
        ("dict-size-ratio", ["0", "1"], ["-0.1", "1.1", "half"], "a number from 0 to 1"),
        ("dict-values-compression", ["none"], [""], "one of none, lz4, zstd"),
        ("dict-values-compression-level", ["-7", "22"], ["-8", "23"], "a number from -7 to"),
        ("minichunk-size", ["64", "32768"], ["63", "32769"], "a number from 64 to 32768"),
    ],
)
def test_metadata_that_means_nothing_is_refused(
    key: str, sound: list[str], wrong: list[str], wanted: str
) -> None:
    """The error for invalid metadata names the field, the key and the valid values."""
    for value in sound:
        write_nothing(key, value)
    for value in wrong:
        found = rf"lance-encoding:{key}: found '?{value}'?, wanted {wanted}"
        with pytest.raises(FormatError, match=rf"schema\.c\.x\.metadata\.{found}"):
            write_nothing(key, value)


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


def test_texts_of_a_chunk_end_at_a_multiple_of_the_width_of_their_offsets() -> None:
    """Texts of a chunk follow their offsets and are filled up to 4 bytes, with H as by pylance."""
    data = written(asking(pa.array(["a", "bb", "ccc"]), {"compression": "none"}), "2.1")
    with lance.open(data) as file:
        at, size = file.columns()[0].pages[0].buffers[1]
    offsets = np.array([16, 17, 19, 22], "<u4").tobytes()
    assert offsets + b"abbccc" + b"HH" in data[at : at + size]
