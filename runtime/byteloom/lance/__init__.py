"""Lance: a columnar file format for random access, versions 2.0 to 2.2.

    open       a Lance file, by path, URL, file object or bytes, as a `LanceFile`
    LanceFile  its schema, its rows as Arrow, and where its columns are

Source: https://lance.org/format/file/
"""

from byteloom.lance.reader import LanceFile, open  # noqa: A004  as gzip.open and its like

__all__ = ["LanceFile", "open"]


def __dir__() -> list[str]:
    return __all__
