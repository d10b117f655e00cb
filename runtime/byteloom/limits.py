"""The bounds that keep a hostile file from taking the machine with it.

Every bound is generous: an honest file meets none of them by a wide margin.  Whoever knows better
passes an own `Limits`; the error that a bound raises names the field to raise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["DEFAULT_LIMITS", "Limits"]

_MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What reading one file may cost at most."""

    decompressed_size: int = 512 * _MIB
    """Bytes that one compressed part may grow to.  Twice the largest blob or block that any
    known writer makes; a bomb of 1 MiB asks for more."""

    expansion: int = 250
    """How many times its own size a zlib part may grow to once it passes 16 MiB.  The format ends
    at 1,032, which only bytes all alike come near; a bomb is known by this while it is small."""

    metadata_size: int = 256 * _MIB
    """Bytes of one footer, header or JSON document.  Table metadata of 250 MB exists."""

    elements: int = 100_000_000
    """Elements of one repeated field.  An element can be as small as nothing, so that bytes left
    alone do not bound it."""

    empty_elements: int = 100_000
    """Elements of one repeated field that take no bytes: nothing in the file pays for them."""

    objects: int = 50_000_000
    """Records that one read may create, all repeated fields together: about 5 GB of objects."""

    nesting: int = 200
    """Records inside records.  Python's own stack ends near 1,000 frames, three for a record."""


DEFAULT_LIMITS: Final = Limits()
"""What readers use that were given no limits."""
