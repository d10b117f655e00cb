"""Headers of container files: maps of all forms, what is refused, and which are kept."""

from __future__ import annotations

import pytest
from tests.support.avro_files import SYNC, container, number

from byteloom.avro import headers
from byteloom.avro.container import open_avro
from byteloom.errors import FormatError, LimitExceeded, Truncated

SCHEMA = number(11) + b"avro.schema" + number(7) + b'"bytes"'


def entry(key: bytes, value: bytes) -> bytes:
    """A property."""
    return number(len(key)) + key + number(len(value)) + value


def header(*parts: bytes) -> bytes:
    """A header whose map has these blocks."""
    return b"Obj\1" + b"".join(parts) + b"\0" + SYNC


@pytest.fixture(autouse=True)
def _none_is_kept() -> None:
    headers._KEPT.clear()


class TestMaps:
    """The properties are a map in blocks."""

    def test_a_map_may_have_many_blocks(self) -> None:
        """The entries of all blocks are one map; of several with one name, the last counts."""
        data = header(
            number(1) + SCHEMA, number(2) + entry(b"a", b"1") + entry(b"b", b""),
            number(1) + entry(b"a", b"2"),
        )  # fmt: skip
        file = open_avro(data)
        assert file.metadata == {"avro.schema": b'"bytes"', "a": b"2", "b": b""}
        assert file.first_block == len(data)

    @pytest.mark.parametrize("size", [len(SCHEMA), 0, 1 << 40])
    def test_a_negative_count_has_a_size_after_it(self, size: int) -> None:
        """Nobody who reads the entries compares it."""
        assert open_avro(header(number(-1) + number(size) + SCHEMA)).schema == "bytes"

    @pytest.mark.parametrize(
        ("part", "field", "place", "found"),
        [
            (number(-1) + number(-1), r"metadata\[0\]\.len_entries", 5, "-1"),
            (number(1) + number(-1), r"metadata\[0\]\.entries\[0\]\.len_key", 5, "-1"),
            (number(1) + b"\2a" + number(-2), r"metadata\[0\]\.entries\[0\]\.len_value", 7, "-2"),
            (number(1) + b"\2\xff\0", r"metadata\[0\]\.entries\[0\]\.key", 6, ""),
            (number(1) + SCHEMA + b"\x80" * 10, r"metadata\[1\]\.num_entries", 25, ""),
        ],
    )
    def test_damage_has_its_field_and_place(
        self, part: bytes, field: str, place: int, found: str
    ) -> None:
        """The error for damage is not `Truncated`, which more bytes might cure."""
        said = rf"^avro\.header\.{field} at byte {place} .*: found {found}"
        with pytest.raises(FormatError, match=said) as refused:
            open_avro(header(part) + bytes(40))
        assert type(refused.value) is FormatError

    @pytest.mark.parametrize("count", [1 << 40, -(1 << 40), -(1 << 63)])
    def test_more_entries_than_bytes_are_refused(self, count: int) -> None:
        """A count of more entries than bytes is refused before memory is allocated."""
        size = number(0) if count < 0 else b""
        with pytest.raises(FormatError, match=r"^avro\.header\.metadata\[0\]\.entries at byte "):
            open_avro(header(number(count) + size + SCHEMA))

    def test_a_header_has_a_limit_of_entries(self) -> None:
        """The limit counts all records of a header: entries, blocks of the map, and itself."""
        most = 100_000 - 5
        sound = header(number(1) + SCHEMA, number(most) + bytes(2 * most))
        assert open_avro(sound).schema == "bytes"
        more = header(number(1) + SCHEMA, number(most + 1) + bytes(2 * (most + 1)))
        with pytest.raises(LimitExceeded, match=r"limits\.objects"):
            open_avro(more)


class TestKeptHeaders:
    """The last few headers are kept: a file that begins with the same bytes has the same."""

    def test_a_kept_header_gives_what_reading_gives(self) -> None:
        """The sync marker and the dict are the file's own."""
        first = container(codec="xz")
        second = first[:-16] + SYNC[::-1]
        one, two = open_avro(first), open_avro(second)
        assert len(headers._KEPT) == 1
        assert one.schema is two.schema
        assert (one.sync, two.sync) == (SYNC, SYNC[::-1])
        assert (one.codec, one.first_block) == (two.codec, two.first_block) == ("xz", len(first))
        one.metadata["avro.codec"] = b""
        assert open_avro(first).metadata == two.metadata

    def test_every_prefix_of_a_kept_header_is_truncated(self) -> None:
        """Every prefix of a cached header is `Truncated`, even if only the marker is cut."""
        data = container()
        open_avro(data)
        for size in range(len(data)):
            with pytest.raises(Truncated):
                open_avro(data[:size])

    def test_few_headers_are_kept_and_no_large_ones(self) -> None:
        """The last eight headers of at most one mebibyte are cached."""
        for size in range(10):
            open_avro(container(schema={"type": "string", "doc": "d" * size}))
        assert [each.schema["doc"] for each in headers._KEPT] == ["d" * n for n in range(9, 1, -1)]
        bare = len(container(schema={"type": "string", "doc": ""})) - len(SYNC)
        bare += 2  # bytes of a longer size
        for size in (1 << 20) - bare, (1 << 20) - bare + 1:
            open_avro(container(schema={"type": "string", "doc": "d" * size}))
        assert len(headers._KEPT[0].raw) == 1 << 20
        assert len(headers._KEPT[1].raw) < 100

    def test_a_header_that_is_refused_is_not_kept(self) -> None:
        """A header that is refused is refused again when it is read again."""
        for _ in range(2):
            with pytest.raises(FormatError, match=r"^avro\.schema at byte 4 .*found nothing"):
                open_avro(container(schema=None))
        assert headers._KEPT == []
