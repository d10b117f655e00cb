"""Errors in the parts of an HFile have the exact field, offset, found and wanted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import cramjam
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as Openssl
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from tests.support.hfile_files import number, text
from tests.support.varints import varint

from byteloom.codecs.checksums import crc32c
from byteloom.errors import (
    ArgumentError,
    ChecksumMismatch,
    FormatError,
    LimitExceeded,
    Truncated,
    Unsupported,
)
from byteloom.hfile import hudi_bloom
from byteloom.hfile.blocks import Block, Blocks
from byteloom.hfile.cache import BlockCache
from byteloom.hfile.codecs import fill
from byteloom.hfile.encryption import Cipher, cipher_of
from byteloom.hfile.index import non_root_entries, read_root
from byteloom.hfile.keys import LATEST, Key, is_sound_fake, order_of_cells, order_of_meta, row_of
from byteloom.hfile.runs import runs
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.sources import BytesSource
from byteloom_generated.hfile.index import MidKey

if TYPE_CHECKING:
    from collections.abc import Callable


def refused(call: Callable[[], object]) -> tuple[type[FormatError], str]:
    """Return the type and the text of the error that a call ends in."""
    with pytest.raises(FormatError) as error:
        call()
    return type(error.value), str(error.value)


def u32(value: int) -> bytes:
    """Return a size in Hadoop's framing."""
    return value.to_bytes(4, "big")


def snappy(data: bytes) -> bytes:
    """Return a chunk after its size."""
    stored = bytes(cramjam.snappy.compress_raw(data))
    return u32(len(stored)) + stored


class TestFraming:
    """Groups of chunks, as Hadoop writes them, have consistent sizes."""

    @pytest.mark.parametrize(
        ("data", "size", "kind", "said"),
        [
            (u32(4) + snappy(b"abcd"), 3, FormatError, "len_group: found 4, wanted at most 3"),
            (
                u32(2) + snappy(b"ab") + u32(2) + snappy(b"cd"),
                3,
                FormatError,
                "len_group: found 2, wanted at most 1",
            ),
            (
                u32(4) + snappy(b"abcd"),
                5,
                FormatError,
                "payload: found 4 bytes in SNAPPY, wanted 5 bytes",
            ),
            (
                u32(4) + snappy(b"abc") + snappy(b""),
                4,
                FormatError,
                "chunk: found a chunk of 0 bytes, wanted chunks that fill their group",
            ),
            (
                u32(4) + u32(0),
                4,
                FormatError,
                "chunk.len_chunk at byte 0 (0x0): found 0, wanted at least 1",
            ),
            (
                u32(4) + u32(5) + b"abcd",
                4,
                Truncated,
                "chunk.data at byte 4 (0x4): found 4 bytes left, wanted 5 bytes",
            ),
            (
                u32(4) + b"\0\0\0",
                4,
                Truncated,
                "chunk.len_chunk at byte 0 (0x0): found 3 bytes left, wanted 4 bytes",
            ),
            (
                b"\0\0\0",
                4,
                Truncated,
                "framing.len_group at byte 0 (0x0): found 3 bytes left, wanted 4 bytes",
            ),
        ],
    )
    def test_sizes_are_those_of_what_is_there(
        self, data: bytes, size: int, kind: type[FormatError], said: str
    ) -> None:
        """Sizes of groups, chunks and the whole that do not match the bytes are refused."""
        assert refused(lambda: fill("SNAPPY", data, memoryview(bytearray(size)))) == (kind, said)

    def test_a_chunk_may_be_as_long_as_what_is_left(self) -> None:
        """A chunk may extend to the last byte of the payload."""
        out = bytearray(6)
        fill("SNAPPY", u32(4) + snappy(b"ab") + snappy(b"cd") + u32(2) + snappy(b"ef"), out_of(out))
        assert out == b"abcdef"

    def test_other_codecs_are_listed(self) -> None:
        """The error for an unknown codec lists the known ones."""
        assert refused(lambda: fill("LZMA", b"", memoryview(b""))) == (
            Unsupported,
            (
                "compression_codec: found LZMA, "
                "wanted one of GZ, BZIP2, SNAPPY, LZ4, ZSTD, BROTLI, LZO"
            ),
        )


def out_of(out: bytearray) -> memoryview:
    """Return the buffer into which a codec decompresses."""
    return memoryview(out)


class TestKeys:
    """Keys of cells, and the orders in which they are sorted."""

    KEY: Final = Key(b"row", b"f", b"q", 5, 4)

    @pytest.mark.parametrize("size", range(16))
    def test_no_prefix_of_a_key_is_a_key(self, size: int) -> None:
        """No prefix of a key is a valid key, except its row alone."""
        data = self.KEY.encode()
        assert len(data) == 2 + 3 + 1 + 1 + 1 + 9
        if size == 5:
            assert Key.decode(data[:5]) == Key(b"row")
        elif size == 15:
            assert Key.decode(data[:5] + b"\0" + data[8:]) == self.KEY._replace(
                family=b"", qualifier=b""
            )
        else:
            wanted = "a row after its length" if size < 5 else "a family inside the key"
            said = f"key: found {data[:size]!r}, wanted {wanted}"
            if size:
                assert refused(lambda: Key.decode(data[:size])) == (FormatError, said)
            else:
                assert refused(lambda: Key.decode(b""))[0] is FormatError

    def test_a_family_ends_before_the_time(self) -> None:
        """A family may extend to the time of a key, but not into it."""
        end = bytes(8) + b"\4"
        assert Key.decode(b"\0\1r\2fq" + end) == Key(b"r", b"fq", b"", 0, 4)
        for decode in (Key.decode, order_of_cells):
            kind, said = refused(partial(decode, b"\0\1r\3fq" + end))
            assert kind is FormatError
            assert said.endswith("wanted a family inside the key")

    def test_a_row_is_after_its_length(self) -> None:
        """A row follows its length of two bytes, big-endian, and a shorter key is refused."""
        assert row_of(b"\0\2ab..") == b"ab"
        assert row_of(b"\1\0" + bytes(256)) == bytes(256)
        assert row_of(b"\0\0") == b""
        for short in (b"\0", b"\0\2a", b"\1\0" + bytes(255)):
            assert refused(partial(row_of, short))[0] is FormatError

    def test_keys_are_ordered_as_hbase_orders_them(self) -> None:
        """Names ascend, times and types descend; the last key of a row sorts after all others."""
        ordered = [
            Key(b"a"),
            Key(b"a", b"", b"", 9, 255),
            Key(b"a", b"", b"q", 9, 4),
            Key(b"a", b"f", b"", 9, 4),
            Key(b"a", b"f", b"q", LATEST, 4),
            Key(b"a", b"f", b"q", 9, 8),
            Key(b"a", b"f", b"q", 9, 4),
            Key(b"a", b"f", b"q", 8, 14),
            Key(b"a", b"f", b"q", -1, 14),
            Key(b"a", b"f", b"q", -(1 << 63), 0),
            Key(b"a", b"f", b"qq", 9, 4),
            Key(b"a", b"ff", b"", 9, 4),
            Key(b"a", b"", b"", 9, 0),
            Key(b"aa", b"f", b"q", 9, 4),
        ]
        for order in (order_of_cells, order_of_meta):
            places = [order(each.encode()) for each in ordered]
            assert places == sorted(places)
            assert len({*places}) == len(places) - (places[0] == places[1])

    def test_rows_of_the_catalog_are_ordered_by_their_parts(self) -> None:
        """Rows of the catalog are ordered by table, then region start, then id, between commas."""
        rows = [b"t,,1", b"t,a,1", b"t,a,2", b"t,a!,1", b"t,b,c,1", b"t!,a,1"]
        places = [order_of_meta(Key(row).encode()) for row in rows]
        assert places == sorted(places)
        assert sorted(rows) != rows

    @pytest.mark.parametrize(
        ("key", "is_sound"),
        [
            (b"\0\1r", True),
            (Key(b"r", b"f", b"q", LATEST, 255).encode(), True),
            (Key(b"r", b"f", b"q", LATEST - 1, 255).encode(), False),
            (Key(b"r", b"f", b"q", 5, 4).encode(), True),
        ],
    )
    def test_a_key_that_hbase_made_up_has_the_latest_time(self, key: bytes, is_sound: bool) -> None:
        """A fake key of HBase, type 255, is valid with the latest time only."""
        assert is_sound_fake(key) == is_sound


def root(*entries: tuple[int, int, bytes], behind: bytes = b"") -> bytes:
    """Return a root index; lengths of keys are written as by Hadoop, up to 255."""
    return b"".join(
        offset.to_bytes(8, "big") + size.to_bytes(4, "big")
        + (bytes([len(key)]) if len(key) < 128 else bytes([0x8F, len(key)])) + key
        for offset, size, key in entries
    ) + behind  # fmt: skip


MID: Final = MidKey(ofs_leaf=1, len_leaf=2, entry=3)


class TestIndexes:
    """Root and other index blocks are read to their last byte."""

    ENTRIES: Final = ((0, 10, b"a" * 127), (10, 20, b"b"), (30, 5, b""))

    @pytest.mark.parametrize("behind", [b"", MID.to_bytes()])
    def test_a_root_is_read_to_its_last_byte(self, behind: bytes) -> None:
        """A root index may have a middle key after it; any other bytes are refused."""
        data = root(*self.ENTRIES, behind=behind)
        found = read_root(data, 3, limits=DEFAULT_LIMITS, origin=7)
        assert [tuple(each) for each in found.entries] == list(self.ENTRIES)
        assert (found.mid_key, found.protobuf) == (MID if behind else None, False)
        for count, left in [(2, 13 + len(behind)), (1, 13 + 14 + len(behind))]:
            said = (
                f"root_index at byte 7 (0x7): found {left} bytes after {count} entries, "
                "wanted none, or 16 of mid key"
            )
            assert refused(partial(read_root, data, count, limits=DEFAULT_LIMITS, origin=7)) == (
                FormatError,
                said,
            )

    def test_long_keys_are_read(self) -> None:
        """Index keys of 128 bytes and more, whose length takes two bytes, are read."""
        entries = ((0, 10, b"a" * 127), (10, 20, b"b" * 128), (30, 5, b"c" * 255))
        found = read_root(root(*entries), 3, limits=DEFAULT_LIMITS, origin=0)
        assert [tuple(each) for each in found.entries] == list(entries)

    def test_as_many_entries_as_the_limit_and_no_more(self) -> None:
        """A root index may have as many entries as `limits.elements`, and no negative number."""
        data = root(*self.ENTRIES)
        assert len(read_root(data, 3, limits=Limits(elements=3), origin=0).entries) == 3
        kind, said = refused(lambda: read_root(data, 3, limits=Limits(elements=2), origin=0))
        assert said.endswith("found 3, wanted at most 2 (limits.elements)")
        kind, said = refused(lambda: read_root(data, -1, limits=DEFAULT_LIMITS, origin=0))
        assert (kind, said.rpartition(": ")[2]) == (
            FormatError,
            "found -1, wanted a count of 0 or more",
        )

    def test_entries_of_another_block_lie_between_its_first_place_and_its_last(self) -> None:
        """Entries of an index block begin at offset 0 and end where the block does."""
        one = (5).to_bytes(8, "big") + (6).to_bytes(4, "big") + b"\0\1k"
        two = (11).to_bytes(8, "big") + (7).to_bytes(4, "big") + b"\0\1m"

        def leaf(*places: int, count: int = 2) -> bytes:
            return u32(count) + b"".join(map(u32, places)) + one + two

        def read(data: bytes, room: int = 2) -> Any:
            return non_root_entries(data, limits=DEFAULT_LIMITS, origin=9, room=room)

        assert [tuple(each) for each in read(leaf(0, 15, 30))] == [
            (5, 6, b"\0\1k"),
            (11, 7, b"\0\1m"),
        ]
        wanted = "wanted 0 to 30, where the entries are"
        for places in [(1, 15, 30), (0, 15, 29)]:
            kind, said = refused(partial(read, leaf(*places)))
            assert kind in {FormatError, Truncated}
            if places[0] == 0:
                assert said == f"index.offsets at byte 9 (0x9): found (0, 29), {wanted}"
        assert refused(lambda: read(leaf(0, 15, 30), 1)) == (
            FormatError,
            (
                "index.num_entries at byte 9 (0x9): found 2, wanted at most 1, "
                "as many blocks as the file has room for"
            ),
        )


class TestEncryption:
    """Keys of encrypted files, and their payloads."""

    DATA: Final = bytes(range(16))
    MASTER: Final = b"m" * 16
    IV: Final = b"i" * 16

    def field(self, **changes: Any) -> bytes:
        """Return a wrapped key as the trailer has it."""
        key = changes.get("key", self.DATA)
        iv = changes.get("iv", self.IV)
        cipher = Openssl(algorithms.AES(self.MASTER), modes.CTR(self.IV)).encryptor()
        message = text(1, changes.get("algorithm", b"AES"))
        message += number(2, changes.get("length", len(key)))
        message += text(3, cipher.update(key)) + text(4, iv)
        return varint(len(message)) + message

    def opened(self, field: bytes, keys: Any) -> Cipher:
        """Return the cipher of a file whose trailer has *field*, at byte 50."""
        return cipher_of(field, keys, limits=DEFAULT_LIMITS, origin=50)

    @pytest.mark.parametrize("size", [16, 24, 32])
    def test_keys_of_each_size_open_their_file(self, size: int) -> None:
        """Keys of 128, 192 and 256 bits decrypt their payloads."""
        key = bytes(range(size))
        payload = Openssl(algorithms.AES(key), modes.CTR(self.IV)).encryptor().update(b"content")
        cipher = self.opened(self.field(key=key), self.MASTER)
        stored = bytes([16]) + self.IV + payload
        assert cipher.opened(memoryview(stored), 9) == b"content"
        assert cipher.opened(memoryview(b"\0"), 9) == b""
        assert cipher.opened(memoryview(stored[:17]), 9) == b""

    @pytest.mark.parametrize(
        "payload", [b"", b"\0\0", b"\x0f" + bytes(40), b"\x11" + bytes(40), b"\x10" + bytes(15)]
    )
    def test_a_payload_begins_with_its_iv(self, payload: bytes) -> None:
        """An encrypted payload that does not begin with 16 and an IV of 16 bytes is refused."""
        cipher = self.opened(self.field(), self.MASTER)
        kind, said = refused(lambda: cipher.opened(memoryview(payload), 9))
        assert kind is FormatError
        assert said.startswith("block.iv at byte 9 (0x9): ")
        assert said.endswith("wanted 16, the length of the IV, and that many bytes")

    @pytest.mark.parametrize(
        ("changes", "keys", "said"),
        [
            ({"iv": b"i" * 15}, MASTER, "iv at byte 50 (0x32): found 15 bytes, wanted 16"),
            ({"iv": b"i" * 17}, MASTER, "iv at byte 50 (0x32): found 17 bytes, wanted 16"),
            (
                {"length": 17},
                MASTER,
                "length at byte 50 (0x32): found 16, wanted 17 bytes of key, one of (16, 24, 32)",
            ),
            (
                {"key": b"k" * 17},
                MASTER,
                "length at byte 50 (0x32): found 17, wanted 17 bytes of key, one of (16, 24, 32)",
            ),
            ({}, b"short", "key: found 5 bytes, wanted one of (16, 24, 32)"),
            ({}, {"a": b"x" * 33}, "a: found 33 bytes, wanted one of (16, 24, 32)"),
            (
                {},
                {},
                (
                    "hash at byte 50 (0x32): found a key of another hash, wanted the master key of "
                    "this file"
                ),
            ),
        ],
    )
    def test_what_is_no_key_is_refused(self, changes: Any, keys: Any, said: str) -> None:
        """An invalid key, in the trailer or among those given, is refused by its field."""
        found = refused(lambda: self.opened(self.field(**changes), keys))
        assert found == (FormatError, f"trailer.encryption_key.{said}")


class TestCache:
    """A block cache keeps blocks up to a number of bytes."""

    class Block:
        """A block that takes a given number of bytes."""

        def __init__(self, cost: int) -> None:
            """Take this many bytes."""
            self.cost = cost

    def test_what_was_asked_for_longest_ago_goes_first(self) -> None:
        """A full cache evicts the least recently used block first."""
        cache, files = BlockCache(10), (object(), object())
        for at, cost in enumerate((3, 3, 4)):
            cache.put(files[0], at, self.Block(cost))
        assert (len(cache), cache.used) == (3, 10)
        assert cache.get(files[0], 0) is not None
        cache.put(files[1], 0, self.Block(1))
        assert [cache.has(files[0], at) for at in range(3)] == [True, False, True]
        assert (cache.used, cache.hits, cache.misses) == (8, 1, 0)
        assert cache.get(files[0], 1) is None
        assert (cache.hits, cache.misses) == (1, 1)

    def test_a_block_is_kept_if_it_fits_by_itself(self) -> None:
        """A block as large as the cache is kept; a larger one changes nothing."""
        cache = BlockCache(10)
        cache.put(cache, 0, self.Block(10))
        assert cache.used == 10
        cache.put(cache, 1, self.Block(11))
        assert (cache.has(cache, 0), cache.has(cache, 1)) == (True, False)

    def test_a_block_that_is_put_again_counts_once(self) -> None:
        """A block that is put again counts by its new size; a dropped file takes nothing."""
        cache, other = BlockCache(10), object()
        cache.put(cache, 0, self.Block(6))
        cache.put(cache, 0, self.Block(4))
        cache.put(other, 0, self.Block(3))
        assert (len(cache), cache.used) == (2, 7)
        cache.drop(cache)
        assert (len(cache), cache.used, cache.has(other, 0)) == (1, 3, True)

    def test_a_size_is_not_negative(self) -> None:
        """A cache of size 0 keeps nothing, and a negative size is refused."""
        cache = BlockCache(0)
        cache.put(cache, 0, self.Block(1))
        assert len(cache) == 0
        with pytest.raises(ArgumentError, match=r"^size: found -1, wanted a number of bytes"):
            BlockCache(-1)


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"kind": "OTHER"}, "OTHER, 60000 keys, 1e-09"),
        ({"num_entries": 0}, "DYNAMIC_V0, 0 keys, 1e-09"),
        ({"error_rate": 0.0}, "DYNAMIC_V0, 60000 keys, 0.0"),
        ({"error_rate": 1.0}, "DYNAMIC_V0, 60000 keys, 1.0"),
    ],
)
def test_a_filter_of_hudi_has_a_kind_keys_and_a_rate(settings: dict[str, Any], found: str) -> None:
    """A Hudi filter with an unknown kind, no keys, or a rate outside 0 to 1 is refused."""
    said = f"bloom: found {found}, wanted a kind, keys, a rate between 0 and 1"
    assert refused(lambda: hudi_bloom.build([b"a"], **settings)) == (FormatError, said)
    assert hudi_bloom.build([b"a"], num_entries=1, error_rate=0.999)


@pytest.mark.parametrize(("most", "rows"), [(4, 2), (5, 3), (6, 3), (1, 1)])
def test_a_dynamic_filter_takes_the_keys_of_whole_rows(most: int, rows: int) -> None:
    """A dynamic filter takes the keys of as many whole rows as its maximum needs."""
    keys = [b"%d" % each for each in range(2 * rows)]
    text_ = hudi_bloom.build(keys, num_entries=2, error_rate=0.1, max_entries=most)
    made = hudi_bloom.HudiBloomFilter(text_, hudi_bloom.DYNAMIC)
    assert made.might_contain(keys).all()
    assert refused(
        lambda: hudi_bloom.build([*keys, b"x"], num_entries=2, error_rate=0.1, max_entries=most)
    ) == (FormatError, f"keys: found {2 * rows + 1}, wanted at most {2 * rows} (max_entries)")


class TestBlocks:
    """A block has as many checksums as its header says."""

    def raw(self, kind: int, sums: bytes | None, step: int = 20) -> bytes:
        """Return a block of 12 bytes with its checksums, or with other bytes instead."""
        size = 33 + 12
        count = len(sums) if sums is not None else 4 * -(-size // step)
        head = b"DATABLK*" + u32(12 + count) + u32(12) + b"\xff" * 8 + bytes([kind])
        data = head + u32(step) + u32(size) + b"some content"
        if sums is None:
            sums = b"".join(
                u32(crc32c(data[start : start + step])) for start in range(0, size, step)
            )
        return data + sums

    def parsed(self, data: bytes) -> Block:
        """Return the block at byte 100 of a file."""
        blocks = Blocks(BytesSource(bytes(1_000)), "NONE", DEFAULT_LIMITS)
        return blocks.parse(bytes(100) + data, 100, 100, 1_000)

    @pytest.mark.parametrize("number", range(3))
    def test_a_checksum_that_is_not_right_is_named_with_its_place(self, number: int) -> None:
        """The error for a wrong checksum has the offset of the checksum itself."""
        data = bytearray(self.raw(2, None))
        assert bytes(self.parsed(bytes(data)).stored) == b"some content"
        at = 45 + 4 * number
        right = bytes(data[at : at + 4]).hex()
        data[at : at + 4] = bytes(4)
        place = 100 + at
        assert refused(lambda: self.parsed(bytes(data))) == (
            ChecksumMismatch,
            (
                f"data.checksums[{number}] at byte {place} ({place:#x}): found 0x00000000, "
                f"wanted 0x{right}, the checksum of bytes {100 + 20 * number} to "
                f"{min(119 + 20 * number, 144)} of the file"
            ),
        )

    def test_a_block_without_checksums_may_leave_them_out(self) -> None:
        """A block without checksums has zero bytes in their place, or no bytes at all."""
        for sums in (b"", bytes(12)):
            assert bytes(self.parsed(self.raw(0, sums)).stored) == b"some content"
        for sums in (bytes(4), bytes(11), bytes(13)):
            found = f"found {len(sums)} bytes after 45, wanted 12"
            assert refused(partial(self.parsed, self.raw(0, sums))) == (
                FormatError,
                f"block.len_data at byte 129 (0x81): {found}",
            )
        assert refused(lambda: self.parsed(self.raw(0, bytes(11) + b"\1"))) == (
            FormatError,
            "block.checksum_type at byte 124 (0x7c): found 0, wanted 1 or 2: there are checksums",
        )
        assert refused(lambda: self.parsed(self.raw(2, b"")))[0] is FormatError

    @pytest.mark.parametrize("sums", [b"", bytes(12)])
    def test_blocks_without_checksums_are_one_run(self, sums: bytes) -> None:
        """Blocks without checksums are read as one run, with or without room for them."""
        data = 3 * self.raw(0, sums)
        blocks = Blocks(BytesSource(data), "NONE", DEFAULT_LIMITS)
        assert [len(run) for run in runs(blocks, 0, len(data))] == [3]

    def test_a_block_in_a_run_cannot_lack_the_checksums_of_its_type(self) -> None:
        """A block that lacks the checksums of its type is refused after those before it."""
        data = self.raw(2, None) + self.raw(2, b"")
        found = runs(Blocks(BytesSource(data), "NONE", DEFAULT_LIMITS), 0, len(data))
        assert len(next(found)) == 1
        assert refused(lambda: next(found)) == (
            FormatError,
            "block.len_data at byte 86 (0x56): found 0 bytes after 45, wanted 12",
        )

    @pytest.mark.parametrize("size", [4, 11, 13])
    def test_a_block_in_a_run_has_room_for_all_its_checksums_or_none(self, size: int) -> None:
        """A block in a run with room for part of its checksums is refused."""
        data = self.raw(0, bytes(size))
        blocks = Blocks(BytesSource(data), "NONE", DEFAULT_LIMITS)
        assert refused(lambda: next(runs(blocks, 0, len(data)))) == (
            FormatError,
            f"block.len_data at byte 29 (0x1d): found {size} bytes after 45, wanted 12",
        )

    def test_blocks_in_a_run_have_the_limit_and_no_more(self) -> None:
        """A block in a run may decompress to `limits.decompressed_size` bytes, and no more."""
        data = 2 * self.raw(2, None)
        enough, short = (
            Blocks(BytesSource(data), "NONE", Limits(decompressed_size=most)) for most in (12, 11)
        )
        assert [len(run) for run in runs(enough, 0, len(data))] == [2]
        assert refused(lambda: next(runs(short, 0, len(data)))) == (
            LimitExceeded,
            (
                "block.len_uncompressed at byte 12 (0xc): found 12, wanted at most 11 "
                "(limits.decompressed_size)"
            ),
        )

    def test_blocks_beside_each_other_are_fetched_together(self) -> None:
        """Adjacent blocks are fetched by one request."""

        class Counted(BytesSource):
            """Bytes that count the requests for them."""

            requests = 0

            def read(self, offset: int, size: int) -> bytes:
                """Read and count the request."""
                self.requests += 1
                return super().read(offset, size)

        data = self.raw(2, None)
        source = Counted(3 * data)
        found = Blocks(source, "NONE", DEFAULT_LIMITS).between(0, 3 * len(data))
        assert [each.offset for each in found] == [0, len(data), 2 * len(data)]
        assert source.requests == 1
