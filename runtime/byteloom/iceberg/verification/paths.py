"""Paths, which must not have control characters; most writers escape those.

Source: Iceberg table spec, "Table Metadata", "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.metadata import TableMetadata

__all__ = ["check_locations", "check_paths"]

_CONTROL: Final = r"[\x00-\x1f\x7f]"


def check_locations(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with the paths in a table's metadata, the first of each kind."""
    lists = [each.manifest_list for each in metadata.snapshots.values()]
    yield from check_paths("", "location", pa.chunked_array([[metadata.location]]))
    yield from check_paths("snapshots", "manifest-list", pa.chunked_array([lists], pa.string()))


def check_paths(where: str, name: str, paths: pa.ChunkedArray) -> Iterator[FormatError]:
    """Yield the first of some paths that has a control character.

    Args:
        where: The list that the paths come from, ``entries`` or ``manifests``; empty for a single
            path.
    """
    wrong = pc.fill_null(pc.match_substring_regex(paths, _CONTROL), fill_value=False).to_numpy()
    for row in np.flatnonzero(wrong)[:1].tolist():
        path = f"{where}[{row}].{name}" if where else name
        found, wanted = repr(paths[row].as_py()), "a path without control characters"
        yield FormatError(path, None, found, wanted)
