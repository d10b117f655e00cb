"""In which format files of rows are written, and with which of the table's properties.

The rules:

- Data files have the format of ``write.format.default``, or the one that the caller asks for;
  delete files that of ``write.delete.format.default``, which is the former if it is not set.
- Delete files follow ``write.delete.parquet.*`` and its like before ``write.parquet.*``.

Source: https://iceberg.apache.org/docs/latest/configuration/, "Write properties".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import ArgumentError, Unsupported
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.types import ListType, MapType, Type, UnknownType
from byteloom.iceberg.writing.avro_output import AvroForm, AvroRows, avro_options
from byteloom.iceberg.writing.orc_output import OrcOutput, orc_options, orc_schema
from byteloom.iceberg.writing.parquet_columns import column_paths
from byteloom.iceberg.writing.parquet_output import (
    ParquetForm,
    ParquetOutput,
    coded_paths,
    logical_types,
    parquet_options,
    stored_paths,
    stored_schema,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.writing.output import Output
    from byteloom.storage import Target

__all__ = ["Outputs"]

_DICTIONARIES: Final = "write.parquet.dict-encoding-enabled.column."
_FORMATS: Final = ("parquet", "orc", "avro")
_FORMAT: Final = "write.format.default"
_OF_DELETES: Final = "write.delete.format.default"


class Outputs:
    """The files of one job, all of one format.

    Attributes:
        ending: How the names of the files end.
        group_size: Bytes of rows in memory that are written together.
    """

    def __init__(
        self,
        table: StoredTable,
        schema: Schema,
        *,
        form: str | None = None,
        is_delete: bool = False,
    ) -> None:
        """Look up the properties of a table.

        Args:
            table: The table.
            schema: The columns of the files.
            form: parquet, orc or avro; as the table says if None.
            is_delete: Whether they are delete files.

        Raises:
            ArgumentError: Another format.
            FormatError: A property that is no value of its kind.
            Unsupported: A property that asks for files that are not written, or lists and maps
                whose items no format stores.
        """
        if form is not None and form not in _FORMATS:
            raise ArgumentError("file_format", None, repr(form), " or ".join(_FORMATS))
        for each in schema.fields:
            _check_items(each.type, each.name)
        self._opened = table.relocation.open
        properties = Properties(table.metadata.properties)
        if is_delete:
            properties = _of_deletes(table.metadata.properties)
            form = form or (
                properties.word(_OF_DELETES) if properties.is_set(_OF_DELETES) else None
            )
        self._form = form or properties.word(_FORMAT)
        self.group_size = properties.number("write.parquet.row-group-size-bytes")
        self.ending = f"-deletes.{self._form}" if is_delete else f".{self._form}"
        if self._form == "parquet":
            stored, paths = stored_schema(schema), stored_paths(schema)
            self._coded = column_paths(properties, _DICTIONARIES, paths)
            options = parquet_options(properties, paths)
            self._parquet = ParquetForm(stored, options, logical_types(schema))
        elif self._form == "orc":
            self._stored, self._options = orc_schema(schema), orc_options(properties)
        else:
            self._avro, self._options = AvroForm(schema), avro_options(properties)

    def begin(self, target: Target, path: str, again: AbstractSet[str]) -> Output:
        """Open a file.

        Args:
            target: Where it is written.
            path: Its path, as metadata will name it.
            again: The columns whose values come again.

        Raises:
            StorageError: The file cannot be written.
        """
        if self._form == "orc":
            return OrcOutput(target, path, self._stored, self._options, self._opened)
        if self._form == "avro":
            return AvroRows(target, path, self._avro, self._options)
        coded = coded_paths(self._parquet.schema, again, self._coded)
        return ParquetOutput(target, path, self._parquet, coded)


def _check_items(of: Type, name: str) -> None:
    """Refuse lists and maps of items that are always null, at any depth."""
    for each in getattr(of, "fields", ()):
        if isinstance(of, ListType | MapType) and isinstance(each.type, UnknownType):
            wanted = "items of another type, since no format stores these"
            raise Unsupported(f"column {name}", None, str(of), wanted)
        _check_items(each.type, f"{name}.{each.name}")


def _of_deletes(given: Mapping[str, str]) -> Properties:
    """Return a table's properties as delete files have them."""
    own = {
        f"write.{form}.{name.removeprefix(prefix)}": text
        for form in _FORMATS
        for prefix in (f"write.delete.{form}.",)
        for name, text in given.items()
        if name.startswith(prefix)
    }
    return Properties({**given, **own})
