"""What the loops over HFiles make of good and of damaged blocks, a line each, on standard output.

With BYTELOOM_KERNELS=interpreted Python itself runs them.  Arguments: HFiles, not compressed,
and how many damaged blocks to make of each good one.
"""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path

import numpy as np

from byteloom import hfile
from byteloom.hfile.dialect import ENCODINGS, CellForm
from byteloom.hfile.runs import runs
from byteloom.kernels.hfile_encodings import decode
from byteloom_generated.hfile.cell_scan import CELLS

_ENCODED = 6


def damaged(payload: bytes, chance: random.Random) -> bytes:
    """A payload with a bit flipped, a byte set, or an end cut off."""
    data = bytearray(payload)
    at = chance.randrange(len(data))
    match chance.randrange(3):
        case 0:
            data[at] ^= 1 << chance.randrange(8)
        case 1:
            data[at] = chance.choice((0, 1, 127, 128, 255))
        case _:
            del data[at:]
    return bytes(data)


def walked(data: np.ndarray, size: int, form: CellForm) -> list[object]:
    """What the walk over cells returns, and a digest of all that it wrote."""
    room = size // 10
    columns = [np.zeros(room * column.width, np.uint8) for column in CELLS.columns]
    counts, state = np.zeros((1, 2), np.int64), np.zeros(4 + CELLS.remembered, np.int64)
    ranges = np.array([[0, size]], np.int64)
    flags = [int(getattr(form, name)) for name in CELLS.parameters]
    ended = CELLS.fill(data, ranges, counts, state, room, *flags, *columns)
    digest = hashlib.sha256(b"".join(column.tobytes() for column in columns)).hexdigest()
    return [[int(each) for each in ended], state.tolist(), counts.tolist(), digest]


def outcome(payload: bytes, room: int, form: CellForm) -> list[object]:
    """What the loops make of the payload of a data block."""
    data = np.frombuffer(payload, np.uint8)
    if form.encoding not in {"PREFIX", "DIFF", "FAST_DIFF"}:
        return walked(data, len(payload), form)
    if len(payload) < _ENCODED:
        return []
    out = np.zeros(room, np.uint8)
    ranges = np.array([[_ENCODED, len(payload)]], np.int64)
    block, written = decode(
        data, ranges, ENCODINGS[form.encoding],
        form.has_tags, form.has_packed_tags, form.has_mvcc, out, np.array([[0, room]], np.int64),
    )  # fmt: skip
    if block >= 0:  # the output of such a block is not used
        return [int(block), int(written)]
    out.flags.writeable = False
    return walked(out, room, form)


def main(paths: list[str], count: int) -> None:
    """Print the result for every block, good and damaged."""
    for path in paths:
        chance = random.Random(Path(path).name)
        with hfile.open(path) as file:
            end = file.trailer.load_on_open_data_offset
            for run in runs(file.blocks, 0, end):
                for number, stored in enumerate(run.stored()):
                    place = run[number]
                    if not place.type.endswith("data"):
                        continue
                    payload = bytes(stored)
                    room = int.from_bytes(payload[2:_ENCODED], "big")
                    print(place.offset, outcome(payload, room, file.form))
                    for _ in range(count):
                        print(outcome(damaged(payload, chance), room, file.form))


if __name__ == "__main__":
    main(sys.argv[1:-1], int(sys.argv[-1]))
