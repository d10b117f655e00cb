"""What `verify` reports of tags and branches of Lance datasets."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.lance_findings import findings, the_finding, write_versions

if TYPE_CHECKING:
    from pathlib import Path

TAG: dict[str, Any] = {
    "branch": None,
    "version": 2,
    "createdAt": "2026-11-29T06:10:30.813652318Z",
    "updatedAt": "2026-11-29T06:10:30.813652318Z",
    "manifestSize": 599,
    "metadata": {},
}
BRANCH: dict[str, Any] = {
    "parentBranch": None,
    "identifier": {"version_mapping": []},
    "parentVersion": 4,
    "createAt": 1_795_932_640,
    "manifestSize": 1223,
    "metadata": {},
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of four versions, with a tag and a branch."""
    folder: Path = tmp_path_factory.mktemp("sound") / "d"
    write_versions(folder)
    write_versions(folder / "tree" / "b/c")
    put(folder, "tags/t", TAG)
    put(folder, "branches/b%2Fc", BRANCH)
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of the dataset, to change."""
    return shutil.copytree(sound, tmp_path / "d")


def put(folder: Path, name: str, values: Any) -> None:
    """Put the document of a tag or a branch."""
    place = folder / "_refs" / f"{name}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(values))


def test_sound_tags_and_branches_have_no_findings(folder: Path) -> None:
    """Tags of versions that are there, of the main branch and of another, have no findings."""
    put(folder, "tags/other", {"version": 3, "manifestSize": 7, "branch": "b/c"})
    put(folder, "tags/early", {"version": 4, "manifestSize": 7})
    assert findings(folder) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 0),
        ("version", 9),
        ("version", -7),
        ("version", None),
        ("manifestSize", -7),
        ("manifestSize", None),
        ("metadata", None),
        ("createdAt", "yesterday"),
        ("updatedAt", 3),
        ("branch", ""),
        ("branch", 4),
        ("branch", "x"),
    ],
)
def test_a_tag_that_lance_refuses_or_that_leads_nowhere_is_found(
    folder: Path, key: str, value: Any
) -> None:
    """A tag with an impossible value, or of no version or branch, is found and named."""
    put(folder, "tags/t", {**TAG, key: value})
    assert the_finding(folder)[0] == f"{folder}/_refs/tags/t.json: {key}"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("parentVersion", -7),
        ("createAt", None),
        ("manifestSize", "x"),
        ("parentBranch", 99),
        ("identifier", None),
        ("metadata", 1),
    ],
)
def test_a_branch_that_lance_refuses_is_found(folder: Path, key: str, value: Any) -> None:
    """A branch with an impossible value is found and named."""
    put(folder, "branches/b%2Fc", {**BRANCH, key: value})
    assert the_finding(folder)[0] == f"{folder}/_refs/branches/b%2Fc.json: {key}"


def test_a_branch_without_manifests_is_found(folder: Path) -> None:
    """A branch whose folder has no version is found."""
    shutil.rmtree(folder / "tree")
    assert the_finding(folder)[1] == "no manifests of the branch"


@pytest.mark.parametrize("text", ["", "xyz", "[1]", "7"])
def test_a_tag_that_is_not_an_object_of_json_is_found(folder: Path, text: str) -> None:
    """A tag that is no object of JSON, for which no tag can be read, is found."""
    (folder / "_refs" / "tags" / "t.json").write_text(text)
    assert the_finding(folder)[0] == f"{folder}/_refs/tags/t.json"
