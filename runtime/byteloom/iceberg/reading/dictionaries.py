"""Decode dictionary-encoded columns.

The rules:

- Codes come from files, so each is checked against the number of entries before it is used.
- Text becomes large text in one pass, which copies each row once.

Source: Apache Arrow columnar format, "Dictionary-encoded Layout".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom.arrow.texts import is_text, large_type, texts_of_codes
from byteloom.errors import FormatError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["codes_of", "expanded"]


def codes_of(array: pa.DictionaryArray) -> NDArray[Any]:
    """Return the codes of a column without nulls; `FormatError` for a code beyond the entries."""
    codes: NDArray[Any] = array.indices.to_numpy()
    entries = len(array.dictionary)
    if len(codes) and not (codes.min() >= 0 and codes.max() < entries):
        wrong = int(codes.min() if codes.min() < 0 else codes.max())
        raise FormatError("dictionary", None, f"the code {wrong}", f"one of {entries} entries")
    return codes


def expanded(array: pa.DictionaryArray) -> pa.Array:
    """Return the value of each code; text as large_string or large_binary."""
    values = array.dictionary
    if array.null_count or values.null_count or not is_text(values.type):
        return array.dictionary_decode()
    return texts_of_codes(codes_of(array), values, large_type(values.type))
