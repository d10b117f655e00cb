"""Values at every limit are written, found and read; values one beyond are refused."""

from __future__ import annotations

import io
from typing import Any, Final

import pyarrow as pa
import pytest
from tests.support.hbase import SCHEMA
from tests.support.hfile_damage import patched, places
from tests.support.hfile_files import LATEST

from byteloom import hfile
from byteloom.errors import FormatError
from byteloom.hfile import BloomBuilder, HFileWriter

ENCODINGS: Final = ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")
ROW: Final = b"r" * 32767
LAST: Final[dict[str, Any]] = {
    "row": ROW,
    "family": b"f" * 127,
    "qualifier": b"q" * 70_000,
    "timestamp": LATEST,
    "type": 255,
    "value": b"v" * 70_000,
    "mvcc": LATEST,
    "tags": (32765).to_bytes(2, "big") + b"\1" + bytes(32764),
}
FIRST: Final = LAST | {
    "row": b"", "qualifier": b"", "timestamp": 0, "type": 0, "value": b"", "mvcc": 0, "tags": b"",
}  # fmt: skip


def written(*cells: dict[str, Any], **options: Any) -> bytes:
    """Return the bytes of a file."""
    out = io.BytesIO()
    with HFileWriter(out, **options) as writer:
        writer.write(pa.Table.from_pylist(list(cells), schema=SCHEMA))
    return out.getvalue()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_least_and_the_most_come_back(encoding: str) -> None:
    """Cells with the shortest and longest fields, and extreme numbers, are read as written."""
    data = written(FIRST, LAST, encoding=encoding, tags=True, blooms=["ROW"])
    with hfile.open(data) as file:
        assert file.verify() == 2
        assert file.read().to_pylist() == [FIRST, LAST]
        found = file.lookup([ROW[:-1], ROW, ROW + b"\0", ROW + b"r", b"", ROW * 2])
        assert found["row"].to_pylist() == [ROW, b""]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"row": ROW + b"r"}, "cells[1].key.len_row"),
        ({"family": b"f" * 128}, "cells[1].key.columns.len_family"),
        ({"tags": b"\0\1\1" + LAST["tags"]}, "cells[1].tags"),
    ],
)
def test_one_more_is_refused(change: dict[str, Any], path: str) -> None:
    """A field that is one byte too long is refused by its path."""
    with pytest.raises(FormatError, match="wanted at most") as refused:
        written(FIRST | {"family": b""}, LAST | change, tags=True)
    assert refused.value.path == path


def test_the_longest_tags_of_a_delta_encoding() -> None:
    """Delta encodings keep tags of up to 65,535 bytes, which HBase reads there."""
    tags = b"".join(n.to_bytes(2, "big") + b"\1" + bytes(n - 1) for n in (32765, 32766))
    assert len(tags) == 65535
    for encoding in ("PREFIX", "DIFF", "FAST_DIFF"):
        with hfile.open(written(LAST | {"tags": tags}, encoding=encoding, tags=True)) as file:
            assert file.read()["tags"].to_pylist() == [tags]


@pytest.mark.parametrize("length", [32755, 32756])
def test_the_longest_key_of_hudi(length: int) -> None:
    """A row in Hudi's profile has at most 32,755 bytes, 12 less than a serialized key."""
    cell = LAST | {
        "row": b"r" * length, "family": b"", "qualifier": b"", "type": 4, "mvcc": 0, "tags": b"",
    }  # fmt: skip
    if length == 32756:
        with pytest.raises(FormatError, match=r"^cells\[0\]\.row: found .* at most 32755 bytes"):
            written(cell, profile="hudi")
        return
    with hfile.open(written(cell, profile="hudi")) as file:
        assert file.read()["row"].to_pylist() == [cell["row"]]
        assert len(file.lookup([cell["row"]])) == 1


@pytest.mark.parametrize(
    ("stored", "length"), [(1, 1), (32767, 32767), (32768, None), (0, None), (-1, None)]
)
def test_the_length_of_a_prefix_in_a_filter(stored: int, length: int | None) -> None:
    """The prefix length of a Bloom filter is from 1 to that of the longest row."""
    made = BloomBuilder("ROWPREFIX_FIXED_LENGTH", prefix_length=7)
    data = written(LAST | {"tags": b""}, blooms=[made])
    info = next(each for each in places(data) if each.magic == b"FILEINF2")
    payload = data[info.start : info.start + info.len_data]
    at = payload.index((7).to_bytes(4, "big"), payload.index(b"BLOOM_FILTER_PARAM"))
    changed = patched(data, info, at, stored.to_bytes(4, "big", signed=True))
    with hfile.open(changed) as file:
        if length is not None:
            assert file.bloom_filters[0].key(ROW + b"r") == ROW[:length]
        else:
            with pytest.raises(FormatError, match=r"^file_info\.BLOOM_FILTER_PARAM: found "):
                file.lookup([ROW])
