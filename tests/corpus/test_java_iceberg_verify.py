"""Verifying tables that Java Iceberg wrote finds nothing in sound ones, and all damage."""

from __future__ import annotations

from tests.support.java_iceberg import JavaTable, is_damaged, is_sound, java_table, java_tables

from byteloom.errors import ByteloomError
from byteloom.iceberg.verification import verify

__all__ = ["java_table"]


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
