"""The files of a job appear in a folder together, or the folder is unchanged."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from byteloom.errors import StorageError
from byteloom.storage import Folder
from byteloom.storage.staging import SUCCESS, Staging, is_hidden

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILESYSTEMS: dict[str, Callable[[Path], Any]] = {
    "local": lambda _: None,
    "arrow": lambda place: SubTreeFileSystem(str(place), LocalFileSystem()),
}


def put(staging: Staging, name: str, content: str) -> str:
    """Write a file of the job, as a writer does; return its name."""
    path = staging.place(name)
    staging.folder.arrow().open_output_stream(path, compression=None).write(content.encode())
    return name


def content(folder: Path) -> dict[str, str]:
    """Return the contents of the visible files below a folder, by their paths in it."""
    found = [each for each in folder.rglob("*") if each.is_file()]
    return {each.relative_to(folder).as_posix(): each.read_text() for each in found}


@pytest.fixture(params=FILESYSTEMS)
def staging(request: pytest.FixtureRequest, tmp_path: Path) -> Staging:
    """Return a job that writes to a folder that does not exist yet."""
    filesystem = FILESYSTEMS[request.param](tmp_path)
    place = tmp_path / "out" if filesystem is None else "out"
    job = Staging(Folder(place, filesystem=filesystem), "j1")
    return job if filesystem is not None else pickle.loads(pickle.dumps(job))  # noqa: S301  ours


def test_files_appear_when_they_are_published(staging: Staging, tmp_path: Path) -> None:
    """Published files appear under their final names, and other files of the job are removed."""
    out = tmp_path / "out"
    put(staging, "a.0", "first")
    put(staging, "a.1", "again")
    assert [each.name for each in out.iterdir()] == [".byteloom-j1"]
    staging.publish([("a.1", "a-j1")], replaces=False)
    assert content(out) == {"a-j1": "again", SUCCESS: ""}
    assert sorted(each.name for each in out.iterdir()) == [SUCCESS, "a-j1"]


def test_files_are_added_or_replace_those_that_are_visible(
    staging: Staging, tmp_path: Path
) -> None:
    """Published files are added to those of a folder, or replace all that are not hidden."""
    out = tmp_path / "out"
    (out / "below").mkdir(parents=True)
    for name in ("old", "below/old", ".hidden", "_other"):
        (out / name).write_text(name)
    staging.publish([(put(staging, "a", "A"), "a-j1")], replaces=False)
    assert content(out) == {
        **{name: name for name in ("old", "below/old", ".hidden", "_other")},
        "a-j1": "A",
        SUCCESS: "",
    }
    other = Staging(staging.folder, "j2")
    other.publish([(put(other, "b", "B"), "b-j2")], replaces=True)
    assert content(out) == {".hidden": ".hidden", "_other": "_other", "b-j2": "B", SUCCESS: ""}


@pytest.mark.parametrize("replaces", [False, True])
def test_a_job_that_is_withdrawn_leaves_what_was_there(
    staging: Staging, tmp_path: Path, *, replaces: bool
) -> None:
    """A withdrawn job leaves a folder as it was, even if publishing failed halfway."""
    out = tmp_path / "out"
    (out / "below").mkdir(parents=True)
    (out / "old").write_text("old")
    (out / "below/old").write_text("old")
    put(staging, "a", "A")
    with pytest.raises(StorageError, match="missing"):
        staging.publish([("a", "a-j1"), ("missing", "b-j1")], replaces=replaces)
    assert ("old" in content(out)) is not replaces
    staging.withdraw()
    assert content(out) == {"old": "old", "below/old": "old"}
    staging.withdraw()
    assert content(out) == {"old": "old", "below/old": "old"}


def test_a_job_that_wrote_nothing_is_published_and_withdrawn(
    staging: Staging, tmp_path: Path
) -> None:
    """A job without files publishes only the success marker, and withdrawn it leaves nothing."""
    staging.withdraw()
    assert not (tmp_path / "out").exists()
    staging.publish([], replaces=True)
    assert content(tmp_path / "out") == {SUCCESS: ""}


@pytest.mark.parametrize("holds", [None, "nothing", "a file"])
def test_a_folder_that_the_job_made_is_removed_when_it_is_withdrawn(
    tmp_path: Path, holds: str | None
) -> None:
    """A withdrawn job leaves no empty folder, unless it was there before."""
    out = tmp_path / "out"
    if holds == "nothing":
        out.mkdir()
    staging = pickle.loads(pickle.dumps(Staging(Folder(out), "j1")))  # noqa: S301  ours
    put(staging, "a", "A")
    if holds == "a file":
        (out / "of another").touch()
    staging.withdraw()
    assert out.exists() == (holds is not None)
    assert content(out) == ({"of another": ""} if holds == "a file" else {})
    staging.withdraw()


def test_hidden_names_begin_as_those_that_spark_passes_over() -> None:
    """Names that begin with a dot or an underscore are hidden, as they are to Spark."""
    assert [each for each in ("a", ".a", "_a", "a_", SUCCESS) if is_hidden(each)] == [
        ".a",
        "_a",
        SUCCESS,
    ]
