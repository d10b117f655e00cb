"""What entries inherit from their manifest, and what they must have themselves.

The rules:

- An entry without a snapshot id has that of its manifest.
- An entry without a sequence number has that of its manifest if it was added, or if the manifest is
  of version 1, whose number is 0; an entry that was not added must have its own.  Its file sequence
  number is inherited likewise, but old writers left it out otherwise: it is then unknown.
- Live data files without a first row id take row ids from that of their manifest on, in order.
  If a manifest has none, neither do its files.

Source: Iceberg table spec, "Sequence Number Inheritance" and "First Row ID Inheritance".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from byteloom.errors import FormatError
from byteloom_generated.iceberg.manifests import EntryStatus, ManifestContent

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Origin", "first_row_ids", "sequence_numbers"]


@dataclass(frozen=True, slots=True)
class Origin:
    """What the list states about the manifest of each entry; -1 for missing values.

    Attributes:
        manifest: The row in the list.
    """

    manifest: NDArray[np.int64]
    snapshot_id: NDArray[np.int64]
    sequence_number: NDArray[np.int64]
    content: NDArray[np.int64]
    first_row_id: NDArray[np.int64]


def sequence_numbers(
    status: NDArray[np.int64], own: NDArray[np.int64], origin: Origin, *, required: bool
) -> NDArray[np.int64]:
    """Return the sequence number of each entry.

    Args:
        own: The numbers in the entries; -1 where an entry has none.
        required: Whether an entry without any is an error; otherwise it gets -1.
    """
    inherits = (own < 0) & ((status == EntryStatus.ADDED) | (origin.sequence_number == 0))
    numbers = np.where(inherits, origin.sequence_number, own)
    if required and (numbers < 0).any():
        row = int(np.argmax(numbers < 0))
        raise FormatError(
            f"entries[{row}].sequence_number",
            None,
            f"nothing, with status {status[row]}",
            "a number: only added files inherit one",
        )
    return numbers


def first_row_ids(
    status: NDArray[np.int64],
    own: NDArray[np.int64],
    record_count: NDArray[np.int64],
    origin: Origin,
) -> NDArray[np.int64]:
    """Return the first row id of each data file; -1 if it has none.

    If the rows of a file are not counted (-1), the files after it in its manifest have none.
    """
    assigns = (origin.first_row_id >= 0) & (origin.content == ManifestContent.DATA)
    if not assigns.any():
        return np.full(len(own), -1, np.int64)
    takes = assigns & (own < 0) & (status != EntryStatus.DELETED)
    before = _before(np.where(takes, np.maximum(record_count, 0), 0), origin)
    is_known = _before((takes & (record_count < 0)).astype(np.int64), origin) == 0
    given = np.where(takes, origin.first_row_id + before, own)
    return np.where(assigns & (is_known | ~takes), given, -1)


def _before(numbers: NDArray[np.int64], origin: Origin) -> NDArray[np.int64]:
    """Return the sum of the numbers of the earlier entries in the manifest of each."""
    before = np.cumsum(numbers) - numbers
    is_first = np.diff(origin.manifest, prepend=-1) != 0
    return before - before[is_first][np.cumsum(is_first) - 1] if len(before) else before
