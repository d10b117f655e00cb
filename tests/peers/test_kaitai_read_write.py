"""The official compiler's read-write classes and ours write and refuse the same."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from tests.support.corpus import corpus_cases, corpus_root
from tests.support.peers import KAITAI
from tests.support.rewriting import emit_read_write, rewritten
from tests.support.strangers import inputs, specs

pytestmark = [pytest.mark.peer("node"), pytest.mark.xdist_group("read_write")]

_NOT_COMPILED = {"term_strz_utf16_v2", "utf16", "utf16b", "utf16sz"}
"""Specs with terminators of UTF-16, which official read-write mode has no code for."""
_UNIMPORTABLE = {"and_or", "doc_n", "enum_doc", "keywords", "not_type"}
"""Specs whose names and docs make official modules that Python cannot import."""
_DECIDING = {"default_endian_expr_is_be", "elf", "endian_sw", "fw_ubi"}
"""Specs whose byte order a field decides, which official classes look at when they read alone."""


class Outcomes(NamedTuple):
    """Results of official classes and of ours for each file."""

    official: dict[str, Any]
    ours: dict[str, Any]


def _compiled(folder: Path, out: Path) -> None:
    """Compile the specs of *folder* in read-write mode; what is refused is known beforehand."""
    command = ["node", str(KAITAI / "compile.js"), "--read-write", str(folder), str(out)]
    refused = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert {line.partition(".ksy")[0] for line in refused.splitlines()} <= _NOT_COMPILED


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Rewrite the files of everyday formats and of small nasty specs with both."""
    folder = tmp_path_factory.mktemp("strangers")
    for name in ("specs", "official", "ours", "files"):
        (folder / name).mkdir()
    for path in specs():
        shutil.copy(path, folder / "specs")
    _compiled(folder / "specs", folder / "official")
    emit_read_write(specs(), folder / "ours", [])
    for number, (name, data) in enumerate(inputs()):
        (folder / "files" / f"{name}.{number}.bin").write_bytes(data)
    return Outcomes(
        *(
            rewritten(folder / of, folder / "files", folder / f"{of}.json")
            for of in ("official", "ours")
        )
    )


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Rewrite the files of the Kaitai project's suite with both."""
    folder, suite = tmp_path_factory.mktemp("suite"), corpus_root() / "kaitai"
    for name in ("official", "ours", "files"):
        (folder / name).mkdir()
    _compiled(suite / "formats", folder / "official")
    paths = sorted((suite / "formats").glob("*.ksy"))
    emit_read_write(paths, folder / "ours", [suite / "formats/ks_path"])
    for name in _cases_of(suite):
        case = yaml.safe_load((suite / f"spec/ks/{name}.kst").read_text(encoding="utf-8"))
        shutil.copy(suite / "src" / case["data"], folder / "files" / f"{name}.0.bin")
    extra = (suite / "spec/python/extra",)
    return Outcomes(
        *(
            rewritten(folder / of, folder / "files", folder / f"{of}.json", also=extra)
            for of in ("official", "ours")
        )
    )


def _cases_of(suite: Path) -> list[str]:
    return [path.stem for path in sorted((suite / "spec/ks").glob("*.kst"))]


def _cases(suite: Path) -> Iterator[object]:
    for name in _cases_of(suite):
        yield pytest.param(name, id=name)


@corpus_cases("kaitai", _cases)
def test_the_suite_is_rewritten_as_officially(case: str, suite: Outcomes) -> None:
    """Files of the suite are rewritten to the official bytes, and changes treated alike."""
    _agree(case, f"{case}.0.bin", suite)


@pytest.mark.parametrize("name", [path.stem for path in specs()])
def test_specs_by_strangers_are_rewritten_as_officially(name: str, strangers: Outcomes) -> None:
    """Files of everyday formats are rewritten to the official bytes, and changes treated alike."""
    for file in strangers.ours:
        if file.partition(".")[0] == name:
            _agree(name, file, strangers)


def _agree(name: str, file: str, outcomes: Outcomes) -> None:
    theirs, ours = outcomes.official[file], outcomes.ours[file]
    if name in _NOT_COMPILED | _UNIMPORTABLE:
        assert theirs["written"].startswith(("ModuleNotFoundError", "SyntaxError"))
        return
    if theirs["written"].startswith("IndexError"):
        # It looks the bytes of an element up in a list that those of no case left none in.
        assert name == "switch_repeat_expr_invalid"
        assert ours["same"] is True
        return
    assert (ours["written"], ours.get("same")) == (theirs["written"], theirs.get("same"))
    assert ours["changes"].keys() == theirs["changes"].keys()
    differing = {
        place: (official, ours["changes"][place])
        for place, official in theirs["changes"].items()
        if not _alike(official, ours["changes"][place], decides=name in _DECIDING)
    }
    assert not differing


def _alike(theirs: str, ours: str, *, decides: bool) -> bool:
    """Whether ours do what official classes do, or better.

    A change that official classes write so that it reads otherwise may be refused by ours; where
    it is one of the byte order, it may be written in that order.  Some that they refuse by an error
    of Python's own, ours refuse by one that names the field.
    """
    if theirs.endswith("reads otherwise"):
        return theirs == ours or "ConsistencyError" in ours or decides
    if "AttributeError" in theirs or theirs == "AssertionError":
        return theirs == ours or "ConsistencyError" in ours
    return theirs == ours
