"""The records of Avro blocks of log files, as the bytes that their schema decodes.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.columns.loops import DONE
from byteloom.errors import FormatError, count_of_bytes
from byteloom.hudi.logs import LogBlock
from byteloom_generated.hfile.hudi_log import AvroData, AvroRecord
from byteloom_generated.hfile.hudi_log_scan import AVRO_DATAS

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["avro_values", "sizes_of", "starts_of"]

_WORDS = 4
"""Words of 32 bits in a view, of which the first is the size of its bytes."""


def avro_values(block: LogBlock) -> pa.Array:
    """Return the records of an Avro block, undecoded, as views of binary.

    Raises:
        FormatError: For records that are not as long as the block.
    """
    data = np.frombuffer(block.content, np.uint8)
    found = AVRO_DATAS.over(data, np.array([[0, len(data)]]), ["content"], 1, {})
    if not found.rows:
        error = AVRO_DATAS.refusal(data, len(data), found, {}, block.offset)
        path = error.path.replace(f"{AVRO_DATAS.name}[0]", AvroData.NAME, 1)
        raise type(error)(path, error.offset, error.found, error.wanted)
    if found.code != DONE:
        left = f"{count_of_bytes(len(data) - found.place)} after the last record"
        raise FormatError("avro_data.records", block.offset + found.place, left, "none")
    views, count = found.columns["content"], int(found.offsets["content"][-1])
    return pa.Array.from_buffers(
        pa.binary_view(), count, [None, pa.py_buffer(views), pa.py_buffer(data)]
    )


def sizes_of(values: pa.Array) -> NDArray[np.int64]:
    """Return how many bytes each of the *values* of a block has."""
    views = np.frombuffer(values.buffers()[1], np.int32)[: _WORDS * len(values)]
    return views[::_WORDS].astype(np.int64)


def starts_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the bytes of each record begin in its block's content, given all sizes."""
    heads = AvroRecord.MIN_SIZE * np.arange(1, len(sizes) + 1)
    return AvroData.MIN_SIZE + heads + np.cumsum(sizes) - sizes
