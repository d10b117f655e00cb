"""Commands on files of up to 1 MB start without a compiler and other large modules."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom, process
from tests.support.small_files import COMMANDS, write_small_files

from byteloom.native.kernel import Kernel
from byteloom.native.signatures import is_served, read_table, text_of, types_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NEVER = {
    *("numba", "pydantic", "jinja2", "yaml", "jsonschema", "grpc_tools", "byteloom_codegen"),
    *("sqlite3", "asyncio", "multiprocessing", "fsspec", "pandas", "pyiceberg", "pyspark"),
}
"""Modules that no command on a small file imports: each takes 5 to 300 milliseconds."""

SELDOM = {
    "rich": {"inspect"},
    "rich.table": set(),
    "google.protobuf": {"inspect", "verify", "hfile", "hudi"},
    "pyarrow.compute": {"verify", "hfile", "hudi", "table"},
    "pyarrow.parquet": {"verify", "hfile", "table", "puffin"},
    "llvmlite": {"verify", "hfile", "table"},
}
"""Modules that few commands on a small file import, and those commands."""

LIGHT = {"inspect rows.puffin", "puffin ls rows.puffin", "table info table", "table list ."}
"""Commands that import none of those modules, except what draws a tree."""

CODE = """
import json, sys
from byteloom.cli import app
for command in sys.argv[1:]:
    try: app(command.split())
    except SystemExit as exit: assert not exit.code
    print(json.dumps([command, [*sys.modules]]), file=sys.stderr)
"""


def loaded_by(
    *commands: str, folder: Path, env: Mapping[str, str] | None = None
) -> list[tuple[str, list[str]]]:
    """Return each command with the modules loaded after it; all run in one process."""
    done = process(sys.executable, "-c", CODE, *commands, cwd=folder, env=env)
    assert done.status == 0, done.err
    return [json.loads(line) for line in done.err.splitlines() if line.startswith("[")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write files of every format."""
    folder = tmp_path_factory.mktemp("start")
    write_small_files(folder)
    return folder


SMALL = [each for each in COMMANDS if not {"1 MB", "packed"} & {*each.split(", ")}]
"""Commands that take less than a second's work of Python, so that no machine code is needed."""


def spared(command: str) -> frozenset[str]:
    """Return the modules that a command does not import."""
    group = command.split(maxsplit=1)[0]
    seldom = {name for name, users in SELDOM.items() if group not in users}
    return frozenset(NEVER | seldom | (set(SELDOM) - {"rich"} if command in LIGHT else set()))


TOGETHER: dict[frozenset[str], list[str]] = {}
for _command in sorted({COMMANDS[title] for title in SMALL} | LIGHT):
    TOGETHER.setdefault(spared(_command), []).append(_command)
"""Commands that spare the same modules run in one process, which takes longest to start."""


@pytest.mark.parametrize("modules", TOGETHER, ids=lambda each: ", ".join(TOGETHER[each]))
def test_small_files_load_neither_a_compiler_nor_what_others_need(
    folder: Path, modules: frozenset[str]
) -> None:
    """A command on a small file does not import numba, which takes longer than the file."""
    environment = dict(os.environ)  # without the COLUMNS that readline gives to programs alone
    document = loaded_by(*TOGETHER[modules], folder=folder, env=environment)
    assert [command for command, _ in document] == TOGETHER[modules]
    for command, loaded in document:
        assert sorted(modules.intersection(loaded)) == [], command


def test_generate_loads_no_second_converter_of_options(tmp_path: Path) -> None:
    """`generate` does not import pydantic for its paths and flags."""
    (tmp_path / "t.ksy").write_text("meta: {id: t}\nseq: [{id: a, type: u1}]\n")
    command = "generate t.ksy -o . -I . --flat --scanners"
    ((_, loaded),) = loaded_by(command, folder=tmp_path)
    assert {"pydantic", "numba", "pyarrow", "grpc_tools", "jsonschema"}.intersection(
        loaded
    ) == set()
    assert (tmp_path / "t.py").exists()


PRINTERS = {
    "": set(),
    "--scanners": {"scanners"},
    "--api kaitaistruct": {"kaitaistruct"},
    "--reference pages": {"reference"},
}
"""What `generate` imports beside what prints records, by its options."""


@pytest.mark.parametrize("options", PRINTERS)
def test_generate_loads_only_what_prints_the_form_that_is_asked_for(
    tmp_path: Path, options: str
) -> None:
    """`generate` of one spec does not import what prints its other forms."""
    (tmp_path / "t.ksy").write_text("meta: {id: t}\nseq: [{id: a, type: u1}]\n")
    ((_, loaded),) = loaded_by(f"generate t.ksy -o . {options}", folder=tmp_path)
    known = {"scanners", "kaitaistruct", "reference", "tables", "messages"}
    printers = ("module", "modules", "documents_module", "outputs")
    rooms = {
        each for each in known for name in printers if f"byteloom_codegen.{each}.{name}" in loaded
    }
    assert rooms == PRINTERS[options]


def test_kernels_are_compiled_for_all_calls_on_small_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of signatures has each kernel call of commands on small files."""
    table, missing, call = read_table(), set(), Kernel.__call__

    def checked(self: Kernel, *args: Any) -> Any:
        name = f"{self.__module__}.{self.__name__}"
        if not any(is_served(types_of(args), each) for each in table.get(name, ())):
            missing.add(f"{name}: {text_of(types_of(args))}")
        return call(self, *args)

    monkeypatch.setattr(Kernel, "__call__", checked)
    for command in COMMANDS.values():
        assert byteloom(*command.split(), cwd=folder).status == 0
    assert not missing


def test_ctrl_c_while_the_program_starts_prints_nothing() -> None:
    """Ctrl-C while the program starts ends it without output."""
    command = [sys.executable, "-X", "importtime", "-m", "byteloom", "--help"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        for line in run.stderr:
            if "typer" in line:
                run.send_signal(signal.SIGINT)
                break
        assert "Traceback" not in run.stderr.read()
    assert run.returncode == -signal.SIGINT
