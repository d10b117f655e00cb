"""Indices of a version of a Lance dataset, by what its manifest says of them: none is read.

An index consists of segments of one name: rows that were added later get a segment of their own
when the index is updated.

Source: https://lance.org/format/table/index/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self
from uuid import UUID

from byteloom.errors import FormatError
from byteloom.lance.dataset.deletions import bitmap_of
from byteloom.lance.dataset.manifests import read_section
from byteloom_generated.lance.table import IndexSection

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from byteloom.limits import Limits
    from byteloom.storage import Source
    from byteloom_generated.lance.table import IndexMetadata, Manifest

__all__ = ["UUID_SIZE", "IndexSegment", "stored_indices"]

UUID_SIZE: Final = 16
"""Bytes of the number that names the folder of an index."""


def stored_indices(manifest: Manifest, source: Source, limits: Limits) -> list[IndexMetadata]:
    """Return the messages of the indices of a version, from the file of its manifest.

    Raises:
        FormatError: For damage.
    """
    if not manifest.HasField("index_section"):
        return []
    data, at = read_section(source, manifest, "index_section", limits)
    return list(IndexSection.parse(data, limits=limits, origin=at, path="indices").indices)


@dataclass(frozen=True, slots=True)
class IndexSegment:
    """A segment of an index, or the whole of it.

    Attributes:
        name: The name of the index.
        columns: Its columns; none for a list of Lance's own, whose name begins with ``__lance``.
        dataset_version: The version of the dataset that it was made from.
        fragments: The ids of those fragments of the version that it has; None where an early
            release did not say.
        size: Bytes of its files; None where the manifest does not list these.
        uuid: The number that names its folder in ``_indices``.
    """

    name: str
    columns: tuple[str, ...]
    dataset_version: int
    fragments: frozenset[int] | None
    size: int | None
    uuid: UUID

    @classmethod
    def of(cls, stored: IndexMetadata, paths: Mapping[int, str], fragments: Iterable[int]) -> Self:
        """Return what a message of a manifest says.

        Args:
            stored: The message.
            paths: The name of each field of the schema, by its id.
            fragments: The ids of the fragments of the version.

        Raises:
            FormatError: For a field that the schema lacks, and for damage.
        """
        path, data = f"indices.{stored.name}", stored.fragment_bitmap
        for each in stored.fields:
            if each not in paths:
                raise FormatError(f"{path}.fields", None, f"field {each}", "fields of the schema")
        if len(stored.uuid.uuid) != UUID_SIZE:
            found = f"{len(stored.uuid.uuid)} bytes"
            raise FormatError(f"{path}.uuid", None, found, f"{UUID_SIZE}")
        known = bitmap_of(data, f"{path}.fragment_bitmap") if data else None
        return cls(
            stored.name,
            tuple(paths[each] for each in stored.fields),
            stored.dataset_version,
            None if known is None else frozenset(each for each in fragments if each in known),
            sum(each.size for each in stored.files) if stored.files else None,
            UUID(bytes=stored.uuid.uuid),
        )
