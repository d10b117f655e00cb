"""Lance: a columnar file format for random access, versions 0.1 and 2.0 to 2.2, and its datasets.

    open          a Lance file, by path, URL, file object or bytes, as a `LanceFile`
    open_dataset  a version of a dataset, by the path or URL of its folder, as a `Dataset`
    write_dataset rows as a version of a dataset: a new one, more of one, or instead of them
    LanceFile     its schema, its rows, and where its columns are
    LanceWriter   a file in the making, from Arrow batches
    Dataset       its schema, its rows, its fragments, and other versions of it

Source: https://lance.org/format/
"""

from byteloom.lance.dataset import Dataset, open_dataset, write_dataset
from byteloom.lance.reader import LanceFile, open  # noqa: A004  as gzip.open and its like
from byteloom.lance.writing import LanceWriter

__all__ = ["Dataset", "LanceFile", "LanceWriter", "open", "open_dataset", "write_dataset"]


def __dir__() -> list[str]:
    return __all__
