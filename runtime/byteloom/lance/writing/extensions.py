"""Arrow's extension types as metadata of fields, which is how files store them.

Source: https://arrow.apache.org/docs/format/Columnar.html#extension-types
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from byteloom.lance.fields import EXTENSION

__all__ = ["extension_metadata"]

_PARAMETERS: Final = "ARROW:extension:metadata"


def extension_metadata(type_: pa.BaseExtensionType) -> dict[bytes, bytes]:
    """Return the metadata that makes a field of its storage type one of an extension type."""
    serialize = getattr(type_, "__arrow_ext_serialize__", None)
    found = {EXTENSION.encode(): type_.extension_name.encode()}
    found[_PARAMETERS.encode()] = _of_arrow(type_) if serialize is None else serialize()
    return found


def _of_arrow(type_: pa.BaseExtensionType) -> bytes:
    """The parameters of a type of Arrow's own, which Python does not expose.

    A serialized schema has them; it is read under a name that Arrow does not know.
    """
    name = type_.extension_name.encode()
    stored = pa.schema([pa.field("", type_)]).serialize().to_pybytes()
    field = pa.ipc.read_schema(pa.py_buffer(stored.replace(name, b"?" * len(name)))).field(0)
    found: bytes = (field.metadata or {}).get(_PARAMETERS.encode(), b"")
    return found
