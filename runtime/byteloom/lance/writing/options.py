"""What a leaf is written with: what its version has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["Options"]

_CONSTANTS: Final = "2.2"


@dataclass(frozen=True, slots=True)
class Options:
    """What a leaf is written with.

    version  ``2.1`` or ``2.2``
    """

    version: str

    @property
    def is_large(self) -> bool:
        """Whether words of chunks and sizes of their buffers have 32 bits."""
        return self.version >= _CONSTANTS

    @property
    def has_runs_of_levels(self) -> bool:
        """Whether levels may be runs."""
        return self.version >= _CONSTANTS

    @property
    def has_constants(self) -> bool:
        """Whether a page may have one value other than null."""
        return self.version >= _CONSTANTS

    @property
    def has_compressed_dictionaries(self) -> bool:
        """Whether dictionaries are compressed."""
        return self.version >= _CONSTANTS

    @property
    def dictionary_bits(self) -> frozenset[int]:
        """Bits of values of one width that dictionaries are made of."""
        return frozenset({64, 128}) if self.version >= _CONSTANTS else frozenset({128})
