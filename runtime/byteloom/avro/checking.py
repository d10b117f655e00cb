"""Check the records of an Avro file by its schema, without decoding values.

The rules:

- Each block must contain as many records as it says, and nothing else.
- Bytes of text and numbers are not judged: Avro has no checksum for them, except with Snappy.

Source: Apache Avro specification, "Binary Encoding", "Object Container Files".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from byteloom.avro.filled_columns import BlockColumns
from byteloom.avro.nodes import Program
from byteloom.avro.program import compile_blocks, compile_values
from byteloom.errors import FormatError, Unsupported, count_of_bytes
from byteloom.limits import Limits

if TYPE_CHECKING:
    from byteloom.avro.blocks import AvroBlocks, Window

__all__ = ["Checked", "check_records"]


class Checked(NamedTuple):
    """How much was checked.

    records    number of records
    blocks     number of blocks
    unchecked  why only blocks were checked, not the records in them; None where both were
    """

    records: int
    blocks: int
    unchecked: str | None = None


def check_records(blocks: AvroBlocks, limits: Limits) -> Checked:
    """Read all blocks of a file, and check that each consists of the records that it counts.

    FormatError    an invalid schema, blocks as for `AvroBlocks.windows`, or records
                   that do not fit the schema
    LimitExceeded  beyond *limits*
    """
    try:
        with blocks.about_schema():
            program, unchecked = _program(blocks.schema), None
    except Unsupported as error:
        program, unchecked = None, str(error.found)
    records = count = 0
    for window in blocks.windows(least=0 if program is None else min(program.least, 1)):
        if program is not None:
            _check(blocks, window, program, limits)
        records, count = records + int(window.counts.sum()), count + len(window.counts)
    return Checked(records, count, unchecked)


def _program(schema: Any) -> Program:
    """Return the program that skips blocks of records; of records without bytes, one of theirs."""
    record = _as_record(schema)
    values = compile_values(record, lambda _: False)
    return compile_blocks(record, lambda _: False) if values.least else values


def _as_record(schema: Any) -> Any:
    """Return the schema of a record; values of any other are encoded as records of one field."""
    if isinstance(schema, dict) and schema.get("type") == "record":
        return schema
    return {"type": "record", "name": "value", "fields": [{"name": "value", "type": schema}]}


def _check(blocks: AvroBlocks, window: Window, program: Program, limits: Limits) -> None:
    """Check the blocks of a window."""
    if not program.least:
        _check_empty(window)
        return
    BlockColumns(
        program,
        np.frombuffer(b"".join(window.parts), np.uint8),
        np.cumsum([0, *map(len, window.parts)], dtype=np.int64),
        window.counts,
        window.block,
        limits,
        lambda error, block: blocks.placed(error, window, block),
    )


def _check_empty(window: Window) -> None:
    """Check that blocks have no bytes, since records without fields, and nulls, have none."""
    for number, (part, (place, _)) in enumerate(zip(window.parts, window.places, strict=True)):
        if part:
            path = f"avro.blocks[{window.block + number}].objects"
            raise FormatError(path, int(place), count_of_bytes(len(part)), "records without bytes")
