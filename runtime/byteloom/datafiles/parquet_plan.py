"""How the row groups of a Parquet file are decoded: one choice, made from its footer.

The rules:

- Plain columns (`byteloom.parquet.plain`) are decoded by our own loops, the others by pyarrow, if

  - rows are chosen: whoever asks for columns as the file has them gets pyarrow's;
  - the footer has the usual form, and the library knows the form of all columns;
  - the loops' machine code is loaded, or there are enough values to load it;
  - no row group is large: the library decodes one of more than `_CHUNK` bytes a column as fast, in
    parts; and none exceeds the limits.

- Otherwise pyarrow decodes all columns, from a footer of the wanted ones alone if they are few.
- If anything in a row group turns out to be unusual, pyarrow decodes it and those after it, which
  also finds out what is wrong with it.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom.datafiles.parquet_view import IndexedFile
from byteloom.kernels.parquet_values import take_values
from byteloom.parquet.plain import Unusual
from byteloom.parquet.plain_groups import PlainGroups

if TYPE_CHECKING:
    from byteloom.datafiles.parquet_view import WholeFile
    from byteloom.datafiles.wanted import Wanted, WantedColumns

__all__ = ["OwnGroups", "own_groups"]

_VALUES: Final = 16
"""Values of a column that pyarrow decodes in a microsecond, and our own loop sooner."""

_CHUNK: Final = 4 << 20
"""Most bytes of a column in a row group, on average, that our own loops decode sooner."""


@dataclass(frozen=True, slots=True)
class OwnGroups:
    """The row groups of a file whose plain columns our own loops decode."""

    columns: WantedColumns
    groups: PlainGroups


def own_groups(file: WholeFile | IndexedFile, wanted: Wanted, most: int) -> OwnGroups | str:
    """Return the row groups of a file for our own loops; the reason if pyarrow decodes them.

    most  most bytes of the values of a row group
    """
    if not isinstance(file, IndexedFile) or not file.form.is_known:
        return "it is small, or its footer is unusual"
    columns = wanted.of(file.form)
    plain = columns.plain
    if not plain.leaves:
        return "no wanted column is plain"
    values = len(plain.leaves) * int(file.rows.sum())
    if not take_values.is_worth_it(values // _VALUES):
        return f"{values} values are too few for machine code"
    try:
        groups = PlainGroups(file.source, file.data, file.form, plain.marks, plain.row, most)
    except Unusual as error:
        return str(error)
    if groups.largest > _CHUNK * len(plain.leaves):
        return f"a row group has {groups.largest} bytes"
    return OwnGroups(columns, groups)
