"""What is wrong with overlays of a fragment, without their files.

Source: specs/lance/table.proto
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset.overlays import coverage_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_generated.lance.table import DataFragment

__all__ = ["overlay_findings"]


def overlay_findings(
    fragment: DataFragment, version: int, path: str
) -> Iterator[tuple[ByteloomError, frozenset[int]]]:
    """Yield what is wrong with overlays, and the ids of fields whose values cannot be right for it.

    version  the number of the dataset's version
    path     the name of the fragment in errors
    """
    for number, stored in enumerate(fragment.overlays):
        own, fields = f"{path}.overlays[{number}]", stored.data_file.fields
        if stored.committed_version > version:
            wanted = f"at most {version}, the version: it hides later overlays"
            found = stored.committed_version
            yield FormatError(f"{own}.committed_version", None, found, wanted), frozenset()
        for each in fields if stored.HasField("field_coverage") else fields[:1]:
            concerned = frozenset((each,) if stored.HasField("field_coverage") else fields)
            try:
                rows = coverage_of(stored, frozenset((each,)), own)
            except ByteloomError as error:
                yield error, concerned
                continue
            if rows and rows.max() >= fragment.physical_rows > 0:
                wanted = f"positions below {fragment.physical_rows}, the rows of the fragment"
                yield FormatError(f"{own}.coverage", None, rows.max(), wanted), frozenset()
