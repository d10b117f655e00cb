"""The annotated dump shows every byte once, with the name of its field."""

from hypothesis import given
from hypothesis import strategies as st

from byteloom.cli.printing.hexdump import dump, segments
from byteloom.wire import Node, TracingReader

SIZE = 200

spans = st.tuples(st.integers(0, SIZE), st.integers(0, 90)).map(
    lambda span: (span[0], min(SIZE, span[0] + span[1]))
)


@st.composite
def fields(draw: st.DrawFn) -> Node:
    """Return a strategy for trees with fields apart, adjacent, nested, crossing or empty."""
    root = Node(name="", start=0, end=SIZE)
    for number, (start, end) in enumerate(draw(st.lists(spans, max_size=12))):
        bits = draw(st.none() | st.tuples(st.integers(0, 7), st.integers(1, 20)))
        leaf = Node(name=f"field{number}", start=start, end=end, value=number, bits=bits)
        nested = Node(name="record", start=start, end=end, children=[leaf])
        root.children.append(draw(st.sampled_from([leaf, nested])))
    return root


def rows(root: Node, data: bytes, *, full: bool) -> list[tuple[str, str, str]]:
    """Return the rows of a dump of *data*."""
    return list(dump(root, lambda at, size: data[at : at + size], full=full))


def shown_bytes(row: tuple[str, str, str]) -> bytes:
    """Return the bytes that a row shows."""
    return bytes.fromhex(row[1].split("|")[0])


@given(root=fields())
def test_segments_cover_every_byte_exactly_once(root: Node) -> None:
    """For any fields, segments follow each other from the first byte to the last."""
    at = 0
    for part in segments(root):
        assert part.start == at
        assert part.end >= part.start
        assert part.labels
        at = part.end
    assert at == SIZE


@given(root=fields())
def test_every_field_is_named(root: Node) -> None:
    """Each field's path is the label of one segment, where the field begins."""
    labels = [label for part in segments(root) for label in part.labels if label != "(gap)"]
    names = sorted(label.split(" ")[0].split(",")[0] for label in labels)
    assert names == sorted(path for path, _ in root.leaves() if path)


@given(root=fields(), data=st.binary(min_size=SIZE, max_size=SIZE))
def test_full_dump_holds_the_file(root: Node, data: bytes) -> None:
    """The bytes of all rows of a full dump are the bytes of the file."""
    shown = rows(root, data, full=True)
    assert b"".join(map(shown_bytes, shown)) == data


@given(root=fields(), data=st.binary(min_size=SIZE, max_size=SIZE))
def test_abridged_dump_counts_what_it_leaves_out(root: Node, data: bytes) -> None:
    """The bytes shown and the bytes counted by an abridged dump make up the file."""
    total = 0
    for row in rows(root, data, full=False):
        more = row[1].removesuffix(" more bytes")
        total += int(more) if more != row[1] else len(shown_bytes(row))
    assert total == SIZE


def test_bits_share_a_row() -> None:
    """Bit fields of the same bytes are listed one below the other, with the bytes only once."""
    r = TracingReader(b"\x01\x00\x00\x80\xff")
    for name, width in (("compressed", 1), ("reserved", 31)):
        r.bits_le(name, width)
    assert [
        (row[1][:11].strip(), row[2]) for row in rows(r.root, b"\x01\x00\x00\x80\xff", full=False)
    ] == [
        ("01 00 00 80", "compressed (bit 0) = 1"),
        ("", "reserved (bits 1..31) = 1073741824"),
        ("ff", "(gap)"),
    ]


def test_rows_are_offset_bytes_text_and_name() -> None:
    """A row reads as `hexdump -C` prints it, with the field's name and value after."""
    r = TracingReader(b"PFA1\x0c\x00\x00\x00")
    r.magic("magic", b"PFA1")
    r.s4le("len_payload")
    assert [
        "  ".join(row).split() for row in rows(r.root, b"PFA1\x0c\x00\x00\x00", full=False)
    ] == [
        ["00000000", "50", "46", "41", "31", "|PFA1|", "magic"],
        ["00000004", "0c", "00", "00", "00", "|....|", "len_payload", "=", "12"],
    ]


def test_long_fields_are_abridged() -> None:
    """A field of 1,000 bytes shows its first 32 bytes and the number of the others."""
    r = TracingReader(bytes(1000))
    r.rest("payload")
    shown = rows(r.root, bytes(1000), full=False)
    assert [row[0] for row in shown] == ["00000000", "00000010", "       …"]
    assert shown[2][1] == "968 more bytes"
    assert shown[0][2] == "payload, 1,000 bytes"
