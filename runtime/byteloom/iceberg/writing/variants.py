"""Variants to be written, as metadata and value; shredded ones are put together.

The rules:

- The bytes of a value are written as they are. What every reader looks at first is checked: the
  version of the metadata, and that there is a value.

Source: Apache Parquet, "Variant Binary Encoding"; Iceberg table spec, "Appendix A", Parquet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.reading.variants import unshredded
from byteloom.iceberg.types import VariantType
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["variants"]

_FIELDS: Final = ("metadata", "value")
_SHREDDED: Final = "typed_value"
_VERSION, _VERSION_BITS = 1, 0x0F


def variants(array: pa.Array, name: str) -> pa.Array:
    """Return variants as structs of metadata and value.

    Args:
        array: Structs of these, and of ``typed_value`` if they are shredded.
        name: The column, for errors.

    Raises:
        FormatError: Other values, or a variant without metadata of version 1 or without a value.
        Unsupported: A shredded variant of a type that variants do not have.
    """
    where = f"column {name}"
    given = [each.name for each in array.type] if pa.types.is_struct(array.type) else []
    is_shredded = _SHREDDED in given
    if sorted(given) != sorted(_FIELDS) and not is_shredded:
        wanted = "variants: structs of metadata and value"
        raise FormatError(where, None, f"values of type {array.type}", wanted)
    held = dict(zip(given, array.flatten(), strict=True))
    of = arrow_type(VariantType())
    metadata = held["metadata"].cast(of.field("metadata").type)
    value = unshredded(array, name) if is_shredded else held["value"].cast(of.field("value").type)
    valid = array.is_valid()
    parts = [pc.if_else(valid, each, None) for each in (metadata, value)]
    _check(parts, len(array) - array.null_count, where)
    filled = [each.fill_null(b"") for each in parts]
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays(filled, fields=list(of), mask=mask)


def _check(parts: Sequence[pa.Array], rows: int, where: str) -> None:
    """Refuse variants that lack metadata or a value."""
    for name, part in zip(_FIELDS, parts, strict=True):
        present = part.drop_null()
        if len(present) < rows or not pc.all(pc.greater(pc.binary_length(present), 0)).as_py():
            raise FormatError(f"{where}.{name}", None, "nothing", f"the {name} of a variant")
    for each in pc.unique(pc.binary_slice(parts[0].drop_null(), 0, 1)).to_pylist():
        if each[0] & _VERSION_BITS != _VERSION:
            found = f"version {each[0] & _VERSION_BITS}"
            raise FormatError(f"{where}.metadata", None, found, f"version {_VERSION}")
