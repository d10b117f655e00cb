"""Hadoop's groups of chunks are read as their records describe them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.hfile import codecs
from byteloom.hfile.codecs import _framed_into, compress
from byteloom.wire import Reader
from byteloom_generated.hfile.framing import Chunk, Framing

groups = st.lists(st.lists(st.binary(min_size=1, max_size=9), max_size=3), max_size=3)


def framed(parts: list[list[bytes]]) -> bytes:
    """Groups of chunks that are stored as they are."""
    return b"".join(
        len(b"".join(group)).to_bytes(4, "big")
        + b"".join(Chunk(data=chunk).to_bytes() for chunk in group)
        for group in parts
    )


def plain(data: bytes | memoryview, out: memoryview) -> int:
    """The codec that changes nothing; more bytes than there is room for are an error."""
    if len(data) > len(out):
        raise FormatError("chunk", None, len(data), f"at most {len(out)}")
    out[: len(data)] = data
    return len(data)


def by_record(data: bytes, room: int) -> bytes | None:
    """What the groups hold as records read them; None where they are damaged."""
    r, out = Reader(data), b""
    try:
        while not r.eof:
            end = len(out) + r.u4be("len_group")
            while len(out) < end <= room:
                chunk = Chunk.read(r).data
                if len(out) + len(chunk) > end:
                    return None
                out += chunk
            if end > room:
                return None
    except FormatError:
        return None
    return out


def by_hand(data: bytes, room: int) -> bytes | None:
    """What the groups hold as the loop over HFile's blocks reads them; None for damage."""
    out = bytearray(room)
    try:
        return bytes(out[: _framed_into(data, memoryview(out), plain)])
    except FormatError:
        return None


@given(groups)
def test_groups_hold_what_their_chunks_hold(parts: list[list[bytes]]) -> None:
    """The loop and the record read the chunks of any number of groups."""
    whole = b"".join(chunk for group in parts for chunk in group)
    data = framed(parts)
    assert by_hand(data, len(whole)) == by_record(data, len(whole)) == whole


@given(groups.filter(any), st.data())
def test_damage_is_refused_by_both(parts: list[list[bytes]], draw: st.DataObject) -> None:
    """With a changed byte or a cut end, loop and record give the same bytes, or both refuse."""
    data, room = framed(parts), sum(len(chunk) for group in parts for chunk in group)
    at = draw.draw(st.integers(0, len(data) - 1))
    byte = bytes((draw.draw(st.integers(0, 255)),))
    for changed in (data[:at], data[:at] + byte + data[at + 1 :]):
        assert by_hand(changed, room) == by_record(changed, room)


@given(st.sampled_from([0, 1, 9, 10]), st.sampled_from([1, 3, 5, 9]))
def test_groups_are_written_as_their_records_are(size: int, most: int) -> None:
    """Groups are written in chunks of equal size but the last, as their records write them."""
    data = bytes(range(size))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(codecs._CHUNK_ENCODERS, "LZO", lambda chunk, _: bytes(chunk))
        patch.setattr(codecs, "_LZO_CHUNK", most)
        written = compress("LZO", data)
    chunks = [Chunk(data=data[at : at + most]) for at in range(0, size, most)]
    records = [Framing(len_group=size, first=chunks[0] if chunks else None), *chunks[1:]]
    if len(chunks) > 1:
        records.append(Framing(len_group=0))
    assert written == b"".join(each.to_bytes() for each in records)
