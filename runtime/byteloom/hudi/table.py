"""The metadata table of a Hudi table, with the questions that its indexes answer.

- A lookup reads the file groups that may hold its keys, and of their base files only the blocks
  that may hold them.
- Results are Arrow tables.  Facts that an index lacks are left out.

Source: https://hudi.apache.org/docs/metadata_indexing
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import pyarrow as pa

from byteloom.errors import ArgumentError
from byteloom.hfile.hudi_bloom import HudiBloomFilter
from byteloom.hudi import keys as key_of
from byteloom.hudi.merge import Rows
from byteloom.hudi.properties import BLOOMS, EXPRESSIONS, SECONDARY, WHOLE_KEYS
from byteloom.hudi.records import BLOOM_FILTER, LOCATIONS, SECONDARY_INDEX, child, locations, parts
from byteloom.hudi.slices import FileSlice
from byteloom.hudi.state import TableState
from byteloom.hudi.statistics import statistics
from byteloom.late import pc

__all__ = ["MetadataTable"]

_PAIRS: Final = pa.schema([("value", pa.string()), ("key", pa.string())])


class MetadataTable(TableState):
    """The metadata table of a Hudi table, as of its newest completed instant.

    Attributes:
        data: The folder of the table itself.
        folder: The folder of its metadata table.
        limits: What reading one file may cost.
        properties: The table's properties, from ``hoodie.properties``.
        table_version: 6, 8 or 9.
        partitions: Names of the enabled partitions of the metadata table, in order.
        timeline: The timeline of the table.
        metadata_timeline: The timeline of its metadata table.
    """

    def record_index(
        self, keys: Iterable[str] | pa.Array | None = None, *, partition: str | None = None
    ) -> pa.Table:
        """Return where records are: key, partition, file_id, instant, position.

        Args:
            keys: Record keys, a list or an Arrow array of text; None for all records.
            partition: The partition whose records are wanted; None for all.

        Returns:
            A row for each key that the index holds, in the order of *keys*; in a partitioned
            index one for each partition that holds it.  instant is the commit that wrote the
            record first; position is null where Hudi did not keep it.

        Raises:
            FormatError: Where the table has no record index.
        """
        if keys is None:
            return _in_partition(locations(self.merged("record_index"), self.properties), partition)
        if isinstance(keys, pa.Array):
            asked = keys.unique()
        else:
            asked = pa.array(list(dict.fromkeys(keys)), pa.string())
        tables = [
            locations(rows, self.properties) for rows in self._located(asked, partition) if rows
        ]
        found = _in_partition(
            pa.concat_tables(tables) if tables else LOCATIONS.empty_table(), partition
        )
        order = pc.index_in(found["key"], asked.cast(pa.string()))
        return found.take(pc.sort_indices(order)) if len(found) else found

    def _located(self, asked: pa.Array, partition: str | None) -> Iterator[list[Rows]]:
        """Yield the rows of a record index that have the keys, a file group at a time."""
        for groups in self._record_groups(partition):
            numbers = key_of.file_groups(asked, len(groups))
            for number, group in enumerate(groups):
                chosen = asked.filter(pa.array(numbers == number))
                if len(chosen):
                    wanted = chosen.cast(pa.binary())
                    yield list(self.lookup("record_index", group.file_id, wanted))

    def _record_groups(self, partition: str | None) -> list[list[FileSlice]]:
        """Return the file groups of the record index, grouped by the set that shares its keys."""
        groups = self.slices("record_index")
        if not self.is_record_index_partitioned:
            return [groups]
        by_prefix: dict[str, list[FileSlice]] = {}
        for each in groups:
            by_prefix.setdefault(each.file_id[: -len("NNNN-0")], []).append(each)
        if partition is None:
            return list(by_prefix.values())
        found = by_prefix.get(key_of.record_index_prefix(partition))
        return [found] if found else []

    def column_stats(
        self,
        columns: Iterable[str] | None = None,
        *,
        partition: str | None = None,
        files: Iterable[str] | None = None,
    ) -> dict[str, pa.Table]:
        """Return statistics of files: for each column, a table with a row for each file.

        Args:
            columns: Names of columns, with dots between the parts of nested ones; None for all.
            partition: The partition of the files, by path; ``""`` in a table without
                partitions; None for all.
            files: Names of files in *partition*, which is then needed; None for all.

        Returns:
            Tables of partition, file, min and max in the column's type, value_count,
            null_count, total_size, total_uncompressed_size, is_tight_bound.

        Raises:
            FormatError: Where the table has no statistics of columns.
        """
        names = None if columns is None else list(columns)
        keys = None
        if files is not None:
            if partition is None or names is None:
                raise ArgumentError("files", None, "no partition or no columns", "both, with files")
            wanted = [(name, file) for name in names for file in files]
            keys = [key_of.column_stats_key(name, partition, file) for name, file in wanted]
        return self._statistics("column_stats", names, partition, keys)

    def partition_stats(
        self, columns: Iterable[str] | None = None, *, partition: str | None = None
    ) -> dict[str, pa.Table]:
        """Return statistics of partitions: as `column_stats`, with a row for each partition.

        Args:
            columns: Names of columns, with dots between the parts of nested ones; None for all.
            partition: The partition, by path; None for all.

        Raises:
            FormatError: Where the table has no statistics of partitions.
        """
        names = None if columns is None else list(columns)
        keys = None
        if names is not None and partition is not None:
            keys = [key_of.partition_stats_key(name, partition) for name in names]
        return self._statistics("partition_stats", names, partition, keys)

    def expression_index(self, name: str, *, partition: str | None = None) -> pa.Table:
        """Return statistics of the values of an expression, for files and for partitions.

        Args:
            name: The name as in ``CREATE INDEX``, or the index's partition of the metadata
                table.
            partition: The partition of the table, by path; None for all.

        Returns:
            A table like those of `column_stats`; file is null in rows of partitions.

        Raises:
            ArgumentError: For an index of Bloom filters, see `bloom_filters`.
        """
        place = _place(name, *EXPRESSIONS)
        definition = self.definitions.get(place)
        if definition is not None and definition.type == BLOOMS:
            wanted = "column_stats; bloom_filters(index=...) returns Bloom filters"
            raise ArgumentError(place, None, f"an index of {BLOOMS}", wanted)
        found = self._statistics(place, None, partition, None)
        empty = pa.table({"partition": pa.array([], pa.string())})
        return pa.concat_tables(found.values(), promote_options="permissive") if found else empty

    def _statistics(
        self, index: str, names: list[str] | None, partition: str | None, keys: list[str] | None
    ) -> dict[str, pa.Table]:
        stored = None if keys is None else [each.encode() for each in keys]
        found = statistics(self.merged(index, stored), self.partition_paths())
        if names is not None:
            found = {name: found[name] for name in names if name in found}
        if partition is None:
            return found
        chosen = pc.field("partition") == ("" if partition == key_of.NON_PARTITIONED else partition)
        return {name: table.filter(chosen) for name, table in found.items()}

    def secondary_index(
        self, name: str, values: Iterable[str | int | None] | None = None
    ) -> pa.Table:
        """Return which records have a value: columns value and key, the key of the record.

        Args:
            name: The name as in ``CREATE INDEX``, or the index's partition of the metadata
                table.
            values: The values, as text or integers, None for null; None instead of a list for
                all values.
        """
        place = _place(name, SECONDARY)
        wanted = None if values is None else [_text(each) for each in values]
        batches = []
        for keys, field in parts(self._secondary_rows(place, wanted), SECONDARY_INDEX):
            deleted = pc.fill_null(child(field, "isDeleted", pa.bool_()), fill_value=False)
            columns = key_of.split_secondary_keys(keys.filter(pc.invert(deleted)))
            batches.append(pa.RecordBatch.from_arrays(list(columns), schema=_PAIRS))
        table = pa.Table.from_batches(batches, schema=_PAIRS)
        if wanted is None:
            return table
        return table.filter(pc.is_in(table["value"], pa.array(wanted, pa.string())))

    def _secondary_rows(self, place: str, wanted: list[str | None] | None) -> Iterator[Rows]:
        """Yield the rows of the file groups that may hold the values."""
        groups = self.slices(place)
        definition = self.definitions.get(place)
        if wanted is None or definition is None or definition.version == WHOLE_KEYS:
            return self.merged(place)
        prefixes = [key_of.secondary_prefix(value) for value in wanted]
        # The first releases with these indexes did not escape NUL.
        prefixes += [each.replace("\\\0", "\0") for each in prefixes if "\\\0" in each]
        numbers = key_of.file_groups(prefixes, len(groups)).tolist()
        chosen = [groups[number].file_id for number in sorted(set(numbers))]
        return self.prefixed(place, [prefix.encode() for prefix in prefixes], chosen)

    def bloom_filters(
        self, partition: str, files: Iterable[str], *, index: str | None = None
    ) -> dict[str, HudiBloomFilter]:
        """Return the Bloom filters of record keys by file, for those files that have one.

        Args:
            partition: The partition of the files, by path; ``""`` in a table without
                partitions.
            files: Names of base files.
            index: An expression index of Bloom filters, as in ``CREATE INDEX``, or its
                partition of the metadata table: return filters of the expression's values, as
                text.
        """
        by_key = {key_of.bloom_filter_key(partition, file): file for file in files}
        place = BLOOMS if index is None or index == BLOOMS else _place(index, *EXPRESSIONS)
        rows = self.merged(place, [key.encode() for key in by_key])
        found = {}
        for keys, field in parts(rows, BLOOM_FILTER):
            for key, each in zip(keys.to_pylist(), field.to_pylist(), strict=True):
                if not each["isDeleted"] and key in by_key:
                    stored = each["bloomFilter"], each["type"]
                    found[by_key[key]] = HudiBloomFilter(*stored, limits=self.limits)
        return found


def _place(name: str, *prefixes: str) -> str:
    """Return an index's partition of the metadata table; its name may have one of *prefixes*."""
    return name if name.startswith(prefixes) else f"{prefixes[0]}{name}"


def _text(value: str | int | None) -> str | None:
    """Return a value as text in Hudi's form."""
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def _in_partition(found: pa.Table, partition: str | None) -> pa.Table:
    """Return the rows of one partition of the table; those of all partitions for None."""
    return found if partition is None else found.filter(pc.field("partition") == partition)
