"""The common part of sources of files: paths, wanted columns, and the files of each task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from byteloom.errors import ArgumentError
from byteloom.spark.arrow_schemas import spark_schema
from byteloom.spark.files import Found, find_files
from byteloom.spark.options import PLACES, SIZE, SOME_NAMES, TEXT, Option, Options
from byteloom.spark.packing import packed, part_size
from byteloom.spark.sources.reading import Reader, chosen_names, refuse_writing

__all__ = ["COLUMNS", "PATHS", "SPLIT_SIZE", "STORAGE", "FileReader", "FileSource", "columns_of"]

PATHS: Final = (
    Option(
        "path",
        TEXT,
        "A file, a folder of files, or a pattern with `*`, `?` and `[...]`; a path or a URL.",
    ),
    Option("paths", PLACES, "Several such paths, as `load([...])` passes them."),
)
COLUMNS: Final = Option(
    "columns", SOME_NAMES, "The columns to read, in this order.", default_text="all"
)
SPLIT_SIZE: Final = Option(
    "split_size",
    SIZE,
    "Bytes of files that one task reads.",
    default_text="a third of a processor's share, from 32m to 256m",
)
STORAGE: Final = {"storage.": "Properties of filesystems, as `storage.s3.access-key-id`."}


def columns_of(schema: pa.Schema, names: Sequence[str] | None) -> pa.Schema:
    """Return the columns of these *names*; all for None.

    Raises:
        FormatError: For an unknown or repeated name.
    """
    if names is None:
        return schema
    for name in names:
        if name not in schema.names or names.count(name) > 1:
            found = repr(name) if name not in schema.names else f"{name!r} twice"
            raise ArgumentError("columns", None, found, f"some of {', '.join(schema.names)}")
    return pa.schema([schema.field(name) for name in names])


class FileSource(DataSource):
    """A source of files of one format."""

    OPTIONS: ClassVar[Options]

    def __init__(self, options: Mapping[str, str]) -> None:
        """Read the options; `FormatError` for an unknown one or a wrong value."""
        super().__init__(options)
        self.settings = self.OPTIONS.read(options)

    @classmethod
    def name(cls) -> str:
        """The source's name in Spark."""
        return cls.OPTIONS.source

    def columns(self) -> pa.Schema:
        """Return all columns of the source, with Arrow's types."""
        raise NotImplementedError

    def writer(self, schema: StructType, overwrite: bool) -> Any:  # noqa: ARG002, FBT001  (Spark's)
        """Refuse to write, unless a source has its own writer; raises `Unsupported`."""
        refuse_writing(self.name())

    def schema(self) -> StructType:
        """Return the columns to read, with Spark's types."""
        return spark_schema(self.named(self.settings["columns"]))

    def chosen(self, schema: StructType) -> pa.Schema:
        """Return the columns to read for a schema, which may be one given by the user.

        Raises:
            FormatError: For columns that the source lacks.
        """
        return self.named(self.chosen_names(schema))

    def chosen_names(self, schema: StructType) -> Sequence[str] | None:
        """Return the names of these columns, as in options; None for all."""
        return chosen_names(self.name(), schema, self.settings["columns"], self.named)

    def named(self, names: Sequence[str] | None) -> pa.Schema:
        """Return the columns of these *names*; all for None."""
        return columns_of(self.columns(), names)

    def places(self) -> list[str]:
        """Return the places passed to ``load``.

        Raises:
            FormatError: If there are none.
        """
        paths: Sequence[str] = self.settings.get("paths") or ()
        path: str | None = self.settings["path"]
        if path == "" or (path is None and not paths):
            wanted = "a file, a folder or a pattern: load(PATH)"
            raise ArgumentError(f"{self.name()} option path", None, "nothing", wanted)
        return [*([] if path is None else [path]), *paths]


class FileReader(Reader):
    """A reader of files of one format, which reads each file whole."""

    def __init__(self, schema: StructType, source: FileSource) -> None:
        """Keep the columns and options; nothing is read."""
        super().__init__(schema)
        self.columns = source.chosen(schema)
        self.storage: Mapping[str, str] = source.settings["storage."]
        self.size: int | None = source.settings["split_size"]
        self._places = source.places()

    def values(self) -> Iterable[Any]:
        """Return the files of each task."""
        found = self.found()
        size = part_size(sum(each.size for each in found), self.size)
        return packed([(each.place, each.size) for each in found], size)

    def found(self) -> list[Found]:
        """Return the files."""
        return find_files(self._places, self.storage)
