"""Refuse Arrow arrays that are not valid, before anything of them is written."""

from __future__ import annotations

import pyarrow as pa

from byteloom.arrow.texts import is_ascii
from byteloom.errors import ArgumentError, found_by

__all__ = ["check_array"]

_BYTES = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}


def check_array(array: pa.Array, path: str, *, in_full: bool) -> None:
    """Refuse an array that is not valid.

    Args:
        in_full: Whether each value is looked at: text is UTF-8, indices are in their dictionary.
    """
    try:
        if not (in_full and _is_sound_text(array)):
            array.validate(full=in_full)
    except pa.ArrowException as error:
        raise ArgumentError(
            path, None, found_by("other bytes", error), "valid Arrow data"
        ) from error


def _is_sound_text(array: pa.Array) -> bool:
    """Whether an array is valid text in ASCII, or valid structs that have such text.

    Arrow decodes each value of text to check it, at four times the cost of looking for bytes that
    are not ASCII in all of them.

    raises  `pyarrow.ArrowException` for damage
    """
    if pa.types.is_struct(array.type):
        array.validate()
        children = [array.field(number) for number in range(array.type.num_fields)]
        found = [_is_sound_text(each) for each in children]
        for each, is_sound in zip(children, found, strict=True):
            if any(found) and not is_sound:
                each.validate(full=True)
        return any(found)
    if array.type not in _BYTES:
        return False
    array.view(_BYTES[array.type]).validate(full=True)
    return is_ascii(array)
