"""Structs without fields: their pages, and where pylance can read them.

- Their pages have no levels: neither they nor structs around them are null.
- Pylance reads null in the fields that follow them in a column, so they come last.

Source: https://lance.org/format/file/encoding/#constant-page-layout
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from byteloom.errors import Unsupported
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    import numpy as np

    from byteloom.lance.writing.levels import Leaf, Levels

__all__ = ["bare_page", "check_bare"]


def check_bare(leaves: list[Leaf]) -> None:
    """Refuse a column in which a field follows a struct without fields.

    leaves  of the column, in pre-order
    raises  `Unsupported`
    """
    for before, leaf in pairwise(leaves):
        if before.is_bare and not leaf.is_bare:
            found = f"{before.path}, a struct without fields, before it"
            wanted = "such structs after all other fields of the column"
            raise Unsupported(f"schema.{leaf.path}", None, found, wanted)


def bare_page(levels: Levels, path: str) -> tuple[e.PageLayout, list[np.ndarray]]:
    """Return a page of structs without fields, whose layer is nullable.

    path  their name in errors
    raises  `Unsupported` for structs that are null, or are inside others that are
    """
    if levels.definition is not None:
        wanted = "structs that are not null, around structs without fields"
        raise Unsupported(f"rows.{path}", None, "nulls", wanted)
    layers = [e.RepDefLayer.REPDEF_NULLABLE_ITEM]
    return e.PageLayout(constant_layout=e.ConstantLayout(layers=layers)), []
