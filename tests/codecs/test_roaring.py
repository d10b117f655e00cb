"""Containers of 32-bit bitmaps are found in all their forms and numbers."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from pyroaring import BitMap

from byteloom.codecs.roaring import ARRAY, BITS, RUNS, Bytes, bitmap_at, containers, few_containers
from byteloom.errors import FormatError, Truncated
from byteloom.puffin.roaring import write_map

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMS: Final = {
    ARRAY: (np.arange(0, 8192, 2), 2 * 4096),  # the longest array there is
    BITS: (np.arange(0, 8194, 2), 8192),  # and the smallest set of bits
    RUNS: (np.r_[5:60_000, 65_530:65_536], 2 + 4 * 2),
}
"""Integers of a container, and the bytes that it takes."""


def made(forms: Sequence[int]) -> bytes:
    """Return a bitmap with a container of each of these forms, with keys 1, 4, 7, ..."""
    found = BitMap()
    for number, form in enumerate(forms):
        found |= BitMap((FORMS[form][0] + ((1 + 3 * number) << 16)).tolist())
    found.run_optimize()
    return found.serialize()


COUNTS: Final = [
    *product(FORMS, repeat=1),
    *product(FORMS, repeat=2),
    (RUNS, ARRAY, BITS),
    (ARRAY, BITS, ARRAY, BITS),
    (RUNS, ARRAY, BITS, RUNS),
    (ARRAY, RUNS) * 4,
    (RUNS, *(ARRAY,) * 8),
]
"""With runs and fewer than four containers, there are no offsets; with nine, two bytes of flags."""


@pytest.mark.parametrize("forms", COUNTS)
def test_containers_are_found(forms: tuple[int, ...]) -> None:
    """The keys, forms, sizes and offsets of containers are found, even inside other bytes."""
    data = made(forms)
    for before, behind in [(b"", b""), (b"..a", b"behind")]:
        found = containers(Bytes(before + data + behind, "map"), len(before))
        assert found.kinds.tolist() == list(forms)
        assert found.keys.tolist() == [1 + 3 * number for number in range(len(forms))]
        assert found.cardinalities.tolist() == [len(FORMS[form][0]) for form in forms]
        assert found.end == len(before) + len(data)
        ends = [*found.starts.tolist()[1:], found.end]
        sizes = [end - start for start, end in zip(found.starts.tolist(), ends, strict=True)]
        assert sizes == [FORMS[form][1] for form in forms]
        bitmap, end = bitmap_at(Bytes(before + data + behind, "map"), len(before))
        assert (bitmap.serialize(), end) == (data, found.end)


@pytest.mark.parametrize("forms", [(ARRAY,), (BITS,), (RUNS,), (RUNS, ARRAY), (RUNS, ARRAY) * 2])
def test_a_bitmap_that_is_cut_off_is_truncated(forms: tuple[int, ...]) -> None:
    """A bitmap that is cut anywhere is truncated, at an offset counted from the file's start."""
    data = made(forms)
    first = int(containers(Bytes(data, "map"), 0).starts[0])
    for size in [*range(first + 3), first + 9, len(data) - 1]:
        if size < len(data):
            with pytest.raises(Truncated, match=r"^map\.[a-z_]+(\[\d\])?(\.num_runs)? ") as cut:
                bitmap_at(Bytes(b"_" + data[:size], "map", 100), 1)
            assert cut.value.offset is not None
            assert 101 <= cut.value.offset <= 101 + len(data)


def test_what_is_missing_of_a_container_is_counted() -> None:
    """The error for a cut container counts the bytes left from the container's start."""
    data = made((BITS,))
    said = r"^map\.containers\[0\] at byte 116 \(0x74\): found 8191 bytes left, wanted 8192 bytes$"
    with pytest.raises(Truncated, match=said):
        containers(Bytes(data[:-1], "map", 100), 0)


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        (0, 12345, "map.cookie at byte 100 (0x64): found 12345, wanted 12346, or 12347 in its"),
        (4, 65_537, "map.num_containers_no_runs at byte 104 (0x68): found 65537, wanted at most"),
        (16, 25, "map.offsets[0] at byte 116 (0x74): found 25, wanted 24"),
        (20, 8215, "map.offsets[1] at byte 120 (0x78): found 8215, wanted 8216"),
        (12, 0x0FFF_0001, "map.headers[1].key at byte 112 (0x70): found 1, wanted more than 1"),
        (12, 0x0FFF_0000, "map.headers[1].key at byte 112 (0x70): found 0, wanted more than 1"),
    ],
)
def test_headers_and_offsets_are_compared(at: int, value: int, said: str) -> None:
    """A header or an offset that contradicts what comes before it is refused."""
    data = bytearray(made((ARRAY, ARRAY)))
    data[at : at + 4] = value.to_bytes(4, "little")
    with pytest.raises(FormatError) as refused:
        containers(Bytes(bytes(data), "map", 100), 0)
    assert str(refused.value).startswith(said)


def test_as_many_containers_as_there_can_be() -> None:
    """A bitmap with 65,536 containers, one for each upper half, is read."""
    full = BitMap(range(0, 1 << 32, 65_535))
    data = full.serialize()
    assert int.from_bytes(data[4:8], "little") == 65_536
    bitmap, end = bitmap_at(Bytes(data, "map"), 0)
    assert (bitmap, end) == (full, len(data))


def test_bitmaps_are_written_in_the_smallest_form() -> None:
    """A bitmap is written with runs if these are smaller, and is not changed itself."""
    bitmap = BitMap(list(range(10_000)))
    before = bitmap.serialize()
    data = write_map({0: bitmap})
    assert containers(Bytes(data, "map"), 12).kinds.tolist() == [RUNS]
    assert len(data) == 12 + 4 + 1 + 4 + 2 + 4
    assert bitmap.serialize() == before


FEW: Final = [
    BitMap(),
    BitMap([0]),
    BitMap(range(0, 100, 20)),
    BitMap(range(0, 8192, 2)),
    BitMap(range(0, 8194, 2)),
    BitMap([7, 1 << 16, (1 << 16) + 5, 0xFFFFFFFF]),
    BitMap([each << 16 for each in range(16)]),
]
"""Bitmaps without runs: of no container, one of either form, several, and as many as are few."""


@pytest.mark.parametrize("bitmap", FEW, ids=len)
@pytest.mark.parametrize("before", [b"", b"..a"])
def test_few_containers_are_found_one_by_one(bitmap: BitMap, before: bytes) -> None:
    """The short cut for few containers finds the same end and cardinality as the general way."""
    data = before + bitmap.serialize()
    assert few_containers(data + b"behind", len(before)) == (len(data), len(bitmap))
    assert containers(Bytes(data, "map"), len(before)).end == len(data)


def test_many_containers_and_runs_are_left_to_others() -> None:
    """The short cut for few containers declines 17 of them, and any run container."""
    assert few_containers(BitMap([each << 16 for each in range(17)]).serialize(), 0) is None
    assert few_containers(made((RUNS,)), 0) is None


@pytest.mark.parametrize("bitmap", FEW[:3] + FEW[5:], ids=len)
def test_damage_is_left_to_who_reports_it(bitmap: BitMap) -> None:
    """The short cut for few containers declines a damaged bitmap or agrees with the general way."""
    data = bitmap.serialize()
    for size in range(len(data)):
        assert few_containers(data[:size], 0) is None
    for bit in range(8 * min(len(data), 8 + 8 * 16)):
        flipped = bytearray(data)
        flipped[bit >> 3] ^= 1 << (bit & 7)
        found = few_containers(bytes(flipped), 0)
        if found is not None:
            seen = containers(Bytes(bytes(flipped), "map"), 0)
            assert found == (seen.end, int(seen.cardinalities.sum()))
