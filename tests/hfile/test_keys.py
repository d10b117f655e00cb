"""Keys of cells are encoded and decoded as they are stored, and no other bytes are keys."""

from __future__ import annotations

from typing import Final

import pytest
from tests.support.hfile_files import LATEST

from byteloom.errors import FormatError
from byteloom.hfile import Key

KEY: Final = Key(b"row", b"f", b"q", 5, 4)


@pytest.mark.parametrize("size", range(16))
def test_no_prefix_of_a_key_is_a_key(size: int) -> None:
    """No prefix of a key is a valid key, except its row alone."""
    data = KEY.encode()
    assert len(data) == 2 + 3 + 1 + 1 + 1 + 9
    if size == 5:
        assert Key.decode(data[:5]) == Key(b"row")
    elif size == 15:
        assert Key.decode(data[:5] + b"\0" + data[8:]) == KEY._replace(family=b"", qualifier=b"")
    else:
        wanted = "a row after its length" if size < 5 else "a family inside the key"
        with pytest.raises(FormatError, match=f"^key: found .*, wanted {wanted}$"):
            Key.decode(data[:size])


def test_a_family_ends_before_the_time() -> None:
    """A family may extend to the time of a key, but not into it."""
    end = bytes(8) + b"\4"
    assert Key.decode(b"\0\1r\2fq" + end) == Key(b"r", b"fq", b"", 0, 4)
    with pytest.raises(FormatError, match=r"wanted a family inside the key$"):
        Key.decode(b"\0\1r\3fq" + end)


def test_a_row_is_after_its_length() -> None:
    """A row follows its length of two bytes, big-endian, and a shorter key is refused."""
    assert Key.decode(b"\1\0" + bytes(256)) == Key(bytes(256))
    assert Key.decode(b"\0\0") == Key(b"")
    for short in (b"\0\2a", b"\1\0" + bytes(255)):
        with pytest.raises(FormatError, match=r"wanted a row after its length$"):
            Key.decode(short)


@pytest.mark.parametrize(
    ("key", "fits"),
    [
        (Key(b"r", b"f" * 127), True),
        (Key(b"r", b"f" * 128), False),
        (Key(b"r", timestamp=-(1 << 63)), True),
        (Key(b"r", timestamp=-(1 << 63) - 1), False),
        (Key(b"r", timestamp=LATEST), True),
        (Key(b"r", timestamp=LATEST + 1), False),
        (Key(b"r", type=0), True),
        (Key(b"r", type=-1), False),
        (Key(b"r", type=255), True),
        (Key(b"r", type=256), False),
    ],
)
def test_keys_at_their_limits(key: Key, fits: bool) -> None:
    """A key at the limits survives encoding; one beyond them is refused."""
    if fits:
        assert Key.decode(key.encode()) == key
    else:
        with pytest.raises(FormatError, match=r"^key: found no cell key: .*, wanted the key of"):
            key.encode()


def test_rows_of_keys_are_cut_where_no_stored_row_goes_on() -> None:
    """A key's row is cut to one byte more than a stored row may have, so it sorts after it."""
    stored, longer, longest = (Key(b"r" * n).encode() for n in (32767, 32768, 32769))
    assert stored != longer
    assert longer == longest
