"""Nulls in required columns, which a file may have against the rules, are found and reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from tests.support.iceberg_rows import File, TableMaker

if TYPE_CHECKING:
    from pathlib import Path

MAPPING = {"schema.name-mapping.default": '[{"field-id": 1, "names": ["id"]}]'}


def table_of(path: Path, values: list[int | None], of: Any = "required long") -> Any:
    """Return a table of one file of one column."""
    held = pa.table({"id": pa.array(values, pa.int64())})
    if path.suffix == ".parquet":
        pq.write_table(held, path)
    elif path.suffix == ".orc":
        orc.write_table(held, path)
    else:
        field = {"name": "id", "type": ["null", "long"], "field-id": 1}
        with path.open("wb") as file:
            fastavro.writer(
                file,
                {"type": "record", "name": "r", "fields": [field]},
                [{"id": each} for each in values],
            )
    maker = TableMaker(path.parent, [(1, "id", of)], properties=MAPPING)
    return maker.commit(File(path, len(values))).open()


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
def test_nulls_are_found_by_filters(tmp_path: Path, kind: str) -> None:
    """Filters find the nulls of a required column as they find those of others."""
    table = table_of(tmp_path / f"a.{kind}", [1, None, 3])
    found = {
        asked: table.scan(asked).to_table()["id"].to_pylist()
        for asked in ("id is null", "id is not null", "id > 1", "not (id is null)")
    }
    assert found == {
        "id is null": [None],
        "id is not null": [1, 3],
        "id > 1": [3],
        "not (id is null)": [1, 3],
    }


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
def test_nulls_are_reported(tmp_path: Path, kind: str) -> None:
    """Verification reports a null in a required column with its file, column and first row."""
    values = [*range(100_000), None, None]
    (found,) = table_of(tmp_path / f"a.{kind}", values).verify()
    path = tmp_path / f"a.{kind}"
    wanted = "found null in row 100000, wanted a value: the column is required"
    assert str(found) == f"{path}: column id: {wanted}"
    assert table_of(path, values, "long").verify() == []
    assert table_of(path, values[:-2]).verify() == []


INNER = {"id": 2, "name": "b", "required": True, "type": "long"}
STRUCT = {"type": "struct", "fields": [INNER]}
NESTED = [
    (STRUCT, pa.struct([("b", pa.int64())]), {"b": None}, {"b": 1}, "a.b"),
    (
        {"type": "list", "element-id": 2, "element": "long", "element-required": True},
        pa.list_(pa.int64()),
        [1, None],
        [1],
        "a.element",
    ),
    (
        {"type": "map", "key-id": 3, "key": "string", "value-id": 2, "value": "long"}
        | {"value-required": True},
        pa.map_(pa.string(), pa.int64()),
        [("k", None)],
        [("k", 1)],
        "a.value",
    ),
]


@pytest.mark.parametrize("nested", NESTED, ids=["struct", "list", "map"])
def test_nulls_inside_others_are_reported(tmp_path: Path, nested: Any) -> None:
    """Nulls in required fields, elements and values are reported unless their parent is null."""
    of, arrow, missing, there, name = nested
    ids = {"b": "2", "element": "2", "key": "3", "value": "2"}

    def marked(field: pa.Field) -> pa.Field:
        number = ids[field.name]
        return field.with_metadata({"PARQUET:field_id": number})

    if pa.types.is_struct(arrow):
        arrow = pa.struct([marked(each) for each in arrow])
    elif pa.types.is_map(arrow):
        arrow = pa.map_(marked(arrow.key_field), marked(arrow.item_field))
    else:
        arrow = pa.list_(marked(arrow.value_field.with_name("element")))
    path = tmp_path / "a.parquet"
    field = pa.field("a", arrow, metadata={"PARQUET:field_id": "1"})
    for values, is_sound in (([None, there], True), ([there, None, missing], False)):
        pq.write_table(pa.table([pa.array(values, arrow)], pa.schema([field])), path)
        table = TableMaker(tmp_path, [(1, "a", of)]).commit(File(path, len(values))).open()
        found = [str(each) for each in table.verify()]
        wanted = f"{path}: column {name}: found null, wanted a value: the column is required"
        assert found == ([] if is_sound else [wanted])
