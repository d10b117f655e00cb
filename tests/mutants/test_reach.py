"""Which tests run which statements, and so which are tried with a fault."""

from pathlib import Path
from typing import Any, Final

import pytest
from tests.mutants.elsewhere import record
from tests.mutants.marks import marked
from tests.mutants.reach import Reach, load

CODE: Final = """\
def sign(number):
    if number < 0:
        return -1
    for _ in range(number):
        number = 1
    return number

class Held:
    kind = 5

    def doubled(self):
        def inner(number):
            return 2 * number
        return inner

SIZE = 3
"""

TESTS: Final = """\
import subprocess
import sys
from pathlib import Path
import pytest
import signs
from signs import Held, sign

page = Path(signs.__file__).with_name("page.jinja")
exec(compile("def drawn(): return 1", str(page), "exec"))

@pytest.fixture(scope="module")
def six(): return Held().doubled()(3)

def test_below(): assert sign(-4) == -1
def test_zero(): assert sign(0) == 0
def test_above(): assert sign(4) == 1
def test_six(six): assert six == 6
def test_half(six): assert six / 2 == 3
def test_elsewhere(): subprocess.run([sys.executable, "-c", ""])
"""

ALWAYS: Final = ["elsewhere"]
"""Tests whose statements nobody sees."""


@pytest.fixture(scope="module")
def reach(tmp_path_factory: pytest.TempPathFactory) -> Reach:
    """What the tests of a module run."""
    tree = tmp_path_factory.mktemp("copy") / "tree"
    (tree / "runtime").mkdir(parents=True)
    (tree / "runtime/signs.py").write_text(CODE)
    (tree / "runtime/page.jinja").write_text("{% for each in signs %}")
    (tree / "test_signs.py").write_text(TESTS)
    (tree / "pytest.ini").write_text("[pytest]\n")
    file = tree.with_name("reach")
    record(tree, ["test_signs.py"], file)
    return load(file)


@pytest.mark.parametrize(
    ("old", "new", "tests"),
    [
        ("< 0", "<= 0", ["above", "below", "zero"]),
        ("return -1", "return -2", ["below"]),
        ("= 1\n", "= 2\n", ["above"]),
        ("return number", "return 0", ["above", "zero"]),
        ("2 * number", "3 * number", ["half", "six"]),
    ],
)
def test_a_change_is_tried_with_the_tests_that_run_it(
    reach: Reach, old: str, new: str, tests: list[str]
) -> None:
    """Tests that run a statement are found, by shared fixtures too, and starters of processes."""
    found = reach.of("runtime/signs.py", CODE, CODE.replace(old, new, 1)) or []
    assert found[-1] == "test_signs.py::test_elsewhere"
    assert sorted(name.rpartition("_")[2] for name in found) == sorted([*tests, *ALWAYS])


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("runtime/signs.py", CODE, CODE.replace("SIZE = 3", "SIZE = 4")),
        ("runtime/signs.py", CODE.replace("-1", "-3"), CODE.replace("-1", "-2")),
        ("runtime/others.py", CODE, CODE.replace("-1", "-2")),
    ],
)
def test_what_was_not_recorded_is_unknown(reach: Reach, path: str, old: str, new: str) -> None:
    """Nobody knows the tests of what an import runs, of a new file, and of a changed one."""
    assert reach.of(path, old, new) is None


def test_tests_of_a_changed_file_are_not_known(reach: Reach, tmp_path: Path) -> None:
    """What tests run is known while their file stays the same."""
    file = tmp_path / "test_signs.py"
    file.write_text(TESTS)
    assert reach.known(tmp_path) == {"test_signs.py"}
    file.write_text(TESTS + "\n")
    assert reach.known(tmp_path) == set()


def test_functions_with_marks_do_what_they_did() -> None:
    """Marks change nothing that a function returns, and are as many as there are blocks."""
    code, lines = marked(CODE, "signs.py", 3)
    names: dict[str, Any] = {"__marks__": bytearray(20)}
    exec(code, names)  # noqa: S102
    assert [names["sign"](number) for number in (-4, 0, 4)] == [-1, 0, 1]
    assert names["Held"]().doubled()(3) == 6
    assert sorted(set(lines.values())) == [3, 4, 5, 6, 7, 8, 9, 10]
    assert list(names["__marks__"]) == [0] * 3 + [1] * 8 + [0] * 9
