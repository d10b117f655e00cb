"""Small files that would become large are refused in a process without memory for them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.data_files import opened_file

from byteloom.documents.json_text import check_json_values
from byteloom.errors import LimitExceeded
from byteloom.limits import Limits
from byteloom.parquet import weights
from byteloom.storage import open_source
from byteloom.storage.sources import read_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MEMORY = 200_000_000
"""Bytes that all cases may take beyond what the process has when all is imported."""

CHILD = """
import json, resource, sys
import pyarrow.parquet
from byteloom import puffin
from byteloom.errors import ByteloomError
from byteloom.iceberg import open_table
from byteloom.iceberg.reading import task
from byteloom.iceberg.metadata_tables import metadata_table
from byteloom.kernels import parquet_footers
from byteloom.storage import open_source

if sys.platform == "linux":
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
said = []
for call, path in json.loads(sys.argv[2]):
    try:
        said.append(f"value {eval(call)(path)}")
    except ByteloomError as error:
        said.append(f"{type(error).__name__} {error}")
print(json.dumps(said))
"""


def read_a_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read at most a tenth of what is else read of a file at a time."""
    assert weights._BATCH_BYTES == 256 << 20
    monkeypatch.setattr(weights, "_BATCH_BYTES", (256 << 20) // 10)


def _lists() -> bytes:
    return b'{"x":[' + b"[]," * 10_000_000 + b"[]]}"


def _zipped_lists() -> bytes:
    return gzip.compress(_lists(), 1)


def _texts() -> bytes:
    return b'{"x":[' + b'"a",' * 15_000_000 + b"1]}"


def _footer() -> bytes:
    payload = b'{"blobs":[],"x":[' + b"[]," * 10_000_000 + b"[]]}"
    tail = len(payload).to_bytes(4, "little") + bytes(4) + b"PFA1"
    return b"PFA1PFA1" + payload + tail


METADATA = [_lists, _zipped_lists, _texts]


class Refused(NamedTuple):
    """A file, and the error that reading it ends with."""

    place: Path
    said: str


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Refused]:
    """Read all cases, one after the other, in one process of little memory."""
    root, places = tmp_path_factory.mktemp("large"), {}
    for make in (*METADATA, _footer):
        places[make.__name__] = root / f"{make.__name__}.metadata.json"
        places[make.__name__].write_bytes(make())
    places["sparse"] = root / "sparse.metadata.json"
    with places["sparse"].open("wb") as file:
        file.truncate(1 << 40)
    calls = {"_footer": "puffin.open"}
    cases = [(calls.get(name, "open_table"), str(place)) for name, place in places.items()]
    command = [sys.executable, "-c", CHILD, str(MEMORY), json.dumps(cases)]
    run = subprocess.run(command, capture_output=True, check=False, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    said = json.loads(run.stdout)
    return {name: Refused(places[name], each) for name, each in zip(places, said, strict=True)}


@pytest.mark.parametrize("content", METADATA)
def test_metadata_of_many_values_is_refused(
    content: Callable[[], bytes], refused: dict[str, Refused]
) -> None:
    """Table metadata of millions of JSON values is refused before it is parsed."""
    place, said = refused[content.__name__]
    assert said.startswith(f"LimitExceeded {place}: table-metadata: found about ")
    assert "limits.json_values" in said


def test_a_footer_of_many_values_is_refused(refused: dict[str, Refused]) -> None:
    """A Puffin footer of millions of JSON values in an unknown field is refused."""
    place, said = refused["_footer"]
    where = f"{place}: footer.payload at byte 8 (0x8)"
    assert said.startswith(f"LimitExceeded {where}: found about ")


def test_sparse_metadata_is_not_read(refused: dict[str, Refused]) -> None:
    """A sparse metadata file of 1 TiB is refused by its size, unread."""
    said = refused["sparse"].said
    assert "found 1099511627776 bytes, wanted at most 268435456 (limits.metadata_size)" in said


def test_a_small_parquet_file_of_large_texts_is_read_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small Parquet file of twenty texts of 30 MB is read at most eight rows at a time.

    Texts and what is read at a time are a tenth of that here.
    """
    from byteloom.iceberg import NestedField, StringType

    place = tmp_path / "x.parquet"
    schema = pa.schema([pa.field("a", pa.string(), metadata={"PARQUET:field_id": "1"})])
    table = pa.table([["x" * 3_000_000]], schema)
    options: dict[str, Any] = {"compression": "zstd", "write_statistics": False}
    with pq.ParquetWriter(place, schema, use_dictionary=False, **options) as writer:
        for _ in range(20):
            writer.write_table(table)
    assert place.stat().st_size < 10_000
    read_a_tenth(monkeypatch)
    field = NestedField(1, "a", StringType(), required=False)
    with closing(opened_file(open_source(place))) as data:
        assert [each.rows for each in data.pieces([field])] == [8, 8, 4]


def test_rows_that_are_large_come_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch has the largest power of 2 of rows that 256 MiB can hold, and at least one row.

    Rows and what is read at a time are a tenth of that here.
    """
    from byteloom.iceberg import NestedField, StringType

    place = tmp_path / "x.parquet"
    texts = ["x" * 4_800_000] * 5
    schema = pa.schema([pa.field("a", pa.string(), metadata={"PARQUET:field_id": "1"})])
    options: dict[str, Any] = {"use_dictionary": False, "write_statistics": False}
    pq.write_table(pa.table([texts], schema), place, compression="none", **options)
    read_a_tenth(monkeypatch)
    data = opened_file(open_source(place))
    field = NestedField(1, "a", StringType(), required=False)
    assert [each.rows for each in data.pieces([field])] == [4, 1]
    data.close()


@pytest.mark.parametrize(("values", "refused"), [(10, False), (11, True)])
def test_values_of_json_are_counted(values: int, refused: bool) -> None:
    """JSON may have as many values as its size and the limit allow; a list counts as four."""
    text = b"[" + b"1," * (values - 4) + b"1]"
    limits = Limits(json_values=10 - len(text) // 6)
    if not refused:
        check_json_values("x", text, limits)
        return
    with pytest.raises(LimitExceeded, match=r"x: found about 11 JSON values, wanted at most 10"):
        check_json_values("x", text, limits)


def test_files_that_are_read_whole_are_bounded(tmp_path: Path) -> None:
    """A file of exactly the limit is read whole, and a larger one is refused."""
    (tmp_path / "a").write_bytes(b"12345")
    with open_source(tmp_path / "a") as source:  # type: ignore[attr-defined]
        assert read_whole(source, Limits(metadata_size=5)) == b"12345"
        with pytest.raises(LimitExceeded, match=r"a: found 5 bytes, wanted at most 4"):
            read_whole(source, Limits(metadata_size=4))
