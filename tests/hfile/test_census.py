"""A scan checks the order and number of cells across its batches, and no previous offsets."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Final

import pytest
from tests.support import hfile_damage as damage
from tests.support.hfile_files import Built, Given
from tests.support.hfile_findings import audit, hudi_file

from byteloom import hfile
from byteloom.errors import FormatError
from byteloom.hfile import HFileWriter

if TYPE_CHECKING:
    from collections.abc import Callable

LONG: Final = bytes(1 << 16)
"""A value that fills the first batch."""

PREVIOUS: Final = 16
"""Where a block's header has the offset of the block before."""


def refused(call: Callable[[], object]) -> str:
    """Return the text of the error that a call ends in."""
    with pytest.raises(FormatError) as error:
        call()
    return str(error.value)


def read(data: bytes) -> int:
    """Return how many cells a scan gives."""
    with hfile.open(data) as file:
        return int(file.read().num_rows)


def batched(rows: str, said: dict[int, int | bytes | None] | None = None) -> bytes:
    """Return a file whose first cell is a batch, with two cells in each block after it."""
    first, *others = (row.encode() for row in rows)
    pairs = [others[at : at + 2] for at in range(0, len(others), 2)]
    blocks = [[Given(row=first, value=LONG)], *([Given(row=row) for row in each] for each in pairs)]
    return Built(blocks=blocks, said=said or {}).data()


@pytest.mark.parametrize(
    ("rows", "number"), [("abced", 4), ("abdce", 3), ("bacde", 1), ("bacbd", 1)]
)
def test_a_cell_that_is_out_of_order_has_its_number_in_the_file(rows: str, number: int) -> None:
    """The first cell out of order is named by its number, with the offset of its batch."""
    data = batched(rows)
    at = damage.places(data)[1].start
    assert refused(lambda: read(data)) == (
        f"cells[{number}] at byte {at} ({at:#x}): found a key before that of the cell before, "
        "wanted keys that ascend"
    )


@pytest.mark.parametrize("rows", ["abcde", "aabbc"])
def test_cells_of_equal_keys_are_in_order(rows: str) -> None:
    """Cells of equal keys are in order, even if a batch or a block ends between them."""
    data = batched(rows)
    assert read(data) == len(rows)
    assert not [each for each in audit(data).findings if each.path.startswith("cells")]


def test_the_cells_of_all_batches_are_as_many_as_the_trailer_says() -> None:
    """A scan refuses a batch with too many cells at once, and too few cells at its end."""
    assert read(batched("abcde", {7: 5})) == 5
    data = batched("abcde", {7: 4})
    at = damage.places(data)[1].start
    assert refused(lambda: read(data)) == (
        f"cells at byte {at} ({at:#x}): found 5, "
        "wanted no more cells than the trailer's entry_count, 4"
    )
    data = batched("abcde", {7: 6})
    at = damage.trailer_at(data)
    assert refused(lambda: read(data)) == (
        f"trailer.entry_count at byte {at} ({at:#x}): found 6, wanted 5, the number of cells"
    )


@pytest.mark.parametrize("number", range(3))
def test_each_block_of_data_has_cells(number: int) -> None:
    """A data block without cells is refused."""
    cells = [[Given(row=b"%d" % each)] for each in range(4)]
    blocks = [*cells[:number], [], *cells[number + 1 :]]
    data = Built(blocks=blocks, keys=[each.key for (each,) in cells]).data()
    at = damage.places(data)[number].start
    assert refused(lambda: read(data)) == (
        f"data at byte {at} ({at:#x}): found no cells, wanted at least one"
    )


@pytest.mark.parametrize("number", range(3))
def test_each_block_of_data_has_the_offset_of_the_one_before(number: int) -> None:
    """No reader uses the offset of the block before: a wrong one is read, and reported."""
    data = Built(blocks=[[Given(row=b"%d" % each)] for each in range(3)]).data()
    places = damage.places(data)[:3]
    before = places[number - 1].start if number else -1
    for stated in {-1, before, 1}:
        changed = damage.patched(
            data, places[number], PREVIOUS, stated.to_bytes(8, "big", signed=True)
        )
        at = places[number].start + PREVIOUS
        wrong = f"block.ofs_previous at byte {at} ({at:#x}): found {stated}, wanted {before}"
        assert [str(each) for each in audit(changed).findings] == [wrong] * (stated != before)
        assert read(changed) == 3


@pytest.mark.parametrize("number", range(1, 4))
def test_a_block_by_hudi_may_have_its_own_offset(number: int) -> None:
    """A block by Hudi may have its own offset in place of the previous one's, and no other."""
    data = hudi_file()
    places = damage.places(data)
    start, before = places[number].start, places[number - 1].start
    own = damage.patched(data, places[number], PREVIOUS, start.to_bytes(8, "big"))
    assert audit(own).findings == []
    wrong = damage.patched(data, places[number], PREVIOUS, (start + 1).to_bytes(8, "big"))
    at = start + PREVIOUS
    assert [str(each) for each in audit(wrong).findings] == [
        f"block.ofs_previous at byte {at} ({at:#x}): found {start + 1}, wanted {before}"
    ]
    assert read(wrong) == read(own) == 8


def test_blocks_with_their_own_offsets_are_noted() -> None:
    """An audit notes that a block by Hudi has its own offset, and not that one has -1."""
    data = hudi_file()
    place = damage.places(data)[2]
    for stated, is_noted in ((place.start, True), (-1, False)):
        changed = damage.patched(data, place, PREVIOUS, stated.to_bytes(8, "big", signed=True))
        report = audit(changed)
        assert not report.findings
        assert any("previous-block offsets" in each for each in report.notes) == is_noted


def test_the_block_before_is_one_of_the_same_type() -> None:
    """An index block with the offset of the data block before it is reported."""
    out = BytesIO()
    with HFileWriter(
        out, block_size=1, index_block_max_size=1, index_block_min_entries=2, threads=0
    ) as writer:
        for row in (b"a", b"b"):
            writer.add(row, family=b"f", qualifier=b"", timestamp=9)
    data = out.getvalue()
    beside, leaf = damage.places(data)[:2]
    assert (beside.magic, leaf.magic) == (b"DATABLK*", b"IDXLEAF2")
    wrong = damage.patched(data, leaf, PREVIOUS, beside.start.to_bytes(8, "big"))
    at = leaf.start + PREVIOUS
    assert [str(each) for each in audit(wrong).findings] == [
        f"block.ofs_previous at byte {at} ({at:#x}): found {beside.start}, wanted -1"
    ]
    assert read(wrong) == 2
