"""Columns, values and filters of a plain model of a table, drawn at random.

The rules:

- A field has a key of its own for ever, under which values of it are stored; names come and go.
- A value is what `pyarrow` makes of it as a Python object; a struct is a dictionary by keys.
- A filter is its text, and a function of a row: null and NaN satisfy no comparison but those that
  are negated.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

__all__ = [
    "PROMOTED",
    "Column",
    "Filter",
    "Kind",
    "Row",
    "canonical",
    "filters",
    "kinds",
    "row_of",
    "shown",
    "value_of",
]

Row: TypeAlias = dict[int, Any]
_NULLS = 0.25
_UTC = dt.UTC
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001  Iceberg's timestamps have no zone
_TIMES = [
    dt.datetime(1, 1, 1),  # noqa: DTZ001
    _EPOCH - dt.timedelta(seconds=1),
    _EPOCH,
    dt.datetime(2024, 2, 29, 23, 59, 59, 999999),  # noqa: DTZ001
    dt.datetime(9999, 12, 31, 23),  # noqa: DTZ001
]
_NANOS = [each for each in _TIMES if 1900 < each.year < 2200]


@dataclass(frozen=True)
class Kind:
    """A type: its name in Iceberg, its Arrow type, and the values that are drawn of it.

    Attributes:
        name: As `evolve` takes it; ``list``, ``map`` and ``struct`` for those.
        inner: The element, the key and value, or nothing.
        fields: The fields of a struct.
    """

    name: str
    inner: tuple[Kind, ...] = ()
    fields: tuple[Column, ...] = ()

    @property
    def arrow(self) -> pa.DataType:
        """The type of Arrow."""
        if self.name == "list":
            return pa.list_(pa.field("element", self.inner[0].arrow))
        if self.name == "map":
            return pa.map_(*(each.arrow for each in self.inner))
        if self.name == "struct":
            return pa.struct([each.arrow for each in self.fields])
        return _ARROW[self.name]

    @property
    def stored(self) -> pa.DataType:
        """The same with UUIDs as bytes, which Arrow makes of Python's values inside of others."""
        if self.name == "list":
            return pa.list_(pa.field("element", self.inner[0].stored))
        if self.name == "map":
            return pa.map_(*(each.stored for each in self.inner))
        if self.name == "struct":
            return pa.struct([(each.name, each.kind.stored) for each in self.fields])
        return pa.binary(16) if self.name == "uuid" else _ARROW[self.name]

    @property
    def text(self) -> str:
        """The type as Iceberg writes it."""
        if self.name in {"list", "map"}:
            return f"{self.name}<{', '.join(each.text for each in self.inner)}>"
        if self.name == "struct":
            fields = (f"{each.name}: {each.kind.text}" for each in self.fields)
            return f"struct<{', '.join(fields)}>"
        return self.name


@dataclass(frozen=True)
class Column:
    """A column or a field of a struct.

    Attributes:
        key: What identifies it for ever.
        name: Its name now.
        kind: Its type now.
        required: Whether null is forbidden.
        initial: Its value in rows that were written before it was added.
        default: Its value in new rows that give none.
    """

    key: int
    name: str
    kind: Kind
    required: bool = False
    initial: Any = None
    default: Any = None

    @property
    def arrow(self) -> pa.Field:
        """The field of Arrow."""
        return pa.field(self.name, self.kind.arrow, nullable=not self.required)

    def of(self, row: Row) -> Any:
        """Return the column's value in a row."""
        return row.get(self.key, self.initial)


_ARROW = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal(9, 2)": pa.decimal128(9, 2),
    "decimal(20, 2)": pa.decimal128(20, 2),
    "decimal(38, 10)": pa.decimal128(38, 10),
    "string": pa.string(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
    "timestamp_ns": pa.timestamp("ns"),
    "timestamptz_ns": pa.timestamp("ns", "UTC"),
    "binary": pa.binary(),
    "fixed[4]": pa.binary(4),
    "uuid": pa.uuid(),
}
_SINGLE = struct.unpack("<f", struct.pack("<f", 0.1))[0]
_VALUES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "int": [-(2**31), -1, 0, 1, 2, 3, 2**31 - 1],
    "long": [-(2**63), -1, 0, 1, 2, 3, 2**63 - 1],
    "float": [math.nan, -math.inf, -1.5, 0.0, 0.5, _SINGLE, math.inf],
    "double": [math.nan, -math.inf, -1.5, 0.0, 0.5, 0.1, 1e308, math.inf],
    "decimal(9, 2)": [*map(Decimal, ["-9999999.98", "-0.02", "0.00", "1.50", "9999999.99"])],
    "decimal(20, 2)": [*map(Decimal, ["-999999999999999999.98", "0.00", "1.50", "10.00"])],
    "decimal(38, 10)": [*map(Decimal, ["-1e27", "0e-10", "1.5e0", "9e27"])],
    "string": [
        "",
        "a",
        "ab",
        "abc",
        "b",
        "it's",
        "a/b=c %",
        "\N{SNOWMAN}",
        "a" * 20,
        "\U0010ffff" * 17,
    ],
    "date": [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2024, 2, 29)],
    "time": [dt.time(0), dt.time(12, 30), dt.time(23, 59, 59, 999999)],
    "timestamp": _TIMES,
    "timestamptz": [each.replace(tzinfo=_UTC) for each in _TIMES],
    "timestamp_ns": _NANOS,
    "timestamptz_ns": [each.replace(tzinfo=_UTC) for each in _NANOS],
    "binary": [b"", b"\0", b"ab", b"\xff" * 17, b"\xff"],
    "fixed[4]": [bytes(4), b"\xff" * 4, b"abcd"],
    "uuid": [UUID(int=0), UUID(int=2**128 - 1), UUID(int=7 << 64)],
}
PLAIN = list(_VALUES)
_OF_VERSION_3 = {"timestamp_ns", "timestamptz_ns"}
PROMOTED = {"int": "long", "float": "double", "decimal(9, 2)": "decimal(20, 2)"}


def kinds(draw: Random, version: int, keys: Callable[[], int], *, depth: int = 2) -> Kind:
    """Draw a type that a version has."""
    known = [each for each in PLAIN if version > 2 or each not in _OF_VERSION_3]
    names = known + (["list", "map", "struct"] if depth else [])
    name = draw.choice(names)
    if name == "list":
        return Kind(name, (kinds(draw, version, keys, depth=depth - 1),))
    if name == "map":
        key = Kind(draw.choice(["int", "string", "date"]))
        return Kind(name, (key, kinds(draw, version, keys, depth=depth - 1)))
    if name == "struct":
        count = draw.randint(1, 2)
        inner = [kinds(draw, version, keys, depth=depth - 1) for _ in range(count)]
        return Kind(
            name, fields=tuple(Column(keys(), "xy"[n], each) for n, each in enumerate(inner))
        )
    return Kind(name)


def value_of(draw: Random, kind: Kind, *, required: bool = True) -> Any:
    """Draw a value as it is stored."""
    if not required and draw.random() < _NULLS:
        return None
    if kind.name == "list":
        inner = kind.inner[0]
        return [value_of(draw, inner, required=False) for _ in range(draw.randint(0, 2))]
    if kind.name == "map":
        key, value = kind.inner
        made = {value_of(draw, key): None for _ in range(draw.randint(0, 2))}
        return [(each, value_of(draw, value, required=False)) for each in made]
    if kind.name == "struct":
        return {e.key: value_of(draw, e.kind, required=e.required) for e in kind.fields}
    return draw.choice(_VALUES[kind.name])


def row_of(draw: Random, columns: Sequence[Column]) -> Row:
    """Draw a row that has all columns."""
    return {e.key: value_of(draw, e.kind, required=e.required) for e in columns}


def shown(kind: Kind, value: Any) -> Any:
    """Return a stored value with the names of now, as `pyarrow` takes it and returns it."""
    if value is None:
        return None
    if kind.name == "list":
        return [shown(kind.inner[0], each) for each in value]
    if kind.name == "map":
        return [(shown(kind.inner[0], a), shown(kind.inner[1], b)) for a, b in value]
    if kind.name == "struct":
        return {each.name: shown(each.kind, each.of(value)) for each in kind.fields}
    return value.bytes if isinstance(value, UUID) else value


def canonical(value: Any) -> Any:
    """Return a value as a text or a tree of texts that is equal for equal values."""
    if isinstance(value, dict):
        return {name: canonical(each) for name, each in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [canonical(each) for each in value]
    if isinstance(value, UUID):
        return repr(value.bytes)
    if isinstance(value, dt.datetime):
        value = value if value.tzinfo is None else value.astimezone(_UTC).replace(tzinfo=None)
        return str((value - _EPOCH) // dt.timedelta(microseconds=1))
    if isinstance(value, Decimal):
        return str(value.normalize())
    return repr(value)


@dataclass(frozen=True)
class Filter:
    """A filter as text, and what it says of a row."""

    text: str
    holds: Callable[[Row], bool]


def paths(columns: Sequence[Column]) -> list[tuple[str, Kind, Callable[[Row], Any]]]:
    """Return the plain columns and fields: their names, types, and values in a row."""
    return [
        (f'"{each.name}"' + rest, kind, _Path(each, of))
        for each in columns
        for rest, kind, of in _inside(each.kind)
    ]


@dataclass(frozen=True)
class _Path:
    column: Column
    of: Callable[[Any], Any]

    def __call__(self, row: Row) -> Any:
        value = self.column.of(row)
        return None if value is None else self.of(value)


def _inside(kind: Kind) -> list[tuple[str, Kind, Callable[[Any], Any]]]:
    if kind.name == "struct":
        return [
            (f'."{each.name}"{rest}', of, _Path(each, get))
            for each in kind.fields
            for rest, of, get in _inside(each.kind)
        ]
    if kind.name in {"list", "map"}:
        return []
    return [("", kind, lambda value: value)]


_SPELLED: dict[type, Callable[[Any], str]] = {
    bool: lambda value: "true" if value else "false",
    str: lambda value: "'" + value.replace("'", "''") + "'",
    bytes: lambda value: f"X'{value.hex()}'",
    UUID: lambda value: f"uuid '{value}'",
    float: lambda value: f"double '{value!r}'",
    Decimal: lambda value: f"decimal '{value:f}'",
    dt.datetime: lambda value: f"timestamp '{value.isoformat()}'",
    dt.date: lambda value: f"date '{value.isoformat()}'",
    dt.time: lambda value: f"time '{value.isoformat()}'",
    int: str,
}


def _literal(value: Any) -> str:
    """Return a value as a filter has it."""
    return _SPELLED[type(value)](value)


_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_NEGATED = {"=": "!=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_Test: TypeAlias = Callable[[Any], bool]


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _compared(sign: str, wanted: Any) -> _Test:
    """Return what a comparison says of a value."""
    if sign == "!=":
        return lambda value: value is None or value != wanted
    compare = _COMPARED[sign]
    return lambda value: value is not None and not _is_nan(value) and compare(value, wanted)


def _begins(prefix: str, value: Any) -> bool:
    return value is not None and value.startswith(prefix)


def _tests(draw: Random, kind: Kind) -> tuple[tuple[str, _Test], tuple[str, _Test]]:
    """Draw a predicate of a value; return its text after the name, and that of its negation."""
    ways = ["null", "compare", "compare", "in"]
    ways += ["prefix"] if kind.name == "string" else []
    ways += ["nan"] if kind.name in {"float", "double"} else []
    way = draw.choice(ways)
    if way == "null":
        return ("is null", lambda v: v is None), ("is not null", lambda v: v is not None)
    if way == "nan":
        return ("is nan", _is_nan), ("is not nan", lambda v: not _is_nan(v))
    pool = [each for each in _VALUES[kind.name] if not _is_nan(each)]
    if way == "prefix":
        given = draw.choice(["", "a", "ab", "it'"])
        text = "like " + _literal(given + "%")
        begins = partial(_begins, given)
        return (text, begins), ("not " + text, lambda v: not begins(v))
    if way == "in":
        several = draw.choices(pool, k=draw.randint(1, 3))
        text = f"in ({', '.join(_literal(each) for each in several)})"
        return (text, lambda v: v in several), ("not " + text, lambda v: v not in several)
    wanted = draw.choice(pool)
    sign = draw.choice(["="] if kind.name == "boolean" else list(_COMPARED))
    text = _literal(wanted)
    against = _NEGATED[sign]
    return (f"{sign} {text}", _compared(sign, wanted)), (
        f"{against} {text}",
        _compared(against, wanted),
    )


def filters(draw: Random, columns: Sequence[Column]) -> Filter:
    """Draw a filter on columns and fields of structs."""
    return _both(draw, paths(columns), 2)[0]


def _both(draw: Random, known: Sequence[Any], depth: int) -> tuple[Filter, Filter]:
    """Draw a filter; return it and its negation."""
    ways = ["leaf", "leaf", "true", *(["and", "or", "not"] if depth else [])]
    way = draw.choice(ways) if known else "true"
    if way == "true":
        return Filter("true", lambda _: True), Filter("false", lambda _: False)
    if way == "leaf":
        path, kind, of = draw.choice(known)
        one, other = _tests(draw, kind)
        return _of_row(path, of, *one), _of_row(path, of, *other)
    left = _both(draw, known, depth - 1)
    if way == "not":
        return Filter(f"not ({left[0].text})", left[1].holds), left[0]
    right = _both(draw, known, depth - 1)
    joined = _joined("and", left[0], right[0]), _joined("or", left[1], right[1])
    if way == "and":
        return joined
    return _joined("or", left[0], right[0]), _joined("and", left[1], right[1])


def _of_row(path: str, of: Callable[[Row], Any], text: str, test: _Test) -> Filter:
    return Filter(f"{path} {text}", lambda row: test(of(row)))


def _joined(word: str, left: Filter, right: Filter) -> Filter:
    both = all if word == "and" else any
    return Filter(
        f"({left.text}) {word} ({right.text})",
        lambda row: both((left.holds(row), right.holds(row))),
    )
