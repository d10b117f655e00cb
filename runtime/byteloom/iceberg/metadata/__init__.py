"""Table metadata: the JSON file at the root of a table, and where it lies.

Source: Iceberg table spec, "Table Metadata".
"""

from byteloom.iceberg.metadata.catalogs import HasMetadataLocation, metadata_place
from byteloom.iceberg.metadata.opening import find_metadata, is_metadata_file
from byteloom.iceberg.metadata.relocation import Relocation
from byteloom.iceberg.metadata.table_metadata import MAIN, TableMetadata

__all__ = [
    "MAIN",
    "HasMetadataLocation",
    "Relocation",
    "TableMetadata",
    "find_metadata",
    "is_metadata_file",
    "metadata_place",
]
