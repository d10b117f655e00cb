"""Calculated instances are columns of scanners, with the values that records have."""

from __future__ import annotations

import json
import random
import re
import struct
from itertools import count
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.cli import byteloom
from tests.support.gallery import rows
from tests.support.scanners import generated, outcome, row_of, rows_of

from byteloom.errors import FormatError
from byteloom_codegen.load import load_text
from byteloom_codegen.scanners.module import emit_scanners

if TYPE_CHECKING:
    from pathlib import Path

_NUMBERS = count()

FIELDS = """
      - {id: a, type: s1}
      - {id: b, type: u2}
      - {id: c, type: s4}
      - {id: d, type: u4}
      - {id: e, type: s8}
      - {id: w, type: u8}
      - {id: f, type: f4}
      - {id: g, type: f8}
      - {id: p, type: b1}
      - {id: q, type: b3}
      - {id: r, type: b12}
      - {id: k, type: u1, enum: kinds}
"""
"""Records of one size."""

MORE = """
      - {id: name, type: strz, encoding: UTF-8}
      - {id: note, type: u2, if: p}
      - {id: list, type: u1, repeat: expr, repeat-expr: q}
      - {id: inner, type: inner(d)}
"""
"""Fields after which records differ in size."""


def spec_of(name: str, fields: str, instances: list[str]) -> str:
    """Return a spec of records with these instances."""
    own = "".join(
        f"      i{at}: {{value: {json.dumps(each)}}}\n" for at, each in enumerate(instances)
    )
    return f"""
meta: {{id: {name}, endian: le}}
seq: [{{id: recs, type: rec, repeat: eos}}]
types:
  rec:
    seq:{fields}    instances:
{own}      named: {{value: q.as<u1>, enum: kinds}}
      maybe: {{value: b + 1, if: p}}
  inner:
    params: [{{id: d, type: u4}}]
    seq: [{{id: x, type: u1}}]
    instances:
      y: {{value: x * 2 - d}}
enums: {{kinds: {{0: none, 1: one, 2: two, 200: many}}}}
"""


def integers(deep: int, more: bool) -> st.SearchStrategy[str]:
    """Draw expressions of integers."""
    plain = st.sampled_from(["a", "b", "c", "d", "e", "w", "q", "r", "k.to_i", "p.to_i", "3", "-7"])
    if more:
        plain |= st.sampled_from(["list.size", "inner.x", "inner.y", "(p ? note : 5)", "list[0]"])
    if not deep:
        return plain
    inner, flag = integers(deep - 1, more), flags(deep - 1, more)
    return (
        plain
        | st.tuples(inner, st.sampled_from("+-*&|^"), inner).map(" ".join).map("({})".format)
        | st.tuples(inner, st.sampled_from(["/", "%"]), inner).map(" ".join).map("({})".format)
        | st.tuples(inner, st.sampled_from(["<< 3", ">> 2", "& 255", "/ 10", "% 7"]))
        .map(" ".join)
        .map("({})".format)
        | st.tuples(st.sampled_from("-~"), inner).map("".join).map("({})".format)
        | st.tuples(flag, inner, inner).map(lambda x: f"({x[0]} ? {x[1]} : {x[2]})")
    )


def doubles(deep: int, more: bool) -> st.SearchStrategy[str]:
    """Draw expressions of numbers with a fraction."""
    plain = st.sampled_from(["f", "g", "0.1", "1e3"])
    if not deep:
        return plain
    inner, whole = doubles(deep - 1, more), integers(deep - 1, more)
    return (
        plain
        | st.tuples(inner | whole, st.sampled_from(["+ 0.5", "* 0.1", "/ 10.0", "- 2.5"]))
        .map(" ".join)
        .map("({})".format)
        | st.tuples(inner, st.sampled_from("+-*/"), inner | whole).map(" ".join).map("({})".format)
        | st.tuples(flags(deep - 1, more), inner, whole).map(
            lambda x: f"({x[0]} ? {x[1]} : {x[2]})"
        )
    )


def flags(deep: int, more: bool) -> st.SearchStrategy[str]:
    """Draw expressions of truth values."""
    plain = st.sampled_from(["p", "true", "k == kinds::one"])
    if not deep:
        return plain
    sign = st.sampled_from(["<", "<=", "==", "!=", ">", ">="])
    inner = flags(deep - 1, more)
    number = integers(deep - 1, more) | doubles(deep - 1, more)
    return (
        plain
        | st.tuples(number, sign, number).map(" ".join).map("({})".format)
        | st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join).map("({})".format)
        | inner.map("(not {})".format)
    )


def drawn(rng: random.Random, more: bool) -> bytes:
    """Return a record."""
    words = [rng.choice((0, 1, 2**63, 2**64 - 1, rng.getrandbits(64))) for _ in range(6)]
    size, has_note = rng.randrange(4), rng.randrange(2)
    out = struct.pack("<B", words[0] & 0xFF) + struct.pack("<H", words[1] & 0xFFFF)
    out += struct.pack("<IIQQ", words[2] & 0xFFFFFFFF, words[3] & 0xFFFFFFFF, words[4], words[5])
    out += struct.pack("<fd", rng.choice((0.0, -1.5, rng.random())), rng.choice((0.0, 1e300, 0.1)))
    out += (has_note << 15 | size << 12 | rng.getrandbits(12)).to_bytes(2, "big")
    out += bytes((rng.choice((0, 1, 2, 9)),))
    if more:
        out += b"ab\0" + (rng.randbytes(2) if has_note else b"") + rng.randbytes(size + 1)
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for modules."""
    return tmp_path_factory.mktemp("calculated")


@example(instances=["d * b", "e + a", "-e", "w / 10", "w & 255", "w >> 60", "w * 2"], seed=1)
@example(instances=["d * d", "e - 1"], seed=3)
@example(instances=["w - w", "w - e", "d * -1 * b"], seed=3)
@example(instances=["d / b", "d % q", "10 / k.to_i", "g / a", "b != 0 ? d / b : 0"], seed=2)
@example(instances=["f * 2", "g + e", "w / 3.0", "p.to_i + p.to_i", "p and not p"], seed=3)
@given(
    instances=st.lists(integers(2, False) | doubles(2, False) | flags(2, False), max_size=3),
    seed=st.integers(0, 2**32),
)
def test_instances_of_records_of_one_size_are_the_records_values(
    folder: Path, instances: list[str], seed: int
) -> None:
    """Whatever is calculated of numbers, a column has what each record's attribute has."""
    check(folder, FIELDS, instances, seed)


@example(instances=["inner.y", "list.size * 3", "p ? note : 5", "inner.y > 3 ? 1 : 2"], seed=1)
@example(instances=["q > 0 ? list[0] : 9", "list[0]", "name.length"], seed=2)
@given(
    instances=st.lists(integers(2, True) | doubles(2, True) | flags(2, True), max_size=3),
    seed=st.integers(0, 2**32),
)
def test_instances_of_other_records_are_the_records_values(
    folder: Path, instances: list[str], seed: int
) -> None:
    """So do columns of records that differ in size, of fields that some lack, and of lists."""
    check(folder, FIELDS + MORE, instances, seed)


def check(folder: Path, fields: str, instances: list[str], seed: int) -> None:
    """Compare the columns of drawn records with their attributes."""
    name, rng = f"c{next(_NUMBERS)}", random.Random(seed)
    (folder / f"{name}.ksy").write_text(spec_of(name, fields, instances))
    records, scans = generated(folder / f"{name}.ksy", folder / f"of_{name}")
    data = b"".join(drawn(rng, fields is not FIELDS) for _ in range(20))
    top = getattr(records, name.capitalize())
    schema = scans.scan_recs(b"").schema
    assert {f"i{at}" for at in range(len(instances))} < {*schema.names}
    read = outcome(lambda: [row_of(each, schema) for each in top.from_bytes(data).recs])
    scanned = outcome(lambda: rows_of(scans.scan_recs(data)))
    if isinstance(read, list) and isinstance(scanned, list):
        assert [_doubles(each, schema) for each in scanned] == [
            _doubles(each, schema) for each in read
        ]
    elif isinstance(read, list):  # a value that no integer of 64 bits is
        assert scanned[2].startswith(f"{name}.recs["), scanned
        column = scanned[2].rpartition(".")[2]
        assert any(not -(2**63) <= int(each[column]) < 2**63 for each in read), scanned
    else:
        assert not isinstance(scanned, list), read
        assert scanned[2].startswith(f"{name}.recs["), scanned


def _doubles(row: Any, schema: pa.Schema) -> Any:
    """Return a row in which integers in columns of doubles are doubles, compared by their bits."""
    return {
        name: struct.pack("d", value)
        if pa.types.is_float64(schema.field(name).type) and isinstance(value, int)
        else value
        for name, value in row.items()
    }


def scanner_text(rec: str, more: str = "") -> str:
    """Return the scanner module of records whose type has these keys."""
    text = f"meta: {{id: t, endian: le}}\nseq: [{{id: recs, type: rec, repeat: eos}}]\n{more}"
    return emit_scanners(load_text(f"{text}types: {{rec: {rec}}}\n"), "t", everything=True).text


@pytest.mark.parametrize("name", ["", "{id: name, type: strz, encoding: UTF-8}, "])
@pytest.mark.parametrize(
    "value",
    rows("calculated_columns", "calculations_with_numbers_make_no_records"),
)
def test_calculations_with_numbers_make_no_records(name: str, value: str) -> None:
    """Arithmetic, comparisons, choices and casts are calculated for whole columns."""
    seq = f"[{name}{{id: a, type: u2}}, {{id: w, type: u8}}, {{id: f, type: f4}}]"
    cast = value == "a.as<u1>"
    text = scanner_text(f"{{seq: {seq}, instances: {{x: {{value: '{value}'}}}}}}")
    assert ("by=_x_of_recs" in text, "one by one" in text) == (not cast, cast)


SPARSE = """
meta: {id: t, endian: le}
seq: [{id: recs, type: rec, repeat: eos}]
types:
  rec:
    seq: [{id: a, type: u1}, {id: in, type: one}]
    instances:
      up: {value: _parent}
      same: {value: in}
      there: {pos: 0, type: u1}
      off: {value: a, -loom-column: false}
  one: {seq: [{id: b, type: u1}]}
"""


def test_an_instance_that_holds_no_values_has_no_column() -> None:
    """What names another record, and what is read at a place of its own, are not columns."""
    text = emit_scanners(load_text(SPARSE), "t", everything=True).text
    assert 'Number("a", "u1"' in text
    for name in ("up", "same", "there", "off"):
        assert f'"{name}"' not in text


TYPES = """
meta: {id: t, endian: le}
seq: [{id: recs, type: rec, repeat: eos}]
types:
  rec:
    seq: [{id: a, type: u1}, {id: raw, size: 2}]
    instances:
      small: {value: a}
      cast: {value: a.as<s4>}
      whole: {value: a + 1}
      half: {value: a / 2.0}
      is_odd: {value: a % 2 == 1}
      name: {value: a, enum: names}
      text: {value: raw.to_s("ASCII")}
      bytes: {value: raw}
      list: {value: "[a, a + 1000]"}
      shown: {value: a.to_s, if: a > 1}
enums: {names: {1: one}}
"""


def test_the_types_of_columns_are_those_of_the_values(tmp_path: Path) -> None:
    """Integers have the size that the spec knows; text, bytes, enums and lists are themselves."""
    (tmp_path / "t.ksy").write_text(TYPES)
    _, scans = generated(tmp_path / "t.ksy", tmp_path / "of_types")
    batch = scans.scan_recs(b"\1ab\2cd", binary="binary")
    types = {each.name: str(each.type) for each in batch.schema}
    names = "dictionary<values=string, indices=int32, ordered=0>"
    assert types == {
        "a": "uint8", "raw": "fixed_size_binary[2]", "small": "uint8", "cast": "int32",
        "whole": "int64", "half": "double", "is_odd": "bool", "name": names, "text": "string",
        "bytes": "fixed_size_binary[2]", "list": "list<item: int64>", "shown": "string",
    }  # fmt: skip
    assert batch.to_pylist()[1] == {
        "a": 2, "raw": b"cd", "small": 2, "cast": 2, "whole": 3, "half": 1.0, "is_odd": False,
        "name": "2", "text": "cd", "bytes": b"cd", "list": [2, 1002], "shown": "2",
    }  # fmt: skip
    assert batch.column("shown").to_pylist() == [None, "2"]


BROKEN = """
meta: {id: t, endian: le}
seq: [{id: recs, type: rec, repeat: eos}]
types:
  rec:
    seq: [NAME{id: a, type: u1}, {id: b, type: u1}, {id: raw, size: 1}]
    instances:
      there: {pos: 1000, type: u1}
      x: {value: 'CALCULATED'}
"""


@pytest.mark.parametrize(
    ("instance", "said"),
    [
        ("a / b", "t.recs[1].x: found 5 / 0, wanted a divisor that is not 0"),
        ("b - 1 == 0 ? a / b : 10 % b", "t.recs[1].x: found 10 % 0, wanted a divisor"),
        ("(a + 300).as<u1>", "t.recs[0].x: found a value (OverflowError: "),
        ('raw.to_s("ASCII")', "t.recs[2].x: found b'\\xff', wanted text in ASCII"),
        ("there + 1", "t.recs[0].x.there: found position 1000, wanted 0 to "),
    ],
)
@pytest.mark.parametrize("name", ["", "{id: name, type: strz, encoding: UTF-8}, "])
def test_an_instance_that_cannot_be_calculated_is_an_error_with_its_path(
    tmp_path: Path, instance: str, said: str, name: str
) -> None:
    """The error is that of the record, and names the record and the instance."""
    spec = tmp_path / "t.ksy"
    spec.write_text(BROKEN.replace("NAME", name).replace("CALCULATED", instance))
    _, scans = generated(spec, tmp_path / f"broken{next(_NUMBERS)}")
    rows = [b"\5\1a", b"\5\0b", b"\5\1\xff"]
    data = b"".join(b"n\0" + each if name else each for each in rows)
    with pytest.raises(FormatError) as raised:
        scans.scan_recs(data)
    assert said in str(raised.value)
    (tmp_path / "data").write_bytes(data)
    outcome_ = byteloom("scan", tmp_path / "data", "-s", spec)
    assert (outcome_.status, said in outcome_.err) == (1, True)
    others = byteloom("scan", tmp_path / "data", "-s", spec, "-c", "a,b", "--format", "csv")
    assert others == (0, "a,b\n5,1\n5,0\n5,1\n", "")


NESTED = """
meta: {id: t, endian: le}
seq:
  - {id: scale, type: u2}
  - {id: recs, type: rec, repeat: eos}
types:
  vlq:
    seq: [{id: groups, type: group, repeat: until, repeat-until: not _.more}]
    instances:
      last: {value: groups.size - 1}
      value: {value: 'groups[last].low + (last >= 1 ? groups[last - 1].low << 7 : 0)'}
  group: {seq: [{id: more, type: b1}, {id: low, type: b7}]}
  rec:
    seq:
      - {id: len, type: vlq}
      - {id: kind, type: u1}
      - {id: body, type: {switch-on: kind, cases: {1: one, 2: two}}}
    instances:
      scaled: {value: kind * _parent.scale}
      kib: {value: len.value / 1024.0}
  one:
    seq: [{id: num, type: u1}, {id: xs, type: x, repeat: expr, repeat-expr: num}]
    instances: {more: {value: num + 1}}
  two:
    seq: [{id: t, type: u1}]
    instances: {is_zero: {value: t == 0}}
  x:
    seq: [{id: y, type: s1}]
    instances: {z: {value: y * _parent.num}}
"""
NESTED_DATA = b"\2\0" + b"\x83\1\1\2\1\xff" + b"\7\2\0"


def test_instances_inside_of_records_lists_and_cases_are_columns(tmp_path: Path) -> None:
    """A loop takes what instances use of records around, of lists, and of one of several types."""
    (tmp_path / "t.ksy").write_text(NESTED)
    (tmp_path / "data").write_bytes(NESTED_DATA)
    said = byteloom("scan", tmp_path / "data", "-s", tmp_path / "t.ksy", "--json")
    assert said.err == ""
    first, second = map(json.loads, said.out.splitlines())
    assert (first["len"]["value"], second["len"]["value"]) == (3 * 128 + 1, 7)
    assert (first["scaled"], second["scaled"], second["kib"]) == (2, 4, 7 / 1024)
    assert first["body"]["one"] == {"xs": [{"y": 1, "z": 2}, {"y": -1, "z": -2}], "more": 3}
    assert second["body"]["two"] == {"t": 0, "is_zero": True}


def test_describe_shows_what_is_calculated(tmp_path: Path) -> None:
    """`describe` shows calculated instances below their record, without a place."""
    (tmp_path / "t.ksy").write_text(NESTED)
    (tmp_path / "data").write_bytes(NESTED_DATA)
    said = byteloom("describe", tmp_path / "data", "-s", tmp_path / "t.ksy")
    assert said.status == 0
    assert re.search(r"└─ value +385\n", said.out)


def test_only_the_columns_that_are_asked_for_decide_how_records_are_read(tmp_path: Path) -> None:
    """Without the instance that no loop calculates, a loop reads; an unknown name lists all."""
    (tmp_path / "t.ksy").write_text(TYPES)
    (tmp_path / "data").write_bytes(b"\1ab\2cd")
    base = ("scan", tmp_path / "data", "-s", tmp_path / "t.ksy", "--format", "csv", "-c")
    assert byteloom(*base, "half,is_odd") == (0, "half,is_odd\n0.5,True\n1.0,False\n", "")
    slow = byteloom(*base, "half,text")
    assert slow.out == "half,text\n0.5,ab\n1.0,cd\n"
    assert "record by record, which is slower: `text` is calculated by each record" in slow.err
    wrong = byteloom(*base, "half,texts")
    assert (wrong.status, wrong.out) == (1, "")
    assert "wanted a column of the schema: a, raw, small, cast," in wrong.err
    assert wrong.err.endswith(" list, shown; did you mean text or bytes?\n")


@pytest.mark.parametrize(
    ("value", "type_", "rows"),
    rows("calculated_columns", "integers_are_calculated_up_to_the_last_of_64_bits"),
)
@pytest.mark.parametrize("name", ["", "{id: name, type: strz, encoding: UTF-8}, "])
def test_integers_are_calculated_up_to_the_last_of_64_bits(
    tmp_path: Path, value: str, type_: str, rows: tuple[Any, Any], name: str
) -> None:
    """Whole columns hold every number that fits; one that does not is an error of its record."""
    sound, wrong = rows
    seq = f"[{name}{{id: w, type: u8}}, {{id: v, type: u8}}, {{id: d, type: u4}}]"
    text = "meta: {id: t, endian: le}\nseq: [{id: recs, type: rec, repeat: eos}]\n"
    text += f"types: {{rec: {{seq: {seq}, instances: {{x: {{value: '{value}'}}}}}}}}\n"
    (tmp_path / "t.ksy").write_text(text)
    records, scans = generated(tmp_path / "t.ksy", tmp_path / f"wide{next(_NUMBERS)}")
    assert "one by one" not in scans.scan_recs.__doc__
    data, before = struct.pack("<QQI", *sound), b"n\0" if name else b""
    found = scans.scan_recs((before + data) * 2).column("x")
    assert str(found.type) == type_
    assert found.to_pylist() == [each.x for each in records.T.from_bytes((before + data) * 2).recs]
    if wrong is not None:
        with pytest.raises(FormatError, match=r"t\.recs\[1\]\.x: found a value .* 64 bits"):
            scans.scan_recs(before + data + before + struct.pack("<QQI", *wrong))
