"""Verification of HFiles: valid ones have no finding, and every damage has one."""

from __future__ import annotations

import io
from functools import cache
from itertools import chain
from struct import pack
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import hfile_damage as damage
from tests.support.hfile_files import Built, Given
from tests.support.hfile_findings import audit

from byteloom import hfile
from byteloom.errors import ByteloomError, ChecksumMismatch, FormatError
from byteloom.hfile import BloomBuilder, HFileWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

TAG = b"\0\4\2abc"
FORMS: dict[str, dict[str, Any]] = {
    "plain": {"blooms": ["ROW"]},
    "gz fast_diff": {"compression": "GZ", "encoding": "FAST_DIFF", "checksum": "CRC32"},
    "snappy tags": {"compression": "SNAPPY", "encoding": "PREFIX", "tags": True},
    "row_index rowcol": {
        "encoding": "ROW_INDEX_V1",
        "bytes_per_checksum": 64,
        "blooms": [BloomBuilder("ROWCOL", chunk_size=16), "DELETE_FAMILY"],
    },
}
"""Files with all features between them."""


@cache
def made(name: str) -> bytes:
    """Return a small file of several blocks and levels."""
    form = dict(FORMS[name])
    blooms = [
        BloomBuilder(each.kind, chunk_size=16) if isinstance(each, BloomBuilder) else each
        for each in form.pop("blooms", [])
    ]
    out = io.BytesIO()
    sizes: dict[str, Any] = {
        "block_size": 200,
        "index_block_max_size": 150,
        "index_block_min_entries": 2,
    }
    with HFileWriter(out, blooms=blooms, created_ms=1, threads=0, **sizes, **form) as writer:
        tags = TAG if form.get("tags") else b""
        for row in range(24):
            key = b"row-%04d" % (row * 7)
            writer.add(key, family=b"f", qualifier=b"", timestamp=9, type=14, mvcc=row, tags=tags)
            for name_ in (b"a", b"b"):
                value = b"value of %d" % row
                writer.add(key, value, family=b"f", qualifier=name_, timestamp=5, mvcc=3, tags=tags)
        writer.put_meta(b"note", b"of a meta block")
    return out.getvalue()


def kinds(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield damage of every kind."""
    return chain(damage.headers(data), damage.trailers(data), damage.cuts(data))


def unseen(cases: Iterable[tuple[str, bytes]]) -> list[str]:
    """Return the damage that verification does not report."""
    return [stated for stated, data in cases if not audit(data).findings]


def wrongly_read(cases: Iterable[tuple[str, bytes]], table: pa.Table) -> list[str]:
    """Return the damage with which a scan gives other cells than before."""
    wrong = []
    for stated, data in cases:
        try:
            with hfile.open(data) as file:
                if not file.read().equals(table):
                    wrong.append(stated)
        except ByteloomError:
            continue
    return wrong


def flipped(data: bytes, every: int) -> Iterator[tuple[str, bytes]]:
    """Yield the file with one bit flipped in one byte of *every* bytes."""
    for at in range(0, len(data), every):
        out = bytearray(data)
        out[at] ^= 1 << (at * 5 + at // 8) % 8
        yield f"byte {at}", bytes(out)


@pytest.mark.parametrize("name", FORMS)
def test_a_sound_file_has_no_finding(name: str) -> None:
    """A valid file has no findings; all its cells are counted and all its blocks are listed."""
    found = audit(made(name))
    assert [str(error) for error in found.findings] == []
    assert (found.cells, found.dialect, found.notes) == (72, "hbase", [])
    assert [each.offset for each in found.blocks] == [
        each.start for each in damage.places(made(name))
    ]


@pytest.mark.parametrize("name", FORMS)
def test_damage_of_some_kinds_is_reported(name: str) -> None:
    """A sample of all kinds of damage is reported, on a file of each form."""
    assert unseen(list(kinds(made(name)))[:: len(FORMS) * 3]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_damage_of_every_kind_is_reported(name: str) -> None:
    """Damage of each field, and blocks that are lost, repeated or cut, are reported."""
    assert unseen(kinds(made(name))) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_every_flipped_byte_is_reported(name: str) -> None:
    """`verify` reports every flipped byte: of blocks by checksum, of the trailer by comparison."""
    assert unseen(flipped(made(name), 1)) == []


@pytest.mark.parametrize(
    ("name", "every"),
    [*((name, 89) for name in FORMS), *(pytest.param(n, 1, marks=pytest.mark.slow) for n in FORMS)],
)
def test_a_damaged_file_gives_its_cells_or_an_error(name: str, every: int) -> None:
    """A scan of a damaged file gives the original cells or an error."""
    data = made(name)
    with hfile.open(data) as file:
        table = file.read()
    cases = [*flipped(data, every), *list(kinds(data))[:: (every + 7) // 8]]
    assert wrongly_read(cases, table) == []


@pytest.mark.parametrize(
    "every", [97, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"]
)
@pytest.mark.parametrize("name", FORMS)
def test_a_prefix_is_neither_opened_nor_found_sound(name: str, every: int) -> None:
    """A file that is cut anywhere is not opened, and has findings."""
    data = made(name)
    for size in range(0, len(data), every):
        with pytest.raises(
            FormatError,
            match=r"^trailer(: found \d+ bytes|\.(version|magic) at byte \d+ .*: found)",
        ):
            hfile.open(data[:size])
        assert audit(data[:size]).findings


@pytest.mark.parametrize("how", ["read", "verify"])
def test_every_checksum_of_a_block_is_compared(how: str) -> None:
    """A damaged byte or checksum, from first to last, is named with its offset."""
    data = made("row_index rowcol")
    start = damage.places(data)[0].start
    size = int.from_bytes(data[start + 29 : start + 33])
    count = -(-size // 64)
    assert count > 2
    assert size % 64
    for index in range(count):
        last, checksum = min(64 * index + 64, size) - 1, size + 4 * index
        for at in (last, checksum, checksum + 3):
            damaged = bytearray(data)
            damaged[start + at] ^= 1
            with pytest.raises(ChecksumMismatch) as found, hfile.open(bytes(damaged)) as file:
                getattr(file, how)()
            error = (found.value.path, found.value.offset)
            assert error == (f"encoded_data.checksums[{index}]", start + checksum)


def test_the_damage_of_one_block_hides_no_other() -> None:
    """Three damaged blocks and a wrong trailer are all reported, with their offsets."""
    data = bytearray(damage.with_trailer(made("plain"), {4: 1}))
    hit = damage.places(made("plain"))[:9:4]
    for place in hit:
        data[place.start + 40] ^= 1
    found = audit(bytes(data)).findings
    sums = [error for error in found if isinstance(error, ChecksumMismatch)]
    assert len(sums) == len(hit)
    for error, place in zip(sums, hit, strict=True):
        assert error.offset is not None
        assert place.start < error.offset < place.start + place.size
    with (
        hfile.open(bytes(data), verify_checksums=False) as file,
        pytest.raises(ByteloomError, match=r"^data\.checksums\[0\] at byte \d+ "),
    ):
        file.verify()


def test_blocks_behind_a_destroyed_header_are_found_again() -> None:
    """After a destroyed header, verification goes on at the next magic."""
    data = made("plain")
    second = damage.places(data)[1]
    broken = data[: second.start] + bytes(33) + data[second.start + 33 :]
    starts = [each.offset for each in audit(broken).blocks]
    assert starts == [each.start for each in damage.places(data) if each != second]


@pytest.mark.parametrize("magic", [b"IDXROOT2", b"IDXINTE2"])
def test_an_index_has_the_size_of_each_block_below_it(magic: bytes) -> None:
    """A wrong size in an index entry is reported on each of three index levels."""
    out = io.BytesIO()
    with HFileWriter(
        out, block_size=64, index_block_max_size=64, index_block_min_entries=2, threads=0
    ) as writer:
        for row in range(24):
            writer.add(b"row-%04d" % row, bytes(64), family=b"f", qualifier=b"", timestamp=9)
    data = out.getvalue()
    place = next(each for each in damage.places(data) if each.magic == magic)
    payload = data[place.start + 33 : place.start + place.len_data]
    entries = 4 + 4 * (int.from_bytes(payload[:4], "big") + 1) if magic == b"IDXINTE2" else 0
    below = int.from_bytes(payload[entries : entries + 8], "big")
    size = next(each.size for each in damage.places(data) if each.start == below)
    changed = damage.patched(data, place, 33 + entries + 8, (size + 1).to_bytes(4, "big"))
    (found, *_) = audit(changed).findings
    assert (found.offset, str(size) in str(found)) == (place.start, True)


BLOOM: list[tuple[bytes, Callable[[bytes], bytes]]] = [
    (b"BLMFBLK2", lambda payload: bytes(len(payload))),
    (b"BLMFBLK2", lambda payload: b"\xff" * len(payload)),
    (b"BLMFMET2", lambda payload: payload[:15] + bytes([payload[15] + 1]) + payload[16:]),
    (b"BLMFMET2", lambda payload: payload[:27] + bytes([payload[27] + 1]) + payload[28:]),
    (b"BLMFMET2", lambda payload: payload[:-1] + bytes([payload[-1] ^ 1])),
]


def test_the_first_key_of_a_chunk_is_compared_with_the_cells() -> None:
    """A chunk of a Bloom filter whose key is of no cell is a finding, though all bits are right."""
    data = made("row_index rowcol")
    place = next(each for each in damage.places(data) if each.magic == b"BLMFMET2")
    payload = bytearray(data[place.start + 33 : place.start + place.len_data])
    at = payload.rindex(b"row-")
    payload[at + 7] -= 1
    found = audit(damage.patched(data, place, 33, bytes(payload))).findings
    assert [each.path[-5:] for each in found] == ["].key"]
    assert str(found[0]).count("row-") == 2


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("TIMERANGE", pack(">qq", 0, 9), ""),
        ("TIMERANGE", pack(">qq", 0, 8), "found 0 to 8, wanted 0 to 9 in it"),
        ("TIMERANGE", pack(">qq", 1, 9), "found 1 to 9, wanted 0 to 9 in it"),
        ("TIMERANGE", pack(">qq", 9, 0), "found 9 to 0, wanted 0 to 9 in it"),
        ("TIMERANGE", b"PBUF\x08\0\x10\x09", ""),
        ("TIMERANGE", b"PBUF\x08\0\x10\x08", "found 0 to 8, wanted 0 to 9 in it"),
        ("TIMERANGE", b"PBUF", ""),
        ("TIMERANGE", bytes(15), "wanted two numbers of 8 bytes"),
        ("MAX_SEQ_ID_KEY", pack(">q", 0), ""),
        ("MAX_SEQ_ID_KEY", pack(">q", -1), "found -1, wanted 0 or more"),
        ("MAX_SEQ_ID_KEY", bytes(4), "found 4 bytes, wanted 8, as HBase reads it"),
    ],
)
def test_what_hbase_chooses_files_by_is_compared_with_the_cells(
    name: str, value: bytes, found: str
) -> None:
    """A time range without the time of a cell, from 0 where a cell deletes older ones, is found."""
    cells = [Given(row=b"a", timestamp=9), Given(row=b"b", timestamp=7, type=12)]
    findings = audit(Built(blocks=[cells], info={name.encode(): value}).data()).findings
    assert len(findings) == bool(found)
    assert all(found in str(each) and name in each.path for each in findings)


@pytest.mark.parametrize(("magic", "change"), BLOOM)
def test_a_bloom_filter_is_made_again_and_compared(
    magic: bytes, change: Callable[[bytes], bytes]
) -> None:
    """A Bloom filter that differs from one rebuilt from the cells is reported."""
    data = made("plain")
    place = next(each for each in damage.places(data) if each.magic == magic)
    payload = data[place.start + 33 : place.start + place.len_data]
    assert unseen([("bloom", damage.patched(data, place, 33, change(payload)))]) == []


@given(st.binary(max_size=300), st.sampled_from(sorted(damage.TYPES)))
def test_whatever_the_bytes_an_audit_ends(noise: bytes, magic: bytes) -> None:
    """An audit of random bytes ends with findings and raises nothing."""
    data = made("plain")
    for whole in (noise, magic + noise, noise + data[-4096:], data[:700] + noise + data[700:]):
        found = audit(whole)
        assert found.findings or whole == data


@pytest.mark.parametrize("size", [40, 41])
def test_a_finding_shows_at_most_40_bytes_of_a_key(size: int) -> None:
    """A finding has up to 40 bytes of what was found and wanted; of more the beginning, marked."""
    first, last = (Given(row=b"r" * (size - 13), type=kind) for kind in (8, 4))
    made = Built(blocks=[[first]], info={b"hfile.LASTKEY": last.key}).data()
    (error,) = audit(made).findings
    end = "" if size == 40 else "…"
    assert str(error.found) == f"{last.key[:40]!r}{end}"
    assert str(error.wanted) == f"{first.key[:40]!r}{end}"


HBASE = b"org.apache.hadoop.hbase."


@pytest.mark.parametrize(
    ("name", "found", "noted"),
    [
        (HBASE + b"KeyValue$KVComparator", False, False),
        (HBASE + b"KeyValue$KeyComparator", False, True),
        (HBASE + b"CellComparatorImpl", False, True),
        (HBASE + b"CellComparatorImpl$MetaCellComparator", False, True),
        (b"org.apache.hudi.io.storage.HoodieHBaseKVComparator", False, True),
        (b"org.apache.hadoop.hbaze.KeyValue$KVComparator", True, False),
        (b"org.hadoop.hbase.KeyValue$KVComparator", True, False),
        (b"x.KeyValue$KVComparator", True, False),
    ],
)
def test_the_class_that_orders_keys_is_one_of_hbase_or_hudi(
    name: bytes, found: bool, noted: bool
) -> None:
    """A class of another package is a finding; one of Hudi, or of old HBase, is a note."""
    seen = audit(Built(blocks=[[Given(row=b"a")]], said={11: name}).data())
    paths = [each.path for each in seen.findings]
    assert ("trailer.comparator_class_name" in paths) == found
    text = name.decode()
    stated = f"keys ordered by {text}, a class name that HBase 2 does not use"
    if text.startswith("org.apache.hudi."):
        stated = f"made for Hudi: keys are ordered by {text}, which HBase does not have"
    assert [each for each in seen.notes if "keys" in each] == [stated] * noted


@pytest.mark.parametrize("wrong", [-1, 0, 1])
@pytest.mark.parametrize(
    ("name", "size", "true"),
    [
        ("hfile.AVG_KEY_LEN", 4, 14),
        ("hfile.AVG_VALUE_LEN", 4, 2),
        ("DELETE_FAMILY_COUNT", 8, 1),
        ("MAX_MEMSTORE_TS_KEY", 8, 0),
        ("EARLIEST_PUT_TS", 8, 7),
    ],
)
def test_each_number_about_the_cells_is_compared_with_them(
    name: str, size: int, true: int, wrong: int
) -> None:
    """A number of the file's information that is not that of its cells is a finding."""
    cells = [
        Given(row=b"a", timestamp=9, type=14),
        Given(row=b"a", value=b"abc", qualifier=b"q", timestamp=7),
        Given(row=b"b", value=b"abc", timestamp=8),
    ]
    info = {name.encode(): (true + wrong).to_bytes(size, "big", signed=True)}
    found = audit(Built(blocks=[cells], info=info).data()).findings
    assert [each.path for each in found] == [f"file_info.{name}"] * (wrong != 0)
    assert all(str(each).endswith(f": found {true + wrong}, wanted {true}") for each in found)
