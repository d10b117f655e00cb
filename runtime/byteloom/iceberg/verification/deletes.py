"""Compare delete files with their manifest entries, and with the data files that they are about.

The rules:

- A position must be a row of its data file; some writers leave one right after the last row in
  position delete files, though never in vectors.
- A delete file that names one data file in its entry has positions of no other.
- Deletes by position apply to data files of the same partition: others' rows stay.
- Equality deletes compare columns that the table has had, and that the delete file has, with both
  bounds or none: only an upper bound may be impossible, of text that cannot be cut short.
- A data file that no snapshot has any more may be named: compaction leaves such deletes.

Source: Iceberg table spec, "Delete Formats".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.manifests.column_stats import BOUNDS
from byteloom.iceberg.reading.equality_deletes import key_columns
from byteloom.iceberg.reading.position_deletes import DELETE_COLUMNS, paths_and_positions
from byteloom.iceberg.reading.projection import Columns
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from byteloom.iceberg.reading.data_file import Piece
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.verification.claims import Claim

__all__ = ["Positions", "check_equality_ids", "check_positions"]


@dataclass
class Positions:
    """The least and the greatest position of each data file that a delete file names.

    ends  by path
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


def check_positions(
    positions: Positions, claims: Sequence[Claim], data: Mapping[str, list[Claim]]
) -> Iterator[FormatError]:
    """Yield what is wrong with a position delete file or a deletion vector.

    claims  the entries about it
    data    the entries of data files by path
    """
    is_vector = claims[0].file["content_offset"] is not None
    for path, (least, most) in positions.ends.items():
        rows = max((each.file["record_count"] or 0 for each in data.get(path, ())), default=0)
        if least < 0 or (rows and most > rows - is_vector):
            found = least if least < 0 else most
            wanted = f"below {rows}, a row of {path}" if rows else f"0 or more, a row of {path}"
            yield FormatError("pos", None, str(found), wanted)
        for claim in claims:
            named = claim.file["referenced_data_file"]
            if named not in {None, path}:
                wanted = f"{path}, which the file names; the row stays undeleted"
                yield claim.error("referenced_data_file", named, wanted)
            if path in data and not is_vector:
                yield from _elsewhere(claim, path, data[path])


def _elsewhere(claim: Claim, path: str, data: Sequence[Claim]) -> Iterator[FormatError]:
    """Yield a position delete file of another partition than its data file."""
    if not any(_partition(each) == _partition(claim) for each in data):
        wanted = f"{_shown(data[0])}, that of {path}, whose rows stay undeleted"
        yield claim.error("partition", _shown(claim), wanted)


def _partition(claim: Claim) -> tuple[int, str]:
    """Return the spec of a file, and its partition in comparable form."""
    return claim.file["spec_id"], repr(
        claim.values.to_pylist() if claim.values is not None else None
    )


def _shown(claim: Claim) -> str:
    """Return the partition of a file as text."""
    values: list[dict[str, Any]] = [{}] if claim.values is None else claim.values.to_pylist()
    return f"partition {tuple(values[0].values())} of spec {claim.file['spec_id']}"


def check_equality_ids(
    claim: Claim, present: Collection[int], schemas: Iterable[Schema]
) -> Iterator[FormatError]:
    """Yield the columns of an equality delete file that cannot be compared as they should.

    present  ids of the columns in the file
    schemas  the table's schemas
    """
    if claim.file["content"] != FileContent.EQUALITY_DELETES:
        return
    known = list(schemas)
    for number in claim.file["equality_ids"] or ():
        try:
            key_columns([number], known)
        except (FormatError, Unsupported) as error:
            yield claim.error("equality_ids", error.found, error.wanted)
            continue
        lower, upper = (number in claim.statistics[each] for each in BOUNDS)
        if upper and not lower:
            wanted = "a bound, since there is an upper one; PyIceberg refuses more scans without"
            yield claim.error(f"lower_bounds[{number}]", "nothing", wanted)
        if number not in present:
            wanted = "columns of the delete file; DuckDB ends the process"
            yield claim.error("equality_ids", f"column {number}", wanted)
