"""Edited records as bytes: what depends on an edit follows it, or the record is refused.

A record that was read knows the bytes that it was read from.  Writing it compares it with them,
updates sizes, counts and positions that nobody edited, and reads the result back.
`byteloom.wire.record` asks for this package when a record may have to be compared.

    to_bytes  the bytes of a record, which are read as an equal record
"""

from byteloom.editing.check import to_bytes

__all__ = ["to_bytes"]


def __dir__() -> list[str]:
    return __all__
