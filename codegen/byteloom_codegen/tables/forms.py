"""The forms of table specs, and what each becomes.

A table says in ``meta/form`` what it describes; each form has a loader and an emitter of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen.tables.emit import emit_documents
from byteloom_codegen.tables.load import form_of, load_documents
from byteloom_codegen.tables.rows_emit import emit_rows
from byteloom_codegen.tables.rows_load import load_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["emit_table"]


def _documents(path: Path, source: str) -> str:
    """JSON documents."""
    return emit_documents(load_documents(path), source)


def _rows(path: Path, source: str) -> str:
    """Tables of rows."""
    return emit_rows(load_rows(path), source)


_FORMS: Final[dict[str, Callable[[Path, str], str]]] = {"json": _documents, "rows": _rows}


def emit_table(path: Path, source: str) -> str:
    """Return the module of the table at *path*; *source* is the path that its header names.

    SpecErrors  the mistakes of the table
    """
    return _FORMS[form_of(path, _FORMS)](path, source)
