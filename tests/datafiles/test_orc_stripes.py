"""Exactly those stripes of ORC files are skipped of which no row can match a filter."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import orc
from tests.support.data_files import opened_file
from tests.support.iceberg_rows import File, TableMaker

from byteloom.datafiles.data_file import UNKNOWN, OpenOptions
from byteloom.datafiles.orc_file import OrcData
from byteloom.datafiles.orc_statistics import StripeStats, _unscaled
from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg import NameMapping, bind, evaluate, parse
from byteloom.iceberg.reading.table_files import TableFiles
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.layout import OrcLayout
from byteloom.storage.sources import BytesSource
from byteloom_generated.orc.messages import PostScript

if TYPE_CHECKING:
    from byteloom.iceberg import Table

ROWS = 40_000
NUMBERS = np.arange(ROWS)
START = datetime(1969, 12, 31, 23, 59, tzinfo=UTC)


def _moments(unit: str, zone: str | None) -> pa.Array:
    """Return timestamps some milliseconds apart, around 1970."""
    micros = int(START.timestamp()) * 1_000_000 + NUMBERS * 7_001
    return pa.array(micros).cast(pa.timestamp("us", zone)).cast(pa.timestamp(unit, zone))


COLUMNS: dict[str, tuple[str, pa.Array]] = {
    "i": ("int", pa.array(NUMBERS - 20_000, pa.int32())),
    "l": ("long", pa.array(NUMBERS * (1 << 40))),
    "w": ("long", pa.array(NUMBERS - 20_000, pa.int32())),
    "f": ("float", pa.array(NUMBERS / 4 - 100, pa.float32())),
    "d": ("double", pa.array(NUMBERS / 3 - 100)),
    "s": ("string", pa.array([f"{each:06}é" for each in NUMBERS.tolist()])),
    "m": (
        "decimal(12, 2)",
        pa.array([Decimal(each - 20_000) / 4 for each in NUMBERS.tolist()], pa.decimal128(12, 2)),
    ),
    "t": ("date", pa.array(NUMBERS - 20_000, pa.int32()).cast(pa.date32())),
    "ts": ("timestamp", _moments("us", None)),
    "tz": ("timestamptz", _moments("us", "UTC")),
    "tn": ("timestamp_ns", _moments("ns", None)),
    "n": ("long", pa.array(NUMBERS, mask=NUMBERS < 30_000)),
    "b": ("boolean", pa.array(NUMBERS > 35_000)),
}
NULLS = pa.StructArray.from_arrays(
    [pa.array(NUMBERS)], names=["x"], mask=pa.array(NUMBERS % 3 == 0)
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table of one ORC file of many stripes, in ascending order."""
    folder = tmp_path_factory.mktemp("orc")
    rows = pa.table({**{name: held for name, (_, held) in COLUMNS.items()}, "struct": NULLS})
    orc.write_table(rows, folder / "f.orc", stripe_size=100_000, batch_size=1_024)
    assert orc.ORCFile(folder / "f.orc").nstripes > 8
    columns: list[tuple[Any, ...]] = [
        (number, name, of) for number, (name, (of, _)) in enumerate(COLUMNS.items(), 1)
    ]
    inner = {"id": 101, "name": "x", "required": False, "type": "long"}
    columns.append((100, "struct", {"type": "struct", "fields": [inner]}))
    return TableMaker(folder, columns, version=3).commit(File(folder / "f.orc", ROWS)).open()


def _read(table: Table, where: str) -> tuple[int, int]:
    """Return how many rows are read for a filter, and how many of the file match it."""
    scan = table.scan(where)
    bound = bind(parse(where), table.schema)
    (task,) = scan.plan().tasks()
    files = TableFiles(table.relocation, OpenOptions(NameMapping.of(table.schema), table.limits))
    data = files.open("orc", task.file_path, task.file_size_in_bytes)
    try:
        read = sum(each.rows for each in data.pieces(table.schema.fields, bound))
    finally:
        data.close()
    return read, scan.to_table().num_rows


@pytest.mark.parametrize(
    ("where", "matching"),
    [
        ("i < -19990", 10),
        ("i = 0", 1),
        ("w > 19990", 9),
        ("l >= 43968304327884800", 11),
        ("f < -99.0", 4),
        ("d < -99.0", 3),
        ("s > '039990'", 10),
        ("s starts with '00000'", 10),
        ("m < -4998.00", 8),
        ("t < date '1915-04-06'", 6),
        ("n is not null and n < 30010", 10),
        ("struct.x < 10", 6),
    ],
)
def test_stripes_that_cannot_match_are_not_read(table: Table, where: str, matching: int) -> None:
    """A filter at one end of a sorted column reads a fraction of the file, and all matches."""
    read, found = _read(table, where)
    assert found == matching
    assert 0 < read < ROWS // 4


@pytest.mark.parametrize("name", ["ts", "tz", "tn"])
def test_stripes_are_left_out_by_moments(table: Table, name: str) -> None:
    """Stripes are skipped by timestamps, of which ORC stores milliseconds, before 1970 too."""
    for first, last in ((0, 10), (8_560, 8_580), (ROWS - 10, ROWS)):
        low, high = (
            (START + timedelta(microseconds=each * 7_001)).isoformat().removesuffix("+00:00")
            for each in (first, last - 1)
        )
        zone = "Z" if name == "tz" else ""
        where = f"{name} between timestamp '{low}{zone}' and timestamp '{high}{zone}'"
        read, found = _read(table, where)
        assert found == last - first
        assert read < ROWS // 4


def test_nulls_are_counted_outside_of_structs_only(table: Table) -> None:
    """A stripe of nulls has no value, but null counts of fields in structs are unknown."""
    assert _read(table, "n is not null")[0] < ROWS // 2
    assert _read(table, "n is null")[1] == 30_000
    assert _read(table, "struct.x is null") == (ROWS, (ROWS + 2) // 3)


_LITERALS = {
    "i": st.integers(-20_010, 20_010).map(str),
    "l": st.integers(-10, ROWS << 40).map(str),
    "f": st.floats(-110, 10_000, width=32).map("{:.6f}".format),
    "d": st.floats(-110, 14_000).map("{:.6f}".format),
    "s": st.integers(0, ROWS).map(lambda each: f"'{each:06}'"),
    "m": st.integers(-2_000_100, 2_000_100).map(lambda each: str(Decimal(each) / 100)),
    "t": st.integers(-20_010, 20_010).map(
        lambda each: f"date '{date(1970, 1, 1) + timedelta(each)}'"
    ),
    "n": st.integers(-10, ROWS + 10).map(str),
}


@given(st.data())
def test_no_row_is_lost(table: Table, data: st.DataObject) -> None:
    """A filter on any column finds as many rows as Arrow finds in its values."""
    name = data.draw(st.sampled_from(sorted(_LITERALS)))
    operator = data.draw(st.sampled_from(["<", "<=", ">", ">=", "=", "!="]))
    where = f"{name} {operator} {data.draw(_LITERALS[name])}"
    bound = bind(parse(where), table.schema)
    number = next(each.id for each in table.schema.fields if each.name == name)
    field = pa.field(name, COLUMNS[name][1].type, metadata={"PARQUET:field_id": str(number)})
    rows = pa.StructArray.from_arrays([COLUMNS[name][1]], fields=[field])
    assert table.scan(where, columns=[]).to_table().num_rows == evaluate(bound, rows).true_count


@given(st.data())
def test_damaged_statistics_are_refused_or_passed_over(table: Table, data: st.DataObject) -> None:
    """Changed bytes of statistics give a `ByteloomError` or an answer."""
    (task,) = table.scan().plan().tasks()
    whole = Path(task.file_path).read_bytes()
    layout = OrcLayout(BytesSource(whole), table.limits)
    size = layout.postscript.metadataLength
    held = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        back = data.draw(st.integers(1, len(whole) - layout.start + size))
        held[-back] ^= data.draw(st.integers(1, 255))
    names = [name for name in COLUMNS if name not in {"ts", "tz", "tn", "b"}]
    fields = [each for each in table.schema.fields if each.name in names]
    where = " or ".join(f"{each.name} is null" for each in fields)
    with suppress(ByteloomError):
        file = opened_file(BytesSource(bytes(held)), "orc", NameMapping.of(table.schema))
        for each in ("i < 0", "m < 1.00", "s < '1'", where):
            for piece in file.pieces([], bind(parse(each), table.schema)):
                assert piece.rows <= ROWS


@pytest.mark.parametrize("number", [0, 1, (1 << 31) - 1])
def test_columns_of_every_id_have_statistics(number: int) -> None:
    """A column of any id, from 0 up, has statistics, and one without an id has none."""
    out = BytesIO()
    orc.write_table(pa.table({"x": pa.array([-3, None, 9])}), out)
    layout = OrcLayout(BytesSource(out.getvalue()), DEFAULT_LIMITS)
    field = pa.field("x", pa.int64(), metadata={"PARQUET:field_id": str(number)})
    bounds = (-3).to_bytes(8, "little", signed=True), (9).to_bytes(8, "little")
    assert StripeStats(layout, [field], [field]).stated(number) == [(3, 1, *bounds)]
    for fields, asked in (([field], number - 1), ([pa.field("x", pa.int64())], number)):
        assert StripeStats(layout, fields, [field]).stated(asked) == [UNKNOWN]


@pytest.mark.parametrize(("version", "is_used"), [(0, False), (1, True), (6, True)])
def test_statistics_of_the_first_writers_are_not_used(version: int, is_used: bool) -> None:
    """Writers before version 1, which had wrong bounds of text, have no statistics that count."""
    out = BytesIO()
    orc.write_table(pa.table({"x": ["a", "c"]}), out)
    *rest, size = out.getvalue()
    data, stored = bytes(rest[:-size]), bytes(rest[-size:])
    postscript = PostScript.parse(stored)
    postscript.writerVersion = version
    stored = postscript.SerializeToString()
    layout = OrcLayout(BytesSource(data + stored + bytes([len(stored)])), DEFAULT_LIMITS)
    field = pa.field("x", pa.string(), metadata={"PARQUET:field_id": "1"})
    (found,) = StripeStats(layout, [field], [field]).stated(1)
    assert (found.upper, found.value_count) == ((b"c", 2) if is_used else (None, -1))


@pytest.mark.parametrize(
    "text", [b"1e999999999", b"1E-999999999", b"NaN", b"0.001", b"", b"x", b"\xff", 5]
)
def test_decimals_that_cannot_be_are_no_bounds(text: Any) -> None:
    """A bound that is not a decimal of its column, or has a huge exponent, is unknown."""
    assert _unscaled(text, 2) is None


@pytest.mark.parametrize("digits", ["-1.5", "0", "-0.01", "12345678901234567890123456789012345.67"])
def test_decimals_are_reported_to_the_last_digit(digits: str) -> None:
    """Bounds of decimals are exact, even with more digits than Python's contexts keep."""
    wanted = int(digits.replace(".", ""))
    places = len(digits.partition(".")[2])
    made = _unscaled(digits.encode(), 4)
    assert made is not None
    assert int.from_bytes(made, "big", signed=True) == wanted * 10 ** (4 - places)


@pytest.mark.parametrize(
    ("text", "scale", "unscaled"),
    [
        (b"14.205", 2, None),
        (b"14.200", 2, 1420),
        (b"15e1", 0, 150),
        (b"1e76", 0, 10**76),
        (b"1e77", 0, None),
        (b"0e-76", 0, 0),
        (b"0e-77", 0, None),
        (b"1", -1, None),
        (b"20", -1, 2),
        (b"Infinity", 0, None),
    ],
)
def test_bounds_of_decimals_have_the_scale_of_their_column(
    text: bytes, scale: int, unscaled: int | None
) -> None:
    """Bounds of decimals have their column's scale, or are unknown if they do not fit it."""
    found = _unscaled(text, scale)
    assert (None if found is None else int.from_bytes(found, "big", signed=True)) == unscaled


@pytest.mark.parametrize(("at", "says"), [(1, "precision"), (3, "scale")])
def test_decimals_of_too_many_digits_are_refused(table: Table, at: int, says: str) -> None:
    """A decimal type of too many digits is refused before pyarrow, which would crash, reads it."""
    (task,) = table.scan().plan().tasks()
    held = bytearray(Path(task.file_path).read_bytes())
    place = held.rindex(b"\x28\x0c\x30\x02")  # decimal(12, 2)
    held[place + at] = 115
    said = rf"^t\.orc: orc\.footer\.types\[\d+\]\.{says} at .*: found 115, wanted at most 38$"
    with pytest.raises(FormatError, match=said):
        OrcData(BytesSource(bytes(held)), "t.orc", OpenOptions(NameMapping.of(table.schema)))
