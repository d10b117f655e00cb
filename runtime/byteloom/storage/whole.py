"""Read a small file whole; a large one is refused."""

from __future__ import annotations

from byteloom.errors import TooLarge
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.sources import Source

__all__ = ["read_whole"]


def read_whole(source: Source, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return all bytes of *source*; `TooLarge` for more than ``limits.metadata_size``."""
    most = limits.metadata_size
    if source.size > most:
        wanted = f"at most {most} (limits.metadata_size)"
        raise TooLarge(source.name, None, f"{source.size} bytes", wanted)
    return source.read(0, source.size)
