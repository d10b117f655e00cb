"""Docstrings of what is public: they explain each argument, and their examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom

from byteloom.hfile import HFileWriter
from byteloom.hfile.writing.settings import Settings
from byteloom.hfile.writing.writer import Options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JOBS = pytest.param("byteloom.spark.jobs", marks=pytest.mark.peer("pyspark"))
"""Jobs of Spark, whose modules import it, and whose examples would take a session."""

WITH_EXAMPLES = (
    "byteloom.hfile",
    "byteloom.hudi",
    "byteloom.hudi.keys",
    "byteloom.iceberg",
    "byteloom.iceberg.evolution",
    "byteloom.iceberg.scan",
    "byteloom.lance",
    "byteloom.lance.dataset.scan",
    "byteloom.lance.scan",
    "byteloom.puffin",
    pytest.param("byteloom.spark", marks=pytest.mark.peer("pyspark")),
)

ROOMS = (
    *WITH_EXAMPLES,
    "byteloom.iceberg.expressions",
    "byteloom.iceberg.manifests.writing",
    "byteloom.iceberg.metadata",
    "byteloom.iceberg.metadata_tables",
    "byteloom.iceberg.reading.task",
    "byteloom.iceberg.transforms",
    JOBS,
)
"""Rooms whose public names have docstrings in Google's form."""

SAMPLES = "byteloom-samples"
"""The folder that `byteloom samples` writes."""

ARGUMENT = re.compile(r" {4}\*{0,2}(\w+): ")


def public(room: str) -> Iterator[tuple[str, Any]]:
    """Yield a room, what it exports, and the public members of its classes that are its own."""
    module = importlib.import_module(room)
    yield room, module
    for name in module.__all__:
        found = getattr(module, name)
        yield f"{room}.{name}", found
        for owner in found.__mro__ if inspect.isclass(found) else ():
            if owner.__module__.startswith(room):
                for key in vars(owner):
                    if not key.startswith("_") or key == "__init__":
                        yield f"{room}.{name}.{key}", getattr(owner, key)


def argued(docstring: str) -> list[str]:
    """Return the names in the section of arguments of a docstring."""
    section = re.search(r"^Args:\n((?: .*\n|\n(?= ))+)", f"{docstring}\n", re.MULTILINE)
    return ARGUMENT.findall(section[1]) if section else []


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the samples that `byteloom samples` writes."""
    folder = tmp_path_factory.mktemp("samples")
    assert byteloom("samples", cwd=folder).status == 0
    return folder


@pytest.mark.parametrize("room", ROOMS)
def test_arguments_are_those_of_the_signature(room: str) -> None:
    """A section of arguments has all arguments, in their order."""
    wrong = []
    for name, found in public(room):
        docstring = inspect.getdoc(found) or ""
        if inspect.isroutine(found) and "\nArgs:\n" in docstring:
            known = [each for each in inspect.signature(found).parameters if each != "self"]
            if argued(docstring) != known:
                wrong.append((name, argued(docstring), known))
    assert not wrong


@pytest.mark.parametrize("room", ROOMS)
def test_no_docstring_has_a_table_of_terms(room: str) -> None:
    """What raises, and what arguments mean, is in sections, and not in lines of terms."""
    terms = re.compile(r"^(?:raises|returns|[a-z_]+) {2,}\S", re.MULTILINE)
    assert not [
        name
        for name, found in public(room)
        if name.count(".") > 1 and terms.search(inspect.getdoc(found) or "")
    ]


@pytest.mark.parametrize("room", WITH_EXAMPLES)
def test_examples_run(
    room: str, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each example of a docstring gives what it shows, beside the samples or in an empty folder."""
    finder, count = doctest.DocTestParser(), 0
    for name, found in public(room):
        example = finder.get_doctest(inspect.getdoc(found) or "", {}, name, None, None)
        if example.examples:
            folder = tmp_path / str(count)
            folder.mkdir()
            monkeypatch.chdir(samples if SAMPLES in (example.docstring or "") else folder)
            failures = list[str]()
            doctest.DocTestRunner().run(example, out=failures.append)
            assert not failures, "".join(failures)
            count += 1
    assert count


def test_the_writer_of_hfiles_names_all_its_options() -> None:
    """`HFileWriter` takes each setting of a file, which its docstring has with its default."""
    assert set(Options.__annotations__) == {each.name for each in fields(Settings)}
    docstring = " ".join((inspect.getdoc(HFileWriter.__init__) or "").split())
    for each in fields(Settings):
        default = f"{each.default:,}" if type(each.default) is int else str(each.default)
        assert re.search(rf"``{each.name}``(?: \({re.escape(default)}\)|: )", docstring), each.name
