"""Cells of PREFIX, DIFF and FAST_DIFF are what a plain reader makes of them, damaged or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.hfile_deltas import DIFF, FAST_DIFF, PREFIX, plain_cells
from tests.support.kernel_ways import bytes_of, ways
from tests.support.varints import varint

from byteloom.kernels.hfile_encodings import decode
from byteloom.kernels.hfile_write_encodings import encode
from byteloom_generated.hfile.cell_scan import PUT_CELLS

HEAD = 6
NEVER = 1 << 62
SLACK = 64

few = st.sampled_from((b"", b"a", b"b", b"ab", b"a longer name", b"a longer one"))
words = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-3, 300)
tags = st.lists(st.sampled_from((b"\1", b"\2tag", b"\1" * 200)) | st.binary(max_size=3), max_size=3)
rows = st.fixed_dictionaries(
    {"row": few, "qualifier": few, "timestamp": words, "type": st.sampled_from((4, 8, 14)),
     "value": few | st.binary(max_size=150), "tags": tags, "mvcc": words}
)  # fmt: skip
forms = st.tuples(st.sampled_from((PREFIX, DIFF, FAST_DIFF)), *[st.booleans()] * 3)

Form = tuple[int, bool, bool, bool]


def laid(cells: list[dict[str, Any]], form: Form) -> tuple[np.ndarray, np.ndarray]:
    """Cells as they are stored without an encoding, and where each begins."""
    columns: list[np.ndarray] = []
    for column in PUT_CELLS.columns:
        left_out: dict[str, Any] = {} if form[3] else {"mvcc": 0}
        if not form[1]:
            left_out["tags"] = []
        values = [{"family": b"f", **each, **left_out}[column.name] for each in cells]
        if column.name == "tags":
            values = [
                b"".join(len(tag).to_bytes(2, "big") + tag for tag in each if tag)
                for each in values
            ]
        if column.form == "view":
            ends = np.cumsum([0, *map(len, values)], dtype=np.int64)
            columns += [np.frombuffer(b"".join(values), np.uint8), ends]
        else:
            columns.append(np.array(values, column.form))
    flags = {"has_columns": 1, "has_tags": form[1], "has_mvcc": form[3], "is_mvcc_wide": 1}
    data, starts = PUT_CELLS.whole(len(cells), columns, flags)
    return np.concatenate([data, np.zeros(SLACK, np.uint8)]), starts


def encoded(cells: list[dict[str, Any]], form: Form, way: Any = lambda kernel: kernel) -> bytes:
    """The payload of a block without its head."""
    data, starts = laid(cells, form)
    encoding, has_tags, is_packed, _ = form
    out = np.zeros(2 * len(data) + 64 * len(cells) + SLACK, np.uint8)
    limits, shared = np.array([NEVER, NEVER, 0]), np.zeros(len(cells) + 1, np.uint8)
    end, size = way(encode)(
        data, starts, shared, 0, len(cells), True,
        encoding, has_tags, is_packed, limits, out,
    )  # fmt: skip
    assert end == len(cells)
    assert out[:HEAD].tobytes() == encoding.to_bytes(2, "big") + int(starts[-1]).to_bytes(4, "big")
    return out[HEAD:size].tobytes()


def decoded(way: Any, payloads: list[bytes], form: Form, rooms: list[int]) -> Any:
    """What the kernel returns for encoded blocks, and the bytes that it writes."""
    encoding, has_tags, is_packed, has_mvcc = form
    ends, stops = np.cumsum([0, *map(len, payloads)]), np.cumsum([0, *rooms])
    ranges, bounds = (np.stack([each[:-1], each[1:]], 1) for each in (ends, stops))
    out = np.zeros(int(stops[-1]), np.uint8)
    data = bytes_of(b"".join(payloads))
    found = way(decode)(data, ranges, encoding, has_tags, is_packed, has_mvcc, out, bounds)
    return tuple(map(int, found)), out.tobytes()


def by_plain(payload: bytes, form: Form) -> bytes | None:
    """The cells of a block; None for damage."""
    encoding, has_tags, is_packed, has_mvcc = form
    try:
        return plain_cells(
            payload, encoding, has_tags=has_tags, is_packed=is_packed, has_mvcc=has_mvcc
        )
    except ValueError:
        return None


def compare(way: Any, payload: bytes, form: Form, room: int) -> None:
    """Check that both readers find the same cells of a block of *room* bytes, or none."""
    wanted = by_plain(payload, form)
    returned, found = decoded(way, [payload], form, [room])
    if wanted is None or len(wanted) > room:
        assert returned == (0, -1)
    elif len(wanted) < room:
        assert returned == (0, len(wanted))
    else:
        assert (returned, found) == ((-1, 0), wanted)


def named(qualifier: bytes, row: bytes = b"rrrrrr") -> dict[str, Any]:
    """A cell that differs from the others in its names only."""
    same = {"timestamp": 1, "type": 4, "value": b"v", "tags": [], "mvcc": 0}
    return {"row": row, "qualifier": qualifier, **same}


@ways
@given(cells=st.lists(rows, max_size=12), form=forms)
@example(  # what precedes the second qualifier, row and family, is no part of it
    cells=[named(b"qqqqqqqqrrrrrr\1f"), named(b"qqqqqqqqzzzzzzzz")],
    form=(PREFIX, False, False, False),
)
@example(cells=[named(b"", b"r"), named(b"", b"r" * 256)], form=(PREFIX, False, False, False))
def test_what_is_encoded_is_read_back(way: Any, cells: list[dict[str, Any]], form: Form) -> None:
    """Encoded cells are read back by the kernel and by the plain reader."""
    data, starts = laid(cells, form)
    payload, wanted = encoded(cells, form, way), data[: starts[-1]].tobytes()
    if cells:
        assert by_plain(payload, form) == wanted
        compare(way, payload, form, len(wanted))


@ways
@pytest.mark.parametrize(("length", "shared"), [(2, 1), (255, 1), (256, 0), (511, 0)])
def test_keys_of_rows_of_unlike_lengths_share_the_first_byte_of_the_length(
    way: Any, length: int, shared: int
) -> None:
    """Of two bytes of length, the first is shared if it is equal, and never the second."""
    form = (PREFIX, False, False, False)
    cells = [named(b"", b"r"), named(b"", b"r" * length)]
    first = len(encoded(cells[:1], form, way))
    second = encoded(cells, form, way)[first:]
    size = varint(2 + length + len(b"\1f") + 9 - shared)
    assert second.startswith(size + b"\1" + bytes([shared]) + length.to_bytes(2)[shared:] + b"r")


@ways
@given(cells=st.lists(rows, min_size=1, max_size=6), form=forms, data=st.data())
def test_damaged_blocks_are_refused_by_both(
    way: Any, cells: list[dict[str, Any]], form: Form, data: st.DataObject
) -> None:
    """The kernel and the plain reader read the same cells of a damaged block, or refuse it."""
    payload = bytearray(encoded(cells, form))
    room = len(by_plain(bytes(payload), form) or b"")
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(payload) - 1))
        new = data.draw(st.sampled_from((b"", b"\0", b"\1", b"\x7f", b"\x80", b"\xff", b"ab")))
        payload[at : at + data.draw(st.integers(0, 1))] = new
        if not payload:
            return
    compare(
        way,
        bytes(payload),
        form,
        room + data.draw(st.integers(-2, 2).filter(lambda n: n + room >= 0)),
    )


BLOCK = [
    {"row": row, "qualifier": name, "timestamp": time, "type": kind, "value": value,
     "tags": [b"\1tag", tag], "mvcc": mvcc}
    for row, name, time, kind, value, tag, mvcc in [
        (b"row 1", b"q", 1_700_000_000_000, 4, b"value", b"\1tag", 3),
        (b"row 1", b"qualifier", 1_700_000_000_001, 4, b"value", b"\2x", 300),
        (b"row 1", b"r", -5, 8, b"other", b"\2x", -200),
        (b"row 22", b"q", 1 << 62, 8, b"", b"\1tag", 1 << 40),
    ]
]  # fmt: skip


@ways
@pytest.mark.parametrize("encoding", [PREFIX, DIFF, FAST_DIFF])
@pytest.mark.parametrize("is_packed", [False, True])
def test_each_flipped_bit_and_each_cut(way: Any, encoding: int, is_packed: bool) -> None:
    """A flipped bit or a cut gives kernel and plain reader the same cells of a block, or none."""
    form = (encoding, True, is_packed, True)
    payload = encoded(BLOCK, form)
    room = len(by_plain(payload, form) or b"")
    compare(way, payload, form, room)
    for bit in range(8 * len(payload)):
        damaged = bytearray(payload)
        damaged[bit // 8] ^= 1 << bit % 8
        compare(way, bytes(damaged), form, room)
    for size in range(len(payload)):
        compare(way, payload[:size], form, room)


@ways
@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_first_damaged_block_is_named(way: Any, number: int) -> None:
    """The first damaged block is named, and those before it are decoded."""
    form = (FAST_DIFF, True, True, True)
    payload = encoded(BLOCK, form)
    wanted = by_plain(payload, form) or b""
    payloads = [payload] * 3
    payloads[number] = payload[:-1]
    returned, found = decoded(way, payloads, form, [len(wanted)] * 3)
    assert returned == (number, -1)
    assert found.startswith(wanted * number)


@ways
def test_a_dictionary_of_tags_drops_what_was_not_used_for_longest(way: Any) -> None:
    """The tag dictionary keeps 127 entries and drops the least recently used."""
    form = (DIFF, True, True, False)
    many = [b"\1%d" % number for number in range(140)]
    cells = [BLOCK[0] | {"tags": [tag, many[0]]} for tag in [*many, *many[:20], *reversed(many)]]
    data, starts = laid(cells, form)
    wanted = data[: starts[-1]].tobytes()
    payload = encoded(cells, form, way)
    assert by_plain(payload, form) == wanted
    compare(way, payload, form, len(wanted))
