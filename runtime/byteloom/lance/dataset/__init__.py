"""Lance datasets: folders of manifests, data files and deletion files.

- `open_dataset`: a version of a dataset, as a `Dataset`.
- `write_dataset`: writes rows as a version of a dataset.
- `begin_write`: the same for several processes, as a `DatasetWrite`.
- `Dataset`: its schema, its rows, its fragments, and other versions of it.

What is known of a version is below what is done with it:

- `state` is an open version.  It stands on `versions` and `manifests`, which say where one is and
  what it consists of, and on `fragments`, `dataset_files` and `indices`, which describe all files
  of it.
- `scan` reads rows through `fragment_rows`, which puts them together from data files, `deletions`,
  `overlays` and blobs.
- A change is a verb in `changes` or `writing`.  It writes `new_files`, and gives `commits` what
  turns the newest manifest into the next one, with one of the `transactions`; these decide whether
  it can follow another writer's version, or is refused.
- `findings` is what `verify` says of all versions.

Source: https://lance.org/format/table/
"""

from byteloom.lance.dataset.dataset import Dataset, open_dataset
from byteloom.lance.dataset.writing import DatasetWrite, begin_write, write_dataset

__all__ = ["Dataset", "DatasetWrite", "begin_write", "open_dataset", "write_dataset"]


def __dir__() -> list[str]:
    return __all__
