"""The official Kaitai compiler accepts our specs; its parsers agree with ours on every vector."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.peers import KAITAI
from tests.support.vectors import SPECS, Vector, tidy, vectors_of

from byteloom.errors import ByteloomError, ChecksumMismatch
from byteloom_codegen.load import load_spec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMATS = sorted({path.parent for path in SPECS.rglob("*.ksy")})

pytestmark = [pytest.mark.peer("node"), pytest.mark.xdist_group("kaitai")]


def places(folder: Path) -> dict[str, tuple[str, list[str], list[str]]]:
    """Return the module, the path of classes and the parameters of each type of a format."""
    found = {}
    for path in sorted(folder.glob("*.ksy")):
        spec = load_spec(path)
        for type_ in spec.top.walk():
            params = [each.name for each in type_.params]
            found[type_.name] = spec.name, [camel(name) for name in type_.path], params
    return found


def camel(name: str) -> str:
    """Return what the compiler calls the class of a type."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


@cache
def examples() -> list[tuple[Vector, Path]]:
    """Return all vectors about types, each with the folder of its format."""
    found = [(each, folder) for folder in FORMATS for each in of_types(folder)]
    assert found
    return found


def of_types(folder: Path) -> Iterator[Vector]:
    """Yield the vectors of a format that are about types of its specs."""
    if (folder / "vectors.yaml").is_file():
        yield from (each for each in vectors_of(folder / "vectors.yaml") if each.record is not None)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, tuple[Path, str]]:
    """Each format's official modules, and what the compiler had to say."""
    places = {folder: tmp_path_factory.mktemp("official") for folder in FORMATS}
    pairs = [str(each) for pair in places.items() for each in pair]
    command = ["node", str(KAITAI / "compile.js"), *pairs]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert not done.stderr
    refused = done.stdout.splitlines()
    return {
        folder: (
            modules,
            "\n".join(each for each in refused if (folder / each.partition(": ")[0]).is_file()),
        )
        for folder, modules in places.items()
    }


def arguments(vector: Vector, where: dict[str, tuple[str, list[str], list[str]]]) -> list[Any]:
    """Return what a vector gives for the parameters of its type, in their order; bytes as hex."""
    given = [vector.params[name] for name in where[vector.about][2]]
    return [{"hex": each.hex()} if isinstance(each, bytes) else each for each in given]


@pytest.fixture(scope="module")
def official(compiled: dict[Path, tuple[Path, str]]) -> dict[str, Any]:
    """Results of official parsers for each vector, and for each prefix of it."""
    found = {}
    for folder, (modules, _) in compiled.items():
        where, wanted = places(folder), list(of_types(folder))
        cases = [
            (*where[each.about][:2], arguments(each, where), each.raw[:size].hex())
            for each in wanted
            for size in range(len(each.raw), -1, -1)
        ]
        (modules / "cases.json").write_text(json.dumps(cases))
        files = [KAITAI / "records.py", modules, modules / "cases.json", modules / "out.json"]
        subprocess.run(
            [sys.executable, *map(str, files)],
            check=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        outcomes = iter(json.loads((modules / "out.json").read_text()))
        for each in wanted:
            found[each.id] = [next(outcomes) for _ in range(len(each.raw) + 1)]
    return found


@pytest.mark.parametrize("folder", FORMATS, ids=[each.name for each in FORMATS])
def test_the_official_compiler_takes_every_spec(
    folder: Path, compiled: dict[Path, tuple[Path, str]]
) -> None:
    """The official compiler accepts every spec without a warning."""
    modules, stated = compiled[folder]
    assert stated == ""
    assert {path.stem for path in folder.glob("*.ksy")} <= {path.stem for path in modules.iterdir()}


@pytest.mark.parametrize(
    "vector", [each for each, _ in examples()], ids=[each.id for each, _ in examples()]
)
def test_the_official_parser_agrees(vector: Vector, official: dict[str, Any]) -> None:
    """The official parser has a good vector's values, and refuses a bad one.

    It checks no checksums: what only those contradict, it reads.
    """
    whole, *beginnings = official[vector.id]
    if vector.outcome == "refused":
        with pytest.raises(ByteloomError) as refused:
            vector.codec.read(vector.raw)
        assert isinstance(whole, str) != isinstance(refused.value, ChecksumMismatch)
    else:
        assert agrees(whole, tidy(vector.wanted))
        assert [each for each in beginnings if not isinstance(each, str)] == []


def hadoop_number(first: int, rest: list[int], **_: object) -> int:
    """Return the number that the bytes of a Hadoop integer mean."""
    magnitude = int.from_bytes(bytes(rest), "big")
    return first if first >= -112 else magnitude if first >= -120 else ~magnitude


def number(record: dict[str, Any]) -> int:
    """Return the number that is one by a key of ours, and a record for the official parser."""
    return int(record["value"]) if "groups" in record else hadoop_number(**record)


def agrees(theirs: Any, ours: Any) -> bool:
    """Whether *theirs* has every value of *ours*; an absent value is missing there."""
    if isinstance(ours, int) and isinstance(theirs, dict):
        return number(theirs) == ours
    if isinstance(ours, dict):
        return isinstance(theirs, dict) and all(
            agrees(theirs.get(name), each) for name, each in ours.items()
        )
    if isinstance(ours, list):
        return (
            isinstance(theirs, list) and len(ours) == len(theirs) and all(map(agrees, theirs, ours))
        )
    return bool(theirs == ours)
