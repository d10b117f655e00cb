"""Sound Lance datasets with several versions, and what `verify` finds in them once changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byteloom import lance
from byteloom.errors import FormatError
from byteloom.verification import check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.errors import ByteloomError
    from byteloom_generated.lance.table import Manifest

__all__ = ["as_format", "findings", "set_to", "the_finding", "write_versions"]

ROWS = 60


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
