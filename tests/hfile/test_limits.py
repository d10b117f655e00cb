"""The largest and smallest that there may be is written, found and read; one more is refused."""

from __future__ import annotations

import io
from typing import Any, Final

import pyarrow as pa
import pytest
from tests.support.hbase import SCHEMA

from byteloom import hfile
from byteloom.errors import FormatError
from byteloom.hfile.bloom import _prefix
from byteloom.hfile.keys import LATEST, Key
from byteloom.hfile.writing import HFileWriter

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
    """The bytes of a file."""
    out = io.BytesIO()
    with HFileWriter(out, **options) as writer:
        writer.write(pa.Table.from_pylist(list(cells), schema=SCHEMA))
    return out.getvalue()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_least_and_the_most_come_back(encoding: str) -> None:
    """Lengths, times, types and sequence numbers at both ends of what a cell can have."""
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
    """By the field that is too long."""
    with pytest.raises(FormatError, match="wanted at most") as refused:
        written(FIRST | {"family": b""}, LAST | change, tags=True)
    assert refused.value.path == path


def test_the_longest_tags_of_a_delta_encoding() -> None:
    """There HBase reads all that two bytes can say."""
    tags = b"".join(n.to_bytes(2, "big") + b"\1" + bytes(n - 1) for n in (32765, 32766))
    assert len(tags) == 65535
    for encoding in ("PREFIX", "DIFF", "FAST_DIFF"):
        with hfile.open(written(LAST | {"tags": tags}, encoding=encoding, tags=True)) as file:
            assert file.read()["tags"].to_pylist() == [tags]


@pytest.mark.parametrize("length", [32755, 32756])
def test_the_longest_key_of_hudi(length: int) -> None:
    """12 bytes of a serialized key are not the row's."""
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
    ("key", "fits"),
    [
        (Key(b"r", b"f" * 127), True),
        (Key(b"r", b"f" * 128), False),
        (Key(b"r", timestamp=-(1 << 63)), True),
        (Key(b"r", timestamp=-(1 << 63) - 1), False),
        (Key(b"r", timestamp=LATEST), True),
        (Key(b"r", timestamp=LATEST + 1), False),
        (Key(b"r", type=0), True),
        (Key(b"r", type=-1), False),
        (Key(b"r", type=255), True),
        (Key(b"r", type=256), False),
    ],
)
def test_keys_at_their_limits(key: Key, fits: bool) -> None:
    """What fits is the same when it is read; what does not is refused."""
    if fits:
        assert Key.decode(key.encode()) == key
    else:
        with pytest.raises(FormatError, match=r"^key: found no cell key: .*, wanted the key of"):
            key.encode()


def test_rows_of_keys_are_cut_where_no_stored_row_goes_on() -> None:
    """The row keeps one byte more than a stored row can have, so that it sorts after it."""
    stored, longer, longest = (Key(b"r" * n).encode() for n in (32767, 32768, 32769))
    assert stored != longer
    assert longer == longest


@pytest.mark.parametrize(
    ("stored", "length"),
    [
        (b"\0\0\0\1", 1),
        (b"\0\0\x7f\xff", 32767),
        (b"\0\0\x80\0", None),
        (b"\0\0\0\0", None),
        (b"", None),
    ],
)
def test_the_length_of_a_prefix_in_a_filter(stored: bytes, length: int | None) -> None:
    """From 1 to the longest row."""
    info = {b"BLOOM_FILTER_PARAM": stored}
    if length is not None:
        assert _prefix(info) == length
    else:
        with pytest.raises(FormatError, match=r"^file_info\.BLOOM_FILTER_PARAM: found "):
            _prefix(info)
