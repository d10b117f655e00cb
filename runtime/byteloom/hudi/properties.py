"""The properties of a table in ``hoodie.properties``, a file of Java's `Properties`.

Source: https://hudi.apache.org/docs/configurations
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError, MissingFile

if TYPE_CHECKING:
    from byteloom.storage import Folder

__all__ = ["read_properties"]

_NAME: Final = ".hoodie/hoodie.properties"
_LINE: Final = re.compile(r"\s*((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read_properties(table: Folder) -> dict[str, str]:
    """Return the properties of *table*.

    raises  `StorageError` where there is no such file, `FormatError` if it is not text
    """
    try:
        text = table.read(_NAME).decode()
    except MissingFile as error:
        wanted = "the folder of a Hudi table, or its metadata table"
        raise MissingFile(f"{table}: found no {_NAME}, wanted {wanted}") from error
    except UnicodeDecodeError as error:
        found = f"byte 0x{error.object[error.start]:02x}"
        raise FormatError(f"{table}/{_NAME}", error.start, found, "UTF-8") from error
    lines = re.sub(r"\\\r?\n[ \t]*", "", text).splitlines()
    kept = [line for line in lines if line.strip() and line.lstrip()[0] not in "#!"]
    return dict(_pair(line) for line in kept)


def _pair(line: str) -> tuple[str, str]:
    found = _LINE.match(line)
    name, value = found.groups() if found else (line, "")
    return _plain(name), _plain(value)


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda hit: _letter(hit[1]), text)


def _letter(escaped: str) -> str:
    if len(escaped) > 1:
        return chr(int(escaped[1:], 16))
    return _LETTERS.get(escaped, escaped)
