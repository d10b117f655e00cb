"""Metadata tables of tables that Java Iceberg wrote are equal to those that Java makes.

The rows' order does not count, nor that of a map's keys. Parquet, in which the truth is kept,
spells names of columns with letters, digits and underscores alone, and keeps no column of the type
``unknown``.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.java_iceberg import JavaTable, is_damaged, is_sound, java_table, java_tables

from byteloom.errors import ByteloomError
from byteloom.iceberg.metadata_tables import KINDS, metadata_table
from byteloom.iceberg.verification import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["java_table"]


@java_tables(lambda record: is_sound(record) and "metadata-tables" in record)
def test_metadata_tables_equal_those_of_java(java_table: JavaTable) -> None:
    """Every metadata table has the names, types and values that Java gives."""
    table = java_table.open()
    compared = 0
    for kind in KINDS:
        wanted = java_table.truth_metadata(kind)
        if wanted is not None:
            found = metadata_table(table, kind)
            assert _shape(found.schema) == _shape(wanted.schema), kind
            assert Counter(_rows(found)) == Counter(_rows(wanted)), kind
            compared += 1
    assert compared


@java_tables(is_damaged)
def test_metadata_tables_of_damaged_tables_are_right_or_refused(java_table: JavaTable) -> None:
    """A metadata table of a damaged table is what Java makes of it, or an error."""
    for kind in KINDS:
        wanted = java_table.truth_metadata(kind)
        try:
            found = metadata_table(java_table.open(), kind)
        except ByteloomError:
            continue
        if wanted is not None:
            assert Counter(_rows(found)) == Counter(_rows(wanted)), kind


def _shape(schema: pa.Schema) -> list[tuple[str, Any]]:
    """Return names and types, as Parquet keeps them."""
    return [(_name(each.name), _type(each.type)) for each in schema]


def _type(of: pa.DataType) -> Any:
    """Return a type in a form that is the same for narrow and wide offsets."""
    if pa.types.is_struct(of):
        return [
            (_name(each.name), _type(each.type)) for each in of if not pa.types.is_null(each.type)
        ]
    if pa.types.is_map(of):
        return ("map", _type(of.key_type), _type(of.item_type))
    if pa.types.is_list(of) or pa.types.is_large_list(of):
        return ("list", _type(of.value_type))
    return str(of).removeprefix("large_")


def _name(name: str) -> str:
    """Return a name as Avro and Java's Parquet spell it."""

    def spelled(at: int, letter: str) -> str:
        if letter.isalpha() or letter == "_" or (at and letter.isdigit()):
            return letter
        return f"_{letter}" if letter.isdigit() else f"_x{ord(letter):X}"

    return "".join(spelled(*each) for each in enumerate(name))


def _rows(table: pa.Table) -> Iterator[Any]:
    """Return rows that can be counted."""
    plain = table.cast(pa.schema([(each.name, _counted(each.type)) for each in table.schema]))
    for row in plain.to_pylist():
        yield _frozen(row)


def _counted(of: pa.DataType) -> pa.DataType:
    """Return a type with nulls anywhere, and without nanoseconds, which Python cannot hold."""
    if pa.types.is_struct(of):
        return pa.struct([(each.name, _counted(each.type)) for each in of])
    return pa.int64() if pa.types.is_timestamp(of) and of.unit == "ns" else of


def _frozen(value: Any) -> Any:
    """Return a value that can be counted, with all NaNs equal and zeros by their sign."""
    if isinstance(value, dict):
        held = {_name(key): _frozen(each) for key, each in value.items()}
        return frozenset((key, each) for key, each in held.items() if each is not None)
    if isinstance(value, list):
        is_map = bool(value) and isinstance(value[0], tuple)
        return frozenset(map(_frozen, value)) if is_map else tuple(map(_frozen, value))
    if isinstance(value, tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, float):
        return (math.copysign(1, value), repr(value))
    return value


@java_tables(is_sound)
def test_other_metadata_tables_are_refused(java_table: JavaTable) -> None:
    """An unknown metadata table is an error that lists the known ones."""
    with pytest.raises(ByteloomError, match="all_data_files"):
        metadata_table(java_table.open(), "nonsense")


@java_tables(is_sound)
def test_sound_tables_verify(java_table: JavaTable) -> None:
    """Verifying a sound table of Java finds nothing, whatever its version and history."""
    table = java_table.open()
    assert list(map(str, verify(table))) == []
    assert list(map(str, verify(table, rows=False))) == []


@java_tables(is_damaged)
def test_damage_is_found(java_table: JavaTable) -> None:
    """Verifying a damaged table has a finding with a place, even if Java notices nothing."""
    try:
        found = verify(java_table.open())
    except ByteloomError as error:
        found = [error]
    assert found
    assert all(": " in str(each) for each in found)
