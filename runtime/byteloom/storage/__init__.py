"""Files wherever they are stored: reads of ranges, and writes that appear whole or not at all.

    open_source  a path, URL, file object, bytes, or a path in a `pyarrow.fs` or fsspec filesystem,
                 as a `Source`
    open_target  a path, URL or file object, as a `Target`
    Folder       a path or URL, whose files are listed and opened

Neither pyarrow nor fsspec is loaded before a file needs it.
"""

from byteloom.storage.folders import Folder
from byteloom.storage.open import Place, open_source, open_target
from byteloom.storage.ranges import DEFAULT_GAP, merged
from byteloom.storage.sources import Source
from byteloom.storage.targets import Target

__all__ = [
    "DEFAULT_GAP",
    "Folder",
    "Place",
    "Source",
    "Target",
    "merged",
    "open_source",
    "open_target",
]


def __dir__() -> list[str]:
    return __all__
