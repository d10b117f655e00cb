"""Scanners whose columns are made of records, which take what no loop takes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scanners import generated, outcome, row_of, rows_of

from byteloom.errors import FormatError

SPECS = Path(__file__).parents[1] / "scanners"


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The records and the scanners of mixed.ksy."""
    return generated(SPECS / "mixed.ksy", tmp_path_factory.mktemp("recorded") / "mixed_")


def mixed_bytes(seed: int, items: int) -> bytes:
    """Return a file of ``mixed.ksy`` that is sound."""
    rng = random.Random(seed)
    order, level = rng.choice((0, 1, 1, 2)), rng.randrange(200)
    endian: Any = "big" if order == 1 else "little"

    def number(size: int) -> bytes:
        return rng.getrandbits(8 * size).to_bytes(size, endian)

    def item(deep: int) -> bytes:
        kind, inner = rng.randrange(10), rng.randrange(4)
        text = "".join(rng.choices("aé€", k=rng.randrange(5))).encode("utf-16-le")
        low = rng.randrange(-9, 9)
        bodies = {
            1: number(1), 2: number(8), 3: number(2), 4: number(4), 5: number(4),
            6: bytes((len(text),)) + text, 8: b"ok" + b"abc"[: rng.randrange(4)] + b"\0",
            9: low.to_bytes(4, endian, signed=True) + rng.randbytes(low & 3),
        }  # fmt: skip
        out = bytes((kind,)) + bodies.get(kind, b"") + (number(2) if level > 100 else b"")
        out += rng.randbytes(deep) + bytes((inner << 6 | rng.randrange(64),))
        return out + b"".join(item(0) for _ in range(inner if deep else 0))

    return bytes((order, level)) + b"".join(item(level % 3) for _ in range(items))


def both(modules: Any, data: bytes) -> tuple[Any, Any]:
    """Return what the scanner and the records say about *data*."""
    records, scans = modules
    schema = scans.scan_items(b"\0\0").schema
    return (
        outcome(lambda: rows_of(scans.scan_items(data))),
        outcome(lambda: [row_of(each, schema) for each in records.Mixed.from_bytes(data).items]),
    )


@given(seed=st.integers(0, 2**32), items=st.integers(0, 12))
def test_what_no_loop_takes_has_the_records_values(modules: Any, seed: int, items: int) -> None:
    """Switches, parameters, conditions, processes and bits have the columns of the records."""
    scanned, read = both(modules, mixed_bytes(seed, items))
    assert len(read) == items
    assert scanned == read


@given(seed=st.integers(0, 2**32), where=st.floats(0, 1), bit=st.integers(0, 7))
def test_damage_is_the_records_error(modules: Any, seed: int, where: float, bit: int) -> None:
    """A flipped bit and a cut give the rows of the records, or their error and its place."""
    data = bytearray(mixed_bytes(seed, 4))
    at = int(where * (len(data) - 1))
    for damaged in (data[:at], data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]):
        scanned, read = both(modules, bytes(damaged))
        assert scanned == read


def test_each_type_of_a_switch_is_a_column(modules: Any) -> None:
    """A value is in the column of its own type, including numbers below 0 and above 2^63."""
    large, below = b"\2" + b"\xff" * 8 + b"\0", b"\3\xfe\xff\0"
    pair, text, nothing = b"\5\1\0\2\0\0", b"\6\4a\0b\0\0", b"\7\0"
    _, scans = modules
    batch = scans.scan_items(b"\0\0" + large + below + pair + text + nothing)
    found = [
        each and {name: value for name, value in each.items() if value is not None}
        for each in batch.column("body").to_pylist()
    ]
    assert found == [
        {"int": 2**64 - 1},
        {"int": -2},
        {"pair": {"left": 1, "right": "large"}},
        {"text": {"text": "ab"}},
        {},
    ]
    assert batch.schema.field("body").type.field("int").type == pa.decimal128(20)
    assert batch.column("extra").to_pylist() == [None] * 5


def test_what_holds_itself_is_json(modules: Any) -> None:
    """A record that may hold itself is text where it does, and the rows go into Parquet."""
    _, scans = modules
    batch = scans.scan_items(b"\0\1\5\1\0\2\0\xee\x60\1\7\x05", binary="binary")
    (inner,) = batch.column("inner").to_pylist()
    text = '{"deep": 0, "kind": "byte", "body": 7, "extra": null, "blob": "", '
    text += '"num_inner": 0, "odd": false, "rest": 5, "inner": []}'
    assert inner == [text]
    assert batch.column("blob").to_pylist() == [bytes((0xEE ^ 0x5A,))]
    out = pa.BufferOutputStream()
    pq.write_table(pa.table(batch), out)
    assert pq.read_table(out.getvalue()).column("inner").to_pylist() == [[text]]


def test_a_scanner_of_records_says_so(modules: Any) -> None:
    """Help says which scanners read record by record; a rule of the spec is an error as ever."""
    _, scans = modules
    assert "Records are read one by one" in scans.scan_items.__doc__
    with pytest.raises(FormatError, match=r"mixed.items\[0\].kind at byte 2 .*found 11"):
        scans.scan_items(b"\0\0\x0b\0")


@pytest.mark.parametrize("names", ["{-1: least, 1: one, 300: most}", "{-1: least}"])
def test_an_enum_may_name_numbers_that_its_field_cannot_have(tmp_path: Path, names: str) -> None:
    """A column of an enum has the names that fit its numbers, as BSON's types of elements do."""
    spec = tmp_path / "wide.ksy"
    row = "{seq: [{id: kind, type: u1, enum: kinds}]}"
    seq = "[{id: rows, type: row, repeat: eos}]"
    spec.write_text(
        f"meta: {{id: wide}}\nseq: {seq}\ntypes: {{row: {row}}}\nenums: {{kinds: {names}}}\n"
    )
    _, scans = generated(spec, tmp_path / f"wide_{len(names)}")
    one = "one" if "one" in names else "1"
    assert scans.scan_rows(b"\1\2\xff")["kind"].to_pylist() == [one, "2", "255"]
