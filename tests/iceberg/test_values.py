"""Single values of Iceberg round-trip through binary and JSON.

Single values are internal: a table has few of them, and of few types.
"""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.iceberg_schemas import a_field, a_map, a_struct

from byteloom.errors import FormatError
from byteloom.iceberg import DecimalType, FixedType, Type, parse_primitive, values

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
FLOATS = st.floats(allow_nan=False)

BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "int": INT32,
    "long": INT64,
    "float": st.floats(allow_nan=False, width=32),
    "double": FLOATS,
    "date": INT32,
    "time": st.integers(0, 86_399_999_999),
    "timestamp": INT64,
    "timestamptz": INT64,
    "timestamp_ns": INT64,
    "timestamptz_ns": INT64,
    "string": st.text(),
    "uuid": st.uuids(),
    "fixed[3]": st.binary(min_size=3, max_size=3),
    "binary": st.binary(),
    "decimal(38, 5)": st.integers(-(10**38) + 1, 10**38 - 1).map(
        lambda digits: Decimal(f"{digits}E-5")
    ),
}

TYPED = st.sampled_from(sorted(BY_TYPE)).flatmap(
    lambda text: st.tuples(st.just(parse_primitive(text)), BY_TYPE[text])
)


@given(TYPED)
def test_binary_comes_back(typed: tuple[Type, Any]) -> None:
    """A value written as a bound is read as the same value."""
    of, value = typed
    assert values.from_binary(of, values.to_binary(of, value)) == value


@given(TYPED)
def test_json_comes_back(typed: tuple[Type, Any]) -> None:
    """A value written as a default is read as the same value, even in years beyond 9999."""
    of, value = typed
    assert values.from_json(of, values.to_json(of, value)) == value


@given(st.sampled_from(sorted(BY_TYPE)), st.binary(max_size=20))
def test_any_bytes_are_a_value_or_an_error(text: str, data: bytes) -> None:
    """Reading any bytes gives a value or a `ByteloomError`."""
    with suppress(FormatError):
        values.from_binary(parse_primitive(text), data)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.sampled_from(sorted(BY_TYPE)), ANY_JSON)
def test_any_json_is_a_value_or_an_error(text: str, document: Any) -> None:
    """Reading any JSON gives a value or a `ByteloomError`."""
    with suppress(FormatError):
        values.from_json(parse_primitive(text), document)


@pytest.mark.parametrize(
    ("text", "data", "value"),
    [
        ("long", "ffffffff", -1),
        ("double", "0000c03f", 1.5),
        ("timestamp", "01000000", 86_400_000_000),
        ("timestamp_ns", "ffffffff", -86_400_000_000_000),
    ],
)
def test_bounds_from_before_a_promotion_are_understood(text: str, data: str, value: object) -> None:
    """A shorter bound is read as the type that the column had before."""
    assert values.from_binary(parse_primitive(text), bytes.fromhex(data)) == value


@pytest.mark.parametrize(
    ("of", "value"),
    [
        (DecimalType(3, 2), Decimal("10.00")),
        (DecimalType(3, 2), Decimal("1.001")),
        (DecimalType(3, 2), Decimal("1E+999999999")),
        (DecimalType(3, 2), Decimal("NaN")),
        (parse_primitive("int"), 1 << 31),
        (parse_primitive("string"), "\ud800"),
        (parse_primitive("uuid"), "no uuid"),
    ],
)
def test_values_that_do_not_fit_are_refused(of: Type, value: object) -> None:
    """A value that does not fit its type is refused, and neither cut nor rounded."""
    with pytest.raises(FormatError, match=r"^value: found .*, wanted "):
        values.to_binary(of, value)


def test_fixed_has_its_length() -> None:
    """Bytes of another length than a fixed type's are refused."""
    with pytest.raises(FormatError, match="2 bytes"):
        values.from_binary(FixedType(3), b"ab")


def test_nested_values_are_json_too() -> None:
    """Nested values round-trip through JSON, and a field that is left out has its default."""
    from byteloom.iceberg.type_json import type_from_json

    of = type_from_json(
        a_struct(
            a_field(4, "a", "int", initial_default=7), a_field(5, "m", a_map(6, "uuid", 7, "date"))
        )
    )
    key = UUID(int=1)
    document = {"4": 1, "5": {"keys": [str(key)], "values": ["1970-01-02"]}}
    value = values.from_json(of, document)
    assert value == {"a": 1, "m": [(key, 1)]}
    assert values.to_json(of, value) == document
    assert values.from_json(of, {"5": None}) == {"a": 7, "m": None}
