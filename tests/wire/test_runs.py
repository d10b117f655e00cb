"""Fields of fixed sizes are read by one call, and records share their parent's reader."""

import pytest
from tests.support.modules import read

from byteloom.errors import FormatError, Truncated
from byteloom.wire import Bits, FieldRun, Reader, TracingReader

MIXED = FieldRun("<H4sB", "number", "raw", "last")


class Record:
    """A record of one byte, with room for its window."""

    __slots__ = ("_stream", "value")

    _stream: Reader
    value: int

    @classmethod
    def read(cls, r: Reader) -> "Record":
        """Read one record."""
        self = cls()
        self.value = r.u1("value")
        return self


@pytest.mark.parametrize("kind", [Reader, TracingReader])
def test_a_run_mixes_numbers_and_bytes(kind: type[Reader]) -> None:
    """A run of numbers and bytes gives the same values as single calls."""
    assert kind(b"\1\2abcd\3").run_mixed(MIXED) == (513, b"abcd", 3)


def test_a_run_that_is_too_long_names_its_first_field_without_room() -> None:
    """A run that is cut off names its first incomplete field, at that field's offset."""
    for size, name, offset in [(1, "number", 0), (5, "raw", 2), (6, "last", 6)]:
        with pytest.raises(Truncated) as caught:
            Reader(bytes(size)).run_mixed(MIXED)
        assert (caught.value.path, caught.value.offset) == (name, offset)


@pytest.mark.parametrize("kind", [Reader, TracingReader])
@pytest.mark.parametrize("order", ["big", "little"])
def test_a_run_of_bits_is_what_single_bits_are(kind: type[Reader], order: str) -> None:
    """A run of bits gives the same values as single calls, in both orders."""
    layout = Bits("big" if order == "big" else "little", 1, 5, 10)
    data, names = b"\xa7\x31", ("one", "five", "ten")
    word = kind(data).bit_run(names, layout)
    single = Reader(data)
    take = single.bits_be if order == "big" else single.bits_le
    values = [take(name, width) for name, width in zip(names, layout.widths, strict=True)]
    assert [word >> shift & ones for shift, ones in layout.places] == values


@pytest.mark.parametrize("order", ["be", "le"])
def test_a_run_of_bits_is_written_as_it_was_read(order: str) -> None:
    """Values of a run of bits fill whole bytes; one with too many bits, or below 0, is refused."""
    widths = {"one": 1, "five": 5, "ten": 10}
    fields = ", ".join(f"{{id: {name}, type: b{n}{order}}}" for name, n in widths.items())
    record, data = read(f"seq: [{fields}]", bytes(2)), b"\xa7\x31"
    for name in widths:
        setattr(record, name, getattr(type(record).from_bytes(data), name))
    assert record.to_bytes() == data
    for wrong in (32, -1):
        record.five = wrong
        with pytest.raises(FormatError, match=f"sample.five: found {wrong}, wanted an integer"):
            record.to_bytes()


def test_bits_that_are_cut_off_are_named() -> None:
    """A run of bits that is cut off names the first incomplete field."""
    with pytest.raises(Truncated, match="ten at byte 1"):
        Reader(b"\0").bit_run(("one", "five", "ten"), Bits("big", 1, 5, 10))


def test_a_text_of_a_run_is_refused_at_its_place() -> None:
    """Invalid text in a run is refused at its own offset, though later fields were read."""
    r = Reader(b"\0\0\xff\xff\xff\xff\0")
    _, raw, _ = r.run_mixed(MIXED)
    with pytest.raises(FormatError, match="raw at byte 2"):
        r.text("raw", raw, "UTF-8", 1)


def test_a_record_within_a_size_sees_nothing_after_it() -> None:
    """A record with a size reads no further, keeps unread bytes, and is skipped as a whole."""
    r = Reader(b"\1\2\3\4")
    record = r.within("inner", 2, Record.read)
    assert (record.value, record._stream.left, r.pos, r.left) == (1, 1, 2, 2)
    assert not hasattr(r.within("inner", 1, Record.read), "_stream")
    with pytest.raises(Truncated, match="inner at byte 3"):
        r.within("inner", 2, Record.read)
    with pytest.raises(Truncated, match=r"inner.value at byte 3"):
        r.within("inner", 0, Record.read)


def test_a_loop_that_ends_itself_numbers_its_records() -> None:
    """Errors in an endless loop have the index of the record in their path."""
    r, taken = Reader(b"\1\2"), list[Record]()
    for _ in r.endless("items"):
        if r.another("items", taken, Record.read).value == 2:
            break
    assert [each.value for each in taken] == [1, 2]
    with pytest.raises(Truncated, match=r"items\[2\].value at byte 2"):
        r.another("items", taken, Record.read)
    with pytest.raises(Truncated, match=r"^items.value at byte 2"):
        r.record("items", Record.read)


RULES = """
seq:
  - {id: a, type: u2}
  - {id: b, type: u1, valid: 7}
  - {id: name, type: str, size: 2, encoding: ASCII}
  - {id: c, type: u4}
  - {id: on, type: b1le}
  - {id: zero, type: b7le, valid: 0}
  - {id: rest, type: b8le}
"""


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("000008 6161 00000000 01 00", "sample.b at byte 2 (0x2): found 8, wanted 7"),
        ("000008", "sample.b at byte 2 (0x2): found 8, wanted 7"),
        ("000007 61ff 00000000 01 00", "sample.name at byte 4"),
        ("000007 6161 00000000 03 00", "sample.zero at byte 9 (0x9): found 1, wanted 0"),
    ],
)
def test_rules_of_fields_in_runs_name_their_places(data: str, said: str) -> None:
    """A value in a run that breaks a rule is refused at its own offset."""
    with pytest.raises(FormatError) as caught:
        read(RULES, bytes.fromhex(data))
    assert str(caught.value).startswith(said)
