"""Shapes and variants in Arrow: the extension types that say what bytes and structs mean.

The rules:

- Shapes are WKB in ``geoarrow.wkb``, whose metadata have the reference system and how edges run;
  ones that run straight are a geometry's.
- Variants are structs of metadata and value in ``arrow.parquet.variant``.
- Types that a program has not registered are in the metadata of fields.

Source: https://geoarrow.org/extension-types.html; Arrow's canonical extension types.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.iceberg.types import GeographyType, GeometryType, Type, VariantType
from byteloom.iceberg.types.primitive import DEFAULT_CRS, EDGE_ALGORITHMS

if TYPE_CHECKING:
    from typing import Self

__all__ = ["ShapeType", "extension_type"]

_SHAPES: Final = "geoarrow.wkb"
_VARIANTS: Final = frozenset({"arrow.parquet.variant", "parquet.variant"})
_NAME, _METADATA = b"ARROW:extension:name", b"ARROW:extension:metadata"


class ShapeType(pa.ExtensionType):  # type: ignore[misc]  # pyarrow has no types
    """Shapes as pyarrow writes them to Parquet, with their logical type and their boxes."""

    def __init__(self, metadata: bytes) -> None:
        """Keep the metadata, which are JSON."""
        self._metadata = metadata
        super().__init__(pa.large_binary(), _SHAPES)

    @classmethod
    def of(cls, kind: GeometryType | GeographyType) -> Self:
        """Return the type for one of Iceberg."""
        said = {} if kind.crs == DEFAULT_CRS else {"crs": kind.crs}
        if isinstance(kind, GeographyType):
            said["edges"] = kind.algorithm
        return cls(json.dumps(said).encode())

    def __arrow_ext_serialize__(self) -> bytes:
        """Return the metadata."""
        return self._metadata

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, data: bytes) -> Self:
        """Return the type with these metadata."""
        del storage
        return cls(data)


def extension_type(of: pa.DataType, metadata: dict[bytes, bytes] | None = None) -> Type | None:
    """Return the type of Iceberg that an extension stands for; None for other extensions.

    Args:
        of: The type of a column.
        metadata: Those of its field, where a type is that the program has not registered.
    """
    if isinstance(of, pa.BaseExtensionType):
        serialized = getattr(of, "__arrow_ext_serialize__", bytes)()
        name, said = of.extension_name, serialized
    else:
        held = metadata or {}
        name, said = held.get(_NAME, b"").decode(errors="replace"), held.get(_METADATA, b"")
    if name in _VARIANTS:
        return VariantType()
    return _shapes(said) if name == _SHAPES else None


def _shapes(serialized: bytes) -> Type:
    """Return the type of shapes with these metadata."""
    try:
        found = json.loads(serialized or b"{}")
    except ValueError:
        found = {}
    said: dict[str, Any] = found if isinstance(found, dict) else {}
    crs, edges = _system(said.get("crs")), said.get("edges")
    if edges in EDGE_ALGORITHMS:
        return GeographyType(crs, edges)
    return GeometryType(crs)


def _system(found: Any) -> str:
    """Return a reference system by its name, or by the code in its definition."""
    if isinstance(found, str) and found:
        return found
    known = found.get("id") if isinstance(found, dict) else None
    if isinstance(known, dict) and {"authority", "code"} <= known.keys():
        return f"{known['authority']}:{known['code']}"
    return DEFAULT_CRS
