"""Payloads of HFile's data blocks as vectors show them: cells in, cells out, by the library."""

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
from byteloom.storage import open_source
from byteloom_generated.hfile.block import Block as Header
from byteloom_generated.hfile.block import BlockType, ChecksumType

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from byteloom.hfile.writing.writer import Options

__all__ = ["BLOCKS"]

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

BLOCKS: dict[
    str, tuple[Callable[[bytes], Any], Callable[[Any], object], Callable[[Any], bytes]]
] = {name: (partial(_read, form), _plain, partial(_write, form)) for name, form in _FORMS.items()}
"""How the payload of each encoding is read, shown and written."""
