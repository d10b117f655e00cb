"""What is wrong with overlays of a fragment, without their files.

Source: specs/lance/table.proto
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError
from byteloom.lance.dataset.findings.finding import Finding
from byteloom.lance.dataset.overlays import coverage_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_generated.lance.table import DataFragment

__all__ = ["overlay_findings"]


def overlay_findings(fragment: DataFragment, version: int, path: str) -> Iterator[Finding]:
    """Yield what is wrong with overlays.

    version  the number of the dataset's version
    path     the name of the fragment in errors
    """
    for number, stored in enumerate(fragment.overlays):
        own, fields = f"{path}.overlays[{number}]", stored.data_file.fields
        if stored.committed_version > version:
            wanted = f"at most {version}, the version: it hides later overlays"
            found = stored.committed_version
            yield Finding.of(f"{own}.committed_version", found, wanted)
        for each in fields if stored.HasField("field_coverage") else fields[:1]:
            concerned = frozenset((each,) if stored.HasField("field_coverage") else fields)
            try:
                rows = coverage_of(stored, frozenset((each,)), own)
            except ByteloomError as error:
                yield Finding(error, concerned)
                continue
            if rows and rows.max() >= fragment.physical_rows > 0:
                wanted = f"positions below {fragment.physical_rows}, the rows of the fragment"
                yield Finding.of(f"{own}.coverage", rows.max(), wanted)
