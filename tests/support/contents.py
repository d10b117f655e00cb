"""What vectors say of contents that take more than one type of a spec: read, as plain data, write.

`CONTENTS` has the three functions by the name of the section; one of a new format adds a line.
Payloads of HFile's data blocks are cells in and cells out, by the library.
"""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.support.hfile_damage import places

from byteloom.hfile import HFileWriter
from byteloom.hfile.blocks import Block, Blocks
from byteloom.hfile.cells import COLUMNS, plain_cells, walked
from byteloom.hfile.dialect import CellForm
from byteloom.limits import DEFAULT_LIMITS
from byteloom.puffin import PuffinFile, PuffinWriter
from byteloom.puffin import open as open_puffin
from byteloom.puffin.deletion_vector import DeletionVector
from byteloom.puffin.metadata import plain
from byteloom.puffin.theta import ThetaSketch
from byteloom.storage import open_source
from byteloom_generated.hfile.block import Block as Header
from byteloom_generated.hfile.block import BlockType, ChecksumType

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from byteloom.hfile.writing.writer import Options

__all__ = ["CONTENTS"]

_ANY = 1 << 20


def _read(form: CellForm, payload: bytes) -> pa.Table:
    header = Header(
        magic=BlockType.ENCODED_DATA,
        len_on_disk=len(payload),
        len_uncompressed=len(payload),
        ofs_previous=-1,
        checksum_type=ChecksumType.NULL,
        bytes_per_checksum=1,
        len_data=33 + len(payload),
    )
    block = Block(0, "encoded_data", header, bytes(33) + payload, 33)
    blocks = Blocks(open_source(block.buffer), "NONE", DEFAULT_LIMITS)
    cells = plain_cells(blocks, [block], form, DEFAULT_LIMITS)
    return walked(cells, form, _ANY, COLUMNS, "binary").batch


def _plain(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    return [
        {name: each.hex() if isinstance(each, bytes) else each for name, each in cell.items()}
        for cell in batch.to_pylist()
    ]


def _write(form: CellForm, batch: pa.RecordBatch) -> bytes:
    out = io.BytesIO()
    options: Options = {
        "encoding": form.encoding,
        "tags": form.has_tags,
        "mvcc": form.has_mvcc,
        "compress_tags": form.has_packed_tags,
        "threads": 0,
    }
    with HFileWriter(out, **options) as writer:
        writer.write(batch)
    data = out.getvalue()
    place = places(data)[0]
    return data[place.start + 33 : place.start + place.len_data]


def _form(encoding: str, *, rich: bool, packed: bool) -> CellForm:
    return CellForm(
        has_columns=True,
        has_tags=rich,
        has_mvcc=rich,
        is_mvcc_wide=rich,
        encoding=encoding,
        has_packed_tags=packed,
    )


_FORMS = {
    "PREFIX block": _form("PREFIX", rich=False, packed=False),
    "DIFF block": _form("DIFF", rich=True, packed=True),
    "FAST_DIFF block": _form("FAST_DIFF", rich=True, packed=True),
    "ROW_INDEX_V1 block": _form("ROW_INDEX_V1", rich=True, packed=False),
}

_BLOCKS: dict[
    str, tuple[Callable[[bytes], Any], Callable[[Any], object], Callable[[Any], bytes]]
] = {name: (partial(_read, form), _plain, partial(_write, form)) for name, form in _FORMS.items()}
"""How the payload of each encoding is read, shown and written."""


def _verified(data: bytes) -> PuffinFile:
    file = open_puffin(data)
    for error in file.errors():
        if error.path != "footer.reserved":  # Unknown flags are read, and reported.
            raise error
    return file


def _file(file: PuffinFile) -> dict[str, Any]:
    stated = {
        "metadata": plain(file.metadata) | {"blobs": [plain(blob) for blob in file.blobs]},
        "contents": [content.hex() for content in file.read_many(file.blobs)],
    }
    flags = {
        "payload_is_compressed": file.footer.payload_is_compressed,
        "reserved": file.footer.reserved,
    }
    return stated | {name: value for name, value in flags.items() if value}


def _rewritten(file: PuffinFile) -> bytes:
    copy = io.BytesIO()
    with PuffinWriter(copy, like=file, created_by=None) as writer:
        for blob in file.blobs:
            writer.copy(file, blob)
    return copy.getvalue()


def _vector(vector: DeletionVector) -> dict[str, Any]:
    return {"positions": vector.positions().tolist()}


def _sketch(sketch: ThetaSketch) -> dict[str, Any]:
    return {
        "hashes": sketch.hashes.tolist(),
        "theta64": sketch.theta64,
        "is_empty": sketch.is_empty,
        "estimate": sketch.estimate,
    }


CONTENTS: dict[
    str, tuple[Callable[[bytes], Any], Callable[[Any], object], Callable[[Any], bytes]]
] = {
    "puffin file": (_verified, _file, _rewritten),
    "deletion-vector-v1": (DeletionVector.from_bytes, _vector, DeletionVector.to_bytes),
    "apache-datasketches-theta-v1": (ThetaSketch.from_bytes, _sketch, ThetaSketch.to_bytes),
    **_BLOCKS,
}
