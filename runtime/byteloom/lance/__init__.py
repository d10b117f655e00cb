"""Lance: a columnar file format for random access, versions 0.1 and 2.0 to 2.2, and its datasets.

- `open`: a Lance file, by path, URL, file object or bytes, as a `LanceFile`.
- `open_dataset`: a version of a dataset, by the path or URL of its folder, as a `Dataset`.
- `write_dataset`: writes rows as a version of a dataset: creates, appends or overwrites.
- `begin_write`: the same for several processes, as a `DatasetWrite` that is passed to them.
- `LanceFile`: its schema, its rows, and where its columns are.
- `LanceWriter`: writes a file from Arrow batches.
- `Dataset`: its schema, its rows, its fragments, and other versions of it.

Example:
    >>> import pyarrow as pa
    >>> from byteloom import lance
    >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(100)}))
    >>> trips = lance.write_dataset("trips.lance", pa.table({"id": [100]}), mode="append")
    >>> lance.open_dataset("trips.lance", version=1).count()
    100
    >>> trips.take([7, 100]).to_pydict()
    {'id': [7, 100]}

Source: https://lance.org/format/
"""

from byteloom.lance.dataset import (
    Dataset,
    DatasetWrite,
    begin_write,
    open_dataset,
    write_dataset,
)
from byteloom.lance.opening import open  # noqa: A004  as gzip.open and its like
from byteloom.lance.reader import LanceFile
from byteloom.lance.writing import LanceWriter

__all__ = [
    "Dataset",
    "DatasetWrite",
    "LanceFile",
    "LanceWriter",
    "begin_write",
    "open",
    "open_dataset",
    "write_dataset",
]


def __dir__() -> list[str]:
    return __all__
