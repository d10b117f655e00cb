"""Columns of JSON in a dataset, whose files have them in a binary form, JSONB, as `lance.json`.

As in pylance, datasets have the text; single files have the bytes.

Source: specs/lance/SOURCE.md, "JSONB"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.kernels.lance_jsonb import DEEPEST, json_texts
from byteloom.lance.dataset.merged import filled
from byteloom.lance.types import arrow_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.lance.fields import Field
    from byteloom.lance.reading import FieldReader, Rows

__all__ = ["JsonReader", "texts_of"]

_COLUMNS = 7
_LEAST_DOUBLE = 9


class JsonReader:
    """A field that is JSON, or has JSON inside, as text."""

    def __init__(self, reader: FieldReader, field: Field) -> None:
        """Read *field*, of which *reader* has the bytes."""
        self._reader, self._path, self._type = reader, field.path, arrow_field(field).type
        self.length, self.leaves, self.joins = reader.length, reader.leaves, reader.joins

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*, of which *parts* has the array of each leaf."""
        stored = self._reader.made(parts, rows)
        return filled(stored, self._type, lambda each: texts_of(each, self._path))


def texts_of(array: pa.Array, path: str) -> pa.Array:
    """Return the JSON text of an array of JSONB, as strings.

    Args:
        path: The name of the field in errors.

    Raises:
        FormatError: For damage, and for values that no JSON text has: dates, decimals.
        Unsupported: For texts of 2 GiB and more together.
    """
    starts, ends, data = _places(array)
    count = len(array)
    doubles = np.empty(len(data) // _LEAST_DOUBLE + 1, np.uint64)
    out_ends = np.zeros(count, np.int64)
    stack, where = np.zeros((DEEPEST, _COLUMNS), np.int64), np.zeros(2, np.int64)
    none, no_ends = np.empty(0, np.uint8), np.empty(0, np.int64)

    def run(texts: NDArray[np.uint8], text_ends: NDArray[np.int64], out: NDArray[np.uint8]) -> int:
        arrays = data, starts, ends, doubles, texts, text_ends, out, out_ends, stack, where
        return int(json_texts(*arrays))

    found = run(none, no_ends, none)
    if found < 0:
        row, place = where.tolist()
        at, wanted = place - int(starts[row]), "JSON in the form JSONB"
        shown = _shown(data[: int(ends[row])], place)
        raise FormatError(f"{path}[{row}]", None, f"{shown} at its byte {at}", wanted)
    if not np.isfinite(doubles[:found].view(np.float64)).all():
        raise FormatError(path, None, "a number that is not finite", "JSON in the form JSONB")
    texts, text_ends = _formatted(doubles[:found])
    # Between the texts of doubles are commas.
    size = (int(out_ends[-1]) if count else 0) + len(texts) - max(found - 1, 0)
    if size > np.iinfo(np.int32).max:
        raise Unsupported(path, None, f"{size} bytes of text", "batches of less than 2 GiB of text")
    out = np.empty(size, np.uint8)
    run(texts, text_ends, out)
    offsets = np.concatenate([np.zeros(1, np.int64), out_ends]).astype(np.int32)
    validity = array.is_valid().buffers()[1] if array.null_count else None
    buffers = [validity, pa.py_buffer(offsets), pa.py_buffer(out)]
    made = pa.Array.from_buffers(pa.string(), count, buffers)
    try:
        made.validate(full=True)
    except pa.ArrowInvalid as error:
        raise FormatError(path, None, "text that is not UTF-8", "JSON in UTF-8") from error
    return made


def _places(array: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """Where each value begins, -1 for nulls, and where it ends; and the bytes of all."""
    wide = array.cast(pa.large_binary())
    _, stored, values = wide.buffers()
    offsets = np.frombuffer(stored, np.int64)[wide.offset : wide.offset + len(wide) + 1]
    data = np.frombuffer(values or b"", np.uint8)
    valid = wide.is_valid().to_numpy(zero_copy_only=False)
    return np.where(valid, offsets[:-1], -1), offsets[1:].copy(), data


def _formatted(doubles: NDArray[np.uint64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The shortest text of each number, with commas between them, and where each ends.

    As Rust's writer of JSON has them: from 1e-5 to 1e16 without an exponent, others with its sign.
    """
    listed = msgspec.json.encode(doubles.view(np.float64).tolist())[1:-1]
    signed = listed.replace(b"e", b"e+").replace(b"e+-", b"e-")
    data = np.frombuffer(signed, np.uint8)
    return data, np.append(np.flatnonzero(data == ord(",")), len(data))


def _shown(data: Any, place: int) -> str:
    """The four bytes at a place."""
    return repr(bytes(data[place : place + 4]))
