"""Columns of blobs of version 2 with their bytes, where a scan has descriptors.

- A scan reads descriptors and addresses of rows; this turns its batches into those with bytes.
- A batch has few rows where blobs are large, so that only some of them are in memory at a time.

Source: specs/lance/encodings.yaml, `blob_kinds`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.lance.dataset.blob_bytes import BlobFiles, Blobs, valid_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.lance.fields import Field

__all__ = ["BlobColumns"]

_TOGETHER: Final = 1 << 26
"""Bytes of blobs after which a batch ends."""

_BYTES: Final = pa.large_binary()


class BlobColumns:
    """The fields of a scan that are blobs, or have blobs inside."""

    def __init__(self, fields: Sequence[Field], files: BlobFiles, *, has_address: bool) -> None:
        """Read blobs of *fields*, which are those of the scan.

        Args:
            has_address: Whether addresses of rows, the last column of the scan, were asked for.

        Raises:
            Unsupported: For blobs in lists, which no release writes.
        """
        self._fields, self._files, self._has_address = list(fields), files, has_address
        for each in fields:
            _check_no_lists(each)

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Return the schema with bytes, for that of the scan."""
        found = [_shown(*each) for each in zip(schema, self._fields, strict=True)]
        return pa.schema(found if self._has_address else found[:-1], schema.metadata)

    def table(self, table: pa.Table) -> pa.Table:
        """Return rows with bytes, for rows of the scan."""
        found = list(self.batches(table.to_batches()))
        return pa.Table.from_batches(found, self.schema(table.schema))

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield rows with bytes, for rows of the scan."""
        for batch in batches:
            schema = self.schema(batch.schema)
            at = 0
            for end in self._ends(batch):
                yield self._with_bytes(batch.slice(at, end - at), schema)
                at = end

    def _ends(self, batch: pa.RecordBatch) -> Iterator[int]:
        """Yield rows at which a batch with bytes ends."""
        sizes = np.zeros(batch.num_rows, np.float64)  # which does not overflow
        for array, field in zip(batch.columns, self._fields, strict=True):
            for each in _blobs_of(array, field, _addresses(batch)):
                sizes += self._files.sizes(each)
        ends = np.cumsum(sizes)
        at = 0
        while at < batch.num_rows:
            before = ends[at - 1] if at else 0
            at = max(at + 1, int(np.searchsorted(ends, before + _TOGETHER, "right")))
            yield at

    def _with_bytes(self, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        addresses = _addresses(batch)
        pairs = zip(batch.columns[: len(schema)], self._fields, strict=False)
        columns = [self._read(array, field, addresses, None) for array, field in pairs]
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def _read(
        self,
        array: pa.Array,
        field: Field,
        addresses: NDArray[np.uint64],
        outer: NDArray[np.bool_] | None,
    ) -> pa.Array:
        """An array with the bytes of the blobs in it.

        Args:
            outer: Which rows of the structs around it are not null; None for all.
        """
        if not field.has_v2_blobs:
            return array
        if field.is_v2_descriptor:
            blobs = Blobs.of(array, field, addresses, outer)
            return self._files.bytes_of(blobs)
        inner = valid_rows(array, outer)
        children = [
            self._read(array.field(at), child, addresses, inner)
            for at, child in enumerate(field.children)
        ]
        fields = list(_shown(pa.field("", array.type), field).type)
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(children, fields=fields, mask=mask)


def _shown(stored: pa.Field, field: Field) -> pa.Field:
    """The Arrow field with bytes, for that with descriptors."""
    if field.is_v2_descriptor:
        return pa.field(stored.name, _BYTES, stored.nullable)
    if not field.has_v2_blobs:
        return stored
    parts = [_shown(*each) for each in zip(stored.type, field.children, strict=True)]
    return stored.with_type(pa.struct(parts))


def _blobs_of(
    array: pa.Array,
    field: Field,
    addresses: NDArray[np.uint64],
    outer: NDArray[np.bool_] | None = None,
) -> Iterator[Blobs]:
    """Yield the descriptors in an array: those of each field."""
    if field.is_v2_descriptor:
        yield Blobs.of(array, field, addresses, outer)
    elif field.has_v2_blobs:
        inner = valid_rows(array, outer)
        for at, child in enumerate(field.children):
            yield from _blobs_of(array.field(at), child, addresses, inner)


def _addresses(batch: pa.RecordBatch) -> NDArray[np.uint64]:
    found: NDArray[np.uint64] = batch.column(batch.num_columns - 1).to_numpy()
    return found


def _check_no_lists(field: Field) -> None:
    for each in field.walk():
        if each.is_list and each.has_v2_blobs:
            raise Unsupported(f"schema.{each.path}", None, "blobs in a list", "blobs, one a row")
