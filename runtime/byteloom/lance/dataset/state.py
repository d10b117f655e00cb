"""A version of a Lance dataset that is open: its manifest, its schema, its fragments, its files.

- Opening lists the versions and reads one manifest; no data file is opened before rows are wanted.
- A version never changes: what changes the dataset makes another one.
"""

from __future__ import annotations

from contextlib import closing
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from byteloom.errors import FormatError
from byteloom.lance.dataset.dataset_files import files_of
from byteloom.lance.dataset.fragments import Fragment
from byteloom.lance.dataset.indices import IndexSegment, stored_indices
from byteloom.lance.dataset.manifests import read_manifest, time_of
from byteloom.lance.dataset.versions import (
    VersionPlace,
    branches_of,
    name_of_version,
    tags_of,
    version_place,
)
from byteloom.lance.extensions import extended_schema
from byteloom.lance.fields import Field, tree_of, with_descriptors, with_json_texts
from byteloom.lance.types import arrow_schema
from byteloom.redaction import SchemaMetadata
from byteloom.storage import Folder
from byteloom.storage.naming import about_file, naming

if TYPE_CHECKING:
    from datetime import datetime

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.lance.dataset.dataset_files import DatasetFiles
    from byteloom.limits import Limits
    from byteloom.storage.allowed import Allowed
    from byteloom_generated.lance.table import Manifest

__all__ = ["DatasetState"]

_MAX_ROWS: Final = (1 << 63) - 1
_BLOBS: Final = "_blobs"
"""The folder with the dataset of values that data files do not have."""


@naming
class DatasetState:
    """A version of a Lance dataset.

    Attributes:
        folder: Where it is.
        manifest: The message that describes the version.
        fields: The fields at the top of its schema.
        versions: The numbers of all its versions, ascending.
        limits: What reading one file may cost.
        file_name: The manifest's name in errors.
        root: The folder that has the tags and the branches; *folder* for the main branch.
        allowed: What files outside of the folder must be below; None for anywhere.
    """

    def __init__(
        self,
        place: VersionPlace,
        manifest: Manifest,
        limits: Limits,
        *,
        file_name: str,
        allowed: Allowed | None,
    ) -> None:
        """Describe the version whose *manifest* is at a place."""
        self.root, self.folder, self._name, self.versions = place
        self.manifest, self.limits, self.allowed = manifest, limits, allowed
        self.file_name: str | None = file_name
        self._known: dict[int, Fragment] = {}
        stored = tree_of(manifest.fields, limits, path="manifest")
        self.fields: list[Field] = [with_json_texts(with_descriptors(each)) for each in stored]

    @classmethod
    def read(cls, place: VersionPlace, limits: Limits, allowed: Allowed | None) -> Self:
        """Read the manifest at a place, and return the version that it describes.

        Args:
            place: Where the version is.
            limits: What reading one file may cost.
            allowed: What files outside of the folder must be below; None for anywhere.

        Returns:
            The version.

        Raises:
            FormatError: The manifest is damaged.
            Unsupported: The version needs a newer reader.
        """
        with closing(place.folder.open(place.name)) as source, about_file(source.name):
            manifest = read_manifest(source, limits)
            return cls(place, manifest, limits, file_name=source.name, allowed=allowed)

    def newest(self) -> Self:
        """Return the newest version of the dataset.

        Returns:
            The newest version now, which may be this one.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> first = lance.write_dataset("trips.lance", pa.table({"id": range(5)}))
            >>> first.delete([0]).version
            2
            >>> first.newest().version
            2
        """
        branch = None if self.root is self.folder else self.branch
        place = version_place(self.root, self.limits, branch=branch)
        return self.read(place, self.limits, self.allowed)

    @property
    def place_name(self) -> str:
        """The path of its folder, which errors about arguments name."""
        return f"{self.folder}"

    @property
    def version(self) -> int:
        """The number of the version."""
        return self.manifest.version

    @property
    def data_version(self) -> str:
        """The version of the format of new data files; empty where early releases left it out."""
        return self.manifest.data_format.version

    @property
    def timestamp(self) -> datetime | None:
        """The time of the version; None where the manifest lacks it."""
        return time_of(self.manifest)

    @property
    def tags(self) -> dict[str, int]:
        """The numbers of versions of this branch that have names, by name."""
        return tags_of(self.root, self.limits, self.branch)

    @property
    def branch(self) -> str:
        """The name of its branch; empty for the main one."""
        return self.manifest.branch

    @property
    def branches(self) -> list[str]:
        """The names of all branches but the main one."""
        return branches_of(self.root)

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the Arrow schema."""
        return SchemaMetadata(self.manifest.schema_metadata)

    @cached_property
    def schema(self) -> pa.Schema:
        """The Arrow schema, with the extension types that pyarrow knows, as in batches."""
        return extended_schema(arrow_schema(self.fields, self.metadata))

    @cached_property
    def fragments(self) -> list[Fragment]:
        """Its fragments: the rows, in the parts in which they were written."""
        return [self.fragment(number) for number in range(len(self.manifest.fragments))]

    def fragment(self, number: int) -> Fragment:
        """Return one of the fragments; making all of them takes long where there are many.

        Args:
            number: Its number in the manifest, from 0 on.

        Returns:
            The fragment.
        """
        found = self._known.get(number)
        if found is None:
            stored = self.manifest.fragments[number]
            found = self._known[number] = Fragment(stored, number, self.files)
        return found

    @cached_property
    def indices(self) -> list[IndexSegment]:
        """The segments of its indices; an index that was updated has several of its name.

        Raises:
            FormatError: What the manifest says of them is damaged.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> lance.write_dataset("trips.lance", pa.table({"id": range(5)})).indices
            []

        Source: https://lance.org/format/table/index/
        """
        paths = {each.id: each.path for top in self.fields for each in top.walk()}
        with closing(self.folder.open(self._name)) as source, about_file(source.name):
            stored = stored_indices(self.manifest, source, self.limits)
            ids = [each.id for each in self.manifest.fragments]
            return [IndexSegment.of(each, paths, ids) for each in stored]

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first row of each fragment, and the number of all rows."""
        rows = [
            0 if each.HasField("deletion_file") else each.physical_rows
            for each in self.manifest.fragments
        ]
        if 0 in rows:  # a fragment is only opened if the manifest does not count its rows
            rows = [each or self.fragment(number).num_rows for number, each in enumerate(rows)]
        found = [0, *accumulate(rows)]
        if found[-1] > _MAX_ROWS:
            wanted = f"at most {_MAX_ROWS} rows in all"
            raise FormatError("manifest.fragments.physical_rows", None, found[-1], wanted)
        return found

    @property
    def num_rows(self) -> int:
        """The number of rows that are not deleted."""
        return self.starts[-1]

    @property
    def manifest_name(self) -> str:
        """The name of its manifest, below the folder."""
        return self._name

    @cached_property
    def files(self) -> DatasetFiles:
        """Its files, and the folders that they are in."""
        return files_of(self.folder, self._name, self.manifest, self.limits, self.allowed)

    @cached_property
    def blobs(self) -> DatasetState:
        """The dataset with the values of the fields that data files do not have.

        Raises:
            FormatError: It is damaged, or there is no such version.
        """
        version = self.manifest.blob_dataset_version
        folder = Folder(f"{self.folder.path}/{_BLOBS}", filesystem=self.folder.filesystem)
        name = name_of_version(folder, version) if version else None
        if name is None:
            wanted = f"a version of the dataset in its folder {_BLOBS}"
            raise FormatError("manifest.blob_dataset_version", None, version, wanted)
        place = VersionPlace(folder, folder, name, [version])
        found = DatasetState.read(place, self.limits, self.allowed)
        found.manifest.ClearField("blob_dataset_version")  # it has no blobs of its own
        return found

    @cached_property
    def id_spans(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The least and the greatest id of the rows of each fragment; 1 and 0 of an empty one."""
        ids = [each.row_ids for each in self.fragments]
        least = [each.min() if len(each) else 1 for each in ids]
        greatest = [each.max() if len(each) else 0 for each in ids]
        return np.array(least, np.uint64), np.array(greatest, np.uint64)
