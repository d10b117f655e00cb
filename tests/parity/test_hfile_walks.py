"""Walks and puts of HFile's cells and blocks do and refuse what records do and refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.changes import changed

from byteloom.columns.loops import DONE, FULL, REFUSED
from byteloom.columns.puts import SLACK
from byteloom.errors import FormatError
from byteloom.hfile.keys import order_of_cells
from byteloom.wire import Reader
from byteloom_generated.hfile.block import Block, BlockType, ChecksumType, Frame
from byteloom_generated.hfile.block_scan import FRAMES
from byteloom_generated.hfile.cell import Cell, Columns, Key, KeyType, Tag, Tags
from byteloom_generated.hfile.cell_scan import CELLS, PUT_CELLS

NAMES = ("row", "family", "qualifier", "timestamp", "type", "value", "tags", "mvcc", "place")
FLAGS = ("has_columns", "has_tags", "has_mvcc", "is_mvcc_wide")
MANY = 1 << 20

short = st.binary(max_size=20)
words = st.integers(-(1 << 63), (1 << 63) - 1)
forms = st.fixed_dictionaries(dict.fromkeys(FLAGS, st.booleans()))


@st.composite
def cells(draw: st.DrawFn, form: dict[str, bool]) -> Cell:
    """A cell of the given form."""
    columns = None
    if form["has_columns"]:
        columns = Columns(
            family=draw(short),
            qualifier=draw(short),
            timestamp=draw(words),
            type=draw(st.sampled_from(KeyType)),
        )
    tags = st.builds(Tag, type=st.integers(0, 255), value=short)
    return Cell(
        **form,
        key=Key(has_columns=form["has_columns"], row=draw(short), columns=columns),
        value=draw(short),
        tags=Tags(tags=draw(st.lists(tags, max_size=2))) if form["has_tags"] else None,
        mvcc=draw(words) if form["has_mvcc"] and form["is_mvcc_wide"] else None,
        no_mvcc=0 if form["has_mvcc"] and not form["is_mvcc_wide"] else None,
    )


@st.composite
def blocks(draw: st.DrawFn) -> tuple[dict[str, bool], bytes]:
    """A form and the bytes of some cells of that form."""
    form = draw(forms)
    return form, b"".join(each.to_bytes() for each in draw(st.lists(cells(form), max_size=4)))


@st.composite
def damaged(draw: st.DrawFn) -> tuple[dict[str, bool], bytes]:
    """Bytes of some cells, with one change."""
    form, data = draw(blocks().filter(lambda each: len(each[1]) > 0))
    return form, draw(changed(st.just(data)))


def by_record(form: dict[str, bool], data: bytes) -> tuple[list[tuple[object, ...]], str]:
    """The cells as their class reads them, up to the first error, and that error's words."""
    found: list[tuple[object, ...]] = []

    def take(r: Reader) -> None:
        place = r.offset
        cell = Cell.read(r, **form)
        columns = cell.key.columns
        own = (
            (columns.family, columns.qualifier, columns.timestamp, columns.type)
            if columns
            else (b"", b"", (1 << 63) - 1, 4)
        )
        tags = cell.tags.to_bytes() if cell.tags else b""
        found.append((cell.key.row, *own, cell.value, tags, cell.mvcc or 0, place))

    try:
        Reader(data).records_to_end("cells", take)
    except FormatError as error:
        return found, str(error)
    return found, ""


def by_walk(form: dict[str, bool], data: bytes, each: int = 1) -> Any:
    """The cells as the walk leaves them in its columns, and the words of its refusal."""
    array, ranges = np.frombuffer(data, np.uint8), np.array([[0, len(data)]])
    flags = {name: int(value) for name, value in form.items()}
    walked = replace(CELLS, usual=each).over(array, ranges, NAMES, MANY, flags)
    columns = []
    for out in CELLS.columns:
        filled = walked.columns[out.name][: walked.rows * out.width]
        if out.form == "view":
            columns.append([viewed(one.tobytes(), data) for one in filled.reshape(-1, 16)])
        else:
            columns.append(filled.view(out.form).tolist())
    refused = walked.code == REFUSED
    words = str(CELLS.refusal(array, len(data), walked, flags)) if refused else ""
    order = [[out.name for out in CELLS.columns].index(name) for name in NAMES]
    return list(zip(*(columns[index] for index in order), strict=True)), words


def viewed(view: bytes, data: bytes) -> bytes:
    """The bytes that one of Arrow's views refers to."""
    size = int.from_bytes(view[:4], "little")
    at = int.from_bytes(view[12:], "little")
    return view[4 : 4 + size] if size <= 12 else data[at : at + size]


@given(blocks())
def test_cells_become_the_values_of_their_records(block: tuple[dict[str, bool], bytes]) -> None:
    """The walk gives every column of every cell as records do, in each form of cells."""
    form, data = block
    assert by_walk(form, data) == by_record(form, data)


@given(damaged())
def test_damage_is_refused_as_records_refuse_it(block: tuple[dict[str, bool], bytes]) -> None:
    """Damaged cells give the same cells before the damage, and the same error, as records."""
    form, data = block
    assert by_walk(form, data) == by_record(form, data)


@given(blocks())
def test_a_walk_continues_where_it_had_no_room(block: tuple[dict[str, bool], bytes]) -> None:
    """A walk that begins with too little room finds the same cells."""
    form, data = block
    assert by_walk(form, data, each=1 << 20) == by_walk(form, data)


def test_order_is_remembered_where_a_walk_continues() -> None:
    """A cell out of order is found also where a walk continues after a full column."""
    data = b"".join(bytes((0, 0, 0, 3, 0, 0, 0, 0, 0, 1, row)) for row in b"abdc")
    array, ranges = np.frombuffer(data, np.uint8), np.array([[0, len(data)]])
    flags = dict.fromkeys(FLAGS, 0)
    for each in (11, 1 << 20):
        walked = replace(CELLS, usual=each).over(array, ranges, ["row"], MANY, flags)
        assert (walked.code, walked.rows, walked.disorder) == (DONE, 4, 3)


def test_ranges_of_one_buffer_are_counted_one_by_one() -> None:
    """Cells are counted for each range, and their order is compared across ranges."""
    data = b"".join(bytes((0, 0, 0, 3, 0, 0, 0, 0, 0, 1, row)) for row in b"abc")
    array, ranges = np.frombuffer(data, np.uint8), np.array([[22, 33], [11, 11], [0, 22]])
    walked = CELLS.over(array, ranges, ["place"], MANY, dict.fromkeys(FLAGS, 0))
    assert walked.counts.tolist() == [[1, 22], [1, 11], [3, 11]]
    assert walked.columns["place"].view(np.int64)[:3].tolist() == [22, 0, 11]
    assert walked.disorder == 1


@pytest.mark.parametrize(("most", "code"), [(2, FULL), (3, DONE)])
def test_no_more_cells_are_taken_than_there_may_be(most: int, code: int) -> None:
    """A walk stops at the first cell beyond the limit, and reports where that begins."""
    data = b"".join(bytes((0, 0, 0, 3, 0, 0, 0, 0, 0, 1, row)) for row in b"abc")
    array, ranges = np.frombuffer(data, np.uint8), np.array([[0, len(data)]])
    walked = CELLS.over(array, ranges, ["row"], most, dict.fromkeys(FLAGS, 0))
    assert (walked.code, walked.rows) == (code, most)
    assert code == DONE or walked.place == 22


def test_a_sequence_number_of_2_to_the_63_is_refused() -> None:
    """A record refuses a sequence number of 2^63, which a signed word of 64 bits cannot hold."""
    raw = bytes.fromhex("00000003 00000000 0001 72 88 8000000000000000")
    form = {"has_columns": False, "has_tags": False, "has_mvcc": True, "is_mvcc_wide": True}
    with pytest.raises(FormatError, match=r"^mvcc at byte 11 "):
        Cell.read(Reader(raw), **form)


FRAME_NAMES = [each.name for each in FRAMES.columns]
numbers = st.integers(0, (1 << 31) - 1) | st.sampled_from((0, 1, 33, (1 << 31) - 1))


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    """A block with any header, and as many bytes as that says."""
    rest = draw(st.binary(max_size=9))
    header = Block(
        magic=draw(st.sampled_from(BlockType)),
        len_on_disk=len(rest),
        len_uncompressed=draw(numbers),
        ofs_previous=draw(st.integers(-(1 << 63), (1 << 63) - 1)),
        checksum_type=draw(st.sampled_from(ChecksumType)),
        bytes_per_checksum=max(draw(numbers), 1),
        len_data=max(draw(numbers), 33),
    )
    return Frame(header=header, rest=rest)


def run(found: list[Frame]) -> bytes:
    """The bytes of some blocks."""
    return b"".join(each.to_bytes() for each in found)


frame_runs = st.lists(frames(), max_size=3).map(run)


def frames_by_record(data: bytes) -> tuple[list[tuple[object, ...]], str]:
    """The headers as their class reads them, up to the first error, and that error's words."""
    found: list[tuple[object, ...]] = []

    def take(r: Reader) -> None:
        place, header = r.offset, Frame.read(r).header
        found.append(
            (
                *(getattr(header, name) for name in FRAME_NAMES[:-1]),
                place,
            )  # an instance is an attribute
        )

    try:
        Reader(data).records_to_end("frames", take)
    except FormatError as error:
        return found, str(error)
    return found, ""


def frames_by_walk(data: bytes) -> tuple[list[tuple[object, ...]], str]:
    """The headers as the walk leaves them in its columns, and the words of its refusal."""
    array = np.frombuffer(data, np.uint8)
    walked = FRAMES.over(array, np.array([[0, len(data)]]), FRAME_NAMES, 1 << 20, {})
    columns: list[list[object]] = []
    for out in FRAMES.columns:
        filled = walked.columns[out.name][: walked.rows * out.width]
        columns.append(filled.view(out.form).tolist())
    refused = walked.code == REFUSED
    words = str(FRAMES.refusal(array, len(data), walked, {})) if refused else ""
    return list(zip(*columns, strict=True)), words


@given(frame_runs | changed(frame_runs))
def test_blocks_become_the_values_of_their_headers(data: bytes) -> None:
    """The walk gives every header field as records do, up to the same error."""
    assert frames_by_walk(data) == frames_by_record(data)


@pytest.mark.parametrize(
    "name", ["len_on_disk", "len_uncompressed", "bytes_per_checksum", "len_data"]
)
def test_sizes_of_2_to_the_31_are_negative_and_refused(name: str) -> None:
    """The walk and the record refuse a size whose highest bit is set, since sizes are signed."""
    header = Block(magic=BlockType.DATA, len_on_disk=0, len_uncompressed=0, ofs_previous=-1,
                   checksum_type=ChecksumType.CRC32, bytes_per_checksum=1, len_data=33)  # fmt: skip
    data = bytearray(header.to_bytes())
    at = {"len_on_disk": 8, "len_uncompressed": 12, "bytes_per_checksum": 25, "len_data": 29}[name]
    data[at] |= 0x80
    assert frames_by_walk(bytes(data)) == frames_by_record(bytes(data))
    assert f"{name} at byte {at} " in frames_by_walk(bytes(data))[1]


PUT_FLAGS = PUT_CELLS.parameters
PUT_NAMES = [each.name for each in PUT_CELLS.columns]
PLAIN = {"row": b"r", "family": b"", "qualifier": b"", "timestamp": (1 << 63) - 1, "type": 4,
         "value": b"", "tags": b"", "mvcc": 0}  # fmt: skip
FORM = dict.fromkeys(PUT_FLAGS, 1)

few = st.sampled_from((b"", b"a", b"b", b"ab", b"a longer name"))
put_words = st.integers(-(1 << 63), (1 << 63) - 1) | st.sampled_from((0, 1, -112, -113, 127, 128))
tags = st.lists(st.binary(min_size=1, max_size=5), max_size=2).map(
    lambda found: b"".join(len(each).to_bytes(2, "big") + each for each in found)
)
put_forms = st.fixed_dictionaries(dict.fromkeys(PUT_FLAGS, st.integers(0, 1)))


def rows_of(types: st.SearchStrategy[int], tags: st.SearchStrategy[bytes]) -> Any:
    """Rows of columns, alike enough to be equal and out of order at times."""
    return st.lists(
        st.fixed_dictionaries(
            {"row": few, "family": few, "qualifier": few, "timestamp": put_words, "type": types,
             "value": st.binary(max_size=20), "tags": tags, "mvcc": put_words}
        ),
        max_size=5,
    )  # fmt: skip


SOUND = rows_of(st.sampled_from((0, 4, 8, 10, 12, 14, 255)), tags)
ANY = rows_of(st.integers(0, 255), tags | st.binary(max_size=6))


def arrays(rows: list[dict[str, Any]]) -> list[Any]:
    """The columns in the form that a put takes."""
    found = []
    for column in PUT_CELLS.columns:
        values = [row[column.name] for row in rows]
        if column.form == "view":
            ends = np.cumsum([0, *map(len, values)], dtype=np.int64)
            found += [np.frombuffer(b"".join(values), np.uint8), ends]
        else:
            found.append(np.array(values, column.form))
    return found


class Buffer:
    """A run of cells being put, in a buffer with room for some bytes and records."""

    def __init__(self, room: int, records: int) -> None:
        """Begin without any."""
        self.data = np.zeros(room + SLACK, np.uint8)
        self.starts = np.zeros(records + 2, np.int64)
        self.shared = np.zeros(records + 2, np.uint8)
        self.state = PUT_CELLS.state()

    def put(self, rows: list[dict[str, Any]], form: dict[str, int], first: int = 0) -> Any:
        """Put rows from *first* on; return how it ended, and the next row."""
        fill: Any = PUT_CELLS.fill
        flags = [form[name] for name in PUT_FLAGS]
        code, row, _ = fill(
            self.data, self.starts, self.shared, self.state, first, len(rows), *flags,
            *arrays(rows),
        )  # fmt: skip
        return code, row

    @property
    def cells(self) -> bytes:
        """The cells so far."""
        return self.data[: self.starts[self.state[0]]].tobytes()

    def forget(self) -> bytes:
        """Move the last cell to the front; return the cells before it."""
        count = int(self.state[0])
        at, end = self.starts[count - 1], self.starts[count]
        left = self.data[:at].tobytes()
        self.data[: end - at] = self.data[at:end].copy()
        self.starts[:2] = 0, end - at
        self.state[0] = 1
        return left


def put_by_record(rows: list[dict[str, Any]], form: dict[str, int]) -> tuple[bytes, str]:
    """The bytes that the record class writes up to the first error, and that error's words."""
    found = b""
    for number, row in enumerate(rows):
        try:
            found += PUT_CELLS.make(*(row[name] for name in PUT_NAMES), **form).to_bytes()
        except FormatError:
            return found, str(PUT_CELLS.refusal([row[name] for name in PUT_NAMES], number, form))
    return found, ""


@given(SOUND | ANY, put_forms)
@example([PLAIN | {"row": bytes(32767)}], FORM)
@example([PLAIN | {"row": bytes(32768)}], FORM)
@example([PLAIN | {"family": bytes(127)}], FORM)
@example([PLAIN | {"family": bytes(128)}], FORM)
@example([PLAIN | {"tags": b"\xff\xfd" + bytes(65533)}], FORM)
@example([PLAIN | {"tags": b"\xff\xfe" + bytes(65534)}], FORM)
@example([PLAIN | {"family": b"f"}], FORM | {"has_columns": 0})
@example([PLAIN | {"mvcc": 1}], FORM | {"is_mvcc_wide": 0})
def test_cells_become_the_bytes_of_their_records(
    rows: list[dict[str, Any]], form: dict[str, int]
) -> None:
    """A put writes the bytes of the records, or refuses the first bad cell in the same words."""
    buffer = Buffer(1 << 18, 8)
    code, row = buffer.put(rows, form)
    error = ""
    if code == REFUSED:
        values = [rows[row][name] for name in PUT_NAMES]
        error = str(PUT_CELLS.refusal(values, row, form))
    else:
        assert (code, row) == (DONE, len(rows))
        assert put_by_record(rows, form) == (buffer.cells, "")
    assert put_by_record(rows, form)[1] == error


def ranks(before: bytes, key: bytes) -> int:
    """How many parts of the sort order two keys have in common."""
    parts = [order_of_cells(each) for each in (before, key)]
    (row, is_last, *rest), (row_2, is_last_2, *rest_2) = parts
    pairs = [(row, row_2), (is_last, is_last_2), *zip(rest, rest_2, strict=False)]
    same = [one == two for one, two in pairs] + [False]
    return 6 if parts[0] == parts[1] else same.index(False)


def test_the_parts_of_a_key_that_it_has_in_common_are_counted() -> None:
    """A put counts how many parts of the sort order a key shares with the one before."""
    key = {"row": b"r", "family": b"f", "qualifier": b"q", "timestamp": 5, "type": 4}
    changes: list[dict[str, Any]] = [
        {}, {}, {"type": 0}, {"timestamp": 3}, {"qualifier": b"z"}, {"family": b"g"},
        {"family": b"", "qualifier": b"", "type": 0}, {"row": b"s"},
    ]  # fmt: skip
    rows = [PLAIN | key | change for change in changes]
    buffer = Buffer(1 << 10, 8)
    assert buffer.put(rows, FORM) == (DONE, 8)
    assert buffer.shared[:8].tolist() == [0, 6, 5, 4, 3, 2, 1, 0]
    assert buffer.state[1] == -1


@given(SOUND.filter(lambda rows: len(rows) > 1))
def test_the_first_cell_out_of_order_is_found(rows: list[dict[str, Any]]) -> None:
    """The first cell out of order is found; type 0 without a column is the last of its row."""
    keys = []
    for row in rows:
        column = (row["family"], row["qualifier"])
        is_last = column == (b"", b"") and row["type"] == 0
        keys.append((row["row"], is_last, *column, -row["timestamp"], -row["type"]))
    wrong = [number for number in range(1, len(keys)) if keys[number] < keys[number - 1]]
    buffer = Buffer(1 << 10, 8)
    assert buffer.put(rows, FORM)[0] == DONE
    assert buffer.state[1] == min(wrong, default=-1)


@given(SOUND.filter(lambda rows: len(rows) > 1), st.integers(1, 4))
def test_a_put_continues_where_it_had_no_room(rows: list[dict[str, Any]], records: int) -> None:
    """A put that continues after a full buffer writes the same cells and the same counts."""
    whole = Buffer(1 << 10, 8)
    whole.put(rows, FORM)
    buffer, found, shared, at = Buffer(1 << 10, records + 1), b"", [], 0
    while True:
        before = int(buffer.state[0])
        code, at = buffer.put(rows, FORM, at)
        shared += buffer.shared[before : buffer.state[0]].tolist()
        if code != FULL:
            break
        found += buffer.forget()
    assert found + buffer.cells == whole.cells
    assert shared == whole.shared[: len(rows)].tolist()


@pytest.mark.parametrize(("room", "ended"), [(29, (FULL, 0)), (30, (DONE, 1))])
def test_a_cell_is_put_whole_or_not_at_all(room: int, ended: tuple[int, int]) -> None:
    """A cell is put only where there is room for the longest sequence number, nine bytes."""
    buffer = Buffer(room, 1)
    assert buffer.put([PLAIN], FORM | {"has_tags": 0}) == ended
    assert len(buffer.cells) == (22 if ended[0] == DONE else 0)
