"""For protobuf messages, the package's parser and our walk agree, and errors have an offset."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.cli.formats.content import show_message
from byteloom.documents.messages import File
from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import Folding, Node, Window
from byteloom_generated.hfile.messages import (
    BytesBytesPair,
    Codec,
    InfoProto,
    TrailerProto,
    WrappedKey,
)
from byteloom_generated.lance import file, table
from byteloom_generated.orc.messages import (
    ColumnStatistics,
    Footer,
    IntegerStatistics,
    PostScript,
    StripeInformation,
    Type,
)

FOOTER = Footer(
    headerLength=3,
    contentLength=70_000,
    stripes=[StripeInformation(offset=3, dataLength=300, numberOfRows=1 << 40)],
    types=[
        Type(kind=Type.Kind.STRUCT, subtypes=[1, 300], fieldNames=["a", "é"]),
        Type(kind=Type.Kind.LONG),
    ],
    statistics=[ColumnStatistics(intStatistics=IntegerStatistics(minimum=-5, maximum=1 << 62))],
)
DATA = FOOTER.SerializeToString()


def test_a_message_is_an_object_of_the_package_and_of_the_class_that_describes_it() -> None:
    """A parsed message is an object of the protobuf package, with its defaults."""
    message = TrailerProto.parse(TrailerProto(entry_count=3).SerializeToString())
    assert isinstance(message, TrailerProto)
    assert not isinstance(message, Footer)
    assert (message.entry_count, message.compression_codec) == (3, Codec.NONE)
    assert message.HasField("entry_count")
    assert not message.HasField("compression_codec")


def test_a_file_has_a_closure_of_all_that_it_imports() -> None:
    """A file's closure is the file, what it imports, and what these import, each once."""
    both = File("both.proto", "both", table.FILE, file.FILE)
    assert both.closure() == [both, table.FILE, file.FILE]
    assert table.FILE.closure() == [table.FILE, file.FILE]
    names = {name for each in (table, file) for name in each.FILE.layouts}
    assert names >= {"lance.table.Manifest", "lance.file.Field"}
    assert set(table.FILE.layouts) == names


def test_what_was_parsed_is_written_byte_for_byte() -> None:
    """A parsed message is serialized to the same bytes."""
    assert Footer.parse(DATA).SerializeToString() == DATA


def test_the_walk_names_each_field_with_its_place() -> None:
    """The walk gives each field by its path and index, with the offset of its value."""
    found = {each.path: each for each in Footer.walk(DATA, 1000)}
    kind = found["types[1].kind"]
    assert DATA[kind.start - 1000 : kind.end - 1000] == bytes([Type.Kind.LONG])
    assert kind.place == kind.start - 1
    assert found["types[0].subtypes[0]"].value == [1, 300]
    assert found["types[0].fieldNames[1]"].value == "é"
    assert found["statistics[0].intStatistics.minimum"].value == -5
    assert [each.depth for each in found.values() if each.name == "minimum"] == [2]
    assert Footer.place_of(DATA, "types[1].kind", 1000) == kind.start
    assert Footer.place_of(DATA, "types[2].kind") is None


def test_the_walk_covers_every_byte_once() -> None:
    """Fields of a message on one level follow each other without a gap."""
    at = 0
    for each in Footer.walk(DATA):
        if each.depth == 0:
            assert each.place == at
            at = each.end
    assert at == len(DATA)


def test_each_prefix_is_whole_fields_or_truncated() -> None:
    """A prefix of a message is whole fields, or truncated at the offset of the missing bytes."""
    ends = {0} | {each.end for each in Footer.walk(DATA) if each.depth == 0}
    for size in range(len(DATA)):
        if size in ends:
            assert Footer.parse(DATA[:size]).SerializeToString() == DATA[:size]
        else:
            with pytest.raises(Truncated, match=r"^footer.* at byte \d+ .*left") as caught:
                Footer.parse(DATA[:size], path="footer")
            assert caught.value.offset is not None
            assert caught.value.offset <= size


WRONG = [
    (b"\x08", "headerLength", Truncated, "at byte 501 (0x1f5): found 0 bytes left"),
    (b"\x08\1\x80", "", Truncated, "at byte 502 (0x1f6): found 1 byte left"),
    (b"\x0d\1\2\3\4", "headerLength", FormatError, "found wire type 5, wanted 0, for uint64"),
    (b"\x0a\0", "headerLength", FormatError, "found wire type 2, wanted 0, for uint64"),
    (b"\x20\1", "types[0]", FormatError, "found wire type 0, wanted 2, for a message"),
    (b"\x40\x80\x80\x80\x80\x10", "rowIndexStride", FormatError, "found 4294967296, wanted 0 to"),
    (b"\x40\xff\xff\xff\xff\x7f", "rowIndexStride", FormatError, "found 34359738367, wanted 0 to"),
    (b"\x22\7\x12\5\xff\xff\xff\xff\x7f", "types[0].subtypes[0]", FormatError, "wanted 0 to"),
    (b"\x22\x06\x08\xff\xff\xff\xff\x7f", "types[0].kind", FormatError, "wanted -2147483648 to"),
    (b"\x22\7\x12\5\x80\x80\x80\x80\x10", "types[0].subtypes[0]", FormatError, "wanted 0 to"),
    (b"\x62\1\xff", "softwareVersion", FormatError, "wanted text in UTF-8"),
    (b"\x08" + b"\xff" * 10, "headerLength", FormatError, "wanted a varint below 2^64"),
    (b"\x08" + b"\xff" * 9 + b"\2", "headerLength", FormatError, "wanted a varint below 2^64"),
    (b"\x80\x80\x80\x80\x10\0", "", FormatError, "found a field of number 536870912, wanted 1 to"),
    (b"\x08" + b"\xff" * 9, "headerLength", Truncated, "found 9 bytes left"),
    (b"\0\0", "", FormatError, "found a field of number 0"),
    (b"\x0b\x0c", "headerLength", FormatError, "found wire type 3"),
    (b"\xc3\1\xc4\1", "unknown_24", FormatError, "found wire type 3, wanted 0, 1, 2 or 5"),
    (b"\xc2\1\5ab", "unknown_24", Truncated, "found 2 bytes left, wanted 5 bytes"),
    (b"\xc5\1abc", "unknown_24", Truncated, "found 3 bytes left, wanted 4 bytes"),
    (b"\x22\2\x10\x80", "types[0].subtypes[0]", Truncated, "found 1 byte left"),
    (b"\x22\3\x12\1\x80", "types[0].subtypes[0]", Truncated, "wanted the end of a varint"),
]


@pytest.mark.parametrize(("data", "path", "error", "says"), WRONG)
def test_what_would_make_a_value_wrong_is_refused_with_its_path(
    data: bytes, path: str, error: type[FormatError], says: str
) -> None:
    """Bytes that the protobuf package would drop or cut are refused with their path."""
    with pytest.raises(error) as caught:
        Footer.parse(data, origin=500, path="footer")
    assert caught.value.path == ("footer." + path).rstrip(".")
    assert says in str(caught.value)
    assert caught.value.offset is not None
    assert 500 <= caught.value.offset <= 500 + len(data)


@pytest.mark.parametrize("number", [-(1 << 31), (1 << 31) - 1])
def test_an_enum_is_any_integer_of_32_bits(number: int) -> None:
    """An enum may have any 32-bit integer, even without a name."""
    data = Type(kind=number).SerializeToString()
    assert Type.parse(data).kind == number


def test_a_required_field_that_is_absent_is_refused() -> None:
    """The error for an absent required field has the path of its message."""
    whole = BytesBytesPair(first=b"k", second=b"v").SerializeToString()
    message = b"\x0a" + bytes([len(whole)]) + whole + b"\x0a\3\x0a\1k"
    said = r"^map_entry\[1\]\.second at byte 10 .*: found nothing, wanted a required field$"
    with pytest.raises(FormatError, match=said):
        InfoProto.parse(message)
    with pytest.raises(FormatError, match=r"^algorithm at byte 0 "):
        WrappedKey.parse(b"")


def test_of_a_field_that_is_met_twice_the_last_counts() -> None:
    """The last value of a repeated singular field counts, as protobuf defines."""
    assert PostScript.parse(b"\x08\1\x08\2").footerLength == 2


def test_unknown_fields_are_kept_and_written_again() -> None:
    """Unknown fields are kept, listed by number, and serialized again."""
    data = TrailerProto(entry_count=3).SerializeToString() + b"\xc0\1\7\xca\1\2hi"
    message = TrailerProto.parse(data)
    assert TrailerProto.unknown(message) == (24, 25)
    assert message.SerializeToString() == data
    assert [(each.name, each.value) for each in TrailerProto.walk(data)][1:] == [
        ("unknown_24", 7),
        ("unknown_25", b"hi"),
    ]


def _unknown(message: bytes) -> bytes:
    """Return a message with unknown fields of each wire type."""
    return message + b"\xc0\x3e\xff\1\xc1\x3e" + bytes(8) + b"\xc2\x3e\2hi\xc5\x3e" + bytes(4)


@pytest.mark.parametrize(("data", "path", "error", "says"), WRONG)
def test_unknown_fields_hide_no_damage(
    data: bytes, path: str, error: type[FormatError], says: str
) -> None:
    """Damage is found after unknown fields too, on any level."""
    with pytest.raises(error) as caught:
        Footer.parse(_unknown(b"") + data, path="footer")
    assert caught.value.path == ("footer." + path).rstrip(".")
    assert says.partition("at byte")[0] in str(caught.value)


def test_unknown_fields_are_kept_inside_of_messages_too() -> None:
    """Unknown fields of nested messages are kept; a group or a wrong wire type is refused."""
    kind = _unknown(Type(kind=3).SerializeToString())
    data = b"\x22" + bytes([len(kind)]) + kind
    assert Footer.parse(data).SerializeToString() == data
    for wrong, said in ((b"\xc3\x3e\xc4\x3e", "wire type 3"), (b"\x0d\1\2\3\4", "wire type 5")):
        inner = b"\x22" + bytes([len(kind) + len(wrong)]) + kind + wrong
        with pytest.raises(FormatError, match=rf"^types\[1\]\..*{said}"):
            Footer.parse(data + inner)


def test_numbers_of_a_repeated_field_may_be_packed_or_not() -> None:
    """Numbers of a repeated field are read packed, unpacked or mixed."""
    assert list(Type.parse(b"\x12\2\1\2").subtypes) == [1, 2]
    assert list(Type.parse(b"\x10\1\x12\1\2\x10\3").subtypes) == [1, 2, 3]


@pytest.mark.parametrize("stored", [b"\1", b"\2", b"\x80\1"])
def test_whatever_is_not_zero_is_true(stored: bytes) -> None:
    """A bool with any value but zero is true, as protobuf defines."""
    data = b"\x50" + stored
    assert ColumnStatistics.parse(data).hasNull is True
    assert [each.value for each in ColumnStatistics.walk(data)] == [True]
    assert ColumnStatistics.parse(b"\x50\0").hasNull is False


def test_a_varint_may_have_bytes_that_it_does_not_need() -> None:
    """A varint with superfluous bytes is read."""
    assert PostScript.parse(b"\x08\x81\x80\0").footerLength == 1


def test_a_message_has_as_many_bytes_as_the_limit_and_no_more() -> None:
    """A message may have as many bytes as `limits.metadata_size`."""
    limits = replace(DEFAULT_LIMITS, metadata_size=len(DATA))
    assert Footer.parse(DATA, limits=limits).headerLength == 3
    said = rf"^footer at byte 7 .*: found {len(DATA)} bytes, wanted at most {len(DATA) - 1} bytes"
    limits = replace(DEFAULT_LIMITS, metadata_size=len(DATA) - 1)
    with pytest.raises(LimitExceeded, match=said):
        Footer.parse(DATA, limits=limits, origin=7, path="footer")


def test_a_read_makes_as_many_messages_as_the_limit_and_no_more() -> None:
    """The number of messages that one read creates is limited, even if they are empty."""
    data = b"\x22\0" * 1_000
    assert len(Footer.parse(data, limits=replace(DEFAULT_LIMITS, objects=1_000)).types) == 1_000
    with pytest.raises(LimitExceeded, match=r"wanted at most 999 messages"):
        Footer.parse(data, limits=replace(DEFAULT_LIMITS, objects=999))
    text = Footer(softwareVersion="\x02" * 3_000).SerializeToString()
    limits = replace(DEFAULT_LIMITS, objects=999)
    assert len(Footer.parse(text, limits=limits).softwareVersion) == 3_000
    assert len(Footer.parse(data[:1_998] + text, limits=limits).types) == 999
    with pytest.raises(LimitExceeded, match=r"wanted at most 999 messages"):
        Footer.parse(data + text, limits=limits)


def _values(message: Any) -> dict[str, Any]:
    """Return the fields of a message that the package parsed, by the names of the walk."""
    found: dict[str, Any] = {}
    for field, value in message.ListFields():
        many = field.is_repeated
        for at, each in enumerate(value if many else [value]):
            name = f"{field.name}[{at}]" if many else field.name
            if field.message_type is None:
                found[name] = each
            else:
                found |= {f"{name}.{key}": inner for key, inner in _values(each).items()}
    return found


def _walked(data: bytes) -> dict[str, Any]:
    """Return the fields that the walk gives, with packed numbers one by one."""
    found: dict[str, Any] = {}
    for each in Footer.walk(data):
        if each.slot is None or each.is_message:
            continue
        if isinstance(each.value, list):
            path = each.path.rpartition("[")[0]
            count = sum(name.startswith(f"{path}[") for name in found)
            found |= {f"{path}[{count + at}]": one for at, one in enumerate(each.value)}
        else:
            found[each.path] = each.value
    return found


def _damaged(seed: int) -> bytes:
    """Return the footer, perhaps with unknown fields, with bytes changed, removed or inserted."""
    draw, data = random.Random(seed), bytearray(DATA if seed & 1 else _unknown(DATA))
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(data))
        kind = draw.randrange(3)
        if kind == 0:
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del data[at : at + draw.randint(1, 4)]
        else:
            data[at:at] = draw.randbytes(draw.randint(1, 4))
    return bytes(data)


def _outcome(data: bytes) -> tuple[Footer | None, FormatError | None]:
    """Return the message or its error."""
    try:
        return Footer.parse(data, path="footer"), None
    except FormatError as error:
        return None, error


@given(st.integers(0, 1 << 40))
def test_parser_and_walk_agree_on_damaged_bytes(seed: int) -> None:
    """On damaged bytes, the parser and the walk give equal values or both refuse."""
    data = _damaged(seed)
    message, error = _outcome(data)
    if error is not None:
        assert error.offset is not None
        assert "orc.proto" not in str(error), "the package found what the walk did not"
        with pytest.raises(type(error)):
            list(Footer.walk(data))
        return
    walked, values = _walked(data), _values(message)
    assert {name: walked.get(name) for name in values} == values


def test_no_bit_flip_escapes() -> None:
    """A flipped bit of a message gives a message or a ByteloomError."""
    for at in range(8 * len(DATA)):
        flipped = bytearray(DATA)
        flipped[at >> 3] ^= 1 << (at & 7)
        with suppress(ByteloomError):
            Footer.parse(bytes(flipped))


def test_a_tree_shows_the_fields_up_to_the_damage() -> None:
    """A tree has the fields before the damage, each with its bytes and key."""
    node = Node(name="message", start=100, end=100 + len(DATA), value=DATA)
    show_message(node, Footer, DATA)
    assert [each.name for each in node.children] == [
        "headerLength", "contentLength", "stripes[0]", "types[0]", "types[1]", "statistics[0]",
    ]  # fmt: skip
    assert (node.children[0].start, node.children[-1].end) == (100, 100 + len(DATA))
    assert node.value is None
    cut = Node(name="message", start=0, end=9, value=b"")
    show_message(cut, Footer, DATA[:9])
    assert [each.name for each in cut.children] == ["headerLength", "contentLength"]


def test_a_tree_has_each_field_in_its_own_message() -> None:
    """Adjacent messages in a tree have their own fields, on every level."""
    node = Node(name="footer", start=0, end=len(DATA), value=None)
    show_message(node, Footer, DATA)

    def shown(node: Node) -> Any:
        return {each.name: shown(each) if each.children else each.value for each in node.children}

    assert shown(node) == {
        "headerLength": 3,
        "contentLength": 70_000,
        "stripes[0]": {"offset": 3, "dataLength": 300, "numberOfRows": 1 << 40},
        "types[0]": {
            "kind": Type.Kind.STRUCT,
            "subtypes[0]": [1, 300],
            "fieldNames[0]": "a",
            "fieldNames[1]": "\xe9",
        },
        "types[1]": {"kind": Type.Kind.LONG},
        "statistics[0]": {"intStatistics": {"minimum": -5, "maximum": 1 << 62}},
    }


def test_a_tree_folds_what_is_beyond_its_siblings() -> None:
    """Fields beyond the limit of siblings are one node that counts them and spans their bytes."""
    data = Footer(types=[Type(kind=4, subtypes=[1])] * 10).SerializeToString()
    node = Node(name="message", start=0, end=len(data))
    show_message(node, Footer, data, folding=Folding(siblings=4))
    assert [each.name for each in node.children] == [
        "types[0]",
        "types[1]",
        "types[2]",
        "types[3]",
        "types[4]…",
    ]
    assert (node.children[-1].more, node.children[-1].end) == (6, len(data))
    assert not node.children[-1].children


def test_a_window_shows_folded_fields_of_a_message() -> None:
    """A window into folded fields of a message shows them, with what is inside them."""
    data = Footer(types=[Type(kind=4, subtypes=[each]) for each in range(9)]).SerializeToString()
    whole, folded = (Node(name="message", start=0, end=len(data)) for _ in range(2))
    show_message(whole, Footer, data, folding=Folding.none())
    folding = Folding(siblings=4, windows=[Window(0, 2, 2)])
    show_message(folded, Footer, data, folding=folding)
    assert folding.shown == (folded, whole.children[6:8])
    assert [each.more for each in folded.children] == [0, 0, 0, 0, 2, 0, 0, 1]
