"""Reading HFiles gives all their cells, and reports everything wrong with them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.hfile_files import GZ, NONE, Built, Given

from byteloom import hfile
from byteloom.errors import ByteloomError, FormatError, Unsupported

CELLS = [
    [Given(row=b"a", value=b"one"), Given(row=b"b", value=b"a value of more than twelve bytes")],
    [Given(row=b"c", qualifier=b"q", timestamp=7), Given(row=b"c", qualifier=b"q", timestamp=5)],
    [Given(row=b"d" * 40, type=8)],
]


def built(**changes: Any) -> Built:
    """Return a file of three blocks and five cells."""
    return Built(**{"blocks": CELLS, **changes})


@pytest.mark.parametrize("codec", [NONE, GZ])
@pytest.mark.parametrize("binary", ["view", "binary"])
def test_a_file_gives_back_its_cells(codec: int, binary: Any) -> None:
    """Every column of every cell is read, whatever the codec and the type of the columns."""
    with hfile.open(built(codec=codec).data()) as file:
        table = file.read(binary=binary)
        assert file.verify() == file.num_cells == 5
    wanted = [cell for block in CELLS for cell in block]
    for name in ("row", "family", "qualifier", "timestamp", "type", "value"):
        assert table[name].to_pylist() == [getattr(cell, name) for cell in wanted]
    assert table["mvcc"].to_pylist() == [0] * 5
    assert table["tags"].to_pylist() == [b""] * 5


@pytest.mark.parametrize("columns", [["row"], ["value", "row"], ["family"], ["mvcc", "tags"]])
def test_only_the_columns_asked_for_come_out(columns: list[str]) -> None:
    """Only the requested columns are returned, in the requested order."""
    with hfile.open(built().data()) as file:
        assert file.read(columns).equals(file.read().select(columns))


def test_a_file_without_cells_is_an_empty_table() -> None:
    """A file without cells gives an empty table and has no last key."""
    with hfile.open(Built(blocks=[]).data()) as file:
        assert (file.read().num_rows, file.last_key, file.verify()) == (0, None, 0)


WRONG: list[tuple[dict[str, Any], type[FormatError], str]] = [
    ({"said": {7: 6}}, FormatError, "trailer.entry_count"),
    ({"said": {7: 4}}, FormatError, "entry_count"),
    ({"said": {8: 2}}, FormatError, "trailer.num_data_index_levels"),
    ({"said": {10: 0}}, FormatError, "trailer.last_data_block_offset"),
    ({"said": {11: None}}, FormatError, "trailer.comparator_class_name"),
    ({"said": {11: b"a.b.C"}}, Unsupported, "trailer.comparator_class_name"),
    ({"said": {12: 42}}, FormatError, "trailer.compression_codec"),
    ({"said": {12: 7}, "codec": NONE}, Unsupported, "LZMA"),
    ({"said": {13: b""}}, FormatError, "trailer.encryption_key"),
    ({"said": {13: b"\1x"}}, FormatError, "trailer.encryption_key"),
    ({"said": {13: b"\5\x0a\3AES"}}, FormatError, "trailer.encryption_key"),
    ({"said": {13: b"\x09\x0a\3DES\x10\x10\x1a\0"}}, Unsupported, "encrypted"),
    ({"said": {5: 2147483632}}, FormatError, "root_index"),
    ({"said": {2: 1 << 33}}, FormatError, "trailer.load_on_open_data_offset"),
    ({"info": {b"DATA_BLOCK_ENCODING": b"PREFIX_TREE"}}, Unsupported, "DATA_BLOCK_ENCODING"),
    ({"info": {b"INDEX_BLOCK_ENCODING": b"PREFIX_TREE"}}, Unsupported, "INDEX_BLOCK_ENCODING"),
    ({"info": {b"hfile.MAX_TAGS_LEN": bytes(4)}}, FormatError, "data.cells["),
    ({"blocks": CELLS[::-1]}, FormatError, "keys that ascend"),
    ({"keys": [Given(row=key).key for key in (b"a", b"d", b"d")]}, FormatError, "index.key"),
    ({"blocks": [[Given(row=b"a", type=5)]]}, FormatError, "data.cells[0].key.columns.type"),
]


@pytest.mark.parametrize(("changes", "error", "message"), WRONG)
def test_what_does_not_agree_is_refused(
    changes: dict[str, Any], error: type[FormatError], message: str
) -> None:
    """A trailer, index, file info or cells that contradict each other are refused."""
    with pytest.raises(error) as refused, hfile.open(built(**changes).data()) as file:
        file.verify()
    assert message in str(refused.value)


def test_every_prefix_is_refused() -> None:
    """A file that is cut anywhere is refused."""
    data = built().data()
    for size in range(len(data)):
        with pytest.raises(
            FormatError,
            match=r"^trailer(: found \d+ bytes|\.(version|magic) at byte \d+ .*: found)",
        ):
            hfile.open(data[:size])


@pytest.mark.parametrize("major", [1, 4])
def test_other_versions_are_refused_by_name(major: int) -> None:
    """HFiles of version 1 and of version 4 are refused by their number."""
    with pytest.raises(Unsupported, match=f"{major}.0"):
        hfile.open(built().data()[:-4] + bytes([0, 0, 0, major]))


@pytest.mark.parametrize("codec", [NONE, GZ])
def test_a_flipped_bit_is_an_error_or_changes_nothing(codec: int) -> None:
    """A flipped bit anywhere in a file is an error or changes no cell."""
    data = built(codec=codec).data()
    with hfile.open(data) as file:
        wanted = file.read()
    end = len(data) - 4096 + 120  # the padding comes after
    for bit in [*range(8 * end), *range(8 * (len(data) - 4), 8 * len(data))]:
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            with hfile.open(bytes(damaged)) as file:
                assert file.read().equals(wanted)
        except ByteloomError:
            continue


def test_checksums_may_be_left_unread() -> None:
    """With `verify_checksums=False` a damaged value is read as it is stored."""
    data = bytearray(built().data())
    at = data.index(b"one")
    data[at] ^= 1
    with hfile.open(bytes(data), verify_checksums=False) as file:
        assert file.read(["value"])["value"][0].as_py() == b"nne"
