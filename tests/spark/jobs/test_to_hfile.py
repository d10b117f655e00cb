"""Rows of a DataFrame become sorted HFiles, in which their keys are found again."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from byteloom.errors import AlreadyExists, FormatError
from byteloom.hfile import HFileFolder
from byteloom.spark.jobs import to_hfile

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 2_000


@pytest.fixture(scope="module")
def pairs() -> dict[str, str]:
    """Keys of different lengths, in no order, some of them beyond ASCII, and their values."""
    random = Random(5)
    keys = {f"{random.randrange(1 << 60):x}"[: random.randrange(2, 15)] for _ in range(ROWS)}
    keys |= {"\xe9t\xe9", "\U0001f600", "\uffee", "Z", "z", "~"}
    return {key: f"value of {key}" for key in keys}


@pytest.fixture(scope="module")
def frame(spark: Any, pairs: dict[str, str]) -> Any:
    """The pairs as a DataFrame."""
    return spark.createDataFrame(list(pairs.items()), "k string, v string").repartition(3)


def test_all_keys_are_found_again(
    spark: Any, frame: Any, pairs: dict[str, str], tmp_path: Path
) -> None:
    """Every key is found in the requested number of sorted files with separate ranges."""
    to_hfile(spark, frame, str(tmp_path / "index"), key="k", value="v", partitions=4)
    with HFileFolder(tmp_path / "index") as files:
        assert len(files.parts) == 4
        assert all(one.last < other.first for one, other in pairwise(files.parts))
        assert all(each.file.verify() == each.file.num_rows for each in files.parts)
        asked = [*pairs, "not there"]
        found = files.lookup(asked, ["row", "value"])
    rows = {each["row"].decode(): each["value"].decode() for each in found.to_pylist()}
    assert rows == pairs
    assert found["asked"].to_pylist() == list(range(len(pairs)))


def test_options_are_those_of_the_source(spark: Any, frame: Any, tmp_path: Path) -> None:
    """A build takes the options of the HFile source, binary keys, and no value column."""
    keys = frame.selectExpr("cast(k as binary) as k")
    target = str(tmp_path / "index")
    to_hfile(spark, keys, target, key="k", partitions=2, profile="hudi", compression="GZ")
    with HFileFolder(target) as files:
        trailers = [each.file.trailer for each in files.parts]
        assert {each.compression_codec for each in trailers} == {"GZ"}
        assert all("hudi" in each.comparator_class_name for each in trailers)
        assert files.lookup(["z"], ["value"])["value"].to_pylist() == [b""]


def test_rows_of_one_key_are_cells_of_one_row(spark: Any, tmp_path: Path) -> None:
    """All rows of one key are found together, however many files there are."""
    rows = spark.range(300).selectExpr("cast(id % 3 as string) as k", "cast(id as string) as v")
    to_hfile(spark, rows, str(tmp_path / "i"), key="k", value="v", partitions=5)
    with HFileFolder(tmp_path / "i") as files:
        values = files.lookup(["1"], ["value"])["value"].to_pylist()
    assert sorted(values) == sorted(str(each).encode() for each in range(1, 300, 3))


CELL = 8 + 2 + 1 + 8 + 1
"""Bytes of a cell besides its row and value: both lengths, and the rest of the key."""


def sizes_of(target: Path) -> list[int]:
    """Return the bytes of the cells in each file of a folder, before compression."""
    with HFileFolder(target) as files:
        found = [each.file.read(["row", "value"]).to_pylist() for each in files.parts]
        assert all(one.last < other.first for one, other in pairwise(files.parts))
    return [sum(CELL + len(cell["row"]) + len(cell["value"]) for cell in each) for each in found]


@pytest.mark.parametrize("codec", ["NONE", "GZ"])
def test_files_have_about_the_size_that_is_asked_for(
    spark: Any, frame: Any, pairs: dict[str, str], tmp_path: Path, codec: str
) -> None:
    """Cells are spread over as many files as make each about that large, before compression."""
    target = tmp_path / "index"
    wanted = 16_000
    to_hfile(spark, frame, str(target), key="k", value="v", file_size=wanted, compression=codec)
    sizes = sizes_of(target)
    lengths = [len(each.encode()) for pair in pairs.items() for each in pair]
    assert sum(sizes) == CELL * len(pairs) + sum(lengths)
    assert len(sizes) == -(-sum(sizes) // wanted) > 5
    assert all(wanted / 2 < each < 1.5 * wanted for each in sizes)


def test_few_rows_make_one_file_whatever_spark_shuffles_into(
    spark: Any, frame: Any, pairs: dict[str, str], tmp_path: Path
) -> None:
    """By default files are as large as HBase lets those of a region become, 10 GiB."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    try:
        to_hfile(spark, frame, str(tmp_path / "index"), key="k", value="v")
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    with HFileFolder(tmp_path / "index") as files:
        assert [each.file.num_rows for each in files.parts] == [len(pairs)]


def test_no_rows_make_no_file(spark: Any, frame: Any, tmp_path: Path) -> None:
    """A DataFrame without rows is written as a folder without files."""
    to_hfile(spark, frame.where("k = 'no such key'"), str(tmp_path / "index"), key="k")
    assert list(tmp_path.rglob("*.hfile")) == []


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        (
            {"partitions": 2, "file_size": 9},
            "file_size: found partitions=2 and file_size=9, wanted",
        ),
        ({"partitions": 0}, "partitions: found 0, wanted 1 or more"),
        ({"file_size": 0}, "file_size: found 0, wanted 1 or more"),
        ({"file_size": -1}, "file_size: found -1, wanted 1 or more"),
    ],
)
def test_a_number_of_files_and_their_size_are_not_given_together(
    spark: Any, frame: Any, tmp_path: Path, asked: dict[str, Any], wrong: str
) -> None:
    """Either the number of files or their size is given, and is at least 1."""
    with pytest.raises(FormatError, match=f"^{wrong}"):
        to_hfile(spark, frame, str(tmp_path / "index"), key="k", **asked)
    assert not (tmp_path / "index").exists()


def test_columns_that_are_not_there_or_not_bytes_are_refused(
    spark: Any, frame: Any, tmp_path: Path
) -> None:
    """An unknown key column, or one of the wrong type, is refused before a job starts."""
    with pytest.raises(FormatError, match=r"columns: found 'x', wanted a column .*: k, v"):
        to_hfile(spark, frame, str(tmp_path / "i"), key="x")
    numbers = frame.selectExpr("length(k) as n", "v")
    with pytest.raises(FormatError, match="column n: found int, wanted binary or string"):
        to_hfile(spark, numbers, str(tmp_path / "i"), key="n")
    assert not (tmp_path / "i").exists()


def test_a_null_key_leaves_no_file(spark: Any, frame: Any, tmp_path: Path) -> None:
    """A null key raises the executor's error in the driver, and leaves no visible file."""
    some = frame.selectExpr("if(k = 'z', null, k) as k", "v")
    with pytest.raises(FormatError, match="null"):
        to_hfile(spark, some, str(tmp_path / "i"), key="k", value="v", partitions=2)
    shown = (tmp_path / "i").rglob("*.hfile") if (tmp_path / "i").exists() else []
    assert list(shown) == []


def test_files_that_are_there_are_refused_or_replaced(
    spark: Any, frame: Any, tmp_path: Path
) -> None:
    """A folder with files is refused, or overwritten; appending is not possible."""
    target = str(tmp_path / "index")
    to_hfile(spark, frame.where("k < '8'"), target, key="k", partitions=2)
    with pytest.raises(AlreadyExists, match=r"index: there are files already: .*overwrite"):
        to_hfile(spark, frame, target, key="k")
    with pytest.raises(FormatError, match="mode: found 'append', wanted create or overwrite"):
        to_hfile(spark, frame, target, key="k", mode="append")
    to_hfile(spark, frame.where("k >= '8'"), target, key="k", partitions=3, mode="overwrite")
    with HFileFolder(target) as files:
        assert files.parts[0].first >= b"8"
