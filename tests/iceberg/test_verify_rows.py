"""Verification of a table reads every row of its files, and finds damage inside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import orc
from tests.support.iceberg_edits import found_in
from tests.support.iceberg_rows import File, TableMaker, arrow, parquet, position_deletes

from byteloom import puffin
from byteloom.errors import ByteloomError, FormatError

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 3_000
WIDE = 150


def _rows(columns: int = 2) -> pa.Table:
    """Return rows of some columns of numbers, of which no two pages are alike."""
    return arrow(
        {
            (each, f"c{each}"): pa.array(range(each, ROWS + each), pa.int64())
            for each in range(1, columns + 1)
        }
    )


def _maker(root: Path, columns: int = 2) -> TableMaker:
    return TableMaker(root, [(each, f"c{each}", "long") for each in range(1, columns + 1)])


def _orc(path: Path, rows: pa.Table) -> File:
    """Write an ORC file, whose columns have their ids by their names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    orc.write_table(rows, path, compression="zlib")
    return File(path, rows.num_rows)


def _avro(path: Path, rows: pa.Table) -> File:
    """Write an Avro file with ids."""
    import fastavro

    path.parent.mkdir(parents=True, exist_ok=True)
    fields = [
        {"name": name, "type": "long", "field-id": number}
        for number, name in enumerate(rows.column_names, 1)
    ]
    schema = {"type": "record", "name": "table", "fields": fields}
    with path.open("wb") as file:
        fastavro.writer(file, schema, rows.to_pylist(), codec="deflate")
    return File(path, rows.num_rows)


def _spoil(path: Path, start: int, end: int) -> None:
    """Write zeros over some bytes."""
    data = bytearray(path.read_bytes())
    data[start:end] = bytes(end - start)
    path.write_bytes(data)


def _column_range(path: Path, column: int) -> tuple[int, int]:
    """Return where the chunk of a column of a Parquet file begins and ends."""
    from pyarrow.parquet import read_metadata

    chunk = read_metadata(path).row_group(0).column(column)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    return start, start + chunk.total_compressed_size


@pytest.mark.parametrize(("name", "write"), [("parquet", parquet), ("orc", _orc), ("avro", _avro)])
def test_damaged_rows_are_found_in_every_format(
    tmp_path: Path, name: str, write: Callable[[Path, pa.Table], File]
) -> None:
    """A data file whose rows cannot be decoded is reported, though its row count is right."""
    maker = _maker(tmp_path)
    made = write(tmp_path / "data" / f"a.{name}", _rows())
    table = maker.commit(made, write(tmp_path / "data" / f"b.{name}", _rows())).open()
    assert table.verify() == []
    _spoil(made.path, 300, 1_500)
    found = table.verify()
    assert found
    assert all(f"a.{name}" in str(each) for each in found)
    with pytest.raises(ByteloomError):
        table.scan().to_table()


def test_counted_files_are_not_read(tmp_path: Path) -> None:
    """With `rows=False` only sizes and row counts are checked."""
    made = parquet(tmp_path / "data" / "a.parquet", _rows())
    table = _maker(tmp_path).commit(made).open()
    _spoil(made.path, 300, 1_500)
    assert table.verify(rows=False) == []
    made.path.write_bytes(made.path.read_bytes()[:-9])
    assert len(table.verify(rows=False)) == 1


@pytest.mark.parametrize("damaged", [[0], [5, 63], [63, 64, 149]])
def test_each_damaged_column_is_named(tmp_path: Path, damaged: list[int]) -> None:
    """Of a wide file each damaged column is named, and no other."""
    made = parquet(tmp_path / "data" / "a.parquet", _rows(WIDE))
    table = _maker(tmp_path, WIDE).commit(made).open()
    for each in damaged:
        _spoil(made.path, *_column_range(made.path, each))
    found = [str(each) for each in table.verify()]
    assert len(found) == len(damaged)
    for each, text in zip(damaged, found, strict=True):
        assert f"column c{each + 1}" in text


@pytest.mark.parametrize("rows", [True, False])
def test_a_file_of_another_number_of_rows_is_named(tmp_path: Path, *, rows: bool) -> None:
    """A data file with more rows than its manifest says is an error with the file and the field."""
    made = parquet(tmp_path / "data" / "a.parquet", _rows())
    (error,) = _maker(tmp_path).commit(File(made.path, 1)).open().verify(rows=rows)
    wanted = f"{made.path}: record_count: found 3000 rows, wanted 1, as its manifest says"
    assert str(error) == wanted


def test_columns_that_were_dropped_are_read_too(tmp_path: Path) -> None:
    """A damaged column that the schema no longer has is reported."""
    made = parquet(tmp_path / "data" / "a.parquet", _rows(2))
    table = _maker(tmp_path, 1).commit(made).open()
    assert table.verify() == []
    _spoil(made.path, *_column_range(made.path, 1))
    (error,) = table.verify()
    assert "column c2" in str(error)


def test_page_checksums_are_checked(tmp_path: Path) -> None:
    """A flipped byte in a page with a checksum is found, even where the page stays decodable."""
    options: dict[str, Any] = {"compression": "none", "use_dictionary": False}
    for name, is_found in [("with", True), ("without", False)]:
        path = tmp_path / name / "data" / "a.parquet"
        made = parquet(path, _rows(), write_page_checksum=is_found, **options)
        table = _maker(tmp_path / name).commit(made).open()
        assert table.verify() == []
        data = bytearray(path.read_bytes())
        data[_column_range(path, 0)[1] - 800] ^= 1  # within the bounds of its column
        path.write_bytes(data)
        assert bool(table.verify()) == is_found


def test_delete_files_are_read(tmp_path: Path) -> None:
    """A damaged position delete file is reported."""
    data = parquet(tmp_path / "data" / "a.parquet", _rows())
    deletes = position_deletes(
        tmp_path / "data" / "d.parquet", [(data.path, each) for each in range(0, ROWS, 2)]
    )
    table = _maker(tmp_path).commit(data, deletes).open()
    assert table.verify() == []
    _spoil(deletes.path, *_column_range(deletes.path, 1))
    (error,) = table.verify()
    assert "d.parquet" in str(error)
    assert "column pos" in str(error)


@pytest.mark.parametrize(("name", "write"), [("parquet", parquet), ("orc", _orc), ("avro", _avro)])
@pytest.mark.parametrize("of", ["boolean", "int", "uuid", "double", "decimal(9,2)", "string"])
def test_columns_that_no_scan_can_convert_are_found(
    name: str, write: Callable[[Path, pa.Table], File], of: str, tmp_path: Path
) -> None:
    """A column of another type than the table's is a finding, as it is an error of a scan."""
    maker = TableMaker(tmp_path, [(1, "c1", of), (2, "c2", "long")])
    table = maker.commit(write(tmp_path / f"data/a.{name}", _rows())).open()
    (found,) = table.verify()
    assert "column c1: found values of type int64, wanted " in str(found)
    with pytest.raises(FormatError, match="column c1: found values of type int64, wanted "):
        table.scan().to_table()


def test_columns_that_became_wider_are_sound(tmp_path: Path) -> None:
    """A type that the table's evolution may have widened is no finding."""
    rows = arrow({(1, "c1"): pa.array([1], pa.int32()), (2, "c2"): pa.array([1.5], pa.float32())})
    maker = TableMaker(tmp_path, [(1, "c1", "long"), (2, "c2", "double"), (3, "c3", "string")])
    assert not maker.commit(parquet(tmp_path / "data/a.parquet", rows)).open().verify()


@pytest.mark.parametrize(
    ("stated", "codec", "wrong"),
    [
        ("2", None, None),
        ("7", None, "properties.cardinality: found 7, wanted 2, as many as the vector holds"),
        (None, None, "properties.cardinality: found nothing, wanted a value for each vector"),
        ("2", "zstd", "compression-codec: found zstd, wanted no compression of a deletion vector"),
    ],
)
def test_what_a_footer_says_of_a_vector_is_compared(
    tmp_path: Path, stated: str | None, codec: str | None, wrong: str | None
) -> None:
    """A footer that contradicts a deletion vector is a finding, though the manifest is right."""
    data = parquet(tmp_path / "a.parquet", _rows())
    path = tmp_path / "v.puffin"
    properties = {"referenced-data-file": str(data.path), "cardinality": stated}
    with puffin.PuffinWriter(path) as writer:
        blob = writer.add(
            type="deletion-vector-v1",
            data=puffin.DeletionVector.from_positions([2, 5]).to_bytes(),
            fields=[2147483645],
            snapshot_id=-1,
            sequence_number=-1,
            properties={name: value for name, value in properties.items() if value},
            compression=codec,
        )
    referenced = str(data.path)
    vector = File(path, 2, content=1, referenced=referenced, offset=blob.offset, size=blob.length)
    maker = TableMaker(tmp_path, [(1, "c1", "long"), (2, "c2", "long")], version=3)
    table = maker.commit(data).commit(vector, operation="delete").open()
    assert list(map(str, table.verify())) == ([f"{path}: blobs[0].{wrong}"] if wrong else [])


def _replaced(tmp_path: Path) -> dict[str, Any]:
    """Return the metadata of a table whose column was a number before it was replaced by text."""
    numbers = arrow({(1, "c1"): pa.array([1], pa.int64())})
    texts = arrow({(1, "c1"): pa.array(["a"])})
    old, new = (
        parquet(tmp_path / f"{name}.parquet", rows) for name, rows in (("o", numbers), ("n", texts))
    )
    maker = TableMaker(tmp_path, [(1, "c1", "string")], old_columns=[[(1, "c1", "long")]])
    maker.commit(old, schema_id=0).commit(new, removed=[old], operation="overwrite")
    return dict(json.loads(Path(maker.open().metadata_location).read_bytes()))


def test_files_fit_the_schemas_of_the_snapshots_that_have_them(tmp_path: Path) -> None:
    """Files of an older snapshot have the columns of its schema, whatever is current now."""
    assert found_in(_replaced(tmp_path), lambda _: None) == []


@pytest.mark.parametrize(
    ("at", "of", "found"),
    [
        (0, "string", "o.parquet: column c1: found values of type int64, wanted string"),
        (0, "double", "o.parquet: column c1: found values of type int64, wanted double"),
        (1, "date", "n.parquet: column c1: found values of type string, wanted date"),
        (1, "binary", "n.parquet: column c1: found values of type string, wanted binary"),
    ],
)
def test_a_schema_that_no_file_of_its_snapshots_fits_is_found(
    tmp_path: Path, at: int, of: str, found: str
) -> None:
    """A type of an older or of the current schema that rows cannot have is reported, once."""

    def change(document: dict[str, Any]) -> None:
        document["schemas"][at]["fields"][0]["type"] = of

    assert [each.rpartition("/")[2] for each in found_in(_replaced(tmp_path), change)] == [found]


def test_a_required_column_that_a_file_lacks_is_found(tmp_path: Path) -> None:
    """A file without a required column is reported, unless the column has a default."""

    def change(document: dict[str, Any], **more: Any) -> None:
        field = {"id": 2, "name": "c2", "type": "long", "required": True, **more}
        document["schemas"][1]["fields"].append(field)

    document = _replaced(tmp_path)
    (found,) = (each for each in found_in(document, change) if "column c2" in each)
    assert found.endswith(
        "n.parquet: column c2 (2): found not in the file, wanted a required column"
    )
    document |= {"format-version": 3, "next-row-id": 0}
    found_with = found_in(document, lambda each: change(each, **{"initial-default": 7}))
    assert not [each for each in found_with if "column c2" in each]


def test_a_snapshot_has_the_schema_of_its_manifests(tmp_path: Path) -> None:
    """A snapshot that names another schema than the manifests that it added is reported, once."""

    def change(document: dict[str, Any]) -> None:
        document["snapshots"][0]["schema-id"] = 1

    (found,) = found_in(_replaced(tmp_path), change, files=False)
    assert "].schema-id: found 1, wanted 0, as the manifests that it added say; rows" in found


def test_the_columns_of_a_manifest_are_those_of_its_schema(tmp_path: Path) -> None:
    """A schema whose columns have other names than in the manifests written with it is reported."""

    def change(document: dict[str, Any]) -> None:
        document["schemas"][1]["fields"][0]["name"] = "x"

    found = found_in(_replaced(tmp_path), change, files=False)
    assert {each.partition(": ")[2] for each in found} == {
        "schema: found columns c1, wanted x, as the metadata says of schema 1"
    }
