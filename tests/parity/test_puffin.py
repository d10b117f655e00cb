"""Roaring bitmaps and sketches, read by hand, are what the record classes read.

Containers are compared one by one, which no public function shows.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyroaring import BitMap

from byteloom.codecs.roaring import ARRAY, BITS, RUNS, Bytes, bitmap_at, containers, few_containers
from byteloom.errors import ByteloomError, FormatError, Truncated
from byteloom.puffin.positions import mask_of
from byteloom.puffin.roaring import read_map, write_map
from byteloom.puffin.theta_form import MAX_THETA, _ordinary, _plain, compose
from byteloom.wire import Reader
from byteloom_generated.puffin.roaring_bitmap import Container, RoaringBitmap, RoaringMap

ALONE: Final = re.compile(r"bitmap\.(cookie|headers\[\d+\]\.key|offsets\[\d+\])")
"""What records accept and CRoaring does not: more in a cookie, keys and offsets of any order."""

COOKIE: Final = RoaringBitmap.MIN_SIZE
"""Bytes that the steps take as one number, and records as two."""

Found = list[tuple[int, int, int, int]]
"""Key, integers, form and place of each container."""


def bitmap(integers: Any, *, runs: bool = True) -> bytes:
    """The bytes of a bitmap, whose containers are runs where that takes fewer."""
    made = BitMap(integers)
    if runs:
        made.run_optimize()
    return made.serialize()


def spread(size: int, step: int, number: int = 1) -> list[int]:
    """Integers at a distance, as many in each of some containers."""
    return [(key << 16) + step * each for key in range(number) for each in range(size)]


SAMPLES: Final = {
    "empty": bitmap([]),
    "one": bitmap([70_000]),
    "the longest array": bitmap(spread(4096, 2)),
    "the smallest bits": bitmap(spread(4097, 2)),
    "three runs, without offsets": bitmap(spread(90, 1, 3)),
    "four runs, with offsets": bitmap(spread(90, 1, 4)),
    "runs, an array and bits": bitmap(
        [*range(99), *(65_536 + 3 * i for i in range(9)), *(1 << 17 | 2 * i for i in range(5000))]
    ),
    "nine containers, two bytes of flags": bitmap([*spread(5, 1, 8), 8 << 16 | 9]),
    "no runs": bitmap(spread(3, 1, 5), runs=False),
    "arrays and bits by turns": bitmap(
        [*spread(9, 2, 4), *spread(8194, 4), *range(1 << 17, 3 << 16, 2)]
    ),
    "as many as are few": bitmap(spread(1, 1, 16)),
    "one more than are few": bitmap(spread(1, 1, 17)),
    "the largest": bitmap([7, 0xFFFF_FFFF]),
}


def by_record(data: bytes) -> tuple[Found, int]:
    """The containers by the record of a bitmap, and where the bitmap ends."""
    reader = Reader(data)
    record = reader.record("bitmap", RoaringBitmap.read)
    at = reader.offset - sum(len(each.to_bytes()) for each in record.containers)
    found = []
    for header, container in zip(record.headers, record.containers, strict=True):
        form = RUNS if container.has_runs else ARRAY if container.bits is None else BITS
        found.append((header.key, container.num_values, form, at))
        at += len(container.to_bytes())
    return found, at


def by_steps(data: bytes) -> tuple[Found, int]:
    """The containers, and where the bitmap ends, by the steps over all headers."""
    found = containers(Bytes(data, "bitmap"), 0)
    columns = found.keys, found.cardinalities, found.kinds, found.starts
    return list(zip(*(each.tolist() for each in columns), strict=True)), found.end


def outcome(read: Any, data: bytes) -> Any:
    """What a reader finds, or the error that it raises."""
    try:
        return read(data)
    except FormatError as error:
        return error


def damaged(data: bytes) -> list[bytes]:
    """Bitmaps with a bit of the first 64 or last 8 bytes flipped, or one of them left out."""
    places = [at for at in range(len(data)) if at < 64 or at >= len(data) - 8]
    flips = [
        data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
        for at in places
        for bit in range(8)
    ]
    return [*flips, *(data[:at] + data[at + 1 :] for at in places)]


@pytest.mark.parametrize("name", SAMPLES)
def test_sound_bitmaps_have_the_containers_of_the_record(name: str) -> None:
    """The steps find the keys, sizes, forms and places of the record's containers."""
    data = SAMPLES[name]
    found, end = by_record(data)
    assert by_steps(data + b"after") == (found, end)
    assert end == len(data)
    few = few_containers(data, 0)
    assert few in {None, (end, sum(size for _, size, *_ in found))}
    assert (few is None) == (any(form == RUNS for *_, form, _ in found) or len(found) > 16)
    inside = containers(Bytes(b"..a" + data + b"after", "bitmap"), 3)
    assert (inside.starts - 3).tolist() == [at for *_, at in found]
    assert inside.end == 3 + end
    assert few_containers(b"..a" + data + b"after", 3) == (few and (3 + end, few[1]))


@pytest.mark.parametrize("name", SAMPLES)
def test_bitmaps_that_are_cut_off_are_refused_at_the_same_place(name: str) -> None:
    """Steps and record refuse a cut bitmap in the same field or container."""
    data = SAMPLES[name]
    for size in range(len(data)):
        if 200 < size < len(data) - 8:
            continue
        record, steps = outcome(by_record, data[:size]), outcome(by_steps, data[:size])
        assert isinstance(record, Truncated), size
        assert isinstance(steps, Truncated), size
        assert few_containers(data[:size], 0) is None
        if size < COOKIE:
            assert (steps.path, steps.offset) == ("bitmap.cookie", 0)
            continue
        in_container = ".containers[" in steps.path
        assert record.path.startswith(steps.path.removesuffix(".num_runs")), (size, steps.path)
        assert record.offset is not None
        assert steps.offset is not None
        assert 0 <= record.offset - steps.offset <= 2 * in_container, size


@pytest.mark.parametrize("name", SAMPLES)
def test_damaged_bitmaps_are_refused_where_the_record_refuses_them(name: str) -> None:
    """Damage is refused where the record or CRoaring refuses it; otherwise both find the same."""
    for data in damaged(SAMPLES[name]):
        record, steps = outcome(by_record, data), outcome(by_steps, data)
        if isinstance(steps, FormatError):
            assert isinstance(record, FormatError) or ALONE.fullmatch(steps.path), steps
            assert few_containers(data, 0) is None
        else:
            assert steps == record
            found, end = steps
            assert few_containers(data, 0) in {None, (end, sum(size for _, size, *_ in found))}


def test_what_is_missing_of_a_container_is_counted() -> None:
    """The error for a cut container counts the bytes left from the container's start."""
    data = SAMPLES["the smallest bits"]
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
    data = bytearray(bitmap([(1 << 16) + each for each in spread(4096, 2, 2)]))
    data[at : at + 4] = value.to_bytes(4, "little")
    with pytest.raises(FormatError) as refused:
        containers(Bytes(bytes(data), "map", 100), 0)
    assert str(refused.value).startswith(said)


def test_as_many_containers_as_there_can_be() -> None:
    """A bitmap with 65,536 containers, one for each upper half, is read."""
    full = BitMap(range(0, 1 << 32, 65_535))
    data = full.serialize()
    assert int.from_bytes(data[4:8], "little") == 65_536
    assert bitmap_at(Bytes(data, "map"), 0) == (full, len(data))


def test_bitmaps_are_written_in_the_smallest_form() -> None:
    """A bitmap is written with runs if these are smaller, and is not changed itself."""
    plain = BitMap(list(range(10_000)))
    before = plain.serialize()
    data = write_map({0: plain})
    assert containers(Bytes(data, "map"), 12).kinds.tolist() == [RUNS]
    assert len(data) == 12 + 4 + 1 + 4 + 2 + 4
    assert plain.serialize() == before


def test_there_are_no_more_containers_than_the_record_allows() -> None:
    """Steps and record refuse one container more than `MOST` in the same field."""
    most = RoaringBitmap.MOST["num_containers_no_runs"]
    data = (12346).to_bytes(4, "little") + (most + 1).to_bytes(4, "little")
    for read in (by_record, by_steps):
        error = outcome(read, data)
        assert isinstance(error, FormatError)
        assert (error.path, error.offset) == ("bitmap.num_containers_no_runs", 4)


def integers_of(key: int, container: Container) -> list[int]:
    """The integers of a container, from its record."""
    if container.runs is not None:
        pairs = np.frombuffer(container.runs, "<u2").reshape(-1, 2).tolist()
        lower = [each for first, more in pairs for each in range(first, first + more + 1)]
    elif container.array is not None:
        lower = np.frombuffer(container.array, "<u2").tolist()
    else:
        bits = np.frombuffer(container.bits or b"", np.uint8)
        lower = np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist()
    return [(key << 16) + each for each in lower]


@pytest.mark.parametrize("name", [each for each in SAMPLES if each != "empty"])
def test_masks_are_set_where_the_record_has_integers(name: str) -> None:
    """A mask of arrays, bits or runs is set exactly at the record's integers."""
    data = SAMPLES[name]
    record = RoaringBitmap.from_bytes(data)
    wanted = [
        each
        for header, container in zip(record.headers, record.containers, strict=True)
        for each in integers_of(header.key, container)
    ]
    found, _ = bitmap_at(Bytes(data, "bitmap"), 0)
    assert list(found) == wanted
    mask = mask_of({0: found}, 0, 10 << 16)
    assert np.flatnonzero(mask).tolist() == [each for each in wanted if each < 10 << 16]


integers = st.sets(st.integers(0, 9) | st.integers(65_530, 65_540) | st.integers(0, 0xFFFF_FFFF))


@given(st.dictionaries(st.integers(0, 4), integers.filter(len), max_size=3))
@example({})
def test_maps_that_are_written_are_read_by_the_record(maps: dict[int, set[int]]) -> None:
    """A written map has an entry for each key up to the largest, and is read back alike."""
    data = write_map({key: BitMap(found) for key, found in maps.items()})
    record = RoaringMap.from_bytes(data)
    assert [each.key for each in record.bitmaps] == list(range(max(maps, default=-1) + 1))
    for entry in record.bitmaps:
        found = [
            each
            for header, container in zip(entry.bitmap.headers, entry.bitmap.containers, strict=True)
            for each in integers_of(header.key, container)
        ]
        assert found == sorted(maps.get(entry.key, ()))
    assert {key: set(found) for key, found in read_map(Bytes(data, "map")).items()} == maps
    assert record.to_bytes() == data


@given(st.lists(st.integers(1, MAX_THETA - 2), max_size=3, unique=True))
def test_damaged_sketches_are_read_as_their_records_are(hashes: list[int]) -> None:
    """A damaged sketch is read as by its record, or is left to the record."""
    data = compose(np.array(sorted(hashes), np.uint64), MAX_THETA - 1, is_empty=False)
    assert _ordinary(data) is not None
    number = int.from_bytes(data, "little")
    flips = [(number ^ 1 << bit).to_bytes(len(data), "little") for bit in range(8 * 24)]
    for damaged in [data, *flips, *(data[:end] for end in range(len(data)))]:
        found = _ordinary(damaged)
        if found is None:
            continue
        try:
            wanted = _plain(Reader(damaged))
        except ByteloomError as error:
            raise AssertionError(damaged.hex()) from error
        assert found[0].tolist() == wanted[0].tolist()
        assert found[1:] == wanted[1:]
