"""Sizes of the buffers of an Arrow file are those that pyarrow decompresses."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pyarrow as pa
import pytest

from byteloom.lance.dataset.deletions import buffer_sizes

COUNTS = [0, 1, 1000, 70_000]


def file_of(codec: str | None, counts: list[int], **options: object) -> pa.Buffer:
    """An Arrow file with a batch of each of these sizes."""
    out = pa.BufferOutputStream()
    schema = pa.schema([pa.field("row_id", pa.uint32())])
    written = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.ipc.new_file(out, schema, options=written) as writer:
        for count in counts:
            values = [None if options and number % 3 == 0 else number for number in range(count)]
            writer.write(pa.record_batch([pa.array(values, pa.uint32())], schema))
    return out.getvalue()


@pytest.mark.parametrize("codec", [None, "zstd", "lz4"])
@pytest.mark.parametrize("nulls", [False, True])
def test_sizes_are_those_that_pyarrow_decompresses(codec: str | None, nulls: bool) -> None:
    """Each buffer has the size that pyarrow gives it, in every codec and without any."""
    data = file_of(codec, COUNTS, **({"nulls": True} if nulls else {}))
    with pa.ipc.open_file(data) as reader:
        batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
    wanted = [0 if each is None else each.size for batch in batches for each in batch[0].buffers()]
    assert list(buffer_sizes(data)) == wanted


def test_damage_is_a_value_error_or_an_error_of_pyarrow() -> None:
    """A file that is cut off or changed gives sizes, or an error that the caller turns into one."""
    data, random = file_of("zstd", [3, 4]).to_pybytes(), Random(1)
    damaged = [data[:size] for size in range(len(data))]
    for _ in range(2000):
        changed = bytearray(data)
        changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
        damaged.append(bytes(changed))
    for each in damaged:
        with suppress(ValueError, OSError):
            assert all(size >= 0 for size in buffer_sizes(pa.py_buffer(each)))


@pytest.mark.parametrize("place", ["size", "message"])
def test_a_batch_without_a_message_is_a_value_error(place: str) -> None:
    """A batch of no bytes, or one whose message says that the stream ends, is damage."""
    data = bytearray(file_of(None, [3]).to_pybytes())
    start = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    blocks = [
        at
        for at in range(start, len(data) - 24)
        if 0 < int.from_bytes(data[at : at + 8], "little") < start
        and data[int.from_bytes(data[at : at + 8], "little") :][:4] == b"\xff" * 4
        and int.from_bytes(data[at + 8 : at + 12], "little") > 8
    ]
    (at,) = blocks
    if place == "size":
        data[at + 8 : at + 24] = bytes(16)
    else:
        offset = int.from_bytes(data[at : at + 8], "little")
        data[offset + 4 : offset + 8] = bytes(4)
    with pytest.raises(ValueError, match=r"^a batch without a message$"):
        list(buffer_sizes(pa.py_buffer(bytes(data))))
