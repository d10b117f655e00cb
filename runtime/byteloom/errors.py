"""Every exception that byteloom raises.

One family, rooted in `ByteloomError`.  An error about bytes says *where, found, wanted*, in that
order, and keeps the three as attributes, so that a program can act on what a person reads:

    footer_tail.magic at byte 8 (0x8): found b'PAR1', wanted b'PFA1'
"""

from __future__ import annotations

import re
from shlex import quote
from typing import Final, Self

from byteloom.redaction import redacted

__all__ = [
    "AlreadyExists",
    "ArgumentError",
    "ByteloomError",
    "ChecksumMismatch",
    "CommitConflict",
    "FormatError",
    "LimitExceeded",
    "MissingFile",
    "MovedTable",
    "StorageError",
    "TooLarge",
    "Truncated",
    "Unsupported",
    "beginning",
    "count_of_bytes",
    "count_of_elements",
    "found_by",
    "in_a_line",
    "shortened",
    "with_article",
]


_LONGEST: Final = 500
"""Number of characters of what was found that an error shows; its attribute has them all."""


_WORDS: Final = 300
"""Number of characters of a library's message that an error shows."""


_DEEPEST: Final = 20
"""Number of names of a path that an error shows; its attribute has them all."""

_ENDS: Final = 8
"""Number of names that an error shows at each end of a path that is too deep."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class ByteloomError(Exception):
    """The root: every error that byteloom raises is one of these.

    Its text is one line: control characters, which names of files may contain, are escaped.  Text
    and repr have no secrets in them (`byteloom.redaction`); its attributes are as found.
    """

    def __str__(self) -> str:
        """Return what went wrong, in a line."""
        return in_a_line(redacted(super().__str__()))

    def __repr__(self) -> str:
        """Return the name of the class, and the text."""
        return f"{type(self).__name__}({str(self)!r})"


class StorageError(ByteloomError):
    """A file could not be reached, read or written; the cause is chained.

    file  the file or folder concerned, by the name under which it was opened; None where that is
          unknown
    """

    file: str | None = None

    def about(self, file: str) -> Self:
        """Keep the name of the *file*, unless one is known already; return the same error."""
        if self.file is None:
            self.file = file
        return self


class MissingFile(StorageError):
    """A file does not exist; another file that names it is damaged.

    named_by  what names it: a file, or ``snapshot 3``; None where that is unknown
    """

    named_by: str | None = None

    def __str__(self) -> str:
        """Return what is missing, and what names it."""
        by = "" if self.named_by is None else f"; named by {self.named_by}"
        return f"{super().__str__()}{in_a_line(redacted(by))}"

    def because_of(self, named_by: str) -> Self:
        """Keep what names the file, unless it is known already; return the same error."""
        if self.named_by is None:
            self.named_by = named_by
        return self


class AlreadyExists(StorageError):
    """What was to be created exists already; nothing was written."""


class MovedTable(StorageError):
    """A table's metadata names files at a place other than the one where the table was found.

    old      the place that the metadata names
    new      where the table was found
    checked  what checking the files at the old place has shown; none was checked by default
    """

    def __init__(self, old: str, new: str, checked: str = "") -> None:
        """Say in the text what was checked, and which option maps the old place to the new one."""
        mapped = f"--relocate {quote(f'{old}={new}')}"
        text = f"its metadata names files in {old}, and the table is in {new}"
        about = f"{checked}; those in {new} were not checked" if checked else "none was checked"
        super().__init__(f"{text}: {about} ({mapped} checks those in {new})")
        self.old = old
        self.new = new
        self.checked = checked

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, str]]:
        """Return how to rebuild this from its parts, for instance in another process."""
        return type(self), (self.old, self.new, self.checked)


class CommitConflict(ByteloomError):
    """Another writer committed first; nothing of this write is visible."""


class CommitUnknown(StorageError):
    """A commit may have been made or not: the catalog did not say; nothing was removed.

    location  the metadata file that the commit would have made current; None where that is unknown
    """

    location: str | None = None

    def at(self, location: str) -> Self:
        """Keep the place of the metadata file; return the same error."""
        self.location = location
        return self


class FormatError(ByteloomError):
    """Bytes, or values about to be written, do not fit their layout.

    path    the field, from the outermost record inwards: ``footer.blobs[3].offset``
    offset  where the field starts, in bytes from the start of the file; None where there is
            no file yet (a value refused by a writer) or the bytes have no place in it
    found   what was there
    wanted  what the layout asks for
    file    the file that has the bytes, by the name under which it was opened; None where the bytes
            came without a name
    """

    def __init__(
        self, path: str = "", offset: int | None = None, found: object = "", wanted: str = ""
    ) -> None:
        """Keep the parts; the text is made from them when it is asked for."""
        super().__init__(path, offset, found, wanted)
        self.path = path
        self.offset = offset
        self.found = found
        self.wanted = wanted
        self.file: str | None = None

    def in_file(self, name: str) -> Self:
        """Add the file's *name*, unless the error names a file already; return the same error."""
        if self.file is None and not self.is_about(name):
            self.file = name
        return self

    def is_about(self, name: str) -> bool:
        """Return whether the path names the file *name*, and not only has its letters in it."""
        return bool(re.search(rf"(^|[/:]){re.escape(name)}($|[.\[: ])", self.path))

    def inside(self, name: str) -> Self:
        """Put *name* before the path; return the same error."""
        dot = "." if self.path and not self.path.startswith("[") else ""
        self.path = f"{name}{dot}{self.path}"
        self.args = (self.path, self.offset, self.found, self.wanted)
        return self

    def adding(self, note: str) -> Self:
        """Add a *note* to what is wanted; return the same error."""
        self.wanted += f": {note}"
        self.args = (self.path, self.offset, self.found, self.wanted)
        return self

    def moved(self, start: int) -> Self:
        """Return the same error with an offset counted from the file's start, not from *start*."""
        if self.offset is not None:
            self.offset += start
        self.args = (self.path, self.offset, self.found, self.wanted)
        return self

    def inside_decompressed(self, name: str, start: int, size: int) -> Self:
        """Return the error as one in the file, where its offset counted decompressed bytes.

        The offset becomes that of the bytes as they are stored, and the text says both.

        name   what was decompressed: ``block 0``
        start  where it is stored in the file
        size   in how many bytes
        """
        if self.offset is not None:
            found = _shortened(self.found if isinstance(self.found, str) else repr(self.found))
            stored = f"bytes {start} to {start + size - 1} of the file" if size else "no bytes"
            self.found = f"{found} at byte {self.offset} of the decompressed {name} ({stored})"
        self.offset = start
        self.args = (self.path, self.offset, self.found, self.wanted)
        return self

    @property
    def where(self) -> str:
        """Return the path, without the middle of a deep one, and the byte in decimal and hex."""
        path = _without_middle(self.path)
        if self.offset is None:
            return path
        return f"{path} at byte {self.offset} (0x{self.offset:x})".lstrip()

    def __str__(self) -> str:
        """Return the file, the place in it, what was found and what was wanted, as one line."""
        found = _shortened(self.found if isinstance(self.found, str) else repr(self.found))
        parts = [f"found {found}" if found else "", f"wanted {self.wanted}" if self.wanted else ""]
        sentence = ", ".join(part for part in parts if part)
        text = ": ".join(part for part in (self.file, self.where, sentence) if part)
        return in_a_line(redacted(text))


def count_of_bytes(count: int) -> str:
    """Return a number of bytes as errors print it: ``1 byte``, ``2 bytes``."""
    return f"{count} byte{'' if count == 1 else 's'}"


def count_of_elements(count: int, least: int | None = None) -> str:
    """Return a number of elements as errors print it: ``2 elements of at least 3 bytes``."""
    size = "" if least is None else f" of at least {count_of_bytes(least)}"
    return f"{count} element{'' if count == 1 else 's'}{size}"


def with_article(noun: str) -> str:
    """Return the name of a type or a thing as errors print it: ``an int``, ``bytes``."""
    if noun == "bytes" or noun.endswith(" metadata"):
        return noun
    is_vowel = noun[:1].lower() in "aeio" and not noun.lower().startswith(("one", "eu"))
    is_vowel |= noun.startswith("HF")
    return f"{'an' if is_vowel else 'a'} {noun}"


def found_by(found: str, error: BaseException) -> str:
    """Return what was found and, in brackets, what a library says about it, in a line."""
    words = shortened(" ".join(str(error).split()), _WORDS)
    return f"{found} ({type(error).__name__}{': ' if words else ''}{words})"


def beginning(value: object, most: int = 40) -> str:
    """Return a value as Python writes it; of a long one the beginning, and ``…``.

    most  bytes or characters that are shown
    """
    if isinstance(value, bytes | str):
        return repr(value) if len(value) <= most else f"{value[:most]!r}…"
    return shortened(repr(value), most)


def shortened(text: str, most: int) -> str:
    """Return a text; of one with more than *most* characters the beginning, and ``…``."""
    return text if len(text) <= most else f"{text[:most]}…"


def _without_middle(path: str) -> str:
    """Return a path; of a deep one only both ends: ``tree.kid.kid...(43 more)...kid.kid.value``."""
    names = path.split(".")
    if len(names) <= _DEEPEST:
        return path
    first, last = ".".join(names[:_ENDS]), ".".join(names[-_ENDS:])
    return f"{first}...({len(names) - 2 * _ENDS} more)...{last}"


def in_a_line(text: str) -> str:
    """Return a text whose control characters are escaped as in Python."""
    return _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def _shortened(text: str) -> str:
    """Return a text short enough for a person: its beginning, and how long it was."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}... ({len(text)} characters)"


class ArgumentError(FormatError):
    """The caller asked for something that does not exist, or gave an argument of the wrong kind.

    No file is damaged.

    path    the argument, or what it names: ``columns``
    offset  None
    """


class Truncated(FormatError):
    """The bytes end too early; reading more of them may help."""


class ChecksumMismatch(FormatError):
    """All bytes are there, but they are damaged."""


class Unsupported(FormatError):
    """Valid as far as can be seen, but not something that this library reads (yet)."""


class LimitExceeded(FormatError):
    """Reading would take more than `byteloom.limits` allows; with a higher limit it may succeed."""


class TooLarge(LimitExceeded):
    """A file has more bytes than are read at once; nothing says that they are damaged."""
