"""The walk over blocks gives what the record class gives, and refuses what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.columns.loops import REFUSED
from byteloom.errors import FormatError
from byteloom.wire import Reader
from byteloom_generated.hfile.block import Block, BlockType, ChecksumType, Frame
from byteloom_generated.hfile.block_scan import FRAMES

NAMES = [each.name for each in FRAMES.columns]
numbers = st.integers(0, (1 << 31) - 1) | st.sampled_from((0, 1, 33, (1 << 31) - 1))


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    """A block with any header, and as many bytes as that says."""
    rest = draw(st.binary(max_size=9))
    header = Block(
        magic=draw(st.sampled_from(BlockType)),
        len_on_disk=len(rest),
        len_uncompressed=draw(numbers),
        ofs_previous=draw(st.integers(-(1 << 63), (1 << 63) - 1)),
        checksum_type=draw(st.sampled_from(ChecksumType)),
        bytes_per_checksum=max(draw(numbers), 1),
        len_data=max(draw(numbers), 33),
    )
    return Frame(header=header, rest=rest)


def run(found: list[Frame]) -> bytes:
    """The bytes of some blocks."""
    return b"".join(each.to_bytes() for each in found)


runs = st.lists(frames(), max_size=3).map(run)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Blocks, damaged: a byte changed, left out or inserted, or the end cut off."""
    data = draw(runs.filter(len))
    at, byte = draw(st.integers(0, len(data) - 1)), bytes((draw(st.integers(0, 255)),))
    return draw(
        st.sampled_from(
            (data[:at] + byte + data[at + 1 :], data[:at] + data[at + 1 :], data[:at],
             data[:at] + byte + data[at:])
        )
    )  # fmt: skip


def by_record(data: bytes) -> tuple[list[tuple[object, ...]], str]:
    """The headers as their class reads them, up to the first error, and that error's words."""
    found: list[tuple[object, ...]] = []

    def take(r: Reader) -> None:
        place, header = r.offset, Frame.read(r).header
        found.append(
            (*(getattr(header, name) for name in NAMES[:-1]), place)  # an instance is an attribute
        )

    try:
        Reader(data).records_to_end("frames", take)
    except FormatError as error:
        return found, str(error)
    return found, ""


def by_walk(data: bytes) -> tuple[list[tuple[object, ...]], str]:
    """The headers as the walk leaves them in its columns, and the words of its refusal."""
    array = np.frombuffer(data, np.uint8)
    walked = FRAMES.over(array, np.array([[0, len(data)]]), NAMES, 1 << 20, {})
    columns: list[list[object]] = []
    for out in FRAMES.columns:
        filled = walked.columns[out.name][: walked.rows * out.width]
        columns.append(filled.view(out.form).tolist())
    refused = walked.code == REFUSED
    words = str(FRAMES.refusal(array, len(data), walked, {})) if refused else ""
    return list(zip(*columns, strict=True)), words


@given(runs | damaged())
def test_blocks_become_the_values_of_their_headers(data: bytes) -> None:
    """The walk gives every header field as records do, up to the same error."""
    assert by_walk(data) == by_record(data)


@pytest.mark.parametrize(
    "name", ["len_on_disk", "len_uncompressed", "bytes_per_checksum", "len_data"]
)
def test_sizes_of_2_to_the_31_are_negative_and_refused(name: str) -> None:
    """The walk and the record refuse a size whose highest bit is set, since sizes are signed."""
    header = Block(magic=BlockType.DATA, len_on_disk=0, len_uncompressed=0, ofs_previous=-1,
                   checksum_type=ChecksumType.CRC32, bytes_per_checksum=1, len_data=33)  # fmt: skip
    data = bytearray(header.to_bytes())
    at = {"len_on_disk": 8, "len_uncompressed": 12, "bytes_per_checksum": 25, "len_data": 29}[name]
    data[at] |= 0x80
    assert by_walk(bytes(data)) == by_record(bytes(data))
    assert f"{name} at byte {at} " in by_walk(bytes(data))[1]
