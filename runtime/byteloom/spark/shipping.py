"""byteloom sent to executors that have none: a zip archive, put on their path by Spark.

- It is unpacked once on each machine, into the user's cache (`byteloom.spark.caching`).
- It has the bytecode of all modules and the machine code of kernels, so that executors compile
  nothing.
- What byteloom itself needs (pyarrow, NumPy, ...) has to be installed there, as for any Python code
  that Spark runs; so has the minor version of Python that the driver runs.
- It is built once on a machine for each state of the sources.

Source: https://spark.apache.org/docs/latest/api/python/tutorial/python_packaging.html
"""

from __future__ import annotations

import importlib.util
import marshal
import sys
import zipfile
from collections.abc import Iterator
from hashlib import blake2b
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Final

import byteloom
from byteloom.spark.caching import CONTENT, cached_folder
from byteloom.spark.registering import register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["archive", "ship"]

_PACKAGES: Final = ("byteloom", "byteloom_generated", "pyspark_byteloom*")
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest timestamp of a zip archive: with it, the same files give the same archive."""

_UNPACKER: Final = "caching"
"""The module that unpacks the archive; inside it, it is in a package of its own."""

_FIRST: Final = """\
from byteloom_shipped.caching import replace_package

replace_package(__name__, __file__)
"""
"""The content of each package in the archive: importing it replaces it by the real package."""

_PLAIN: Final = 2
"""The version of marshal that writes equal objects as equal bytes; later ones depend on references.
"""

_UNCHECKED: Final = (0b01).to_bytes(4, "little")
"""Flag of bytecode that is used without checking the source beside it (PEP 552)."""


def ship(spark: SparkSession) -> Path:
    """Send byteloom to all executors of a session, including those that start later.

    Args:
        spark: The session.

    Returns:
        The archive that was sent.
    """
    path = archive()
    if hasattr(spark, "_jsparkSession"):
        spark.sparkContext.addPyFile(str(path))
        register(spark)  # registered again, since a source only knows archives sent before it
    else:  # a session of Spark Connect
        spark.addArtifacts(str(path), pyfile=True)
    return path


def archive() -> Path:
    """Return the archive of this byteloom; build it if necessary."""
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
    """Write the unpacking module and the files into an archive."""
    _add(to, "byteloom_shipped/__init__.py", b"")
    unpacker = files[f"byteloom/spark/{_UNPACKER}.py"].read_bytes()
    _add(to, f"byteloom_shipped/{_UNPACKER}.py", unpacker)
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
    """Yield the files of byteloom's packages, each with its name in the archive."""
    for pattern in _PACKAGES:
        for folder in sorted(_folders(pattern)):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    yield f"{folder.name}/{path.relative_to(folder).as_posix()}", path


def _folders(pattern: str) -> Iterator[Path]:
    """Yield the folders of the packages of that name."""
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
    """Return a module's bytecode in the form of Python's cache, valid for any source."""
    code = SourceFileLoader(path.stem, str(path)).get_code(path.stem)
    head = importlib.util.MAGIC_NUMBER + _UNCHECKED + importlib.util.source_hash(source)
    return head + marshal.dumps(code, _PLAIN)
