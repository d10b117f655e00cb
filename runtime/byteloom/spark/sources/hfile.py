"""``byteloom.hfile``: reads the cells of HFiles, and writes a DataFrame as sorted HFiles.

- Large files are divided at rows, by their index; no row is in two partitions.
- Filters on rows decide which blocks are read; Spark need not evaluate them again.

Source: https://hudi.apache.org/docs/hfile_format
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
from pyspark.sql.types import StructType

from byteloom.errors import ArgumentError, FormatError, found_by
from byteloom.spark.files import Found, located
from byteloom.spark.options import FLAG, NAMES, SIZE, TEXT, WHOLE, Option, Options, one_of
from byteloom.spark.packing import packed, part_size
from byteloom.spark.row_ranges import ALL, RowRanges
from byteloom.spark.sources import file_source as shared
from byteloom.spark.sources.file_source import FileReader, FileSource

if TYPE_CHECKING:
    from byteloom.hfile import HFile
    from byteloom.spark.sources.hfile_sink import HFileSink

__all__ = ["OPTIONS", "HFileSource"]

_TEXTS: Final = ("row", "family", "qualifier", "value")

OPTIONS: Final = Options(
    "byteloom.hfile",
    *shared.PATHS,
    shared.COLUMNS,
    shared.SPLIT_SIZE,
    Option(
        "text",
        NAMES,
        f"Columns to read as text in UTF-8, of {', '.join(_TEXTS)}; with `row` among them,"
        " Spark pushes `LIKE 'prefix%'` as well.",
        (),
        "none",
    ),
    Option(
        "profile",
        one_of("hbase", "hudi"),
        "Writing: the system whose readers the file is for.",
        "hbase",
    ),
    Option("compression", TEXT, "Writing: codec of all blocks, as `GZ`, `SNAPPY` or `ZSTD`."),
    Option("level", WHOLE, "Writing: the compression level of the codec."),
    Option("encoding", TEXT, "Writing: encoding of data blocks, as `FAST_DIFF` or `ROW_INDEX_V1`."),
    Option("block_size", SIZE, "Writing: bytes of cells at which a block ends.", None, "64k"),
    Option(
        "blooms", NAMES, "Writing: Bloom filters, `ROW`, `ROWCOL`, `DELETE_FAMILY`.", (), "none"
    ),
    Option("tags", FLAG, "Writing: keep the tags of cells.", default=None, default_text="false"),
    Option("mvcc", FLAG, "Writing: keep sequence numbers.", default=None, default_text="true"),
    prefixes=shared.STORAGE,
)


class HFileSource(FileSource):
    """Cells of HFiles."""

    OPTIONS = OPTIONS

    def columns(self) -> pa.Schema:
        """Return all columns; columns declared as text by the options are strings.

        Raises:
            FormatError: For a column that cannot be text.
        """
        from byteloom.hfile.cells import COLUMNS, schema_of

        texts = self.settings["text"]
        for name in texts:
            if name not in _TEXTS:
                wanted = f"some of {', '.join(_TEXTS)}"
                raise ArgumentError(f"{self.name()} option text", None, repr(name), wanted)
        return pa.schema(
            [
                pa.field(each.name, pa.string() if each.name in texts else each.type)
                for each in schema_of(COLUMNS, "binary")
            ]
        )

    def reader(self, schema: StructType) -> HFileReader:
        """Return the reader of cells."""
        return HFileReader(schema, self)

    def writer(self, schema: StructType, overwrite: bool) -> HFileSink:  # noqa: FBT001  (Spark's)
        """Return the writer of one file per partition."""
        from byteloom.spark.sources.hfile_sink import HFileSink

        return HFileSink(schema, self.places()[0], self.settings, replaces=overwrite)


class _Piece(NamedTuple):
    """A range of rows of a file, from *start* up to but not including *stop*; None for no end."""

    place: str
    start: bytes
    stop: bytes | None


class HFileReader(FileReader):
    """Reads rows of files.

    Attributes:
        rows: The rows that filters select.
    """

    def __init__(self, schema: StructType, source: HFileSource) -> None:
        """Keep the columns and options; nothing is read."""
        super().__init__(schema, source)
        self.rows = ALL

    def push(self, filters: list[Any]) -> Iterable[Any]:
        """Use the filters on rows, and return the others."""
        left = []
        for each in filters:
            found = _rows_of(each)
            if found is None:
                left.append(each)
            else:
                self.rows &= found
        return left

    def values(self) -> Iterable[Any]:
        """Return the pieces of files for each task."""
        found = self.found()
        size = part_size(sum(each.size for each in found), self.size)
        pieces = [piece for each in found for piece in self._divided(each, size)]
        wanted = [
            (piece, bytes_)
            for piece, bytes_ in pieces
            if (RowRanges.between(piece.start, piece.stop) & self.rows).ranges
        ]
        return packed(wanted, size)

    def batches(self, value: Sequence[_Piece]) -> Iterator[pa.RecordBatch]:
        """Yield the cells of pieces."""
        for piece in value:
            with self._opened(piece.place) as file:
                wanted = RowRanges.between(piece.start, piece.stop) & self.rows
                for batch in _cells(file, wanted, self.columns.names):
                    yield self._shown(batch, piece.place)

    def _divided(self, found: Found, size: int) -> list[tuple[_Piece, int]]:
        """Return the pieces of a file, each with its size in bytes."""
        whole = [(_Piece(found.place, b"", None), found.size)]
        if found.size <= size:
            return whole
        with self._opened(found.place) as file:
            if _is_of_catalog(file):
                return whole
            splits = file.splits(-(-found.size // size))
        starts = [b"", *(each.start.row for each in splits[1:] if each.start is not None)]
        return [
            (_Piece(found.place, start, stop), split.size)
            for split, start, stop in zip(splits, starts, [*starts[1:], None], strict=True)
            if stop is None or start < stop
        ]

    def _opened(self, place: str) -> HFile:
        from byteloom import hfile

        path, filesystem = located(place, self.storage)
        return hfile.open(path, filesystem=filesystem)

    def _shown(self, batch: pa.RecordBatch, place: str) -> pa.RecordBatch:
        """Return cells with text columns as text."""
        try:
            return batch.cast(self.columns)
        except pa.ArrowInvalid as error:
            found = found_by("invalid UTF-8", error)
            raise FormatError("cells", None, found, "text in UTF-8").in_file(place) from error


def _cells(file: HFile, wanted: RowRanges, names: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield the cells of some rows, each cell once."""
    if wanted.is_all:
        yield from file.batches(names, binary="binary", threads=1)
        return
    rows = wanted.rows
    if rows:
        yield from file.lookup(rows, names).select(names).to_batches()
    for start, stop in wanted.wider:
        yield from _between(file, start, stop, names)


def _between(
    file: HFile, start: bytes, stop: bytes | None, names: list[str]
) -> Iterator[pa.RecordBatch]:
    """Yield the cells of rows, compared as bytes, from *start* up to but not including *stop*."""
    from byteloom.hfile.lookup import scanned_between

    if _is_of_catalog(file):
        return scanned_between(file, start, stop, names, reverse=False)
    return file.range(start, stop, names)


def _is_of_catalog(file: HFile) -> bool:
    """Return whether rows are not ordered as bytes, but as in HBase's catalog."""
    return file.is_hbase and file.trailer.is_meta_order


def _rows_of(asked: Any) -> RowRanges | None:
    """Return the rows that satisfy a filter of Spark's; None if it does not select rows."""
    make = _BY_FILTER.get(type(asked).__name__)
    if make is None or asked.attribute != ("row",):
        return None
    return make(getattr(asked, "value", None))


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _of_value(make: Callable[[bytes], RowRanges]) -> Callable[[Any], RowRanges]:
    """Return a function that makes ranges from a filter's value; no row compares with null."""
    return lambda value: RowRanges(()) if value is None else make(_bytes(value))


_EQUAL: Final = _of_value(lambda row: RowRanges.of([row]))
_BY_FILTER: Final[dict[str, Callable[[Any], RowRanges]]] = {
    "EqualTo": _EQUAL,
    "EqualNullSafe": _EQUAL,
    "GreaterThan": _of_value(RowRanges.after),
    "GreaterThanOrEqual": _of_value(lambda row: RowRanges.between(row, None)),
    "LessThan": _of_value(lambda row: RowRanges.between(b"", row)),
    "LessThanOrEqual": _of_value(RowRanges.up_to),
    "StringStartsWith": _of_value(RowRanges.prefix),
    "In": lambda values: RowRanges.of(_bytes(each) for each in values if each is not None),
    "IsNull": lambda _: RowRanges(()),
    "IsNotNull": lambda _: ALL,
}
"""For each filter the function that makes its ranges; no row is null."""
