"""A file opened as another format than its own is an error that names its real format."""

from __future__ import annotations

import gzip
import io
import json
import re
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, orc
from tests.support.cli import byteloom
from tests.support.encrypted_parquet import write_encrypted
from tests.support.iceberg_rows import File, TableMaker

from byteloom import hfile, puffin
from byteloom.datafiles.data_file import OpenOptions
from byteloom.errors import FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.files.kinds import cut_file, expecting, kind_of
from byteloom.iceberg import open_table
from byteloom.iceberg.metadata import Relocation
from byteloom.iceberg.reading.table_files import TableFiles
from byteloom.iceberg.verification import verify
from byteloom.limits import DEFAULT_LIMITS
from byteloom.parquet.whole import read_columns
from byteloom.storage import open_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FIELD = pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "1", "iceberg.id": "1"})
TABLE = pa.table([[1, 2, 3]], schema=pa.schema([FIELD]))


def _puffin(place: Path) -> None:
    with puffin.PuffinWriter(place):
        pass


def _hfile(place: Path) -> None:
    columns = ("row", "family", "qualifier")
    cells = {"timestamp": [1], **{each: [b"x"] for each in columns}, "value": [bytes(50_000)]}
    with hfile.HFileWriter(place) as new:
        new.write(pa.table(cells))


def _avro(place: Path) -> None:
    data = io.BytesIO()
    fastavro.writer(data, {"type": "record", "name": "r", "fields": []}, [{}])
    place.write_bytes(data.getvalue())


def _json(place: Path) -> None:
    place.write_text(json.dumps({"a": 1}, indent=2))


def _parquet(place: Path) -> None:
    pq.write_table(TABLE, place)


def _orc(place: Path) -> None:
    orc.write_table(TABLE, str(place))


def _arrow(place: Path) -> None:
    feather.write_feather(TABLE, str(place))


KINDS: list[tuple[Callable[[Path], None], str]] = [
    (_puffin, "a Puffin file"), (_hfile, "an HFile"), (_avro, "an Avro file"),
    (_json, "a JSON document"), (_parquet, "a Parquet file"), (_orc, "an ORC file"),
    (_arrow, "an Arrow IPC file"),
]  # fmt: skip
every = pytest.mark.parametrize(("write", "kind"), KINDS, ids=[kind for _, kind in KINDS])

OPENERS: dict[str, Callable[[str], Any]] = {
    "a Puffin file": puffin.open,
    "an HFile": hfile.open,
    "a Parquet file": lambda place: TableFiles(Relocation(), OpenOptions()).open(
        "parquet", place, -1
    ),
    "an ORC file": lambda place: TableFiles(Relocation(), OpenOptions()).open("orc", place, -1),
    "an Avro file": lambda place: TableFiles(Relocation(), OpenOptions()).open("avro", place, -1),
}


@every
@pytest.mark.parametrize("wanted", OPENERS)
def test_another_format_is_named(
    write: Callable[[Path], None], kind: str, wanted: str, tmp_path: Path
) -> None:
    """A file of another format is an error with its path, its format and the wanted one."""
    write(tmp_path / "x")
    if kind == wanted:
        OPENERS[wanted](str(tmp_path / "x")).close()
        return
    with pytest.raises(FormatError) as refused:
        OPENERS[wanted](str(tmp_path / "x"))
    assert str(refused.value) == f"{tmp_path / 'x'}: found {kind}, wanted {wanted}"


@every
def test_a_table_is_none_of_them(write: Callable[[Path], None], kind: str, tmp_path: Path) -> None:
    """A file that is not JSON, opened as table metadata, is named by its real format."""
    write(tmp_path / "x")
    wanted = (
        f"x at byte 0 .*found {kind}, wanted" if kind != "a JSON document" else "format-version"
    )
    with pytest.raises(FormatError, match=wanted):
        open_table(tmp_path / "x")


@pytest.mark.parametrize("data", [b"", b"P", b"PFA1", b"PAR1 and more", b"anything at all"])
def test_other_bytes_are_nothing_known(data: bytes) -> None:
    """Bytes with only one of the two magics of a format are of no known format."""
    assert kind_of(open_source(data)) is None


def test_encrypted_parquet_is_not_called_damaged(tmp_path: Path) -> None:
    """Scans, checks and sketches report an encrypted Parquet file as encrypted, not as damaged."""
    place = tmp_path / "x.parquet"
    write_encrypted(TABLE, place)
    because = "found an encrypted (Parquet )?file, wanted an unencrypted one"
    with pytest.raises(Unsupported, match=f"x.parquet: {because}"):
        OPENERS["a Parquet file"](str(place))
    table = TableMaker(tmp_path, [(1, "a", "long")]).commit(File(place, 3)).open()
    with pytest.raises(Unsupported, match=f"x.parquet: {because}"):
        table.scan().to_table()
    (wrong,) = verify(table)
    assert isinstance(wrong, Unsupported)
    with pytest.raises(Unsupported, match=because):
        read_columns(place.read_bytes(), ["a"], DEFAULT_LIMITS)
    said = byteloom("puffin", "ndv", place, "-o", tmp_path / "out.puffin")
    assert said.status == 1
    assert said.err.endswith(
        "x.parquet: found an encrypted Parquet file, wanted an unencrypted one\n"
    )


DATA_BLOCK = b"DATABLK"


@pytest.mark.parametrize(
    ("head", "tail", "kind"),
    [
        (b"PFA1", b"PFA1", "a Puffin file"),
        (b"PAR1", b"PAR1", "a Parquet file"),
        (b"PARE", b"PARE", "an encrypted Parquet file"),
        (b"ORC", b"", "an ORC file"),
        (b"Obj\1", b"", "an Avro file"),
        (DATA_BLOCK, b"\0\0\2", "an HFile"),
        (DATA_BLOCK, b"\0\0\3", "an HFile"),
        (b"", b"LANC", "a Lance file"),
        (b"ARROW1", b"ARROW1", "an Arrow IPC file"),
        (b"PK\3\4", b"", "a ZIP archive"),
        (b"\x1f\x8b", b"", "gzipped data"),
        (b'{"', b"", "a JSON document"),
        (b"{\n", b"", "a JSON document"),
    ],
)
def test_both_ends_say_what_a_file_is(head: bytes, tail: bytes, kind: str) -> None:
    """A format is recognised by all bytes of its magics at both ends, which may not overlap."""
    for between in (b"", b"..", bytes(100)):
        assert kind_of(open_source(head + between + tail)) == kind
    assert kind_of(open_source(b"." + head + b"." + tail)) != kind or not head
    for cut in (head + tail[:-1] if tail else head[:-1], head[1:] + tail if head else tail[1:]):
        assert kind_of(open_source(cut)) != kind


PAGES = [
    (b"<!DOCTYPE html>\n<html><title>Log in</title>", "an HTML page"),
    (b"\r\n\r\n<HTML lang=en>", "an HTML page"),
    (b"\xef\xbb\xbf<html>", "an HTML page"),
    (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code>', "an XML document"),
]


@pytest.mark.parametrize(("data", "kind"), PAGES)
@pytest.mark.parametrize("name", ["puffin", "hfile", "avro", "lance"])
def test_a_page_in_place_of_a_file_is_named(
    data: bytes, kind: str, name: str, tmp_path: Path
) -> None:
    """A page that a server sent in place of a file is damage, and errors say what it is."""
    place = tmp_path / f"x.{name}"
    place.write_bytes(data)
    wanted = dict(zip(["puffin", "hfile", "avro", "lance"], KNOWN, strict=True))[name]
    for command in ("verify", "inspect"):
        outcome = byteloom(command, place)
        assert outcome.status == 1
        assert f"at byte 0 (0x0): found {kind}, wanted {wanted}\n" in outcome.out + outcome.err
    (tmp_path / "x").write_bytes(data)
    shown = byteloom("inspect", tmp_path / "x")
    assert f"found {kind}, wanted one of these" in shown.err
    assert byteloom("verify", tmp_path / "x").out == f"skipped     {tmp_path}/x  {kind}\n"
    for wanted, opened in OPENERS.items():
        with pytest.raises(FormatError, match=f"x: found {kind}, wanted {wanted}$"):
            opened(str(tmp_path / "x"))


@pytest.mark.parametrize(
    ("data", "kind"), [*PAGES, (b"PFA1" + bytes(20) + b"PFA1", "a Puffin file")]
)
def test_what_is_in_place_of_table_metadata_is_named(
    data: bytes, kind: str, tmp_path: Path
) -> None:
    """A file with the name of table metadata that is another kind of file is called that kind."""
    place = tmp_path / "v1.metadata.json"
    place.write_bytes(data)
    wanted = f"{place}: found {kind}, wanted the metadata of a table"
    assert byteloom("table", "info", place).err == f"byteloom: {wanted}\n"


KNOWN = ("a Puffin file", "an HFile", "an Avro file", "a Lance file")


def test_gzipped_data_is_named_by_inspect(tmp_path: Path) -> None:
    """`inspect` says that a file of an unknown format is gzipped, a ZIP archive or the like."""
    (tmp_path / "x").write_bytes(gzip.compress(b"any"))
    assert (
        "x at byte 0 (0x0): found gzipped data, wanted one of"
        in byteloom("inspect", tmp_path / "x").err
    )


@pytest.mark.parametrize("error", [FormatError("a", 3), Unsupported("a", 3)])
def test_an_error_about_a_file_of_another_kind_says_so(error: FormatError) -> None:
    """An error about a file of another format is replaced by one that names that format.

    The new error has the old one as its cause; a file of the wanted format keeps its error.
    """
    source = open_source(b"PAR1....PAR1")
    for name, shown in [("x", "x"), (None, "bytes")]:
        with pytest.raises(FormatError) as caught, expecting("an ORC file", source, name):
            raise error
        assert str(caught.value) == f"{shown}: found a Parquet file, wanted an ORC file"
        assert caught.value.__cause__ is error
    with pytest.raises(FormatError) as caught, expecting("a Parquet file", source):
        raise error
    assert caught.value is error
    with pytest.raises(FormatError) as caught, expecting("an ORC file", open_source(b"nothing")):
        raise error
    assert caught.value is error


def test_a_limit_is_reported_as_it_is() -> None:
    """An exceeded limit is reported unchanged, even for a file of another format."""
    error = LimitExceeded("a")
    source = open_source(b"PAR1....PAR1")
    with pytest.raises(LimitExceeded) as caught, expecting("an ORC file", source):
        raise error
    assert caught.value is error


def test_an_encrypted_file_is_not_supported_where_its_format_is_wanted() -> None:
    """An encrypted Parquet file is unsupported as Parquet, and of the wrong format as ORC."""
    source = open_source(b"PARE....PARE")
    with pytest.raises(Unsupported) as caught, expecting("a Parquet file", source):
        raise FormatError("a")
    assert str(caught.value) == "bytes: found an encrypted Parquet file, wanted an unencrypted one"
    with pytest.raises(FormatError) as other, expecting("an ORC file", source):
        raise FormatError("a")
    assert type(other.value) is FormatError


@pytest.mark.parametrize("name", ["a.parquet", "a"])
@pytest.mark.parametrize("kept", ["beginning", "end", "magic"])
def test_a_cut_parquet_file_says_what_is_missing(tmp_path: Path, kept: str, name: str) -> None:
    """A Parquet file with one of its ends is named as such by every command that meets it."""
    file, out = tmp_path / name, tmp_path / "out"
    pq.write_table(TABLE, file)
    data = file.read_bytes()
    file.write_bytes({"beginning": data[:-7], "end": data[9:], "magic": data[:4]}[kept])
    place, found = {
        "beginning": (f"tail.magic at byte {len(data) - 11} (0x{len(data) - 11:x})", data[-11:-7]),
        "end": ("magic at byte 0 (0x0)", data[9:13]),
        "magic": ("tail.magic", "4 bytes"),
    }[kept]
    wanted = {
        "beginning": "b'PAR1': the file begins as a Parquet file, but its end is missing",
        "end": "b'PAR1': the file ends as a Parquet file, but does not begin as one",
        "magic": "at least 12 bytes: the file begins as a Parquet file, but its end is missing",
    }[kept]
    shown = found if isinstance(found, str) else repr(found)
    commands = [["inspect", file], ["puffin", "ndv", file, "-o", out]]
    if file.suffix:
        commands += [["lance", "convert", file, tmp_path / "out.lance"]]
        commands += [["hfile", "build", out, "--from", file]]
    for command in commands:
        said = byteloom(*command)
        shown_first = f"{file}  Parquet file, " if command[0] == "inspect" else ""
        assert (said.status, said.out[: len(shown_first)]) == (1, shown_first)
        assert said.err == f"byteloom: {file}: {place}: found {shown}, wanted {wanted}\n"
    verified = byteloom("verify", tmp_path)
    line = f"damaged     {file}  {place}: found {shown}, wanted {wanted}\n"
    assert (verified.status, verified.out) == (1, line)


def test_a_parquet_file_of_just_enough_bytes_is_not_called_cut() -> None:
    """Twelve bytes with both magics are for pyarrow to refuse; eleven are too few."""
    assert cut_file(open_source(b"PAR1\0\0\0\0PAR1")) is None
    assert isinstance(cut_file(open_source(b"PAR1\0\0\0PAR1")), Truncated)
    assert isinstance(cut_file(open_source(b"PARE\0\0\0\0\0PAR1")), FormatError)
    assert cut_file(open_source(b"PAR")) is None


def _parts(write: Callable[[Path], None], file: Path) -> tuple[bytes, bytes]:
    """Return the first two thirds of a file, and the last two thirds."""
    write(file)
    data = file.read_bytes()
    return data[: len(data) * 2 // 3], data[len(data) // 3 :]


MISSING_END = [
    (_puffin, "a Puffin file"), (_hfile, "an HFile"), (_avro, "an Avro file"),
    (_parquet, "a Parquet file"), (_orc, "an ORC file"),
]  # fmt: skip
KNOWN_BY_BOTH = [kind for _, kind in MISSING_END if kind != "an Avro file"]


@pytest.mark.parametrize(("write", "kind"), MISSING_END, ids=[kind for _, kind in MISSING_END])
@pytest.mark.parametrize("size", [9, None])
def test_a_file_without_its_end_is_called_what_it_begins_as(
    write: Callable[[Path], None], kind: str, size: int | None, tmp_path: Path
) -> None:
    """`inspect` and `verify` say of a file of any name that its end is missing."""
    file = tmp_path / "cut"
    file.write_bytes(_parts(write, file)[0][:size])
    note = f": the file begins as {kind}, but its end is missing\n"
    shown, verified = byteloom("inspect", file), byteloom("verify", tmp_path)
    assert (shown.status, shown.err.endswith(note)) == (1, True)
    assert (verified.status, note in verified.out) == (1, True)
    assert verified.out.startswith("damaged ")


@pytest.mark.parametrize(
    ("write", "kind"),
    [each for each in MISSING_END if each[1] in KNOWN_BY_BOTH],
    ids=KNOWN_BY_BOTH,
)
def test_a_file_without_its_beginning_is_called_what_it_ends_as(
    write: Callable[[Path], None], kind: str, tmp_path: Path
) -> None:
    """`inspect` and `verify` say of a file of any name that only its end is of a format.

    Avro files end in a marker that each has drawn for itself, which shows no format.
    """
    file = tmp_path / "cut"
    file.write_bytes(_parts(write, file)[1])
    note = f": the file ends as {kind}, but does not begin as one\n"
    shown, verified = byteloom("inspect", file), byteloom("verify", tmp_path)
    assert (shown.status, shown.err.endswith(note)) == (1, True)
    assert (verified.status, note in verified.out) == (1, True)


@pytest.mark.parametrize(("kind", "write"), [("orc", _orc), ("parquet", _parquet)])
def test_a_data_file_that_was_cut_says_what_is_missing(
    kind: str, write: Callable[[Path], None], tmp_path: Path
) -> None:
    """A scan says that the end of a data file is missing where no manifest states its size."""
    file = tmp_path / f"x.{kind}"
    file.write_bytes(_parts(write, file)[0])
    with pytest.raises(Truncated, match="its end is missing"):
        TableFiles(Relocation(), OpenOptions()).open(kind, str(file), -1)


ORC_TAIL = b"\x82\xf4\3\3ORC\7"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"ORC" + ORC_TAIL, None),
        (b"ORC" + ORC_TAIL[:-1], r"found b'\\x03OR', wanted b'ORC'"),
        (b"ORC" + ORC_TAIL[:-1] + b"\x08", None),
        (b"ORCxxx", "orc.postscript.magic: found 6 bytes, wanted at least 7 bytes"),
        (b"ORCxxxx", "at byte 3 .*found b'xxx', wanted b'ORC'"),
        (b"OR", None),
        (b"xxx" + ORC_TAIL, "magic at byte 0 .*found b'xxx', wanted b'ORC'"),
        (b"xxxORC\7", None),
        (b"ORC" + b"f" * 5 + b"\x08\5\2", None),
        (b"ORC" + b"f" * 4 + b"\x08\5\2", "its end is missing"),
        (b"ORC" + b"f" * 5 + b"\x08\0\2", "its end is missing"),
    ],
)
def test_a_cut_orc_file_is_one_without_a_postscript(data: bytes, found: str | None) -> None:
    """A postscript has the magic, or, as Hive 0.11 wrote it, a footer for which there is room."""
    error = cut_file(open_source(data))
    if found is None:
        assert error is None
    else:
        assert error is not None
        assert re.search(found, str(error))
