"""The tracing reader gives the same values as the plain one, and names the field of every byte.

What is folded is set by modules of the command line alone.
"""

import inspect
import sys
from dataclasses import dataclass
from typing import ClassVar, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.modules import module_of

from byteloom.errors import FormatError, Truncated
from byteloom.wire import FieldRun, Folding, Node, Reader, Record, TracingReader, Writer

PAIR = FieldRun("<HI", "x", "y")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point(Record):
    """Two numbers read in one run, and eight bits read as three."""

    NAME: ClassVar = "point"
    MIN_SIZE: ClassVar = 7

    x: int
    y: int
    low: int
    middle: int
    high: int

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Read one point."""
        x, y = r.run(PAIR)
        low, middle, high = r.bits_le("low", 1), r.bits_le("middle", 4), r.bits_le("high", 3)
        r.align()
        return cls(x=x, y=y, low=low, middle=middle, high=high)

    def write(self, w: Writer) -> None:
        """Write this point."""
        w.u2le("x", self.x)
        w.u4le("y", self.y)
        w.bits_le("low", self.low, 1)
        w.bits_le("middle", self.middle, 4)
        w.bits_le("high", self.high, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape(Record):
    """A magic, a title up to its zero byte, and points in a window of their own."""

    NAME: ClassVar = "shape"
    MIN_SIZE: ClassVar = 6

    title: bytes
    points: list[Point]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Read one shape."""
        r.magic("magic", b"SHP1")
        title = r.until("title", b"\0")
        count = r.u1("num_points")
        body = r.window("points", count * Point.MIN_SIZE)
        points = body.records("points", count, Point.read, each=Point.MIN_SIZE)
        return cls(title=title, points=points)

    def write(self, w: Writer) -> None:
        """Write this shape."""
        w.bytes("magic", b"SHP1")
        w.bytes("title", self.title + b"\0")
        w.u1("num_points", len(self.points))
        w.records("points", self.points)


def shape(points: int) -> bytes:
    """Return the bytes of a shape with a given number of points."""
    made = [Point(x=i, y=2 * i, low=1, middle=i % 16, high=2) for i in range(points)]
    return Shape(title=b"tent", points=made).to_bytes()


def trace(data: bytes, siblings: int = 1000, nodes: int = 1000) -> TracingReader:
    """Return a tracing reader that has read a shape."""
    r = TracingReader(data, folding=Folding(siblings, nodes))
    r.record("shape", Shape.read)
    return r


def placed(r: TracingReader) -> list[tuple[str, int, int, object]]:
    """Return every leaf as path, start, end and value."""
    return [(path, node.start, node.end, node.value) for path, node in r.root.leaves()]


def test_tracing_changes_no_value() -> None:
    """The record that a tracing reader returns equals what the plain reader returns."""
    data = shape(3)
    assert TracingReader(data).record("shape", Shape.read) == Shape.from_bytes(data)


def test_every_field_is_a_leaf_with_its_place() -> None:
    """Magic, terminated bytes, runs and window contents have the offsets of their bytes."""
    assert placed(trace(shape(1)))[:5] == [
        ("shape.magic", 0, 4, b"SHP1"),
        ("shape.title", 4, 9, b"tent"),
        ("shape.num_points", 9, 10, 1),
        ("shape.points[0].x", 10, 12, 0),
        ("shape.points[0].y", 12, 16, 0),
    ]


def test_bit_fields_say_which_bits() -> None:
    """Bit fields share the offset of their byte and differ in first bit and width."""
    bits = [
        (node.name, node.start, node.end, node.bits) for _, node in trace(shape(1)).root.leaves()
    ]
    assert bits[-3:] == [
        ("low", 16, 17, (0, 1)),
        ("middle", 16, 17, (1, 4)),
        ("high", 16, 17, (5, 3)),
    ]


@pytest.mark.parametrize("width", [1, 7, 8])
def test_bit_field_across_bytes_begins_in_the_byte_of_its_first_bit(width: int) -> None:
    """A field of many bits after one of few is shown in all bytes that it has bits of."""
    for take in ("bits_le", "bits_be"):
        r = TracingReader(bytes(4))
        getattr(r, take)("flags", width)
        getattr(r, take)("reserved", 32 - width)
        assert [(n.start, n.end, n.bits) for n in r.root.children] == [
            (0, 1, (0, width)),
            (width // 8, 4, (width % 8, 32 - width)),
        ]


def test_elements_are_numbered_records() -> None:
    """A repeated field gives one node for each element, with its index."""
    (top,) = trace(shape(3)).root.children
    assert [n.name for n in top.children[3:]] == ["points[0]", "points[1]", "points[2]"]
    assert [(n.start, n.size) for n in top.children[3:]] == [(10, 7), (17, 7), (24, 7)]


def test_origin_shifts_every_place() -> None:
    """A buffer from the middle of a file is traced with offsets in the file."""
    r = TracingReader(shape(0), origin=1000)
    r.record("shape", Shape.read)
    assert [node.start for _, node in r.root.leaves()] == [1000, 1004, 1009]


def test_views_add_to_the_same_tree() -> None:
    """Fields read at another position belong to the record that is being read."""
    r = TracingReader(b"\x03ab!")

    def read(r: Reader) -> int:
        return r.view("far", r.u1("ofs_far")).u1("far")

    assert r.record("pointer", read) == ord("!")
    assert placed(r) == [("pointer.ofs_far", 0, 1, 3), ("pointer.far", 3, 4, ord("!"))]


@given(data=st.integers(0, 4).map(shape), cut=st.integers(0, 40))
def test_damage_leaves_the_fields_before_it(data: bytes, cut: int) -> None:
    """The tree of a damaged file is the beginning of the whole tree."""
    whole, r = placed(trace(data)), TracingReader(data[:cut])
    if cut >= len(data):
        return
    with pytest.raises(
        Truncated, match=r"^shape\.\w+.* at byte \d+ .*: found \d+ bytes? (left|without it), wanted"
    ):
        r.record("shape", Shape.read)
    leaves = [leaf for leaf in placed(r) if leaf[2] > leaf[1]]
    assert leaves == whole[: len(leaves)]


def test_wrong_magic_is_not_shown_as_understood() -> None:
    """A damaged field is named by the error, and is not in the tree."""
    r = TracingReader(b"SHP2" + shape(0)[4:])
    with pytest.raises(FormatError, match=r"shape\.magic at byte 0"):
        r.record("shape", Shape.read)
    assert r.root.children[0].children == []


def test_siblings_past_the_bound_are_folded_and_counted() -> None:
    """The first of many elements are nodes; the rest are one node that counts them."""
    (top,) = trace(shape(200), siblings=10).root.children
    *kept, fold = top.children
    assert [n.name for n in kept[3:]] == [f"points[{i}]" for i in range(7)]
    assert (fold.name, fold.more) == ("points[7]…", 193)
    assert (fold.start, fold.end) == (10 + 7 * 7, 10 + 200 * 7)


def test_folded_elements_are_read_in_few_calls() -> None:
    """Folded elements are read in few calls, and nothing of their fields is kept."""

    def calls(points: int) -> int:
        made, data = list[str](), shape(points)
        sys.setprofile(lambda _, event, __: made.append(event))
        try:
            trace(data, siblings=10)
        finally:
            sys.setprofile(None)
        return made.count("call")

    assert (calls(240) - calls(40)) / 200 < 25


def test_damage_in_a_folded_element_has_its_place() -> None:
    """The error in a folded element has its field, index and offset; the node ends there."""
    data = shape(200)[:-5]
    r = TracingReader(data, folding=Folding(10))
    with pytest.raises(FormatError) as plain:
        Reader(data).record("shape", Shape.read)
    with pytest.raises(FormatError) as traced:
        r.record("shape", Shape.read)
    assert str(traced.value) == str(plain.value)


@pytest.mark.parametrize("siblings", [0, 10])
def test_floats_of_a_run_are_exact(siblings: int) -> None:
    """A signalling NaN of four bytes keeps its bits, whether nodes are kept or not."""
    layout = FieldRun("<ff", "one", "nan")

    def read(r: Reader) -> bytes:
        one, nan = r.run_floats(layout)
        return b"".join([layout.pack(one, 0), nan.bits.to_bytes(4, "little")])

    stored = bytes.fromhex("0000803f 0100a07f")
    r = TracingReader(stored * 2, folding=Folding(siblings))
    assert r.records("pairs", 2, read, each=8) == [stored[:4] + bytes(4) + stored[4:]] * 2


def test_tree_as_a_whole_is_bounded() -> None:
    """A tree of many small records has at most the requested nodes, and names every byte."""
    data = shape(250)
    r = trace(data, nodes=100)
    leaves = list(r.root.leaves())
    assert len(leaves) <= 110
    covered = sorted({at for _, n in leaves for at in range(n.start, n.end)})
    assert covered == list(range(len(data)))


def test_elements_taken_in_a_loop_are_numbered() -> None:
    """A loop that the reader drives names its elements as a repeated record does."""
    r = TracingReader(b"\1\2ab\0c")
    for _ in r.times("numbers", 2, each=1):
        r.u1("numbers")
    for _ in r.to_end("words"):
        r.record("words", lambda r: r.until("word", b"\0", eos_error=False))
    paths = [path for path, *_ in placed(r)]
    assert paths == ["numbers[0]", "numbers[1]", "words[0].word", "words[1].word"]


def test_arrays_are_one_field() -> None:
    """Numbers that are read in one call are one node, which shows the first of them."""
    r = TracingReader(bytes(range(200)))
    r.array("values", 100, ">H")
    (node,) = r.root.children
    assert (node.start, node.end, node.value) == (
        0,
        200,
        [256 * 2 * i + 2 * i + 1 for i in range(64)],
    )


def test_text_is_shown_as_text() -> None:
    """Bytes that the reader decodes to text are shown as text in the tree."""
    r = TracingReader("größe".encode())
    assert r.text("title", r.rest("title"), "utf-8") == "größe"
    assert r.root.children[0].value == "größe"


def test_made_bytes_have_no_place_in_the_file() -> None:
    """Fields of bytes that the reader produced itself add no nodes to the tree."""
    r = TracingReader(b"abc")
    made = r.stream(r.bytes("packed", 3)[::-1])
    assert made.u1("inner") == ord("c")
    assert placed(r) == [("packed", 0, 3, b"abc")]


def test_long_bytes_are_not_kept() -> None:
    """The tree keeps the beginning of a long value only, with its true extent."""
    r = TracingReader(bytes(10_000))
    assert len(r.rest("payload")) == 10_000
    (node,) = r.root.children
    assert node == Node(name="payload", start=0, end=10_000, value=bytes(64))


def test_every_reading_method_is_traced() -> None:
    """Every method of the reader that takes a named field is traced."""
    silent = {"check_count", "window", "view", "invalid", "exceeds", "damaged"}  # no field taken
    silent |= {"times", "to_end", "repeatedly", "whole", "done"}  # around methods that take one
    silent |= {"within", "another", "endless"}  # likewise
    silent |= {"inflated", "decoded"}  # what bytes become after they were taken
    naming = {
        name
        for name, method in inspect.getmembers(Reader, callable)
        if not name.startswith("_")
        and {"name", "names"} & set(inspect.signature(method).parameters)
    }
    assert {name for name in naming - silent if name not in vars(TracingReader)} == set()


def test_numbers_of_enums_have_their_names_in_every_record() -> None:
    """The node of an enum's number has its member, in a record by itself and in repeated ones."""
    module = module_of(
        "seq:\n  - {id: first, type: pet}\n  - {id: two, type: pet, repeat: expr, repeat-expr: 2}\n"
        "  - {id: rest, type: pet, repeat: eos}\n"
        "types: {pet: {seq: [{id: kind, type: u1, enum: kind}]}}\nenums: {kind: {1: cat}}\n"
    )
    reader = TracingReader(b"\1\1\7\1")
    reader.record("sample", module.Sample.read)
    pets = reader.root.children[0].children
    kinds = [each.children[0].value for each in pets]
    assert kinds == [1, 1, 7, 1]
    assert [getattr(each, "name", None) for each in kinds] == ["CAT", "CAT", None, "CAT"]
