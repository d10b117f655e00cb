"""Several Parquet files are read as one, with the rows they have one by one."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from byteloom.kernels.parquet_pages import ZSTD
from byteloom.parquet import held_files
from byteloom.parquet.forms import Forms
from byteloom.parquet.held_files import Footers, Unusual, decompressed, found_chunks, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.parquet.forms import Form


def rows(seed: int, count: int) -> pa.Table:
    """Return rows of plain, nested and repeated columns, with nulls."""
    random = np.random.default_rng(seed)
    numbers = [None if each % 7 == 0 else int(each) for each in random.integers(0, 99, count)]
    texts = [None if each is None else "text" * (each % 5) for each in numbers]
    return pa.table(
        {
            "number": pa.array(numbers, pa.int64()),
            "text": pa.array(texts, pa.string()),
            "double": pa.array(random.random(count)),
            "list": pa.array(
                [[each, 1] if each else each for each in numbers], pa.list_(pa.int64())
            ),
            "struct": pa.array(
                [{"a": each, "b": text} for each, text in zip(numbers, texts, strict=True)],
                pa.struct({"a": pa.int64(), "b": pa.string()}),
            ),
        }
    )


def parquet(table: pa.Table, **options: Any) -> bytes:
    """Return a Parquet file in memory."""
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


class Held(NamedTuple):
    """The number of rows of each file, and the file that joins them."""

    rows: np.ndarray
    file: pq.ParquetFile | None


def put_together(
    files: Sequence[bytes], wanted: Sequence[int] | None = None
) -> tuple[Form | None, Held | None]:
    """Return several files joined as one; *wanted* are the numbers of leaves, or None for all."""
    data = np.frombuffer(b"".join(files), np.uint8)
    footers = Footers.of(data, np.cumsum([len(each) for each in files]).tolist())
    form = footers.form(Forms())
    if form is None:
        return None, None
    flags = np.ones(len(form.leaves), np.uint8)
    if wanted is not None:
        flags[:] = 0
        flags[list(wanted)] = 1
    found = found_chunks(footers, form, flags)
    rows = found[0][:, 4]
    if not len(rows) or not flags.any():
        return form, Held(rows, None)
    try:
        return form, Held(rows, joined(data, footers, form, found).file)
    except Unusual:
        return form, None


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_same_rows(codec: str, version: str) -> None:
    """Joined files have the rows of each, whatever their codec, pages and row groups."""
    tables = [rows(seed, count) for seed, count in enumerate((0, 1, 50, 200))]
    files = [
        parquet(
            each, compression=codec, data_page_version=version, use_dictionary=["text"],
            row_group_size=60, data_page_size=100, write_page_checksum=True,
        )
        for each in tables
    ]  # fmt: skip
    _, held = put_together(files)
    assert held is not None
    assert held.rows.tolist() == [0, 1, 50, 200]
    assert held.file is not None
    found = held.file.read()
    found.validate(full=True)
    assert found == pa.concat_tables(tables)


def test_wanted_leaves() -> None:
    """Only the wanted leaves are in the new file; the others cannot be read from it."""
    files = [parquet(rows(seed, 30), compression="zstd") for seed in (1, 2)]
    _, held = put_together(files, [1])
    assert held is not None
    assert held.file is not None
    expected = pa.concat_tables([rows(1, 30), rows(2, 30)]).select(["text"])
    assert held.file.read(["text"]) == expected
    assert len(held.file.reader.metadata.row_group(0).to_dict()["columns"]) == 6


def test_no_column() -> None:
    """Without a wanted column no file is made, but the row counts of each file are known."""
    _, held = put_together([parquet(rows(seed, seed)) for seed in (3, 5)], [])
    assert held is not None
    assert held.file is None
    assert held.rows.tolist() == [3, 5]


def test_another_schema() -> None:
    """Files are joined up to the first one of another schema."""
    other = parquet(rows(1, 10).drop_columns(["text"]))
    _, held = put_together([parquet(rows(1, 10)), parquet(rows(2, 20)), other, parquet(rows(3, 9))])
    assert held is not None
    assert held.rows.tolist() == [10, 20]


def test_another_arrow_schema() -> None:
    """Columns of equal physical types that differ in Arrow's own schema are not joined."""
    one = pa.table({"a": pa.array([1, 2], pa.duration("us"))})
    other = pa.table({"a": pa.array([3, 4], pa.int64())})
    _, held = put_together([parquet(one), parquet(other)])
    assert held is not None
    assert held.rows.tolist() == [2]
    assert held.file is not None
    assert held.file.read() == one


def test_leaves() -> None:
    """The leaves of a schema have their types and levels."""
    form, _ = put_together([parquet(rows(1, 10))])
    assert form is not None
    assert form.schema == rows(1, 10).schema
    assert form.leaves.tolist() == [
        [2, 8, 0, 1],
        [6, -1, 0, 1],
        [5, 8, 0, 1],
        [2, 8, 1, 3],
        [2, 8, 0, 2],
        [6, -1, 0, 2],
    ]


@pytest.mark.parametrize("codec", ["zstd", "snappy", "none"])
def test_flipped_bits(codec: str) -> None:
    """A file with a flipped bit is refused or not joined, or has the rows it has by itself."""
    good = parquet(rows(1, 20))
    table = rows(2, 40)
    sound = parquet(table, compression=codec, write_page_checksum=True)
    before = parquet(table, compression=codec)
    wrong = 0
    for place in range(len(sound)):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << place % 8
        _, held = put_together([before, bytes(damaged), good])
        if held is None or held.file is None or len(held.rows) < 2:
            wrong += 1
            continue
        try:
            found = held.file.read().slice(40, int(held.rows[1]))
        except (OSError, ValueError, pa.ArrowException):
            wrong += 1
            continue
        if found != table:
            alone = pq.ParquetFile(io.BytesIO(bytes(damaged)), page_checksum_verification=True)
            assert alone.read() == found, place
    assert wrong > len(sound) // 2


@pytest.mark.parametrize("cut", [0, 1, 4, 8, 11, 12, 100])
def test_truncated(cut: int) -> None:
    """A file that is cut off is not joined."""
    form, held = put_together([parquet(rows(1, 10))[:cut]])
    assert form is None
    assert held is None


def test_values_that_are_missing() -> None:
    """A chunk with fewer values than its row group has rows is not joined: rows would shift."""
    held = parquet(
        pa.table({"a": pa.array(range(50)), "b": pa.array(range(50))}), compression="zstd"
    )
    _, sound = put_together([held])
    assert sound is not None
    # The number of values of a chunk is field 5 of its metadata, an i64: 0x16, then zigzag.
    place = held.rindex(b"\x16\x64\x16")
    _, damaged = put_together([held, held[:place] + b"\x16\x62\x16" + held[place + 3 :]])
    assert damaged is not None
    assert len(damaged.rows) == 1


@pytest.mark.parametrize(
    ("frame", "is_sound"),
    [
        (zstandard.compress(b"x" * 100), True),
        (zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 100), True),
        (zstandard.compress(b"x" * 99), False),
        (zstandard.compress(b"x" * 101), False),
        (zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 99), False),
        (zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 101), False),
        (zstandard.compress(b"x" * 100) + b"x", False),
        (zstandard.compress(b"x" * 100)[:-1], False),
        (b"x" * 20, False),
    ],
)
def test_pages_of_another_size(frame: bytes, *, is_sound: bool) -> None:
    """A page is decompressed only if it is one frame of exactly the size that it states."""
    page = np.array([[0, 5, 0, 0, 0, 3 + len(frame), 3, 103]], np.int64)
    out = np.zeros(110, np.uint8)
    data = np.frombuffer(b"abc" + frame, np.uint8)
    assert decompressed(data, page, np.array([ZSTD]), np.array([7]), out) is is_sound
    if is_sound:
        assert out.tobytes() == bytes(7) + b"x" * 100 + bytes(3)


def test_a_footer_with_more_fields_than_are_known() -> None:
    """A file whose footer has an unknown field is not joined, and neither are those after it."""
    sound = parquet(rows(1, 10))
    size = int.from_bytes(sound[-8:-4], "little")
    assert sound[-9:-8] == b"\0"  # the end of the footer's fields, of which the last is the 7th
    later = sound[:-9] + b"\x1c\0\0" + (size + 2).to_bytes(4, "little") + b"PAR1"
    _, held = put_together([sound, later, sound])
    assert held is not None
    assert held.rows.tolist() == [10]


def test_many_columns_of_which_one_is_wanted() -> None:
    """One wanted column of 500 is read from 20 joined files."""
    table = pa.table({f"c{number}": [number, -number] for number in range(500)})
    file = parquet(table, store_schema=False, row_group_size=1)
    _, held = put_together([file] * 20, [7])
    assert held is not None
    assert held.file is not None
    assert held.file.read(["c7"]) == pa.concat_tables([table.select(["c7"])] * 20)


def test_an_arrow_schema_that_has_not_its_length() -> None:
    """A file whose Arrow schema has a wrong length is not joined."""
    sound = parquet(rows(1, 10))
    place = sound.rindex(b"ARROW:schema") + len(b"ARROW:schema") + 1
    assert sound[place] & 0x80
    assert not sound[place + 1] & 0x80
    form, _ = put_together([sound[: place + 1] + b"\x7f" + sound[place + 2 :]])
    assert form is None


@pytest.mark.parametrize(
    "values", [range(100), [[1, 2]] * 50, ["text"] * 100, [["a", "bc"]] * 50], ids=type
)
def test_columns_are_joined_up_to_what_they_may_come_to(
    values: Sequence[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns are joined up to a bound on memory.

    They count four times eight bytes a value, and in lists of text as much as all text of the file.
    """
    file = parquet(pa.table({"a": pa.array(values)}), use_dictionary=False, compression="none")
    size = pq.ParquetFile(io.BytesIO(file)).metadata.row_group(0).column(0).total_uncompressed_size
    bound = 4 * 100 * (size if values[0] == ["a", "bc"] else 8)
    for most, is_joined in ((bound, True), (bound - 1, False)):
        monkeypatch.setattr(held_files, "_TEXT_BYTES", most)
        assert (put_together([file])[1] is not None) == is_joined
