"""Columns of versions 2.1 and 2.2: levels and values of a leaf, page by page.

    Leaf21  a column, of which rows are read

Source: https://lance.org/format/file/encoding/
"""

from byteloom.lance.pages21.leaf import Leaf21

__all__ = ["Leaf21"]


def __dir__() -> list[str]:
    return __all__
