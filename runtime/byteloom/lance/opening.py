"""Open a Lance file.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from byteloom.errors import ByteloomError, StorageError
from byteloom.files.kinds import LANCE
from byteloom.files.open_file import open_file
from byteloom.lance.dataset.versions import has_versions
from byteloom.lance.reader import LanceFile
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import redacted
from byteloom.storage import Folder

if TYPE_CHECKING:
    from byteloom.storage import Place

__all__ = ["open"]


def open(  # noqa: A001  as gzip.open and its like; never imported by its bare name here
    place: Place, *, filesystem: Any = None, limits: Limits = DEFAULT_LIMITS
) -> LanceFile:
    """Open a Lance file of version 0.1, 2.0, 2.1 or 2.2: read its footer and its schema.

    Args:
        place: A path, a URL, an open binary file, bytes, or a `byteloom.storage.Source`.
        filesystem: A filesystem of `pyarrow.fs` or fsspec, in which *place* is a path.
        limits: What reading may cost.

    Returns:
        The open file; use it in a ``with`` block, or close it.

    Raises:
        FormatError: It is not a sound Lance file.
        Unsupported: Its version is unknown.
        StorageError: It is missing or cannot be read.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import lance
        >>> table = pa.table({"id": range(3000)})
        >>> with lance.LanceWriter("rows.lance", table.schema) as writer:
        ...     writer.write(table)
        >>> with lance.open("rows.lance") as file:
        ...     file.take([2, 777]).to_pydict()
        {'id': [2, 777]}

    Source: https://lance.org/format/file/
    """
    try:
        return open_file(
            place,
            LANCE,
            lambda source, is_own: LanceFile(source, limits=limits, owns_source=is_own),
            filesystem=filesystem,
        )
    except StorageError as error:
        if isinstance(place, str | PathLike) and _is_dataset(place, filesystem):
            found, wanted = "a Lance dataset", "a file; byteloom.lance.open_dataset opens datasets"
            raise StorageError(
                f"{redacted(fspath(place))}: found {found}, wanted {wanted}"
            ) from error
        raise


def _is_dataset(place: str | PathLike[str], filesystem: Any) -> bool:
    """Return whether a place that is not a file is a dataset."""
    try:
        return has_versions(Folder(place, filesystem=filesystem))
    except ByteloomError:
        return False
