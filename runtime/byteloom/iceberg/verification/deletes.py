"""Compare delete files with their manifest entries, and with the data files that they are about.

The rules:

- A position must be a row of its data file; some writers leave one right after the last row in
  position delete files, though never in vectors.
- A delete file that names one data file in its entry has positions of no other.
- Deletes by position apply to data files of the same partition: others' rows stay.
- Equality deletes compare columns that the table has had, and that the delete file has.
- A data file that no snapshot has any more may be named: compaction leaves such deletes.  One whose
  path is spelled otherwise in its entry, as ``s3://`` and ``s3a://``, is reported: readers compare
  the text, and its rows stay.

Source: Iceberg table spec, "Delete Formats".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.reading.column_projection import Columns
from byteloom.iceberg.reading.equality_deletes import key_columns
from byteloom.iceberg.reading.position_deletes import DELETE_COLUMNS, paths_and_positions
from byteloom.iceberg.verification.partitions import shown_partition
from byteloom.storage.allowed import is_one_place
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from byteloom.datafiles.data_file import Piece
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.verification.claims import Claim

__all__ = ["DataFiles", "Positions", "check_equality_ids", "check_positions"]


@dataclass
class Positions:
    """The least and the greatest position of each data file that a delete file names.

    Attributes:
        ends: By path.
    """

    ends: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, piece: Piece) -> None:
        """Add some rows of a delete file."""
        columns = Columns(piece.fields, piece.arrays, piece.rows)
        if not piece.rows or any(columns.find(each.id) is None for each in DELETE_COLUMNS):
            return
        names, codes, numbers = paths_and_positions(columns)
        least = np.full(len(names), np.iinfo(np.int64).max)
        most = np.full(len(names), np.iinfo(np.int64).min)
        np.minimum.at(least, codes, numbers)
        np.maximum.at(most, codes, numbers)
        for code in np.unique(codes).tolist():
            self.note(names[code], int(least[code]), int(most[code]))

    def note(self, path: str, least: int, most: int) -> None:
        """Add positions of a data file."""
        before = self.ends.get(path, (least, most))
        self.ends[path] = min(before[0], least), max(before[1], most)


class DataFiles:
    """The entries of data files by path."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        """Keep the entries of data files among some."""
        self._claims: dict[str, list[Claim]] = {}
        for each in claims:
            if each.is_data:
                self._claims.setdefault(each.file["file_path"], []).append(each)

    def of(self, path: str) -> list[Claim]:
        """Return the entries of a file; none for another path."""
        return self._claims.get(path, [])

    def spelling(self, path: str) -> str | None:
        """Return the path that entries have for the place of *path*, if it is another text."""
        if path in self._claims:
            return None
        alike = self._by_name.get(path.rpartition("/")[2], ())
        return next((each for each in alike if is_one_place(each, path)), None)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The paths of files by the last name in them."""
        found: dict[str, list[str]] = {}
        for each in self._claims:
            found.setdefault(each.rpartition("/")[2], []).append(each)
        return found


def check_positions(
    positions: Positions, claims: Sequence[Claim], data: DataFiles
) -> Iterator[FormatError]:
    """Yield what is wrong with a position delete file or a deletion vector.

    Args:
        claims: The entries about it.
    """
    is_vector = claims[0].file["content_offset"] is not None
    if not is_vector:
        yield from _misspelled(positions, data)
    for path, (least, most) in positions.ends.items():
        rows = max((each.file["record_count"] or 0 for each in data.of(path)), default=0)
        if least < 0 or (rows and most > rows - is_vector):
            found = least if least < 0 else most
            wanted = f"below {rows}, a row of {path}" if rows else f"0 or more, a row of {path}"
            yield FormatError("pos", None, str(found), wanted)
        for claim in claims:
            named = claim.file["referenced_data_file"]
            if named not in {None, path}:
                wanted = f"{path}, which the file names; the row stays undeleted"
                yield claim.error("referenced_data_file", named, wanted)
            if data.of(path) and not is_vector:
                yield from _elsewhere(claim, path, data.of(path))


def _misspelled(positions: Positions, data: DataFiles) -> Iterator[FormatError]:
    """Yield the first data file whose entry spells its path in another way."""
    for path in positions.ends:
        other = data.spelling(path)
        if other is not None:
            wanted = f"{other}, as its entry spells it; readers compare the text, and its rows stay"
            yield FormatError("file_path", None, path, wanted)
            return


def _elsewhere(claim: Claim, path: str, data: Sequence[Claim]) -> Iterator[FormatError]:
    """Yield a position delete file of another partition than its data file."""
    own = _partition(claim)
    if all(_partition(each) != own for each in data):
        found, of_data = (shown_partition(each.entries, each.row) for each in (claim, data[0]))
        wanted = f"{of_data}, that of {path}, whose rows stay undeleted"
        yield claim.error("partition", found, wanted)


def _partition(claim: Claim) -> tuple[int, str]:
    """Return the spec of a file, and its partition in comparable form."""
    values = claim.values
    return claim.file["spec_id"], repr(None if values is None else values.to_pylist())


def check_equality_ids(
    claim: Claim, present: Collection[int], schemas: Iterable[Schema]
) -> Iterator[FormatError]:
    """Yield the columns of an equality delete file that cannot be compared.

    Args:
        present: Ids of the columns in the file.
        schemas: The table's schemas.
    """
    if claim.file["content"] != FileContent.EQUALITY_DELETES:
        return
    known = list(schemas)
    for number in claim.file["equality_ids"] or ():
        try:
            key_columns([number], known)
        except FormatError as error:
            yield claim.error("equality_ids", error.found, error.wanted)
            continue
        if number not in present:
            wanted = "columns of the delete file; DuckDB ends the process"
            yield claim.error("equality_ids", f"column {number}", wanted)
