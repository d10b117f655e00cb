"""Compile `.proto` files with protoc, which checks them; its errors become ours, with their places.

- protoc runs as a child process: it prints its errors where no caller could catch them.
- A descriptor is kept without comments and derived names, so that its bytes depend on the file
  alone, and not on the version of protoc.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from byteloom_codegen.errors import GenerateError, SpecError, SpecErrors
from byteloom_codegen.model import Location

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto

__all__ = ["bare", "compiled"]

_COMPLAINT: Final = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<said>.+)")


def compiled(path: Path, root: Path) -> FileDescriptorProto:
    """Return the descriptor that protoc makes of *path*, with comments.

    root        the folder that imports are looked up in, and that names begin at
    SpecErrors  the mistakes of the file
    """
    try:
        from google.protobuf.descriptor_pb2 import FileDescriptorSet
    except ModuleNotFoundError as error:
        raise GenerateError(f"{path}: found no module {error.name}, wanted protobuf") from error
    if not path.is_file():
        raise GenerateError(f"{path}: found no file, wanted messages (.proto)")
    with TemporaryDirectory() as folder:
        made = Path(folder) / "set"
        _run(path, root, made)
        found = FileDescriptorSet.FromString(made.read_bytes())
    return found.file[0]


def _run(path: Path, root: Path, made: Path) -> None:
    """Let protoc write a set of descriptors."""
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={root}"]
    command += [f"--descriptor_set_out={made}", "--include_source_info", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if not done.returncode and made.exists():
        return
    mistakes = [
        SpecError(
            Location(str(root / found["file"]), int(found["line"]), int(found["column"])),
            found["said"],
        )
        for found in map(_COMPLAINT.fullmatch, done.stderr.splitlines())
        if found
    ]
    if mistakes:
        raise SpecErrors(tuple(mistakes))
    raise GenerateError(f"{path}: {done.stderr.strip() or 'protoc failed'}")


def bare(file: FileDescriptorProto) -> bytes:
    """Return the descriptor that a module contains: without the places of comments."""
    kept = type(file).FromString(file.SerializeToString())
    kept.ClearField("source_code_info")
    for message in kept.message_type:
        _strip(message)
    return kept.SerializeToString(deterministic=True)


def _strip(message: DescriptorProto) -> None:
    """Remove the JSON names, which follow from the names of fields."""
    for field in message.field:
        field.ClearField("json_name")
    for inner in message.nested_type:
        _strip(inner)
