"""Columns of JSON in datasets, whose files have it in a binary form, are read as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.parity.test_lance_datasets import container
from tests.support.lance_datasets import fragment, put_manifest
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import FormatError, Unsupported
from byteloom_generated.lance.table import Manifest

if TYPE_CHECKING:
    from pathlib import Path

RAW = pa.large_binary()
ROWS = [{"a": [1, 2.5]}, None, "x", 7]
TEXTS = ['{"a":[1,2.5]}', None, '"x"', "7"]
STORED = [container(each) if each is not None else None for each in ROWS]
JSON = {"ARROW:extension:name": b"lance.json", "ARROW:extension:metadata": b""}


def dataset(folder: Path, fields: list[pa.Field], columns: list[pa.Array]) -> lance.Dataset:
    """A dataset of two fragments that have the same rows; bytes are JSON."""
    table = pa.table(columns, schema=pa.schema(fields))
    (folder / "x.lance").write_bytes(written(table, "2.2"))
    with lance.open(folder / "x.lance") as file:
        stored = [each for top in file.fields for each in top.walk()]
        made = list(file.tail.descriptor.schema.fields)
    for each in made:
        if each.logical_type == "large_binary":
            each.logical_type, each.extension_name = "json", "lance.json"
            each.metadata.update(JSON)
    ids = [each.id for each in stored if not each.children]
    data = written(table, "2.2")
    rows = [fragment(folder, number, len(table), (ids, data)) for number in (0, 1)]
    manifest = Manifest(version=1, fields=made, fragments=rows)
    manifest.data_format.file_format, manifest.data_format.version = "lance", "2.2"
    put_manifest(folder, manifest)
    return lance.open_dataset(folder)


@pytest.fixture
def found(tmp_path: Path) -> lance.Dataset:
    """A dataset of numbers and JSON."""
    fields = [pa.field("n", pa.int64()), pa.field("j", RAW)]
    return dataset(tmp_path, fields, [pa.array([0, 1, 2, 3]), pa.array(STORED, RAW)])


def test_json_is_text_in_datasets(found: lance.Dataset) -> None:
    """Scans, rows by their numbers and filters have text, of the type that Arrow has for JSON."""
    table = found.to_table()
    assert table.schema.field("j").type == pa.json_()
    assert table["j"].to_pylist() == TEXTS * 2
    assert found.take([6, 0, 1], ["j"])["j"].to_pylist() == [TEXTS[2], TEXTS[0], None]
    assert found.to_table(["n"], filter="j = '7'")["n"].to_pylist() == [3, 3]
    assert found.to_table(["j"], filter="n = 2")["j"].to_pylist() == [TEXTS[2]] * 2
    batches = found.scan(["j"], rows=range(2, 5), batch_size=2).batches()
    assert [each["j"].to_pylist() for each in batches] == [TEXTS[2:], TEXTS[:1]]
    assert found.delete([0, 5]).to_table(["j"])["j"].to_pylist() == [
        *TEXTS[1:],
        TEXTS[0],
        *TEXTS[2:],
    ]


def test_files_have_the_bytes(found: lance.Dataset) -> None:
    """A single file has JSON as it is stored, as in pylance."""
    with lance.open(f"{found.folder}/data/0-0.lance") as file:
        assert file.to_table()["j"].to_pylist() == STORED


def test_json_inside_other_types_is_text(tmp_path: Path) -> None:
    """JSON in structs, lists and maps is text, too."""
    inner = pa.struct([("j", RAW), ("n", pa.int32())])
    columns = {
        "s": (inner, [{"j": each, "n": 1} for each in STORED[:3]] + [None]),
        "l": (pa.list_(RAW), [STORED, [], None, STORED[2:]]),
        "m": (pa.map_(pa.string(), RAW), [[("k", STORED[0])], [], None, [("a", None)]]),
        "d": (pa.list_(pa.struct([("p", pa.list_(RAW))])), [[{"p": STORED[2:]}], None, [], [None]]),
    }
    arrays = [pa.array(values, type_) for type_, values in columns.values()]
    fields = [pa.field(name, type_) for name, (type_, _) in columns.items()]
    table = dataset(tmp_path, fields, arrays).to_table().slice(4)
    assert table["s"].to_pylist() == [{"j": each, "n": 1} for each in TEXTS[:3]] + [None]
    assert table["l"].to_pylist() == [TEXTS, [], None, TEXTS[2:]]
    assert table["m"].to_pylist() == [[("k", TEXTS[0])], [], None, [("a", None)]]
    assert table["d"].to_pylist() == [[{"p": TEXTS[2:]}], None, [], [None]]


def test_rows_are_not_appended_to_json(found: lance.Dataset) -> None:
    """The binary form is not written; other columns are added and dropped."""
    with pytest.raises(Unsupported, match=r"manifest\.j: found arrow\.json, wanted other columns"):
        lance.write_dataset(found.folder.path, pa.table({"n": [1]}), mode="append")
    more = found.add_columns(pa.table({"m": range(8)}))
    assert more.to_table(["j", "m"])["j"].to_pylist() == TEXTS * 2
    assert more.drop_columns(["j"]).schema.names == ["n", "m"]


def test_damage_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    """What is not JSONB is an error with the file, the column and the row of the batch."""
    found = dataset(tmp_path, [pa.field("j", RAW)], [pa.array([STORED[0], b"{}"], RAW)])
    with pytest.raises(FormatError, match=r"data/0-0\.lance: j\[1\]: found b'{}' at its byte 0"):
        found.to_table()
