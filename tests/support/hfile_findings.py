"""What a scan, lookups and an audit report of damaged HFiles, for each kind of damage.

`python -m tests.support.hfile_findings` prints it as `tests/hfile/damage.yaml` keeps it.  Read what
has changed there before you keep it: each line names a field, a place, what was found and wanted.
"""

from __future__ import annotations

import io
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import yaml
from tests.support import hfile_damage as damage
from tests.support.hfile_files import LATEST, Built, Given

from byteloom import hfile
from byteloom.errors import ByteloomError
from byteloom.hfile import BloomBuilder, HFileWriter
from byteloom.hfile.verify import audit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["audit", "cases", "findings", "hbase_file", "hudi_file"]

ROWS: Final = [b"row-%04d" % (7 * number) for number in range(8)]

_HEADS: Final = {"magic of another type", "uncompressed size + 3", "previous offset + 1"}
"""What is wrong with headers of all types; with that of the first data block, everything is."""


@cache
def hbase_file() -> bytes:
    """A file of 24 cells in six blocks, with two leaf indexes, two Bloom filters and a meta block.

    Its larger blocks have two checksums or more.
    """
    out = io.BytesIO()
    blooms = [BloomBuilder(kind, chunk_size=16) for kind in ("ROWCOL", "DELETE_FAMILY")]
    sizes: dict[str, Any] = {
        "block_size": 150,
        "index_block_max_size": 100,
        "index_block_min_entries": 2,
        "bytes_per_checksum": 100,
    }
    with HFileWriter(out, blooms=blooms, created_ms=1, threads=0, **sizes) as writer:
        for number, row in enumerate(ROWS):
            writer.add(row, family=b"f", qualifier=b"", timestamp=9, type=14, mvcc=number)
            for name in (b"a", b"b"):
                value = b"value of %d" % number
                writer.add(row, value, family=b"f", qualifier=name, timestamp=5, mvcc=3)
        writer.put_meta(b"note", b"of a meta block")
    return out.getvalue()


@cache
def hudi_file() -> bytes:
    """A file of 8 cells in four blocks, as Hudi's own writer makes it: its index has rows alone."""
    keys = [len(row).to_bytes(2, "big") + row for row in ROWS]
    cells = [Given(row=row, family=b"", timestamp=LATEST, value=b"value") for row in ROWS]
    info = {b"hfile.AVG_KEY_LEN": (8).to_bytes(4, "big"), b"hfile.LASTKEY": keys[-1]}
    blocks = [cells[at : at + 2] for at in range(0, 8, 2)]
    comparator = b"org.apache.hudi.io.hfile.HoodieKVComparator"
    built = Built(
        blocks=blocks,
        keys=keys[::2],
        info=info,
        said={3: 8 * (8 + 5 + 21), 4: None, 11: comparator},
    )
    data = bytearray(built.data())
    for place in damage.places(bytes(data)):
        data[place.start + 24] = 0  # checksums of type 0 are zeros
        data[place.start + place.len_data : place.start + place.size] = bytes(4)
    data[-4] = 0  # the minor version
    return bytes(data)


@cache
def cases() -> dict[str, bytes]:
    """Damaged files by name."""
    named = chain(
        _headers(hbase_file()),
        damage.trailers(hbase_file()),
        damage.cuts(hbase_file()),
        ((f"hudi: {name}", data) for name, data in damage.trailers(hudi_file())),
    )
    return {name: data for name, data in named if not name.endswith(f" = {1 << 62}")}


def findings(data: bytes) -> dict[str, Any]:
    """What a scan reports, and lookups of all rows and an audit where they differ."""
    scanned = _outcome(data, lambda file: file.read().num_rows)
    looked_up = _outcome(data, lambda file: file.lookup(ROWS).num_rows)
    found = [str(error) for error in audit(data).findings]
    return {
        "read": scanned,
        **({"lookup": looked_up} if looked_up != scanned else {}),
        **({"verify": found} if found != [scanned] else {}),
    }


def _outcome(data: bytes, use: Callable[[hfile.HFile], int]) -> str:
    try:
        with hfile.open(data) as file:
            return f"{use(file)} cells"
    except ByteloomError as error:
        return str(error)


def _headers(data: bytes) -> Iterator[tuple[str, bytes]]:
    first = damage.places(data)[0]
    for name, damaged in damage.headers(data):
        block, _, what = name.partition(": ")
        if block == f"{first.magic.decode()} at 0" or what in _HEADS:
            yield name, damaged


if __name__ == "__main__":
    found = {name: findings(data) for name, data in cases().items()}
    print(yaml.safe_dump(found, width=1000, sort_keys=False), end="")
