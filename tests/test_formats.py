"""A format that one place names is known everywhere: to commands, pages, samples and tests."""

from __future__ import annotations

from contextlib import closing
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from tests.fuzz.targets import TARGETS
from tests.support.literals import ROOT

from byteloom.cli.sample_files import COMMANDS, write_samples
from byteloom.files.kinds import kind_of
from byteloom.storage import open_source
from byteloom.verification.formats import FORMATS, Format, recognise

if TYPE_CHECKING:
    from pathlib import Path

SPECS = sorted(each.parent.name for each in ROOT.glob("specs/*/*.ksy"))
ENDINGS = [each.ending for each in FORMATS if each.ending]
PARTS = {".avro"}
"""Endings of files that only come as parts of another format, whose row and guide have them."""


def words(text: str) -> set[str]:
    """Return the words of a name, without those that any format may have."""
    return {each.strip(",*").lower() for each in text.split()} - {"file", "files"}


def section(page: str, begin: str, end: str) -> str:
    """Return the part of a page between two texts."""
    return (ROOT / page).read_text("utf-8").partition(begin)[2].partition(end)[0]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the samples."""
    folder = tmp_path_factory.mktemp("samples")
    write_samples(folder)
    return folder


@pytest.mark.parametrize("folder", sorted(set(SPECS)))
def test_a_spec_has_its_source_its_examples_and_its_tests(folder: str) -> None:
    """Beside each spec are the document that it follows and examples; its tests have a folder."""
    assert (ROOT / "specs" / folder / "SOURCE.md").is_file()
    assert (ROOT / "specs" / folder / "vectors.yaml").is_file()
    assert list((ROOT / "tests" / folder).glob("test_*.py"))


@pytest.mark.parametrize("known", FORMATS, ids=lambda each: each.name)
def test_a_format_has_its_two_modules(known: Format) -> None:
    """Each line of `FORMATS` has a module that verifies, and one that explains."""
    module = import_module(f"byteloom.verification.{'puffin' if known.is_blob else known.name}")
    assert hasattr(module, f"verify_{known.name}" if known.is_blob else "verify")
    assert import_module(f"byteloom.cli.formats.{known.name}").explain


@pytest.mark.parametrize("known", FORMATS, ids=lambda each: each.name)
def test_a_format_is_on_the_page_of_the_command_line(known: Format) -> None:
    """The page says what `verify` notices in each format, and which ending shows it."""
    page, page_of_verify = "docs/command-line.md", "docs/commands/files.md"
    rows = section(page_of_verify, "| format | noticed |", "\n\n").splitlines()
    assert [row for row in rows if words(row.split("|")[1]) & words(known.title)]
    if known.ending:
        assert known.ending in section(page, "One exception:", "is reported")
        assert known.ending in section(page_of_verify, "## verify", "| format | noticed |")


@pytest.mark.parametrize("known", FORMATS, ids=lambda each: each.name)
def test_a_format_is_fuzzed(known: Format) -> None:
    """A line of `TARGETS` in tests/fuzz/targets.py has the name of each format."""
    assert [name for name in TARGETS if words(name) & words(known.title)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_format_has_a_sample_whose_kind_errors_name(ending: str, samples: Path) -> None:
    """`byteloom samples` writes a file of each ending, and `kinds.py` knows what it is."""
    files = [*samples.rglob(f"*{ending}")]
    assert files
    for file in files:
        with closing(open_source(file)) as source:
            found = recognise(source)
            assert found is not None
            assert found.ending == ending
            assert kind_of(source) is not None, f"no line in `_magics` for {found.title}"


@pytest.mark.parametrize("ending", sorted({*ENDINGS} - PARTS))
def test_a_format_has_a_row_and_a_guide(ending: str) -> None:
    """The table in the README has a row for each format, which links to its guide."""
    title = next(each.title for each in FORMATS if each.ending == ending)
    rows = section("README.md", "| format | versions |", "\n\n").splitlines()
    (row,) = [each for each in rows if words(each.split("|")[1]) & words(title)]
    assert "[guide](docs/" in row


def test_each_sample_has_a_first_command(samples: Path) -> None:
    """What `byteloom samples` writes has a line in `COMMANDS`, but for the spec of the log."""
    assert {each.name for each in samples.iterdir()} - {"sensor.ksy"} == COMMANDS.keys()
