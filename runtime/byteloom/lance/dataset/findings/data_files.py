"""What is wrong with what a manifest says of data files, compared with these files.

- A column has the field that the manifest says; the file says which field it was written for.
  Files that were written by themselves number their fields from 0: their names are compared.
- Early releases gave fields other columns.  Sizes of files of version 0.1, which leave out the end
  of the file, are not compared.

Source: specs/lance/table.proto, specs/lance/SOURCE.md
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom.errors import ByteloomError
from byteloom.lance.dataset.findings.manifest import TOMBSTONE
from byteloom.lance.dataset.findings.shared_parts import Finding
from byteloom.lance.mapping import map_columns
from byteloom.lance.reader import LanceFile
from byteloom.lance.tail_content import V0_1
from byteloom.storage.naming import about_file, missing_from
from byteloom.storage.sources import name_of
from byteloom_generated.lance.encodings import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from byteloom.lance.dataset.findings.shared_parts import Version
    from byteloom.lance.fields import Field
    from byteloom_generated.lance.table import DataFile

__all__ = ["FileChecks"]

_NO_COLUMN: Final = -1
"""The column of a field without values of its own."""

_EARLY_PAIRS: Final = {"0.1": {(0, 0)}, "2.0": {(0, 3)}, "2.1": {(0, 3)}}
"""Pairs of versions in manifests by releases through 0.16."""

_PAIRS: Final = {each.name: tuple(map(int, each.manifest_pair.split("/"))) for each in VERSIONS}


class FileChecks:
    """The data files that were checked; what several versions say alike is checked once."""

    def __init__(self) -> None:
        """Begin without any."""
        self._sound: dict[tuple[object, ...], bool] = {}
        self._last: tuple[object, ...] = ()

    def findings(
        self, stored: DataFile, rows: int, version: Version, path: str
    ) -> tuple[list[Finding], bool]:
        """Return what is wrong with a file and was not found before; and whether it is sound.

        Args:
            rows: The rows of its fragment; 0 if the manifest does not count them.
            path: The name of the file's message in errors.
        """
        own = [(each, version.schema.fields.get(each)) for each in stored.fields]
        types = tuple((each, one and (one.path, one.type)) for each, one in own)
        key = stored.SerializeToString(), rows, types, version.data_version
        if key in self._sound:
            return [], self._sound[key]
        found = self._findings(stored, rows, version, path, types)
        self._sound[key] = not found
        return found, not found

    def _findings(
        self, stored: DataFile, rows: int, version: Version, path: str, types: tuple[object, ...]
    ) -> list[Finding]:
        """Return what is wrong with a file, whose fields have these *types* in the version."""
        try:
            # As where rows are read, so that the errors are the same.
            folder, name = version.files.place_of(stored, path.partition("[")[0])
            with missing_from(version.file_name), closing(folder.open(name)) as source:
                with about_file(name_of(source)):
                    file = LanceFile(source, limits=version.files.limits)
                found = list(_file_findings(file, stored, rows, version, path))
                tail, columns = file.tail, tuple(stored.column_indices)
                layout = tail.schema, tail.version, len(tail.columns), tail.is_early, columns, types
                # Most files have the fields and columns of the one before.
                if layout != self._last:
                    wrong = list(_column_findings(file, stored, version, path))
                    found += wrong
                    self._last = () if wrong else layout
                return found
        except ByteloomError as error:
            return [Finding(error, frozenset(stored.fields))]


def _file_findings(
    file: LanceFile, stored: DataFile, rows: int, version: Version, path: str
) -> Iterator[Finding]:
    """Yield what is wrong with the size, the version and the row count of a file."""
    noted, size, name = stored.file_size_bytes, file.size, stored.path
    if noted not in {0, size} and file.version != V0_1:
        wanted = f"{size}, the size of {name}: Lance cannot read it"
        yield Finding.of(f"{path}.file_size_bytes", noted, wanted)
    pair = stored.file_major_version, stored.file_minor_version
    right = _PAIRS[file.version]
    if pair != right and pair not in _EARLY_PAIRS.get(file.version, ()):
        found = f"{pair[0]}/{pair[1]}"
        wanted = f"{right[0]}/{right[1]}, the version of {name}: Lance refuses the dataset"
        yield Finding.of(f"{path}.file_major_version", found, wanted)
    elif version.data_version in _PAIRS and version.data_version != file.version:
        wanted = f"{file.version}, as its data files have: Lance refuses the dataset"
        yield Finding.of("manifest.data_format.version", version.data_version, wanted)
    if rows and file.num_rows != rows:
        found, wanted = f"{file.num_rows} rows in {name}", f"{rows} (physical_rows)"
        yield Finding.of(path, found, wanted, stored.fields)


def _column_findings(
    file: LanceFile, stored: DataFile, version: Version, path: str
) -> Iterator[Finding]:
    """Yield what is wrong with the fields of a file, and with their columns."""
    fields = {each.id: each for field in file.fields for each in field.walk()}
    if file.version == V0_1:
        owned = [(each, fields[each]) for each in stored.fields if each in fields]
    elif len(stored.fields) == len(stored.column_indices):
        columns = map_columns(file.fields, file.version, len(file.tail.columns))
        owners = {column: fields[each] for each, column in columns.first.items()}
        finding = _mapping_finding(stored, owners, version, path, is_early=columns.is_early)
        if finding is not None:
            yield finding
            return
        pairs = zip(stored.fields, stored.column_indices, strict=True)
        owned = [(each, owners[column]) for each, column in pairs if column in owners]
    else:
        return
    for number, owner in owned:
        yield from _type_findings(number, owner, version)


def _mapping_finding(
    stored: DataFile, owners: Mapping[int, Field], version: Version, path: str, *, is_early: bool
) -> Finding | None:
    """What is wrong with the columns that a manifest says the fields of a file are in.

    Args:
        owners: The field that the file has in each column.
        is_early: Whether an early release wrote the file, whose columns are not compared.
    """
    pairs = list(zip(stored.fields, stored.column_indices, strict=True))
    is_own = not any(_has_other_id(each, owners.get(column), version) for each, column in pairs)
    checked = [] if is_early else pairs
    found = [_misplaced(each, at, owners.get(at), version, is_own=is_own) for each, at in checked]
    wrong = [each for each in found if each is not None]
    if wrong:
        first, more = wrong[0], len(wrong) - 1
        what = first.found + (f", and {more} more of its columns for other fields" if more else "")
        ids = frozenset[int]().union(*(each.fields or stored.fields for each in wrong))
        return Finding.of(f"{path}.{first.name}", what, first.wanted, ids)
    counts = Counter(each for each in stored.column_indices if each >= 0)
    repeated = [each for each, count in counts.items() if count > 1]
    if repeated:
        what = f"column {repeated[0]} for more than one field"
        return Finding.of(f"{path}.column_indices", what, "each column once", stored.fields)
    unnamed = [] if is_early else sorted(owners.keys() - counts.keys())
    if not unnamed:
        return None
    names = ", ".join(owners[each].path for each in unnamed)
    what = f"no field for column {', '.join(map(str, unnamed))}"
    wanted = f"the id of each column's field, or {TOMBSTONE}: the file has {names} there"
    return Finding.of(f"{path}.fields", what, wanted, (owners[each].id for each in unnamed))


class _Misplaced(NamedTuple):
    """A column that does not have the field which a manifest says.

    Attributes:
        name: The name of the list in the manifest that says so.
        fields: Ids of the fields that are misread by it; none where the whole file is.
    """

    name: str
    found: str
    wanted: str
    fields: frozenset[int] = frozenset()


def _has_other_id(number: int, owner: Field | None, version: Version) -> bool:
    """Whether a file has a field of the dataset under another id: it was written by itself."""
    field = version.schema.fields.get(number)
    return (
        field is not None
        and owner is not None
        and (owner.id != number and owner.path == field.path)
    )


def _misplaced(
    number: int, column: int, owner: Field | None, version: Version, *, is_own: bool
) -> _Misplaced | None:
    """What is wrong with the column of the field *number*; None for nothing.

    Args:
        owner: The field that the file has in the column.
        is_own: Whether the file has the ids of the dataset.
    """
    if number < 0:
        return None
    field = version.schema.fields.get(number)
    what = f"column {column} for field {number}" + ("" if field is None else f", {field.path}")
    name = "fields" if field is None else "column_indices"
    if column < 0:
        if column == _NO_COLUMN and (field is None or field.children):
            return None
        wanted = "the number of a column: it is read as nulls"
        return _Misplaced(name, what, wanted, frozenset({number}))
    if owner is None:
        return _Misplaced(name, what, "a column that a field begins with")
    if is_own and owner.id != number:
        wanted = f"field {owner.id}, {owner.path}, for which the file was written"
        return _Misplaced(name, what, wanted, frozenset({number, owner.id}))
    return None


def _type_findings(number: int, owner: Field, version: Version) -> Iterator[Finding]:
    """Yield the error about a field that has another type in the file than in the schema."""
    field = version.schema.fields.get(number)
    if field is None or field.type == owner.type or number in version.schema.doubtful:
        return
    path = f"manifest.fields[{version.schema.numbers[number]}].logical_type"
    wanted = f"{owner.type!r}, the type of {field.path} in data files"
    yield Finding.of(path, field.type, wanted, [number])
