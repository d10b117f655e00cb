"""How commands read CSV: what is null, types of columns, and the errors about a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.cli import byteloom

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

HEADER = b"row,value\n"


def _converted(tmp_path: Path, text: bytes, *options: str) -> pa.Table:
    (tmp_path / "in.csv").write_bytes(text)
    outcome = byteloom(
        "lance", "convert", tmp_path / "in.csv", tmp_path / "x.lance", "-f", *options
    )
    assert outcome.status == 0, outcome.err
    with lance.open(tmp_path / "x.lance") as file:
        return file.to_table()


def _refused(tmp_path: Path, text: bytes, *options: str) -> str:
    (tmp_path / "in.csv").write_bytes(text)
    outcome = byteloom(
        "lance", "convert", tmp_path / "in.csv", tmp_path / "x.lance", "-f", *options
    )
    assert outcome.status == 1
    assert not (tmp_path / "x.lance").exists()
    return outcome.err


def test_nulls_and_empty_texts_survive_csv(tmp_path: Path) -> None:
    """A null is written as nothing and an empty text as two quotes, and both are read back."""
    table = pa.table({"x": [0, None, 2, 3], "t": [None, "", "NA", "null"]})
    with lance.LanceWriter(tmp_path / "a.lance", table.schema) as writer:
        writer.write(table)
    assert byteloom("lance", "convert", tmp_path / "a.lance", tmp_path / "a.csv").status == 0
    assert _converted(tmp_path, (tmp_path / "a.csv").read_bytes()) == table


def test_a_type_can_be_given(tmp_path: Path) -> None:
    """Types are inferred, and `--types` gives others to some columns."""
    text = b"zip,price,n\n00123,1.50,7\n"
    assert _converted(tmp_path, text).to_pylist() == [{"zip": 123, "price": 1.5, "n": 7}]
    found = _converted(tmp_path, text, "--types", 'zip=string,"price=decimal(12,2)"')
    assert found.schema.types == [pa.string(), pa.decimal128(12, 2), pa.int64()]
    assert found["zip"].to_pylist() == ["00123"]


@pytest.mark.parametrize(
    ("option", "status", "error"),
    [
        ("zap=string", 1, "found 'zap', wanted a column of the schema: zip; did you mean zip?"),
        ("zip", 2, "'zip': wanted NAME=TYPE"),
        ("zip=strong", 2, "'strong': wanted a type of Arrow"),
    ],
)
def test_types_are_checked(tmp_path: Path, option: str, status: int, error: str) -> None:
    """Columns and types that there are not, and an option without a type."""
    (tmp_path / "in.csv").write_bytes(b"zip\n1\n")
    outcome = byteloom(
        "lance", "convert", tmp_path / "in.csv", tmp_path / "x.lance", "--types", option
    )
    assert outcome.status == status
    assert error in outcome.err


def test_types_are_those_of_csv(tmp_path: Path) -> None:
    """Other files have types, so that `--types` is refused."""
    pq.write_table(pa.table({"x": [1]}), tmp_path / "a.parquet")
    outcome = byteloom(
        "lance", "convert", tmp_path / "a.parquet", tmp_path / "x.lance", "--types", "x=string"
    )
    assert outcome.status == 1
    assert "wanted a CSV file" in outcome.err


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """The error has the line and the column; the bytes are kept where that is asked for."""
    text = b"a,b\n1,x\n2,\xff\n"
    error = _refused(tmp_path, text)
    assert "in.csv: line 3: column 'b': found bytes that are not UTF-8" in error
    assert _converted(tmp_path, text, "--types", "b=binary")["b"].to_pylist() == [b"x", b"\xff"]


def test_the_error_about_a_value_has_its_line_and_column(tmp_path: Path) -> None:
    """Arrow's numbers of rows and columns are replaced, even after empty lines."""
    error = _refused(tmp_path, b"a,b\n\n1,x\n2,y\n", "--types", "b=int64")
    assert "line 3: column 'b': CSV conversion error to int64: invalid value 'x'" in error
    assert "--types NAME=TYPE" in error


@pytest.mark.parametrize("command", ["lance", "hfile"])
@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b'row,value\nr0,"a\nb"\nr1,"a\nr2,b\nr3,c\n', "line 4: found a quote at the start"),
        (b'row,value\nr1,b\nr2,"a', "line 3: found a quote at the start"),
        (b"row,row\n1,2\n", "columns: found two columns named 'row', wanted distinct names"),
        (b"row\xff,value\n1,2\n", "line 1: found names of columns with the byte 0xff"),
        (b"\n\nrow\xff,value\n1,2\n", "line 3: found names of columns with the byte 0xff"),
    ],
)
def test_damaged_csv_is_refused(tmp_path: Path, command: str, text: bytes, error: str) -> None:
    """Both commands that read CSV refuse what Arrow does not notice, or raises other errors for."""
    (tmp_path / "in.csv").write_bytes(text)
    arguments = {
        "lance": ["lance", "convert", tmp_path / "in.csv", tmp_path / "out.lance"],
        "hfile": ["hfile", "build", tmp_path / "out.hfile", "--from", tmp_path / "in.csv"],
    }[command]
    outcome = byteloom(*arguments)
    assert outcome.status == 1
    assert f"in.csv: {error}" in outcome.err
    assert not [*tmp_path.glob("out.*")]


def test_a_quote_inside_a_value_is_a_letter(tmp_path: Path) -> None:
    """Only a quote at the start of a value needs another one."""
    found = _converted(tmp_path, b'id,name\n1,5" pipe\n2,"a""\nb"\n')
    assert found["name"].to_pylist() == ['5" pipe', 'a"\nb']


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_two_columns_of_one_name_are_refused(tmp_path: Path, form: str) -> None:
    """Two columns of one name are refused in every kind of file that is converted."""
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", "id"])
    place = tmp_path / f"in.{form}"
    if form == "parquet":
        pq.write_table(table, place)
    else:
        with pa.ipc.new_file(place, table.schema) as out:
            out.write_table(table)
    outcome = byteloom("lance", "convert", place, tmp_path / "x.lance")
    assert outcome.status == 1
    assert "columns: found two columns named 'id', wanted distinct names" in outcome.err
