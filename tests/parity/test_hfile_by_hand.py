"""What HFile's code reads or writes by hand is what the records of `specs/hfile` have.

Damage is refused by both, or both find the same; `docs/internals/by-hand.md` has the intended
differences.
"""

from __future__ import annotations

import io
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.changes import changed

from byteloom.codecs.checksums import crc32, crc32c
from byteloom.errors import FormatError
from byteloom.hfile import Key, codecs
from byteloom.hfile.blocks import MAGICS
from byteloom.hfile.codecs import _framed_into, compress
from byteloom.hfile.decoded_blocks import _viewed
from byteloom.hfile.encoded import _within_row_index
from byteloom.hfile.index_entries import _with_short_keys, non_root_entries, read_root
from byteloom.hfile.keys import order_of_cells, row_of
from byteloom.hfile.messages import hadoop_vlong
from byteloom.hfile.runs import Place
from byteloom.hfile.writing.blocks import BlockSizes, BlockWriter
from byteloom.hfile.writing.index import between
from byteloom.hfile.writing.settings import Settings
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import Reader
from byteloom_generated.hfile.block import Block, BlockType, ChecksumType
from byteloom_generated.hfile.cell import Columns, KeyType
from byteloom_generated.hfile.cell import Key as StoredKey
from byteloom_generated.hfile.encoded import Encoded, Encoding, RowIndex
from byteloom_generated.hfile.framing import Chunk, Framing
from byteloom_generated.hfile.index import Entry, Index, MidKey, NonRootIndex, RootEntry


def refused(read: Any, *args: Any, **options: Any) -> Any:
    """What a reader returns; None where it refuses its bytes."""
    try:
        return read(*args, **options)
    except FormatError:
        return None


LONGEST = 127
"""Bytes of a key that the loop takes."""

MID = MidKey(ofs_leaf=1 << 40, len_leaf=3, entry=7)
Entries = list[tuple[int, int, bytes]]
sizes = st.integers(0, 9) | st.sampled_from([(1 << 31) - 1])
short_keys = st.binary(max_size=3) | st.sampled_from([b"k" * LONGEST, b"k" * (LONGEST + 1)])
runs = st.lists(st.tuples(sizes, sizes, short_keys), max_size=3)


def entries_of(parts: Entries) -> Entries:
    """Blocks one after the other, each at a distance from the one before."""
    found, end = Entries(), 0
    for gap, size, key in parts:
        found.append((end + gap, size, key))
        end += gap + size
    return found


def root_of(entries: Entries, *, has_mid_key: bool) -> bytes:
    """A root index as its record writes it."""
    records = [
        RootEntry(offset=offset, len_block=size, len_key=hadoop_vlong(len(key)), key=key)
        for offset, size, key in entries
    ]
    mid_key = MID if has_mid_key else None
    return Index(num_entries=len(records), entries=records, mid_key=mid_key).to_bytes()


def root_by_record(data: bytes, count: int) -> tuple[Entries, MidKey | None] | None:
    """What the record class reads, of a root that ends with its last entry or a mid key."""
    root = refused(Index.from_bytes, data, num_entries=count)
    if root is None:
        return None
    return [(each.offset, each.len_block, each.key) for each in root.entries], root.mid_key


def root_by_loop(data: bytes, count: int) -> tuple[Entries, MidKey | None] | None:
    """What the loop finds; None where it leaves the root index to the record."""
    found = _with_short_keys(data, count, DEFAULT_LIMITS)
    return None if found is None else ([(*each,) for each in found.entries], found.mid_key)


@given(runs.map(entries_of), st.booleans())
@example([], True)
def test_a_root_has_the_entries_of_its_record(entries: Entries, has_mid_key: bool) -> None:
    """A root index has its record's entries; the loop reads it where all keys are short."""
    data = root_of(entries, has_mid_key=has_mid_key)
    record = root_by_record(data, len(entries))
    assert record == (entries, MID if has_mid_key else None)
    is_short = all(len(key) <= LONGEST for *_, key in entries)
    assert root_by_loop(data, len(entries)) == (record if is_short else None)
    found = read_root(data, len(entries), limits=DEFAULT_LIMITS, origin=0)
    assert ([tuple(each) for each in found.entries], found.mid_key) == record


@given(runs.map(entries_of), st.booleans(), st.data())
def test_of_a_damaged_root_the_loop_takes_nothing_that_the_record_refuses(
    entries: Entries,
    has_mid_key: bool,
    draw: st.DataObject,
) -> None:
    """The loop finds in a damaged root index what the record reads, or nothing."""
    data = root_of(entries, has_mid_key=has_mid_key)
    at, byte = draw.draw(st.integers(0, len(data))), bytes([draw.draw(st.integers(0, 255))])
    count = len(entries) + draw.draw(st.integers(-1, 1))
    for damaged in (data[:at], data[:at] + byte + data[at:], data[:at] + byte + data[at + 1 :]):
        found = root_by_loop(damaged, count)
        assert found is None or found == root_by_record(damaged, count)


@given(runs.map(entries_of).filter(len))
def test_the_entries_of_a_block_below_are_those_of_its_record(entries: Entries) -> None:
    """A lower index block has its record's entries; one more than there is room for is refused."""
    records = [Entry(len_key=len(key), offset=at, len_block=n, key=key) for at, n, key in entries]
    ends = [0]
    for each in records:
        ends.append(ends[-1] + len(each.to_bytes()))
    data = NonRootIndex(offsets=ends, entries=records).to_bytes()
    room = len(entries)
    found = non_root_entries(data, limits=DEFAULT_LIMITS, origin=0, room=room)
    assert [tuple(each) for each in found] == entries
    with pytest.raises(FormatError, match=rf"^index\.num_entries .*: found {room}, wanted at most"):
        non_root_entries(data, limits=DEFAULT_LIMITS, origin=0, room=room - 1)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    """An entry with any place, size and key."""
    key, word = draw(st.binary(max_size=9)), st.integers(-(1 << 63), (1 << 63) - 1)
    size = draw(st.integers(-(1 << 31), (1 << 31) - 1))
    return Entry(len_key=len(key), offset=draw(word), len_block=size, key=key)


def index_block(found: list[Entry]) -> bytes:
    """The payload of an index block."""
    offsets = accumulate((len(each.to_bytes()) for each in found), initial=0)
    return NonRootIndex(offsets=list(offsets), entries=found).to_bytes()


index_blocks = st.lists(entries(), min_size=1, max_size=4).map(index_block)


def viewed(data: bytes) -> list[Any]:
    """The entries as lookups view them."""
    node = _viewed(data, 1, 0)
    return [node.entry(number) for number in range(len(node))]


def listed(data: bytes) -> list[Any]:
    """The entries as the record reads them."""
    return list(non_root_entries(data, limits=DEFAULT_LIMITS, origin=0, room=1 << 20))


@given(index_blocks | changed(index_blocks))
def test_views_of_index_blocks_are_what_records_read(data: bytes) -> None:
    """A view of an index block has its record's places, sizes and keys, or both refuse it."""
    assert refused(viewed, data) == refused(listed, data)


def test_an_index_block_without_entries_is_refused_by_lookups_alone() -> None:
    """Lookups refuse an index block without entries, which its record reads."""
    data = index_block([])
    assert listed(data) == []
    with pytest.raises(FormatError, match=r"^index\.num_entries at byte 0 .*found 0, wanted 1 to "):
        _viewed(data, 1, 0)


@st.composite
def row_blocks(draw: st.DrawFn) -> bytes:
    """A block with any cells and places of rows."""
    cells = draw(st.binary(max_size=9))
    rows = draw(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), max_size=3))
    body = RowIndex(cells=cells, row_offsets=rows, len_cells_end=len(cells))
    body.len_cells = len(cells)
    return Encoded(encoding=Encoding.ROW_INDEX_V1, body=body.to_bytes()).to_bytes()


def cells_of_record(data: bytes) -> bytes | None:
    """The cells as records read them; None where they leave bytes."""
    head = Encoded.from_bytes(data)
    found = RowIndex.from_bytes(head.body)
    whole = RowIndex.MIN_SIZE + len(found.cells) + 4 * len(found.row_offsets)
    is_right = head.encoding == Encoding.ROW_INDEX_V1 and whole == len(head.body)
    return found.cells if is_right else None


def cells_in_view(data: bytes) -> bytes:
    """The cells as scans view them."""
    array, bounds = np.frombuffer(data, np.uint8), np.array([0, len(data)])
    start, end = _within_row_index(Place(0, "encoded_data"), array, bounds)
    return data[start:end]


@given(row_blocks() | changed(row_blocks()))
def test_views_of_row_indexes_are_what_records_read(data: bytes) -> None:
    """A view of a ROW_INDEX_V1 block has its record's cells, or both refuse it."""
    assert refused(cells_in_view, data) == refused(cells_of_record, data)


groups = st.lists(st.lists(st.binary(min_size=1, max_size=9), max_size=3), max_size=3)


def framed(parts: list[list[bytes]]) -> bytes:
    """Groups of chunks that are stored as they are."""
    return b"".join(
        len(b"".join(group)).to_bytes(4, "big")
        + b"".join(Chunk(data=chunk).to_bytes() for chunk in group)
        for group in parts
    )


def plain(data: bytes | memoryview, out: memoryview) -> int:
    """The codec that changes nothing; more bytes than there is room for are an error."""
    if len(data) > len(out):
        raise FormatError("chunk", None, len(data), f"at most {len(out)}")
    out[: len(data)] = data
    return len(data)


def groups_by_record(data: bytes, room: int) -> bytes | None:
    """What the groups hold as records read them; None for more than there is room for."""
    r, out = Reader(data), b""
    while not r.eof:
        end = len(out) + r.u4be("len_group")
        while len(out) < end <= room:
            out += Chunk.read(r).data
        if len(out) > end or end > room:
            return None
    return out


def groups_by_hand(data: bytes, room: int) -> bytes:
    """What the groups hold as the loop over HFile's blocks reads them."""
    out = bytearray(room)
    return bytes(out[: _framed_into(data, memoryview(out), plain)])


@given(groups)
def test_groups_hold_what_their_chunks_hold(parts: list[list[bytes]]) -> None:
    """The loop and the record read the chunks of any number of groups."""
    whole = b"".join(chunk for group in parts for chunk in group)
    data = framed(parts)
    assert groups_by_hand(data, len(whole)) == groups_by_record(data, len(whole)) == whole


@given(groups.filter(any), st.data())
def test_damaged_groups_are_refused_by_both(parts: list[list[bytes]], draw: st.DataObject) -> None:
    """With a changed byte or a cut end, loop and record give the same bytes, or both refuse."""
    data, room = framed(parts), sum(len(chunk) for group in parts for chunk in group)
    at = draw.draw(st.integers(0, len(data) - 1))
    byte = bytes((draw.draw(st.integers(0, 255)),))
    for each in (data[:at], data[:at] + byte + data[at + 1 :]):
        wanted = refused(groups_by_record, each, room)
        assert refused(groups_by_hand, each, room) == wanted


@given(st.sampled_from([0, 1, 9, 10]), st.sampled_from([1, 3, 5, 9]))
def test_groups_are_written_as_their_records_are(size: int, most: int) -> None:
    """Groups are written in chunks of equal size but the last, as their records write them."""
    data = bytes(range(size))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(codecs._CHUNK_ENCODERS, "LZO", lambda chunk, _: bytes(chunk))
        patch.setattr(codecs, "_LZO_CHUNK", most)
        written = compress("LZO", data)
    chunks = [Chunk(data=data[at : at + most]) for at in range(0, size, most)]
    records = [Framing(len_group=size, first=chunks[0] if chunks else None), *chunks[1:]]
    if len(chunks) > 1:
        records.append(Framing(len_group=0))
    assert written == b"".join(each.to_bytes() for each in records)


TIMES = st.integers(-(1 << 63), (1 << 63) - 1) | st.sampled_from((0, -1, (1 << 63) - 1))
KEYS = st.builds(
    Key,
    st.binary(max_size=20),
    st.binary(max_size=8) | st.just(bytes(127)),
    st.binary(max_size=20),
    TIMES,
    st.sampled_from(list(KeyType)).map(int),
)


def stored(key: Key) -> StoredKey:
    """The record of a key."""
    columns = Columns(
        family=key.family, qualifier=key.qualifier, timestamp=key.timestamp, type=key.type
    )
    return StoredKey(has_columns=True, row=key.row, columns=columns)


def key_by_record(data: bytes) -> Key:
    """The key that the record reads from the whole of *data*."""
    record = Reader(data).whole("key", lambda r: StoredKey.read(r, has_columns=True))
    columns = record.columns
    assert columns is not None
    names = columns.family, columns.qualifier
    return Key(record.row, *names, columns.timestamp, int(columns.type))


@given(KEYS)
@example(Key(bytes(32767)))
def test_a_key_is_encoded_as_its_record_is(key: Key) -> None:
    """A key is encoded to the bytes of its record, and decoded to itself."""
    data = stored(key).to_bytes()
    assert key.encode() == data
    assert Key.decode(data) == key_by_record(data) == key
    assert row_of(data) == key.row


@given(KEYS)
@example(Key(b"\x80" + bytes(15), bytes(127), bytes(16), 0, 0))
def test_damaged_keys_are_decoded_as_their_records_are(key: Key) -> None:
    """A damaged key is decoded as its record reads it, wherever the record reads it.

    Only a key that is asked for may have a type of no cell, longer names than cells, or a row
    alone: no record has these.
    """
    data = key.encode()
    number = int.from_bytes(data, "big")
    flips = [(number ^ 1 << bit).to_bytes(len(data), "big") for bit in range(0, 8 * len(data), 3)]
    for damaged in [*flips, *(data[:end] for end in range(len(data)))]:
        record, decoded = refused(key_by_record, damaged), refused(Key.decode, damaged)
        if record is not None:
            assert decoded == record
        elif decoded is not None:
            is_row = len(damaged) == 2 + len(decoded.row)
            is_typed = decoded.type in {int(each) for each in KeyType}
            is_long = len(decoded.row) > StoredKey.MOST["len_row"]
            is_long |= len(decoded.family) > Columns.MOST["len_family"]
            assert is_row or not is_typed or is_long


@given(KEYS, KEYS)
def test_keys_are_ordered_by_the_fields_of_their_records(one: Key, two: Key) -> None:
    """Keys ascend by row and names and descend by time and type; the last of a row follows all."""

    def order(key: Key) -> tuple[object, ...]:
        record = stored(key)
        assert record.columns is not None
        ends = record.columns.is_last
        names = (record.columns.family, record.columns.qualifier)
        return (key.row, ends, *(() if ends else (*names, -key.timestamp, -key.type)))

    found = order_of_cells(one.encode()) < order_of_cells(two.encode())
    assert found == (order(one) < order(two))


@given(KEYS, KEYS)
def test_a_key_between_two_cells_is_a_record_after_the_one_and_not_after_the_other(
    one: Key, two: Key
) -> None:
    """A key made up between two cells is after the first, and not after the second."""
    before, key = sorted((one.encode(), two.encode()), key=order_of_cells)
    if order_of_cells(before) == order_of_cells(key):
        return
    made = between(before, key)
    assert key_by_record(made) == Key.decode(made)
    assert order_of_cells(before) < order_of_cells(made) <= order_of_cells(key)


SUMS = {"CRC32": crc32, "CRC32C": crc32c}


class Memory(io.BytesIO):
    """A target in memory."""

    name = "memory"

    def commit(self) -> None:
        """Keep what was written."""

    def abort(self) -> None:
        """Keep what was written, as a commit does."""


def written(blocks: list[tuple[str, bytes]], settings: Settings) -> bytes:
    """Blocks of these types with these payloads."""
    target = Memory()
    target.write_all = lambda pieces: [target.write(each) for each in pieces]  # type: ignore[attr-defined]
    writer: Any = BlockWriter(target, settings, BlockSizes(settings))  # type: ignore[arg-type]
    for kind, payload in blocks:
        writer.write(MAGICS[kind], payload)
    writer.flush()
    return target.getvalue()


@given(
    st.lists(st.tuples(st.sampled_from(sorted(MAGICS)), st.binary(max_size=90)), max_size=4),
    st.sampled_from(["NULL", "CRC32", "CRC32C"]),
    st.integers(1, 99),
)
@example([("data", b"")], "CRC32C", 33)
@example([("data", b"a")], "CRC32", 33)
@example([("data", b"ab"), ("meta", b""), ("data", b"c")], "CRC32C", 34)
def test_blocks_are_what_their_records_say(
    blocks: list[tuple[str, bytes]], checksum: str, step: int
) -> None:
    """Headers and checksums of written blocks are those that their records write."""
    data = written(blocks, Settings(checksum=checksum, bytes_per_checksum=step))
    at, before = 0, dict[str, int]()
    for kind, payload in blocks:
        raw = data[at : at + Block.SIZE]
        header = Block.from_bytes(raw)
        assert header == Block(
            magic=BlockType[kind.upper()],
            len_on_disk=len(payload) + 4 * header.num_checksums,
            len_uncompressed=len(payload),
            ofs_previous=before.get(kind, -1),
            checksum_type=ChecksumType[checksum],
            bytes_per_checksum=step,
            len_data=Block.SIZE + len(payload),
        )
        assert header.to_bytes() == raw
        end = at + header.len_data
        assert data[at + Block.SIZE : end] == payload
        sums = [
            SUMS[checksum](data[start : min(start + step, end)]) if checksum in SUMS else 0
            for start in range(at, end, step)
        ]
        assert len(sums) == header.num_checksums
        before[kind], at = at, at + Block.SIZE + header.len_on_disk
        assert data[end:at] == b"".join(each.to_bytes(4, "big") for each in sums)
    assert at == len(data)


@pytest.mark.parametrize("kind", sorted(MAGICS))
def test_every_type_of_block_has_the_magic_of_the_record(kind: str) -> None:
    """The eight-byte magic of every block type is that of the record."""
    assert MAGICS[kind] == BlockType[kind.upper()].to_bytes(Block.PLACES["len_on_disk"], "big")
