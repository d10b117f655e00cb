"""Files without field ids, in tables without a name mapping, are read by column names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import fastavro
import pyarrow as pa
import pytest
from pyarrow import orc
from tests.support.iceberg_rows import File, TableMaker, parquet

from byteloom.datafiles.fields import field_id, identified
from byteloom.errors import FormatError
from byteloom.iceberg import MappedField, NameMapping

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LONGS = pa.int64()


def _parquet(path: Path, rows: pa.Table) -> File:
    return parquet(path.with_suffix(".parquet"), rows)


def _orc(path: Path, rows: pa.Table) -> File:
    orc.write_table(rows, path.with_suffix(".orc"))
    return File(path.with_suffix(".orc"), rows.num_rows)


def _avro(path: Path, rows: pa.Table) -> File:
    fields = [{"name": each, "type": ["null", "long"]} for each in rows.column_names]
    with path.with_suffix(".avro").open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": "r", "fields": fields}, rows.to_pylist())
    return File(path.with_suffix(".avro"), rows.num_rows)


any_format = pytest.mark.parametrize("write", [_parquet, _orc, _avro])


def _rows(**columns: list[int]) -> pa.Table:
    return pa.table({name: pa.array(held, _LONGS) for name, held in columns.items()})


@any_format
def test_columns_go_by_the_names_of_the_fields(
    tmp_path: Path, write: Callable[[Path, pa.Table], File]
) -> None:
    """Columns are found by the names of fields; others are ignored, and missing ones are null."""
    columns = [(1, "a", "long"), (2, "b", "long"), (4, "d", "long")]
    file = write(tmp_path / "f", _rows(a=[1, 2], b=[3, 4], other=[5, 6]))
    rows = TableMaker(tmp_path, columns).commit(file).open().scan().to_table()
    assert rows.to_pylist() == [{"a": 1, "b": 3, "d": None}, {"a": 2, "b": 4, "d": None}]


@any_format
def test_columns_go_by_the_names_that_fields_had(
    tmp_path: Path, write: Callable[[Path, pa.Table], File]
) -> None:
    """A renamed field is found by its old name, and a dropped field is not read."""
    before = [(1, "a", "long"), (2, "gone", "long"), (3, "c", "long")]
    now = [(1, "renamed", "long"), (3, "c", "long")]
    file = write(tmp_path / "f", _rows(a=[1], gone=[2], c=[3]))
    maker = TableMaker(tmp_path, now, old_columns=[before])
    assert maker.commit(file).open().scan().to_table().to_pylist() == [{"renamed": 1, "c": 3}]


@any_format
def test_a_name_given_anew_is_that_of_the_newest_field(
    tmp_path: Path, write: Callable[[Path, pa.Table], File]
) -> None:
    """A reused name is that of the newest field, and refused in a Parquet file."""
    before, now = [(1, "a", "long")], [(1, "b", "long"), (2, "a", "long")]
    table = TableMaker(tmp_path, now, old_columns=[before])
    opened = table.commit(write(tmp_path / "f", _rows(a=[7]))).open()
    if write is _parquet:
        with pytest.raises(FormatError, match=r"column 'a'.*at place 1.*field 2 by its name"):
            opened.scan().to_table()
    else:
        assert opened.scan().to_table().to_pylist() == [{"b": None, "a": 7}]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["b", "a"], "column 'b' without an id at place 1.*field 2 by its name"),
        (["a", "x"], "column 'x' without an id at place 2.*no field by its name"),
        (["x", "a", "b"], "column 'x' without an id at place 1.*no field by its name"),
    ],
)
def test_parquet_columns_whose_places_say_otherwise_are_refused(
    tmp_path: Path, names: list[str], message: str
) -> None:
    """A Parquet column whose name and position mean different fields is refused."""
    file = _parquet(tmp_path / "f", _rows(**{name: [1] for name in names}))
    table = TableMaker(tmp_path, [(1, "a", "long"), (2, "b", "long")]).commit(file).open()
    with pytest.raises(FormatError, match=message):
        table.scan(columns=["a"]).to_table()


@any_format
def test_what_is_inside_goes_by_its_names(
    tmp_path: Path, write: Callable[[Path, pa.Table], File]
) -> None:
    """Fields of structs are found by their names, in any order."""
    of = pa.struct([("y", _LONGS), ("x", _LONGS)])
    rows = pa.table({"s": pa.array([{"y": 2, "x": 1}], of)})
    inner = [
        {"id": n, "name": name, "required": False, "type": "long"}
        for n, name in [(2, "x"), (3, "y")]
    ]
    if write is _avro:
        record = {
            "type": "record",
            "name": "s",
            "fields": [{"name": each, "type": "long"} for each in ("y", "x")],
        }
        outer = {"type": "record", "name": "r", "fields": [{"name": "s", "type": record}]}
        with (tmp_path / "f.avro").open("wb") as out:
            fastavro.writer(out, outer, rows.to_pylist())
        file = File(tmp_path / "f.avro", 1)
    else:
        file = write(tmp_path / "f", rows)
    table = TableMaker(tmp_path, [(1, "s", {"type": "struct", "fields": inner})])
    assert table.commit(file).open().scan().to_table().to_pylist() == [{"s": {"x": 1, "y": 2}}]


@pytest.mark.parametrize(
    ("of", "wanted"),
    [
        (pa.list_(pa.field("item", _LONGS)), pa.types.is_list),
        (pa.large_list(pa.field("item", _LONGS)), pa.types.is_large_list),
        (pa.list_(pa.field("item", _LONGS), 2), pa.types.is_fixed_size_list),
    ],
    ids=["list", "large list", "list of one size"],
)
def test_lists_stay_of_their_kind_when_their_fields_get_ids(
    of: pa.DataType, wanted: Callable[[pa.DataType], bool]
) -> None:
    """A name mapping gives ids to what is in a list, and leaves how it is stored as it is."""
    inside = MappedField(("element",), 2, NameMapping(()))
    mapping = NameMapping((MappedField(("c",), 1, NameMapping((inside,))),))
    (found,) = identified([pa.field("c", of)], mapping)
    assert wanted(found.type)
    assert (field_id(found), field_id(found.type.value_field)) == (1, 2)
