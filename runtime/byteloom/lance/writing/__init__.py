"""Writing Lance files that pylance reads.

- `LanceWriter`: writes a file from Arrow batches.

Source: https://lance.org/format/file/
"""

from byteloom.lance.writing.writer import LanceWriter

__all__ = ["LanceWriter"]


def __dir__() -> list[str]:
    return __all__
