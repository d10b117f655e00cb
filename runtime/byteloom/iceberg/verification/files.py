"""Check data files, delete files and deletion vectors against their manifest entries.

The rules:

- Data files must have values in all required columns.
- Every row of data files and delete files is read, and compared with the statistics and the
  partition in each entry, and with those in the file's footer.  Unless rows are to be read, the
  footer is compared with the entries.
- A file is read once, however many snapshots have it; where manifests describe it in different
  ways, it is checked against each of them.
- A deletion vector is read whole: its place in the footer, its frame, its checksum, its number of
  positions, and what the footer says of it.

Source: Iceberg table spec, "Manifests"; Puffin spec, "deletion-vector-v1".
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from byteloom import puffin
from byteloom.datafiles.fields import field_id
from byteloom.errors import ByteloomError, FormatError, MissingFile
from byteloom.iceberg.manifests.containers import read_container
from byteloom.iceberg.observed import Observed, leaves_of
from byteloom.iceberg.reading.hints import check_size
from byteloom.iceberg.reading.position_deletes import DELETE_COLUMNS
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.stated import stated_values
from byteloom.iceberg.verification.claims import claimed_places
from byteloom.iceberg.verification.comparing import (
    check_footer,
    check_statistics,
    columns_of,
)
from byteloom.iceberg.verification.deletes import (
    DataFiles,
    Positions,
    check_equality_ids,
    check_positions,
)
from byteloom.iceberg.verification.partitions import check_partition, hashed_columns
from byteloom.iceberg.verification.rows import ReadColumns, RequiredColumns, check_every_row, opened
from byteloom.puffin.deletion_vector import BLOB_TYPE
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from byteloom.datafiles.data_file import PartStats
    from byteloom.iceberg.observed import Seen
    from byteloom.iceberg.reading.table_files import TableFile
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import NestedField
    from byteloom.iceberg.verification.claims import Claim, Place
    from byteloom.iceberg.verification.manifests import Content
    from byteloom.storage import Source

__all__ = ["check_files"]

_ALL_ROWS: Final = (1 << 63) - 1
_VECTOR_IDS: Final = frozenset(each.id for each in DELETE_COLUMNS)


def check_files(
    table: StoredTable, content: Content, part: tuple[int, int] = (0, 1), *, rows: bool = True
) -> Iterator[ByteloomError]:
    """Yield what is wrong with files that are live in a snapshot.

    Args:
        part: Number of a part of the files, from 0, and of how many parts.
        rows: Whether to read every row, not only sizes, footers and nulls in required columns.
    """
    number, parts = part
    places = claimed_places(content)
    checks, columns = _Checks(table, places, reads_rows=rows), ReadColumns(table, content)
    for each in places[number::parts]:
        path = each.claims[0].file["file_path"]
        try:
            for error in checks.of_file(each.claims, columns.of(each.manifests)):
                yield error.in_file(path)
        except FormatError as error:
            yield error.in_file(path)
        except MissingFile as error:
            yield error.because_of(each.manifests[0])
        except ByteloomError as error:
            yield error


class _Checks:
    """The checks of a table's files, with what they need of the table."""

    def __init__(self, table: StoredTable, places: Sequence[Place], *, reads_rows: bool) -> None:
        """Nothing is read yet."""
        self._table, self._reads_rows = table, reads_rows
        self._required = RequiredColumns(table.schema)
        self._files = ReadContext(table, table.schema, []).files
        self._columns = columns_of(table)
        self._hashed = hashed_columns(list(table.metadata.partition_specs.values()), self._columns)
        self._fitting = dict[int, set["Hashable"]]()  # by the columns that are looked for
        self._data = DataFiles(claim for place in places for claim in place.claims)

    def of_file(
        self, claims: Sequence[Claim], fields: Sequence[NestedField]
    ) -> Iterator[FormatError]:
        """Yield what is wrong with a file, or with the claims about it.

        Damage of a file that has another size than an entry states is one finding: the size.

        Args:
            fields: The columns that scans look for in it.
        """
        file = claims[0].file
        path, form = file["file_path"], file["file_format"].lower()
        with closing(self._table.relocation.open(path)) as source:
            wrong_sizes = [each for claim in claims for each in _wrong_size(source, claim.file)]
            yield from wrong_sizes
            if file["key_metadata"] is not None:
                return  # an encrypted file shows no rows
            try:
                if form == "puffin":
                    yield from self._vector(source, claims)
                    return
                data = opened(self._files, file, source)
                rows = data.rows
                if rows is None and not self._reads_rows:
                    blocks = read_container(source.read(0, source.size), self._table.limits)
                    rows = int(blocks.blocks[:, 0].sum())
            except FormatError:
                if not wrong_sizes:
                    raise
                return
            if rows is not None:
                yield from _wrong_counts(claims, rows)
            yield from self._of_rows(data, claims, fields if claims[0].is_data else ())

    def _of_rows(
        self, data: TableFile, claims: Sequence[Claim], fields: Sequence[NestedField]
    ) -> Iterator[FormatError]:
        """Yield what is wrong with the rows of a file, or with the claims about them."""
        known = [each for of in data.columns if (each := self._columns.get(field_id(of)))]
        stats = data.statistics(known)
        if self._reads_rows:
            yield from self._all_rows(data, stats, claims, fields)
            return
        if claims[0].is_data:
            self._required.check(data)
        if stats is not None:
            present = {each for of in data.columns for each in leaves_of(of)}
            values = stated_values(stats, known, is_orc=claims[0].is_orc)
            yield from self._claims(claims, present, values)

    def _all_rows(
        self,
        data: TableFile,
        stats: PartStats | None,
        claims: Sequence[Claim],
        fields: Sequence[NestedField],
    ) -> Iterator[FormatError]:
        """Yield what is wrong after reading all rows.

        Args:
            stats: What the file states of its row groups or stripes.
        """
        file = claims[0].file
        groups = [_ALL_ROWS] if stats is None else stats.record_count.tolist()
        seen, positions = Observed(frozenset(self._columns), groups, self._hashed), Positions()
        by_position = file["content"] == FileContent.POSITION_DELETES
        observers = [seen.add, positions.add] if by_position else [seen.add]
        fitting = self._fitting.setdefault(id(fields), set())
        found = list(check_every_row(data, file["file_path"], fields, observers, fitting))
        yield from found
        if found:
            return
        whole = seen.whole
        if data.rows is None:
            yield from _wrong_counts(claims, seen.rows)
        if stats is not None:
            yield from check_footer(stats, seen.groups, self._columns)
        if claims[0].is_data:
            self._required.check(data, whole)
        yield from check_positions(positions, claims, self._data)
        # Which columns are inside others, a file of Avro shows with its rows only.
        present = {each for of in data.columns for each in leaves_of(of)} | whole.keys()
        yield from self._claims(claims, present, whole)

    def _claims(
        self, claims: Sequence[Claim], present: set[int], whole: Mapping[int, Seen]
    ) -> Iterator[FormatError]:
        """Yield what is wrong with the entries about a file.

        Args:
            present: Ids of the columns that it has.
            whole: The values of some of them.
        """
        present = present | self._mapped_once(claims, present)
        for claim in claims:
            yield from check_statistics(claim, present, whole, self._columns)
            yield from check_equality_ids(claim, present, self._table.metadata.schemas.values())
            spec = self._table.metadata.partition_specs.get(claim.file["spec_id"])
            ids = claim.file["equality_ids"]
            compared = (
                whole if ids is None else {each: whole[each] for each in ids if each in whole}
            )
            if spec is not None:
                yield from check_partition(claim, spec, compared, self._columns)

    def _mapped_once(self, claims: Sequence[Claim], present: set[int]) -> set[int]:
        """Return the other columns that are counted, of a file whose ids a name mapping gives.

        The mapping may have been another one when they were counted.
        """
        counted = {each for of in claims for held in of.statistics.values() for each in held}
        counted, file = counted & self._columns.keys(), claims[0].file
        if counted <= present:
            return set()
        try:
            with closing(opened(self._files.named(None), file)) as data:
                return set() if data.columns else counted
        except FormatError:
            return counted  # a file without ids

    def _vector(self, source: Source, claims: Sequence[Claim]) -> Iterator[FormatError]:
        """Yield what is wrong with a deletion vector."""
        for each in claims:
            positions = _check_vector(self._table, source, each.file)
            yield from check_positions(positions, [each], self._data)
            yield from check_statistics(each, _VECTOR_IDS, {}, self._columns)


def _wrong_size(source: Source, file: dict[str, Any]) -> Iterator[FormatError]:
    """Yield the finding of a file whose size is not that of its entry."""
    try:
        check_size(file["file_path"], source.size, file["file_size_in_bytes"])
    except FormatError as error:
        yield error


def _wrong_counts(claims: Sequence[Claim], rows: int) -> Iterator[FormatError]:
    """Yield the row counts of entries that are not that of the file."""
    for stated in {each.file["record_count"] for each in claims} - {None, rows}:
        wanted = f"{stated}, as its manifest says"
        yield FormatError("record_count", None, f"{rows} rows", wanted)


def _check_vector(table: StoredTable, source: Source, file: dict[str, Any]) -> Positions:
    """Check a deletion vector against its entry; return its positions."""
    offset, size = file["content_offset"], file["content_size_in_bytes"]
    if offset is None or size is None:
        raise FormatError("content_offset", None, "nothing", "the vector's place in the file")
    with puffin.open(source, limits=table.limits) as opened:
        blobs = [each for each in opened.blobs if (each.offset, each.length) == (offset, size)]
        if not blobs or blobs[0].type != BLOB_TYPE:
            wanted = f"a deletion vector of {size} bytes at {offset}, as its manifest says"
            raise FormatError("footer.payload.blobs", None, "no such blob", wanted)
        path = blobs[0].properties.get("referenced-data-file")
        if path != file["referenced_data_file"]:
            wanted = f"{file['referenced_data_file']}, as its manifest says"
            raise FormatError("referenced-data-file", None, str(path), wanted)
        vector = opened.deletion_vector(blobs[0])
        if file["record_count"] not in {None, len(vector)}:
            wanted = f"{file['record_count']}, as its manifest says"
            raise FormatError("cardinality", offset, f"{len(vector)} positions", wanted)
        for error in vector.contradictions(blobs[0]):
            raise error.inside(f"blobs[{opened.blobs.index(blobs[0])}]")
        ends, held = Positions(), vector.positions(limits=table.limits)
        if path is not None and len(held):
            ends.note(path, int(held[0]), int(held[-1]))
        return ends
