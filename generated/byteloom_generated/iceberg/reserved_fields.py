# Written by byteloom-codegen from specs/iceberg/reserved_fields.yaml; do not edit.
# To change it, edit that file and generate again.
"""Ids above 2147483447 (2^31 - 1 - 200) are not for columns of tables. Metadata
columns are made by readers, or, for row lineage, stored in data files under
these ids.

Source: https://iceberg.apache.org/spec/#reserved-field-ids
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "CHANGELOG_COLUMNS",
    "DELETE_FILE_COLUMNS",
    "METADATA_COLUMNS",
    "ReservedField",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedField:
    """One reserved column."""

    id: int
    """Its field id."""

    name: str
    """Its name."""

    type: str
    """Its type."""

    since: int
    """The first format version that has it."""

    doc: str
    """What it tells."""

    is_stored: bool = False
    """Whether files store it; readers make the others."""


METADATA_COLUMNS: Final = (
    ReservedField(
        id=2147483646,
        name="_file",
        type="string",
        since=1,
        doc="The path of the file that the row lies in.",
    ),
    ReservedField(
        id=2147483645,
        name="_pos",
        type="long",
        since=1,
        doc="The row's position in its file, from 0.",
    ),
    ReservedField(
        id=2147483644,
        name="_deleted",
        type="boolean",
        since=1,
        doc="Whether the row was deleted.",
    ),
    ReservedField(
        id=2147483643,
        name="_spec_id",
        type="int",
        since=1,
        doc="The partition spec of the file.",
    ),
    ReservedField(
        id=2147483642,
        name="_partition",
        type="struct",
        since=1,
        doc="The partition tuple of the file, as one struct over all specs.",
    ),
    ReservedField(
        id=2147483540,
        name="_row_id",
        type="long",
        is_stored=True,
        since=3,
        doc="The row's own id; null stands for the file's first row id and the position.",
    ),
    ReservedField(
        id=2147483539,
        name="_last_updated_sequence_number",
        type="long",
        is_stored=True,
        since=3,
        doc="The sequence number of the last change; null stands for the file's own.",
    ),
)
"""Columns that a scan can give beside those of the table.

Source: https://iceberg.apache.org/spec/#reserved-field-ids "Reserved Field IDs"
"""


CHANGELOG_COLUMNS: Final = (
    ReservedField(
        id=2147483543,
        name="_change_type",
        type="string",
        since=1,
        doc="INSERT, DELETE, UPDATE_BEFORE or UPDATE_AFTER.",
    ),
    ReservedField(
        id=2147483542,
        name="_change_ordinal",
        type="int",
        since=1,
        doc="The order of the change among the snapshots that were scanned.",
    ),
    ReservedField(
        id=2147483541,
        name="_commit_snapshot_id",
        type="long",
        since=1,
        doc="The snapshot that made the change.",
    ),
)
"""Columns of changelog scans.

Source: https://iceberg.apache.org/spec/#reserved-field-ids "Reserved Field IDs"
"""


DELETE_FILE_COLUMNS: Final = (
    ReservedField(
        id=2147483546,
        name="file_path",
        type="string",
        is_stored=True,
        since=2,
        doc="The path of the data file, as its manifest entry writes it.",
    ),
    ReservedField(
        id=2147483545,
        name="pos",
        type="long",
        is_stored=True,
        since=2,
        doc="The position of the deleted row.",
    ),
    ReservedField(
        id=2147483544,
        name="row",
        type="struct",
        is_stored=True,
        since=2,
        doc="The deleted row; old writers stored it, nobody need read it.",
    ),
)
"""Columns of position delete files.

Source: https://iceberg.apache.org/spec/#reserved-field-ids "Position Delete Files"
"""
