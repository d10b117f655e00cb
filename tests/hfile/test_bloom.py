"""Bloom filters of HBase and Hudi pass the keys added, deny most others, and refuse bad bytes.

Hudi's filters have no public builder, so theirs is imported.
"""

from __future__ import annotations

import base64
import io
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import hfile_damage as damage
from tests.support.hfile_cells import regular
from tests.support.slices import sliced, sliced_table

from byteloom import hfile
from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.hfile import BlockCache, BloomBuilder, HFileWriter, hudi_bloom
from byteloom.hfile.hudi_bloom import HudiBloomFilter, build
from byteloom_generated.hfile.bloom import Bloom
from byteloom_generated.hfile.hudi_bloom import Dynamic

if TYPE_CHECKING:
    from pathlib import Path

KEYS = st.lists(st.binary(max_size=20), min_size=1, max_size=60)


def chunks_of(builder: BloomBuilder, rows: list[bytes], **more: Any) -> list[Any]:
    """Return the chunks of a filter of *rows*."""
    builder.add(rows, **more)
    return builder.ready(closing=True)


@pytest.mark.parametrize("hash_type", ["jenkins", "murmur", "murmur3"])
def test_keys_added_at_once_or_one_by_one_make_the_same_filter(hash_type: str) -> None:
    """Keys added in one or many calls make the same filter; a repeated key counts once."""
    rows = [b"row %03d" % (number // 2) for number in range(400)]
    whole, single = (BloomBuilder(chunk_size=64, hash_type=hash_type) for _ in range(2))
    whole.add(pa.array(rows))
    for row in rows:
        single.add([row])
    assert whole.ready(closing=True) == single.ready(closing=True)
    assert whole.num_keys == single.num_keys == 200


def test_a_chunk_that_gets_few_keys_is_folded() -> None:
    """A chunk with one key is folded to two bytes, whatever its requested size."""
    (chunk,) = chunks_of(BloomBuilder(chunk_size=1 << 17), [b"a"])
    assert (len(chunk.bits), chunk.first_key) == (2, b"a")


def test_chunks_are_reported_when_they_are_full_and_once() -> None:
    """Each chunk is reported once, when it is full; the last one is reported at the end."""
    builder = BloomBuilder(chunk_size=64)
    reported = []
    for number in range(300):
        builder.add([b"%04d" % number])
        reported += builder.ready()
    assert len(reported) == 2
    last = builder.ready(closing=True)
    keys = [chunk.first_key for chunk in reported + last]
    assert all(one < other for one, other in pairwise(keys))
    with pytest.raises(FormatError, match="found chunks without a place"):
        builder.metadata()
    for number in range(len(keys)):
        builder.placed(1000 * number, 100)
    record = Bloom.from_bytes(builder.metadata() or b"")
    assert [chunk.key for chunk in record.chunks] == keys
    assert (record.num_keys, record.len_chunks) == (300, sum(len(c.bits) for c in reported + last))


def test_a_filter_without_keys_is_not_written() -> None:
    """A filter without keys has no chunks, no metadata and no file info."""
    builder = BloomBuilder()
    assert (builder.ready(closing=True), builder.metadata(), builder.file_info()) == ([], None, {})


def test_the_empty_key_is_a_key() -> None:
    """The empty key is added like any other, even if it is the first one."""
    assert len(chunks_of(BloomBuilder(), [b"", b""])) == 1


SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "ROWS"}, "bloom.kind"),
    ({"hash_type": "md5"}, "bloom.hash_type"),
    ({"kind": "ROWPREFIX_FIXED_LENGTH"}, "bloom.prefix_length"),
    ({"prefix_length": 3}, "bloom.prefix_length"),
    ({"error_rate": 0.0}, "bloom"),
    ({"error_rate": 1.0}, "bloom"),
    ({"error_rate": 0.7}, "bloom.error_rate"),
    ({"chunk_size": 0}, "bloom"),
    ({"chunk_size": 1 << 40}, "bloom.chunk_size"),
    ({"max_fold": -1}, "bloom"),
    ({"max_fold": 30}, "bloom.chunk_size"),
    ({"max_fold": 31}, "bloom"),
    ({"chunk_size": 1 << 28, "max_fold": 0}, "bloom.chunk_size"),
    ({"error_rate": 2.0**-150}, "bloom.error_rate"),
    ({"error_rate": 1 - 2.0**-25}, "bloom.error_rate"),
    ({"kind": "ROWCOL", "error_rate": 2.0**-25}, "bloom.error_rate"),
    ({"chunk_size": 1, "max_fold": 0, "error_rate": 1e-9}, "bloom.chunk_size"),
]


@pytest.mark.parametrize(("settings", "path"), SETTINGS, ids=str)
def test_settings_that_make_no_filter_are_refused(settings: dict[str, Any], path: str) -> None:
    """Invalid settings of a filter are refused by name, when it is created."""
    with pytest.raises(FormatError, match=rf"^{path}: found"):
        BloomBuilder(**settings)


@pytest.mark.parametrize(
    ("settings", "hashes", "room"),
    [
        ({"chunk_size": (1 << 28) - 1, "max_fold": 0}, 7, 223_860_499),
        ({"max_fold": 27}, 7, 111_930_249),
        ({"error_rate": 2.0**-149}, 150, 4_877),
        ({"kind": "ROWCOL", "error_rate": 2.0**-24}, 25, 29_072),
    ],
    ids=str,
)
def test_settings_at_their_limits_make_a_filter(
    settings: dict[str, Any], hashes: int, room: int
) -> None:
    """Filters with the largest chunk, the most folds or the lowest error rates are created."""
    builder = BloomBuilder(**settings)
    assert (builder._num_hashes, builder._room) == (hashes, room)


def test_a_filter_of_columns_needs_columns() -> None:
    """A filter of rows and columns needs one qualifier for each row, and no nulls."""
    builder = BloomBuilder("ROWCOL")
    with pytest.raises(FormatError, match="qualifiers"):
        builder.add([b"a"])
    with pytest.raises(FormatError, match="qualifiers"):
        builder.add([b"a"], [b"x", b"y"])
    with pytest.raises(FormatError, match="null"):
        builder.add(pa.array([b"a", None]), [b"x", b"y"])


@pytest.mark.parametrize("kind", ["SIMPLE", "DYNAMIC_V0"])
@given(keys=KEYS)
def test_what_was_added_to_a_filter_of_hudi_passes(kind: str, keys: list[bytes]) -> None:
    """Every key of a Hudi filter passes it, whether it has one row or several."""
    text = build(keys, kind, num_entries=10, error_rate=1e-5, max_entries=100)
    assert HudiBloomFilter(text, kind).might_contain(keys).all()


@pytest.mark.parametrize(
    ("kind", "name", "skips"),
    [
        ("SIMPLE", b"bloomFilter", True),
        ("DYNAMIC_V0", b"bloomFilter", True),
        ("CUCKOO", b"bloomFilter", False),
        ("SIMPLE", b"otherFilter", False),
    ],
)
def test_no_block_is_read_for_a_row_that_a_filter_of_hudi_lacks(
    kind: str, name: bytes, skips: bool
) -> None:
    """A filter of a known kind under Hudi's name spares blocks; damage in them is not seen."""
    text = build([b"a", b"c"], "SIMPLE" if kind == "CUCKOO" else kind, error_rate=1e-9)
    file_info = {b"bloomFilterTypeCode": kind.encode()}
    with HFileWriter(place := io.BytesIO(), file_info=file_info) as writer:
        writer.write(pa.table({"row": pa.array([b"a", b"c"], pa.binary())}))
        writer.put_meta(name, text)
    damaged = bytearray(place.getvalue())
    damaged[40] ^= 1
    with hfile.open(bytes(damaged)) as file:
        with pytest.raises(FormatError, match="checksum"):
            file.get(b"a")
        if skips:
            assert file.get(b"b").num_rows == 0
        else:
            with pytest.raises(FormatError, match="checksum"):
                file.get(b"b")


def test_what_was_not_added_mostly_does_not_pass() -> None:
    """Of keys not added, at most a few pass, close to the requested error rate."""
    text = build([b"%d" % n for n in range(1000)], num_entries=1000, error_rate=0.01)
    others = HudiBloomFilter(text, "DYNAMIC_V0").might_contain([b"x%d" % n for n in range(20_000)])
    assert 0 < others.sum() < 400


def test_a_dynamic_filter_gets_a_row_for_so_many_keys() -> None:
    """A dynamic filter starts a new row when the last one is full, up to a maximum of keys."""
    text = build([b"%d" % n for n in range(25)], num_entries=10, max_entries=30)
    record = Dynamic.from_bytes(base64.b64decode(text))
    assert (len(record.rows), record.keys_per_row, record.keys_in_last_row) == (3, 10, 5)
    with pytest.raises(FormatError, match="at most 30"):
        build([b"%d" % n for n in range(31)], num_entries=10, max_entries=30)


def test_filters_of_hudi_are_refused_by_name() -> None:
    """A Hudi filter of an unknown kind, with invalid base64, or cut off is refused."""
    with pytest.raises(Unsupported, match="CUCKOO"):
        HudiBloomFilter(b"", "CUCKOO")
    with pytest.raises(FormatError, match="base64"):
        HudiBloomFilter(b"***", "SIMPLE")
    with pytest.raises(FormatError, match=r"^hudi_bloom\.bits at byte 13 .* wanted \d+ bytes"):
        HudiBloomFilter(build([b"a"], "SIMPLE")[:-8], "SIMPLE")


@given(st.binary(max_size=80), st.sampled_from(["SIMPLE", "DYNAMIC_V0"]))
def test_whatever_the_bytes_a_filter_answers_or_is_refused(noise: bytes, kind: str) -> None:
    """A filter of random bytes answers a query or raises a ByteloomError."""
    try:
        found = HudiBloomFilter(base64.b64encode(noise), kind).might_contain([b"a"])
    except ByteloomError:
        return
    assert len(found) == 1


@pytest.mark.parametrize("size", [0, 3_000, 1 << 20])
def test_chunks_are_kept_within_the_bound_of_the_cache(tmp_path: Path, size: int) -> None:
    """The cache counts and evicts chunks of filters as it does blocks; answers do not change."""
    path = tmp_path / "x"
    rows = [b"row %05d" % number for number in range(4_000)]
    with HFileWriter(path, blooms=[BloomBuilder(chunk_size=256)]) as writer:
        writer.write(pa.table({"row": pa.array(rows, pa.binary())}))
    cache = BlockCache(size)
    with hfile.open(path, cache=cache) as file:
        (bloom,) = file.bloom_filters
        assert len(bloom.record.chunks) > 10
        assert bloom.might_contain(rows).all()
        assert cache.used <= size
        assert len(cache) == {0: 0, 3_000: 3, 1 << 20: len(bloom.record.chunks)}[size]
        assert bloom.might_contain(rows).all()
        assert bool(cache.hits) == (size == 1 << 20)
    assert cache.used == 0


@pytest.mark.parametrize("other", [b"row 00000", b"row 0000/"])
def test_each_chunk_begins_after_the_one_before(other: bytes) -> None:
    """A filter whose chunks do not begin with ascending keys is refused."""
    out, rows = io.BytesIO(), [b"row %05d" % number for number in range(4_000)]
    with HFileWriter(out, blooms=[BloomBuilder(chunk_size=256)]) as writer:
        writer.write(pa.table({"row": pa.array(rows, pa.binary())}))
    data = out.getvalue()
    with hfile.open(data) as file:
        first, second = (each.key for each in file.bloom_filters[0].record.chunks[:2])
    assert first == rows[0] < second
    (place,) = (each for each in damage.places(data) if each.magic == b"BLMFMET2")
    at = data.index(second, place.start) - place.start
    found = rf"found b'{other.decode()}', wanted first keys of chunks that ascend"
    wanted = rf"^bloom\.chunks\[1\]\.key at byte {place.start} .*: {found}$"
    with (
        hfile.open(damage.patched(data, place, at, other)) as file,
        pytest.raises(FormatError, match=wanted),
    ):
        file.bloom_filters[0].might_contain(rows)


@pytest.mark.parametrize(
    ("kind", "chunk_size", "rate", "room"),
    [
        ("ROW", 181_248, 0.2, 424_847),
        ("ROWCOL", 72_576, 0.2, 123_832),
        ("ROWCOL", 13_696, 0.01, 9_933),
    ],
)
def test_error_rates_have_32_bits(kind: str, chunk_size: int, rate: float, room: int) -> None:
    """Error rates are 32-bit floats, as in HBase, so chunks hold the same number of keys."""
    assert BloomBuilder(kind, chunk_size=chunk_size, error_rate=rate)._room == room


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"kind": "OTHER"}, "OTHER, 60000 keys, 1e-09"),
        ({"num_entries": 0}, "DYNAMIC_V0, 0 keys, 1e-09"),
        ({"error_rate": 0.0}, "DYNAMIC_V0, 60000 keys, 0.0"),
        ({"error_rate": 1.0}, "DYNAMIC_V0, 60000 keys, 1.0"),
    ],
)
def test_a_filter_of_hudi_has_a_kind_keys_and_a_rate(settings: dict[str, Any], found: str) -> None:
    """A Hudi filter with an unknown kind, no keys, or a rate outside 0 to 1 is refused."""
    said = f"^bloom: found {found}, wanted a kind, keys, a rate between 0 and 1$"
    with pytest.raises(FormatError, match=said):
        build([b"a"], **settings)
    assert build([b"a"], num_entries=1, error_rate=0.999)


@pytest.mark.parametrize(("most", "rows"), [(4, 2), (5, 3), (6, 3), (1, 1)])
def test_a_dynamic_filter_takes_the_keys_of_whole_rows(most: int, rows: int) -> None:
    """A dynamic filter takes the keys of as many whole rows as its maximum needs."""
    keys = [b"%d" % each for each in range(2 * rows)]
    text = build(keys, num_entries=2, error_rate=0.1, max_entries=most)
    made = HudiBloomFilter(text, "DYNAMIC_V0")
    assert made.might_contain(keys).all()
    with pytest.raises(FormatError, match=rf"^keys: found .*, wanted at most {2 * rows} \(max_"):
        build([*keys, b"x"], num_entries=2, error_rate=0.1, max_entries=most)


CELLS = regular(60)


def written(table: Any, **options: Any) -> bytes:
    """Return the bytes of a file."""
    out = io.BytesIO()
    with HFileWriter(out, created_ms=0, **options) as writer:
        writer.write(table)
    return out.getvalue()


@pytest.mark.parametrize("encoding", ["NONE", "FAST_DIFF", "ROW_INDEX_V1"])
def test_cells_that_are_written(encoding: str) -> None:
    """A file written from slices has the same bytes as from whole columns."""
    options = {"encoding": encoding, "blooms": ["ROWCOL"]}
    wanted = written(CELLS, **options)
    assert written(sliced_table(CELLS), **options) == wanted
    assert written(CELLS.slice(17), **options) == written(
        CELLS.slice(17).take(list(range(43))), **options
    )


def test_rows_that_are_looked_up() -> None:
    """A lookup with a slice finds the rows of that slice only."""
    rows = pa.array([b"row-none", *CELLS["row"].to_pylist()[::7]])
    with hfile.open(written(CELLS, blooms=["ROW"])) as file:
        wanted = file.lookup(rows.to_pylist())
        assert wanted.num_rows > 0
        assert file.lookup(sliced(rows, nulls=False)).equals(wanted)
        assert file.lookup(sliced(rows.cast(pa.string()), nulls=False)).equals(wanted)


def test_keys_that_a_filter_is_asked_for() -> None:
    """A Bloom filter is queried for the rows and qualifiers of a slice only."""
    rows = pa.array([b"no", *CELLS["row"].to_pylist()])
    names = pa.array([b"no", *CELLS["qualifier"].to_pylist()])
    with hfile.open(written(CELLS, blooms=["ROWCOL"])) as file:
        (bloom,) = file.bloom_filters
        wanted = bloom.might_contain(rows, names)
        found = bloom.might_contain(sliced(rows, nulls=False), sliced(names, nulls=False))
    assert wanted.tolist() == found.tolist() == [False] + [True] * 60


@pytest.mark.parametrize("kind", ["ROW", "ROWCOL"])
def test_stored_keys_pass_a_filter(kind: str) -> None:
    """The key of each cell passes, and with ROWCOL that of another column mostly does not."""
    rows, names = CELLS["row"].to_pylist(), CELLS["qualifier"].to_pylist()
    with hfile.open(written(CELLS, blooms=[kind])) as file:
        (bloom,) = file.bloom_filters
        pairs = list(zip(rows, names, strict=True))
        assert all(bloom.passes(bloom.key(*each)) for each in pairs)
        others = [bloom.passes(bloom.key(row, b"x" + name)) for row, name in pairs]
    assert all(others) if kind == "ROW" else sum(others) < len(others) // 10


@pytest.mark.parametrize("kind", ["SIMPLE", "DYNAMIC_V0"])
def test_keys_that_a_filter_of_hudi_is_made_of(kind: str) -> None:
    """A Hudi filter built from a slice has the keys of that slice only."""
    keys = pa.array([f"key-{each}" for each in range(40)])
    wanted = hudi_bloom.build(keys, kind, num_entries=20)
    assert hudi_bloom.build(sliced(keys, nulls=False), kind, num_entries=20) == wanted
    held = hudi_bloom.HudiBloomFilter(wanted, kind)
    asked = pa.array(["other", *keys.to_pylist()])
    assert held.might_contain(sliced(asked, nulls=False)).tolist() == [False] + [True] * 40
