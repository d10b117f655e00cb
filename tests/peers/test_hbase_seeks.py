"""Seeks answer as HBase's own scanner does, on files that HBase writes."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.hbase import SCHEMA

from byteloom import hfile
from byteloom.hfile.keys import order_of_cells

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hbase import HBase

pytestmark = pytest.mark.peer("hbase")

FORMS: dict[str, dict[str, Any]] = {
    "one level": {"block_size": 400},
    "many levels": {
        "block_size": 100,
        "conf": {"hfile.index.block.max.size": 64, "hfile.index.block.min.entries": 2},
    },
    "GZ and FAST_DIFF": {"block_size": 400, "codec": "GZ", "encoding": "FAST_DIFF"},
    "ROW_INDEX_V1": {"block_size": 700, "encoding": "ROW_INDEX_V1"},
}


def keys(random: Random, count: int) -> list[hfile.Key]:
    """Keys near each other, in order."""
    made = {
        hfile.Key(
            bytes(random.choices(b"ab\x00\xff", k=random.randint(1, 5))),
            b"f",
            random.choice([b"", b"q", b"qq"]),
            random.choice([0, 5, 1 << 40]),
            random.choice([4, 8, 12]),
        )
        for _ in range(count)
    }
    return sorted(made, key=lambda key: order_of_cells(key.encode()))


@pytest.mark.parametrize("form", FORMS)
def test_every_seek_answers_as_hbases(hbase: HBase, tmp_path: Path, form: str) -> None:
    """A cursor answers each seek as HBase's scanner does, and reaches the same cell."""
    random = Random(7)
    stored, path = keys(random, 400), tmp_path / "rows"
    rows = [
        dict(zip(SCHEMA.names[:5], key, strict=True), value=b"", mvcc=0, tags=b"") for key in stored
    ]
    hbase.write(path, pa.Table.from_pylist(rows, schema=SCHEMA), family="f", **FORMS[form])
    wanted = keys(random, 300) + stored[::7]
    answers = hbase.seek(path, [key.encode() for key in wanted])
    with hfile.open(path) as file:
        cursor = file.cursor()
        for key, (code, *place) in zip(wanted, answers, strict=True):
            answer = cursor.seek(key)
            if code == -2:
                assert answer in {-1, 1}
                assert cursor.next() if answer == 1 else cursor.first()
            else:
                assert answer == code
            if place:
                cell = cursor.cell
                assert cell is not None
                assert cell.key.encode().hex() == place[0]
