"""Scanner modules made from specs while testing, and records as the rows that scanners give."""

from __future__ import annotations

import json
import struct
import sys
from dataclasses import fields
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byteloom.errors import ByteloomError
from byteloom.wire import Record
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.module import emit
from byteloom_codegen.python.names import attribute_name
from byteloom_codegen.scanners.module import emit_scanners

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

__all__ = ["KEPT", "generated", "outcome", "row_of", "rows_of", "write_module"]

KEPT = Path(__file__).parents[2] / ".pytest_cache/scanners"
"""Where compiled scanners are kept for later runs: numba compiles them if anything has changed."""


def generated(spec: Path, folder: Path) -> tuple[ModuleType, ModuleType]:
    """Return the record and the scanner module of *spec*, written to *folder* and imported."""
    model = load_spec(spec)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").touch()
    write_module(folder / f"{model.name}.py", emit(model, spec.name))
    text = emit_scanners(model, spec.name, everything=True).text
    write_module(folder / f"{model.name}_scan.py", text)
    sys.path.insert(0, str(folder.parent))
    try:
        names = (f"{folder.name}.{model.name}", f"{folder.name}.{model.name}_scan")
        records, scans = (import_module(name) for name in names)
    finally:
        sys.path.remove(str(folder.parent))
    return records, scans


def write_module(path: Path, text: str) -> None:
    """Write a module; an equal one keeps its time, by which numba knows its machine code."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def rows_of(batch: pa.RecordBatch) -> list[Any]:
    """Return a batch as plain rows, a number with a fraction as its bits."""
    batch.validate(full=True)
    columns = [
        each.view(pa.int64()) if pa.types.is_timestamp(each.type) else each
        for each in batch.columns
    ]
    plain = pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
    return [_comparable(row) for row in plain.to_pylist()]


def row_of(record: Any, columns: pa.Schema | pa.StructType) -> Any:
    """Return a record as the row that a scanner gives for it."""
    return {each.name: _value(getattr(record, _attribute(each)), each.type) for each in columns}


def _attribute(column: pa.Field) -> str:
    """Return the record's name for what a column has."""
    names = {"latitude": "lat"}  # renamed in plain.ksy
    return attribute_name(names.get(column.name, column.name))


def _value(value: Any, type_: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_dictionary(type_):
        return value.name.lower() if isinstance(value, IntEnum) else str(int(value))
    if pa.types.is_struct(type_):
        return row_of(value, type_) if _is_row(value, type_) else _case(value, type_)
    if isinstance(value, Record):
        return json.dumps(_document(value))
    if pa.types.is_list(type_):
        return [_value(each, type_.value_type) for each in value]
    return _comparable(value)


def _is_row(value: Any, type_: pa.StructType) -> bool:
    """Whether a value is a record with these columns, and not one of several types."""
    return isinstance(value, Record) and all(hasattr(value, _attribute(each)) for each in type_)


def _case(value: Any, type_: pa.StructType) -> dict[str, Any]:
    """A value of one of several types, in the column that is called like its own."""
    if isinstance(value, Record):
        own = value.NAME
    else:
        kinds = (bool, IntEnum, int, float, bytes, str)
        kind = next(each for each in kinds if isinstance(value, each))
        own = kind.__name__ if kind is not IntEnum else type(value).__name__.lower()
    names = [each.name for each in type_]
    if own not in names and isinstance(value, int):  # an enum has no name for it
        own = next(each.name for each in type_ if pa.types.is_dictionary(each.type))
    return {each.name: _value(value, each.type) if each.name == own else None for each in type_}


def _document(value: Any) -> Any:
    """A record as JSON has it."""
    match value:
        case Record():
            names = [each.name for each in fields(value) if each.init]  # type: ignore[arg-type]
            return {each.rstrip("_"): _document(getattr(value, each)) for each in names}
        case bytes():
            return value.hex()
        case IntEnum():
            return value.name.lower()
        case list():
            return [_document(each) for each in value]
    return value


def _comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _comparable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_comparable(each) for each in value]
    return struct.pack("d", value) if isinstance(value, float) else value


def outcome(read: Callable[[], Any]) -> Any:
    """Return what *read* returns, or what its error says and where."""
    try:
        return read()
    except ByteloomError as error:
        return type(error), str(error), getattr(error, "path", ""), getattr(error, "offset", None)
