"""Hostile files make a reader hold no more than the limits and the file's own size allow."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest
from tests.support import hfile_damage as damage
from tests.support.hfile_findings import audit
from tests.support.memory import PEAK

from byteloom import hfile
from byteloom.errors import FormatError, LimitExceeded
from byteloom.hfile import HFileWriter
from byteloom.limits import FREE_EXPANSION, Limits

if TYPE_CHECKING:
    from pathlib import Path

LEVELS: Final = 8
"""The field of the trailer that has the number of levels of the index."""

BLOCK: Final = 8 << 20

CHILD = (
    PEAK
    + """
import json
from byteloom import hfile
from byteloom.hfile import scan
assert scan.AHEAD == 96 << 20
scan.AHEAD = 24 << 20  # so that blocks of 8 MB are as large for it as those of 32 MB
before, rows = peak(), 0
with hfile.open(sys.argv[1]) as file:
    for batch in file.batches(["row", "value"], threads=8):
        rows += batch.num_rows
print(json.dumps([rows, peak() - before]))
"""
)


def test_large_blocks_are_read_ahead_by_their_bytes(tmp_path: Path) -> None:
    """Only a few of many large blocks are decompressed at a time, whatever the threads."""
    path = tmp_path / "a.hfile"
    with HFileWriter(path, compression="GZ", block_size=1 << 20, level=1) as writer:
        for row in range(16):
            writer.add(b"row-%04d" % row, bytes(BLOCK), family=b"f", qualifier=b"", timestamp=9)
    run = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)], capture_output=True, check=False, text=True
    )
    assert run.returncode == 0, run.stderr[-2000:]
    rows, taken = json.loads(run.stdout)
    print(f"{taken >> 20} MiB")
    assert rows == 16
    assert taken < 12 * BLOCK


def leveled() -> bytes:
    """Return a file whose index has three levels."""
    out = io.BytesIO()
    with HFileWriter(
        out, block_size=64, index_block_max_size=64, index_block_min_entries=2, threads=0
    ) as writer:
        for row in range(64):
            writer.add(b"row-%04d" % row, bytes(64), family=b"f", qualifier=b"", timestamp=9)
    return out.getvalue()


def looped() -> bytes:
    """Return a file with twelve index levels, whose middle ones all refer to one block."""
    data = damage.with_trailer(leveled(), {LEVELS: 12})
    found = [each for each in damage.places(data) if each.magic == b"IDXINTE2"]
    target = found[0].start.to_bytes(8, "big") + found[0].size.to_bytes(4, "big")
    for place in found:
        payload = data[place.start + 33 : place.start + place.len_data]
        count = int.from_bytes(payload[:4], "big")
        for number in range(count):
            offset = int.from_bytes(payload[4 + 4 * number :][:4], "big")
            data = damage.patched(data, place, 33 + 8 + 4 * count + offset, target)
    return data


def test_an_index_that_leads_back_to_itself_is_refused_at_once() -> None:
    """An index whose blocks refer to one block again and again is refused at once."""
    said = r"index\b.*: found \d+ entries, wanted entries for different blocks"
    with hfile.open(io.BytesIO(looped())) as file, pytest.raises(FormatError, match=said):
        file.read(["row"])


def test_an_index_that_leads_back_to_itself_is_audited_at_once() -> None:
    """An audit reports a block that two index entries refer to, and visits it once."""
    findings = [str(each) for each in audit(looped()).findings]
    assert any("blocks that no other entry is for" in each for each in findings)
    assert len(findings) < 1_000


@pytest.mark.parametrize("magic", [b"IDXLEAF2", b"IDXINTE2"])
def test_an_index_block_of_more_entries_than_there_is_room_for_is_refused(magic: bytes) -> None:
    """An index block with more entries than one for each 33 bytes of the file is refused."""
    data = leveled()
    room = len(data) // 33
    place = next(each for each in damage.places(data) if each.magic == magic)
    said = rf"index\.num_entries at byte {place.start} .*: found {room + 1}, wanted at most {room},"
    for count, wanted in ((room + 1, said), (room, r"^(?!.*num_entries)")):
        wrong = damage.patched(data, place, 33, count.to_bytes(4, "big"))
        with hfile.open(io.BytesIO(wrong)) as file, pytest.raises(FormatError) as refused:
            file.read(["row"])
        assert re.search(wanted, str(refused.value))


def test_what_is_read_when_a_file_is_opened_is_bounded() -> None:
    """The decompressed metadata of a file is bounded by a limit and by the file's size."""
    out = io.BytesIO()
    info = {b"large": bytes(FREE_EXPANSION)}
    with HFileWriter(out, compression="GZ", file_info=info) as writer:
        writer.add(b"row", b"value", family=b"f", qualifier=b"", timestamp=9)
    data = out.getvalue()
    with hfile.open(io.BytesIO(data)) as file:
        size = sum(each.header.len_uncompressed for each in file.on_open)
    assert size > FREE_EXPANSION > 50 * len(data)
    with hfile.open(io.BytesIO(data), limits=Limits(metadata_size=size)) as file:
        assert file.num_cells == 1
    said = rf"load_on_open at byte \d+ .*: found {size} bytes when decompressed, wanted at most "
    with pytest.raises(LimitExceeded, match=said + str(size - 1)):
        hfile.open(io.BytesIO(data), limits=Limits(metadata_size=size - 1))
    with pytest.raises(LimitExceeded, match=said + str(FREE_EXPANSION)):
        hfile.open(io.BytesIO(data), limits=Limits(expansion=0))
