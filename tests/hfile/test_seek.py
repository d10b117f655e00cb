"""Seeks, lookups and ranges give what the order of keys defines.

However deep the index, however small the cache, whatever is wrong with the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.hfile_cells import catalog_order, cell_order
from tests.support.hfile_files import LATEST, Built, Given

from byteloom import hfile
from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.hfile import HFileWriter

ROWS = st.binary(max_size=3) | st.sampled_from([b"a", b"ab", b"b" * 20, b"b" * 20 + b"\0"])
TIMES = st.sampled_from([0, 1, 7, 1 << 40, LATEST])
TYPES = st.sampled_from([4, 8, 12, 14])
KEYS = st.builds(hfile.Key, ROWS, st.just(b"f"), st.sampled_from([b"", b"q", b"qq"]), TIMES, TYPES)
WANTED = KEYS | st.builds(
    hfile.Key, ROWS, st.sampled_from([b"", b"e", b"f", b"g"]), st.sampled_from([b"", b"q", b"r"]),
    TIMES, st.sampled_from([0, 4, 255]),
)  # fmt: skip


def written(keys: list[hfile.Key], **options: Any) -> bytes:
    """Return a file of these keys with blocks and index blocks of a few cells."""
    out = BytesIO()
    tiny = {"block_size": 90, "index_block_max_size": 60, "index_block_min_entries": 2}
    with HFileWriter(out, threads=0, **{**tiny, **options}) as writer:
        for number, key in enumerate(keys):
            row, family, qualifier, time, kind = key
            value = b"value %d" % number
            writer.add(row, value, family=family, qualifier=qualifier, timestamp=time, type=kind)
    return out.getvalue()


def in_order(keys: list[hfile.Key]) -> list[hfile.Key]:
    """Return keys in the order of a file."""
    return sorted(keys, key=cell_order)


def numbers(table: pa.Table | pa.RecordBatch) -> list[int]:
    """Return the numbers of these cells."""
    return [int(value[6:]) for value in table["value"].to_pylist()]


def number(cell: hfile.Cell | None) -> int:
    """Return the number of this cell, or -1 for none."""
    return -1 if cell is None else int(cell.value[6:])


FORMS = st.sampled_from(
    [{}, {"compression": "GZ"}, {"encoding": "FAST_DIFF"}, {"encoding": "ROW_INDEX_V1"}]
)


@given(st.lists(KEYS, max_size=40), st.lists(WANTED, min_size=1, max_size=8), FORMS)
def test_seeks_follow_the_order(
    keys: list[hfile.Key], wanted: list[hfile.Key], form: dict[str, str]
) -> None:
    """For any key, floor, ceiling, the key before and seek are those of the sorted keys."""
    keys = in_order(keys)
    order = [cell_order(key) for key in keys]
    with hfile.open(written(keys, **form)) as file:
        cursor = file.cursor()
        for key in wanted + keys[::5]:
            place = cell_order(key)
            first, end = bisect_left(order, place), bisect_right(order, place)
            answer = cursor.seek(key)
            assert answer == (0 if first < end else 1 if first else -1)
            assert number(cursor.cell) == (first if first < end else first - 1)
            assert cursor.seek_before(key) == (first > 0)
            assert number(cursor.cell) == first - 1 == number(file.before(key))
            assert number(file.ceiling(key)) == (first if first < len(keys) else -1)


@given(st.lists(KEYS, max_size=60), st.lists(WANTED, min_size=1, max_size=20), FORMS)
def test_many_keys_are_found_in_one_call(
    keys: list[hfile.Key], wanted: list[hfile.Key], form: dict[str, str]
) -> None:
    """Many keys or rows, in any order and repeated, are found in one call with a tiny cache."""
    keys = in_order(keys)
    asked = wanted + keys[::3] + wanted[:2]
    with hfile.open(written(keys, **form), cache=hfile.BlockCache(700)) as file:
        found = file.lookup_keys(asked)
        pairs = list(zip(found["asked"].to_pylist(), numbers(found), strict=True))
        assert pairs == [
            (at, number)
            for at, one in enumerate(asked)
            for number, key in enumerate(keys)
            if key == one
        ]
        found = file.lookup([key.row for key in asked])
        pairs = list(zip(found["asked"].to_pylist(), numbers(found), strict=True))
        assert pairs == [
            (at, number)
            for at, one in enumerate(asked)
            for number, key in enumerate(keys)
            if key.row == one.row
        ]
        assert file.cache.used <= 700


@given(st.lists(KEYS, max_size=60), WANTED, WANTED, st.integers(1, 9))
def test_ranges_have_their_start_and_not_their_stop(
    keys: list[hfile.Key], start: hfile.Key, stop: hfile.Key, parts: int
) -> None:
    """Ranges of keys and rows, in both directions, have their start and not their stop."""
    keys = in_order(keys)
    order = [cell_order(key) for key in keys]
    with hfile.open(written(keys)) as file:
        for low, high in ((start, stop), (start.row, stop.row), (None, stop), (start, None)):
            ends = [
                None if key is None else key if isinstance(key, hfile.Key) else hfile.Key(key)
                for key in (low, high)
            ]
            first = 0 if ends[0] is None else bisect_left(order, cell_order(ends[0]))
            end = len(keys)
            if ends[1] is not None:
                end = bisect_left(order, cell_order(ends[1]))
            found = [each for batch in file.range(low, high) for each in numbers(batch)]
            assert found == list(range(first, end))
            back = [each for part in file.range(low, high, reverse=True) for each in numbers(part)]
            assert back == found[::-1]
        divided = [
            each
            for part in file.splits(parts)
            for batch in file.range(part.start, part.stop)
            for each in numbers(batch)
        ]
        assert divided == list(range(len(keys)))


@given(st.lists(KEYS, max_size=30))
def test_a_cursor_walks_to_and_fro(keys: list[hfile.Key]) -> None:
    """A cursor moves from the first cell to the last and back, and no further."""
    keys = in_order(keys)
    with hfile.open(written(keys)) as file:
        cursor, seen = file.cursor(), []
        there = cursor.first()
        while there:
            seen.append(number(cursor.cell))
            there = cursor.next()
        assert seen == list(range(len(keys)))
        back = []
        there = cursor.last()
        while there:
            back.append(number(cursor.cell))
            there = cursor.previous()
        assert back == seen[::-1]


@given(st.lists(st.lists(st.sampled_from([b"", b"a", b"z"]), max_size=4), max_size=20))
@example([[b"a"], [b"a", b""]])
@example([[b"a", b"z"], [b"a", b"z", b""]])
def test_rows_of_the_catalog_have_their_own_order(parts: list[list[bytes]]) -> None:
    """In a catalog file, lookups, seeks and ranges order rows by the parts between commas."""
    rows = {b",".join(part) for part in parts}
    keys = sorted(
        (hfile.Key(row, b"f", b"", 1, 4) for row in rows),
        key=catalog_order,
    )
    with hfile.open(written(keys, is_meta=True)) as file:
        found = file.lookup([key.row for key in reversed(keys)])
        assert numbers(found) == list(range(len(keys)))[::-1]
        assert [number(file.floor(key)) for key in keys] == list(range(len(keys)))
        back = [each for batch in file.range(reverse=True) for each in numbers(batch)]
        assert back == list(range(len(keys)))[::-1]
        with_a = [at for at, key in enumerate(keys) if key.row.startswith(b"a")]
        assert numbers(file.prefix(b"a")) == with_a


LETTERS = st.sampled_from([b"a", b"b", b"c", b"d", b"e"])
LIES = st.sampled_from([b"a", b"aa", b"b", b"c", b"d", b"f"])


@given(
    st.lists(st.lists(LETTERS, min_size=1, max_size=3), min_size=1, max_size=5),
    st.lists(LIES, min_size=5, max_size=5),
)
def test_an_index_that_lies_hides_no_cell(blocks: list[list[bytes]], keys: list[bytes]) -> None:
    """With wrong keys in the index, a lookup, seek or range gives all cells or an error."""
    rows = sorted(row for block in blocks for row in block)
    taken = iter(rows)
    cells = [[Given(row=next(taken)) for _ in block] for block in blocks]
    data = Built(blocks=cells, keys=[Given(row=row).key for row in keys[: len(blocks)]]).data()
    for row in set(rows):
        with hfile.open(data) as file:
            wanted = [row] * rows.count(row)
            with suppress(FormatError):
                assert file.get(row)["row"].to_pylist() == wanted
            with suppress(FormatError):
                floor = file.floor(hfile.Key(row, b"f", b"", 1, 4))
                assert floor is not None
                assert floor.row == row
            with suppress(FormatError):
                parts = file.range(row, row + b"\0")
                assert [each for part in parts for each in part["row"].to_pylist()] == wanted


SMALL = [hfile.Key(b"row-%02d" % (at // 2), b"f", b"q%d" % (at % 2), 5, 4) for at in range(24)]


@pytest.fixture(scope="module", params=[{}, {"compression": "GZ", "encoding": "FAST_DIFF"}])
def small(request: pytest.FixtureRequest) -> bytes:
    """Write a file with several levels of index."""
    return written(SMALL, block_size=150, index_block_max_size=70, **request.param)


def outcome(data: bytes) -> list[int] | None:
    """Return all cells by their rows, or None if the file is refused."""
    try:
        with hfile.open(data) as file:
            found = numbers(file.lookup(sorted({key.row for key in SMALL})))
            back = [each for batch in file.range(reverse=True) for each in numbers(batch)]
            assert found == back[::-1]
            return found
    except ByteloomError:
        return None


@pytest.mark.parametrize("part", range(4))
def test_a_flipped_bit_never_loses_a_cell(small: bytes, part: int) -> None:
    """Every lookup in a file with a flipped bit gives all cells, or an error."""
    step = 11
    for at in range(part * len(small) // 4, (part + 1) * len(small) // 4, step):
        broken = bytearray(small)
        broken[at] ^= 1 << (at // step % 8)
        assert outcome(bytes(broken)) in (None, list(range(len(SMALL)))), at


def test_what_is_too_much_for_a_batch_comes_in_several(
    small: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large result comes in several batches, in the order of the requested rows."""
    monkeypatch.setattr("byteloom.hfile.lookup.LARGEST", 100)
    rows = [key.row for key in SMALL[::-2]]
    with hfile.open(small) as file:
        found = file.lookup(rows)
        assert found["row"].num_chunks > 3
        assert found["row"].to_pylist() == [row for row in rows for _ in range(2)]
        assert found["asked"].to_pylist() == [at // 2 for at in range(24)]


def test_threads_share_a_file(small: bytes) -> None:
    """Eight threads look up rows in one file with a small cache, and get the right cells."""
    with hfile.open(small, cache=hfile.BlockCache(900)) as file, ThreadPoolExecutor(8) as pool:
        rows = [key.row for key in SMALL] * 8
        found = list(pool.map(lambda row: numbers(file.get(row)), rows))
        assert found == [[2 * (at // 2), 2 * (at // 2) + 1] for at in range(len(SMALL))] * 8


def test_blocks_that_were_read_are_kept(small: bytes) -> None:
    """A second lookup reads no bytes; closing the file empties the cache."""
    cache = hfile.BlockCache()
    with hfile.open(small, cache=cache) as file:
        file.lookup([key.row for key in SMALL])
        misses, used = cache.misses, cache.used
        file.lookup([key.row for key in SMALL])
        assert (cache.misses, cache.used) == (misses, used)
        assert used > 0
    assert (len(cache), cache.used) == (0, 0)


def test_rows_are_arrow_too(small: bytes) -> None:
    """Rows to look up may be Arrow text, chunks or slices; nulls and other types are refused."""
    rows = [key.row.decode() for key in SMALL]
    with hfile.open(small) as file:
        plain = file.lookup(pa.array(rows))
        assert plain.equals(file.lookup(pa.chunked_array([rows[:5], rows[5:]])))
        assert plain.equals(file.lookup(pa.array(["", *rows], pa.large_string()).slice(1)))
        assert file.lookup([]).num_rows == 0
        for wrong in ([b"a", None], [1], None, b"row", 7):
            with pytest.raises(FormatError, match="rows: found"):
                file.lookup(wrong)


def test_what_is_asked_for_may_be_text_and_is_nothing_else(small: bytes) -> None:
    """A row given as text is its UTF-8 in every call; a number is refused by name."""
    row = SMALL[3].row
    with hfile.open(small) as file:
        asks: list[Any] = [file.floor, file.before, file.ceiling, file.get, file.prefix]
        for ask in (*asks, lambda key: list(file.range(key))):
            assert ask(row.decode()) == ask(row)
            with pytest.raises(FormatError, match="found"):
                ask(3)


@pytest.mark.parametrize("columns", [["nope"], [], ["row", "x"]])
def test_columns_that_no_cell_has_are_refused(small: bytes, columns: list[str]) -> None:
    """Unknown columns are refused by every call, before anything is read."""
    with hfile.open(small) as file:
        for ask in (
            lambda: file.read(columns),
            lambda: file.get(b"a", columns),
            lambda: list(file.range(columns=columns)),
            lambda: file.prefix(b"", columns),
            lambda: file.lookup_keys([], columns),
        ):
            with pytest.raises(FormatError, match=r"columns: found .* wanted some of row, family"):
                ask()
        with pytest.raises(FormatError, match="binary: found text"):
            file.read(binary="text")  # type: ignore[arg-type]


def test_a_row_that_is_too_long_is_behind_those_it_begins_with(small: bytes) -> None:
    """A row longer than any stored one sorts after the rows that it begins with."""
    with hfile.open(small) as file:
        assert file.get(b"row-03" + b"x" * 70_000).num_rows == 0
        assert number(file.floor(b"row-03" + b"x" * 70_000)) == 7


class NativeHudi(Built):
    """A file as Hudi's own writer makes it: no checksums, rows alone in the index, any order."""

    def block(self, magic: bytes, payload: bytes, previous: int = -1) -> bytes:
        """Return a block whose checksums are of type 0, and 0."""
        made = super().block(magic, payload, previous)
        return made[:24] + b"\0" + made[25:-4] + bytes(4)

    def data(self) -> bytes:
        """Return the bytes of a file of version 3.0."""
        self.keys = [
            len(row).to_bytes(2, "big") + row for row in (block[0].row for block in self.blocks)
        ]
        return super().data()[:-4] + bytes([0, 0, 0, 3])


def hudi(rows: list[list[bytes]]) -> bytes:
    """Return a file of these rows as Hudi's writer makes it."""
    cells = [
        [Given(row=row, family=b"", timestamp=LATEST, value=b"value of " + row) for row in block]
        for block in rows
    ]
    return NativeHudi(blocks=cells).data()


EMOJI, PRIVATE = "\U0001f600".encode(), "\ue000".encode()


@pytest.mark.parametrize(
    "rows",
    [
        [[b"a", EMOJI], [PRIVATE, PRIVATE + b"x"]],
        [[b"a", b"c"], [b"b", b"d"]],
        [[b"b"], [b"a"]],
    ],
)
def test_keys_out_of_order_are_found(rows: list[list[bytes]]) -> None:
    """Keys that Hudi's writer left out of order are all found, by row and by prefix."""
    flat = [row for block in rows for row in block]
    with hfile.open(hudi(rows)) as file:
        assert not file.is_in_order
        for row in flat:
            assert file.get(row)["value"].to_pylist() == [b"value of " + row]
        asked = [*flat, b"zz", flat[0]]
        found = file.lookup(asked, ["row"])
        assert found["row"].to_pylist() == [*flat, flat[0]]
        assert found["asked"].to_pylist() == [*range(len(flat)), len(flat) + 1]
        assert file.prefix(flat[-1])["row"].to_pylist() == [
            row for row in flat if row.startswith(flat[-1])
        ]
        back = [row for batch in file.range(reverse=True) for row in batch["row"].to_pylist()]
        assert back == flat[::-1]
        assert [(part.start, part.stop) for part in file.splits(4)] == [(None, None)]
        for seek in (
            file.cursor,
            lambda: file.floor(b"a"),
            lambda: list(file.range(hfile.Key(b"a"))),
        ):
            with pytest.raises(Unsupported, match="out of order"):
                seek()


def test_hudis_rows_are_found_by_row_alone() -> None:
    """In a sorted Hudi file, a seek by a row finds its cell."""
    with hfile.open(hudi([[b"a", b"b"], [b"d"]])) as file:
        assert file.is_in_order
        assert file.cursor().seek(b"b") == 0
        assert file.cursor().seek(b"c") == 1
        floor = file.floor(b"c")
        assert floor is not None
        assert floor.row == b"b"
        assert pc.all(pc.equal(file.lookup([b"d", b"a"])["asked"], pa.array([0, 1]))).as_py()


def test_a_bare_row_is_the_place_before_all_its_cells() -> None:
    """`floor` of a row is a cell of an earlier row, even where the file has the row itself."""
    out = BytesIO()
    with hfile.HFileWriter(out) as writer:
        for row, name in ((b"a", b"p"), (b"b", b"p"), (b"b", b"q")):
            writer.add(row, family=b"f", qualifier=name, timestamp=7)
    with hfile.open(out.getvalue()) as file:
        found = [method(b"b") for method in (file.floor, file.before, file.ceiling)]
        assert [(each.row, each.qualifier) for each in found if each is not None] == [
            (b"a", b"p"), (b"a", b"p"), (b"b", b"p"),
        ]  # fmt: skip
        assert file.floor(b"a") is None
        last = file.floor(hfile.Key(b"b", b"f", b"q", 7, 4))
        assert last is not None
        assert (last.row, last.qualifier) == (b"b", b"q")
