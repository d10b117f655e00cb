"""The keys that a delete block of a log file deletes.

Source: https://hudi.apache.org/tech-specs
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

import fastavro

from byteloom.errors import FormatError, Unsupported, count_of_bytes, found_by
from byteloom_generated.hfile.hudi_log import Deletes, DeletesVersion

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.hudi.logs import LogBlock

__all__ = ["deleted_keys"]

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
_LIST: Final = fastavro.parse_schema(
    _record(
        "HoodieDeleteRecordList",
        [{"name": "deleteRecordList", "type": {"type": "array", "items": _DELETE}}],
    )
)


def deleted_keys(block: LogBlock) -> pa.Array:
    """Return the keys that *block* deletes, as binary.

    raises  `Unsupported` for versions 1 and 2, which are serialised Java objects, `FormatError`
    """
    import pyarrow as pa

    framed = Deletes.from_bytes(block.content, origin=block.offset, whole=True)
    if framed.version != DeletesVersion.AVRO:
        found = f"version {framed.version:d}, serialised Java objects"
        raise Unsupported("deletes.version", block.offset, found, f"version {DeletesVersion.AVRO}")
    stream, at = io.BytesIO(framed.list_), block.offset + Deletes.MIN_SIZE
    try:
        listed: Any = fastavro.schemaless_reader(stream, _LIST, None)
        keys = [each["recordKey"].encode() for each in listed["deleteRecordList"]]
    except Exception as error:  # fastavro raises exceptions of any type on damage
        found = found_by("malformed bytes", error)
        raise FormatError("deletes.list", at, found, "delete records") from error
    if stream.tell() != len(framed.list_):
        found, wanted = map(count_of_bytes, (len(framed.list_), stream.tell()))
        raise FormatError("deletes.list", at, found, wanted)
    return pa.array(keys, pa.binary())
