"""byteloom sent to executors that have none: a zip archive, put on their path by Spark.

- It is unpacked once on each machine, into the user's cache (`byteloom.spark.unpacking`).
- It has the bytecode of all modules and the machine code of kernels, so that executors compile
  nothing.
- What byteloom itself needs (pyarrow, NumPy, ...) has to be installed there, as for any Python code
  that Spark runs; so has the minor version of Python that the driver runs.
- It is made once on a machine for each state of the sources.

Source: https://spark.apache.org/docs/latest/api/python/tutorial/python_packaging.html
"""

from __future__ import annotations

import importlib.util
import marshal
import sys
import zipfile
from hashlib import blake2b
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Final

import byteloom
from byteloom.spark.caching import cached_folder
from byteloom.spark.registering import register
from byteloom.spark.unpacking import CONTENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

__all__ = ["archive", "ship"]

_PACKAGES: Final = ("byteloom", "byteloom_generated", "pyspark_byteloom*")
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip archive can name: the same files make the same archive."""

_UNPACKERS: Final = ("caching", "unpacking")
"""Modules that unpack the archive: in it they are a package of their own."""

_FIRST: Final = """\
from byteloom_shipped.unpacking import replace_package

replace_package(__name__, __file__)
"""
"""What a package is in the archive: it is replaced when it is imported."""

_PLAIN: Final = 2
"""The version of marshal that writes the same object as the same bytes; later ones write how many
others refer to it.
"""

_UNCHECKED: Final = (0b01).to_bytes(4, "little")
"""Flag of bytecode that is used whatever the source beside it is (PEP 552)."""


def ship(spark: SparkSession) -> Path:
    """Send byteloom to all executors of a session, also to those that start later.

    returns  the archive that was sent
    """
    path = archive()
    if hasattr(spark, "_jsparkSession"):
        spark.sparkContext.addPyFile(str(path))
        register(spark)  # again: a source knows the archives that were sent before it was
    else:  # a session of Spark Connect
        spark.addArtifacts(str(path), pyfile=True)
    return path


def archive() -> Path:
    """Return the archive of this byteloom, which is made if it has not been made yet."""
    files = dict(_files())
    total = blake2b(sys.version.encode(), digest_size=8)
    for name, path in files.items():
        data = path.read_bytes()
        total.update(f"{name}\0{len(data)}\0".encode() + data)
    name = f"byteloom-{byteloom.__version__}-{total.hexdigest()}"

    def fill(folder: Path) -> None:
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as to:
            _fill(to, files)

    return cached_folder(f"archive-{name}", fill) / f"{name}.zip"


def _fill(to: zipfile.ZipFile, files: dict[str, Path]) -> None:
    """Put into an archive what unpacks it, and the files."""
    _add(to, "byteloom_shipped/__init__.py", b"")
    for name in _UNPACKERS:
        _add(to, f"byteloom_shipped/{name}.py", files[f"byteloom/spark/{name}.py"].read_bytes())
    for package in sorted({name.partition("/")[0] for name in files}):
        _add(to, f"{package}/__init__.py", _FIRST.encode())
    for name, path in files.items():
        data = path.read_bytes()
        _add(to, f"{CONTENT}{name}", data)
        if path.suffix == ".py":
            folder, _, module = name.rpartition("/")
            cached = Path(importlib.util.cache_from_source(module))
            _add(to, f"{CONTENT}{folder}/{cached.as_posix()}", _bytecode(path, data))


def _files() -> Iterator[tuple[str, Path]]:
    """The files of byteloom's packages, with their names among these."""
    for pattern in _PACKAGES:
        for folder in sorted(_folders(pattern)):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    yield f"{folder.name}/{path.relative_to(folder).as_posix()}", path


def _folders(pattern: str) -> Iterator[Path]:
    """The folders of the packages of that name."""
    if "*" in pattern:
        yield from Path(byteloom.__file__).parents[1].glob(pattern)
    else:
        spec = importlib.util.find_spec(pattern)
        if spec is not None and spec.origin is not None:
            yield Path(spec.origin).parent


def _add(to: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    to.writestr(entry, data, compresslevel=1)


def _bytecode(path: Path, source: bytes) -> bytes:
    """The bytecode of a module, as Python keeps it, for whatever time the source is of."""
    code = SourceFileLoader(path.stem, str(path)).get_code(path.stem)
    head = importlib.util.MAGIC_NUMBER + _UNCHECKED + importlib.util.source_hash(source)
    return head + marshal.dumps(code, _PLAIN)
