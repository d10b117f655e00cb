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
    "ID_RANGES",
    "METADATA_COLUMNS",
    "IdRange",
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
    """What it says."""

    required: bool = False
    """Whether it is never null."""

    is_stored: bool = False
    """Whether files store it; readers calculate the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdRange:
    """A range of ids that are reserved for one use."""

    name: str
    """What has them."""

    first: int
    """The lowest."""

    last: int
    """The highest id of the range."""

    doc: str
    """What they are."""


ID_RANGES: Final = (
    IdRange(
        name="columns",
        first=1,
        last=2147483447,
        doc="Fields of tables, nested ones, elements, keys and values too; some writers begin at 0.",
    ),
    IdRange(
        name="partition_fields",
        first=1000,
        last=2147483447,
        doc="Fields of partition tuples; version 1 counts them from the first one where it writes none.",
    ),
    IdRange(
        name="reserved",
        first=2147483448,
        last=2147483647,
        doc="The columns below, and others to come.",
    ),
)
"""Which ids are used for what.

Source: https://iceberg.apache.org/spec/#reserved-field-ids "Reserved Field IDs"
"""


METADATA_COLUMNS: Final = (
    ReservedField(
        id=2147483646,
        name="_file",
        type="string",
        required=True,
        since=1,
        doc="The path of the file that the row is in.",
    ),
    ReservedField(
        id=2147483645,
        name="_pos",
        type="long",
        required=True,
        since=1,
        doc="The row's position in its file, from 0.",
    ),
    ReservedField(
        id=2147483644,
        name="_deleted",
        type="boolean",
        required=True,
        since=1,
        doc="Whether the row was deleted.",
    ),
    ReservedField(
        id=2147483643,
        name="_spec_id",
        type="int",
        required=True,
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
        doc="The row's own id; null means the file's first row id and the position.",
    ),
    ReservedField(
        id=2147483539,
        name="_last_updated_sequence_number",
        type="long",
        is_stored=True,
        since=3,
        doc="The sequence number of the last change; null means the file's own.",
    ),
)
"""Columns that a scan can return in addition to the table's own.

Source: https://iceberg.apache.org/spec/#reserved-field-ids "Reserved Field IDs"
"""


CHANGELOG_COLUMNS: Final = (
    ReservedField(
        id=2147483543,
        name="_change_type",
        type="string",
        required=True,
        since=1,
        doc="INSERT, DELETE, UPDATE_BEFORE or UPDATE_AFTER.",
    ),
    ReservedField(
        id=2147483542,
        name="_change_ordinal",
        type="int",
        required=True,
        since=1,
        doc="The order of the change among the snapshots that were scanned.",
    ),
    ReservedField(
        id=2147483541,
        name="_commit_snapshot_id",
        type="long",
        required=True,
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
        required=True,
        is_stored=True,
        since=2,
        doc="The path of the data file, as its manifest entry writes it.",
    ),
    ReservedField(
        id=2147483545,
        name="pos",
        type="long",
        required=True,
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
        doc="The deleted row; old writers stored it, and readers may ignore it.",
    ),
)
"""Columns of position delete files.

Source: https://iceberg.apache.org/spec/#reserved-field-ids "Position Delete Files"
"""
