"""Iceberg tables: metadata, manifests, predicates, planning and reading, versions 1 to 3.

Source: Iceberg table spec.
"""

from byteloom.iceberg.expressions import (
    bucket,
    col,
    day,
    hour,
    month,
    parse,
    truncate,
    year,
)

__all__ = ["bucket", "col", "day", "hour", "month", "parse", "truncate", "year"]
