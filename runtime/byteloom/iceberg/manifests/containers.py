"""The records of Avro container files of one schema, inflated into one buffer.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.avro.codecs import Content
from byteloom.avro.container import AvroFile, find_blocks, in_block, inflate_into, open_avro
from byteloom.errors import FormatError
from byteloom.iceberg.manifests.decoding import Decoded, Wanted, decode_records
from byteloom.iceberg.manifests.program import Program, compile_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.limits import Limits

__all__ = ["Container", "read_container", "read_containers"]

_GUESS: Final = 6
"""Assumed ratio of a manifest's decompressed size to the size of its file."""


@dataclass(frozen=True, slots=True)
class Container:
    """Records of one schema.

    Attributes:
        schema: The parsed JSON, which was valid.
        data: The content of all blocks.
        blocks: int64[block, 3]: records, start and end in *data*.
        files: The files of these blocks, for the places in errors; empty if they come from no file.
    """

    schema: bytes
    data: NDArray[np.uint8]
    blocks: NDArray[np.int64]
    files: Sequence[AvroFile] = ()

    def decode(self, wanted: Wanted, names: dict[str, int]) -> Decoded:
        """Return the wanted columns; *names* are used for a schema without any field ids.

        Fixed values may have their length before them, as Java writes those of partitions; the
        result's ``program.is_prefixed`` says so.
        """
        asked = self.schema, tuple(wanted.kinds.items()), tuple(names.items()), len(wanted.slots)
        program = _program(*asked)
        try:
            return decode_records(self.data, self.blocks, program, wanted, self._placed)
        except FormatError:
            if not program.steps.fixed:
                raise
            with suppress(FormatError):
                prefixed = _program(*asked, is_prefixed=True)
                return decode_records(self.data, self.blocks, prefixed, wanted)
            raise

    def _placed(self, error: FormatError, block: int) -> FormatError:
        """Return an error about the content of a block with the block's place in its file."""
        for file in self.files:
            table, _ = find_blocks(file.data, file.first_block, file.sync)
            if block < len(table):
                _, start, size = table[block].tolist()
                return in_block(error, file.codec, block, start, size)
            block -= len(table)
        return error


@lru_cache(maxsize=32)
def _program(
    schema: bytes,
    kinds: tuple[tuple[int, str], ...],
    names: tuple[tuple[str, int], ...],
    slots: int,
    *,
    is_prefixed: bool = False,
) -> Program:
    """Return the program of a schema, which most manifests of a table share."""
    parsed = json.loads(schema)
    has_ids = '"field-id"' in json.dumps(parsed)
    by_name = None if has_ids else dict(names)
    return compile_program(parsed, dict(kinds), by_name, slots, is_prefixed=is_prefixed)


def read_container(data: bytes, limits: Limits) -> Container:
    """Return the records of one file."""
    return read_containers([open_avro(data)], limits)[0]


def read_containers(
    files: Sequence[AvroFile], limits: Limits
) -> tuple[Container, NDArray[np.int64]]:
    """Return the records of files that share a schema, and how many records each file has."""
    content = Content(_GUESS * sum(len(each.data) for each in files))
    tables = [inflate_into(content, file, limits) for file in files]
    records = np.array([int(each[:, 0].sum()) for each in tables], np.int64)
    schema = files[0].metadata["avro.schema"]
    return Container(schema, content.held, np.concatenate(tables), files), records
