"""Taking rows of Lance pages gives what a plain reader of one row gives, and refuses the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.lance_plain_chunks import chunks_of
from tests.support.lance_plain_layers import PAGE, Refused
from tests.support.lance_plain_rows import rows_of_page
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.errors import FormatError
from byteloom_generated.lance.encodings21 import PageLayout

if TYPE_CHECKING:
    from collections.abc import Iterable


RANDOM = np.random.default_rng(11)
ASKED = "lance-encoding:"


def ragged(items: Iterable[Any], mean: int) -> list[Any]:
    """Lists of *items*, some empty, null, or with a null item."""
    found, left = list[Any](), list(items)
    while left:
        size = int(RANDOM.integers(1, 2 * mean))
        row, left = left[:size], left[size:]
        found.append([None if RANDOM.random() < 0.1 else each for each in row])
        found += [[[], None][int(RANDOM.integers(0, 2))]] * (RANDOM.random() < 0.3)
    return found


def texts(count: int, size: int) -> list[str]:
    """Words of up to *size* characters."""
    return ["lorem ipsum dolor "[: int(each)] for each in RANDOM.integers(0, size, count)]


@dataclass(frozen=True)
class Drawn:
    """A column: its field, its rows, and how many bytes its pages have, about."""

    type: pa.DataType
    values: list[Any]
    metadata: dict[str, str] | None = None
    page_size: int = 1 << 20

    @cached_property
    def table(self) -> pa.Table:
        """The rows as a table of one column."""
        schema = pa.schema([asking("c", self.type, self.metadata)])
        return pa.table([pa.array(self.values, schema.field("c").type)], schema)


def asking(name: str, of: pa.DataType, metadata: dict[str, str] | None) -> pa.Field:
    """A field whose leaf has metadata."""
    if pa.types.is_list(of):
        return pa.field(name, pa.list_(asking("item", of.value_type, metadata)))
    if pa.types.is_large_list(of):
        return pa.field(name, pa.large_list(asking("item", of.value_type, metadata)))
    return pa.field(name, of, metadata=metadata)


def asked(**options: str) -> dict[str, str]:
    """Metadata that asks for an encoding."""
    return {f"{ASKED}{key.replace('_', '-')}": each for key, each in options.items()}


BLOB = asked(blob="true")
FULL = asked(structural_encoding="fullzip")
SMALL = asked(minichunk_size="64", compression="none")
INTEGERS = RANDOM.integers(0, 1000, 4500).tolist()

COLUMNS: dict[str, Drawn] = {
    "integers": Drawn(pa.list_(pa.int32()), ragged(INTEGERS, 4)),
    "wide integers": Drawn(
        pa.list_(pa.int64()), ragged(RANDOM.integers(-(1 << 62), 1 << 62, 3000).tolist(), 3)
    ),
    "truth values": Drawn(pa.list_(pa.bool_()), ragged([True, False, False] * 400, 5)),
    "texts in small chunks": Drawn(pa.list_(pa.string()), ragged(texts(700, 9), 3), SMALL),
    "coded texts": Drawn(
        pa.list_(pa.string()),
        ragged(texts(900, 19), 3),
        asked(compression="fsst", minichunk_size="512"),
    ),
    "rows of many chunks": Drawn(
        pa.list_(pa.string()),
        [["x"], texts(90, 9), [], ["y", None], texts(60, 9), None, ["z"], texts(200, 9), ["w"]],
        SMALL,
    ),
    "lists of lists": Drawn(
        pa.list_(pa.large_list(pa.string())), ragged(ragged(texts(500, 9), 3), 2), SMALL
    ),
    "sound lists": Drawn(pa.list_(pa.int64()), [[each] * (each % 4 + 1) for each in range(2500)]),
    "structs in lists": Drawn(
        pa.list_(pa.struct([("a", pa.string())])),
        ragged([{"a": each} for each in texts(400, 9)], 3),
        None,
        3000,
    ),
    "few texts on several pages": Drawn(
        pa.string(),
        [f"page {each // 900}, {each % 7}" if each % 5 else None for each in range(3600)],
        None,
        8_000,
    ),
    "few texts in lists on several pages": Drawn(
        pa.list_(pa.string()),
        ragged([f"page {each // 900}, {each % 7}" for each in range(3600)], 3),
        None,
        8_000,
    ),
    "numbers": Drawn(pa.int64(), [each if each % 9 else None for each in INTEGERS], None, 9000),
    "large texts": Drawn(pa.string(), [each * 20 for each in texts(60, 19)], FULL),
    "large texts in lists": Drawn(
        pa.list_(pa.string()), ragged([each * 20 for each in texts(90, 19)], 3), FULL
    ),
    "large bytes in lists of lists": Drawn(
        pa.list_(pa.list_(pa.binary())),
        ragged(ragged([RANDOM.bytes(int(n)) for n in RANDOM.integers(0, 300, 90)], 2), 2),
        asked(structural_encoding="fullzip", compression="none"),
    ),
    "compressed bytes in lists": Drawn(
        pa.list_(pa.binary()),
        ragged([bytes(int(n)) for n in RANDOM.integers(0, 300, 60)], 2),
        asked(structural_encoding="fullzip", compression="zstd"),
    ),
    "blocks in lists": Drawn(
        pa.list_(pa.binary(300)), ragged([RANDOM.bytes(300) for _ in range(60)], 2), FULL
    ),
    "vectors": Drawn(
        pa.list_(pa.float32(), 40),
        [None if each % 8 == 3 else [float(each)] * 40 for each in range(50)],
        FULL,
    ),
    "blobs": Drawn(
        pa.large_binary(),
        [[None, b"", RANDOM.bytes(each % 30 + 1)][each % 3] for each in range(400)],
        BLOB,
    ),
    "blobs of which none is null": Drawn(
        pa.large_binary(), [RANDOM.bytes(each % 30) for each in range(100)], BLOB
    ),
}


@cache
def file_of(name: str, version: str) -> tuple[bytes, Any]:
    """A file with one column, and its description of the column."""
    case = COLUMNS[name]
    data = written(case.table, version, page_size=case.page_size)
    with lance.open(data) as file:
        (column,) = file.columns()
    return data, column


@dataclass(frozen=True)
class Outcome:
    """Rows; or the page that is refused, and where what is wrong with it is."""

    rows: list[Any] | None = None
    page: str = ""
    places: frozenset[int] = frozenset()


def check_chunk(data: bytes, page: Any, error: FormatError) -> None:
    """Check that the place of an error is in the chunk that it names."""
    named = re.search(r"\.chunks(?:\.\w+)?\[(\d+)\]", str(error.path))
    if named and error.offset is not None:
        chunk = chunks_of(data, page)[int(named[1])]
        assert chunk.place <= error.offset < chunk.place + max(len(chunk.data), 1)


def plainly(data: bytes, column: Any, of: pa.DataType, rows: list[int]) -> Outcome:
    """The values that a plain reader gives for ascending rows."""
    found = list[Any]()
    for page in column.pages:
        of_page = [row - page.first for row in rows if 0 <= row - page.first < page.length]
        if not of_page:
            continue
        try:
            found += rows_of_page(data, page, of, of_page)
        except Refused as error:
            return Outcome(None, page.path, frozenset(error.places))
    return Outcome(found)


def taken(data: bytes, column: Any, rows: list[int]) -> Outcome:
    """The values that byteloom gives for rows taken by their numbers."""
    with lance.open(data) as file:
        try:
            found = file.take(rows)
        except FormatError as error:
            (page,) = (each for each in column.pages if str(error.path).startswith(each.path))
            check_chunk(data, page, error)
            is_whole = error.offset is None or error.offset == page.at
            place = PAGE if is_whole or error.offset is None else error.offset
            return Outcome(None, page.path, frozenset({place}))
    found.validate(full=True)
    return Outcome(found["c"].to_pylist())


def agree(found: Outcome, wanted: Outcome) -> None:
    """Check that both readers have the same rows, or refuse the same page at the same place."""
    if wanted.rows is None:
        assert (found.rows, found.page) == (None, wanted.page)
        assert found.places <= wanted.places
    else:
        assert found == wanted


def draw_rows(data: st.DataObject, count: int) -> list[int]:
    """Some rows, few or many, in order."""
    most = data.draw(st.sampled_from((2, 9, 60)))
    return sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=most)))


columns = pytest.mark.parametrize("name", COLUMNS)


@columns
@pytest.mark.parametrize("version", VERSIONS)
@given(data=st.data())
def test_rows_are_those_of_a_plain_reader(name: str, version: str, data: st.DataObject) -> None:
    """Taken rows equal those of the plain reader, whatever chunks they are in."""
    case, (stored, column) = COLUMNS[name], file_of(name, version)
    rows = draw_rows(data, len(case.values))
    wanted = case.table["c"].take(rows).to_pylist()
    assert plainly(stored, column, case.type, rows) == Outcome(wanted)
    assert taken(stored, column, rows) == Outcome(wanted)


@columns
@given(data=st.data())
def test_flipped_bits_are_refused_by_both(name: str, data: st.DataObject) -> None:
    """With flipped bits, taken rows equal the plain reader's, or both refuse the same place."""
    case, (sound, column) = COLUMNS[name], file_of(name, data.draw(st.sampled_from(VERSIONS)))
    rows, stored = draw_rows(data, len(case.values)), bytearray(sound)
    places = [place for page in column.pages for place in page.buffers if place[1]]
    for _ in range(data.draw(st.integers(1, 2))):
        at, size = data.draw(st.sampled_from(places))
        at += data.draw(st.integers(0, size - 1) | st.integers(0, min(size - 1, 31)))
        stored[at] ^= 1 << data.draw(st.integers(0, 7))
    agree(
        taken(bytes(stored), column, rows),
        plainly(bytes(stored), column, case.type, rows),
    )


def test_columns_have_every_layout_that_rows_are_taken_of() -> None:
    """The columns cover chunks and FullZip pages, with and without lists, and blobs."""
    found = set[tuple[str, bool, bool]]()
    for name in COLUMNS:
        for version in VERSIONS:
            _, column = file_of(name, version)
            layout = PageLayout.parse(column.pages[0].encoding.data)
            kind = str(layout.WhichOneof("layout"))
            message = getattr(layout, kind)
            has_items = kind == "mini_block_layout" and message.HasField("dictionary")
            found.add((kind, len(message.layers) > 1, has_items and len(column.pages) > 2))
    kinds = {"mini_block_layout", "full_zip_layout"}
    assert found >= {
        *((kind, has_lists, False) for kind in kinds for has_lists in (False, True)),
        *(("mini_block_layout", has_lists, True) for has_lists in (False, True)),
        ("blob_layout", False, False),
    }


def test_rows_are_found_in_many_chunks() -> None:
    """Columns of small chunks have more than four, so that taken rows are in distant ones."""
    for name in ("integers", "texts in small chunks", "rows of many chunks", "coded texts"):
        data, column = file_of(name, "2.1")
        assert len(chunks_of(data, column.pages[0])) > 4
