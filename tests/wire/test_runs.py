"""Fields of fixed sizes that one call takes, and records that share their parent's reader."""

from enum import IntEnum
from struct import Struct

import pytest
from tests.support.modules import read

from byteloom.errors import FormatError, Truncated
from byteloom.wire import Bits, Reader, TracingReader, Writer
from byteloom.wire.calc import labels, named

MIXED = Struct("<H4sB")
NAMES = ("number", "raw", "last")


class Record:
    """A record of one byte, which has room for its window."""

    __slots__ = ("_stream", "value")

    _stream: Reader
    value: int

    @classmethod
    def read(cls, r: Reader) -> "Record":
        """Take one."""
        self = cls()
        self.value = r.u1("value")
        return self


@pytest.mark.parametrize("kind", [Reader, TracingReader])
def test_a_run_mixes_numbers_and_bytes(kind: type[Reader]) -> None:
    """Its values are those that single calls take."""
    assert kind(b"\1\2abcd\3").run_mixed(NAMES, MIXED) == (513, b"abcd", 3)


def test_a_run_that_is_too_long_names_its_first_field_without_room() -> None:
    """With the place where that field begins."""
    for size, name, offset in [(1, "number", 0), (5, "raw", 2), (6, "last", 6)]:
        with pytest.raises(Truncated) as caught:
            Reader(bytes(size)).run_mixed(NAMES, MIXED)
        assert (caught.value.path, caught.value.offset) == (name, offset)


@pytest.mark.parametrize("kind", [Reader, TracingReader])
@pytest.mark.parametrize("order", ["big", "little"])
def test_a_run_of_bits_is_what_single_bits_are(kind: type[Reader], order: str) -> None:
    """In both orders, and written back."""
    layout = Bits("big" if order == "big" else "little", 1, 5, 10)
    data, names = b"\xa7\x31", ("one", "five", "ten")
    word = kind(data).bit_run(names, layout)
    single = Reader(data)
    take = single.bits_be if order == "big" else single.bits_le
    values = [take(name, width) for name, width in zip(names, layout.widths, strict=True)]
    assert [word >> shift & ones for shift, ones in layout.places] == values
    w = Writer()
    w.bit_run(names, layout, *values)
    assert w.getvalue() == data
    with pytest.raises(FormatError, match="five: found 32"):
        Writer().bit_run(names, layout, 0, 32, 0)


def test_bits_that_are_cut_off_are_named() -> None:
    """The first field that has no room."""
    with pytest.raises(Truncated, match="ten at byte 1"):
        Reader(b"\0").bit_run(("one", "five", "ten"), Bits("big", 1, 5, 10))


def test_a_text_of_a_run_is_refused_at_its_place() -> None:
    """Though the reader stands after the fields that follow it."""
    r = Reader(b"\0\0\xff\xff\xff\xff\0")
    _, raw, _ = r.run_mixed(NAMES, MIXED)
    with pytest.raises(FormatError, match="raw at byte 2"):
        r.text("raw", raw, "UTF-8", 1)


def test_a_record_within_a_size_sees_nothing_after_it() -> None:
    """It remembers bytes that it left, and the reader goes on after all of them."""
    r = Reader(b"\1\2\3\4")
    record = r.within("inner", 2, Record.read)
    assert (record.value, record._stream.left, r.pos, r.left) == (1, 1, 2, 2)
    assert not hasattr(r.within("inner", 1, Record.read), "_stream")
    with pytest.raises(Truncated, match="inner at byte 3"):
        r.within("inner", 2, Record.read)
    with pytest.raises(Truncated, match=r"inner.value at byte 3"):
        r.within("inner", 0, Record.read)


def test_a_loop_that_ends_itself_numbers_its_records() -> None:
    """In the path of an error, and only there."""
    r, taken = Reader(b"\1\2"), list[Record]()
    for _ in r.endless("items"):
        if r.another("items", taken, Record.read).value == 2:
            break
    assert [each.value for each in taken] == [1, 2]
    with pytest.raises(Truncated, match=r"items\[2\].value at byte 2"):
        r.another("items", taken, Record.read)
    with pytest.raises(Truncated, match=r"^items.value at byte 2"):
        r.record("items", Record.read)


def test_members_of_an_enum_are_found_by_name_and_number() -> None:
    """A number without a member is itself."""

    @labels
    class Kind(IntEnum):
        ONE = 1
        TWO = 2
        SECOND = 2

    assert vars(Kind)["TWO"] is Kind(2)
    assert named(Kind, 2) is Kind.TWO
    assert type(named(Kind, 7)) is int


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
        ("000007 61ff 00000000 01 00", "sample.name at byte 3"),
        ("000007 6161 00000000 03 00", "sample.zero at byte 9 (0x9): found 1, wanted 0"),
    ],
)
def test_rules_of_fields_in_runs_name_their_places(data: str, said: str) -> None:
    """A value that breaks a rule is refused where it begins, before what comes after its run."""
    with pytest.raises(FormatError) as caught:
        read(RULES, bytes.fromhex(data))
    assert str(caught.value).startswith(said)
