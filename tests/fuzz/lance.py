"""Lance files."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import zstandard
from tests.fuzz.seeds import Seed
from tests.support.lance_files import StoredPage, lance_field, lance_file
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
from byteloom.cli.formats.lance import explain
from byteloom.storage.sources import BytesSource
from byteloom.verification.lance import verify
from byteloom.wire import Folding
from byteloom_generated.lance import bit_packing, encodings21

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["files"]

ROWS = 40
NUMBERS = np.arange(ROWS, dtype="<i4").tobytes()
VALID = bitmap(*[1, 0, 1, 1] * (ROWS // 4))
FLAT, SOME = no_nulls(flat(32)), some_nulls(flat(1), flat(32, 1))


def files(folder: Path) -> Iterator[Seed]:
    """Yield files of every kind of encoding of version 2.0, and of most from 2.1 on."""
    del folder
    yield from _old()
    for version in ("2.1", "2.2"):
        for name, column in _columns():
            yield _seed(f"{version} {name}", _written(version, column))
    for name, encoding, buffers in _encodings():
        yield _seed(f"2.1 {name}", _small(encoding, buffers))


def _columns() -> Iterator[tuple[str, pa.Array]]:
    """Columns that get each layout, with levels of each kind."""
    numbers = [None if each % 4 == 1 else each for each in range(ROWS)]
    words = [None if each % 7 == 3 else "word" * (each % 5) for each in range(ROWS)]
    yield "numbers", pa.array(numbers, pa.int32())
    yield "text", pa.array(words)
    yield "long text", pa.array(["x" * 300, None, "y" * 400])
    yield "lists", pa.array([numbers[:3], [], None, numbers[3:9]] * 3, pa.list_(pa.int16()))
    yield "long lists", pa.array([["z" * 300], [], None, ["", "w" * 500]])
    yield "structs", pa.array([{"a": 1, "b": ["x"]}, None, {"a": None, "b": []}] * 4)
    yield "vectors", pa.array([[1.5, 2.5]] * ROWS, pa.list_(pa.float32(), 2))
    yield "nulls", pa.nulls(ROWS, pa.int64())


def _written(version: str, column: pa.Array) -> bytes:
    out = BytesIO()
    with lance.LanceWriter(out, pa.schema([("c", column.type)]), version=version) as writer:
        writer.write(pa.table({"c": column}))
    return out.getvalue()


def _encodings() -> Iterator[tuple[str, encodings21.CompressiveEncoding, list[bytes]]]:
    """Encodings of 40 integers of 32 bits, and the buffers of their one chunk."""
    e, wide = encodings21, encodings21.CompressiveEncoding
    flat = wide(flat=e.Flat(bits_per_value=32))
    bytes_ = wide(flat=e.Flat(bits_per_value=8))
    runs = np.array([7, 1 << 30], "<u4").tobytes(), bytes([ROWS - 3, 3])
    yield "runs", wide(rle=e.Rle(values=flat, run_lengths=bytes_)), list(runs)
    planes = np.frombuffer(NUMBERS, np.uint8).reshape(ROWS, 4).T.tobytes()
    yield "planes", wide(byte_stream_split=e.ByteStreamSplit(values=flat)), [planes]
    scheme = e.BufferCompression(scheme=e.CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
    frame = len(NUMBERS).to_bytes(8, "little") + zstandard.ZstdCompressor().compress(NUMBERS)
    yield "frame", wide(general=e.General(compression=scheme, values=flat)), [frame]
    words, first = np.zeros(6 * 32, np.uint32), np.array([0])
    integers = np.arange(1024, dtype=np.uint32) % ROWS
    bit_packing.pack_32(integers, first, np.array([6]), words, first)
    packed = wide(inline_bitpacking=e.InlineBitpacking(uncompressed_bits_per_value=32))
    yield "packed integers", packed, [b"\6\0\0\0" + words.tobytes()]


def _small(encoding: encodings21.CompressiveEncoding, buffers: list[bytes]) -> bytes:
    """A file whose one chunk has these buffers."""
    parts = [np.array([0, *map(len, buffers)], "<u2").tobytes(), *buffers]
    chunk = b"".join(each + bytes(-len(each) % 8) for each in parts)
    layout = encodings21.MiniBlockLayout(
        value_compression=encoding,
        layers=[encodings21.RepDefLayer.REPDEF_ALL_VALID_ITEM],
        num_buffers=len(buffers),
        num_items=ROWS,
    )
    word = np.array([(len(chunk) // 8 - 1) << 4], "<u2").tobytes()
    whole = encodings21.PageLayout(mini_block_layout=layout)
    page = StoredPage(ROWS, "/lance.encodings21.PageLayout", whole, [word, chunk])
    return lance_file([lance_field("c", "int32")], [[page]], rows=ROWS, version="2.1")


def _old() -> Iterator[Seed]:
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
    """Read a file in all ways, and count its rows."""
    with lance.open(data) as file:
        count = min(file.num_rows, 10)
        file.take(list(range(count)))
        for batch in file.scan(batch_size=7, rows=range(count)).batches():
            batch.validate(full=True)
        table = file.to_table()
        table.validate(full=True)
        return int(table.num_rows)


def _findings(data: bytes) -> int:
    explain(BytesSource(data), folding=Folding.none())
    verify(BytesSource(data))
    return 0
