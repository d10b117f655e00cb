"""The macros that print the statements of drop-in modules."""

from __future__ import annotations

from typing import Final

from byteloom_codegen.python.templates import Macros

__all__ = ["DROP_IN"]

DROP_IN: Final = Macros("kaitaistruct/statements.py.jinja")
