"""`byteloom verify` prints a line for each file, and an exit status."""

import io
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from tests.support.cli import byteloom
from tests.support.deep_folders import too_deep

from byteloom import hfile, puffin
from byteloom.errors import FormatError
from byteloom.lance import LanceWriter
from byteloom.puffin import ThetaSketch

SKETCH = ThetaSketch.from_arrow(pa.array([1, 2, 3])).to_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a folder with a good file, a damaged one deeper down, and one of unknown format."""
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "good.theta").write_bytes(SKETCH)
    (tmp_path / "deep" / "er" / "cut.theta").write_bytes(SKETCH[:-1])
    (tmp_path / "notes.txt").write_text("nothing to see")
    return tmp_path


def unknown(*files: Path) -> str:
    """Return the line about files that `verify` skips."""
    return f"byteloom: skipped files of unknown format: {', '.join(map(str, files))}\n"


def test_good_files_are_status_0(folder: Path) -> None:
    """A file without damage has one line with a summary of its content."""
    outcome = byteloom("verify", folder / "good.theta")
    assert outcome.status == 0
    assert outcome.out.startswith("ok ")
    assert outcome.out.endswith("about 3 distinct values\n")
    assert outcome.err == "1 ok\n"


def test_damage_is_status_1_and_names_the_place(folder: Path) -> None:
    """A damaged file in a folder is status 1, and its line has place, found and wanted."""
    outcome = byteloom("verify", folder)
    good, damaged = outcome.out.splitlines()
    assert outcome.status == 1
    assert good.startswith("ok ")
    assert damaged.split(maxsplit=2) == [
        "damaged",
        str(folder / "deep/er/cut.theta"),
        "theta_sketch.hashes at byte 16 (0x10): found 23 bytes left, wanted 24 bytes",
    ]
    assert outcome.err == f"1 ok, 1 damaged, 1 skipped\n{unknown(folder / 'notes.txt')}"


def test_nothing_checked_is_status_2(folder: Path) -> None:
    """`verify` returns 2 if it checked nothing, so that an unrecognised file does not pass."""
    outcome = byteloom("verify", folder / "notes.txt")
    skipped = f"skipped     {folder / 'notes.txt'}  unknown format\n"
    assert (outcome.status, outcome.out) == (2, skipped)
    assert "nothing checked" in outcome.err


def test_a_lance_file_that_was_cut_off_is_damaged(tmp_path: Path) -> None:
    """A file named `.lance` without any magic is a damaged Lance file, not one to skip."""
    whole = tmp_path / "whole.lance"
    with LanceWriter(whole, pa.schema({"x": pa.int32()})) as writer:
        writer.write(pa.table({"x": pa.array([1], pa.int32())}))
    cut = tmp_path / "cut.LANCE"
    cut.write_bytes(whole.read_bytes()[:-1])
    outcome = byteloom("verify", tmp_path)
    assert outcome.status == 1
    assert f"damaged     {cut}  version.magic at byte " in outcome.out
    assert ": its end is missing, or it is not a Lance file\n" in outcome.out
    assert outcome.err == "1 ok, 1 damaged\n"


def test_another_file_named_as_a_lance_file_is_skipped(tmp_path: Path) -> None:
    """The name counts only without a known magic, so that a ZIP archive is skipped."""
    (tmp_path / "x.lance").write_bytes(b"PK\3\4" + bytes(60))
    outcome = byteloom("verify", tmp_path)
    assert outcome.status == 2
    assert outcome.err.startswith("1 skipped\n")


def test_an_unreadable_file_does_not_end_the_run(folder: Path) -> None:
    """A missing file is reported and counted, and the next one is verified."""
    outcome = byteloom("verify", folder / "missing", folder / "good.theta")
    assert outcome.status == 1
    assert [line.split()[0] for line in outcome.out.splitlines()] == ["unreadable", "ok"]


def test_json_is_a_line_for_every_file(folder: Path) -> None:
    """`verify --json` prints an object of the same keys for each file."""
    lines = [json.loads(line) for line in byteloom("verify", "--json", folder).out.splitlines()]
    keys = {"file", "status", "format", "summary", "error", "findings"}
    assert [set(line) for line in lines] == [keys] * 3
    assert [(line["status"], line["format"]) for line in lines] == [
        ("ok", "theta"),
        ("skipped", None),
        ("damaged", "theta"),
    ]
    error = lines[2]["error"]
    assert (error["kind"], error["path"], error["offset"]) == (
        "Truncated",
        "theta_sketch.hashes",
        16,
    )


@pytest.mark.parametrize("ending", ["puffin", "hfile", "avro", "lance", "LANCE"])
@pytest.mark.parametrize("size", [0, 1, 4096])
def test_a_name_says_what_a_file_without_magic_was(tmp_path: Path, ending: str, size: int) -> None:
    """A file of zeros, or an empty one, is damaged if its name says a format, even in a folder."""
    path = tmp_path / f"zeros.{ending}"
    path.write_bytes(bytes(size))
    for place in (path, tmp_path):
        outcome = byteloom("verify", place)
        assert outcome.status == 1
        assert outcome.out.startswith(f"damaged     {path}  ")
        assert ("found an empty file, wanted a" in outcome.out) == (size == 0)


def test_a_named_file_that_is_skipped_is_listed(folder: Path) -> None:
    """A named file of an unknown format has a line and status 2; one in a folder has neither."""
    outcome = byteloom("verify", folder / "good.theta", folder / "notes.txt")
    assert outcome.status == 2
    assert f"skipped     {folder / 'notes.txt'}  unknown format" in outcome.out.splitlines()
    assert f"named files that were not checked: {folder / 'notes.txt'} (skipped)" in outcome.err
    (folder / "deep" / "er" / "cut.theta").unlink()
    whole = byteloom("verify", folder)
    assert (whole.status, "skipped" in whole.out) == (0, False)


def test_empty_files_are_reported(folder: Path) -> None:
    """An empty file has a line and a count of its own in `verify`."""
    (folder / "blank").touch()
    outcome = byteloom("verify", folder)
    assert f"empty       {folder / 'blank'}" in outcome.out.splitlines()
    skipped = unknown(folder / "notes.txt")
    assert outcome.err == f"1 ok, 1 damaged, 1 empty, 1 skipped\n{skipped}"


def test_an_empty_file_fails_where_it_is_named(folder: Path) -> None:
    """An empty file that is named fails; one inside a folder does not."""
    (folder / "deep" / "er" / "cut.theta").unlink()
    (folder / "blank").touch()
    assert byteloom("verify", folder).status == 0
    assert byteloom("verify", folder / "blank", folder / "good.theta").status == 1


def test_bytes_that_were_found_are_hex_in_json(folder: Path) -> None:
    """Bytes found are hex in JSON."""
    (folder / "no.puffin").write_bytes(b"PFA1" + bytes(20) + b"PAR1")
    (line,) = byteloom("verify", "--json", folder / "no.puffin").out.splitlines()
    assert json.loads(line)["error"]["found"] == b"PAR1".hex()


def test_a_file_that_is_too_large_to_be_read_whole_is_unreadable(tmp_path: Path) -> None:
    """A file of more bytes than are read at once is not called damaged."""
    file = tmp_path / "v1.metadata.json"
    file.write_bytes(b"{")
    os.truncate(file, (256 << 20) + 1)
    outcome = byteloom("verify", file)
    wanted = "found 268435457 bytes, wanted at most 268435456 (limits.metadata_size)"
    assert (outcome.status, outcome.err) == (1, "1 unreadable\n")
    assert outcome.out == f"unreadable  {file}  {wanted}\n"


def test_folders_that_cannot_be_searched_are_unreadable(folder: Path) -> None:
    """A folder that cannot be searched is unreadable, with status 1."""
    deep = too_deep(folder)
    outcome = byteloom("verify", folder)
    *_, last = outcome.out.splitlines()
    assert outcome.status == 1
    assert last == f"unreadable  {deep}  File name too long"
    skipped = unknown(folder / "notes.txt")
    assert outcome.err == f"1 ok, 1 damaged, 1 unreadable, 1 skipped\n{skipped}"


def test_special_files_in_a_folder_are_unreadable(folder: Path) -> None:
    """A pipe, or a link to itself, in a folder is unreadable, and does not block."""
    os.mkfifo(folder / "a.theta")
    (folder / "b.theta").symlink_to("b.theta")
    (folder / "up").symlink_to(folder)
    outcome = byteloom("verify", folder)
    pipe, link, *_ = outcome.out.splitlines()
    assert outcome.status == 1
    assert pipe.endswith("a.theta  found a named pipe, wanted a regular file")
    assert link.endswith("b.theta  Too many levels of symbolic links")
    stated = f"byteloom: links to folders are not followed: {folder}/up\n"
    counts = "1 ok, 1 damaged, 2 unreadable, 1 skipped\n"
    assert outcome.err == f"{stated}{counts}{unknown(folder / 'notes.txt')}"


def test_standard_input_is_checked() -> None:
    """`verify -` checks standard input, and reports it as ``-``."""
    good = byteloom("verify", "-", stdin=SKETCH)
    assert (good.status, good.out.split()[:2]) == (0, ["ok", "-"])
    cut = byteloom("verify", "-", stdin=SKETCH[:-1])
    assert (cut.status, cut.out.split()[:2]) == (1, ["damaged", "-"])


def test_control_characters_of_names_are_escaped(tmp_path: Path) -> None:
    """A name with an escape sequence or a newline is one line, in every view of its file."""
    path = tmp_path / "a\x1b[31m\nb"
    path.write_bytes(SKETCH)
    name = f"{tmp_path}/a\\x1b[31m\\nb  "
    assert byteloom("verify", path).out.startswith(f"ok          {name}")
    assert byteloom("inspect", path).out.startswith(name)
    assert byteloom("inspect", path, "--hex").out.startswith(f"{name.rstrip()}: ")
    path.write_bytes(path.read_bytes()[:-1])
    assert byteloom("verify", path).out.startswith(f"damaged     {name}")


def _puffin() -> bytes:
    file = io.BytesIO()
    with puffin.PuffinWriter(file) as writer:
        writer.add(type="x", data=bytes(range(256)), fields=[], snapshot_id=1, sequence_number=1)
    return file.getvalue()


def _lance() -> bytes:
    file = io.BytesIO()
    with LanceWriter(file, pa.schema({"x": pa.int32()})) as writer:
        writer.write(pa.table({"x": pa.array([1], pa.int32())}))
    return file.getvalue()


def _summary(path: Path, data: bytes) -> str:
    """Return what verification says of a file with these bytes."""
    path.write_bytes(data)
    (line,) = byteloom("verify", path).out.splitlines()
    assert line.startswith(f"damaged     {path}  ")
    return line.removeprefix(f"damaged     {path}  ")


@pytest.mark.parametrize("left", [24, 100, 260, 300, -13, -1])
def test_a_cut_puffin_file_lacks_its_end(tmp_path: Path, left: int) -> None:
    """A Puffin file that was cut off is said to lack its end; inspect shows no footer."""
    path, data = tmp_path / "cut.puffin", _puffin()
    said = _summary(path, data[:left])
    size = len(data[:left])
    assert said.startswith(f"footer_tail.magic at byte {size - 4} ")
    assert said.endswith("b'PFA1': the file begins as a Puffin file, but its end is missing")
    report = json.loads(byteloom("inspect", "--json", path).out)
    assert [each["name"] for each in report["structure"]] == ["magic"]


def test_a_damaged_puffin_magic_is_not_a_missing_end(tmp_path: Path) -> None:
    """A footer whose last magic alone is damaged is there."""
    data = _puffin()
    said = _summary(tmp_path / "bad.puffin", data[:-1] + b"2")
    assert said == (
        f"footer_tail.magic at byte {len(data) - 4} (0x{len(data) - 4:x}): "
        "found b'PFA2', wanted b'PFA1'"
    )


@pytest.mark.parametrize("more", [b"x", b"more bytes", b"PFA", b"PFA1x", bytes(4000)])
@pytest.mark.parametrize(("name", "field"), [("puffin", "footer_tail"), ("lance", "version")])
def test_bytes_after_the_end_are_counted(
    tmp_path: Path, name: str, field: str, more: bytes
) -> None:
    """Bytes appended to a sound file are reported as such, with their number and place."""
    data = _puffin() if name == "puffin" else _lance()
    said = _summary(tmp_path / f"long.{name}", data + more)
    bytes_ = f"{len(more)} byte{'s' if len(more) > 1 else ''}"
    assert said == (
        f"{field} at byte {len(data)} (0x{len(data):x}): "
        f"found the end of a footer, {bytes_} before the end of the file,"
        " wanted a footer at the end"
    )


@pytest.mark.parametrize("left", [40, 10_000])
def test_a_cut_hfile_lacks_its_end(tmp_path: Path, left: int) -> None:
    """An HFile that was cut off in a block lacks its end, and has a block that is too long."""
    file = io.BytesIO()
    with hfile.HFileWriter(file, block_size=60_000) as writer:
        for number in range(1000):
            writer.add(b"%09d" % number, bytes(range(50)), family=b"f")
    path = tmp_path / "cut.hfile"
    path.write_bytes(file.getvalue()[:left])
    found = json.loads(byteloom("verify", "--json", path).out)["findings"]
    said = [each["message"].removeprefix(f"{path}: ") for each in found]
    assert said[0].endswith(": the file begins as an HFile, but its end is missing")
    assert said[1].startswith("block.len_on_disk at byte 8 (0x8): found ")
    assert said[1].endswith(f"wanted at most {left - 33}, where the section ends")
    assert len(said) == 2
    with pytest.raises(FormatError, match=r"begins as an HFile, but its end is missing$"):
        hfile.open(path)


def test_an_hfile_with_swapped_halves_has_neither_end(tmp_path: Path) -> None:
    """An HFile that neither begins nor ends as one is reported as such."""
    file = io.BytesIO()
    with hfile.HFileWriter(file) as writer:
        writer.add(b"a", bytes(10_000), family=b"f")
    whole, path = file.getvalue(), tmp_path / "swapped.hfile"
    path.write_bytes(whole[5000:] + whole[:5000])
    said = "wanted the version of an HFile, 2 or 3: the file neither begins nor ends as an HFile"
    assert f"{said}\n" in byteloom("verify", path).out
    assert byteloom("hfile", "stats", path).err.endswith(f"{said}\n")


@pytest.mark.parametrize(
    ("ending", "command", "title"),
    [
        ("puffin", ["puffin", "ls"], "a Puffin file"),
        ("hfile", ["hfile", "stats"], "an HFile"),
        ("lance", ["lance", "schema"], "a Lance file"),
    ],
)
def test_an_empty_file_is_called_empty(
    tmp_path: Path, ending: str, command: list[str], title: str
) -> None:
    """Every command says that a file of 0 bytes is empty, not that bytes are missing."""
    path = tmp_path / f"a.{ending}"
    path.touch()
    because = f"found an empty file, wanted {title}\n"
    assert byteloom(*command, path) == (1, "", f"byteloom: {path}: {because}")
    assert byteloom("inspect", path) == (1, "", f"byteloom: {path}: {because}")
    assert byteloom("verify", path).out == f"damaged     {path}  {because}"


@pytest.mark.parametrize("count", [1, 5, 6, 7])
def test_skipped_files_of_unknown_formats_are_named(tmp_path: Path, count: int) -> None:
    """A few of them are named on stderr, more are counted there; `--json` lists them all."""
    (tmp_path / "good.theta").write_bytes(ThetaSketch.from_arrow(pa.array([1])).to_bytes())
    for number in range(count):
        (tmp_path / f"{number}.txt").write_bytes(b"no magic")
    said = byteloom("verify", tmp_path)
    shown = ", ".join(f"{tmp_path}/{number}.txt" for number in range(min(count, 5)))
    rest = f" and {count - 5} more (--json lists all)" if count > 5 else ""
    line = unknown(Path(f"{shown}{rest}"))
    assert (said.status, said.err) == (0, f"1 ok, {count} skipped\n{line}")
    assert byteloom("verify", tmp_path, "--json").err == f"1 ok, {count} skipped\n"


def test_data_files_of_no_table_are_checked(tmp_path: Path) -> None:
    """Parquet and ORC files that are in no table are checked by themselves."""
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    orc.write_table(pa.table({"a": [1]}), tmp_path / "a.orc")
    said = byteloom("verify", tmp_path)
    assert (said.status, said.err) == (0, "2 ok\n")
    lines = map(json.loads, byteloom("verify", tmp_path, "--json").out.splitlines())
    assert {each["format"]: each["status"] for each in lines} == {"orc": "ok", "parquet": "ok"}


def test_a_hudi_table_is_recognised(folder: Path) -> None:
    """Each Hudi table is counted, and the command for the first is given; metadata is no table."""
    (folder / "a table" / ".hoodie" / "metadata" / ".hoodie").mkdir(parents=True)
    line = f"{folder}/a table is a Hudi table: `byteloom hudi verify '{folder}/a table'` compares"
    for place in (folder, folder / "a table"):
        assert line in byteloom("verify", place).err
    assert "Hudi" not in byteloom("verify", folder / "a table" / ".hoodie" / "metadata").err
    (folder / "b" / ".hoodie").mkdir(parents=True)
    assert "/a table is a Hudi table and 1 more: `" in byteloom("verify", folder).err
