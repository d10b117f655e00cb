"""Ids of rows: numbers that stay with them, or where they are.

- A dataset with stable row ids stores a sequence of them for each fragment: one for each row,
  deleted rows included.  In any other dataset a row's id is its address.
- The address of a row is the id of its fragment, in the upper 32 bits, and its position there.

Source: https://lance.org/format/table/row_id_lineage/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import ArgumentError, FormatError
from byteloom.lance.fields import Field
from byteloom_generated.lance.rowids import (
    RowDatasetVersionRun,
    RowDatasetVersionSequence,
    RowIdSequence,
    U64Segment,
)
from byteloom_generated.lance.table import FeatureFlag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.limits import Limits
    from byteloom_generated.lance.table import DataFragment, Manifest

__all__ = [
    "POSITION_BITS",
    "ROW_ADDRESS",
    "ROW_ID",
    "added_ids",
    "addresses",
    "has_row_ids",
    "id_columns",
    "ids_of",
    "updated_rows",
    "versions_of",
]

ROW_ID: Final = Field(-10, "_rowid", "_rowid", "uint64", nullable=True, metadata={})
ROW_ADDRESS: Final = Field(-11, "_rowaddr", "_rowaddr", "uint64", nullable=True, metadata={})
"""Columns that a scan adds, with the names that pylance gives them; no field has such an id."""

POSITION_BITS: Final = 32
"""Bits of an address below those of the fragment's id."""

_BYTE: Final = 8
_LARGEST: Final = (1 << 64) - 1
_WIDTHS: Final = {"u16_array": "<u2", "u32_array": "<u4"}


def id_columns(
    known: list[Field], *, with_row_id: bool = False, with_row_address: bool = False
) -> list[Field]:
    """Return the columns that a scan adds to those of the dataset.

    Raises:
        FormatError: A field of the dataset has the same name.
    """
    columns = [(ROW_ID, with_row_id), (ROW_ADDRESS, with_row_address)]
    found = [each for each, is_wanted in columns if is_wanted]
    for each in found:
        if any(one.name == each.name for one in known):
            raise ArgumentError(
                "columns", None, each.name, "a dataset without a field of that name"
            )
    return found


def has_row_ids(manifest: Manifest) -> bool:
    """Return whether rows of a dataset keep their ids."""
    return bool(manifest.reader_feature_flags & FeatureFlag.STABLE_ROW_IDS)


def addresses(fragment: int, rows: int) -> NDArray[np.uint64]:
    """Return the address of each row of a fragment."""
    return np.arange(rows, dtype=np.uint64) + np.uint64(fragment << POSITION_BITS)


def ids_of(data: bytes, rows: int, limits: Limits, path: str) -> NDArray[np.uint64]:
    """Return the ids in a sequence: as many as the fragment has rows.

    Raises:
        FormatError: For damage, and for any other number of ids.
    """
    sequence = RowIdSequence.parse(data, limits=limits, path=path)
    parts = [np.zeros(0, np.uint64)]
    left = rows
    for number, each in enumerate(sequence.segments):
        part = _segment(each, left, f"{path}.segments[{number}]")
        left -= len(part)
        parts.append(part)
    if left:
        raise FormatError(path, None, f"{rows - left} row ids", f"{rows}, one for each row")
    return np.concatenate(parts)


def versions_of(data: bytes, rows: int, limits: Limits, path: str) -> list[int]:
    """Return the versions that a sequence names for runs of rows, in their order.

    Args:
        rows: Number of rows of the fragment.

    Raises:
        FormatError: For damage, and for versions of any other number of rows.
    """
    sequence = RowDatasetVersionSequence.parse(data, limits=limits, path=path)
    left = rows
    for number, each in enumerate(sequence.runs):
        left -= len(_segment(each.span, left, f"{path}.runs[{number}].span"))
    if left:
        raise FormatError(path, None, f"versions of {rows - left} rows", f"{rows}, one for each")
    return [each.version for each in sequence.runs]


def _segment(stored: U64Segment, most: int, path: str) -> NDArray[np.uint64]:
    """The ids of a segment: *most* at most."""
    kind = stored.WhichOneof("segment")
    if kind is None:
        raise FormatError(path, None, "nothing", "a known form of row ids")
    found: Any = getattr(stored, kind)
    path = f"{path}.{kind}"
    if kind in {"sorted_array", "array"}:
        return _at_most(_numbers(found, path), most, path)
    count = found.end - found.start
    if count < 0:
        raise FormatError(f"{path}.end", None, found.end, f"{found.start} or more")
    if kind == "range":
        return _range(found.start, count, most, path)
    if kind == "range_with_bitmap":
        return _with_bitmap(found, count, most, path)
    holes = np.unique(_numbers(found.holes, f"{path}.holes"))
    if len(holes) and not found.start <= int(holes[0]) <= int(holes[-1]) < found.end:
        wanted = f"numbers from {found.start} up to {found.end}"
        raise FormatError(f"{path}.holes", None, f"{holes[0]} to {holes[-1]}", wanted)
    numbers = _range(found.start, count, most + len(holes), path)
    return _at_most(np.setdiff1d(numbers, holes, assume_unique=True), most, path)


def _range(start: int, count: int, most: int, path: str) -> NDArray[np.uint64]:
    if count > most:
        raise FormatError(path, None, f"{count} numbers", f"at most {most}, one for each row")
    return np.arange(count, dtype=np.uint64) + np.uint64(start)


def _with_bitmap(stored: Any, count: int, most: int, path: str) -> NDArray[np.uint64]:
    size = -(-count // _BYTE)
    if len(stored.bitmap) != size:
        wanted = f"{size} for {count} numbers"
        raise FormatError(f"{path}.bitmap", None, f"{len(stored.bitmap)} bytes", wanted)
    bits = np.unpackbits(np.frombuffer(stored.bitmap, np.uint8), bitorder="little", count=count)
    return _at_most(np.flatnonzero(bits).astype(np.uint64) + np.uint64(stored.start), most, path)


def _numbers(stored: Any, path: str) -> NDArray[np.uint64]:
    """The numbers of an array."""
    kind = stored.WhichOneof("array")
    if kind is None:
        return np.zeros(0, np.uint64)
    found: Any = getattr(stored, kind)
    data, base = (found.values, 0) if kind == "u64_array" else (found.offsets, found.base)
    words = np.dtype(_WIDTHS.get(kind, "<u8"))
    if len(data) % words.itemsize:
        wanted = f"a multiple of {words.itemsize}"
        raise FormatError(f"{path}.{kind}", None, f"{len(data)} bytes", wanted)
    numbers = np.frombuffer(data, words).astype(np.uint64)
    if len(numbers) and base + int(numbers.max()) > _LARGEST:
        raise FormatError(f"{path}.{kind}.base", None, base, "a sum of 64 bits with each offset")
    return numbers + np.uint64(base)


def _at_most(numbers: NDArray[np.uint64], most: int, path: str) -> NDArray[np.uint64]:
    if len(numbers) > most:
        found, wanted = f"{len(numbers)} numbers", f"at most {most}, one for each row"
        raise FormatError(path, None, found, wanted)
    return numbers


def added_ids(manifest: Manifest, fragment: DataFragment) -> None:
    """Give the rows of a new fragment the next ids, and the version that *manifest* becomes."""
    first, rows = manifest.next_row_id, fragment.physical_rows
    ids = RowIdSequence(segments=[_span(first, first + rows)])
    fragment.inline_row_ids = ids.SerializeToString()
    fragment.inline_created_versions = _versions(rows, manifest.version + 1)
    updated_rows(manifest, fragment)
    manifest.next_row_id = first + rows


def updated_rows(manifest: Manifest, fragment: DataFragment) -> None:
    """Note that all rows of a fragment change in the version that *manifest* becomes."""
    versions = _versions(fragment.physical_rows, manifest.version + 1)
    fragment.inline_updated_versions = versions


def _versions(rows: int, version: int) -> bytes:
    run = RowDatasetVersionRun(span=_span(0, rows), version=version)
    return RowDatasetVersionSequence(runs=[run]).SerializeToString()


def _span(start: int, end: int) -> U64Segment:
    return U64Segment(range=U64Segment.Range(start=start, end=end))
