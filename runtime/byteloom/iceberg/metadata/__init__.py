"""Table metadata: the JSON file at the root of a table, and how it is found.

Source: Iceberg table spec, "Table Metadata".
"""

from byteloom.iceberg.metadata.catalogs import HasMetadataLocation, metadata_place
from byteloom.iceberg.metadata.listing import TableEntry, tables_in
from byteloom.iceberg.metadata.opening import find_metadata, is_metadata_file
from byteloom.iceberg.metadata.relocation import Relocation
from byteloom.iceberg.metadata.table_metadata import MAIN, TableMetadata

__all__ = [
    "MAIN",
    "HasMetadataLocation",
    "Relocation",
    "TableEntry",
    "TableMetadata",
    "find_metadata",
    "is_metadata_file",
    "metadata_place",
    "tables_in",
]


def __dir__() -> list[str]:
    return __all__
