"""The package as its users meet it: version, types, import time."""

import ast
import os
import re
import subprocess
import sys
import tokenize
from importlib import import_module, metadata
from pathlib import Path

import pytest

import byteloom

PACKAGES = ["byteloom", "byteloom_codegen", "byteloom_generated"]
PARTS = 4
"""Arguments of a `FormatError`: path, offset, found, wanted."""


def test_version_is_that_of_the_distribution() -> None:
    """`byteloom.__version__` is the version of the installed distribution."""
    assert byteloom.__version__ == metadata.version("byteloom")


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_carry_their_types(package: str) -> None:
    """Each package has the marker by which a type checker reads its annotations."""
    assert (Path(str(import_module(package).__file__)).parent / "py.typed").is_file()


@pytest.mark.parametrize("heavy", ["numba", "numpy", "pyarrow", "rich", "typer"])
def test_importing_byteloom_loads_nothing_heavy(heavy: str) -> None:
    """`import byteloom` loads no large library."""
    code = f"import sys, byteloom; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_importing_a_format_leaves_protobuf_alone() -> None:
    """Importing a format does not import protobuf, which takes 20 ms."""
    code = (
        "import sys, byteloom.hfile, byteloom.iceberg; sys.exit('google.protobuf' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_runtime_does_without_the_generators_libraries() -> None:
    """Only the extra `codegen` requires Jinja2 and PyYAML."""
    needed = [line for line in metadata.requires("byteloom") or [] if "extra ==" not in line]
    assert not [line for line in needed if line.startswith(("jinja2", "pyyaml"))]


def test_lock_file_names_public_hosts_only() -> None:
    """The lock file names PyPI's hosts only, and no mirror."""
    lock = (Path(__file__).parents[1] / "uv.lock").read_text()
    hosts = set(re.findall(r"https?://[^/\"]+", lock))
    assert hosts == {"https://files.pythonhosted.org", "https://pypi.org"}


def test_errors_describe_what_was_found_in_our_own_words() -> None:
    """No error has a library's message as `found`; `found_by` puts it in brackets after."""
    root, quoting = Path(str(byteloom.__file__)).parent, []
    for path in root.rglob("*.py"):
        source = path.read_text()
        tree = ast.parse(source if "str(" in source else "")  # most modules have nothing to find
        for handler in ast.walk(tree):
            if not isinstance(handler, ast.ExceptHandler) or handler.name is None:
                continue
            calls = [each for each in ast.walk(handler) if isinstance(each, ast.Call)]
            quoting += [
                f"{path.relative_to(root)}:{call.lineno}"
                for call in calls
                if len(call.args) == PARTS and ast.unparse(call.args[2]) == f"str({handler.name})"
            ]
    assert not quoting


RIDDLES = re.compile(
    r"""
    (?<![`.])\b(?:                         # not a method, such as `file.tell`
        tells? | told | that\ (?:is|are)\ none | do(?:es)?\ without | never\ was | reads?\ on\ over
        | is\ no\ more(?!\ \w) | held\ to | (?:stands?|lies?)\ behind | made\ anew
        | an?\ (?:row|field|column|byte)\ more(?!\ (?:rows|fields|columns|bytes)\b)
    )\b(?![`(])
    | ,\ also\ (?:if|when|where|while|after|inside|in|for|of|those)\b
    """,
    re.VERBOSE,
)
"""Phrases that only their author understands, each of which has a plain word."""

NAMED = re.compile(r"def (test_(?:\w*_)?(?:tells?|told)(?:_\w*)?)\(")
"""Names of tests in which one of these words describes what a value says."""

ROOT = Path(__file__).parents[1]
PROSE = ("*.md", "docs/**/*.md", "specs/**/*.*", "tests/**/*.ksy", "tests/**/*.md")
"""Files that are all prose, or have prose in them that is not Python's."""


def prose_of(path: Path) -> dict[int, str]:
    """Return docstrings and comments of a module by their first lines."""
    prose = {
        each.lineno: each.value.value
        for each in ast.walk(ast.parse(path.read_text()))
        if isinstance(each, ast.Expr)
        and isinstance(each.value, ast.Constant)
        and isinstance(each.value.value, str)
    }
    with path.open("rb") as file:
        tokens = tokenize.tokenize(file.readline)
        comments = {each.start[0]: each.string for each in tokens if each.type == tokenize.COMMENT}
    return comments | prose


def riddles_in(path: Path) -> list[tuple[int, str]]:
    """Return the unclear phrases of a module's docstrings and comments, with their first lines."""
    if not RIDDLES.search(path.read_text()):
        return []  # taking the prose out of every module would take seconds
    prose = prose_of(path).items()
    return [(line, each[0]) for line, text in prose for each in RIDDLES.finditer(text)]


@pytest.mark.parametrize("folder", ["runtime", "codegen", "generated", "tests", "examples"])
def test_docstrings_and_comments_are_plain(folder: str) -> None:
    """No docstring or comment has a phrase that a reader has to translate."""
    assert not [
        f"{path.relative_to(ROOT)}:{line}: {riddle!r}"
        for path in (ROOT / folder).rglob("*.py")
        for line, riddle in riddles_in(path)
    ]


@pytest.mark.parametrize("pattern", PROSE)
def test_pages_and_specs_are_plain(pattern: str) -> None:
    """No page and no spec has a phrase that a reader has to translate."""
    files = [each for each in ROOT.glob(pattern) if "node_modules" not in each.parts]
    assert files
    assert not [
        f"{path.relative_to(ROOT)}: {each[0]!r}"
        for path in files
        for each in RIDDLES.finditer(path.read_text("utf-8"))
    ]


def test_names_of_tests_are_plain() -> None:
    """Names of tests use `say`, `show` or `have` for what a file or a message says."""
    modules = (ROOT / "tests").rglob("test_*.py")
    assert not [name for path in modules for name in NAMED.findall(path.read_text())]
    name = "test_a_file_tells_of_itself"
    assert NAMED.findall(f"def {name}() -> None:") == [name]


@pytest.mark.parametrize(
    "text",
    [
        "What the header tells.",
        "A reader is told the size.",
        "text that is none",
        "The row is no more.",
        "a row more is refused",
        "Lists are read, also inside structs.",
    ],
)
def test_phrases_of_their_author_alone_are_found(text: str) -> None:
    """A phrase that has a plain word is found where it is a phrase of its own."""
    assert RIDDLES.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "`tell` and `file.tell()`",
        "There is no more room, and a column more rows than the others.",
        "The error says so; also refused are dates.",
    ],
)
def test_other_uses_of_the_same_words_are_left_alone(text: str) -> None:
    """Methods, and idiomatic uses of the same words, are not found."""
    assert not RIDDLES.search(text)


def test_riddles_are_found_in_docstrings_and_comments(tmp_path: Path) -> None:
    """Unclear phrases are found in docstrings and comments, and ignored in code."""
    module = tmp_path / "m.py"
    module.write_text('"""What is told."""\n\nTOLD = "held to"\n# a row more\n')
    found = [riddle for _, riddle in riddles_in(module)]
    assert sorted(found) == ["a row more", "told"]


@pytest.mark.xdist_group("house")
def test_groups_of_tests_reach_the_workers(request: pytest.FixtureRequest) -> None:
    """With several workers, the name of a test ends with its group, which xdist uses."""
    if request.config.getoption("loadgroup", default=False):
        assert request.node.nodeid.endswith("@house")


def spread(folder: Path, tests: str) -> str:
    """Return what pytest prints of tests that two workers run."""
    (folder / "test_many.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "tests.support.distribution"]
    options = ["-n2", "--dist=loadgroup", "-p", "no:cacheprovider", "-q"]
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "1000"}  # so no line is cut
    run = subprocess.run(
        [*command, *options, str(folder)],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "RAN": str(folder / "ran"), **alone},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout + run.stderr


def test_each_test_runs_once_with_its_batch_or_its_group(tmp_path: Path) -> None:
    """Each test runs once; a group or a batch runs on one worker, in order of kind."""
    assert "100 passed" in spread(tmp_path, _MANY)
    rank = {"7": 0, "5": 1, "3": 3}
    order = sorted(map(str, range(100)), key=lambda name: rank.get(name[-1], 2))
    workers: dict[str, str] = {}
    for ran in (tmp_path / "ran").glob("*"):
        names = ran.read_text().split()
        workers |= dict.fromkeys(names, ran.name)
        assert names == sorted(names, key=order.index)
    assert len(workers) == 100
    for unit in (order[:10], *(order[at : at + 16] for at in range(10, 100, 16))):
        assert len({workers[name] for name in unit}) == 1


_MANY = """
import os, pathlib, pytest
RAN = pathlib.Path(os.environ["RAN"])

MARKS = {
    7: [pytest.mark.xdist_group("seven")], 5: [pytest.mark.hypothesis], 3: [pytest.mark.corpus("x")]
}

@pytest.mark.parametrize("n", [pytest.param(n, marks=MARKS.get(n % 10, [])) for n in range(100)])
def test_it(n):
    RAN.mkdir(exist_ok=True)
    with (RAN / os.environ["PYTEST_XDIST_WORKER"]).open("a") as out:
        print(n, file=out)
"""


def test_a_test_that_ends_its_worker_is_not_repeated(tmp_path: Path) -> None:
    """A test that ends its worker fails once, and another worker runs the rest."""
    found = spread(tmp_path, _MANY.replace("RAN.mkdir", "n == 2 and os._exit(1); RAN.mkdir"))
    assert "1 failed, 99 passed" in found
    assert re.search(r"crashed while running '(\S*/)?test_many.py::test_it\[2\]'", found)
