"""``pyarrow.compute``, loaded when one of its functions is used.

Importing it makes some 300 functions with their documentation, which takes a fifth of the processor
time of a command on a small file; many commands use none of them.
"""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    """Return a function of ``pyarrow.compute``, and keep it here to be found at once next time."""
    if name.startswith("__"):
        raise AttributeError(name)
    import pyarrow.compute

    found = globals()[name] = getattr(pyarrow.compute, name)
    return found
