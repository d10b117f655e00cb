"""The rows of a Parquet or ORC file by itself: decoded, and compared with the file's statistics.

The rules:

- Rows are read as those of an Iceberg table's files are, and their statistics are judged by the
  same rules; columns are identified by their places, whatever ids the file stores.
- Bounds and counts are compared with values where Iceberg has the column's type.  Those of other
  types, as of small integers and nanoseconds, and those of columns in structs and lists, are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.datafiles.data_file import OpenOptions
from byteloom.datafiles.fields import Places, field_id
from byteloom.datafiles.opening import open_data_file
from byteloom.errors import FormatError
from byteloom.iceberg.metadata.relocation import Relocation
from byteloom.iceberg.observed import Observed
from byteloom.iceberg.reading.table_files import TableFile, TableFiles
from byteloom.iceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
)
from byteloom.iceberg.verification.comparing import check_footer
from byteloom.iceberg.verification.rows import check_every_row
from byteloom.late import pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.types import Type
    from byteloom.storage import Source

__all__ = ["check_rows"]


def check_rows(kind: str, source: Source) -> Iterator[FormatError]:
    """Yield what is wrong with the rows of a file, or with what it states about them.

    kind  ``parquet`` or ``orc``
    """
    options = OpenOptions(names=Places())
    data = open_data_file(kind, source, source.name, options)
    file = TableFile(data, TableFiles(Relocation(), options))
    found = (
        NestedField(field_id(each), each.name, of)
        for each in data.columns
        if (of := _type(each.type))
    )
    columns = {each.id: each for each in found}
    stats = file.statistics(list(columns.values()))
    groups = [] if stats is None else stats.record_count.tolist()
    seen = Observed(frozenset(columns), groups, {})
    is_sound = True
    for error in check_every_row(file, source.name, (), [seen.add], set()):
        is_sound = False
        yield error
    if is_sound and stats is not None:
        yield from check_footer(stats, seen.groups, columns)


def _type(of: pa.DataType) -> Type | None:
    """Return the type of a table's column that has the same values; None if there is none."""
    plain = of.value_type if pa.types.is_dictionary(of) else of
    if pa.types.is_decimal128(plain):
        return DecimalType(plain.precision, plain.scale) if plain.scale >= 0 else None
    if pa.types.is_timestamp(plain) and plain.unit == "us":
        return TimestamptzType() if plain.tz else TimestampType()
    made = _TYPES.get(str(plain))
    return None if made is None else made()


_TYPES: Final[dict[str, type[Type]]] = {
    "bool": BooleanType,
    "int32": IntegerType,
    "int64": LongType,
    "float": FloatType,
    "double": DoubleType,
    "string": StringType,
    "large_string": StringType,
    "binary": BinaryType,
    "large_binary": BinaryType,
    "date32[day]": DateType,
    "time64[us]": TimeType,
}
"""Types by the names that Arrow gives them."""
