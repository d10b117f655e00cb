"""Scanners give the values of records as columns, and refuse the same with equal messages.

Internals: the limit of 2 GiB is lowered here, and loops are compiled, which no public call does.
"""

from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
from mmap import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.gallery import rows
from tests.support.scanners import KEPT, generated, outcome, row_of, rows_of
from tests.support.tools import complaints

from byteloom.columns import payloads, views
from byteloom.errors import FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.limits import Limits
from byteloom_codegen.load import load_text
from byteloom_codegen.scanners.module import emit_scanners

if TYPE_CHECKING:
    from collections.abc import Callable

SPECS = Path(__file__).parents[1] / "scanners"


class Subject:
    """A spec with its records and its scanner, interpreted or compiled."""

    def __init__(self, name: str, repeated: str, folder: Path, *, compiled: bool) -> None:
        """Generate the modules, and compile the scanner where requested."""
        self.records, self.scans = generated(SPECS / f"{name}.ksy", folder)
        self.top = getattr(self.records, name.capitalize())
        self.path = repeated.split(".")
        self.scan = getattr(self.scans, f"scan_{self.path[-1]}")
        if compiled:
            target = getattr(self.scans, f"_{self.path[-1].upper()}")
            views._fill_loop.compiled  # noqa: B018  (compiles)
            target.loop.compiled  # noqa: B018

    def both(self, data: bytes) -> tuple[Any, Any]:
        """Return what the scanner and the records say about *data*."""
        batch: list[pa.RecordBatch] = []

        def scanned() -> Any:
            batch.append(self.scan(data))
            return rows_of(batch[0])

        def read() -> Any:
            value = self.top.from_bytes(data)
            for name in self.path:
                value = getattr(value, name)
            schema = batch[0].schema if batch else pa.schema([])
            return [row_of(each, schema) for each in value]

        return outcome(scanned), outcome(read)


@pytest.fixture(scope="module", params=[False, True], ids=["interpreted", "compiled"])
def rich(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """Return the subject of records that differ in size."""
    folder = KEPT if request.param else tmp_path_factory.mktemp("scanners")
    name = f"rich_{request.param}".lower()
    return Subject("rich", "rows", folder / name, compiled=request.param)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """Return the subject of records of one size."""
    return Subject("plain", "ticks", tmp_path_factory.mktemp("scanners") / "plain_", compiled=False)


def a_row(rng: random.Random) -> bytes:
    """Return the bytes of one row of ``rich.ksy``, with all rules kept."""
    kind, has_note = rng.choice((1, 2, 3)), rng.random() < 0.5
    name = "".join(rng.choices("aé€😀z", k=rng.randrange(9))).encode()
    bits = rng.getrandbits(1) << 15 | rng.randrange(7) << 12 | has_note << 11 | rng.getrandbits(11)
    xs, parts = rng.randrange(5), rng.randrange(5)
    out = struct.pack("<BbH", kind, rng.randrange(-4, 5), 0)[:2] + struct.pack(
        ">Hq", bits, rng.getrandbits(64) - 2**63
    )
    out += (
        struct.pack("<QI", rng.getrandbits(64), rng.getrandbits(32))
        + struct.pack(">H", len(name))
        + name
    )
    out += (rng.randbytes(3).replace(b"\0", b"x").hex().encode() + b"\0") if has_note else b""
    out += (
        rng.randbytes(6) + rng.randbytes(4) + bytes((xs,)) + rng.randbytes(2 * xs) + bytes((parts,))
    )
    for _ in range(parts):
        inner = rng.randbytes(rng.randrange(4))
        out += bytes((len(inner),)) + inner
    out += rng.choice((b"ab    ", b"abcdef", b"a\0b   ", b"      ", b"\0\0\0\0\0\0"))
    for _ in range(rng.randrange(3)):
        out += bytes((rng.randrange(1, 256),)) + rng.randbytes(2)
    out += b"\0" + rng.randbytes(2)
    return out + (rng.randbytes(6) if kind == 2 and len(name) > 2 else b"")


def rich_bytes(seed: int, rows: int) -> bytes:
    """Return a whole file of ``rich.ksy``."""
    rng = random.Random(seed)
    return b"RICH" + struct.pack("<I", rows) + b"".join(a_row(rng) for _ in range(rows)) + b"\7"


def plain_bytes(seed: int, rows: int) -> bytes:
    """Return a whole file of ``plain.ksy``."""
    rng, out = random.Random(seed), b""
    for _ in range(rows):
        bits = rng.choice((1, 2, 5)) | rng.randrange(100) << 3 | rng.getrandbits(1) << 13
        out += b"TK" + rng.randbytes(8) + bytes((rng.randrange(4),)) + struct.pack("<H", bits)
        out += rng.randbytes(8) + struct.pack(">H", rng.randrange(10, 60001)) + rng.randbytes(7)
        out += rng.choice(("abcd", "é€"[:1] * 2, "😀")).encode() + struct.pack(
            ">h", rng.randrange(-9, 9)
        )
    return out


@pytest.fixture(scope="module", params=["rich", "compiled", "plain"])
def either(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Subject, Callable[[int, int], bytes]]:
    """Return a subject of records of many sizes or of one, and what makes files of it."""
    if request.param == "plain":
        folder = tmp_path_factory.mktemp("scanners") / "either"
        return Subject("plain", "ticks", folder, compiled=False), plain_bytes
    is_compiled = request.param == "compiled"
    folder = KEPT if is_compiled else tmp_path_factory.mktemp("scanners")
    name = f"rich_{is_compiled}".lower()
    return Subject("rich", "rows", folder / name, compiled=is_compiled), rich_bytes


@pytest.mark.parametrize(
    ("of", "way"),
    [
        ("u1", 'stored="<u1"),),\n    size=1,'),
        ("u4", 'stored="<u4"),),\n    size=4,'),
        ("s8", 'stored="<i8"),),\n    size=8,'),
        ("u8", "loop=Loop(_fill_rows)"),
        ("f8", 'attribute="rows"'),
    ],
)
def test_numbers_with_rules_are_read_by_the_fastest_way_there_is(of: str, way: str) -> None:
    """Numbers of one size are columns at once; those of 64 bits without a sign take a loop."""
    text = f"""
meta: {{id: t, endian: le}}
seq: [{{id: rows, type: row, repeat: eos}}]
types: {{row: {{seq: [{{id: x, type: {of}, valid: {{max: 9}}}}]}}}}
"""
    made = emit_scanners(load_text(text, "t.ksy"), "t.ksy", everything=True).text
    assert way in made
    assert [each in made for each in ("size=", "loop=", "attribute=")].count(True) == 1


@pytest.mark.parametrize("of", ["u1", "s8", "u8", "f4", "f8"])
def test_numbers_without_rules_are_columns_at_once(of: str) -> None:
    """Numbers of any form are columns without a check where records have nothing else."""
    text = f"""
meta: {{id: t, endian: le}}
seq: [{{id: rows, type: row, repeat: eos}}]
types: {{row: {{seq: [{{id: x, type: {of}}}]}}}}
"""
    made = emit_scanners(load_text(text, "t.ksy"), "t.ksy", everything=True).text
    assert [each in made for each in ("size=", "loop=", "attribute=", "wrong=")] == [
        True, False, False, False
    ]  # fmt: skip


@given(seed=st.integers(0, 2**32), rows=st.integers(0, 30))
def test_rows_become_the_records_values(either: Any, seed: int, rows: int) -> None:
    """A scanner gives the values of the records, whether their rows have one size or many."""
    subject, made = either
    scanned, read = subject.both(made(seed, rows))
    assert len(read) == rows
    assert scanned == read


def test_every_prefix_says_the_same(either: Any) -> None:
    """A file cut anywhere gives the same rows or error by scanner and by records."""
    subject, made = either
    data = made(3, 3)
    for size in range(len(data)):
        scanned, read = subject.both(data[:size])
        assert scanned == read
        assert made is plain_bytes or scanned[0] is Truncated


@given(seed=st.integers(0, 2**32), where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_says_the_same(either: Any, seed: int, where: float, bit: int) -> None:
    """A flipped bit gives the same values or error by scanner and by records."""
    subject, made = either
    data = bytearray(made(seed, 5))
    data[int(where * len(data))] ^= 1 << bit
    scanned, read = subject.both(bytes(data))
    assert scanned == read


@given(data=st.binary(max_size=300))
def test_any_bytes_say_the_same(rich: Subject, data: bytes) -> None:
    """Any bytes give the same values or error by scanner and by records."""
    scanned, read = rich.both(b"RICH\2\0\0\0" + data)
    assert scanned == read


@pytest.mark.parametrize("compiled", [False, True])
def test_pairs_in_a_window_end_where_their_condition_says(
    tmp_path: Path, *, compiled: bool
) -> None:
    """``repeat: until`` uses the record just read and its window."""
    folder = tmp_path / f"pairs_{compiled}".lower()
    subject = Subject("pairs", "block.pairs", folder, compiled=compiled)
    records, scan = subject.records, subject.scans.scan_pairs
    rng = random.Random(5)
    pairs = b"".join(
        struct.pack("<IQ", k, v) + rng.randbytes(k + v) + b"\0"
        for k, v in ((rng.randrange(20), rng.randrange(40)) for _ in range(4000))
    )
    ended = pairs + struct.pack("<IQ", 1, 1) + b"kv\1"
    for block in (pairs, ended, ended + b"left"):
        want = records.Block.from_bytes(block).pairs
        for binary in ("view", "binary"):
            batch = scan(block, binary=binary)
            assert rows_of(batch) == [row_of(each, batch.schema) for each in want]
    with pytest.raises(LimitExceeded, match=r"block\.pairs.*limits\.elements"):
        scan(pairs, limits=Limits(elements=100))
    assert scan(pairs, limits=Limits(elements=4000)).num_rows == 4000
    for huge in (2**63, 2**64 - 1):
        bad = pairs + struct.pack("<IQ", 0, huge)
        error = outcome(lambda bad=bad: scan(bad))  # type: ignore[misc]
        assert error == outcome(lambda bad=bad: records.Block.from_bytes(bad))  # type: ignore[misc]
        assert error[0] is Truncated


def test_the_first_bad_record_is_the_one_reported(rich: Subject) -> None:
    """The error is that of the earliest bad record, though text is checked by columns."""
    rng = random.Random(8)
    rows = [a_row(rng) for _ in range(3)]
    head = bytearray(rows[0][:28] + struct.pack(">H", 1) + b"a")  # no note, no bytes but these
    head[0], head[2] = 1, head[2] & ~8
    tail = bytes(6) + bytes(4) + b"\0" + b"\0"
    bad_code, bad_name = (
        bytes(head) + tail + b"\xff" * 6,
        bytes(head[:-1]) + b"\xff" + tail + b"a" * 6,
    )
    ends = b"\0" * 3
    for first, second in ((bad_code, bad_name), (bad_name, bad_code)):
        data = b"RICH" + struct.pack("<I", 3) + rows[0] + first + ends + second + ends + b"\7"
        scanned, read = rich.both(data)
        assert scanned == read
        assert "rows[1]" in scanned[1]


def test_values_without_a_name_keep_their_number(plain: Subject) -> None:
    """An enum column is a dictionary; a value without a name is its digits."""
    data = bytearray(plain_bytes(1, 4))
    for row, value in enumerate((0, 1, 7, 200)):
        data[36 * row + 10] = value
    assert plain.scan(bytes(data)).column("side").to_pylist() == ["buy", "sell", "7", "200"]


def test_types_say_what_the_spec_says(plain: Subject, rich: Subject) -> None:
    """Enums become dictionaries, records structs, repeats lists, ``if`` nulls, bits bools."""
    names = pa.dictionary(pa.int32(), pa.string())
    assert plain.scan(b"").schema == pa.schema(
        [
            pa.field("at", pa.timestamp("us"), nullable=False),
            pa.field("side", names, nullable=False),
            pa.field("low", pa.uint8(), nullable=False),
            pa.field("high", pa.uint16(), nullable=False),
            pa.field("is_last", pa.bool_(), nullable=False),
            pa.field("price", pa.float64(), nullable=False),
            pa.field("place", plain.scan(b"").schema.field("place").type, nullable=False),
            pa.field("raw", pa.binary(5), nullable=False),
            pa.field("text", pa.string_view(), nullable=False),
            pa.field("short", pa.int16(), nullable=False),
        ]
    )
    schema = rich.scan(rich_bytes(1, 3)).schema
    assert schema.field("note") == pa.field("note", pa.string_view(), nullable=True)
    assert schema.field("xs").type == pa.list_(pa.int16())
    assert schema.field("elsewhere").nullable
    assert schema.field("total").type == pa.int64()
    assert "len_name" not in schema.names
    assert "magic" not in schema.names


def test_bytes_stay_where_they_are(tmp_path: Path) -> None:
    """The buffer of a view is the input itself, even for a memory map."""
    _, scans = generated(SPECS / "pairs.ksy", tmp_path / "pairs_views")
    data = struct.pack("<IQ", 20, 30) + bytes(range(50)) + b"\1"
    key = scans.scan_pairs(data).column("key")
    assert key.buffers()[2].address == pa.py_buffer(data).address
    file = tmp_path / "file"
    file.write_bytes(data)
    with file.open("r+b") as open_file:
        mapped = scans.scan_pairs(mmap(open_file.fileno(), 0))
    assert mapped.equals(scans.scan_pairs(bytearray(data)))


def test_limits_hold(rich: Subject) -> None:
    """A count over the limits, or over the bytes, is refused before anything is allocated."""
    with pytest.raises(LimitExceeded, match=r"rich\.rows.*limits\.elements"):
        rich.scan(rich_bytes(1, 3), limits=Limits(elements=2))
    with pytest.raises(Truncated, match=r"rich\.rows"):
        rich.scan(b"RICH" + b"\xff\xff\xff\x01" + bytes(100))


def test_elements_without_bytes_are_refused(tmp_path: Path) -> None:
    """A list up to the end of a window whose elements take no bytes is refused, as by records."""
    spec = tmp_path / "hollow.ksy"
    spec.write_text("""
meta: {id: hollow}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: len, type: u1}, {id: body, type: body, size: len}]}
  body: {seq: [{id: n, type: u1}, {id: parts, size: n, repeat: eos}]}
""")
    records, scans = generated(spec, tmp_path / "hollow_")
    batch = scans.scan_rows(b"\5\2abcd\1\0")
    parts = [[part.decode() for part in row["body"]["parts"]] for row in batch.to_pylist()]
    assert parts == [["ab", "cd"], []]
    data = b"\5\2abcd\2\0a"
    found = outcome(lambda: scans.scan_rows(data))
    assert found == outcome(lambda: records.Hollow.from_bytes(data))
    assert "hollow.rows[1].body.parts[0] at byte 8" in found[1]


@pytest.mark.parametrize(
    ("type_", "forms"),
    [
        ("size: len", ["view"]),
        ("size: len, type: str, encoding: UTF-8", ["view"]),
        ("size: len, type: str, encoding: ISO-8859-1", []),
    ],
)
def test_columns_of_2_gib_are_read_as_views(
    type_: str, forms: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More bytes than offsets reach are refused, except as views of text that is as it is read."""
    monkeypatch.setattr(payloads, "LONGEST", 8)
    spec = tmp_path / "long.ksy"
    spec.write_text(f"""
meta: {{id: long}}
seq: [{{id: rows, type: row, repeat: eos}}]
types: {{row: {{seq: [{{id: len, type: u1}}, {{id: text, {type_}}}]}}}}
""")
    _, scans = generated(spec, tmp_path / f"long_{len(type_)}")
    for form in ("view", "binary"):
        assert len(scans.scan_rows(b"\4a\0b\0" * 2, binary=form)) == 2
        if form in forms:
            assert len(scans.scan_rows(b"\4a\0b\0" * 3, binary=form)) == 3
            continue
        with pytest.raises(Unsupported, match="text: found 12 bytes, wanted at most 2 GiB, except"):
            scans.scan_rows(b"\4a\0b\0" * 3, binary=form)


def test_more_rows_than_the_limit_are_refused_where_no_count_says_so(plain: Subject) -> None:
    """Records up to the end of the bytes are limited like those with a count."""
    with pytest.raises(LimitExceeded, match=r"ticks.*limits\.elements"):
        plain.scan(plain_bytes(1, 5), limits=Limits(elements=4))


def test_importing_records_loads_no_arrays(tmp_path: Path) -> None:
    """Importing a module of records loads neither NumPy nor Arrow nor numba."""
    generated(SPECS / "plain.ksy", tmp_path / "light")
    code = "import sys, light.plain; print(*{'numpy', 'pyarrow', 'numba'} & set(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == ""


def test_small_inputs_load_no_compiler(tmp_path: Path) -> None:
    """Numba is loaded for large inputs only."""
    generated(SPECS / "pairs.ksy", tmp_path / "small")
    code = (
        "import sys; from small.pairs_scan import scan_pairs;"
        "print(scan_pairs(bytes(12) + b'\\1').num_rows, 'numba' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["1", "False"]


def test_generated_scanners_are_formatted_and_typed(tmp_path: Path) -> None:
    """Generated scanners pass ruff's formatter and mypy, and import nothing that is unused."""
    folder = tmp_path / "strict"
    for spec in sorted(SPECS.glob("*.ksy")):
        generated(spec, folder)
    files = sorted(folder.glob("*_scan.py"))
    assert not complaints("format", *files)
    assert not complaints("lint", "--select=F401,F841", *files)
    assert not complaints("mypy", *files, cwd=tmp_path)


@pytest.mark.parametrize(
    ("field", "reason"),
    rows("scanners", "what_no_loop_takes_is_read_as_records"),
)
def test_what_no_loop_takes_is_read_as_records(field: str, reason: str) -> None:
    """A spec that no loop can read has a scanner of records; the reason names its place."""
    text = (
        "meta: {id: top, endian: le}\n"
        "seq:\n- {id: total, type: u1}\n- {id: recs, type: rec, repeat: eos}\n"
        "types:\n  rec:\n    seq:\n    - {id: n, type: u4}\n    - {id: m, type: u4}\n"
        f"    - {field}\n"
    )
    spec = load_text(text, "top.ksy")
    made = emit_scanners(spec, "top.ksy", everything=True)
    assert "Loop(" not in made.text
    assert "Records are read one by one" in made.text
    assert made.refused == []
    assert [reason in str(each) for each in made.slow] == [True]
    assert made.slow[0].location.line > 1
    asked = load_text(text.replace("  rec:", "  rec:\n    -loom-scan: true"), "top.ksy")
    found = emit_scanners(asked, "top.ksy")
    assert found.text == ""
    assert {reason in str(each) for each in found.refused} == {True}


def test_a_module_of_scanners_imports_only_what_it_uses() -> None:
    """A repeated record that cannot be scanned leaves no import in the module of the others."""
    spec = load_text(
        "meta: {id: top, endian: le}\n"
        "seq: [{id: odd, type: half, repeat: eos}]\n"
        "types:\n"
        "  half: {seq: [{id: x, contents: a}]}\n"
        "  rec: {-loom-scan: walk, seq: [{id: x, type: u1}]}\n",
        "top.ksy",
    )
    made = emit_scanners(spec, "top.ksy", everything=True)
    assert len(made.refused) == 1
    assert "RECS = Walk(" in made.text
    assert "RecordBatch" not in made.text


@pytest.mark.parametrize(
    "name",
    [
        "number", "flag", "text", "bytes", "fixed_bytes", "named", "struct", "list", "scan", "loop",
        "rows", "limits", "source", "walk", "out", "reader", "byte", "be32", "at", "mro", "row",
    ],
)  # fmt: skip
def test_types_and_fields_may_be_called_like_what_scanners_use(name: str, tmp_path: Path) -> None:
    """Types and fields may have the names that scanners and walks use themselves."""
    text = (
        "meta: {{id: sample, endian: le}}\n"
        "seq: [{{id: {0}s, type: {0}, repeat: eos}}]\n"
        "types:\n"
        "  {0}:\n"
        "    -loom-scan: {1}\n"
        "    seq:\n"
        "    - {{id: {0}, type: u1}}\n"
        "    - {{id: raw, size: 2}}\n"
        "    - {{id: rest, size: {0}}}\n"
    )
    data, found = b"\1ab-\0cd", []
    for form in ("true", "walk"):
        (tmp_path / "sample.ksy").write_text(text.format(name, form))
        _, scans = generated(tmp_path / "sample.ksy", tmp_path / f"called_{name}_{form}")
        if form == "true":
            scan = getattr(scans, f"scan_{name}s")
            found.append(scan(data).column("raw").to_pylist())
        else:
            (walk,) = (getattr(scans, each) for each in scans.__all__ if each.isupper())
            taken = walk.over(np.frombuffer(data, np.uint8), np.array([[0, 7]]), ["raw"], 9, {})
            views = taken.columns["raw"][:32].reshape(2, 16)
            found.append([each[4:6].tobytes() for each in views])
    assert found == [[b"ab", b"cd"]] * 2


def test_the_size_of_bytes_up_to_a_terminator_is_calculated_once() -> None:
    """The size of terminated bytes is calculated once, with the terminator if included."""
    spec = load_text(
        "meta: {id: top}\n"
        "seq: [{id: recs, type: rec, repeat: eos}]\n"
        "types: {rec: {seq: [{id: x, terminator: 7, include: true}]}}\n",
        "top.ksy",
    )
    made = emit_scanners(spec, "top.ksy", everything=True)
    assert made.text.count("x_size = ") == 1
    assert "x_size = x_stop + 1 - at" in made.text


@pytest.mark.parametrize("field", ["type: u2", "type: f4", "type: u2, if: total > 0"])
def test_a_byte_order_that_a_file_decides_has_a_loop_and_no_walk(field: str) -> None:
    """A loop is given the byte order that the file decides; a walk takes numbers of one byte."""
    text = (
        "meta: {id: top, endian: {switch-on: total, cases: {0: le, 1: be}}}\n"
        "seq:\n- {id: total, type: u1}\n- {id: recs, type: rec, repeat: eos}\n"
        f"types:\n  rec:\n    %s\n    seq: [{{id: total, type: u1}}, {{id: x, {field}}}]\n"
    )
    made = emit_scanners(load_text(text % "", "t.ksy"), "t.ksy", everything=True)
    assert made.slow == []
    assert 'int(handed["_is_le"])' in made.text
    walk = text % "-loom-scan: walk"
    made = emit_scanners(load_text(walk, "t.ksy"), "t.ksy", everything=True)
    (refused,) = made.refused
    assert "its byte order is decided" in str(refused)
    assert str(refused).startswith("t.ksy:8:")
    plain = walk.replace("u2", "u2be").replace("f4", "f4le")
    assert emit_scanners(load_text(plain, "t.ksy"), "t.ksy", everything=True).refused == []


PLACED = """
meta: {id: placed, endian: le}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: word, type: u2}
      - {id: place, type: u1, valid: {max: _io.pos}}
      - {id: half, type: u2}
"""


def test_a_rule_sees_the_place_after_its_value(tmp_path: Path) -> None:
    """`_io.pos` in a rule counts the fields before the value, and the value itself."""
    (tmp_path / "placed.ksy").write_text(PLACED)
    records, scans = generated(tmp_path / "placed.ksy", tmp_path / "out")
    for place, fits in ((3, True), (4, False)):
        data = bytes((0, 0, place, 0, 0))
        for read in (records.Placed.from_bytes, scans.scan_rows):
            if fits:
                read(data)
            else:
                with pytest.raises(FormatError, match=rf"place at byte 2 .* found {place}"):
                    read(data)


PUT = """
meta: {id: p, endian: le}
-loom-scan: walk
-loom-put: true
seq:
  - {id: magic, contents: [7, 9]}
  - {id: kind, type: s2, valid: {min: -3, max: 3}}
  - {id: len_name, type: u1}
  - {id: name, size: len_name - 1}
  - {id: code, size: 2}
  - {id: total, type: u8}
"""


def test_a_put_stores_each_byte_of_bits_once() -> None:
    """A byte is made of the bits that are in it, and of no others."""
    text = """
meta: {id: t}
-loom-scan: walk
-loom-put: true
seq:
  - {id: a, type: b12}
  - {id: b, type: b4}
  - {id: c, type: b8}
  - {id: d, type: b3le}
  - {id: e, type: b5le}
"""
    made = emit_scanners(load_text(text, "t.ksy"), "t.ksy").text
    assert re.findall(r"put_byte\(base, (.*)\)", made) == [
        "at, a >> 4 & 255",
        "at + 1, ((a & 15) << 4) | b",
        "at + 2, c",
        "at + 3, d | e << 3",
    ]


def test_what_a_put_writes_a_walk_reads(tmp_path: Path) -> None:
    """A walk reads what a put writes: magics, signed numbers, lengths and fixed bytes."""
    (tmp_path / "p.ksy").write_text(PUT)
    records, scans = generated(tmp_path / "p.ksy", tmp_path / "puts")
    put, ends = scans.PUT_PS, np.array([0, 2, 4], np.int64)

    def run(kind: int, total: int, codes: bytes) -> tuple[int, bytes]:
        data, starts = np.zeros(100, np.uint8), np.zeros(4, np.int64)
        code, _, count = put.fill(
            data, starts, np.zeros(4, np.uint8), put.state(), 0, 2,
            np.array([kind, 3], np.int16), np.frombuffer(b"abcd", np.uint8), ends,
            np.frombuffer(codes, np.uint8), np.arange(3) * (len(codes) // 2),
            np.array([total, 5], np.uint64),
        )  # fmt: skip
        return code, data[: starts[count]].tobytes()

    rows = [{"kind": -3, "name": b"ab", "code": b"wx", "total": 1},
            {"kind": 3, "name": b"cd", "code": b"yz", "total": 5}]  # fmt: skip
    code, data = run(-3, 1, b"wxyz")
    assert (code, data) == (0, b"".join(records.P(**row).to_bytes() for row in rows))
    bytes_, whole = np.frombuffer(data, np.uint8), np.array([[0, len(data)]])
    found = scans.PS.over(bytes_, whole, ["kind", "total"], 9, {}).columns
    assert found["kind"].view("i2")[:2].tolist() == [-3, 3]
    assert found["total"].view("u8")[:2].tolist() == [1, 5]
    bytes_ = np.frombuffer(data.replace(b"\7\x09", b"\7\x08"), np.uint8)
    assert scans.PS.over(bytes_, whole, ["kind"], 9, {}).rows == 0
    for wrong in ((-4, 1, b"wxyz"), (0, 1 << 63, b"wxyz"), (0, 1, b"wxyzab")):
        assert run(*wrong) == (1, b"")
    assert (
        str(put.refusal([-4, b"", b"wx", 1], 7, {})) == "ps[7].kind: found -4, wanted at least -3"
    )
