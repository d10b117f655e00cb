"""Properties of every command: help, errors of one line, exit status, start-up."""

import os
import re
import shlex
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.cli import PROGRAM, byteloom, commands, top
from tests.support.gallery import rows
from tests.support.terminal import on_terminal

import byteloom as package

BUFFERED = os.environ | {"PYTHONUNBUFFERED": ""}
"""The environment of programs whose output is written late, as everywhere but in containers."""


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the samples of all formats."""
    folder = tmp_path_factory.mktemp("samples")
    assert byteloom("samples", folder).status == 0
    return folder


def test_version_is_that_of_the_package() -> None:
    """`byteloom --version` prints name and version."""
    assert byteloom("--version").out == f"byteloom {package.__version__}\n"


def test_the_package_runs_as_a_module() -> None:
    """`python -m byteloom` is `byteloom`."""
    command = [sys.executable, "-m", "byteloom", "--version"]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert output == f"byteloom {package.__version__}\n"


@pytest.mark.parametrize("command", [[], ["inspect"], ["verify"], ["generate"]])
def test_every_command_has_help(command: list[str]) -> None:
    """Every command's `--help` prints a usage line and ends with status 0."""
    outcome = byteloom(*command, "--help")
    assert outcome.status == 0
    assert " ".join(["Usage: byteloom", *command]) in outcome.out


@pytest.mark.parametrize(
    "command", [[], ["inspect"], ["help"], ["table"], ["hfile", "get"], ["puffin", "dv", "show"]]
)
def test_help_is_a_command_too(command: list[str]) -> None:
    """`byteloom help COMMAND` prints what `byteloom COMMAND --help` does, to the letter."""
    assert byteloom("help", *command) == byteloom(*command, "--help")


@pytest.mark.parametrize(
    ("command", "error", "group"),
    [
        (["inspct"], "No such command 'inspct'. Did you mean 'inspect'?", "byteloom"),
        (["hfile", "nosuch"], "No such command 'nosuch'.", "byteloom hfile"),
        (["inspect", "x"], "'byteloom inspect' has no commands, found 'x' after it", "byteloom"),
    ],
)
def test_help_of_no_command_is_wrong_usage(command: list[str], error: str, group: str) -> None:
    """Words that name no command are status 2, and the error leads to a list of commands."""
    outcome = byteloom("help", *command)
    assert outcome == (2, "", f"byteloom: {error}\nTry '{group} --help'.\n")


@pytest.mark.parametrize("command", [["verify"], ["hudi", "verify"]])
def test_paragraphs_of_help_flow(command: list[str]) -> None:
    """Lines of a paragraph of help are filled as far as the next word allows."""
    output = byteloom(*command, "--help").out.partition("╭")[0]
    for paragraph in re.split(r"\n\s*\n", output.strip()):
        lines = [line.strip() for line in paragraph.splitlines()]
        for line, after in pairwise(lines):
            assert len(line) + 1 + len(after.split()[0]) > 76


@pytest.mark.parametrize(
    "arguments", [["inspect"], ["nosuch"], ["verify"], ["inspect", "--nosuch", "x"]]
)
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    """A missing argument, or an unknown command or option, is status 2."""
    outcome = byteloom(*arguments)
    assert outcome.status == 2
    assert outcome.out == ""
    command = [each for each in arguments if each in {"inspect", "verify"}]
    assert outcome.err.startswith("byteloom: ")
    assert outcome.err.splitlines()[1:] == [f"Try '{' '.join(['byteloom', *command])} --help'."]


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    """Errors of the system are reported like all others, without a traceback."""
    missing = tmp_path / "missing.puffin"
    assert byteloom("inspect", missing) == (
        1,
        "",
        f"byteloom: {missing}: No such file or directory\n",
    )


@pytest.fixture(scope="module")
def loaded_for_help() -> set[str]:
    """Return the modules that a new process has loaded after printing its help."""
    code = (
        "import sys\nfrom byteloom.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("heavy", ["byteloom.wire", "jinja2", "numba", "numpy", "pyarrow", "yaml"])
def test_help_loads_nothing_heavy(heavy: str, loaded_for_help: set[str]) -> None:
    """Asking for help loads neither Arrow nor a compiler, nor the code that reads records."""
    assert "byteloom.cli" in loaded_for_help
    assert heavy not in loaded_for_help


def test_the_list_of_commands_says_what_the_help_of_each_begins_with() -> None:
    """`--help` lists each command with the first sentence of its own help."""
    listed = " ".join(re.sub("[│╭╮╰╯─]", " ", byteloom("--help").out).split())
    for name, command in top().commands.items():
        assert f" {name} {command.help.partition(chr(10) * 2)[0]} " in listed


@pytest.mark.parametrize("arguments", [["--version"], ["inspect"], ["inspect", "missing.puffin"]])
def test_a_process_gives_what_tests_get(arguments: list[str], tmp_path: Path) -> None:
    """The program as a process gives the same status and streams as a call in the tests."""
    done = subprocess.run([*PROGRAM, *arguments], cwd=tmp_path, check=False, capture_output=True)
    outcome = byteloom(*arguments, cwd=tmp_path)
    assert outcome == (done.returncode, done.stdout.decode(), done.stderr.decode())


def test_help_shows_no_type_of_a_switch_and_no_braces() -> None:
    """The help of every command shows no types such as ``<bool>`` and no markup."""
    for words in commands():
        outcome = byteloom(*words.split(), "--help")
        assert (outcome.status, f"Usage: byteloom {words} " in outcome.out) == (0, True)
        assert not re.search(r"<\w+>|[{}]|\[x", outcome.out), outcome.out


def test_switches_take_no_value_in_any_help() -> None:
    """`--help` is listed as a switch that takes no value."""
    assert re.search(r"--help +-h +Show this message", byteloom("inspect", "-h").out)


@pytest.mark.parametrize("arguments", [["inspect", "--help"], ["inspect"]])
def test_no_color_and_a_dumb_terminal_get_no_escapes(arguments: list[str], tmp_path: Path) -> None:
    """NO_COLOR and a dumb terminal give help and reports without escapes."""
    path = tmp_path / "empty.puffin"
    assert byteloom("puffin", "create", path).status == 0
    asked = arguments if len(arguments) > 1 else [*arguments, str(path)]
    assert "\x1b[" in on_terminal(*asked).text
    for setting in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_terminal(*asked, **setting).text, setting


def test_columns_are_obeyed_by_help_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """COLUMNS limits the width of help and of reports, on a pipe too."""
    path = tmp_path / "file.puffin"
    assert byteloom("puffin", "create", path, "-p", f"about={'word ' * 30}").status == 0
    monkeypatch.setenv("COLUMNS", "")
    assert max(map(len, byteloom("inspect", path).out.splitlines())) > 150
    monkeypatch.setenv("COLUMNS", "60")
    for output in (byteloom("inspect", path).out, byteloom("inspect", "--help").out):
        assert max(map(len, output.splitlines())) <= 60


def test_a_narrow_terminal_shortens_values_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A narrow terminal cuts values only; names, offsets and sizes are whole."""
    path = tmp_path / "file.puffin"
    assert byteloom("puffin", "create", path, "-p", f"about={'word ' * 30}").status == 0
    monkeypatch.setenv("COLUMNS", "60")
    output = byteloom("inspect", path).out.partition("structure")[2]
    assert re.search(r"payload_is_compressed +230 +1 bit +0$", output, re.MULTILINE), output


@pytest.mark.parametrize(
    ("arguments", "summary"),
    [
        (["--version"], b""),
        (["inspect", "sound.puffin"], b""),
        (["verify", "sound.puffin"], b"1 ok\n"),
    ],
)
def test_a_full_disk_is_an_error_of_one_line(
    arguments: list[str], summary: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk under standard output is an error of one line, even for short output."""
    monkeypatch.chdir(tmp_path)
    assert byteloom("puffin", "create", "sound.puffin").status == 0
    with Path("/dev/full").open("wb") as full:
        command = [*PROGRAM, *arguments]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, check=False, env=BUFFERED
        )
    assert (done.returncode, done.stderr) == (
        1,
        summary + b"byteloom: standard output: No space left on device\n",
    )


@pytest.mark.parametrize(
    ("arguments", "closed", "out", "err", "status"),
    [
        ("inspect none", ">&-", "", "byteloom: standard output: found it closed, wanted ", 1),
        ("--version", ">&-", "", "byteloom: standard output: found it closed, wanted ", 1),
        ("inspect -", "<&-", "", "byteloom: standard input: found it closed, wanted ", 1),
        ("verify -", "<&-", "unreadable  -  standard input: found it closed, ", "1 unreadable", 1),
        ("verify none", "2>&-", "unreadable  none  No such file", "", 1),
        ("--version", "<&- 2>&-", "byteloom ", "", 0),
        ("--nonsense", ">&- 2>&-", "", "", 1),
    ],
)
def test_closed_standard_streams_are_an_error_of_one_line(
    arguments: str, closed: str, out: str, err: str, status: int
) -> None:
    """A closed standard stream that is needed is an error of one line."""
    command = f"exec {shlex.join(PROGRAM)} {arguments} {closed}"
    done = subprocess.run(["sh", "-c", command], check=False, capture_output=True, text=True)
    assert done.returncode == status
    for errors, start in ((done.stdout, out), (done.stderr, err)):
        assert errors.startswith(start)
        assert errors.count("\n") == bool(start)


def test_shells_complete_commands_and_options() -> None:
    """`--show-completion` prints what the shell that runs it evaluates, which asks byteloom."""
    shown = ["bash", "-c", f"{shlex.join(PROGRAM)} --show-completion; true"]
    script = subprocess.run(shown, capture_output=True, check=True, text=True).stdout
    assert "_BYTELOOM_COMPLETE=complete_bash" in script
    asked = {"_BYTELOOM_COMPLETE": "complete_bash", "COMP_WORDS": "byteloom hf", "COMP_CWORD": "1"}
    done = subprocess.run(
        PROGRAM, env={**os.environ, **asked}, capture_output=True, check=True, text=True
    )
    assert done.stdout.split() == ["hfile"]


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("hfile build x --codec Z", ["ZSTD"]),
        ("hfile build x --encoding PRE", ["PREFIX"]),
        ("puffin add x --compression l", ["lz4"]),
        ("compat a b --need old", ["old-files"]),
        ("table metadata x all_d", ["all_data_files", "all_delete_files"]),
    ],
)
def test_shells_complete_the_values_of_options(typed: str, values: list[str]) -> None:
    """Where few values are known, the shell completes them."""
    words = typed.split()
    asked = {
        "_BYTELOOM_COMPLETE": "complete_bash",
        "COMP_WORDS": f"byteloom {typed}",
        "COMP_CWORD": str(len(words)),
    }
    done = byteloom(env=asked)
    assert (done.status, done.out.split()) == (0, values)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["inspect", "x", "--spec", "y"], "`byteloom describe FILE --spec SPEC` shows"),
        (["verify", "x", "--spec", "y"], "`byteloom describe FILE --spec SPEC` shows"),
        (["explore", "x", "--html"], "`byteloom inspect --html`, or `describe --html` with a spec"),
    ],
)
def test_options_of_other_commands_are_pointed_to(arguments: list[str], hint: str) -> None:
    """An option that another command has leads to an error that names that command."""
    outcome = byteloom(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert f"No such option: {arguments[2]}. {hint}" in outcome.err


@pytest.mark.parametrize(
    "arguments", [["verify", "--json"], ["inspect", "--full"], ["inspect", "--full", "--json"]]
)
def test_a_reader_that_leaves_early_is_no_damage(arguments: list[str], tmp_path: Path) -> None:
    """`byteloom ... | head -1` prints no error, and ends as SIGPIPE ends other programs."""
    path = tmp_path / "file.puffin"
    properties = [each for number in range(500) for each in ("-p", f"key{number}={'x' * 200}")]
    assert byteloom("puffin", "create", path, *properties).status == 0
    named = [tmp_path] * 2_000 if arguments[0] == "verify" else [path]
    command = [*PROGRAM, *arguments, *map(str, named)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=BUFFERED) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 141


@pytest.mark.parametrize(
    "words",
    rows("cli/app", "a_pipe_without_a_reader_is_status_141"),
)
def test_a_pipe_without_a_reader_is_status_141(words: str, samples: Path) -> None:
    """A command of any kind whose reader had left before it printed ends as the usual tools do."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as out:
        command = [*PROGRAM, *words.split()]
        done = subprocess.run(
            command, stdout=out, stderr=subprocess.PIPE, cwd=samples, env=BUFFERED, check=False
        )
    assert done.returncode == 141
    assert b"pipe" not in done.stderr.lower()


def test_ctrl_c_is_status_130(tmp_path: Path) -> None:
    """An interrupted command ends with status 130 and without a traceback."""
    for number in range(100):
        (tmp_path / str(number)).touch()
    command = [*PROGRAM, "verify", "--json", *[str(tmp_path)] * 200]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        assert (run.stderr.read(), run.wait()) == (b"", 130)


def test_a_file_as_a_command_is_led_to_inspect(tmp_path: Path) -> None:
    """A file in the place of a command is status 2, and the error says what shows files."""
    file = tmp_path / "orders.puffin"
    outcome = byteloom(file)
    assert "inspect" not in outcome.err
    file.touch()
    outcome = byteloom(file)
    assert outcome.status == 2
    assert outcome.err.splitlines()[0].endswith(f" `byteloom inspect {file}` shows a file.")


def test_the_help_names_commands_with_another_meaning_of_status_2() -> None:
    """The help at the top names each command whose own help says more of status 2."""
    shown = " ".join(byteloom("--help").out.split())
    _, _, line = shown.partition("Exit status: ")
    named = {"verify", "hudi verify", "spark audit", "compat"}
    found = set()
    for words, command in commands().items():
        _, _, own = (command.help or "").partition("Exit status: ")
        if re.search(r"; 2 (?!wrong usage[.;])", own):
            found.add(words)
    assert found == named
    assert "2 wrong usage; of verify, hudi verify, spark audit and compat also a check" in line


def test_a_missing_value_leads_to_the_help_of_its_command() -> None:
    """Where an option lacks its value, the second line names the command and not the program."""
    outcome = byteloom("lance", "cat", "file", "-n")
    assert outcome.status == 2
    assert outcome.err.splitlines()[1] == "Try 'byteloom lance cat --help'."
