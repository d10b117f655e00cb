"""What blocks of log files hold: records as the bytes that their schema decodes, and deleted keys.

Source: https://hudi.apache.org/docs/storage_layouts; https://hudi.apache.org/tech-specs
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.columns.loops import DONE
from byteloom.errors import FormatError, Unsupported, count_of_bytes
from byteloom.hudi.avro_values import decode
from byteloom.hudi.logs import LogBlock
from byteloom.late import pc
from byteloom_generated.hfile.hudi_log import AvroData, AvroRecord, Deletes, DeletesVersion
from byteloom_generated.hfile.hudi_log_scan import AVRO_DATAS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["avro_values", "deleted_keys", "sizes_of", "starts_of"]

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


_WHOLE: Final = "value"
"""What errors call the whole value, not a field in it."""

_SPACE: Final = "org.apache.hudi.avro.model"
_WRAPPED: Final[dict[str, Any]] = {
    "Boolean": "boolean",
    "Int": "int",
    "Long": "long",
    "Float": "float",
    "Double": "double",
    "Bytes": "bytes",
    "String": "string",
    "Date": "int",
    "Decimal": "bytes",
    "TimeMicros": "long",
    "TimestampMicros": "long",
    "LocalDate": "int",
}
"""Types of a delete's ordering value, in the order of the union's branches after null."""


def _record(name: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "record", "name": f"{_SPACE}.{name}", "fields": fields}


def _optional(name: str, *types: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", *types]}


_WRAPPERS: Final = [
    _record(f"{name}Wrapper", [{"name": "value", "type": kind}]) for name, kind in _WRAPPED.items()
]
_DELETE: Final = _record(
    "HoodieDeleteRecord",
    [
        _optional("recordKey", "string"),
        _optional("partitionPath", "string"),
        _optional("orderingVal", *_WRAPPERS),
    ],
)
_LIST: Final = json.dumps(
    _record(
        "HoodieDeleteRecordList",
        [{"name": "deleteRecordList", "type": {"type": "array", "items": _DELETE}}],
    )
)


def deleted_keys(block: LogBlock) -> pa.Array:
    """Return the keys that *block* deletes, as binary.

    Raises:
        Unsupported: For versions 1 and 2, which are serialised Java objects.
        FormatError: A damaged file.
    """
    framed = Deletes.from_bytes(block.content, origin=block.offset, whole=True)
    if framed.version != DeletesVersion.AVRO:
        found = f"version {framed.version:d}, serialised Java objects"
        raise Unsupported("deletes.version", block.offset, found, f"version {DeletesVersion.AVRO}")
    values = pa.array([framed.list_], pa.binary())

    def placed(error: FormatError, _: int) -> FormatError:
        field = error.path.partition("].")[2].removeprefix(_WHOLE)
        path = f"deletes.list.{field}".rstrip(".")
        made = FormatError(path, error.offset, error.found, error.wanted)
        return made.moved(block.offset + Deletes.MIN_SIZE)

    listed = decode(values, _LIST, placed=placed)
    keys = pc.struct_field(pc.list_flatten(pc.struct_field(listed, 0)), 0)
    if keys.null_count:
        found, at = f"{keys.null_count} without a key", block.offset + Deletes.MIN_SIZE
        raise FormatError("deletes.list", at, found, "records with keys")
    return keys.cast(pa.binary())
