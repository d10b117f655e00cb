"""Values of fields as texts, which are equal if the values are, whichever reader gave them."""

from enum import Enum
from typing import Any

__all__ = ["scalar"]


def scalar(value: Any) -> str:
    """Return *value*, which is neither a record nor a list, as a text."""
    if isinstance(value, Enum):
        return f"enum {value.name.lower().rstrip('_')}"
    if isinstance(value, str):  # perhaps a text that remembers its bytes
        return f"text {str(value)!r}"
    return f"bytes {bytes(value)!r}" if isinstance(value, bytes) else repr(value)
