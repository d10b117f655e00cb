"""Count the values of a JSON document before it is parsed.

A list takes two bytes of JSON and 64 of memory, so the size of a document alone does not bound
its memory.  Counting brackets and commas does, at the speed of memory; those inside strings
count too, which the limit allows for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import LimitExceeded

if TYPE_CHECKING:
    from byteloom.limits import Limits

__all__ = ["check_json_values"]

_CONTAINER: Final = 4
"""The values that an object or a list counts for: its memory, compared with that of a number."""

_PAID: Final = 6
"""Bytes of JSON for each value allowed.  An entry of a log has at least 35, and counts for six."""


def check_json_values(path: str, data: bytes, limits: Limits) -> None:
    """Refuse a document with more values than its size and ``limits.json_values`` allow.

    path  the name of the document in the error
    """
    most = limits.json_values + len(data) // _PAID
    if len(data) < most:
        return
    values = data.count(b",") + _CONTAINER * (data.count(b"[") + data.count(b"{"))
    if values > most:
        wanted = f"at most {most} in {len(data)} bytes (limits.json_values)"
        raise LimitExceeded(path, None, f"about {values} JSON values", wanted)
