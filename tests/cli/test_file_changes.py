"""A command that is run again whenever one of its files changes."""

import time
from pathlib import Path

import pytest

from byteloom.cli.inputs import file_changes
from byteloom.errors import ByteloomError


def test_mistakes_are_printed_once_and_that_none_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file written in parts after a mistake is run when it is whole, and reported as sound."""
    file = tmp_path / "a.ksy"
    file.write_text("half")
    parts = iter(["more", "still more", "whole", None])
    runs: list[str] = []

    def run() -> None:
        runs.append(file.read_text())
        if len(runs) == 1:
            raise ByteloomError("a mistake")
        if len(runs) == 2:
            file.write_text("another change")
        else:
            raise KeyboardInterrupt

    def wait(_: float) -> None:
        if (part := next(parts)) is not None:
            file.write_text(part)

    monkeypatch.setattr(time, "sleep", wait)
    with pytest.raises(KeyboardInterrupt):
        file_changes.again_on_changes(run, lambda: {file})
    assert runs == ["half", "whole", "another change"]
    assert capsys.readouterr().err == "byteloom: a mistake\nbyteloom: no mistakes are left\n"


def test_a_change_of_a_file_that_a_run_has_just_found_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changes between being read and being watched leads to another run at once."""
    imported, found, runs = tmp_path / "imported.ksy", set[Path](), []

    def run() -> None:
        runs.append(len(found))
        found.add(imported)
        if len(runs) == 1:
            imported.write_text("meta: {id: imported}\n")
        else:
            raise KeyboardInterrupt

    def wait(_: float) -> None:
        pytest.fail("the change was not noticed")

    monkeypatch.setattr(time, "sleep", wait)
    with pytest.raises(KeyboardInterrupt):
        file_changes.again_on_changes(run, lambda: found)
    assert runs == [0, 1]
