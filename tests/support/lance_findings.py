"""Sound Lance files and datasets, and what `verify` finds in them once they are changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byteloom import lance
from byteloom.errors import FormatError
from byteloom.verification import check
from byteloom_generated.lance.encodings20 import ArrayEncoding
from byteloom_generated.lance.encodings21 import PageLayout
from byteloom_generated.lance.file2 import ColumnMetadata, Described
from byteloom_generated.lance.tail import Extent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.errors import ByteloomError
    from byteloom_generated.lance.table import Manifest

__all__ = [
    "as_format",
    "changed_columns",
    "changed_page",
    "file_findings",
    "findings",
    "set_to",
    "the_finding",
    "write_versions",
]

ROWS = 60
V2_0 = bytes([0, 0, 3, 0])


def write_versions(folder: Path, version: str = "2.2") -> None:
    """Write four versions: two fragments, a third one, deleted rows, another column."""
    table = pa.table(
        {
            "id": pa.array(range(ROWS), pa.int64()),
            "n": pa.array(range(ROWS), pa.int64()),
            "t": [f"t{each % 7}" for each in range(ROWS)],
            "l": pa.array([[each] * (each % 3) for each in range(ROWS)], pa.list_(pa.int32())),
            "s": pa.array([{"a": each, "b": str(each)} for each in range(ROWS)]),
        }
    )
    lance.write_dataset(folder, table[:40], version=version, max_rows_per_file=20)
    dataset = lance.write_dataset(folder, table[40:], mode="append")
    dataset = dataset.delete(filter="id < 3")
    dataset.add_columns(pa.table({"more": range(dataset.num_rows)}))


def findings(folder: Path) -> list[ByteloomError]:
    """Everything that `verify` finds in a dataset."""
    verdict = check(str(folder), relocate={})
    return [] if verdict.error is None else [verdict.error, *verdict.more]


def the_finding(folder: Path) -> tuple[str, Any, str]:
    """The path, what was found and what was wanted of the only finding."""
    (error,) = findings(folder)
    assert isinstance(error, FormatError)
    return error.path, error.found, error.wanted


def set_to(path: str, value: Any) -> Callable[[Manifest], None]:
    """Return a change of the field at *path*, in which numbers are those of elements."""

    def change(message: Any) -> None:
        *before, last = path.split(".")
        for each in before:
            message = message[int(each)] if each.isdigit() else getattr(message, each)
        if last.isdigit():
            message[int(last)] = value
        elif value is None:
            message.ClearField(last)
        else:
            setattr(message, last, value)

    return change


def as_format(error: ByteloomError) -> FormatError:
    """Return an error that is about bytes."""
    assert isinstance(error, FormatError)
    return error


def file_findings(data: bytes | bytearray, folder: Path) -> list[tuple[str, str, str]]:
    """Path, found and wanted of all that `verify` finds in a file, misread rows among them."""
    place = folder / "x.lance"
    place.write_bytes(data)
    verdict = check(str(place))
    found = [] if verdict.error is None else [verdict.error, *verdict.more]
    return [(each.path, f"{each.found}", each.wanted) for each in map(as_format, found)]


def changed_columns(data: bytes, change: Callable[[list[Any]], object]) -> bytes:
    """A file the metadata of whose columns has been changed."""
    with lance.open(data) as file:
        tail = file.tail
    columns: list[Any] = [
        ColumnMetadata.parse(data[each.offset : each.offset + each.size]) for each in tail.columns
    ]
    change(columns)
    out = bytearray(data[: tail.columns[0].offset])
    extents = []
    for each in columns:
        stored = each.SerializeToString()
        extents.append(Extent(offset=len(out), size=len(stored)))
        out += stored
    footer: Any = tail.footer
    footer.ofs_column_extents = len(out)
    out += b"".join(each.to_bytes() for each in extents)
    footer.ofs_buffer_extents = len(out)
    out += b"".join(each.to_bytes() for each in tail.buffers)
    return bytes(out + footer.to_bytes())


def changed_page(data: bytes, change: Callable[[Any, Any], object]) -> bytes:
    """A file whose first page, and the message of its encoding, have been changed."""
    kind = ArrayEncoding if data[-8:-4] == V2_0 else PageLayout

    def change_first(columns: list[Any]) -> None:
        page = columns[0].pages[0]
        described = Described.parse(page.encoding.direct.encoding)
        message = kind.parse(described.value)
        change(page, message)
        described.value = message.SerializeToString()
        page.encoding.direct.encoding = described.SerializeToString()

    return changed_columns(data, change_first)
