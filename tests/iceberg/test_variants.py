"""Shredded variants are read as the variants that they were."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.iceberg_rows import TableMaker, arrow, parquet
from tests.support.variants import (
    MISSING,
    Number,
    Shape,
    decode,
    encode,
    metadata_of,
    shredded,
)

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.reading.variants import unshredded

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["b", "a", "ä", "", "long" * 20, "z", "unused"]
TEXT = Shape(pa.string(), 16)
LONG = Shape(pa.int64(), 6)

PRIMITIVES = [
    (pa.bool_(), 1, [True, False]),
    (pa.int8(), 3, [-128, 127]),
    (pa.int16(), 4, [-(1 << 15), 300]),
    (pa.int32(), 5, [-(1 << 31), 70_000]),
    (pa.int64(), 6, [-(1 << 63), 1 << 40]),
    (pa.float64(), 7, [-0.0, 1.5]),
    (pa.decimal128(9, 2), 8, [Decimal("-9999999.99"), Decimal("0.01")]),
    (pa.decimal128(18, 0), 9, [Decimal(10**17), Decimal(-1)]),
    (pa.decimal128(38, 10), 10, [Decimal(f"-{'9' * 28}.{'9' * 10}"), Decimal("0.0000000001")]),
    (pa.date32(), 11, [-1, 20_000]),
    (pa.timestamp("us", "UTC"), 12, [-1, 1 << 50]),
    (pa.timestamp("us"), 13, [-1, 1 << 50]),
    (pa.float32(), 14, [-0.5, 3.0]),
    (pa.binary(), 15, [b"", b"\0" * 300]),
    (pa.string(), 16, ["", "ß" * 31 + "x", "x" * 64]),
    (pa.time64("us"), 17, [0, 86_399_999_999]),
    (pa.timestamp("ns", "UTC"), 18, [-1, 1 << 60]),
    (pa.timestamp("ns"), 19, [-1, 1 << 60]),
    (pa.binary(16), 20, [bytes(range(16)), b"\xff" * 16]),
]


def _value(kind: int, value: Any) -> Any:
    """Return a value of a primitive type."""
    return value if kind in {1, 7, 15, 16} else Number(kind, value)


def _read(tmp_path: Path, column: pa.StructArray) -> list[Any]:
    """Return what a scan gives of a column: metadata and value of each row."""
    file = parquet(tmp_path / "f.parquet", arrow({(1, "v"): column}))
    table = TableMaker(tmp_path, [(1, "v", "variant")], version=3).commit(file).open()
    rows: list[Any] = table.scan().to_table()["v"].to_pylist()
    return rows


@pytest.mark.parametrize(("of", "kind", "values"), PRIMITIVES, ids=lambda each: str(each)[:20])
def test_every_primitive_type_comes_back(
    tmp_path: Path, of: pa.DataType, kind: int, values: list[Any]
) -> None:
    """Values of each primitive type are read, beside other types, null and nothing."""
    rows = [*(_value(kind, each) for each in values), "other" * 20, None, [None, 3.0], MISSING]
    shape = Shape(of, kind)
    found = _read(tmp_path, shredded(rows, [], shape))
    wanted = [None if each is MISSING else encode(each, []) for each in rows]
    if kind == 16:
        wanted[-4] = encode(rows[-4], [])
    assert [each and each["value"] for each in found] == wanted
    assert {each["metadata"] for each in found if each} == {metadata_of([])}


def test_the_examples_of_the_specification(tmp_path: Path) -> None:
    """The specification's events, with two shredded fields or none, are read as they were."""
    names = ["event_type", "event_ts", "email", "error_msg", "click"]
    moment = Number(12, 1_729_794_114_937_000)
    rows = [
        {"event_type": "noop", "event_ts": moment},
        {"event_type": "login", "event_ts": moment, "email": "user@example.com"},
        {"error_msg": "malformed: ..."},
        "malformed: not an object",
        {"event_ts": moment, "click": "_button"},
        {"event_type": None, "event_ts": moment},
        {"event_type": "noop", "event_ts": "2024-10-24"},
        {},
        None,
        MISSING,
    ]
    shape = Shape({"event_type": TEXT, "event_ts": Shape(pa.timestamp("us", "UTC"), 12)})
    found = _read(tmp_path, shredded(rows, names, shape))
    assert [each and each["value"] for each in found] == [
        None if each is MISSING else encode(each, names) for each in rows
    ]


def test_arrays_and_objects_inside_each_other(tmp_path: Path) -> None:
    """Nested arrays and objects are read as they were, even if they are large."""
    inner = Shape({"a": LONG, "b": Shape([TEXT])})
    shape = Shape({"z": Shape([inner]), "a": Shape()})
    many = [{"a": Number(6, each), "b": ["x" * each, None]} for each in range(400)]
    rows = [
        {"z": many, "a": None, "b": [True]},
        {"z": [], "ä": {}},
        {"z": [None, "no object", {"long" * 20: 1.5}]},
        {"": [[[]]]},
        [{"z": many}],
    ]
    found = _read(tmp_path, shredded(rows, NAMES, shape))
    assert [each["value"] for each in found] == [encode(each, NAMES) for each in rows]


@pytest.mark.parametrize("count", [0, 1, 254, 255, 256, 257])
def test_counts_have_a_byte_or_four(count: int) -> None:
    """Counts of elements and fields take one byte up to 255, and else four."""
    names = sorted(f"n{each:03}" for each in range(count))
    for shape, row in [
        (Shape([Shape()]), [None] * count),
        (Shape([LONG]), [Number(6, 1)] * count),
        (Shape({"n000": Shape()}), dict.fromkeys(names)),
        (Shape({"n000": LONG, "n001": LONG}), dict.fromkeys(names, Number(6, 1))),
    ]:
        found = unshredded(shredded([row, row], names, shape), "v").to_pylist()
        assert found == [encode(row, names)] * 2


@pytest.mark.parametrize("most", [(1 << 8) - 1, (1 << 16) - 1, (1 << 24) - 1])
@pytest.mark.parametrize("beyond", [0, 1])
def test_places_have_as_many_bytes_as_the_last_of_them(most: int, beyond: int) -> None:
    """Offsets of an array or object take as many bytes as its last one needs."""
    long = "x" * (most + beyond - 5 - 3)  # with heads of five bytes and of one
    for shape, row in [
        (Shape([TEXT]), [long, "yy"]),
        (Shape({"a": TEXT}), {"a": long, "b": "yy"}),
    ]:
        found = unshredded(shredded([row], ["a", "b"], shape), "v").to_pylist()
        assert found == [encode(row, ["a", "b"])]


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(allow_nan=False),
    st.text(max_size=80),
    st.integers(-(1 << 63), (1 << 63) - 1).map(lambda each: Number(6, each)),
)
_KEYS = st.sampled_from(NAMES)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=5)),
    max_leaves=12,
)
_SHAPES = st.recursive(
    st.sampled_from([Shape(), LONG, TEXT, Shape(pa.float64(), 7), Shape(pa.bool_(), 1)]),
    lambda inner: st.one_of(
        inner.map(lambda each: Shape([each])),
        st.dictionaries(_KEYS, inner, min_size=1, max_size=4).map(Shape),
    ),
    max_leaves=6,
).filter(lambda each: each.of is not None)


@given(st.lists(st.one_of(_VALUES, st.just(MISSING)), max_size=6), _SHAPES, st.data())
def test_any_value_comes_back_from_any_shape(
    rows: list[Any], shape: Shape, data: st.DataObject
) -> None:
    """A value shredded in any shape is read as the bytes of the value that is not shredded."""
    names = data.draw(st.permutations(NAMES))
    column = shredded(rows, names, shape)
    cut = data.draw(st.integers(0, len(rows)))
    for part in (column, column.slice(cut)):
        found = unshredded(part, "v").to_pylist()
        for got, value in zip(found, rows[len(rows) - len(part) :], strict=True):
            assert value is MISSING or got == encode(value, names)
            assert value is MISSING or decode(metadata_of(names), got) == value


def test_metadata_may_differ_from_row_to_row(tmp_path: Path) -> None:
    """Fields have the numbers of their own row's metadata."""
    shape = Shape({"a": LONG, "b": TEXT})
    row = {"a": Number(6, 1), "b": "x", "c": None}
    orders = [
        ["a", "b", "c"],
        ["c", "b", "a"],
        [*(str(each) for each in range(300)), "b", "c", "a"],
    ]
    parts = [shredded([row], names, shape) for names in orders]
    found = _read(tmp_path, pa.concat_arrays(parts))
    assert [each["value"] for each in found] == [encode(row, names) for names in orders]
    assert [each["metadata"] for each in found] == [metadata_of(names) for names in orders]


def _level(**columns: Any) -> pa.StructArray:
    """Return one row of the columns of a variant."""
    held = {"metadata": pa.array([metadata_of(["a", "b"])], pa.binary()), **columns}
    return pa.StructArray.from_arrays(list(held.values()), names=list(held))


def _object(value: Any, **fields: Any) -> pa.StructArray:
    """Return one row of an object's fields, beside a value."""
    of = Shape(dict.fromkeys(fields, LONG)).type.field("typed_value").type
    typed = {name: {"value": None, "typed_value": each} for name, each in fields.items()}
    return _level(value=pa.array([value], pa.binary()), typed_value=pa.array([typed], of))


def test_a_shredded_field_is_reported_by_its_own_columns() -> None:
    """A shredded field has the value of its own columns, and one in the rest is ignored."""
    rest = encode({"a": "old", "b": "kept"}, ["a", "b"])
    (found,) = unshredded(_object(rest, a=1), "v").to_pylist()
    assert found == encode({"a": Number(6, 1), "b": "kept"}, ["a", "b"])
    (found,) = unshredded(_object(rest, a=None), "v").to_pylist()
    assert found == encode({"b": "kept"}, ["a", "b"])


def test_what_is_required_and_missing_is_null() -> None:
    """A required variant or array element without any value is null."""
    of = pa.list_(pa.struct([("value", pa.binary()), ("typed_value", pa.int64())]))
    held = {"value": None, "typed_value": None}
    lists = _level(value=pa.array([None], pa.binary()), typed_value=pa.array([[held]], of))
    assert unshredded(lists, "v").to_pylist() == [encode([None], [])]
    assert unshredded(_level(typed_value=pa.array([None], pa.int8())), "v").to_pylist() == [b"\0"]


WHOLE = encode({"b": ["x", {"a": 1.5}]}, ["a", "b"])


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (_object(encode("text", []), a=1), "a value that is not an object"),
        (_object(b"", a=1), "a value that is not an object"),
        (_object(None, c=1), "a shredded field that the metadata does not name"),
        (_object(encode({"b": 1.0}, ["a", "b"])[:-1], a=1), "lead out of their bytes"),
        (_object(b"\x02\x01\x07\x00\x01\x00", a=1), "lead out of their bytes"),
        # Fields that are the same bytes over and over would grow without end.
        (_object(b"\x02\x03" + b"\1" * 3 + b"\0\0\0\x0c" + b"\x2dxxxxxxxxxxx", a=1), "lead out"),
        (
            _level(value=pa.array([b"\0"]), typed_value=pa.array([1])),
            "both value and typed_value",
        ),
        (
            _level(typed_value=pa.array([[1]])),
            "elements of int64",
        ),
        (_level(typed_value=pa.array([{"a": 1}])), "a field of int64"),
        (
            _level(metadata=pa.array([None], pa.binary()), typed_value=pa.array([1])),
            "a variant without metadata",
        ),
        (
            _level(metadata=pa.array([b"\x02\0\0"]), typed_value=_object(None, a=1).field(2)),
            "lead out of their bytes",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(column: pa.StructArray, says: str) -> None:
    """Contradictory columns of a variant are an error with the column and the reason."""
    with pytest.raises(FormatError, match=f"column v: .*{says}"):
        unshredded(column, "v")


def test_types_that_variants_do_not_have_are_refused() -> None:
    """A shredded type that variants do not have is an error with its name."""
    with pytest.raises(Unsupported, match="typed_value of uint8"):
        unshredded(_level(typed_value=pa.array([1], pa.uint8())), "v")


@given(st.data())
def test_no_damage_of_bytes_gives_another_error(data: st.DataObject) -> None:
    """Damaged metadata and values give a `FormatError` or bytes."""
    metadata, value = metadata_of(["a", "b"]), WHOLE
    runs = [metadata, value]
    for _ in range(data.draw(st.integers(1, 4))):
        which = data.draw(st.integers(0, 1))
        run = bytearray(runs[which])
        if run:
            at = data.draw(st.integers(0, len(run) - 1))
            run[at] ^= data.draw(st.integers(1, 255))
        runs[which] = (
            bytes(run[: data.draw(st.integers(0, len(run)))])
            if data.draw(st.booleans())
            else bytes(run)
        )
    column = _object(runs[1], a=1)
    held = [pa.array([runs[0]], pa.binary()), column.field("value"), column.field("typed_value")]
    damaged = pa.StructArray.from_arrays(held, names=["metadata", "value", "typed_value"])
    with suppress(FormatError):
        unshredded(damaged, "v")
