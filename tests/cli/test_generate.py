"""`byteloom generate` turns specs into Python, and leaves unchanged files alone."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import PROGRAM, byteloom, process

SPEC = """\
meta:
  id: point
  endian: le
seq:
  - id: x
    type: s4
  - id: y
    type: s4
"""

VECTORS = "point: [{name: a, hex: 01000000 02000000, value: {x: 1, y: 2}}]\n"
POINTS = """\
meta: {id: points, endian: le}
seq: [{id: points, type: point, repeat: eos}]
types:
  point:
    seq:
      - {id: x, type: s4}
      - {id: y, type: s4}
"""
MESSAGES = """\
// Points.
edition = "2023";

package points;

// A point.
message P {
  // Where.
  int32 x = 1;
}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """Write a spec into a folder of its own."""
    path = tmp_path / "specs" / "point.ksy"
    path.parent.mkdir()
    path.write_text(SPEC)
    return path


def test_a_spec_becomes_a_module_that_reads_and_writes(spec: Path, tmp_path: Path) -> None:
    """A generated module can be imported, and reads back what it wrote."""
    out = tmp_path / "out"
    outcome = byteloom("generate", spec, "-o", out)
    assert outcome == (0, f"{out / 'point.py'}\n", "")
    code = (
        "from point import Point; p = Point(x=1, y=-2); print(Point.from_bytes(p.to_bytes()) == p)"
    )
    assert process(sys.executable, "-c", code, cwd=out) == (0, "True\n", "")


def test_current_files_are_left_alone(spec: Path, tmp_path: Path) -> None:
    """A second run writes nothing, and --check reports nothing."""
    byteloom("generate", spec, "-o", tmp_path / "out")
    written = (tmp_path / "out" / "point.py").stat()
    assert byteloom("generate", spec, "-o", tmp_path / "out") == (0, "", "")
    assert byteloom("generate", spec, "-o", tmp_path / "out", "--check") == (0, "", "")
    assert (tmp_path / "out" / "point.py").stat().st_mtime_ns == written.st_mtime_ns


def test_two_specs_of_one_name_do_not_become_one_file(spec: Path, tmp_path: Path) -> None:
    """Two specs with one name, even of different forms, are refused, and nothing is written."""
    other = tmp_path / "others" / "point.ksy"
    other.parent.mkdir()
    other.write_text(SPEC)
    outcome = byteloom("generate", spec, other, "-o", tmp_path / "out")
    error = f"{other}:2:7: /meta/id: 'point' is the id of {spec} too: both would be point.py "
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(error)
    messages = other.with_suffix(".proto")
    messages.write_text(MESSAGES)
    error = f"byteloom: {tmp_path / 'out' / 'point.py'}: two specs would become this file\n"
    assert byteloom("generate", spec, messages, "-o", tmp_path / "out") == (1, "", error)
    assert not (tmp_path / "out").exists()


def test_check_prints_a_diff_and_writes_nothing(spec: Path, tmp_path: Path) -> None:
    """`--check` shows stale code as a unified diff, writes nothing, and returns 1."""
    out = tmp_path / "out"
    byteloom("generate", spec, "-o", out)
    before = (out / "point.py").read_text()
    spec.write_text(SPEC.replace("id: y", "id: z"))
    outcome = byteloom("generate", spec, "-o", out, "--check")
    assert outcome.status == 1
    assert "\n-    y: int\n" in outcome.out
    assert "\n+    z: int\n" in outcome.out
    assert outcome.err == (
        f"byteloom: 1 generated file is stale: run `byteloom generate {spec} -o {out}`\n"
    )
    assert (out / "point.py").read_text() == before


@pytest.mark.parametrize("options", [[], ["--check"], ["--api", "kaitaistruct"]])
def test_modules_whose_spec_is_gone_are_named(
    spec: Path, tmp_path: Path, options: list[str]
) -> None:
    """Modules without their spec are named on stderr, and are kept."""
    out, old = tmp_path / "out", spec.with_name("old.ksy")
    old.write_text(SPEC.replace("point", "old"))
    pages = [] if "--api" in options else ["--reference", out]
    api = options if "--api" in options else []
    byteloom("generate", spec.parent, "-o", out, *pages, *api)
    (out / "by_hand.py").write_text('"""Mine."""\n')
    old.unlink()
    if "--check" in options:  # the page that is left has no list of pages to link to
        assert byteloom("generate", spec.parent, "-o", out, *pages, *options).status == 1
        byteloom("generate", spec.parent, "-o", out, *pages)
    outcome = byteloom("generate", spec.parent, "-o", out, *pages, *options)
    names = ["old.html", "old.md", "old.py"] if pages else ["old.py"]
    wanted = "".join(f"{out / name}: what it was made from is gone; delete it\n" for name in names)
    assert (outcome.status, outcome.err) == (0, wanted)
    assert all((out / name).exists() for name in names)
    assert byteloom("generate", spec, "-o", out, *options).err == ""


def test_a_scanner_of_an_earlier_spec_is_named(tmp_path: Path) -> None:
    """A scanner of an outdated layout is named, and `--check --scanners` returns 1."""
    spec, out = tmp_path / "log.ksy", tmp_path / "out"
    entry = "types:\n  entry:\n    seq:\n      - {id: a, type: u1}\n      - {id: b, type: u1%s}\n"
    head = "meta: {id: log}\nseq:\n  - {id: version, type: u1}\n"
    head += "  - {id: entries, type: entry, repeat: eos}\n"
    spec.write_text(head + entry % "")
    assert byteloom("generate", spec, "-o", out, "--scanners").err == ""
    says = f"{out / 'log_scan.py'}: an earlier run made it, and it may misread files; "
    plain = byteloom("generate", spec, "-o", out)
    assert plain == (0, "", f"{says}make it again with --scanners, or delete it\n")
    spec.write_text(head + entry.replace("u1", "t") % "" + "  t: {seq: []}\n")
    written = byteloom("generate", spec, "-o", out, "--scanners")
    assert (written.status, written.err.splitlines()[-1]) == (0, f"{says}delete it")
    assert byteloom("generate", spec, "-o", out, "--scanners", "--check").status == 1
    (out / "log_scan.py").unlink()
    assert byteloom("generate", spec, "-o", out, "--scanners", "--check").status == 0


def test_a_repository_is_stale_where_a_spec_is_gone(tmp_path: Path) -> None:
    """`--check` returns 1 and names files whose source is gone; generating only names them."""
    for folder in ("specs/a", "generated/byteloom_generated/a", "generated/reference"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("point", "old"):
        text = SPEC.replace("id: point", f"id: {name}")
        (tmp_path / "specs" / "a" / f"{name}.ksy").write_text(text)
    (tmp_path / "generated" / "byteloom_generated" / "a" / "__init__.py").touch()
    assert byteloom("generate", cwd=tmp_path).err == ""
    assert byteloom("generate", "--check", cwd=tmp_path) == (0, "", "")
    (tmp_path / "specs" / "a" / "old.ksy").unlink()
    outcome = byteloom("generate", cwd=tmp_path)
    left = ["byteloom_generated/a/old.lines.json", "byteloom_generated/a/old.py"]
    left += [f"reference/a/{name}" for name in ("old.html", "old.md", "pictures/old.svg")]
    lines = [
        f"{tmp_path / 'generated' / name}: what it was made from is gone; delete it"
        for name in left
    ]
    assert (outcome.status, outcome.err.splitlines()) == (0, lines)
    checked = byteloom("generate", "--check", cwd=tmp_path)
    assert (checked.status, checked.out, checked.err.splitlines()) == (1, "", lines)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["-o"], "point.py"),
        (["-o", "--scanners"], "points_scan.py"),
        (["-o", "--api=kaitaistruct"], "point.py"),
        (["--reference"], "point.md"),
        (["--reference"], "point.html"),
        (["--reference"], "pictures/point.svg"),
        (["--reference"], "vectors.json"),
    ],
)
@pytest.mark.parametrize("check", [[], ["--check"]])
def test_files_of_others_are_replaced_by_force_alone(
    tmp_path: Path, options: list[str], name: str, check: list[str]
) -> None:
    """A file that byteloom did not write is replaced with `--force` only."""
    spec, out = tmp_path / "point.ksy", tmp_path / "out"
    spec.write_text(SPEC)
    (tmp_path / "vectors.yaml").write_text(VECTORS)
    if "--scanners" in options:
        spec = tmp_path / "points.ksy"
        spec.write_text(POINTS)
    own = out / name
    own.parent.mkdir(parents=True)
    own.write_text("# my own module\n")
    command = ("generate", spec, *options[1:], options[0], out)
    outcome = byteloom(*command, *check)
    why = "the file exists, and `byteloom generate` did not write it; --force replaces it"
    assert outcome == (1, "", f"byteloom: {own}: {why}\n")
    assert [path for path in out.rglob("*") if path.is_file()] == [own]
    assert own.read_text() == "# my own module\n"
    forced = byteloom(*command, "--force")
    assert str(own) in forced.out.splitlines()
    assert (forced.status, byteloom(*command)) == (0, (0, "", ""))
    spec.write_text(spec.read_text().replace("id: y", "id: z"))
    (tmp_path / "vectors.yaml").write_text(VECTORS.replace("y: ", "z: "))
    assert str(own) in byteloom(*command).out.splitlines()


def test_all_files_of_others_are_counted(tmp_path: Path) -> None:
    """The error names the first file that byteloom did not write, and counts the others."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.ksy").write_text(SPEC.replace("id: point", f"id: {name}"))
        (tmp_path / f"{name}.py").write_text("")
    outcome = byteloom("generate", tmp_path, "-o", tmp_path)
    assert outcome.err.endswith(
        "a.py: the file exists, and `byteloom generate` did not write it;"
        " --force replaces it (and 2 more such)\n"
    )


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_a_pipe_in_the_place_of_an_output_is_refused(
    spec: Path, tmp_path: Path, options: list[str]
) -> None:
    """A pipe at an output's path is refused, since opening it would block."""
    place = tmp_path / "out" / "point.py"
    place.parent.mkdir()
    os.mkfifo(place)
    outcome = byteloom("generate", spec, "-o", place.parent, *options)
    assert (outcome.status, outcome.err) == (1, f"byteloom: {place}: not a regular file\n")
    assert place.is_fifo()


def test_mistakes_in_specs_are_a_line_each(spec: Path, tmp_path: Path) -> None:
    """Mistakes in specs are one line each, with file, line and column; nothing is written."""
    spec.write_text(SPEC.replace("s4", "s5").replace("id: y", "id: y\n    nonsense: 1"))
    outcome = byteloom("generate", spec, "-o", tmp_path / "out")
    lines = outcome.err.splitlines()
    assert (outcome.status, outcome.out) == (1, "")
    assert len(lines) == 3
    assert all(line.startswith(f"{spec}:") for line in lines)
    assert lines[0].startswith(f"{spec}:6:")
    assert not (tmp_path / "out").exists()


def test_a_missing_spec_is_an_error(tmp_path: Path) -> None:
    """A missing spec is reported in one line."""
    outcome = byteloom("generate", tmp_path / "missing.ksy", "-o", tmp_path / "out")
    assert outcome.status == 1
    assert outcome.err.count("\n") == 1
    assert "missing.ksy" in outcome.err


def test_output_folder_and_specs_go_together(spec: Path) -> None:
    """`generate` of a spec without an output folder is wrong usage."""
    assert byteloom("generate", spec).status == 2


def test_outside_a_repository_a_spec_has_to_be_named(tmp_path: Path) -> None:
    """Without a spec, outside a repository, the error says what to name."""
    outcome = byteloom("generate", cwd=tmp_path)
    assert outcome.status == 1
    assert outcome.err.startswith("byteloom: ")
    assert "name a SPEC and -o DIR" in outcome.err


def test_without_the_generators_libraries_the_extra_is_named(spec: Path, tmp_path: Path) -> None:
    """Without Jinja2, the error names the extra to install."""
    code = (
        "import sys; sys.modules['jinja2'] = None\n"  # as the import system marks what is not there
        "from byteloom.cli import app; app(prog_name='byteloom')"
    )
    run = process(sys.executable, "-c", code, "generate", spec, "-o", tmp_path)
    assert run.status == 1
    assert run.err.startswith("byteloom: generate: found no module jinja2, wanted ")
    assert re.search(r"wanted what `pip install '\S+\[codegen\]'` installs", run.err)


BASE = """\
meta:
  id: base
  imports:
    - sub/part
    - /shared/unit
seq:
  - id: first
    type: part
  - id: second
    type: unit
"""
NUMBER = "meta:\n  id: {}\nseq:\n  - id: value\n    type: u1\n"
FORMS = ("records", "kaitaistruct")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Write specs in folders that import each other by relative and by absolute names."""
    folder = tmp_path / "tree"
    files = {
        "base.ksy": BASE,
        "sub/part.ksy": NUMBER.format("part"),
        "shared/unit.ksy": NUMBER.format("unit"),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def ran(code: str, folder: Path) -> str:
    """Return what a program prints that starts in *folder*."""
    run = process(sys.executable, "-c", code, cwd=folder)
    assert not run.err
    return run.out


@pytest.mark.parametrize("form", FORMS)
def test_a_folder_of_specs_becomes_one_flat_folder(tree: Path, tmp_path: Path, form: str) -> None:
    """All specs below a folder become modules of one flat folder."""
    out = tmp_path / "out"
    outcome = byteloom("generate", "--api", form, tree, "-o", out)
    assert (outcome.status, outcome.err) == (0, "")
    assert sorted(each.name for each in out.iterdir()) == ["base.py", "part.py", "unit.py"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("how", ["path", "namespace", "package"])
def test_modules_import_each_other_wherever_they_lie(
    tree: Path, tmp_path: Path, form: str, how: str
) -> None:
    """Generated modules import each other on the path, below it, and in a package."""
    out = tmp_path / "out"
    out.mkdir()
    if how == "package":
        (out / "__init__.py").touch()
    assert byteloom("generate", "--api", form, tree, "-o", out).status == 0
    base, folder = ("base", out) if how == "path" else ("out.base", tmp_path)
    code = (
        f"from {base} import Base; b = Base.from_bytes(b'AB'); print(b.first.value, b.second.value)"
    )
    assert ran(code, folder) == "65 66\n"


@pytest.mark.parametrize("package", [True, False])
def test_modules_of_either_layout_are_typed(tree: Path, tmp_path: Path, package: bool) -> None:
    """A type checker resolves imports between modules, in a folder and in a package."""
    out = tmp_path / "out"
    byteloom("generate", tree, "-o", out, "--package" if package else "--flat")
    if package:
        (out / "__init__.py").touch()
    run = process(sys.executable, "-m", "mypy", "--strict", "out", cwd=tmp_path)
    assert run.status == 0, run.out
    ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--check"]
    assert process(*ruff, out).status == 0


def test_drop_in_modules_have_the_official_api(spec: Path, tmp_path: Path) -> None:
    """With `--api kaitaistruct` a class is a KaitaiStruct, and is read as one."""
    byteloom("generate", "--api", "kaitaistruct", spec, "-o", tmp_path)
    code = (
        "from kaitaistruct import KaitaiStruct; from point import Point\n"
        "p = Point.from_bytes(bytes([1, 0, 0, 0, 2, 0, 0, 0]))\n"
        "print(isinstance(p, KaitaiStruct), p.x, p.y)"
    )
    assert ran(code, tmp_path) == "True 1 2\n"


def test_drop_in_modules_write_where_asked_to(spec: Path, tmp_path: Path) -> None:
    """With `--read-write` a drop-in class can be built, checked and written."""
    byteloom("generate", "--api", "kaitaistruct", "--read-write", spec, "-o", tmp_path)
    code = (
        "from io import BytesIO; from kaitaistruct import KaitaiStream; from point import Point\n"
        "p = Point()\n"
        "p.x, p.y = 1, 2\n"
        "p._check()\n"
        "stream = KaitaiStream(BytesIO(bytes(8)))\n"
        "p._write(stream)\n"
        "print(stream.to_byte_array())"
    )
    assert ran(code, tmp_path) == f"{bytes([1, 0, 0, 0, 2, 0, 0, 0])!r}\n"


def test_records_have_no_mode_in_which_they_write(spec: Path, tmp_path: Path) -> None:
    """`--read-write` without `--api kaitaistruct` is wrong usage."""
    run = byteloom("generate", "--read-write", spec, "-o", tmp_path)
    assert run.status == 2
    assert "records write anyway" in run.err


def test_include_folders_and_kspath_lead_to_absolute_imports(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Absolute imports are found in folders given by `-I` or by KSPATH."""
    out, base = tmp_path / "out", tree / "base.ksy"
    missing = byteloom("generate", base, "-o", out)
    assert missing.status == 1
    assert missing.err.startswith(f"{base}:5:7: /meta/imports/1: unable to find")
    assert byteloom("generate", base, "-I", tmp_path, "-I", tree, "-o", out).status == 0
    monkeypatch.setenv("KSPATH", str(tree))
    assert byteloom("generate", base, "-o", tmp_path / "other").status == 0


def test_two_files_with_one_id_are_an_error_that_names_both(tree: Path, tmp_path: Path) -> None:
    """Two files with one id are an error that names both; neither is generated."""
    (tree / "deeper").mkdir()
    (tree / "deeper" / "part.ksy").write_text(NUMBER.format("part"))
    out = tmp_path / "out"
    outcome = byteloom("generate", "--api", "kaitaistruct", tree, "-o", out)
    assert outcome.status == 1
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith(
        f"{tree / 'deeper' / 'part.ksy'}:2:7: /meta/id: 'part' is the id of "
        f"{tree / 'sub' / 'part.ksy'} too"
    )
    assert [each.name for each in out.iterdir()] == ["unit.py"]


@pytest.mark.parametrize("form", FORMS)
def test_mistakes_of_every_spec_are_reported(tree: Path, tmp_path: Path, form: str) -> None:
    """A spec with mistakes is not generated, nor what imports it; other specs are."""
    (tree / "sub" / "part.ksy").write_text(NUMBER.format("part").replace("u1", "u3"))
    (tree / "other.ksy").write_text(NUMBER.format("other").replace("value", "Value"))
    out = tmp_path / "out"
    outcome = byteloom("generate", "--api", form, tree, "-o", out)
    assert outcome.status == 1
    assert sorted(line.partition(": ")[0] for line in outcome.err.splitlines()) == [
        f"{tree / 'other.ksy'}:4:9",
        f"{tree / 'sub' / 'part.ksy'}:5:11",
    ]
    assert [each.name for each in out.iterdir()] == ["unit.py"]


def test_warnings_go_to_stderr_and_change_nothing(spec: Path, tmp_path: Path) -> None:
    """Discouraged forms in a spec are reported on stderr, and the status stays 0."""
    spec.write_text(
        SPEC + "  - id: size\n    type: u1\n  - id: text\n    size: size\n", encoding="utf-8"
    )
    outcome = byteloom("generate", spec, "-o", tmp_path / "out")
    assert outcome.status == 0
    assert outcome.err.startswith(f"{spec}:9:9: /seq/2/id: warning: use `len_text` instead")


def test_opaque_types_are_taken_for_classes_written_elsewhere(spec: Path, tmp_path: Path) -> None:
    """With `--opaque-types` an unknown type is imported from a module of its name."""
    spec.write_text(SPEC.replace("type: s4", "type: coordinate"))
    assert byteloom("generate", spec, "-o", tmp_path).status == 1
    for form in FORMS:
        assert byteloom("generate", "--opaque-types", "--api", form, spec, "-o", tmp_path)[0] == 0
        assert "import coordinate" in (tmp_path / "point.py").read_text() or form == "records"


def test_a_failed_write_leaves_what_was_there(spec: Path, tmp_path: Path) -> None:
    """If one file cannot be written, no file is replaced and no partial file stays."""
    out = tmp_path / "out"
    byteloom("generate", spec, "-o", out)
    before = (out / "point.py").read_bytes()
    spec.write_text(SPEC.replace("id: y", "id: z"))
    spec.with_name("wider.ksy").write_text(NUMBER.format("wider"))
    (out / "wider.py").mkdir()  # in the way of a file
    outcome = byteloom("generate", spec.parent, "-o", out)
    assert outcome.status == 1
    assert outcome.err.count("\n") == 1
    assert (out / "point.py").read_bytes() == before
    assert sorted(each.name for each in out.iterdir()) == ["point.py", "wider.py"]


def test_check_works_for_drop_ins(spec: Path, tmp_path: Path) -> None:
    """`--check` compares with what the same options would write, even for drop-ins."""
    options = ("--api", "kaitaistruct", spec, "-o", tmp_path)
    byteloom("generate", *options)
    assert byteloom("generate", "--check", *options) == (0, "", "")
    assert byteloom("generate", "--check", spec, "-o", tmp_path).status == 1


def test_a_folder_without_specs_is_an_error(tmp_path: Path) -> None:
    """A folder without specs is an error."""
    outcome = byteloom("generate", tmp_path, "-o", tmp_path / "out")
    assert outcome == (1, "", f"byteloom: {tmp_path}: found no .ksy file in it\n")


@pytest.mark.parametrize("options", [("--scanners",), ("--api", "other")])
def test_options_that_exclude_each_other_are_wrong_usage(
    spec: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Options that drop-ins do not have, such as for scanners, are wrong usage."""
    run = byteloom("generate", "--api", "kaitaistruct", *options, spec, "-o", tmp_path)
    assert run.status == 2


def test_watching_generates_again_after_each_change(spec: Path, tmp_path: Path) -> None:
    """--watch goes on after a mistake, follows an imported spec, and ends by Ctrl-C."""
    other = spec.with_name("other.ksy")
    other.write_text("meta: {id: other}\nseq: [{id: a, type: u1}]\n")
    spec.write_text(
        "meta: {id: point, imports: [other]}\nseq: [{id: o, type: other}]\n", encoding="utf-8"
    )
    command = [*PROGRAM, "generate", str(spec), "-o", str(tmp_path / "out"), "--watch"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert {run.stdout.readline(), run.stdout.readline()} == {
            f"{tmp_path / 'out' / name}.py\n" for name in ("other", "point")
        }
        other.write_text("meta: {id: other}\nseq: [{id: a, type: nothing}]\n")
        assert "nothing" in run.stderr.readline()
        other.write_text("meta: {id: other}\nseq: [{id: longer, type: u1}]\n")
        assert run.stdout.readline() == f"{tmp_path / 'out' / 'other.py'}\n"
        run.send_signal(signal.SIGINT)
        assert run.wait() == 130
    assert "longer" in (tmp_path / "out" / "other.py").read_text()


@pytest.mark.parametrize("more", [["--check"], []], ids=["check", "repository"])
def test_only_specs_that_are_written_can_be_watched(
    spec: Path, tmp_path: Path, more: list[str]
) -> None:
    """--watch needs a spec, and does not go with --check."""
    named = [str(spec), "-o", str(tmp_path)] if more else []
    outcome = byteloom("generate", *named, *more, "--watch")
    assert outcome.status == 2
    assert "needs SPEC, and writes" in outcome.err


@pytest.mark.parametrize("given", [["-", "specs/t.ksy"], ["specs/t.ksy", "-"]])
def test_compat_reads_a_version_from_standard_input(tmp_path: Path, given: list[str]) -> None:
    """`-` is standard input, as in `git show HEAD:t.ksy | byteloom compat - t.ksy`."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "other.ksy").write_text("meta: {id: other}\nseq: [{id: x, type: u1}]")
    meta = "meta: {id: t, endian: le, imports: [other]}\n"
    text = f"{meta}seq: [{{id: a, type: u1}}, {{id: b, type: other}}]\n"
    (tmp_path / "specs" / "t.ksy").write_text(text)
    same = byteloom("compat", *given, stdin=text.encode(), cwd=tmp_path)
    assert (same.status, same.out, same.err) == (0, "The specs do not differ.\n", "")
    wider = byteloom("compat", *given, stdin=text.replace("u1", "u2").encode(), cwd=tmp_path)
    assert (wider.status, wider.err) == (1, "")
    assert ":2:7: breaking: t.a is stored as " in wider.out


def test_compat_names_mistakes_in_standard_input(tmp_path: Path) -> None:
    """A version that is no spec, and `-` given twice, are refused with what was wrong."""
    (tmp_path / "t.ksy").write_text("meta: {id: t}")
    bad = byteloom("compat", "-", "t.ksy", stdin=b"\xff", cwd=tmp_path)
    assert (bad.status, bad.err) == (2, "standard input: not UTF-8: byte 0xff at 0\n")
    bad = byteloom("compat", "-", tmp_path / "t.ksy", stdin=b"meta: {id: 1}\nseq: 3")
    assert bad.status == 2
    assert bad.err.startswith(f"{tmp_path}/standard input:")
    twice = byteloom("compat", "-", "-", stdin=b"meta: {id: t}")
    assert twice.status == 2
    assert "found - twice, wanted one version from standard input" in twice.err


@pytest.mark.parametrize(
    "command",
    [["generate", "-", "-o", "."], ["describe", "a", "-s", "-"], ["scan", "a", "-s", "-"]],
)
def test_specs_are_not_read_from_standard_input_elsewhere(
    tmp_path: Path, command: list[str]
) -> None:
    """Commands that need the name of a spec refuse `-` and say so."""
    (tmp_path / "a").write_bytes(b"a")
    said = byteloom(*command, stdin=b"meta: {id: t}", cwd=tmp_path)
    wanted = "found -, wanted a path or a URL: it does not read standard input"
    assert (said.status, said.err) == (1, f"byteloom: {command[0]}: {wanted}\n")


def test_a_scanner_that_cannot_be_made_is_a_mistake_of_the_spec(tmp_path: Path) -> None:
    """A type that asks for a loop that cannot be made is refused once, with what to do."""
    (tmp_path / "t.ksy").write_text(
        "meta: {id: t, endian: le}\nseq: [{id: all, type: one, repeat: eos}]\ntypes:\n"
        "  one:\n    -loom-scan: true\n    seq:\n"
        "      - {id: crc, type: u4, -loom-crc: {algorithm: crc32, over: [a, b]}}\n"
        "      - {id: a, type: u1}\n      - {id: b, type: u1}\n"
    )
    said = byteloom("generate", tmp_path / "t.ksy", "-o", tmp_path / "out", "--scanners")
    reason = "a checksum, which scanners do not compute"
    hint = "a loop is asked for by `-loom-scan` or `-loom-put`: leave that key out"
    mistake = f"{tmp_path / 't.ksy'}:7:9: /types/one/seq/0: {reason} ({hint})\n"
    assert (said.status, said.out, said.err) == (1, "", mistake)
