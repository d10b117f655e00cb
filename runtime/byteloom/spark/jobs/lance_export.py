"""Export of an Iceberg table to Lance: rows read and data files written in executors.

- Batches go from Iceberg's reader to Lance's writer in one process, with Arrow's own types: they
  do not pass through Spark's rows.
- The driver commits one version, once all files are written. Until then no reader sees any of
  them, and those of a job that failed are removed.
- A driver that was killed leaves data files that no version names, which Lance's own clean-up of
  old versions removes; running the job again writes new ones.

Source: Iceberg table spec, "Scan Planning"; https://lance.org/format/table/transaction/
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from byteloom.lance import Dataset
from byteloom.lance.dataset.writing import DatasetWrite, begin_write
from byteloom.spark.jobs.running import Shown, parallelism, run_all
from byteloom.spark.jobs.scanning import SentScan, batches_of, groups_of, without_limit

if TYPE_CHECKING:
    from byteloom.iceberg.scan import TableScan

__all__ = ["export_group", "to_lance"]


def to_lance(
    spark: SparkSession,
    scan: TableScan,
    target: str | os.PathLike[str],
    *,
    shown: Shown | None = None,
    **options: Any,
) -> Dataset:
    """Write the rows of a scan of a table as one version of a Lance dataset, and return it.

    Args:
        spark: The session.
        scan: The scan, as `Table.scan` returns it, without a limit; the places of the table and
            *target* must mean the same to executors and driver.
        target: The path or URL of the dataset's folder.
        shown: Called about once a second with the numbers of groups of files done and in all.
        **options: Options of `byteloom.lance.write_dataset`: ``mode``, ``version``,
            ``max_rows_per_file``.

    Raises:
        ByteloomError: As for `byteloom.lance.write_dataset`.
        FormatError: A file that is read is damaged.
        StorageError: A file cannot be read.
    """
    sent = SentScan.of(without_limit(scan))
    job = begin_write(target, sent.context().schema, **options)
    groups = groups_of(scan, parallelism(spark))
    work = partial(export_group, sent=sent, job=job)
    try:
        written = run_all(spark, "byteloom: to-lance", groups, work, shown)
        return job.commit(fragment for each in written for fragment in each)
    finally:
        job.sweep()  # remove files of tasks that ran twice, or of a failed job


def export_group(group: bytes, sent: SentScan, job: DatasetWrite) -> list[bytes]:
    """Write the rows of one group; return what the job has to commit."""
    return job.write(batches_of(sent.context(), group))
