"""Encoded data blocks with a wrong size or number are refused by scans and lookups."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest
from tests.support import hfile_damage as damage
from tests.support.hfile_files import Built, Given

from byteloom import hfile
from byteloom.errors import FormatError, LimitExceeded
from byteloom.hfile import HFileWriter
from byteloom.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

DELTAS: Final = {"PREFIX": 2, "DIFF": 3, "FAST_DIFF": 4}
ROW_INDEX: Final = 7
ROWS: Final = [b"a", b"b", b"c"]


@cache
def written(encoding: str) -> bytes:
    """Return a file of one block of three cells."""
    out = io.BytesIO()
    with HFileWriter(out, encoding=encoding, created_ms=1, threads=0) as writer:
        for row in ROWS:
            writer.add(row, b"value", family=b"f", qualifier=b"q", timestamp=5)
    return out.getvalue()


def payload(encoding: str) -> bytes:
    """Return the payload of the file's block."""
    data = written(encoding)
    place = damage.places(data)[0]
    return data[place.start + 33 : place.start + place.len_data]


def with_bytes(encoding: str, at: int, new: bytes) -> bytes:
    """Return the file with other bytes in its block, from the end where *at* is below 0."""
    place = damage.places(written(encoding))[0]
    at = at if at >= 0 else len(payload(encoding)) + at
    return damage.patched(written(encoding), place, 33 + at, new)


def read(data: bytes, **limits: int) -> int:
    """Return how many cells a scan gives."""
    with hfile.open(data, limits=Limits(**limits)) as file:
        return int(file.read().num_rows)


def looked_up(data: bytes, **limits: int) -> int:
    """Return how many cells a lookup gives."""
    with hfile.open(data, limits=Limits(**limits)) as file:
        return int(file.lookup(ROWS).num_rows)


both = pytest.mark.parametrize("use", [read, looked_up])


def said_of(use: Callable[..., int], data: bytes, **limits: int) -> str:
    """Return the error of a use of *data*, without the offset of the block."""
    with pytest.raises(FormatError) as error:
        use(data, **limits)
    assert error.value.offset == 0
    return str(error.value).replace(" at byte 0 (0x0)", "")


@both
@pytest.mark.parametrize("encoding", DELTAS)
def test_the_number_of_an_encoding_is_that_of_the_file(
    use: Callable[..., int], encoding: str
) -> None:
    """A block in another encoding than the file's is refused, by name or by its unknown number."""
    assert payload(encoding)[:2] == DELTAS[encoding].to_bytes(2, "big")
    other = "DIFF" if encoding == "PREFIX" else "PREFIX"
    said = said_of(use, with_bytes(encoding, 0, DELTAS[other].to_bytes(2, "big")))
    assert said == (f"encoded.encoding: found {other}, wanted {encoding}, as the file info says")
    assert "encoding" in said_of(use, with_bytes(encoding, 0, b"\0\x09"))


@both
@pytest.mark.parametrize("encoding", DELTAS)
def test_cells_come_to_the_size_that_is_said(use: Callable[..., int], encoding: str) -> None:
    """The cells of an encoded block decode to exactly the size that it states."""
    size = int.from_bytes(payload(encoding)[2:6], "big")
    assert use(written(encoding)) == 3
    more = said_of(use, with_bytes(encoding, 2, (size + 1).to_bytes(4, "big")))
    assert more == (
        f"encoded.body: found {size} bytes of cells, wanted {size + 1} bytes of cells in {encoding}"
    )
    less = said_of(use, with_bytes(encoding, 2, (size - 1).to_bytes(4, "big")))
    assert less == (
        f"encoded.body: found cells that do not fit, wanted {size - 1} bytes of cells in {encoding}"
    )
    below = r"^encoded_data\.encoded\.len_decoded at byte 2 .*: found -1, wanted at least 0$"
    with pytest.raises(FormatError, match=below):
        use(with_bytes(encoding, 2, b"\xff\xff\xff\xff"))


@pytest.mark.parametrize("encoding", DELTAS)
def test_a_block_without_cells_does_not_have_the_size_that_it_claims(encoding: str) -> None:
    """An encoded block without cells that claims some bytes is reported to have 0 bytes."""
    head = DELTAS[encoding].to_bytes(2, "big") + (30).to_bytes(4, "big")

    class Empty(Built):
        """A file whose data block has no cells after its head."""

        def block(self, magic: bytes, payload: bytes, previous: int = -1) -> bytes:
            """Return a block, encoded if it is of data."""
            is_data = magic == b"DATABLK*"
            made = (b"DATABLKE", head) if is_data else (magic, payload)
            return super().block(*made, previous)

    cells = [[Given(row=row) for row in ROWS]]
    data = Empty(blocks=cells, info={b"DATA_BLOCK_ENCODING": encoding.encode()}).data()
    for use in (read, looked_up):
        assert said_of(use, data) == (
            f"encoded.body: found 0 bytes of cells, wanted 30 bytes of cells in {encoding}"
        )


@both
@pytest.mark.parametrize("encoding", DELTAS)
def test_cells_have_the_limit_and_no_more(use: Callable[..., int], encoding: str) -> None:
    """The decoded cells of a block may take as many bytes as the limit, and no more."""
    out = io.BytesIO()
    with HFileWriter(out, encoding=encoding, created_ms=1, threads=0) as writer:
        for number in range(100):
            writer.add(b"%05d" % number, b"", family=b"f", qualifier=b"q" * 20, timestamp=5)
    data = out.getvalue()
    place = damage.places(data)[0]
    size = int.from_bytes(data[place.start + 35 : place.start + 39], "big")

    def use_it(most: int) -> int:
        with hfile.open(data, limits=Limits(decompressed_size=most)) as file:
            if use is read:
                return int(file.read().num_rows)
            return int(file.lookup([b"%05d" % number for number in range(100)]).num_rows)

    assert use_it(size) == 100
    with pytest.raises(LimitExceeded) as error:
        use_it(size - 1)
    assert str(error.value) == (
        f"encoded.len_decoded at byte 0 (0x0): found {size}, wanted at most {size - 1} "
        "(limits.decompressed_size)"
    )


class TestRowIndex:
    """Blocks of plain cells followed by an index of their rows."""

    @both
    @pytest.mark.parametrize("off", [-4, 4, -1, 1])
    def test_the_index_has_a_place_for_each_row(self, use: Callable[..., int], off: int) -> None:
        """A row index whose size does not match the room after the cells is refused."""
        assert use(written("ROW_INDEX_V1")) == 3
        size = int.from_bytes(payload("ROW_INDEX_V1")[-4:], "big")
        said = said_of(use, with_bytes("ROW_INDEX_V1", -4, (size + off).to_bytes(4, "big")))
        assert said.startswith("row_index.num_rows: found ")

    @both
    @pytest.mark.parametrize("count", [2, 4])
    def test_the_number_of_rows_is_that_of_the_places(
        self, use: Callable[..., int], count: int
    ) -> None:
        """The number of rows equals the number of offsets that there is room for."""
        at = -4 - 3 * 4 - 4
        assert payload("ROW_INDEX_V1")[at : at + 4] == (3).to_bytes(4, "big")
        said = said_of(use, with_bytes("ROW_INDEX_V1", at, count.to_bytes(4, "big")))
        assert said == (
            f"row_index.num_rows: found {count}, wanted 3, as many as there is room for"
        )

    @both
    def test_cells_lie_before_the_index(self, use: Callable[..., int]) -> None:
        """The size of cells is at most the room between the head and the two sizes."""
        room = len(payload("ROW_INDEX_V1")) - 2 - 8
        for size in (room + 1, 0xFFFF_FFFF):
            said = said_of(use, with_bytes("ROW_INDEX_V1", -4, size.to_bytes(4, "big")))
            assert said == f"row_index.len_cells: found {size}, wanted 0 to {room}"
        said = said_of(use, with_bytes("ROW_INDEX_V1", -4, room.to_bytes(4, "big")))
        assert said.startswith("row_index.num_rows: found ")

    @both
    def test_the_number_of_the_encoding_is_that_of_the_file(self, use: Callable[..., int]) -> None:
        """A block in another encoding than ROW_INDEX_V1 is refused by its name."""
        assert payload("ROW_INDEX_V1")[:2] == ROW_INDEX.to_bytes(2, "big")
        said = said_of(use, with_bytes("ROW_INDEX_V1", 0, b"\0\2"))
        assert said == "encoded.encoding: found PREFIX, wanted ROW_INDEX_V1, as the file info says"


@both
@pytest.mark.parametrize(("magic", "found"), [(b"DATABLK*", "data"), (b"BLMFBLK2", "bloom_chunk")])
def test_blocks_of_an_encoded_file_are_encoded(
    use: Callable[..., int], magic: bytes, found: str
) -> None:
    """A data block of an encoded file that has another type is refused by that type."""
    place = damage.places(written("DIFF"))[0]
    data = damage.patched(written("DIFF"), place, 0, magic)
    if (use, found) == (read, "bloom_chunk"):
        with pytest.raises(FormatError, match=r"^trailer\.entry_count "):
            use(data)
        return
    said = said_of(use, data)
    assert said == f"block.magic: found {found}, wanted encoded_data, as the file info says"
