"""An index of keys from any DataFrame: sorted HFiles, each with a range of keys of its own.

- Spark divides the rows into ranges of keys and sorts each; the source ``byteloom.hfile`` writes a
  file of each range, and lets all of them appear together.
- `byteloom.hfile.HFileFolder` looks keys up again, reading only files that may have them.

Source: https://hbase.apache.org/book.html#_hfile_format_2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import AlreadyExists, ArgumentError, FormatError
from byteloom.spark.jobs.running import watched
from byteloom.storage import Folder
from byteloom.storage.staging import is_hidden

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from byteloom.spark.jobs.running import Shown

__all__ = ["to_hfile"]

_BYTES: Final = ("binary", "string")
_MODES: Final = {"create": "append", "overwrite": "overwrite"}
"""The names of the modes in Spark, which has no others for sources in Python."""


def to_hfile(  # noqa: PLR0913  what is written, where, and how
    spark: SparkSession,
    dataframe: DataFrame,
    target: str,
    *,
    key: str,
    value: str | None = None,
    partitions: int | None = None,
    mode: str = "create",
    shown: Shown | None = None,
    **options: Any,
) -> None:
    """Write the rows of a DataFrame as HFiles that are one sorted table, one cell per row.

    target      path or URL of a folder, which must mean the same to executors and driver
    key         the column of the rows' keys, text (as UTF-8) or bytes, none of them null; rows with
                the same key become cells of one row, in any order
    value       the column of the cells' values, text or bytes; None for empty values
    partitions  most files, since ranges without a key have none; None for Spark's setting
                ``spark.sql.shuffle.partitions``
    mode        ``create`` for a folder without files, ``overwrite`` to replace existing files
    shown       called about once a second with the numbers of files written and in all
    options     those of the source ``byteloom.hfile``: ``profile``, ``compression``, ...
    raises      `AlreadyExists`, a `StorageError`, if files exist that are not to be replaced;
                `FormatError` for columns of other types, and null keys; `StorageError`
    """
    if mode not in _MODES:
        raise ArgumentError("mode", None, repr(mode), " or ".join(_MODES))
    if mode == "create" and not all(map(is_hidden, Folder(target).files())):
        advice = 'mode="overwrite" replaces them'
        raise AlreadyExists(f"{target}: there are files already: {advice}")
    count = partitions or int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
    cells = [_as_bytes(dataframe, key, "row")]
    if value is not None:
        cells.append(_as_bytes(dataframe, value, "value"))
    ranges = dataframe.select(*cells).repartitionByRange(count, "row").sortWithinPartitions("row")
    writer = ranges.write.format("byteloom.hfile").mode(_MODES[mode]).options(**options)
    with watched(spark, "byteloom: to-hfile", count, shown):
        writer.save(target)


def _as_bytes(dataframe: DataFrame, name: str, called: str) -> Column:
    """Return a column as bytes, under another name."""
    if name not in dataframe.columns:
        wanted = f"a column of the DataFrame: {', '.join(dataframe.columns)}"
        raise ArgumentError("columns", None, repr(name), wanted)
    found = dataframe.schema[name].dataType.simpleString()
    if found not in _BYTES:
        raise FormatError(f"column {name}", None, found, " or ".join(_BYTES))
    return dataframe[name].cast("binary").alias(called)
