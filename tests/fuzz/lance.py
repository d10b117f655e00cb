"""Lance files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import zstandard
from tests.fuzz.seeds import Seed
from tests.support.lance_pages import (
    binary,
    bitmap,
    dictionary,
    ends,
    fixed_lists,
    flat,
    lists,
    no_nulls,
    old_file,
    old_files,
    page,
    some_nulls,
)

from byteloom import lance
from byteloom.cli.formats.lance import explain, verify
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["files"]

ROWS = 40
NUMBERS = np.arange(ROWS, dtype="<i4").tobytes()
VALID = bitmap(*[1, 0, 1, 1] * (ROWS // 4))
FLAT, SOME = no_nulls(flat(32)), some_nulls(flat(1), flat(32, 1))


def files(folder: Path) -> Iterator[Seed]:
    """Yield files of every kind of encoding of version 2.0."""
    del folder
    text = b"".join(b"%d" % each for each in range(ROWS))
    stops = np.cumsum([len(b"%d" % each) for each in range(ROWS)]).tolist()
    words = dictionary(no_nulls(flat(8)), binary(3, 1), 2)
    frame = zstandard.ZstdCompressor().compress(NUMBERS)
    for name, kind, pages in (
        ("pages", "int32", [page(ROWS, FLAT, NUMBERS)] * 2),
        ("nulls", "int32", [page(ROWS, SOME, VALID, NUMBERS)]),
        ("vectors", "fixed_size_list:int32:4", [page(10, fixed_lists(4, FLAT), NUMBERS)]),
        ("text", "string", [page(ROWS, binary(len(text)), ends(*stops), text)]),
        ("few texts", "string", [page(4, words, b"\0\1\2\1", ends(1, 3), b"abc")]),
        ("words", "dict:string:int8:false", [page(4, words, b"\0\1\0\1", ends(1, 3), b"abc")]),
        ("frame", "int32", [page(ROWS, flat(32, scheme="zstd"), frame)]),
    ):
        yield _seed(name, old_file(kind, sum(each.length for each in pages), *pages))
    columns = [[page(4, lists(ROWS), ends(10, 10, 81, ROWS))], [page(ROWS, FLAT, NUMBERS)]]
    yield _seed("lists", old_files(["list", "int32"], 4, columns))


def _seed(name: str, data: bytes) -> Seed:
    return Seed(f"Lance {name}", data, _rows, _findings, counts=True)


def _rows(data: bytes) -> int:
    """Read all ways that there are."""
    with lance.open(data) as file:
        count = min(file.num_rows, 10)
        file.take(list(range(count)))
        for batch in file.scan(batch_size=7, rows=range(count)).batches():
            batch.validate(full=True)
        table = file.to_table()
        table.validate(full=True)
        return int(table.num_rows)


def _findings(data: bytes) -> int:
    explain(BytesSource(data), full=True)
    verify(BytesSource(data))
    return 0
