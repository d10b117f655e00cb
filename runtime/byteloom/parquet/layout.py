"""The layout of a Parquet file by its footer: its schema, its row groups, and where its parts are.

The rules:

- The footer is read in place, field by field, so that an error has the offset of its field; row
  groups come one by one.
- Nothing is read but the ends of the file.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.files.kinds import ENCRYPTED_PARQUET, cut_file, kind_of
from byteloom.kernels.parquet_structs import numbers
from byteloom.parquet.footer import footer_bytes
from byteloom.parquet.structs import StructWalk
from byteloom_generated.parquet.footers import REPETITIONS
from byteloom_generated.parquet.parquet import EncryptedTail, Parquet, Tail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.limits import Limits
    from byteloom.parquet.structs import StructField
    from byteloom.storage import Source

__all__ = ["ColumnChunk", "Element", "ParquetLayout", "RowGroup"]

_SCHEMA, _GROUP, _COLUMN = "schema[", "row_groups[", "columns["
_META: Final = "meta_data."
(_REPEATED,) = numbers(REPETITIONS, "REPEATED")


@dataclass(slots=True)
class _Struct:
    """Some fields of the footer by their paths inside *path*."""

    path: str
    fields: dict[str, StructField] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        """Return the value of a field; None if it is absent."""
        found = self.fields.get(name)
        return None if found is None else found.value

    def error(self, name: str, found: object, wanted: str) -> FormatError:
        """Return the error about a field."""
        held = self.fields.get(name)
        where = f"{self.path}.{name}" if self.path else name
        return FormatError(where, None if held is None else held.place, found, wanted)


@dataclass(slots=True)
class Element(_Struct):
    """A node of the schema.

    names        its name after those of the nodes around it, without the row's
    is_repeated  whether it or a node around it may occur several times
    """

    names: tuple[str, ...] = ()
    is_repeated: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether it has values."""
        return self.get("num_children") is None

    @property
    def logical_type(self) -> str:
        """What its values mean, in words: ``TIMESTAMP(isAdjustedToUTC=True, MICROS)``."""
        inside = [each for each in self.fields.values() if each.path.startswith(self._logical)]
        if not inside:
            old = self.get("converted_type")
            return "" if old is None else str(getattr(old, "name", old))
        name = inside[0].name
        terms = [
            each.name if each.value is None else f"{each.name}={each.value}"
            for each in inside[1:]
            if each.name != "unit"
        ]
        return f"{name}({', '.join(terms)})" if terms else name

    @property
    def _logical(self) -> str:
        return f"{self.path}.logicalType."


@dataclass(slots=True)
class ColumnChunk(_Struct):
    """The pages of a leaf in a row group."""

    @property
    def is_here(self) -> bool:
        """Whether its pages are in this file, and not encrypted."""
        return self.is_in_file and "crypto_metadata" not in self.fields

    @property
    def is_in_file(self) -> bool:
        """Whether its pages are in this file, and its metadata in the footer."""
        return not self.get("file_path") and "meta_data" in self.fields

    def of(self, name: str) -> Any:
        """Return the value of a field of its metadata; None if it is absent."""
        return self.get(_META + name)

    @property
    def data_page_offset(self) -> int:
        """Where its first data page begins."""
        return int(self.of("data_page_offset"))

    @property
    def dictionary_page_offset(self) -> int:
        """Where its dictionary begins; 0 if it has none."""
        return self.of("dictionary_page_offset") or 0

    @property
    def has_dictionary_page(self) -> bool:
        """Whether it has a dictionary."""
        return bool(self.dictionary_page_offset)

    @property
    def total_compressed_size(self) -> int:
        """Bytes of its pages with their headers."""
        return int(self.of("total_compressed_size"))

    def parts(self) -> Iterator[tuple[str, int, int]]:
        """Yield the name, the offset and the size of what it has outside of its pages."""
        for name, where in (("offset_index", ""), ("column_index", ""), ("bloom_filter", _META)):
            offset, size = self.get(f"{where}{name}_offset"), self.get(f"{where}{name}_length")
            if offset is not None and size is not None:
                yield f"{where}{name}", offset, size


@dataclass(slots=True)
class RowGroup(_Struct):
    """A row group: its fields, and its chunks."""

    chunks: list[ColumnChunk] = field(default_factory=list)


class ParquetLayout:
    """The layout of a file.

    start     offset of the footer in the file
    footer    its bytes
    elements  the nodes of the schema, in their order; the first is the row
    facts     the footer's other fields
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        """Read the footer up to its row groups, and the fields after them.

        FormatError    it is damaged
        Unsupported    it is encrypted
        LimitExceeded  it has more than ``limits.metadata_size`` bytes
        """
        cut = cut_file(source)
        if cut is not None:
            raise cut
        kind, end = kind_of(source), source.size - Tail.SIZE
        if kind == ENCRYPTED_PARQUET:
            place = end + EncryptedTail.SIZE - len(EncryptedTail.magic)
            raise Unsupported("tail.magic", place, kind, "an unencrypted one")
        size = Tail.from_bytes(source.read_tail(Tail.SIZE), origin=end).len_footer
        most = end - len(Parquet.magic)
        if not 0 < size <= most:
            raise FormatError("tail.len_footer", end, size, f"1 to {most}")
        if size > limits.metadata_size:
            wanted = f"at most {limits.metadata_size} (limits.metadata_size)"
            raise LimitExceeded("tail.len_footer", end, size, wanted)
        self.footer, self.start = footer_bytes(source) or b"", end - size
        self.elements: list[Element] = []
        self.facts = _Struct("")
        self._read()

    @property
    def leaves(self) -> list[Element]:
        """The leaves of the schema."""
        return [each for each in self.elements[1:] if each.is_leaf]

    @property
    def properties(self) -> dict[str, str]:
        """Key-value pairs from the writer."""
        found, at = {}, 0
        while (key := self.facts.get(f"key_value_metadata[{at}].key")) is not None:
            found[key] = self.facts.get(f"key_value_metadata[{at}].value") or ""
            at += 1
        return found

    def walk(self) -> Iterator[StructField]:
        """Yield the fields of the footer; `FormatError` for the first damaged one."""
        walk = StructWalk(self.footer, self.start)
        yield from walk.fields("FileMetaData")
        left = len(self.footer) - walk.at
        # A footer whose columns are encrypted is followed by its signature.
        if left and not any(name.startswith("encryption_alg") for name in self.facts.fields):
            raise FormatError("footer", walk.place, f"{left} more bytes", "the end of the footer")

    def row_groups(self) -> Iterator[RowGroup]:
        """Yield the row groups."""
        group: RowGroup | None = None
        into: _Struct | None = None
        for each in self.walk():
            if each.depth == 0:
                if group is not None:
                    yield group
                group = into = RowGroup(each.path) if each.name.startswith(_GROUP) else None
            elif group is not None and into is not None:
                if each.depth == 1 and each.name.startswith(_COLUMN):
                    into = ColumnChunk(each.path)
                    group.chunks.append(into)
                elif each.depth == 1:
                    into = group
                if each.path != into.path:
                    into.fields[each.path[len(into.path) + 1 :]] = each
        if group is not None:
            yield group

    def _read(self) -> None:
        """Read the schema and the facts, walking over the row groups once."""
        element: Element | None = None
        for each in self.walk():
            if each.depth == 0 and each.name.startswith(_SCHEMA):
                element = Element(each.path)
                self.elements.append(element)
            elif each.path.startswith(_SCHEMA) and element is not None:
                element.fields[each.path[len(element.path) + 1 :]] = each
            elif not each.path.startswith(_GROUP):
                self.facts.fields[each.path] = each
        self._name_elements()

    def _name_elements(self) -> None:
        """Refuse a schema that is not a tree, and give each node the names around it."""
        if not self.elements:
            raise self.facts.error("num_schema", 0, "the row and its columns")
        around = [(self.elements[0], self._children(self.elements[0]))]
        for each in self.elements[1:]:
            while around and not around[-1][1]:
                around.pop()
            if not around:
                raise each.error("name", "a node outside of the row", "the end of the schema")
            outer, left = around[-1]
            around[-1] = outer, left - 1
            each.names = (*outer.names, str(each.get("name")))
            each.is_repeated = outer.is_repeated or each.get("repetition_type") == _REPEATED
            around.append((each, self._children(each)))
        missing = sum(left for _, left in around)
        if missing:
            wanted = f"{missing} more nodes, as num_children of the nodes around say"
            raise self.elements[-1].error("name", "the end of the schema", wanted)

    def _children(self, element: Element) -> int:
        """Return how many nodes an element has; refuse one that is neither a leaf nor a group."""
        children, is_row = element.get("num_children"), element is self.elements[0]
        if children is not None and not 0 <= children < len(self.elements):
            wanted = f"0 to {len(self.elements) - 1}"
            raise element.error("num_children", children, wanted)
        if not is_row and children is None and element.get("type") is None:
            raise element.error("type", "nothing", "the type of a leaf, or num_children")
        return children or 0
