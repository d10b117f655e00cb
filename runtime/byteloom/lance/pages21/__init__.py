"""Columns of versions 2.1 and 2.2: levels and values of a leaf, page by page.

    Leaf21           a column, of which rows are read
    decode_together  decodes small pages of many columns at once

Source: https://lance.org/format/file/encoding/
"""

from byteloom.lance.pages21.leaf import Leaf21
from byteloom.lance.pages21.together import decode_together

__all__ = ["Leaf21", "decode_together"]


def __dir__() -> list[str]:
    return __all__
