"""The keys that a delete block of a log file deletes.

Source: https://hudi.apache.org/tech-specs
"""

from __future__ import annotations

import json
from typing import Any, Final

import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.hudi.avro_values import decode
from byteloom.hudi.logs import LogBlock
from byteloom.late import pc
from byteloom_generated.hfile.hudi_log import Deletes, DeletesVersion

__all__ = ["deleted_keys"]

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
