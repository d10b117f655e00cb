"""Writing HFiles that HBase reads, and those inside metadata tables of Hudi.

    HFileWriter  writes a file from Arrow batches or single cells
    Settings     all that decides the file's bytes, apart from the cells

Source: https://hbase.apache.org/book.html#_hfile_format_2
"""

from byteloom.hfile.writing.settings import Settings
from byteloom.hfile.writing.writer import HFileWriter

__all__ = ["HFileWriter", "Settings"]


def __dir__() -> list[str]:
    return __all__
