"""Variants that DuckDB shredded, compared with the values that it gives."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.iceberg_rows import File, TableMaker
from tests.support.variants import Number, decode, encode, metadata_of

from byteloom.iceberg import create_table
from byteloom.iceberg.schema import Schema

if TYPE_CHECKING:
    from pathlib import Path

_ROWS = 2_000
_VALUES = """
    case i % 8
      when 0 then null
      when 1 then ('text ' || repeat('x', i % 90))::variant
      when 2 then {'a': i, 'b': 'b' || i, 'c': [1, i, null]}::variant
      when 3 then {'a': 'other', 'd': (i * 1.25)::decimal(9, 2), 'e': i::double}::variant
      when 4 then [i::variant, 'two'::variant, {'b': i}::variant]::variant
      when 5 then {'s': {'x': i, 'y': [{'z': 'deep'}, {'z': i::varchar}]}, 'a': i}::variant
      when 6 then {'b': date '2024-02-29' + (i::int), 'a': i % 3 = 0}::variant
      else {'s': {'x': 'text', 'w': i::smallint}, 'c': ['no', 'numbers']}::variant
    end
"""
_SHAPES = {
    "one": "struct(a bigint, b varchar, c bigint[])",
    "deep": "struct(s struct(x bigint, y struct(z varchar)[]), d decimal(9, 2), e double)",
    "text": "varchar",
    "list": "struct(b bigint)[]",
}


@pytest.mark.parametrize("shape", _SHAPES)
def test_variants_that_duckdb_shredded(tmp_path: Path, shape: str) -> None:
    """Variants that DuckDB shredded in any shape have the values that DuckDB gives."""
    database = duckdb.connect()
    path = tmp_path / "f.parquet"
    rows = database.sql(f"select i, {_VALUES} as v from range({_ROWS}) t(i)")  # noqa: S608  ours
    assert rows is not None
    options = f"(format parquet, shredding {{'v': '{_SHAPES[shape]}'}})"
    database.execute(f"copy rows to '{path}' {options}")
    assert "typed_value" in str(pq.read_schema(path))
    theirs = database.read_parquet(str(path)).order("i").project("v").fetchall()
    columns = [(1, "i", "long"), (2, "v", "variant")]
    table = TableMaker(tmp_path, columns, version=3).commit(File(path, _ROWS)).open()
    ours = table.scan().to_table()["v"].to_pylist()
    for found, (wanted,) in zip(ours, theirs, strict=True):
        value = None if found is None else decode(found["metadata"], found["value"])
        assert _plain(value) == _plain(wanted)
    print(f"duckdb {duckdb.__version__}: {_ROWS} variants kept as {_SHAPES[shape]}")


def test_variants_that_are_written(tmp_path: Path) -> None:
    """DuckDB finds the values of variants in a file that was written for a table."""
    values = [{"a": Number(5, 70_000), "b": ["x", None]}, "text", None, True, [Number(3, 5), 1.5]]
    metadata, names = metadata_of(["a", "b"]), ["a", "b"]
    given = [
        None if each is None else {"metadata": metadata, "value": encode(each, names)}
        for each in values
    ]
    schema = Schema.from_json(
        {
            "type": "struct",
            "schema-id": 0,
            "fields": [
                {"id": 1, "name": "i", "type": "long", "required": False},
                {"id": 2, "name": "v", "type": "variant", "required": False},
            ],
        }
    )
    table = create_table(tmp_path / "t", schema, format_version=3)
    table = table.append(pa.table({"i": range(len(values)), "v": pa.array(given)}))
    (path,) = table.metadata_table("files")["file_path"].to_pylist()
    found = duckdb.read_parquet(path).order("i").project("v").fetchall()
    assert [_plain(each) for (each,) in found] == [_plain(each) for each in values]


def _plain(value: Any) -> Any:
    """A value in a form that both sides can give: numbers by their size, days from 1970."""
    if isinstance(value, Number):
        return _plain(value.value)
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(_plain, value))
    if hasattr(value, "toordinal"):
        return Decimal(value.toordinal() - 719_163)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Decimal(value) if is_number else value
