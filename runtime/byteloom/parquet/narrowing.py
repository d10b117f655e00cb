"""Read some columns of a Parquet file without parsing the footer's parts about the others.

The rules:

- pyarrow takes some 5 microseconds to parse a footer's part about a column, and as long again for
  its schema.  So it gets a footer of the wanted columns alone, made of the file's own bytes, and
  reads their pages from the file.
- The Arrow type of a column does not depend on other columns, so their types are not parsed either.
- Nothing is refused here: if anything in a footer is unusual, no footer is made from it, and the
  code that parses it whole finds out what is wrong.

Source: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.kernels.parquet_narrowing import FOOTER_FIELDS, GROUP_FIELDS, find_chunks, put_footer
from byteloom.parquet.forms import LIBRARY_ERRORS, Form, opened
from byteloom.wire.varints import uleb128_bytes, zigzag_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from byteloom.parquet.forms import Forms

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["IndexedFooter", "Narrow"]

_LIST_OF_STRUCTS: Final = 0xFC
"""The head of a list whose length follows."""

_ROOM: Final = 64
"""Bytes of a footer that are not copied, and of a row group besides its chunks."""


@dataclass(frozen=True, slots=True)
class Narrow:
    """Some columns of a form.

    columns   their numbers, ascending
    leaves    int64[leaf]: the numbers of their leaves
    elements  the list of the schema's elements, as a footer has it
    arrow     the value of ``ARROW:schema``; empty for none
    schema    the Arrow schema of the columns
    """

    columns: Sequence[int]
    leaves: Numbers
    elements: Bytes
    arrow: Bytes
    schema: pa.Schema

    @classmethod
    def of(cls, form: Form, wanted: Iterable[int]) -> Narrow | None:
        """Return the columns with the numbers *wanted*; None without any, or if unusual."""
        columns = sorted(wanted)
        if form.columns is None or not columns:
            return None
        places, (root, first, last) = form.columns
        arrow = _arrow_schema(form, len(places))
        if arrow is None:
            return None
        chosen, view = places[columns], memoryview(form.elements)
        elements = b"".join(
            [
                bytes([_LIST_OF_STRUCTS]) + uleb128_bytes(1 + int(chosen[:, 2].sum())),
                view[root:first],
                zigzag_bytes(len(columns)),
                view[last : places[0, 0]],
                *(view[begin:end] for begin, end in chosen[:, :2].tolist()),
            ]
        )
        leaves = np.concatenate([np.arange(*each) for each in chosen[:, 3:5].tolist()])
        stored = _stored([arrow.field(each) for each in columns]) if len(arrow) else b""
        own = Form(elements, stored, form.leaves[leaves])
        if not own.is_known:
            return None
        return cls(
            columns,
            leaves,
            np.frombuffer(elements, np.uint8),
            np.frombuffer(stored, np.uint8),
            own.schema.remove_metadata(),
        )


def _arrow_schema(form: Form, columns: int) -> pa.Schema | None:
    """Return the schema in ``ARROW:schema``; empty if the library ignores it, None if damaged."""
    try:
        held = pa.ipc.read_schema(pa.py_buffer(b64decode(form.arrow))) if form.arrow else ()
    except LIBRARY_ERRORS:
        return None
    return held if len(held) == columns else pa.schema([])


def _stored(fields: Sequence[pa.Field]) -> bytes:
    """Return the value of ``ARROW:schema`` for some fields."""
    return b64encode(pa.schema(fields).serialize().to_pybytes())


class IndexedFooter:
    """A footer whose parts were found, so that pyarrow can parse those of a few columns alone.

    rows    int64[group]: number of rows of each row group
    places  int64[group]: where the first page of each begins
    """

    def __init__(self, data: Bytes, form: Form, parts: Sequence[Numbers]) -> None:
        """Keep the results of `find_chunks`."""
        self.form, self._data = form, data
        self._file, self._groups, self._chunks, self._orders = parts
        self.rows, self.places = self._groups[:, 0], self._groups[:, 2]

    @classmethod
    def of(cls, data: Bytes, forms: Forms) -> IndexedFooter | None:
        """Find the parts of a footer; None for an unusual one.

        forms  forms of other files; the last one is tried first
        """
        last = forms.last
        if last is not None and (found := cls._found(data, last)) is not None:
            return found
        form = forms.of(data, whole=False)
        return None if form is None or form is last else cls._found(data, form)

    @classmethod
    def _found(cls, data: Bytes, form: Form) -> IndexedFooter | None:
        """Return the parts of a footer if it has the form *form*; None otherwise."""
        leaves, count = form.leaves, 1
        file, orders = np.zeros(FOOTER_FIELDS, np.int64), np.zeros((len(leaves), 2), np.int64)
        while True:
            groups = np.zeros((count, GROUP_FIELDS), np.int64)
            chunks = np.zeros((count * len(leaves), 2), np.int64)
            if find_chunks(data, leaves, file, groups, chunks, orders):
                break
            if not count < file[5] <= len(data) // len(leaves):
                return None
            count = int(file[5])
        if not form.is_of(data, file):
            return None
        count = int(file[5])
        return cls(data, form, [file, groups[:count], chunks[: count * len(leaves)], orders])

    def metadata(self, narrow: Narrow) -> Any:
        """Return pyarrow's metadata of some columns; None if it differs from the form's."""
        try:
            file = opened(self.image(narrow))
            is_same = file.schema_arrow.remove_metadata().equals(narrow.schema, check_metadata=True)
        except LIBRARY_ERRORS:
            return None
        return file.metadata if is_same else None

    def image(self, narrow: Narrow) -> pa.Buffer:
        """Return a file without pages whose footer has only some columns."""
        each = (np.arange(len(self.rows))[:, None] * len(self.form.leaves) + narrow.leaves).ravel()
        size = int((self._chunks[each, 1] - self._chunks[each, 0]).sum())
        size += int((self._orders[narrow.leaves, 1] - self._orders[narrow.leaves, 0]).sum())
        size += int(self._file[8] - self._file[7]) + len(narrow.elements) + len(narrow.arrow)
        held = pa.allocate_buffer(size + _ROOM * (2 + len(self.rows)))
        out = np.frombuffer(held, np.uint8)
        length = put_footer(
            self._data, self._file, self._groups, self._chunks, self._orders, narrow.leaves,
            narrow.elements, narrow.arrow, out,
        )  # fmt: skip
        return held.slice(0, length)
