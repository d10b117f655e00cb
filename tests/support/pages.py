"""The pages of a table or of messages, alone: without others that they could link to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from byteloom_codegen.reference.pages import Pages

if TYPE_CHECKING:
    from byteloom_codegen.tables.forms import Made

__all__ = ["html_of", "markdown_of"]


def markdown_of(made: Made) -> str:
    """Return the page of *made* as Markdown."""
    return made.files(Pages(), Path("page"))[0][1]


def html_of(made: Made) -> str:
    """Return the page of *made* as HTML."""
    return made.files(Pages(), Path("page"))[1][1]
