"""Whole HFiles at their limits, or with one part wrong, read by scans and lookups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.support import hfile_damage as damage
from tests.support.hfile_files import GZ, LATEST, Built, Given, checksums
from tests.support.hfile_findings import ROWS, hbase_file

from byteloom import hfile
from byteloom.errors import ArgumentError, FormatError, LimitExceeded, Truncated
from byteloom.limits import FREE_EXPANSION, Limits
from byteloom_generated.hfile.index import Index, MidKey

if TYPE_CHECKING:
    from collections.abc import Callable

DATA: Final = hbase_file()
PLACES: Final = damage.places(DATA)


def refused(call: Callable[[], object]) -> tuple[type[FormatError], str]:
    """Return the type and the text of the error that a call ends in."""
    with pytest.raises(FormatError) as error:
        call()
    return type(error.value), str(error.value)


def read(data: bytes, **limits: int) -> int:
    """Return how many cells a scan gives."""
    with hfile.open(data, limits=Limits(**limits)) as file:
        return int(file.read().num_rows)


def looked_up(data: bytes, **limits: int) -> int:
    """Return how many cells a lookup of all rows gives."""
    with hfile.open(data, limits=Limits(**limits)) as file:
        return int(file.lookup(ROWS).num_rows)


def with_payload(magic: bytes, change: Callable[[bytes], bytes], number: int = 0) -> bytes:
    """Return the file with another payload of the same length in a block of this type."""
    place = [each for each in PLACES if each.magic == magic][number]
    payload = DATA[place.start + 33 : place.start + place.len_data]
    changed = change(payload)
    assert len(changed) == len(payload)
    assert changed != payload
    return damage.patched(DATA, place, 33, changed)


class TestLimits:
    """Limits on what a file may take are exact to the byte."""

    @pytest.mark.parametrize("use", [read, looked_up])
    def test_a_block_has_the_limit_and_no_more(self, use: Callable[..., int]) -> None:
        """A block may take `limits.decompressed_size` bytes; the largest here is the file info."""
        assert use(DATA, decompressed_size=392) == 24
        assert refused(lambda: use(DATA, decompressed_size=391)) == (
            LimitExceeded,
            (
                "block.len_uncompressed at byte 1867 (0x74b): found 392, wanted at most 391 "
                "(limits.decompressed_size)"
            ),
        )

    def test_metadata_has_the_limit_and_no_more(self) -> None:
        """The bytes from the root index to the trailer may take `limits.metadata_size`."""
        size = damage.trailer_at(DATA) - PLACES[11].start
        assert read(DATA, metadata_size=size) == 24
        assert refused(lambda: read(DATA, metadata_size=size - 1)) == (
            LimitExceeded,
            (
                f"load_on_open at byte 1675 (0x68b): found {size} bytes, wanted at most {size - 1} "
                "(limits.metadata_size)"
            ),
        )

    def test_metadata_has_the_limit_when_it_is_decompressed(self) -> None:
        """The decompressed metadata of a file may take `limits.metadata_size` bytes in total."""
        blocks = [[Given(row=b"a", value=b"v")]]
        built = Built(blocks=blocks, codec=GZ, info={b"long": bytes(100_000)})
        data = built.data()
        plain = sum(
            int.from_bytes(data[each.start + 12 : each.start + 16], "big")
            for each in damage.places(data)[1:]
        )
        assert read(data, metadata_size=plain) == 1
        start = damage.places(data)[1].start
        assert refused(lambda: read(data, metadata_size=plain - 1)) == (
            LimitExceeded,
            (
                f"load_on_open at byte {start} ({start:#x}): found {plain} bytes when "
                f"decompressed, wanted at most {plain - 1} (limits.metadata_size, limits.expansion)"
            ),
        )
        large = replace(built, info={b"long": bytes(FREE_EXPANSION)}).data()
        assert read(large) == 1
        kind, said = refused(lambda: read(large, expansion=0))
        assert kind is LimitExceeded
        assert said.endswith(
            f"wanted at most {FREE_EXPANSION} (limits.metadata_size, limits.expansion)"
        )

    @pytest.mark.parametrize(
        ("size", "wanted"),
        [*((size, "at least 212 bytes in an HFile") for size in (0, 3, 211)), (212, "4096 bytes"),
         (4095, "4096 bytes")],
    )  # fmt: skip
    def test_a_file_has_a_whole_trailer(self, size: int, wanted: str) -> None:
        """A file shorter than the trailer of its version, or than any, is truncated."""
        assert refused(lambda: hfile.open(DATA[len(DATA) - size :])) == (
            Truncated,
            f"trailer: found {size} bytes, wanted {wanted}",
        )

    def test_a_file_of_only_a_trailer_has_a_trailer(self) -> None:
        """A file that is as long as a trailer has one, which points at what is not there."""
        kind, said = refused(lambda: hfile.open(DATA[-4096:]))
        assert kind is FormatError
        assert said.startswith("trailer.load_on_open_data_offset at byte 0 (0x0): found 1675, ")
        assert said.endswith(": the file ends as an HFile, but does not begin as one")


class TestRoots:
    """The root index, and the keys that any index block has."""

    KEYS: Final = (b"a", b"c" * 128, b"d" * 256)
    BUILT: Final = Built(blocks=[[Given(row=row)] for row in KEYS])

    def asked(self, data: bytes, **limits: int) -> int:
        """Return how many cells a lookup of the three rows gives."""
        with hfile.open(data, limits=Limits(**limits)) as file:
            return int(file.lookup(self.KEYS).num_rows)

    @pytest.mark.parametrize(("count", "left"), [(2, 284), (1, 439)])
    def test_a_root_is_read_to_its_last_byte(self, count: int, left: int) -> None:
        """A root index has as many entries as the trailer says, and a middle key or no more."""
        assert self.asked(self.BUILT.data()) == 3
        start = next(
            each.start for each in damage.places(self.BUILT.data()) if each.magic == b"IDXROOT2"
        )
        assert refused(lambda: hfile.open(replace(self.BUILT, said={5: count}).data())) == (
            FormatError,
            (
                f"root_index at byte {start} ({start:#x}): found {left} bytes after {count} "
                "entries, wanted none, or 16 of mid key"
            ),
        )

    def test_as_many_entries_as_the_limit_and_no_more(self) -> None:
        """A root index may have as many entries as `limits.elements`, and no negative number."""
        data = Built(blocks=[[Given(row=bytes([at]))] for at in range(40)]).data()
        assert read(data, elements=40) == 40
        kind, said = refused(lambda: read(data, elements=39))
        assert kind is LimitExceeded
        assert said.endswith("found 40, wanted at most 39 (limits.elements)")

    @pytest.mark.parametrize(
        ("key", "fits"),
        [
            (b"\0\1b", True),
            (Given(row=b"b" * 32767, family=b"").key, True),
            (Given(row=b"b" * 32768, family=b"").key, False),
            (Given(row=b"b", family=b"f" * 127).key, True),
            (Given(row=b"b", family=b"f" * 128).key, False),
            (Given(row=b"b", family=b"", timestamp=LATEST, type=255).key, True),
            (Given(row=b"b", family=b"", type=3).key, False),
            (Given(row=b"b", family=b"").key[:-1], False),
        ],
    )
    def test_keys_of_an_index_obey_the_rules_of_cells(self, key: bytes, fits: bool) -> None:
        """Row, family and type of an index key have the bounds of the spec; a row alone is one."""
        rows = [b"a", b"b" * 32768]
        data = Built(
            blocks=[[Given(row=b"a")], [Given(row=b"c")]], keys=[Given(row=b"a").key, key]
        ).data()
        with hfile.open(data) as file:
            if fits:
                assert file.lookup(rows)["row"].to_pylist() == [b"a"]
            else:
                with pytest.raises(FormatError, match=r"entries\[1\]\.key .* wanted a cell key"):
                    file.lookup(rows)

    @pytest.mark.parametrize("left", [0, 15, 16])
    def test_a_root_has_a_middle_key_where_there_is_room_for_one(self, left: int) -> None:
        """A root index has a middle key if sixteen bytes follow the entries, not if fewer do."""
        data = bytes.fromhex("0000000000000001 00000002 00000003")[:left]
        found = MidKey(ofs_leaf=1, len_leaf=2, entry=3) if left == 16 else None
        assert Index.from_bytes(data, num_entries=0).mid_key == found


class TestLeaves:
    """Index blocks below the root."""

    @pytest.mark.parametrize(
        ("at", "value", "looked", "scanned"),
        [
            (
                0,
                0,
                (
                    "index.num_entries at byte 650 (0x28a): found 0, wanted 1 to 7, which there is "
                    "room for"
                ),
                (
                    "index.offsets at byte 650 (0x28a): found (0, 0), wanted 0 to 110, where the "
                    "entries are"
                ),
            ),
            (
                0,
                8,
                (
                    "index.num_entries at byte 650 (0x28a): found 8, wanted 1 to 7, which there is "
                    "room for"
                ),
                (
                    "non_root_index.entries at byte 690 (0x2b2): found 78 bytes left, wanted 8 "
                    "elements of at least 12 bytes"
                ),
            ),
            (
                4,
                1,
                (
                    "index.offsets at byte 650 (0x28a): found (1, 98), wanted 0 to 98, where the "
                    "entries are, each of 12 bytes or more"
                ),
                (
                    "index.offsets at byte 650 (0x28a): found (1, 98), wanted 0 to 98, where the "
                    "entries are"
                ),
            ),
            (
                8,
                11,
                (
                    "index.offsets at byte 650 (0x28a): found (0, 98), wanted 0 to 98, where the "
                    "entries are, each of 12 bytes or more"
                ),
                (
                    "non_root_index.entries[0].key at byte 682 (0x2aa): found a size of -1, "
                    "wanted 0 or more bytes"
                ),
            ),
        ],
    )
    def test_counts_and_places_are_those_of_the_entries(
        self, at: int, value: int, looked: str, scanned: str
    ) -> None:
        """Wrong counts or offsets of a leaf index are refused by lookups and by scans."""

        def change(payload: bytes) -> bytes:
            return payload[:at] + value.to_bytes(4, "big") + payload[at + 4 :]

        data = with_payload(b"IDXLEAF2", change)
        assert refused(lambda: looked_up(data)) == (FormatError, looked)
        assert refused(lambda: read(data))[1] == scanned

    @pytest.mark.parametrize(
        ("at", "value", "said"),
        [
            (
                20 + 33,
                (0).to_bytes(8, "big"),
                (
                    "index.entries[1].offset at byte 650 (0x28a): found 0, wanted more than "
                    "0, where the block before is"
                ),
            ),
            (
                28,
                (227).to_bytes(4, "big"),
                "block at byte 0 (0x0): found 227 bytes, wanted 228 bytes",
            ),
            (28, (229).to_bytes(4, "big"), "block.len_on_disk at byte 0 (0x0): found 228, wanted "),
            (28, (1676).to_bytes(4, "big"), "block at byte 0 (0x0): found 1676 bytes, wanted a "),
            (28, b"\x7f\xff\xff\xff", "block at byte 0 (0x0): found 2147483647 bytes, wanted a "),
            (28, b"\xff\xff\xff\xff", "block at byte 0 (0x0): found -1 bytes, wanted a block "),
            (28, (32).to_bytes(4, "big"), "block.len_data at byte 29 (0x1d): found 3 bytes left"),
            (20, (1643).to_bytes(8, "big"), "index.entries[1].offset at byte 650"),
        ],
    )
    def test_entries_lead_to_blocks(self, at: int, value: bytes, said: str) -> None:
        """An index entry with a wrong offset or size of its block is refused."""

        def change(payload: bytes) -> bytes:
            return payload[:at] + value + payload[at + len(value) :]

        kind, found = refused(lambda: looked_up(with_payload(b"IDXLEAF2", change)))
        assert issubclass(kind, FormatError)
        assert found.startswith(said)

    @pytest.mark.parametrize(
        ("magic", "at", "value", "said"),
        [
            (b"IDXLEAF2", 28, 229, ("index[0] at byte 0 (0x0): found 229 bytes at 0, wanted the "
             "block of 228 bytes at 0")),
            (b"IDXLEAF2", 61, 193, ("index[1] at byte 228 (0xe4): found 193 bytes at 228, wanted "
             "the block of 194 bytes at 228")),
            (b"IDXLEAF2", 57, 229, ("index[1] at byte 228 (0xe4): found 194 bytes at 229, wanted "
             "the block of 194 bytes at 228")),
            (b"IDXROOT2", 8, 160, ("leaf_index[0] at byte 650 (0x28a): found 160 bytes at 650, "
             "wanted the block of 159 bytes at 650")),
        ],
    )  # fmt: skip
    def test_a_scan_compares_entries_with_blocks(
        self, magic: bytes, at: int, value: int, said: str
    ) -> None:
        """A scan refuses the first index entry that differs from its block."""

        def change(payload: bytes) -> bytes:
            return payload[:at] + value.to_bytes(4, "big") + payload[at + 4 :]

        assert refused(lambda: read(with_payload(magic, change))) == (FormatError, said)

    def test_a_scan_compares_the_entries_of_all_leaves(self) -> None:
        """A scan refuses a leaf index whose second key has the bytes of the third."""

        def change(payload: bytes) -> bytes:
            ends = b"".join(each.to_bytes(4, "big") for each in (2, 0, 33, 102))
            return ends + payload[20:] + bytes(4)

        assert refused(lambda: read(with_payload(b"IDXLEAF2", change))) == (
            FormatError,
            (
                "index[2] at byte 422 (0x1a6): found 194 bytes at 809, "
                "wanted the block of 228 bytes at 422"
            ),
        )


class TestBlooms:
    """Metadata of Bloom filters."""

    def asked(self, data: bytes) -> Any:
        """Return what the filter answers for the first row and column."""
        with hfile.open(data) as file:
            return file.bloom_filters[0].may_contain(ROWS[0], b"a")

    def test_a_first_key_is_that_of_a_column(self) -> None:
        """The first key of a chunk is refused if it has a family."""
        assert self.asked(DATA)

        def change(payload: bytes) -> bytes:
            at = payload.index(b"row-0000") + 8
            return payload[:at] + b"\1" + payload[at + 1 :]

        kind, said = refused(lambda: self.asked(with_payload(b"BLMFMET2", change)))
        assert kind is FormatError
        assert said.startswith("bloom.chunks.key at byte 2300 (0x8fc): found b'\\x00\\x08row-0000")
        assert said.endswith("wanted a key of a column, without a family")

    def test_a_filter_is_of_a_kind_that_has_a_filter_in_the_file(self) -> None:
        """The file info names the kind of a filter: of rows, of columns or of prefixes."""

        def change(payload: bytes) -> bytes:
            return payload.replace(b"ROWCOL", b"ROWCOM")

        data = with_payload(b"FILEINF2", change)
        at = next(each.start for each in PLACES if each.magic == b"BLMFMET2")
        assert refused(lambda: self.asked(data)) == (
            FormatError,
            (
                f"file_info.BLOOM_FILTER_TYPE at byte {at} ({at:#x}): found ROWCOM, "
                "wanted ROW or ROWCOL or ROWPREFIX_FIXED_LENGTH"
            ),
        )

    def test_a_chunk_is_a_block_of_its_type(self) -> None:
        """A chunk entry that refers to a block of another type is refused."""

        def change(payload: bytes) -> bytes:
            return payload.replace((1469).to_bytes(8, "big"), (1623).to_bytes(8, "big")).replace(
                (101).to_bytes(4, "big"), (52).to_bytes(4, "big")
            )

        assert refused(lambda: self.asked(with_payload(b"BLMFMET2", change))) == (
            FormatError,
            "bloom.chunks[0] at byte 1623 (0x657): found 15 bytes of meta, wanted a bloom_chunk",
        )


class TestMetas:
    """Meta blocks, found by their names."""

    def test_a_name_has_its_block(self) -> None:
        """A meta block is found by its name, and no block by another name."""
        with hfile.open(DATA) as file:
            assert (file.meta_names, file.read_meta(b"note")) == ([b"note"], b"of a meta block")
            with pytest.raises(ArgumentError, match=r"^name: found b'other', wanted"):
                file.read_meta(b"other")

    def test_a_name_leads_to_a_block_of_its_type(self) -> None:
        """A name whose entry refers to a block of another type is refused."""

        def change(payload: bytes) -> bytes:
            return payload.replace((1623).to_bytes(8, "big"), (1570).to_bytes(8, "big")).replace(
                (52).to_bytes(4, "big"), (53).to_bytes(4, "big")
            )

        with hfile.open(with_payload(b"IDXROOT2", change, 1)) as file:
            assert refused(lambda: file.read_meta(b"note")) == (
                FormatError,
                "block.magic at byte 1570 (0x622): found bloom_chunk, wanted meta",
            )


class TestParts:
    """The middle of a file, and splits of it for several readers."""

    def test_the_middle_key_is_an_entry_of_its_leaf(self) -> None:
        """The middle key is an existing entry of its leaf index; another number is refused."""
        with hfile.open(DATA) as file:
            assert file.midkey() == hfile.Key(b"row-002")
        for entry, fits in [(2, True), (3, False), (-1, False)]:

            def change(payload: bytes, entry: int = entry) -> bytes:
                return payload[:-4] + entry.to_bytes(4, "big", signed=True)

            place = PLACES[11]
            payload = change(DATA[place.start + 33 : place.start + place.len_data])
            with hfile.open(damage.patched(DATA, place, 33, payload)) as file:
                if fits:
                    assert file.midkey() is not None
                else:
                    assert refused(file.midkey) == (
                        FormatError,
                        f"mid_key.entry at byte 1675 (0x68b): found {entry}, wanted 0 to 2",
                    )

    @pytest.mark.parametrize("count", [1, 2, 3, 6, 7, 100, 10**12])
    def test_parts_are_the_file(self, count: int) -> None:
        """Each cell and byte of a file is in one split; there are at most as many as blocks."""
        with hfile.open(DATA) as file:
            found = file.splits(count)
            assert 1 <= len(found) <= min(count, 6)
            assert (found[0].offset, found[0].start, found[-1].stop) == (0, None, None)
            ends = [each.offset + each.size for each in found]
            assert [*ends[:-1]] == [each.offset for each in found[1:]]
            assert ends[-1] == 1675
            cells = [batch for each in found for batch in file.range(each.start, each.stop)]
            assert sum(batch.num_rows for batch in cells) == 24
        assert refused(lambda: hfile.open(DATA).splits(0)) == (
            FormatError,
            "splits.count: found 0, wanted 1 or more",
        )


@dataclass(kw_only=True)
class Summed(Built):
    """A file whose later blocks have checksums of this type, or these bytes in their place."""

    kind: int = 0
    sums: bytes | None = b""

    def block(self, magic: bytes, payload: bytes, previous: int = -1) -> bytes:
        """Return a block; each checksum of a later one is of 20 bytes."""
        if magic != b"DATABLK*" or previous < 0:
            return super().block(magic, payload, previous)
        size = 33 + len(payload)
        count = -(-size // 20)
        sums = bytes(4 * count) if self.sums is None else self.sums
        head = (
            magic + (len(payload) + len(sums)).to_bytes(4, "big") + len(payload).to_bytes(4, "big")
            + previous.to_bytes(8, "big", signed=True) + bytes([self.kind])
            + (20).to_bytes(4, "big") + size.to_bytes(4, "big")
        )  # fmt: skip
        data = head + payload
        return data + (checksums(data, 20) if self.sums is None else sums)


class TestChecksums:
    """A block has as many checksums as its header says."""

    BLOCKS: Final = [[Given(row=row, value=bytes(8))] for row in (b"a", b"b", b"c")]
    SIZE: Final = 33 + len(BLOCKS[0][0].stored)
    START: Final = SIZE + 4
    WHOLE: Final = 4 * -(-SIZE // 20)

    def both(self, kind: int, sums: bytes | None) -> list[Callable[[], int]]:
        """Return a scan and a lookup of the file."""
        data = Summed(blocks=self.BLOCKS, kind=kind, sums=sums).data()

        def asked() -> int:
            with hfile.open(data) as file:
                return int(file.lookup([b"a", b"b", b"c"]).num_rows)

        return [partial(read, data), asked]

    @pytest.mark.parametrize(("kind", "sums"), [(2, None), (0, b""), (0, bytes(WHOLE))])
    def test_a_block_without_checksums_may_leave_them_out(
        self, kind: int, sums: bytes | None
    ) -> None:
        """A block without checksums has zero bytes in their place, or no bytes at all."""
        assert [use() for use in self.both(kind, sums)] == [3, 3]

    @pytest.mark.parametrize("sums", [b"", bytes(WHOLE)])
    def test_blocks_without_checksums_are_read_together(self, sums: bytes) -> None:
        """A scan fetches and reads many blocks at once, with or without room for checksums."""
        reads: list[int] = []

        class Noting(BytesIO):
            """A file that notes how much is read."""

            def read(self, size: int | None = -1) -> bytes:
                """Note and read."""
                reads.append(size or 0)
                return super().read(size)

        blocks = [[Given(row=b"%c" % row, value=bytes(8))] for row in range(100)]
        with hfile.open(Noting(Summed(blocks=blocks, kind=0, sums=sums).data())) as file:
            reads.clear()
            assert file.read().num_rows == 100
        assert len(reads) < 5

    @pytest.mark.parametrize(
        ("kind", "sums"),
        [(0, bytes(4)), (0, bytes(WHOLE - 1)), (0, bytes(WHOLE + 1)), (2, b""), (1, bytes(4))],
    )
    def test_other_room_for_checksums_is_refused(self, kind: int, sums: bytes) -> None:
        """A block with room for part of its checksums, or more, is refused."""
        found = f"found {len(sums)} bytes after {self.SIZE}, wanted {self.WHOLE}"
        for use in self.both(kind, sums):
            at = self.START + 29
            said = f"block.len_data at byte {at} ({at:#x}): {found}"
            assert refused(use) == (FormatError, said)

    def test_checksums_have_a_type(self) -> None:
        """A block whose checksums are not zero has a type of checksum."""
        at = self.START + 24
        for use in self.both(0, bytes(self.WHOLE - 1) + b"\1"):
            assert refused(use) == (
                FormatError,
                (
                    f"block.checksum_type at byte {at} ({at:#x}): found 0, wanted 1 or 2: "
                    "there are checksums"
                ),
            )
