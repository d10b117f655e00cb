"""Open a data file of any format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import Unsupported
from byteloom.files.kinds import AVRO, ORC, PARQUET, expecting

if TYPE_CHECKING:
    from byteloom.datafiles.data_file import DataFile, OpenOptions
    from byteloom.storage import Source

__all__ = ["check_format", "open_data_file"]

_KINDS: Final = {"parquet": PARQUET, "orc": ORC, "avro": AVRO}
"""What errors call each format."""


def check_format(kind: str, path: str) -> None:
    """Raise `Unsupported` for a format other than Parquet, ORC and Avro."""
    if kind.lower() not in _KINDS:
        raise Unsupported(path, None, f"format {kind!r}", "parquet, orc or avro")


def open_data_file(kind: str, source: Source, path: str, options: OpenOptions) -> DataFile:
    """Open a file of format *kind*: ``parquet``, ``orc`` or ``avro``.

    source       the file; it is closed with the result
    path         its name in errors
    Unsupported  another format
    FormatError  a damaged file
    """
    check_format(kind, path)
    with expecting(_KINDS[kind.lower()], source, path):
        match kind.lower():
            case "parquet":
                from byteloom.datafiles.parquet_file import ParquetData

                return ParquetData(source, path, options)
            case "orc":
                from byteloom.datafiles.orc_file import OrcData

                return OrcData(source, path, options)
            case _:
                from byteloom.datafiles.avro_file import AvroData

                return AvroData(source, path, options)
