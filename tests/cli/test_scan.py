"""`byteloom scan` makes a table of the repeated records of any file, by its spec."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.support.cli import byteloom

LOG = """
meta: {id: log, endian: le}
seq:
  - {id: magic, contents: LOG}
  - {id: header, type: header}
  - {id: events, type: event, repeat: eos}
instances:
  marks: {pos: 4, type: mark, repeat: expr, repeat-expr: 2}
types:
  header:
    seq:
      - {id: num_marks, type: u1}
      - {id: marks, type: mark, repeat: expr, repeat-expr: num_marks}
  mark: {seq: [{id: at, type: u1}]}
  event:
    seq:
      - {id: kind, type: u1, valid: {max: 2}}
      - {id: body, type: {switch-on: kind, cases: {1: mark, 2: name}}}
  name:
    seq:
      - {id: len_name, type: u1}
      - {id: name, type: str, encoding: UTF-8, size: len_name}
      - {id: marks, type: mark, repeat: expr, repeat-expr: 2}
"""
DATA = b"LOG\2\7\x08" + b"\1\5" + b"\2\2ab\3\4" + b"\0"
SLOW = "byteloom: reading record by record, which is slower: "


@pytest.fixture
def log(tmp_path: Path) -> tuple[str, str]:
    """Return a file and its spec."""
    (tmp_path / "log.ksy").write_text(LOG)
    (tmp_path / "a.log").write_bytes(DATA)
    return str(tmp_path / "a.log"), str(tmp_path / "log.ksy")


def test_the_records_nearest_to_the_top_are_named_where_there_are_several(
    log: tuple[str, str],
) -> None:
    """Without --records, several fields as near to the top are an error that lists all paths."""
    file, spec = log
    said = byteloom("scan", file, "--spec", spec)
    assert said.status == 2
    paths = "events, marks, header.marks, events.body.name.marks"
    assert f"none given, and log repeats several, wanted one of {paths}" in said.err
    said = byteloom("scan", file, "--spec", spec, "--records", "eve")
    assert f"found 'eve', wanted one of {paths}" in said.err


def test_each_record_is_a_row(log: tuple[str, str]) -> None:
    """Rows have a column for each field, and one for each type that a field may have."""
    file, spec = log
    said = byteloom("scan", file, "-s", spec, "--records", "events", "--json")
    assert said.err == ""
    name = {"name": "ab", "marks": [{"at": 3}, {"at": 4}]}
    assert [json.loads(line) for line in said.out.splitlines()] == [
        {"kind": 1, "body": {"mark": {"at": 5}, "name": None}},
        {"kind": 2, "body": {"mark": None, "name": name}},
        {"kind": 0, "body": None},
    ]


@pytest.mark.parametrize(
    ("path", "rows"),
    [("header.marks", [7, 8]), ("marks", [7, 8]), ("events.body.name.marks", [3, 4])],
)
def test_a_path_leads_into_records_and_instances(
    log: tuple[str, str], path: str, rows: list[int]
) -> None:
    """A path names fields and instances from the top, and the type that is meant of several."""
    file, spec = log
    said = byteloom("scan", file, "-s", spec, "--records", path, "--format", "csv")
    assert said.err == ("" if path == "header.marks" else f"{SLOW}its place is in other records\n")
    assert said.out.splitlines() == ["at", *map(str, rows)]


def test_rows_columns_and_the_form_are_chosen_as_elsewhere(
    log: tuple[str, str], tmp_path: Path
) -> None:
    """--rows, --columns, --limit and the name of the output choose what is written, and how."""
    file, spec = log
    out = tmp_path / "rows.parquet"
    written = byteloom("scan", file, "-s", spec, "--records", "events", "-o", out).out
    assert written == f"3 rows, {out.stat().st_size:,} bytes\n"
    table = pq.read_table(out)
    assert table.column("kind").to_pylist() == [1, 2, 0]
    assert table.column("body").to_pylist()[0] == {"mark": {"at": 5}, "name": None}
    base = ("scan", file, "-s", spec, "--records", "events", "--format", "csv", "-c", "kind")
    assert byteloom(*base, "--rows", "1:").out.split() == ["kind", "2", "0"]
    assert byteloom(*base, "--rows", "1:2").out.split() == ["kind", "2"]
    assert byteloom(*base, "--rows", ":2", "-n", "1").out.split() == ["kind", "1"]
    assert byteloom(*base, "--rows", "3:9").out.split() == ["kind"]
    assert "found '1', wanted FROM:TO" in byteloom(*base, "--rows", "1").err
    assert "found '2:1', wanted FROM up to TO" in byteloom(*base, "--rows", "2:1").err
    wrong = byteloom("scan", file, "-s", spec, "--records", "events", "-c", "kinds")
    assert (wrong.status, "found 'kinds'" in wrong.err) == (1, True)
    nested = ("scan", file, "-s", spec, "--records", "events", "--json", "-c")
    rows = byteloom(*nested, "body.mark.at,kind").out.splitlines()
    assert rows[0] == '{"body.mark.at": 5, "kind": 1}'
    assert [json.loads(each)["kind"] for each in rows] == [1, 2, 0]
    wrong = byteloom(*nested, "body.mark.on")
    assert (wrong.status, "did you mean body.mark.at" in wrong.err) == (1, True)
    for name in ("at", "AT", "mark.at"):
        wrong = byteloom(*nested, name)
        assert "; did you mean body.mark.at?" in wrong.err


def test_damage_is_one_line_with_the_file_and_the_place(
    log: tuple[str, str], tmp_path: Path
) -> None:
    """A damaged record ends the table with the record's own error, which names the file."""
    file, spec = log
    Path(file).write_bytes(DATA + b"\3")
    said = byteloom("scan", file, "-s", spec, "--records", "events", "-o", tmp_path / "out.csv")
    where = f"{file}: log.events[3].kind at byte 15 (0xf)"
    assert (said.status, said.err.splitlines()[-1]) == (
        1,
        f"byteloom: {where}: found 3, wanted at most 2",
    )
    assert not (tmp_path / "out.csv").exists()


def test_a_spec_that_repeats_nothing_reads_records_end_to_end(tmp_path: Path) -> None:
    """A file of top records is a table of them; its loop needs no word on stderr."""
    (tmp_path / "tick.ksy").write_text(
        "meta: {id: tick, endian: be}\nseq: [{id: a, type: u2}, {id: b, type: u1}]\n"
    )
    (tmp_path / "ticks").write_bytes(b"\0\1\2\0\3\4")
    said = byteloom("scan", tmp_path / "ticks", "-s", tmp_path / "tick.ksy", "--format", "csv")
    assert said == (0, "a,b\n1,2\n3,4\n", "")


HEADER = "meta: {id: snd, endian: be}\nseq: [{id: magic, contents: SND}, {id: num, type: u1}]\n"


def test_an_error_says_that_a_spec_without_repeated_fields_describes_a_series_of_records(
    tmp_path: Path,
) -> None:
    """From the second record on, the error says why records are expected, and what to change."""
    spec, file = tmp_path / "snd.ksy", tmp_path / "a.snd"
    spec.write_text(HEADER)
    file.write_bytes(b"SND\1samples")
    said = byteloom("scan", file, "-s", spec)
    place = f"{file}: snd[1].magic at byte 4 (0x4): found b'sam', wanted b'SND'"
    advice = (
        "(snd.ksy repeats no field, so the file was read as snd records end to end; to list the"
        " elements of one such record, give their field a `repeat`; `byteloom describe` shows all"
        " fields of a file)"
    )
    assert (said.status, said.err) == (1, f"byteloom: {place} {advice}\n")
    file.write_bytes(b"SDN\1")
    said = byteloom("scan", file, "-s", spec)
    assert said.err == (
        f"byteloom: {file}: snd[0].magic at byte 0 (0x0): found b'SDN', wanted b'SND'\n"
    )


def test_records_of_a_spec_that_repeats_nothing_cannot_be_chosen(tmp_path: Path) -> None:
    """--records and a spec without fields to list are usage errors that say so."""
    spec, file = tmp_path / "snd.ksy", tmp_path / "a.snd"
    spec.write_text(HEADER)
    file.write_bytes(b"SND\1")
    said = byteloom("scan", file, "-s", spec, "--records", "samples")
    wanted = (
        "found 'samples', wanted no path, since snd repeats no field: without --records, the file"
        " is read as snd records end to end"
    )
    assert (said.status, wanted in said.err) == (2, True)
    spec.write_text("meta: {id: snd}\nseq: [{id: magic, contents: SND}]\n")
    said = byteloom("scan", file, "-s", spec)
    assert said.status == 2
    assert "its records have no columns, and no field repeats: nothing to list" in said.err


@pytest.mark.parametrize("way", ["folder of the user", "PYTHONPATH", "--classes"])
@pytest.mark.parametrize("keeps", [True, False])
def test_the_spec_decides_whatever_modules_of_its_name_there_are(
    way: str, keeps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that is called as those made of the spec is never imported in their place."""
    if not keeps:
        monkeypatch.setattr("byteloom.cli.inputs.generated_modules.kept_module", lambda *_: None)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    others, spec = tmp_path / "others", tmp_path / "tick.ksy"
    others.mkdir()
    spec.write_text("meta: {id: tick, endian: be}\nseq: [{id: a, type: u2}, {id: b, type: u1}]\n")
    for name in ("tick", "tick_scan"):
        (others / f"{name}.py").write_text("raise SystemExit('a module of somebody else')")
    (tmp_path / "ticks").write_bytes(b"\0\1\2\0\3\4")
    options = ["--classes", others] if way == "--classes" else []
    if way == "PYTHONPATH":
        monkeypatch.setenv("PYTHONPATH", str(others))
    base = (tmp_path / "ticks", "--spec", spec, *options)
    cwd = others if way == "folder of the user" else tmp_path
    said = byteloom("scan", *base, "--format", "csv", cwd=cwd)
    assert said == (0, "a,b\n1,2\n3,4\n", "")
    described = byteloom("describe", *base, "--json", cwd=cwd)
    assert described.status == 0, described.err


def test_classes_are_not_looked_for_in_the_folder_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without PYTHONPATH only --classes names folders of classes that a spec does not describe."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    spec, here, classes = tmp_path / "box.ksy", tmp_path / "here", tmp_path / "classes"
    here.mkdir()
    classes.mkdir()
    spec.write_text("meta: {id: box, ks-opaque-types: true}\nseq: [{id: x, type: other}]\n")
    (here / "other.py").write_text("raise SystemExit('a module of somebody else')")
    (tmp_path / "f").write_bytes(b"abc")
    said = byteloom("describe", tmp_path / "f", "--spec", spec, "--classes", classes, cwd=here)
    assert "found no module other, wanted the module of a class" in said.err


def test_parameters_reach_the_records(tmp_path: Path) -> None:
    """--param is passed to the top record; without it the command says what the spec wants."""
    (tmp_path / "p.ksy").write_text(
        "meta: {id: p, endian: be}\nparams: [{id: size, type: u1}]\n"
        "seq: [{id: rows, type: row(size), repeat: eos}]\n"
        "types: {row: {params: [{id: n, type: u1}], seq: [{id: x, size: n}]}}\n"
    )
    (tmp_path / "f").write_bytes(b"abcdef")
    base = ("scan", tmp_path / "f", "-s", tmp_path / "p.ksy", "--format", "csv")
    assert byteloom(*base, "--param", "size=3").out.split() == ["x", "616263", "646566"]
    assert "p wants size=..." in byteloom(*base).err


@pytest.mark.parametrize("place", ["meta", "field"])
@pytest.mark.parametrize("command", ["scan", "describe"])
def test_an_unknown_encoding_is_refused_at_its_place_in_the_spec(
    tmp_path: Path, command: str, place: str
) -> None:
    """An encoding that Python does not know is a mistake in the spec, not damage of the file."""
    own = {"meta": ("encoding: UFT-8, ", ""), "field": ("", ", encoding: UFT-8")}[place]
    (tmp_path / "t.ksy").write_text(
        f"meta: {{{own[0]}id: t}}\nseq:\n  - {{id: a, type: str, size: 1{own[1]}, repeat: eos}}\n"
    )
    (tmp_path / "a").write_bytes(b"abc")
    said = byteloom(command, tmp_path / "a", "--spec", tmp_path / "t.ksy")
    path = {"meta": "1:18: /meta/encoding", "field": "3:43: /seq/0/encoding"}[place]
    wanted = "unknown encoding 'UFT-8' (did you mean `UTF-8`?)"
    assert (said.status, said.out, said.err) == (1, "", f"{tmp_path}/t.ksy:{path}: {wanted}\n")


@pytest.mark.parametrize("encoding", ["koi8-r", "cp1140", "latin1"])
@pytest.mark.parametrize("command", ["scan", "describe"])
def test_an_encoding_that_only_python_knows_is_read(
    tmp_path: Path, command: str, encoding: str
) -> None:
    """Encodings that the list of Kaitai Struct lacks are used if Python has them."""
    (tmp_path / "t.ksy").write_text(
        f"meta: {{id: t, encoding: {encoding}}}\n"
        "seq: [{id: all, type: one, repeat: eos}]\n"
        "types: {one: {seq: [{id: a, type: str, size: 2}]}}"
    )
    (tmp_path / "a").write_bytes("ÄÄ".encode(encoding) if encoding != "koi8-r" else b"\xc1\xc2")
    said = byteloom(command, tmp_path / "a", "--spec", tmp_path / "t.ksy")
    assert (said.status, said.err) == (0, "")
    assert ("ÄÄ" if encoding != "koi8-r" else "\u0430\u0431") in said.out


WINDOWS = {
    "bytes": ("size: 6", "", [10, 20, 30]),
    "bytes of a kept stream": (
        "size: 6",
        "instances: {y: {pos: 0, type: u1}}",
        [10, 20, 30],
    ),
    "bytes whose number is asked": ("size: 6", "instances: {y: {value: _io.size}}", [10, 20, 30]),
    "bytes up to one": ("terminator: 40", "", [10, 20, 30]),
    "bytes that end earlier": ("size: 7, terminator: 40", "", [10, 20, 30]),
    "the rest": ("size-eos: true", "", [10, 20, 30, 40]),
    "decoded bytes": ("size: 6, process: xor(1)", "", [267, 277, 287]),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_records_in_a_window_are_rows(name: str, tmp_path: Path) -> None:
    """Records inside a record that has bytes of its own are listed, however these are cut out."""
    how, instances, values = WINDOWS[name]
    (tmp_path / "t.ksy").write_text(f"""
meta: {{id: t, endian: le}}
seq: [{{id: magic, contents: AB}}, {{id: body, type: body, {how}}}]
types:
  body:
    seq: [{{id: points, type: point, repeat: eos}}]
    {instances}
  point: {{seq: [{{id: x, type: s2}}]}}
""")
    (tmp_path / "file").write_bytes(b"AB" + struct.pack("<4h", 10, 20, 30, 40))
    said = byteloom("scan", tmp_path / "file", "--spec", tmp_path / "t.ksy", "--json")
    assert (said.err, [json.loads(each) for each in said.out.splitlines()]) == (
        "",
        [{"x": each} for each in values],
    )


@pytest.mark.parametrize(("path", "values"), [("a.points", [1, 2]), ("b.points", [3, 4])])
@pytest.mark.parametrize("size", [", size: 4", ""])
def test_fields_of_one_name_in_two_records_are_not_mixed_up(
    path: str, values: list[int], size: str, tmp_path: Path
) -> None:
    """Of two records with the same repeated field, that on the path is listed."""
    repeat = "repeat: eos" if size else "repeat: expr, repeat-expr: 2"
    (tmp_path / "t.ksy").write_text(f"""
meta: {{id: t, endian: le}}
seq: [{{id: a, type: body{size}}}, {{id: b, type: body{size}}}]
types:
  body: {{seq: [{{id: points, type: point, {repeat}}}]}}
  point: {{seq: [{{id: x, type: s2}}]}}
""")
    (tmp_path / "file").write_bytes(struct.pack("<4h", 1, 2, 3, 4))
    spec = ("--spec", tmp_path / "t.ksy", "--records", path, "--json")
    said = byteloom("scan", tmp_path / "file", *spec)
    assert [json.loads(each)["x"] for each in said.out.splitlines()] == values
