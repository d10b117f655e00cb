"""Keys decoded by hand are those of `cell.ksy`, wherever they are the key of a cell."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.hfile import Key
from byteloom.hfile.keys import order_of_cells, row_of
from byteloom.wire import Reader
from byteloom_generated.hfile.cell import Columns, KeyType
from byteloom_generated.hfile.cell import Key as StoredKey

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


def by_record(data: bytes) -> Key | None:
    """The key that the record reads from the whole of *data*; None if it refuses."""
    reader = Reader(data)
    try:
        record = reader.whole("key", lambda r: StoredKey.read(r, has_columns=True))
    except FormatError:
        return None
    columns = record.columns
    assert columns is not None
    names = columns.family, columns.qualifier
    return Key(record.row, *names, columns.timestamp, int(columns.type))


def by_hand(data: bytes) -> Key | None:
    """The key that is decoded by hand; None if it is refused."""
    try:
        return Key.decode(data)
    except FormatError:
        return None


@given(KEYS)
@example(Key(bytes(32767)))
def test_a_key_is_encoded_as_its_record_is(key: Key) -> None:
    """A key is encoded to the bytes of its record, and decoded to itself."""
    data = stored(key).to_bytes()
    assert key.encode() == data
    assert Key.decode(data) == by_record(data) == key
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
        record, decoded = by_record(damaged), by_hand(damaged)
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
