"""``byteloom.lance``: rows of Lance datasets and files, and versions of datasets.

- A partition is a range of row numbers of one version, whatever is committed meanwhile; it begins
  with a fragment, or with a page of a file, where one begins nearby.
- Filters are evaluated on the columns that they name; others are read only where rows match.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.sql.types import StructType

from byteloom.errors import ArgumentError
from byteloom.iceberg.expressions.ast import TRUE, Expression
from byteloom.iceberg.expressions.on_arrow import ArrowCondition
from byteloom.spark.arrow_schemas import wanted_schema
from byteloom.spark.files import absolute, is_file, located
from byteloom.spark.filters import pushed
from byteloom.spark.options import COUNT, TEXT, Option, Options
from byteloom.spark.packing import part_size
from byteloom.spark.sources.file_source import COLUMNS, SPLIT_SIZE, STORAGE, FileSource
from byteloom.spark.sources.reading import Reader

if TYPE_CHECKING:
    from byteloom.lance import LanceFile
    from byteloom.spark.sources.lance_sink import LanceSink

__all__ = ["OPTIONS", "LanceSource", "cuts"]

_NEARBY: Final = 4
"""A range begins at a part of a file if one begins within this fraction (1/n) of its rows."""

OPTIONS: Final = Options(
    "byteloom.lance",
    Option("path", TEXT, "The folder of a dataset, or a Lance file; a path or a URL."),
    COLUMNS,
    Option("version", TEXT, "Reading: the number of a version. Writing: the version of the format"
           " of data files, `2.0`, `2.1` or `2.2`.",
           default_text="the newest; the dataset's, or 2.2"),
    Option("tag", TEXT, "Reading: a tag, the name of a version."),
    SPLIT_SIZE,
    Option("max_rows_per_file", COUNT, "Writing: the most rows of a data file.", 1 << 20),
    prefixes=STORAGE,
)  # fmt: skip


class LanceSource(FileSource):
    """Rows of a dataset, or of a file."""

    OPTIONS = OPTIONS

    def __init__(self, options: Mapping[str, str]) -> None:
        """Read the options; `ArgumentError` for an unknown one or a wrong value."""
        super().__init__(options)
        self.version: int | None = None

    def named(self, names: Sequence[str] | None) -> pa.Schema:
        """Return the columns of these *names*, which may be those of inner fields."""
        with _opened(self.places()[0], self.settings, self.version) as found:
            if hasattr(found, "fragments"):
                self.version = found.version
            schema: pa.Schema = found.scan(names).schema
        return schema

    def reader(self, schema: StructType) -> LanceReader:
        """Return the reader of rows."""
        return LanceReader(schema, self)

    def writer(self, schema: StructType, overwrite: bool) -> LanceSink:  # noqa: FBT001  (Spark's)
        """Return the writer of a dataset's next version."""
        from byteloom.spark.sources.lance_sink import LanceSink

        return LanceSink(schema, self.places()[0], self.settings, replaces=overwrite)


@contextmanager
def _opened(place: str, settings: Mapping[str, Any], version: int | None) -> Iterator[Any]:
    """Open a file or a version of a dataset: *version* or the one that *settings* select."""
    from byteloom import lance

    path, filesystem = located(absolute(place), settings["storage."])
    if is_file(path, filesystem):
        for name in ("version", "tag"):
            if settings[name] is not None:
                option = f"byteloom.lance option {name}"
                wanted = "nothing: a file has no versions, as datasets have"
                raise ArgumentError(option, None, repr(settings[name]), wanted).in_file(path)
        with lance.open(path, filesystem=filesystem) as file:
            yield file
    elif version is not None:
        yield lance.open_dataset(path, version=version, filesystem=filesystem)
    else:
        asked, tag = settings["version"], settings["tag"]
        if asked is not None and not asked.isdecimal():
            wanted = "the number of a version"
            raise ArgumentError("byteloom.lance option version", None, repr(asked), wanted)
        number = None if asked is None else int(asked)
        yield lance.open_dataset(path, version=number, tag=tag, filesystem=filesystem)


class LanceReader(Reader):
    """Reads ranges of rows."""

    def __init__(self, schema: StructType, source: LanceSource) -> None:
        """Keep the columns and options; no rows are read."""
        super().__init__(schema)
        names = source.chosen_names(schema)
        self._names = source.named(None).names if names is None else list(names)
        self._place, self._settings = absolute(source.places()[0]), source.settings
        self._version = source.version
        self._filter: Expression = TRUE

    def push(self, filters: list[Any]) -> Iterable[Any]:
        """Use the filters that mean the same in byteloom, and return the others."""
        with self._opened() as found:
            schema = found.schema
        self._filter, left = pushed(
            filters, partial(_type_of, schema), lambda asked: ArrowCondition(asked, schema)
        )
        return left

    def values(self) -> list[tuple[int, int]]:
        """Return the first row of each task, and the row after its last."""
        with self._opened() as found:
            size, borders = _layout(found, self._names)
            rows = found.num_rows
        count = -(-size // part_size(size, self._settings["split_size"]))
        return list(pairwise(cuts(rows, count, borders)))

    def batches(self, value: tuple[int, int]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a range."""
        asked = None if self._filter == TRUE else self._filter
        with self._opened() as found:
            # Spark runs a task on each processor: threads of one would take others' time.
            rows = range(*value)
            yield from found.scan(self._names, rows=rows, filter=asked, threads=1).batches()

    def _opened(self) -> AbstractContextManager[Any]:
        return _opened(self._place, self._settings, self._version)


def _type_of(schema: pa.Schema, path: tuple[str, ...]) -> pa.DataType | None:
    """Return the type of a column if it means the same in Spark; None otherwise."""
    fields: Any = schema
    for name in path:
        if not isinstance(fields, pa.Schema | pa.StructType) or fields.get_field_index(name) < 0:
            return None
        field = fields.field(name)
        fields = field.type
    is_same = wanted_schema(pa.schema([field])).types == [field.type]
    return field.type if is_same else None


def _layout(found: Any, names: Sequence[str]) -> tuple[int, list[int]]:
    """Return the bytes of all files, and the rows at which parts of them begin."""
    if hasattr(found, "fragments"):
        files = [file for each in found.fragments for file in each.stored.files]
        return sum(each.file_size_bytes for each in files), found.starts
    return found.size, _pages(found, names)


def _pages(file: LanceFile, names: Sequence[str]) -> list[int]:
    """Return the rows at which pages begin, for the column with the most pages among those read."""
    if not file.tail.columns:  # there are none in version 0.1
        return []
    fields = [
        each for each in file.fields if each.name in {name.partition(".")[0] for name in names}
    ]
    numbers = [number for each in fields for number in file.column_map.of(each)]
    pages = max((each.pages for each in file.columns(numbers)), key=len, default=())
    is_of_rows = sum(each.length for each in pages) == file.num_rows
    return [each.first for each in pages] if is_of_rows else []


def cuts(rows: int, count: int, borders: Sequence[int]) -> list[int]:
    """Return where up to *count* ranges of similar length begin, and where the last one ends.

    Args:
        borders: Rows at which parts of files begin, ascending.
    """
    if not rows:
        return []
    found = {0, rows}
    for number in range(1, count):
        at = number * rows // count
        near = bisect_left(borders, at)
        closest = min(
            borders[max(near - 1, 0) : near + 1], key=lambda row: abs(row - at), default=at
        )
        found.add(closest if abs(closest - at) * _NEARBY <= rows // count else at)
    return sorted(found)
