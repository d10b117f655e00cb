"""`byteloom samples` writes samples, and the commands that it prints work."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hudi import HudiTableBuilder
from pyiceberg.table import StaticTable
from tests.support.cli import byteloom, process

from byteloom import hfile, lance, puffin
from byteloom.hudi import MetadataTable, audit
from byteloom.iceberg import open_table

EXPECTED = {
    "orders.puffin": "deletion-vector-v1",
    "orders.hfile": "order-00042",
    "orders.lance": "777",
    "orders": "NO",
    "orders.hudi": "CA",
    "sensor.log": "celsius                     20.0",
}
"""A text that the first command for each sample prints."""

NUM_ORDERS = 1000


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return the folder of the samples, and the commands that were printed."""
    folder = tmp_path_factory.mktemp("my samples")
    done = byteloom("samples", folder)
    assert (done.status, done.err) == (0, "")
    return folder, done.out.splitlines()


@pytest.mark.parametrize("name", EXPECTED)
def test_each_command_works(printed: tuple[Path, list[str]], name: str) -> None:
    """Each printed command works as printed, whatever the folder is called."""
    folder, lines = printed
    (line,) = [each for each in lines if str(folder / name) in shlex.split(each)]
    program, *arguments = shlex.split(line)
    done = byteloom(*arguments)
    assert (program, done.status, done.err) == ("byteloom", 0, "")
    assert EXPECTED[name] in done.out


def test_without_the_generator_its_command_names_what_to_install(tmp_path: Path) -> None:
    """Without Jinja2, stdout has only commands that work."""
    code = (
        "import sys; sys.modules['jinja2'] = None\n"  # as the import system marks what is not there
        "from byteloom.cli import app; app(prog_name='byteloom')"
    )
    run = process(sys.executable, "-c", code, "samples", tmp_path / "s")
    assert run.status == 0
    assert len(run.out.splitlines()) == len(EXPECTED)  # less one, and `verify`
    assert "--spec" not in run.out
    assert re.match(r"after `pip install '\S+\[codegen\]'`: byteloom describe ", run.err)


def test_all_samples_are_sound(printed: tuple[Path, list[str]]) -> None:
    """The last printed command verifies the folder, and finds no damage in any sample."""
    folder, lines = printed
    program, *arguments = shlex.split(lines[-1])
    done = byteloom(*arguments, "--json")
    assert (program, done.status) == ("byteloom", 0)
    for name in EXPECTED.keys() - {"sensor.log"}:
        assert str(folder / name) in done.out


def orders(folder: Path) -> pa.Table:
    """Return the rows of the Lance file, with which all other samples agree."""
    with lance.open(folder / "orders.lance") as file:
        return file.to_table()


def test_all_samples_hold_the_same_orders(printed: tuple[Path, list[str]]) -> None:
    """The sample Lance file, HFile, Iceberg table and sketches agree."""
    folder, _ = printed
    rows = orders(folder)
    assert rows["id"].to_pylist() == list(range(NUM_ORDERS))
    with hfile.open(folder / "orders.hfile") as cells:
        country = cells.get(b"order-00041")["value"].to_pylist()[1]
    assert country == rows["country"][41].as_py().encode()
    with puffin.open(folder / "orders.puffin") as file:
        assert [int(each.properties["ndv"]) for each in file.blobs[:2]] == [NUM_ORDERS, 7]


def test_the_hudi_table_is_true(printed: tuple[Path, list[str]]) -> None:
    """The indexes of the Hudi table agree with its data, which are the orders."""
    place = printed[0] / "orders.hudi"
    table = MetadataTable.open(place)
    result = audit(table)
    assert result.is_clean
    assert not result.skipped
    assert result.compared == {"column_stats": 28, "files": 7, "record_index": NUM_ORDERS}
    files = [place / each / name for each in table.partition_paths() for name in table.files(each)]
    rows = orders(printed[0])
    parts = [pq.ParquetFile(each).read(rows.column_names) for each in files]
    assert pa.concat_tables(parts).sort_by("id").equals(rows)


def test_pypi_hudi_reads_the_hudi_table(printed: tuple[Path, list[str]]) -> None:
    """PyPI's `hudi` reads the rows of the Hudi table."""
    read = HudiTableBuilder.from_base_uri(str(printed[0] / "orders.hudi")).build().read()
    ids = sorted(each for batch in read for each in batch["id"].to_pylist())
    assert ids == list(range(NUM_ORDERS))


def test_the_table_lacks_the_deleted_orders(printed: tuple[Path, list[str]]) -> None:
    """The table's second snapshot deletes every fiftieth order of the second half."""
    table = open_table(str(printed[0] / "orders"))
    ids = table.scan().to_table()["id"].to_pylist()
    deleted = set(range(NUM_ORDERS // 2, NUM_ORDERS, 50))
    assert ids == [each for each in range(NUM_ORDERS) if each not in deleted]
    assert table.verify() == []


def test_pyiceberg_reads_the_first_snapshot(printed: tuple[Path, list[str]]) -> None:
    """PyIceberg reads the first snapshot, which has no deletion vectors."""
    (metadata,) = (printed[0] / "orders" / "metadata").glob("*.json")
    scan = StaticTable.from_metadata(str(metadata)).scan(snapshot_id=1)
    read = scan.to_arrow()
    assert read["id"].to_pylist() == list(range(NUM_ORDERS))
    assert read["country"].cast(pa.string()).equals(orders(printed[0])["country"])


PAGE = (Path(__file__).parents[2] / "docs/first-steps.md").read_text(encoding="utf-8")
USES = re.findall(
    r"(?m)^(byteloom .+?)(?: +#.*)?$", PAGE.partition("## Look into")[2].split("##")[0]
)
"""The commands that the first steps give for looking into files."""


def test_commands_of_the_first_steps_work_on_samples(printed: tuple[Path, list[str]]) -> None:
    """Each command of the first steps for looking into files works in the folder of samples."""
    run = [shlex.split(each)[1:] for each in USES if not each.startswith("byteloom explore")]
    assert len(run) > 5
    for words in run:
        done = byteloom(*words, cwd=printed[0])
        assert (words, done.status) == (words, 0), done.err
        assert done.out or (printed[0] / words[words.index("-o") + 1]).is_file()


def test_commands_are_words_in_json(tmp_path: Path) -> None:
    """JSON has one line for each command, as words that a program can start."""
    place = tmp_path / "my samples"
    shown = byteloom("samples", place).out.splitlines()
    lines = byteloom("samples", place, "--force", "--json").out.splitlines()
    assert [json.loads(each) for each in lines] == [shlex.split(each) for each in shown]


def test_a_command_is_easy_to_read(tmp_path: Path) -> None:
    """A filter is in double quotes, unless the shell would change it."""
    done = byteloom("samples", tmp_path / "plain")
    assert f"""{tmp_path}/plain/orders --where "country = 'NO'" --limit 5""" in done.out
    odd = tmp_path / "it's $HOME"
    lines = byteloom("samples", odd).out.splitlines()
    assert lines[-1] == f"byteloom verify {shlex.quote(str(odd))}"


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    """A folder with files is refused without --force."""
    (tmp_path / "orders.puffin").write_bytes(b"mine")
    done = byteloom("samples", tmp_path)
    assert (done.status, done.out) == (1, "")
    assert done.err == f"byteloom: {tmp_path}: the folder is not empty; --force writes into it\n"
    assert (tmp_path / "orders.puffin").read_bytes() == b"mine"
    assert byteloom("samples", tmp_path, "--force").status == 0
    assert byteloom("verify", tmp_path / "orders.puffin").status == 0


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """A path of an existing file is an error of one line."""
    (tmp_path / "file").write_bytes(b"")
    done = byteloom("samples", tmp_path / "file")
    assert (done.status, done.out) == (1, "")
    assert done.err == f"byteloom: {tmp_path / 'file'}: File exists\n"
