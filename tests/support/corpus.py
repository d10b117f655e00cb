"""Test cases from files by other producers, and a line of results for each folder.

- The corpus is in the folder that BYTELOOM_CORPUS names, or else in ``../shared/corpus``.
- BYTELOOM_CORPUS_ONLY keeps to one of its folders, with everything below.
- A test never lists files: it finds its cases in a folder, so that it runs unchanged on any other
  corpus of the same form. What is not there is skipped, and the run says what that was.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

_ROOT = Path(os.environ.get("BYTELOOM_CORPUS") or Path(__file__).parents[2] / "../shared/corpus")
_ONLY = os.environ.get("BYTELOOM_CORPUS_ONLY", "").strip("/")
_NOT_THERE = object()

_Test = TypeVar("_Test", bound=Callable[..., object])


def corpus_root() -> Path:
    """Folder of the corpus, there or not."""
    return _ROOT.resolve()


def corpus_cases(
    folder: str, find: Callable[[Path], Iterable[Any]], *, argname: str = "case"
) -> Callable[[_Test], _Test]:
    """Run a test once for each case that *find* finds in a folder of the corpus.

    folder   below the corpus: ``iceberg/files``; the summary counts by it
    find     from the folder's path to its cases: paths, or any `pytest.param` with an id
    argname  the test's argument that takes a case
    """
    place = corpus_root() / folder
    cases = [_named(case, place) for case in find(place)] if place.is_dir() else []
    parametrize = pytest.mark.parametrize(
        argname, cases or [pytest.param(_NOT_THERE, id="not there")]
    )
    return lambda test: pytest.mark.corpus(folder)(parametrize(test))


def _named(case: Any, place: Path) -> Any:
    """A case with a name: a path is named by its place below the folder."""
    if isinstance(case, Path):
        return pytest.param(case, id=str(case.relative_to(place)))
    return case


def pytest_configure() -> None:
    """Refuse a corpus that was asked for by name and does not exist."""
    if "BYTELOOM_CORPUS" in os.environ and not corpus_root().is_dir():
        raise pytest.UsageError(f"BYTELOOM_CORPUS: no folder {corpus_root()}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note each case's folder where the summary finds it; drop the cases of other folders."""
    dropped = []
    for item in items:
        if (mark := item.get_closest_marker("corpus")) is None:
            continue
        if not f"{mark.args[0]}/".startswith(f"{_ONLY}/" if _ONLY else ""):
            dropped.append(item)
        elif not _is_absent(item):
            item.user_properties.append(("corpus", mark.args[0]))
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if item not in dropped]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose folder holds nothing for it; one place, so that pytest folds the lines."""
    if _is_absent(item):
        pytest.skip(f"nothing for it in the corpus at {corpus_root()} (set BYTELOOM_CORPUS)")


def _is_absent(item: pytest.Item) -> bool:
    """Whether *item* represents the cases that were not found."""
    call = getattr(item, "callspec", None)
    return call is not None and any(value is _NOT_THERE for value in call.params.values())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """End with a line for each folder, after what other hooks print."""
    yield
    folders = Counter(dict(_outcomes(terminalreporter)).values())
    for folder in sorted({folder for folder, _ in folders}):
        passed, failed = folders[folder, True], folders[folder, False]
        terminalreporter.write_line(
            f"{folder}: {passed + failed} cases, {passed} passed, {failed} failed"
        )


def _outcomes(reporter: pytest.TerminalReporter) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Each case that ran, with its folder and whether it passed; a failure comes last and wins.

    A case that failed as expected is no pass; one whose peer is missing did not run.
    """
    for outcome in ("passed", "xpassed", "xfailed", "failed", "error"):
        for report in reporter.stats.get(outcome, ()):
            for key, folder in getattr(report, "user_properties", ()):  # none if it did not import
                if key == "corpus":
                    yield report.nodeid, (folder, outcome == "passed")
