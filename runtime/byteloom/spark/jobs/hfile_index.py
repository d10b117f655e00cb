"""An index of keys from any DataFrame: sorted HFiles, each with a range of keys of its own.

- Spark divides the rows into ranges of keys and sorts each; the source ``byteloom.hfile`` writes a
  file of each range, and lets all of them appear together.
- There are as many ranges as make files of the wanted size, for which the rows are read once more
  and their bytes are counted.
- `byteloom.hfile.HFileFolder` looks keys up again, reading only files that may have them.

Source: https://hbase.apache.org/book.html#_hfile_format_2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import AlreadyExists, ArgumentError, FormatError
from byteloom.hfile.writing.cells import LEAST_CELL
from byteloom.spark.jobs.running import Shown, watched
from byteloom.storage import Folder
from byteloom.storage.staging import is_hidden

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


__all__ = ["to_hfile"]

_BYTES: Final = ("binary", "string")
_MODES: Final = {"create": "append", "overwrite": "overwrite"}
"""The names of the modes in Spark, which has no others for sources in Python."""

_FILE_SIZE: Final = 10 << 30
"""HBase's usual bound for the files of a region, ``hbase.hregion.max.filesize``."""


def to_hfile(  # noqa: PLR0913  what is written, where, and how
    spark: SparkSession,
    dataframe: DataFrame,
    target: str,
    *,
    key: str,
    value: str | None = None,
    partitions: int | None = None,
    file_size: int | None = None,
    mode: str = "create",
    shown: Shown | None = None,
    **options: Any,
) -> None:
    """Write the rows of a DataFrame as HFiles that are one sorted table, one cell per row.

    Args:
        spark: The session.
        dataframe: The rows.
        target: The path or URL of a folder, which must mean the same to executors and driver.
        key: The column of the rows' keys, text (as UTF-8) or bytes, none of them null; rows
            with the same key become cells of one row, in any order.
        value: The column of the cells' values, text or bytes; None for empty values.
        partitions: Most files, since ranges without a key have none; None for as many as
            *file_size* asks for.
        file_size: About how many bytes of cells a file has before compression, as HBase counts
            them for new files; None for its 10 GiB.  Each file is written by one task, so a
            smaller size is written by more of them at a time.
        mode: ``create`` for a folder without files, ``overwrite`` to replace existing files.
        shown: Called about once a second with the numbers of files written and in all.
        **options: Options of the source ``byteloom.hfile``, which are those of
            `byteloom.hfile.HFileWriter`: ``profile``, ``blooms``, ``key``, ``compression``,
            ``level``, ``encoding``, ``block_size``, ``tags``, and so on.

    Raises:
        AlreadyExists: Files exist that are not to be replaced.
        FormatError: For columns of other types, null keys, and both *partitions* and
            *file_size*.
        StorageError: The folder cannot be written to.
    """
    if mode not in _MODES:
        raise ArgumentError("mode", None, repr(mode), " or ".join(_MODES))
    if mode == "create" and not all(map(is_hidden, Folder(target).files())):
        advice = 'mode="overwrite" replaces them'
        raise AlreadyExists(f"{target}: there are files already: {advice}")
    for name, number in (("partitions", partitions), ("file_size", file_size)):
        if number is not None and number < 1:
            raise ArgumentError(name, None, number, "1 or more")
    if partitions is not None and file_size is not None:
        found = f"partitions={partitions} and file_size={file_size}"
        raise ArgumentError("file_size", None, found, "one of them")
    columns = [_as_bytes(dataframe, key, "row")]
    if value is not None:
        columns.append(_as_bytes(dataframe, value, "value"))
    cells = dataframe.select(*columns)
    count = partitions
    if count is None:
        with watched(spark, "byteloom: to-hfile, bytes of cells", 1, None):
            count = -(-_size_of(cells) // (file_size or _FILE_SIZE)) or 1
    ranges = cells.repartitionByRange(count, "row").sortWithinPartitions("row")
    writer = ranges.write.format("byteloom.hfile").mode(_MODES[mode]).options(**options)
    with watched(spark, "byteloom: to-hfile", count, shown):
        writer.save(target)


def _size_of(cells: DataFrame) -> int:
    """Return the bytes of all cells, before compression."""
    from pyspark.sql import functions

    lengths = [functions.octet_length(name) for name in cells.columns]
    sums = [functions.sum(each).alias(f"len_{at}") for at, each in enumerate(lengths)]
    (row,) = cells.agg(functions.count("*").alias("num_cells"), *sums).collect()
    num_cells, *sizes = row
    return int(num_cells) * LEAST_CELL + sum(int(size or 0) for size in sizes)


def _as_bytes(dataframe: DataFrame, name: str, called: str) -> Column:
    """Return a column as bytes, under another name."""
    if name not in dataframe.columns:
        wanted = f"a column of the DataFrame: {', '.join(dataframe.columns)}"
        raise ArgumentError("columns", None, repr(name), wanted)
    found = dataframe.schema[name].dataType.simpleString()
    if found not in _BYTES:
        raise FormatError(f"column {name}", None, found, " or ".join(_BYTES))
    return dataframe[name].cast("binary").alias(called)
