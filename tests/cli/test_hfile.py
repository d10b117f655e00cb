"""`byteloom inspect` and `byteloom verify` on HFiles."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from tests.support.gallery import rows
from tests.support.hfile_cells import regular
from tests.support.hfile_files import Built, Given

from byteloom.hfile import HFileWriter
from byteloom_generated.hfile.block import Block as Header

CELLS = [[Given(row=b"a"), Given(row=b"b")], [Given(row=b"c")]]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """Write a file of two blocks, under a name without a suffix."""
    path = tmp_path / "0a1b2c"
    path.write_bytes(Built(blocks=CELLS, info={b"schema": b"{}"}).data())
    return path


def test_a_good_file_is_verified_in_one_line(good: Path) -> None:
    """A valid file has one line with its dialect and its number of cells."""
    outcome = byteloom("verify", good)
    assert outcome.status == 0
    assert outcome.out.endswith("HFile, hbase, 3 cells\n")


def test_a_wrong_count_is_damage(tmp_path: Path) -> None:
    """A wrong number of cells is damage, reported with field, found and wanted."""
    path = tmp_path / "wrong"
    path.write_bytes(Built(blocks=CELLS, said={7: 4}).data())
    outcome = byteloom("verify", path)
    assert outcome.status == 1
    assert "trailer.entry_count at byte" in outcome.out
    assert "found 4, wanted 3" in outcome.out


def test_all_that_is_wrong_is_reported_a_line_each(tmp_path: Path) -> None:
    """All findings of a file have a line each, after its name; JSON has them all."""
    path = tmp_path / "wrong"
    path.write_bytes(Built(blocks=CELLS, said={4: 1, 7: 4}).data())
    outcome = byteloom("verify", path)
    assert outcome.status == 1
    lines = outcome.out.splitlines()
    assert len(lines) == 2
    assert ["entry_count" in lines[0], "total_uncompressed_bytes" in lines[1]] == [True, True]
    document = json.loads(byteloom("verify", path, "--json").out)
    assert [each["path"] for each in document["findings"]] == [
        "trailer.entry_count",
        "trailer.total_uncompressed_bytes",
    ]
    assert document["error"] == document["findings"][0]


def test_blocks_are_listed_with_their_checksums(good: Path) -> None:
    """Each block has a line with type, offset, sizes and checksum, and so in JSON.

    JSON also has the offset of the block of the same type before it, -1 for none.
    """
    outcome = byteloom("inspect", good, "--blocks")
    assert outcome.status == 0
    head, *lines = outcome.out.splitlines()
    assert head.split()[:3] == ["offset", "size", "type"]
    assert [line.split()[2] for line in lines] == [
        "data", "data", "root_index", "root_index", "file_info",
    ]  # fmt: skip
    assert {tuple(line.split()[-2:]) for line in lines} == {("crc32c", "ok")}
    document = json.loads(byteloom("inspect", good, "--blocks", "--json").out)
    offsets = [each["offset"] for each in document["blocks"]]
    assert offsets == [int(line.split()[0]) for line in lines]
    previous = [each["previous"] for each in document["blocks"]]
    assert previous == [-1, offsets[0], -1, offsets[2], -1]


def test_a_damaged_block_is_listed_as_such_and_so_are_all_behind_it(good: Path) -> None:
    """A damaged block and all later ones are listed, with the checksum on stderr and status 1."""
    data = bytearray(good.read_bytes())
    data[40] ^= 1
    good.write_bytes(data)
    outcome = byteloom("inspect", good, "--blocks")
    assert outcome.status == 1
    verdicts = [line.split()[-1] for line in outcome.out.splitlines()[1:]]
    assert verdicts == ["damaged", "ok", "ok", "ok", "ok"]
    assert "data.checksums[0]" in outcome.err


def test_blocks_are_those_of_hfiles(tmp_path: Path) -> None:
    """`inspect --blocks` refuses a file that is not an HFile."""
    path = tmp_path / "other"
    path.write_bytes(b"PFA1" + bytes(100))
    outcome = byteloom("inspect", path, "--blocks")
    assert outcome.status == 1
    assert "wanted an HFile" in outcome.err


def test_a_key_is_given_in_hex(good: Path) -> None:
    """A key for a file that is not encrypted is accepted and ignored."""
    assert byteloom("verify", good, "--key", "00" * 16).status == 0
    assert byteloom("inspect", good, "--key", "00" * 16).status == 0


@pytest.mark.parametrize("source", ["--key", "BYTELOOM_KEY"])
def test_a_wrong_key_is_not_shown(source: str, good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error for an invalid key names its option or variable, and not the key."""
    options = ["--key", "5ecret"] if source == "--key" else []
    monkeypatch.setenv("BYTELOOM_KEY", "00" if options else "5ecret")
    for command in (["verify"], ["inspect"], ["hfile", "scan"]):
        outcome = byteloom(*command, good, *options)
        assert outcome.status == 2
        assert outcome.err.startswith(f"byteloom: Invalid value for {source}: the key is not shown")
        assert "5ecret" not in outcome.err


def test_inspect_shows_dialect_file_info_and_blocks(good: Path) -> None:
    """`inspect` shows dialect, file info and each block with its offset."""
    outcome = byteloom("inspect", good, "--json")
    document = json.loads(outcome.out)
    assert outcome.status == 0
    assert (document["format"], document["facts"]["dialect"], document["facts"]["cells"]) == (
        "hfile",
        "hbase",
        3,
    )
    assert document["properties"]["schema"] == "{}"
    names = [node["name"] for node in document["structure"]]
    assert names == [
        "blocks[0]",
        "blocks[1]",
        "root_index",
        "meta_root_index",
        "file_info",
        "trailer",
    ]
    assert document["structure"][-1]["offset"] + 4096 == good.stat().st_size


def node_at(nodes: list[dict[str, Any]], *names: str) -> dict[str, Any]:
    """Return the node at a path of names."""
    found: dict[str, Any] = {}
    for name in names:
        found = next(each for each in nodes if each["name"] == name)
        nodes = found.get("children", [])
    return found


def test_inspect_names_the_fields_of_messages(good: Path) -> None:
    """`inspect` shows the fields of the trailer and the file info, with their bytes."""
    document = json.loads(byteloom("inspect", good, "--json").out)["structure"]
    count = node_at(document, "trailer", "body", "message", "entry_count")
    assert count["value"] == 3
    assert good.read_bytes()[count["offset"] :][: count["size"]] == b"\x38\3"
    pair = ("file_info", "file_info", "body", "message", "map_entry[0]", "first")
    first = node_at(document, *pair)
    assert good.read_bytes()[first["offset"] + 2 :][: first["size"] - 2].hex() == first["hex"]
    assert first["hex"] == b"hfile.AVG_KEY_LEN".hex()


def test_inspect_names_the_fields_of_a_compressed_file_info(tmp_path: Path) -> None:
    """Fields of a compressed file info are shown decoded, with offsets in the decoded bytes."""
    place = tmp_path / "gz.hfile"
    with HFileWriter(place, compression="GZ") as writer:
        writer.write(pa.table({"row": [b"r"], "value": [b"v"]}))
    decoded = json.loads(byteloom("inspect", place, "--json").out)["decoded"]["file_info"]
    pair = ("file_info", "body", "message", "map_entry[0]", "first")
    first = node_at(decoded["structure"], *pair)
    assert (first["offset"], bytes.fromhex(first["hex"])) == (8, b"KEY_VALUE_VERSION")
    assert ".".join(pair) in byteloom("inspect", place, "--hex").out


def test_inspect_lists_the_blocks_before_the_damage(good: Path) -> None:
    """`inspect` lists the blocks of a file whose trailer is cut."""
    good.write_bytes(good.read_bytes()[:-1])
    outcome = byteloom("inspect", good, "--json")
    document = json.loads(outcome.out)
    assert outcome.status == 1
    assert document["error"]["path"].startswith("trailer")
    assert [node["name"] for node in document["structure"][:2]] == ["blocks[0]", "blocks[1]"]


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(("place", "message"), [(0, "magic"), (9, "len_on_disk"), (11, "len_data")])
def test_a_damaged_header_among_the_data_is_the_error_of_inspect(
    good: Path, number: int, place: int, message: str
) -> None:
    """A damaged block header is the error of `inspect`, after the blocks before it."""
    data = bytearray(good.read_bytes())
    at = json.loads(byteloom("inspect", good, "--json").out)["structure"][number]["offset"]
    data[at + place] ^= 1
    good.write_bytes(data)
    outcome = byteloom("inspect", good, "--json")
    document = json.loads(outcome.out)
    names = [node["name"] for node in document["structure"]]
    listed = [name for name in names if name.startswith("blocks[")]
    assert listed == [f"blocks[{each}]" for each in range(number)]
    assert outcome.status == 1
    assert outcome.err.startswith(f"byteloom: {good}: block.{message} at byte ")
    assert document["error"]["path"] == f"block.{message}"
    assert document["error"]["offset"] == at + Header.PLACES[message]


def test_a_large_file_shows_its_first_blocks_and_what_lies_behind_the_data(tmp_path: Path) -> None:
    """A large file shows its first data blocks and those after the data."""
    place = tmp_path / "many.hfile"
    rows = pa.array([b"%06d" % each for each in range(30_000)], pa.binary())
    with HFileWriter(place, block_size=256) as writer:
        writer.write(pa.table({"row": rows, "value": rows}))
    tree = byteloom("inspect", place, "--depth", 1).out.partition("structure")[2]
    names = [line.split()[1] for line in tree.partition("\n\nnot checked")[0].splitlines()[1:]]
    assert names[:8] == [f"blocks[{each}]" for each in range(7)] + ["blocks[7]…"]
    assert names[8:11] == ["further", "root_index", "meta_root_index"]
    assert names[-1] == "trailer"
    assert len(byteloom("inspect", place).out.splitlines()) < 200
    structure = json.loads(byteloom("inspect", place, "--json", "--full").out)["structure"]
    assert sum(node["name"].startswith("blocks[") for node in structure) > 1_000
    assert structure[0]["value"] == "data"


def test_a_limit_bounds_what_is_decoded(tmp_path: Path) -> None:
    """With a limit, later cells are not decoded, so that damage in them is not noticed."""
    path = tmp_path / "cells"
    with HFileWriter(path) as writer:
        writer.write(regular(20_000))
    data = bytearray(path.read_bytes())
    data[300_000] ^= 1
    path.write_bytes(data)
    shown = byteloom("hfile", "scan", path, "--limit", 1, "--json")
    assert (shown.status, shown.out.count("row-"), shown.err) == (0, 1, "")
    assert byteloom("hfile", "scan", path).status == 1


def test_magics_and_codecs_are_shown_by_what_they_mean(tmp_path: Path) -> None:
    """Magics are shown as text, and the codec of the trailer by its name."""
    file = tmp_path / "a.hfile"
    with HFileWriter(file, compression="GZ") as writer:
        writer.write(pa.table({"row": [b"a"], "value": [b"1"]}))
    lines = byteloom("inspect", file).out.splitlines()
    magics = [line.rsplit(maxsplit=1)[1] for line in lines if "─ magic " in line]
    assert magics[:5] == ['"DATABLK*"', '"IDXROOT2"', '"IDXROOT2"', '"FILEINF2"', r'"TRABLK\"$"']
    assert next(line for line in lines if "compression_codec" in line).endswith(" gz (1)")


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Write a file with the rows a, b and c, each with one cell."""
    path = tmp_path / "three.hfile"
    with HFileWriter(path) as writer:
        writer.write(pa.table({"row": ["a", "b", "c"], "family": ["f"] * 3}))
    return path


def test_rows_to_look_up_come_from_a_file(three: Path, tmp_path: Path) -> None:
    """`--rows-from` reads one row a line, and skips empty lines."""
    listed = tmp_path / "rows.txt"
    listed.write_bytes(b"c\r\n\nb")
    done = byteloom(
        "hfile", "get", three, "a", "--rows-from", listed, "-c", "row", "--format", "csv"
    )
    assert (done.status, done.out.splitlines()) == (0, ["row", "a", "c", "b"])


def test_a_row_of_a_file_that_is_missing_is_named(three: Path, tmp_path: Path) -> None:
    """A missing row that a file asked for is named, with status 1."""
    listed = tmp_path / "rows.txt"
    listed.write_text("x\nb\n")
    done = byteloom("hfile", "get", three, "--rows-from", listed)
    assert (done.status, done.err) == (1, f"byteloom: {three}: no row x\n")


@pytest.mark.parametrize(
    ("row", "how", "says"),
    [
        ("\\xzz", "escaped", ": \\xzz is no escape, which has two hex digits (\\x00)"),
        ("b\\x0", "escaped", ": \\x0 is no escape, which has two hex digits (\\x00)"),
        ("b\\x00", "escaped", ""),
        ("\\xzz", "text", ""),
    ],
)
def test_a_broken_escape_of_a_missing_row_is_named(
    three: Path, row: str, how: str, says: str
) -> None:
    """A row that is missing because of a broken escape is named with what an escape is."""
    done = byteloom("hfile", "get", three, row, "--bytes", how)
    assert (done.status, done.err) == (1, f"byteloom: {three}: no row {row}{says}\n")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"61\n6\n", "line 2 at byte 3 (0x3): found '6', wanted digits of hex, two for each byte"),
        (b"61\n\n62\xff", "line 3 at byte 6 (0x6): found b'\\xff', wanted text in UTF-8"),
    ],
)
def test_a_bad_line_is_an_error_with_its_place(
    three: Path, tmp_path: Path, content: bytes, says: str
) -> None:
    """An invalid line of a file of rows is an error with file, line and byte."""
    listed = tmp_path / "rows.txt"
    listed.write_bytes(content)
    done = byteloom("hfile", "get", three, "--rows-from", listed, "--bytes", "hex")
    assert (done.status, done.out, done.err) == (1, "", f"byteloom: {listed}: {says}\n")


def test_a_range_does_not_end_before_it_begins(three: Path) -> None:
    """`scan` to a row before its first one is wrong usage; a range may be empty."""
    outcome = byteloom("hfile", "scan", three, "--from", "b", "--to", "a")
    assert outcome.status == 2
    assert "found 'a', wanted a row that is not before 'b' of --from" in outcome.err
    outcome = byteloom("hfile", "scan", three, "--from", "b", "--to", "b")
    assert (outcome.status, outcome.out.count("\n")) == (0, 1)


def test_get_needs_a_row(three: Path) -> None:
    """`get` without a row, or with standard input named twice, is wrong usage."""
    assert byteloom("hfile", "get", three).status == 2
    assert byteloom("hfile", "get", "-", "--rows-from", "-").status == 2


def test_the_file_of_rows_is_not_replaced(three: Path, tmp_path: Path) -> None:
    """The file of rows is not replaced by the output, even with --force."""
    listed = tmp_path / "rows.csv"
    listed.write_text("a\n")
    done = byteloom("hfile", "get", three, "--rows-from", listed, "-o", listed, "--force")
    assert (done.status, listed.read_text()) == (1, "a\n")


def test_inspect_shows_the_file_info_as_what_it_says(tmp_path: Path) -> None:
    """Numbers, times, flags and keys are shown as such; text, and bytes as hex, where they are not.

    An entry of another size than its number has is shown as other values are.
    """
    info = {
        b"hfile.AVG_VALUE_LEN": (7).to_bytes(4, "big"),
        b"hfile.CREATE_TIME_TS": (1_700_000_000_123).to_bytes(8, "big"),
        b"EARLIEST_PUT_TS": ((1 << 63) - 1).to_bytes(8, "big"),
        b"hfile.LASTKEY": b"\0\3r\x01w\1fq" + bytes(7) + b"\5\x08",
        b"hfile.KEY_OF_BIGGEST_CELL": b"\0\1r\1fq" + bytes(7) + b"\5\x63",
        b"minRecordKey": b"a",
        b"DELETE_FAMILY_COUNT": b"\1",
        b"of my own": b"\xff\0",
    }
    path = tmp_path / "a"
    path.write_bytes(Built(blocks=CELLS, info=info).data())
    shown = json.loads(byteloom("inspect", path, "--json").out)["properties"]
    assert {name: shown[name.decode()] for name in info} == {
        b"hfile.AVG_VALUE_LEN": "7",
        b"hfile.CREATE_TIME_TS": "2023-11-14T22:13:20.123+00:00",
        b"EARLIEST_PUT_TS": "9223372036854775807",
        b"hfile.LASTKEY": "720177/f:q/5/Delete",
        b"hfile.KEY_OF_BIGGEST_CELL": "r/f:q/5/99",
        b"minRecordKey": "a",
        b"DELETE_FAMILY_COUNT": "01",
        b"of my own": "ff00",
    }


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    rows("cli/hfile", "values_of_the_file_info"),
)
def test_values_of_the_file_info(tmp_path: Path, name: bytes, value: bytes, shown: str) -> None:
    """A value is shown by the type that its entry has, and as hex where it has another form."""
    path = tmp_path / "a.hfile"
    path.write_bytes(Built(blocks=CELLS, info={name: value}).data())
    properties = json.loads(byteloom("inspect", path, "--json").out)["properties"]
    assert properties[name.decode()] == shown


def test_a_missing_row_says_how_else_it_could_be_meant(good: Path) -> None:
    """Text that is a row of the file in hex gets a hint, and so do rows that were not given."""
    as_text = byteloom("hfile", "get", good, "61", "62", "7a")
    assert as_text.status == 1
    lines = as_text.err.splitlines()
    assert [line.endswith("in hex: --bytes hex") for line in lines] == [True, True, False]
    assert byteloom("hfile", "get", good, "61", "--bytes", "hex").status == 0
    none = byteloom("hfile", "get", good, "--key", "00")
    assert (none.status, "--bytes hex takes rows in hex" in none.err) == (2, True)
