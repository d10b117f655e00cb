"""The records of Avro container files of one schema, inflated into one buffer.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.manifests.avro_file import AvroFile, inflate, open_avro
from byteloom.iceberg.manifests.decoding import Decoded, Wanted, decode_records, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.limits import Limits

__all__ = ["Container", "inflate_all", "read_container"]


@dataclass(frozen=True, slots=True)
class Container:
    """Records of one schema.

    schema   as JSON
    data     the content of all blocks
    blocks   int64[block, 3]: records, start and end in *data*
    """

    schema: object
    data: NDArray[np.uint8]
    blocks: NDArray[np.int64]

    def decode(self, wanted: Wanted, names: dict[str, int]) -> Decoded:
        """Return the columns of what is wanted; *names* serve a schema without any field ids."""
        has_ids = '"field-id"' in json.dumps(self.schema)
        return decode_records(
            self.data, self.blocks, self.schema, wanted, None if has_ids else names
        )


def read_container(data: bytes, limits: Limits) -> Container:
    """Return the records of one file."""
    return inflate_all([open_avro(data)], limits)[0]


def inflate_all(files: Sequence[AvroFile], limits: Limits) -> tuple[Container, NDArray[np.int64]]:
    """Return the records of files that share a schema, and how many records each file has."""
    parts, counts, records = [], [], []
    for file in files:
        contents, each = inflate(file, limits)
        parts.extend(contents)
        counts.append(each)
        records.append(each.sum())
    data, ends = joined(parts)
    sizes = np.array([len(each) for each in parts], np.int64)
    held = np.concatenate(counts) if counts else np.zeros(0, np.int64)
    if (held > sizes).any():
        raise FormatError("avro.block", None, f"{held.max()} records", "records of bytes")
    blocks = np.stack([held, ends - sizes, ends], axis=1)
    return Container(files[0].schema, data, blocks), np.array(records, np.int64)
