"""The number of values in a JSON document, before it is parsed.

A list takes two bytes of JSON and 64 of memory, so that the size of a document alone does not bound
what it costs.  Counting brackets and commas does, at the speed of memory; those inside of strings
count too, which honest documents can afford.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import LimitExceeded

if TYPE_CHECKING:
    from byteloom.limits import Limits

__all__ = ["check_json_values"]

_CONTAINER: Final = 4
"""Values that an object or a list counts for: what it takes in memory, compared with a number."""

_PAID: Final = 6
"""Bytes of JSON that pay for a value.  The entry of a log takes 35 at least and counts for six."""


def check_json_values(path: str, data: bytes, limits: Limits) -> None:
    """Refuse a document of more values than its size and ``limits.json_values`` allow.

    path  what the error calls the document
    """
    most = limits.json_values + len(data) // _PAID
    if len(data) < most:
        return
    values = data.count(b",") + _CONTAINER * (data.count(b"[") + data.count(b"{"))
    if values > most:
        wanted = f"at most {most} in {len(data)} bytes (limits.json_values)"
        raise LimitExceeded(path, None, f"about {values} JSON values", wanted)
