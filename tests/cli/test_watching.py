"""A command that is run again whenever one of its files changes."""

import time
from pathlib import Path

import pytest

from byteloom.cli import watching


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
        watching.again_on_changes(run, lambda: found)
    assert runs == [0, 1]
