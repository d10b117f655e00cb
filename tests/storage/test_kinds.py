"""Files that are opened as what they are not."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, orc
from tests.support.cli import byteloom
from tests.support.encrypted_parquet import write_encrypted
from tests.support.iceberg_rows import File, TableMaker

from byteloom import hfile, puffin
from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg import open_table
from byteloom.iceberg.metadata import Relocation
from byteloom.iceberg.reading.data_file import Files
from byteloom.iceberg.verification import verify
from byteloom.kinds import kind_of
from byteloom.limits import DEFAULT_LIMITS
from byteloom.parquet.whole import read_columns
from byteloom.storage import open_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FIELD = pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "1", "iceberg.id": "1"})
TABLE = pa.table([[1, 2, 3]], schema=pa.schema([FIELD]))


def _puffin(place: Path) -> None:
    with puffin.PuffinWriter(place):
        pass


def _hfile(place: Path) -> None:
    columns = ("row", "family", "qualifier", "value")
    cells = {"timestamp": [1], **{each: [b"x"] for each in columns}}
    with hfile.HFileWriter(place) as new:
        new.write(pa.table(cells))


def _avro(place: Path) -> None:
    data = io.BytesIO()
    fastavro.writer(data, {"type": "record", "name": "r", "fields": []}, [{}])
    place.write_bytes(data.getvalue())


def _json(place: Path) -> None:
    place.write_text(json.dumps({"a": 1}, indent=2))


def _parquet(place: Path) -> None:
    pq.write_table(TABLE, place)


def _orc(place: Path) -> None:
    orc.write_table(TABLE, str(place))


def _arrow(place: Path) -> None:
    feather.write_feather(TABLE, str(place))


KINDS: list[tuple[Callable[[Path], None], str]] = [
    (_puffin, "a Puffin file"), (_hfile, "an HFile"), (_avro, "an Avro file"),
    (_json, "a JSON document"), (_parquet, "a Parquet file"), (_orc, "an ORC file"),
    (_arrow, "an Arrow IPC file"),
]  # fmt: skip
every = pytest.mark.parametrize(("write", "kind"), KINDS, ids=[kind for _, kind in KINDS])

OPENERS: dict[str, Callable[[str], Any]] = {
    "a Puffin file": puffin.open,
    "an HFile": hfile.open,
    "a Parquet file": lambda place: Files(Relocation(), DEFAULT_LIMITS).open("parquet", place, -1),
    "an ORC file": lambda place: Files(Relocation(), DEFAULT_LIMITS).open("orc", place, -1),
    "an Avro file": lambda place: Files(Relocation(), DEFAULT_LIMITS).open("avro", place, -1),
}


@every
@pytest.mark.parametrize("wanted", OPENERS)
def test_another_format_is_named(
    write: Callable[[Path], None], kind: str, wanted: str, tmp_path: Path
) -> None:
    """With the file and what was wanted; one of its own format opens."""
    write(tmp_path / "x")
    if kind == wanted:
        OPENERS[wanted](str(tmp_path / "x")).close()
        return
    with pytest.raises(FormatError) as refused:
        OPENERS[wanted](str(tmp_path / "x"))
    assert str(refused.value) == f"{tmp_path / 'x'}: found {kind}, wanted {wanted}"


@every
def test_a_table_is_none_of_them(write: Callable[[Path], None], kind: str, tmp_path: Path) -> None:
    """What is not JSON is called what it is."""
    write(tmp_path / "x")
    wanted = (
        f"x at byte 0 .*found {kind}, wanted" if kind != "a JSON document" else "format-version"
    )
    with pytest.raises(FormatError, match=wanted):
        open_table(tmp_path / "x")


@pytest.mark.parametrize("data", [b"", b"P", b"PFA1", b"PAR1 and more", b"anything at all"])
def test_other_bytes_are_nothing_known(data: bytes) -> None:
    """One end of two is not enough: such a file is damaged, or of an unknown kind."""
    assert kind_of(open_source(data)) is None


def test_encrypted_parquet_is_not_called_damaged(tmp_path: Path) -> None:
    """Nobody without its key can say more: scans, verification, sketches, files in memory."""
    place = tmp_path / "x.parquet"
    write_encrypted(TABLE, place)
    because = "found an encrypted (Parquet )?file, wanted a plain one"
    with pytest.raises(Unsupported, match=f"x.parquet: {because}"):
        OPENERS["a Parquet file"](str(place))
    table = TableMaker(tmp_path, [(1, "a", "long")]).commit(File(place, 3)).open()
    with pytest.raises(Unsupported, match=f"x.parquet: {because}"):
        table.scan().to_table()
    (wrong,) = verify(table)
    assert isinstance(wrong, Unsupported)
    with pytest.raises(Unsupported, match=because):
        read_columns(place.read_bytes(), ["a"], DEFAULT_LIMITS)
    said = byteloom("puffin", "ndv", place, "-o", tmp_path / "out.puffin")
    assert said.status == 1
    assert said.err.endswith("x.parquet: found an encrypted Parquet file, wanted a plain one\n")
