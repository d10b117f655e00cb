"""What a scan makes of a spec is kept, until anything that it came from has changed."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from time import time
from typing import TYPE_CHECKING

import pytest
from tests.support.cli import byteloom, process

from byteloom.cli.inputs.scan_plans import ScanRequest, make, planned
from byteloom.cli.options.specs import ALONE

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.columns.scan_plan import ScanPlan

SPEC = """
meta: {id: log, endian: le, imports: [parts/mark]}
seq: [{id: events, type: event, repeat: eos}]
types:
  event:
    seq:
      - {id: kind, type: u1}
      - {id: body, type: {switch-on: kind, cases: {1: mark, 2: name}}}
  name: {seq: [{id: marks, type: mark, repeat: expr, repeat-expr: 2}]}
"""
MARK = "meta: {id: mark, endian: le}\nseq: [{id: at, type: u1}]\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of caches is the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("KSPATH", raising=False)
    return tmp_path / "cache/byteloom"


def _write(path: Path, text: str) -> None:
    """Write a spec that was not changed lately."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    os.utime(path, (time() - 100, time() - 100))


@pytest.fixture
def asked(tmp_path: Path) -> ScanRequest:
    """A spec with an import, and the records that are asked for."""
    _write(tmp_path / "log.ksy", SPEC)
    _write(tmp_path / "parts/mark.ksy", MARK)
    return ScanRequest(tmp_path / "log.ksy", [], "events", is_open=False)


def _planned(asked: ScanRequest) -> tuple[ScanPlan, bool]:
    """The plan, and whether it was made again."""
    made = []

    def new() -> tuple[ScanPlan, list[Path] | None]:
        plan, files, _ = make(asked, ALONE)
        made.append(plan)
        return plan, files

    return planned(asked, new), bool(made)


def _kept(cache: Path) -> list[Path]:
    return [*cache.glob("scan-*/plan.json")]


def test_a_plan_is_made_once(asked: ScanRequest, cache: Path) -> None:
    """The second plan is the first one, whatever the steps to its records are."""
    for path in ("events", "events.body.name.marks"):
        one = replace(asked, records=path)
        plan, is_new = _planned(one)
        assert is_new
        assert _planned(one) == (plan, False)
    assert len(_kept(cache)) == 2


def test_a_plan_without_steps_is_kept(tmp_path: Path) -> None:
    """A plan for outermost records that fill the file has no steps, and is kept."""
    _write(tmp_path / "tick.ksy", "meta: {id: tick, endian: be}\nseq: [{id: a, type: u2}]\n")
    one = ScanRequest(tmp_path / "tick.ksy", [], None, is_open=False)
    plan, _ = _planned(one)
    assert plan.steps is None
    assert _planned(one) == (plan, False)


@pytest.mark.parametrize("name", ["log.ksy", "parts/mark.ksy"])
def test_a_changed_file_is_noticed(asked: ScanRequest, name: str) -> None:
    """A spec and what it imports are compared by their bytes, whatever their times say."""
    _planned(asked)
    path = asked.spec.parent / name
    before = path.stat()
    path.write_text(path.read_text().replace("u1", "s1"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    plan, is_new = _planned(asked)
    assert is_new
    assert any("s1" in text for text in plan.modules.values())


def test_an_import_that_is_gone_is_noticed(asked: ScanRequest) -> None:
    """A spec whose import is missing is an error, as if it had never been there."""
    _planned(asked)
    (asked.spec.parent / "parts/mark.ksy").unlink()
    with pytest.raises(Exception, match=r"^1$"):  # an exit status
        _planned(asked)


def test_an_import_that_is_found_earlier_is_noticed(tmp_path: Path) -> None:
    """An absolute import is looked up in the folders again, in their order."""
    _write(tmp_path / "log.ksy", SPEC.replace("parts/mark", "/mark"))
    _write(tmp_path / "b/mark.ksy", MARK)
    one = ScanRequest(
        tmp_path / "log.ksy", [tmp_path / "a", tmp_path / "b"], "events", is_open=False
    )
    _planned(one)
    assert not _planned(one)[1]
    _write(tmp_path / "a/mark.ksy", MARK.replace("u1", "u2"))
    plan, is_new = _planned(one)
    assert is_new
    assert "u2le" in plan.modules["mark"]


def test_other_options_are_other_plans(
    asked: ScanRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records, folders of imports, `KSPATH`, classes, and the place of a spec make a difference."""
    _planned(asked)
    _write(tmp_path / "parts/log.ksy", SPEC.replace("parts/mark", "mark"))
    for other in (
        replace(asked, records=None),
        replace(asked, include=[tmp_path]),
        replace(asked, is_open=True),
        replace(asked, spec=tmp_path / "parts/log.ksy"),
    ):
        assert _planned(other)[1], other
    monkeypatch.setenv("KSPATH", str(tmp_path / "other"))  # tmp_path itself is a plan of above
    assert _planned(asked)[1]


@pytest.mark.parametrize("damage", ["cut", "changed", "signed", "empty"])
def test_a_damaged_plan_is_made_anew(asked: ScanRequest, cache: Path, damage: str) -> None:
    """A file that is not a plan any more is not used, and is replaced."""
    plan, _ = _planned(asked)
    (path,) = _kept(cache)
    data = path.read_bytes()
    broken = {
        "cut": data[:-10],
        "changed": data.replace(b"u1", b"u2", 1),
        "signed": _signature_of(b"{}") + b"\n{}",
        "empty": b"",
    }
    path.write_bytes(broken[damage])
    assert _planned(asked) == (plan, True)
    assert path.read_bytes() == data
    assert _planned(asked) == (plan, False)


def _signature_of(data: bytes) -> bytes:
    from byteloom.cli.inputs.scan_plans import _digest

    return _digest(data).encode()


def test_a_spec_that_changes_meanwhile_is_not_kept(
    asked: ScanRequest, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan of a file that was changed while it was read, or just before, is used and not kept."""
    monkeypatch.setattr(
        "byteloom.cli.inputs.scan_plans._SETTLED", 60_000_000_000
    )  # for slow machines
    os.utime(asked.spec.parent / "parts/mark.ksy")
    assert _planned(asked)[1]
    assert not _kept(cache)

    def new() -> tuple[ScanPlan, list[Path] | None]:
        plan, files, _ = make(asked, ALONE)
        _write(asked.spec, SPEC + "\n")
        return plan, files

    _write(asked.spec.parent / "parts/mark.ksy", MARK)
    planned(asked, new)
    assert not _kept(cache)


def test_plans_with_parameters_are_not_kept(tmp_path: Path, cache: Path) -> None:
    """A spec that wants parameters is compiled anew, so that they are looked at."""
    _write(
        tmp_path / "p.ksy",
        "meta: {id: p, endian: be}\nparams: [{id: size, type: u1}]\n"
        "seq: [{id: rows, type: row(size), repeat: eos}]\n"
        "types: {row: {params: [{id: n, type: u1}], seq: [{id: x, size: n}]}}\n",
    )
    (tmp_path / "f").write_bytes(b"abcdef")
    base = ("scan", tmp_path / "f", "-s", tmp_path / "p.ksy", "--format", "csv")
    for size, rows in ((3, ["616263", "646566"]), (2, ["6162", "6364", "6566"])):
        assert byteloom(*base, "--param", f"size={size}").out.split() == ["x", *rows]
    assert "p wants size=..." in byteloom(*base).err
    assert not _kept(cache)


def test_a_parameter_that_is_not_wanted_is_refused(asked: ScanRequest, tmp_path: Path) -> None:
    """A kept plan does not hide that a spec has no such parameter."""
    (tmp_path / "f").write_bytes(b"\0")
    base = ("scan", tmp_path / "f", "-s", asked.spec, "--records", "events")
    assert byteloom(*base).status == 0
    said = byteloom(*base, "--param", "a=1")
    assert (said.status, "found a, wanted one of: none" in said.err) == (2, True)


def test_nothing_is_kept_where_nothing_can_be_written(
    asked: ScanRequest, cache: Path, tmp_path: Path
) -> None:
    """A file in place of the cache leaves plans unkept; the command works."""
    cache.parent.write_text("no folder")
    (tmp_path / "f").write_bytes(b"\1\7\0")
    base = ("scan", tmp_path / "f", "-s", asked.spec, "--records", "events", "--format", "csv")
    for _ in range(2):
        assert byteloom(*base, "-c", "kind").out.split() == ["kind", "1", "0"]


def test_a_missing_spec_is_an_error_as_ever(tmp_path: Path) -> None:
    """A missing spec is an error before any plan is looked up."""
    (tmp_path / "f").write_bytes(b"")
    said = byteloom("scan", tmp_path / "f", "-s", tmp_path / "none.ksy")
    assert (said.status, "cannot be read: No such file" in said.err) == (1, True)


_SCAN = """
import runpy, sys
sys.argv[0] = "byteloom"
try:
    runpy.run_module("byteloom", run_name="__main__")
finally:
    print("byteloom_codegen" in sys.modules)
"""


def test_a_second_command_does_not_load_the_generator(asked: ScanRequest, tmp_path: Path) -> None:
    """The first command compiles the spec; the second one imports what it became."""
    (tmp_path / "f").write_bytes(b"\2\3\4")
    for path, rows in (("events", "kind\n2\n"), ("events.body.name.marks", "at\n3\n4\n")):
        args = ["scan", tmp_path / "f", "-s", asked.spec, "--records", path, "--format", "csv"]
        args += ["-c", "kind" if path == "events" else "at"]
        for loads in (True, False):
            done = process(sys.executable, "-c", _SCAN, *args)
            assert (done.status, done.out) == (0, f"{rows}{loads}\n")
