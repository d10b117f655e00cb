"""What is printed, piece by piece: values, rows, lines of reports, dumps and findings.

These call what prints: a command line would need a file of a format of its own for each case.
"""

from __future__ import annotations

import csv
import io
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from byteloom.cli.commands.verify import json_of, text_of
from byteloom.cli.options.cells import FORMS, escaped
from byteloom.cli.printing.arrow_rows import as_text, csv_lines, parts_of, rewritten
from byteloom.cli.printing.hexdump import dump, segments
from byteloom.cli.printing.report import error_json
from byteloom.cli.printing.tree import _grid, _lines, cut, folded, print_lines, styled
from byteloom.cli.printing.value_text import counted, shown
from byteloom.errors import FormatError, StorageError
from byteloom.verification import Verdict
from byteloom.verification.verdict import verdict_of
from byteloom.wire import Node, TracingReader


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"a" * 48, f'"{"a" * 48}"'),
        (b"a" * 49, f'"{"a" * 48}…"'),
        (b"\0" * 16, " ".join(["00"] * 16)),
        (b"\0" * 17, " ".join(["00"] * 16) + "…"),
        (b"a" * 47 + b"\0", " ".join(["61"] * 16) + "…"),
        (b"a" * 48 + b"\0", f'"{"a" * 48}…"'),
        (b"", ""),
        (b'TRABLK"$', r'"TRABLK\"$"'),
        (b"a\\b", r'"a\\b"'),
        ("é" * 48, repr("é" * 48)),
        ("é" * 49, repr("é" * 48) + "…"),
        ([1] * 16, f"[{', '.join('1' * 16)}]"),
        ([1] * 17, f"[{', '.join('1' * 16)}, …]"),
        (1234.5678, "1234.5678"),
        (2.0, "2.0"),
        (None, "None"),
    ],
)
def test_long_values_are_abridged(value: object, text: str) -> None:
    """Text is cut at 48 characters, bytes at 48 or at 16 in hex, lists at 16; numbers are whole."""
    assert shown(value) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 blocks"), (1, "1 block"), (2, "2 blocks"), (1000, "1,000 blocks")]
)
def test_counts_have_their_plural(count: int, text: str) -> None:
    """A count has a plural noun, except for 1."""
    assert counted(count, "block") == text


FAR = 300_000_000_000_000_000
"""Microseconds after 1970 of a moment in the year 11476."""


def moments(*values: int | None, of: str = "us") -> pa.Array:
    """A column of timestamps."""
    return pa.array(values, pa.int64()).view(pa.timestamp(of))


def structs(**columns: pa.Array) -> pa.Array:
    """A column of structs."""
    return pa.StructArray.from_arrays([*columns.values()], [*columns])


@pytest.mark.parametrize(
    ("column", "printed"),
    [
        (
            moments(FAR, 5, None),
            ["11476-08-15T05:20:00.000000", "1970-01-01T00:00:00.000005", None],
        ),
        (moments(-(10**17)), ["-1199-02-15T14:13:20.000000"]),
        (pa.array([4_000_000, 1], pa.int32()).view(pa.date32()), ["12921-08-18", "1970-01-02"]),
        (moments(1, None, of="ns"), ["1970-01-01 00:00:00.000000001", None]),
        (pa.array([5, None], pa.time64("ns")), ["00:00:00.000000005", None]),
        (pa.array([5, 90, None], pa.duration("s")), ["PT5S", "PT90S", None]),
        (pa.array([5, -1500], pa.duration("ms")), ["PT0.005S", "PT-1.5S"]),
        (pa.array([5, 0], pa.duration("us")), ["PT0.000005S", "PT0S"]),
        (pa.array([5], pa.duration("ns")), ["PT0.000000005S"]),
        (pa.array([[5], None, []], pa.list_(pa.duration("us"))), [["PT0.000005S"], None, []]),
        (pa.array([[5]], pa.large_list(pa.duration("ns"))), [["PT0.000000005S"]]),
        (
            pa.FixedSizeListArray.from_arrays(moments(5, FAR), 2),
            [["1970-01-01T00:00:00.000005", "11476-08-15T05:20:00.000000"]],
        ),
        (
            pa.MapArray.from_arrays([0, 1], pa.array(["a"]), moments(FAR)),
            [[["a", "11476-08-15T05:20:00.000000"]]],
        ),
        (
            structs(t=moments(FAR, None), b=pa.array([b"x", None])),
            [{"t": "11476-08-15T05:20:00.000000", "b": "78"}, {"t": None, "b": None}],
        ),
    ],
    ids=lambda of: str(getattr(of, "type", "")) or None,
)
def test_moments_that_python_lacks_are_printed(column: pa.Array, printed: list[Any]) -> None:
    """Years beyond 9999 or before 1, nanoseconds and durations, inside others too, are printed."""
    (part,) = parts_of([pa.record_batch([column], ["c"])])
    assert part == [printed]


_FIELDS = st.text(st.sampled_from('a,"\n é☃'), max_size=6) | st.none()


@given(st.lists(st.tuples(_FIELDS, _FIELDS), max_size=9), st.integers(0, 3))
@example([("", ""), (None, None)], 0)
@example([('"', ","), ("\n", 'a"b')], 1)
def test_fields_are_quoted_as_csv_does_it(rows: list[tuple[str, str]], start: int) -> None:
    """Columns become the lines that Python's CSV writer makes; nulls are empty fields."""
    columns = [
        pa.array([row[each] for row in rows], pa.large_string()).slice(start) for each in range(2)
    ]
    for picked in (columns, columns[:1]):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(
            zip(*(column.to_pylist() for column in picked), strict=True)
        )
        assert csv_lines(picked) == out.getvalue()


def test_a_carriage_return_is_quoted() -> None:
    """A carriage return is quoted in CSV, since readers take it for the end of a line."""
    assert csv_lines([pa.array(["a\rb"], pa.large_string())]) == '"a\rb"\n'


@given(st.lists(st.binary(max_size=9) | st.none(), max_size=9), st.integers(0, 3))
@example([b"plain"], 0)
@example([b"\\", b"", None, b"\0\xff"], 1)
def test_bytes_are_escaped_as_one_by_one(values: list[bytes | None], start: int) -> None:
    """Columns of bytes of either width, whole or sliced, are escaped as single values are."""
    for of in (pa.binary(), pa.large_binary()):
        column = pa.array(values, of).slice(start)
        wanted = [None if each is None else escaped(each) for each in column.to_pylist()]
        assert rewritten(column, FORMS).to_pylist() == wanted


@given(st.lists(st.binary(max_size=9), max_size=9))
def test_bytes_are_written_in_hex(values: list[bytes]) -> None:
    """Bytes are written in hex as two digits each."""
    forms = tuple(f"{code:02x}" for code in range(256))
    made = rewritten(pa.array(values, pa.binary()), forms)
    assert made.to_pylist() == [each.hex() for each in values]


def test_types_that_arrow_writes_otherwise_are_left_alone() -> None:
    """Booleans, floats and decimals are left to Python, as Arrow writes them differently."""
    assert as_text(pa.array([1, None], pa.int8())).to_pylist() == ["1", None]  # type: ignore[union-attr]
    for column in (pa.array([True]), pa.array([1e20]), pa.array([b"x"])):
        assert as_text(column) is None


TEXTS = st.text(st.sampled_from("ab 語é\u0301"), max_size=12)
LABELS = TEXTS.map("k".__add__)
PARTS = st.lists(st.tuples(TEXTS, st.sampled_from(["", "cyan", "dim"])), max_size=3)


def _console(width: int, *, color: bool = False) -> Console:
    """Return a console that writes to memory."""
    system = "standard" if color else None
    return Console(file=io.StringIO(), width=width, color_system=system, force_terminal=color)  # type: ignore[arg-type]


def _printed(out: Console) -> str:
    """Return what was written to a console of ours."""
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


@given(st.lists(st.tuples(LABELS, PARTS), max_size=4), st.integers(20, 80))
def test_labels_and_values_look_as_in_a_table(
    pairs: list[tuple[str, list[tuple[str, str]]]], width: int
) -> None:
    """Labels and values look as in rich's table, folded or not, with any characters."""
    ours, theirs = _console(width), _console(width)
    print_lines(folded(pairs, ours), ours)
    print_lines(_grid(pairs, theirs), theirs)
    assert _printed(ours) == _printed(theirs)


def test_lines_that_fit_are_not_given_to_a_table() -> None:
    """A value of exactly the width stays a line, and a longer one is folded."""
    out = _console(10)
    assert len(folded([("key", [("12345", "")])], out)) == 1
    assert len(folded([("key", [("123456", "")])], out)) == 2
    assert "".join(part.text for part in folded([("key", [("1\n2", "")])], out)[0]) == r"key  1\n2"


def test_lines_end_where_the_console_does() -> None:
    """Lines that are too long are cut, and have no blanks at their end."""
    out = _console(6)
    print_lines(
        [styled([("ab", "dim"), ("     cd", "")], out), styled([("語語語語", "")], out)], out
    )
    assert _printed(out) == "ab\n語語語\n"


def test_styles_are_those_of_the_parts() -> None:
    """On a terminal, labels are dim and parts have their own style."""
    out = _console(20, color=True)
    print_lines(folded([("k", [("v", "cyan")])], out), out)
    assert _printed(out) == "\x1b[2mk  \x1b[0m\x1b[36mv\x1b[0m\n"


def test_a_cut_text_has_a_sign_and_is_one_line() -> None:
    """A text that is cut is one line, with a sign in its last cell."""
    assert [cut("abcd", width) for width in (4, 3, 1)] == ["abcd", "ab…", "…"]
    assert cut("語語", 3) == "語…"
    assert cut("a\nb\a", 9) == "a b"


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (1, ["ab,", "cde,", "f"]),
        (7, ["ab,", "cde, f"]),
        (8, ["ab, cde,", "f"]),
        (10, ["ab, cde,", "f"]),
        (11, ["ab, cde, f"]),
    ],
)
def test_terms_fill_lines_up_to_their_width(width: int, lines: list[str]) -> None:
    """A line has as many terms as fit with the comma after them, and at least one."""
    assert _lines(["ab", "cde", "f"], width) == lines
    assert _lines([], width) == []


SIZE = 200

spans = st.tuples(st.integers(0, SIZE), st.integers(0, 90)).map(
    lambda span: (span[0], min(SIZE, span[0] + span[1]))
)


@st.composite
def _fields(draw: st.DrawFn) -> Node:
    """Return a strategy for trees with fields apart, adjacent, nested, crossing or empty."""
    root = Node(name="", start=0, end=SIZE)
    for number, (start, end) in enumerate(draw(st.lists(spans, max_size=12))):
        bits = draw(st.none() | st.tuples(st.integers(0, 7), st.integers(1, 20)))
        leaf = Node(name=f"field{number}", start=start, end=end, value=number, bits=bits)
        nested = Node(name="record", start=start, end=end, children=[leaf])
        root.children.append(draw(st.sampled_from([leaf, nested])))
    return root


def _rows(root: Node, data: bytes, *, full: bool) -> list[tuple[str, str, str]]:
    """Return the rows of a dump of *data*."""
    return list(dump(root, lambda at, size: data[at : at + size], full=full))


def _shown_bytes(row: tuple[str, str, str]) -> bytes:
    """Return the bytes that a row shows."""
    return bytes.fromhex(row[1].split("|")[0])


@given(root=_fields())
def test_segments_cover_every_byte_exactly_once(root: Node) -> None:
    """For any fields, segments follow each other from the first byte to the last."""
    at = 0
    for part in segments(root):
        assert part.start == at
        assert part.end >= part.start
        assert part.labels
        at = part.end
    assert at == SIZE


@given(root=_fields())
def test_every_field_is_named(root: Node) -> None:
    """Each field's path is the label of one segment, where the field begins."""
    labels = [label for part in segments(root) for label in part.labels if label != "(gap)"]
    names = sorted(label.split(" ")[0].split(",")[0] for label in labels)
    assert names == sorted(path for path, _ in root.leaves() if path)


@given(root=_fields(), data=st.binary(min_size=SIZE, max_size=SIZE))
def test_full_dump_holds_the_file(root: Node, data: bytes) -> None:
    """The bytes of all rows of a full dump are the bytes of the file."""
    found = _rows(root, data, full=True)
    assert b"".join(map(_shown_bytes, found)) == data


@given(root=_fields(), data=st.binary(min_size=SIZE, max_size=SIZE))
def test_abridged_dump_counts_what_it_leaves_out(root: Node, data: bytes) -> None:
    """The bytes shown and the bytes counted by an abridged dump make up the file."""
    total = 0
    for row in _rows(root, data, full=False):
        more = row[1].removesuffix(" more bytes")
        total += int(more) if more != row[1] else len(_shown_bytes(row))
    assert total == SIZE


def test_bits_share_a_row() -> None:
    """Bit fields of the same bytes are listed one below the other, with the bytes only once."""
    r = TracingReader(b"\x01\x00\x00\x80\xff")
    for name, width in (("compressed", 1), ("reserved", 31)):
        r.bits_le(name, width)
    assert [
        (row[1][:11].strip(), row[2]) for row in _rows(r.root, b"\x01\x00\x00\x80\xff", full=False)
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
        "  ".join(row).split() for row in _rows(r.root, b"PFA1\x0c\x00\x00\x00", full=False)
    ] == [
        ["00000000", "50", "46", "41", "31", "|PFA1|", "magic"],
        ["00000004", "0c", "00", "00", "00", "|....|", "len_payload", "=", "12"],
    ]


def test_long_fields_are_abridged() -> None:
    """A field of 1,000 bytes shows its first 32 bytes and the number of the others."""
    r = TracingReader(bytes(1000))
    r.rest("payload")
    found = _rows(r.root, bytes(1000), full=False)
    assert [row[0] for row in found] == ["00000000", "00000010", "       …"]
    assert found[2][1] == "968 more bytes"
    assert found[0][2] == "payload, 1,000 bytes"


@pytest.mark.parametrize(
    ("found", "wanted", "parts"),
    [
        (b"\1\2", "b'ab', to begin", ("0102", "6162", "to begin")),
        ("b'\\x01' at byte 3", 'b"\'": so', ("01", "27", "at byte 3; so")),
        ("a", "a key up to b'ab', not b'c'", ("a", "a key up to 6162, not 63", None)),
        ("'grab'", "it's 'b' or ab'c'", ("'grab'", "it's 'b' or ab'c'", None)),
        ("b'\\xz'", "", ("b'\\xz'", "", None)),
        (3, "4", ("3", "4", None)),
    ],
)
def test_bytes_in_errors_are_hex_in_json(
    found: object, wanted: str, parts: tuple[str, str, str | None]
) -> None:
    """Bytes within a text are hex, too; other text with quotes stays as it is."""
    shape = error_json(FormatError("a", 0, found, wanted))
    assert (shape["found"], shape["wanted"], shape["note"]) == parts


def test_findings_that_differ_in_numbers_only_are_counted() -> None:
    """Findings that differ in numbers only are one line and a count; JSON has all."""
    blocks = [FormatError(f"blocks[{each}].magic", each, b"?", "DATABLK") for each in range(5)]
    other = FormatError("trailer.entry_count", 9, 3, "4")
    error, more = blocks[0], [*blocks[1:3], other, *blocks[3:]]
    verdict = Verdict(file="f", status="damaged", summary=str(error), error=error, more=more)
    assert text_of(verdict).splitlines() == [
        f"damaged     f  {blocks[0]}",
        "              and 4 more like it",
        f"            {other}",
    ]
    assert len(json_of(verdict)["findings"]) == 6


def test_fields_of_one_record_that_contradict_another_are_counted() -> None:
    """Wrong fields of one record that have one reason are one line and a count."""
    held = "as its manifests have in total"
    sums = [
        FormatError(f"snapshots[{snapshot}].summary.total-{name}", None, "6", f"7, {held}")
        for snapshot in (1, 2)
        for name in ("records", "data-files")
    ]
    counts = [
        FormatError(f"/t/{number}-m.avro.{name}_count", None, 3, "2, as the list says")
        for number, name in ((1, "rows"), (2, "files"), (1, "files"))
    ]
    other = [
        FormatError("snapshots[1].summary.operation", None, "x", "append"),
        FormatError("/t/1-m.avro.length", None, "3 bytes", "2 bytes, as the list says"),
        FormatError("/t/3-m.avro.age", None, 3, "2, as the list says"),
    ]
    error, *more = [sums[0], counts[0], *other, *sums[1:], *counts[1:]]
    verdict = Verdict(file="f", status="damaged", summary=str(error), error=error, more=more)
    assert [line.strip() for line in text_of(verdict).splitlines()[1:]] == [
        "and 3 more like it", str(counts[0]), "and 2 more like it", *map(str, other),
    ]  # fmt: skip


def test_findings_of_one_cause_in_many_files_are_counted() -> None:
    """Findings of one cause in many files are one line with a count."""
    gone = [StorageError(f"s3://b/t/{each}/{each * 3}.parquet: no such file") for each in "abc"]
    cut = [
        FormatError(f"/t/{each}.parquet.rows", None, 3, f"{each * 2}, that of '{each}'")
        for each in (4, 5)
    ]
    other = [FormatError("/t/4.parquet.size", None, 3, "8"), StorageError("/t/d.parquet: refused")]
    error, more = gone[0], [*gone[1:], *cut, *other]
    verdict = Verdict(file="f", status="damaged", summary=str(error), error=error, more=more)
    assert [line.strip() for line in text_of(verdict).splitlines()[1:]] == [
        "and 2 more like it", str(cut[0]), "and 1 more like it", *map(str, other),
    ]  # fmt: skip


def test_files_that_cannot_be_opened_are_no_damage() -> None:
    """Files that cannot be opened are unreadable; only wrong bytes are damage."""
    closed, wrong = StorageError("x: Permission denied"), FormatError("a", 0, "b", "c")
    assert verdict_of("t", None, [closed]).status == "unreadable"
    assert verdict_of("t", None, [closed, wrong]).status == "damaged"
