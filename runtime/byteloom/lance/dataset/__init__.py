"""Lance datasets: folders of manifests, data files and deletion files.

- `open_dataset`: a version of a dataset, as a `Dataset`.
- `write_dataset`: writes rows as a version of a dataset.
- `begin_write`: the same for several processes, as a `DatasetWrite`.
- `Dataset`: its schema, its rows, its fragments, and other versions of it.

Source: https://lance.org/format/table/
"""

from byteloom.lance.dataset.dataset import Dataset, open_dataset
from byteloom.lance.dataset.writing import DatasetWrite, begin_write, write_dataset

__all__ = ["Dataset", "DatasetWrite", "begin_write", "open_dataset", "write_dataset"]


def __dir__() -> list[str]:
    return __all__
