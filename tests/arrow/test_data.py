"""Arrow data is accepted in every form in which libraries offer it."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.iceberg_rows import TableMaker, arrow, parquet

from byteloom import hfile, lance
from byteloom.errors import ByteloomError, FormatError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


TABLE = pa.table({"row": pa.array([b"a", b"b", b"c"], pa.binary()), "value": [b"x", b"y", b"z"]})
(BATCH,) = TABLE.to_batches()


class Streamed:
    """Data of another library, as a stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule of a stream."""
        return TABLE.__arrow_c_stream__(requested_schema)


class OneArray:
    """Data of another library, as one array of structs."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        """Return the capsules of a schema and an array."""
        return BATCH.__arrow_c_array__(requested_schema)


FORMS: dict[str, Callable[[], Any]] = {
    "a batch": lambda: BATCH,
    "a table": lambda: TABLE,
    "a reader": TABLE.to_reader,
    "a stream": Streamed,
    "an array": OneArray,
    "structs": BATCH.to_struct_array,
    "a list": lambda: [BATCH.slice(0, 1), TABLE.slice(1)],
    "a generator": lambda: (each for each in (Streamed(),)),
    "no batch at all": lambda: [BATCH.slice(0, 0), OneArray()],
}


@pytest.mark.parametrize("form", FORMS)
def test_writers_take_every_form(form: str) -> None:
    """The writers of HFile and of Lance accept every form of Arrow data."""
    out = BytesIO()
    with hfile.HFileWriter(out) as writer:
        writer.write(FORMS[form]())
    with hfile.open(out.getvalue()) as file:
        assert pa.table(file).select(["row", "value"]).to_pydict() == TABLE.to_pydict()
    out = BytesIO()
    with lance.LanceWriter(out, TABLE.schema) as rows:
        rows.write(FORMS[form]())
    with lance.open(out.getvalue()) as found:
        assert found.to_table().equals(TABLE)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (7, "data: found int, wanted Arrow data: a batch,"),
        ("rows", "data: found str, wanted Arrow data: a batch,"),
        ({"row": [b"a"]}, "data: found dict, wanted Arrow data: a batch,"),
        ([BATCH, "rows"], r"data\[1\]: found str, wanted Arrow data: a batch,"),
        ([[BATCH]], r"data\[0\]: found list, wanted Arrow data: a batch,"),
        (pa.array([1, 2]), "data: found Int64Array, wanted Arrow data with named columns"),
        (pa.chunked_array([[1]]), "data: found ChunkedArray, wanted Arrow data with named columns"),
        (pa.array([b"a"]), "data: found BinaryArray, wanted Arrow data with named columns"),
    ],
    ids=["a number", "a text", "a dict", "a text in a list", "a list in a list", "numbers",
         "chunks of numbers", "bytes"],
)  # fmt: skip
def test_anything_else_is_refused(data: Any, said: str) -> None:
    """Data that is not Arrow is refused by its type, and in a list by its index."""
    with hfile.HFileWriter(BytesIO()) as writer, pytest.raises(FormatError, match=f"^{said}"):
        writer.write(data)


def damaged_hfile(folder: Path) -> Any:
    """A file with a changed byte in a value."""
    with hfile.HFileWriter(folder / "file") as writer:
        writer.write(pa.table({"row": [b"a"], "value": [b"long enough"]}))
    data = (folder / "file").read_bytes()
    (folder / "file").write_bytes(data.replace(b"enough", b"Enough"))
    return hfile.open(folder / "file")


def damaged_lance(folder: Path) -> Any:
    """A file with text that is not UTF-8."""
    with lance.LanceWriter(folder / "file", pa.schema({"s": pa.string()})) as writer:
        writer.write(pa.table({"s": ["long enough"]}))
    data = (folder / "file").read_bytes()
    assert data.count(b"enough") == 1
    (folder / "file").write_bytes(data.replace(b"enough", b"\xffnough"))
    return lance.open(folder / "file")


def damaged_dataset(folder: Path) -> Any:
    """A dataset without its data file."""
    lance.write_dataset(folder, pa.table({"a": [1]}))
    (file,) = (folder / "data").iterdir()
    file.rename(folder / "file")
    return lance.open_dataset(folder)


def damaged_table(folder: Path) -> Any:
    """A table whose data file is text."""
    place = folder / "file.parquet"
    file = parquet(place, arrow({(1, "a"): pa.array([1])}))
    table = TableMaker(folder, [(1, "a", "long")]).commit(file).open()
    place.write_bytes(b"text".ljust(place.stat().st_size))
    return table.scan()


@pytest.mark.parametrize("form", [damaged_hfile, damaged_lance, damaged_dataset, damaged_table])
def test_errors_of_our_own_files_stay_what_they_are(
    form: Callable[[Path], Any], tmp_path: Path
) -> None:
    """Rows of a damaged file that another file gets are an error about the damaged file."""
    rows = form(tmp_path)
    said = f"^{tmp_path}/(file.* found |data/.*: No such file)"
    writer = lance.LanceWriter(BytesIO(), rows.to_reader().schema)
    with pytest.raises(ByteloomError, match=said) as caught:
        writer.write(rows)
    with pytest.raises(type(caught.value), match=f"^{re.escape(str(caught.value))}$"):
        rows.to_reader().read_all()
    with pytest.raises((pa.ArrowInvalid, OSError), match=re.escape(str(caught.value))):
        pa.table(rows)
    if isinstance(rows, AbstractContextManager):
        rows.__exit__(None, None, None)
