"""Iceberg's types in data files: how each format's schemas represent them, to read and to write.

``specs/iceberg/file_types.yaml`` maps the types; the modules here read and write each format's
schemas.

Source: Iceberg table spec, "Appendix A".
"""

from __future__ import annotations

from byteloom.iceberg.file_types.avro import from_avro, to_avro
from byteloom.iceberg.file_types.orc import OrcColumn, from_orc, to_orc
from byteloom.iceberg.file_types.parquet import ParquetLeaf, from_parquet, to_parquet

__all__ = [
    "OrcColumn",
    "ParquetLeaf",
    "from_avro",
    "from_orc",
    "from_parquet",
    "to_avro",
    "to_orc",
    "to_parquet",
]


def __dir__() -> list[str]:
    return __all__
