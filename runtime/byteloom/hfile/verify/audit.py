"""Examine a whole file, whatever is wrong with it.

- Nothing stops the examination: each part is checked as far as it can be understood without the
  damaged parts.
- Blocks are found by walking, never by an index, so that an incomplete index hides no block.
- A part is not checked against another part that is damaged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from byteloom.errors import FormatError
from byteloom.hfile import keys as orders
from byteloom.hfile.blocks import Blocks
from byteloom.hfile.bloom import BloomFilter
from byteloom.hfile.dialect import (
    CellForm,
    cell_form,
    check_index_encoding,
    contradictions,
    dialect_of,
)
from byteloom.hfile.encryption import Cipher, Keys, cipher_of
from byteloom.hfile.index_entries import Root, read_root
from byteloom.hfile.stored_file import read_file_info
from byteloom.hfile.trailer import SIZES, Trailer, examine_trailer, name_missing_part
from byteloom.hfile.verify import totals
from byteloom.hfile.verify.blooms import BloomAudit, check_chunks
from byteloom.hfile.verify.contents import DATA, Contents
from byteloom.hfile.verify.findings import Findings
from byteloom.hfile.verify.indexes import Index
from byteloom.hfile.verify.walk import FoundBlock, walk
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage import Place, Source, open_source
from byteloom_generated.hfile import trailer as layout

__all__ = ["Audit", "audit", "audit_source"]

_TAIL = 1 << 16


@dataclass(slots=True)
class Audit:
    """The result for one file.

    Attributes:
        dialect: As `HFile.dialect`; None where too little of the file is left to decide.
        cells: Number of cells that could be read.
        blocks: All blocks found, in the order of the file.
        findings: All that is wrong, each with where, found and wanted.
        notes: Habits of the writer that a reader has to know, but that are not damage.
    """

    dialect: str | None = None
    cells: int = 0
    blocks: list[FoundBlock] = field(default_factory=list)
    findings: list[FormatError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def audit(
    place: Place,
    *,
    filesystem: Any = None,
    limits: Limits = DEFAULT_LIMITS,
    key: Keys | None = None,
) -> Audit:
    """Return all that is wrong with an HFile; see `byteloom.hfile.open` for the arguments.

    Raises:
        StorageError: The file cannot be read; damage of any kind becomes a finding.
    """
    source = open_source(place, filesystem=filesystem)
    try:
        return audit_source(source, limits, key=key)
    finally:
        if source is not place:
            source.close()


def audit_source(  # noqa: PLR0913  switches by name, each with its default
    source: Source,
    limits: Limits = DEFAULT_LIMITS,
    *,
    key: Keys | None = None,
    cipher: Cipher | None = None,
    protobuf_keys: bool = False,
    blocks_only: bool = False,
) -> Audit:
    """Return what is wrong with the file of an open source.

    Args:
        cipher: The cipher of a file whose key is known already.
        protobuf_keys: Key lengths as Hudi 1.1 wrote them are a note, not a finding.
        blocks_only: Check the trailer and each block's header and checksums, but no content.
    """
    examination = _Examination(source, limits, Findings())
    known = examination.walk(key, cipher)
    if known is not None and not blocks_only:
        examination.check_all(*known, protobuf_keys=protobuf_keys)
    return examination.result()


class _Examination:
    """The examination of one file, step by step."""

    def __init__(self, source: Source, limits: Limits, findings: Findings) -> None:
        self._source, self._limits, self._findings = source, limits, findings
        self._met: list[FoundBlock] = []
        self._dialect: str | None = None
        self._cells = 0

    def result(self) -> Audit:
        """Return what was found so far."""
        found = self._findings
        return Audit(self._dialect, self._cells, self._met, found.errors, found.notes)

    def walk(self, key: Keys | None, cipher: Cipher | None) -> tuple[Trailer, Blocks] | None:
        """Walk over every block; return trailer and block reader, None if cells cannot be read."""
        source, limits, findings = self._source, self._limits, self._findings
        tail = source.read_tail(_TAIL) if source.size else b""
        trailer, wrong, untidy = examine_trailer(tail, source.size, limits)
        findings.extend(name_missing_part(each, source, tail) for each in wrong)
        findings.extend(untidy)
        end = trailer.offset if trailer is not None else self._end_of_blocks(tail)
        codec = trailer.compression_codec if trailer is not None else ""
        if trailer is not None and trailer.encryption_key and cipher is None:
            with findings.collected(trailer.offset):
                field_ = trailer.encryption_key
                cipher = cipher_of(field_, key, limits=limits, origin=trailer.offset)
        is_open = trailer is None or not trailer.encryption_key or cipher is not None
        # The length of an encrypted payload differs from that of its content.
        blocks = Blocks(source, codec if is_open else "", limits, verify=False, cipher=cipher)
        self._met = walk(source, blocks, end, findings)
        totals.check_order(self._met, findings)
        totals.note_checksums(self._met, findings)
        return (trailer, blocks) if trailer is not None and is_open else None

    def _end_of_blocks(self, tail: bytes) -> int:
        """Return where a misplaced trailer begins; the end of the file if there is none."""
        at = tail.rfind(layout.Trailer.magic)
        if at < 0:
            return self._source.size
        distance = len(tail) - at
        place = self._source.size - distance
        if distance not in SIZES.values():
            found = f"a trailer's magic, {distance} bytes before the end"
            wanted = f"{SIZES[3]} bytes ({SIZES[2]} in version 2)"
            self._findings.add("trailer", place, found, wanted)
        return place

    def check_all(self, trailer: Trailer, blocks: Blocks, *, protobuf_keys: bool) -> None:
        """Check all parts against each other."""
        on_open = self._on_open(trailer)
        info = self._file_info(blocks, on_open)
        root, meta_root = self._roots(trailer, blocks, on_open)
        first = self._met[0].block if self._met else None
        if first is None or root is None:
            return
        dialect = self._dialect = dialect_of(trailer, first.header, root)
        wrong = contradictions(trailer, dialect, root, info, protobuf_keys=protobuf_keys)
        self._findings.extend(wrong)
        if root.protobuf and protobuf_keys:
            self._findings.note("lengths of index keys are protobuf's (Hudi 1.1)")
        is_hbase = dialect == "hbase"
        totals.check_fields(trailer, info or {}, self._findings, is_hbase=is_hbase)
        totals.check_previous(self._met, self._findings, is_hbase=is_hbase)
        self._check_metas(meta_root)
        if info is None:
            return
        info_at = next(each.offset for each in on_open if each.type == "file_info")
        if is_hbase:
            totals.check_widths(info, info_at, self._findings)
        with self._findings.collected(info_at):
            form = cell_form(dialect, info)
            self._check_contents(_Known(trailer, blocks, on_open, info, info_at, root, form))

    def _on_open(self, trailer: Trailer) -> list[FoundBlock]:
        """Return the blocks that opening the file reads: those from its first root index on."""
        kinds = [each.type for each in self._met]
        at = kinds.index("root_index") if "root_index" in kinds else len(kinds)
        found = self._met[at:]
        stated = trailer.load_on_open_data_offset
        path = "trailer.load_on_open_data_offset"
        if found:
            self._findings.expect(path, trailer.offset, stated, found[0].offset)
        else:
            self._findings.add(path, trailer.offset, stated, "the first block of the root index")
        infos = [each.offset for each in found if each.type == "file_info"]
        if infos:
            path = "trailer.file_info_offset"
            self._findings.expect(path, trailer.offset, trailer.file_info_offset, infos[0])
        wanted = ["root_index", "root_index", "file_info"]
        types = [each.type for each in found]
        if types[:3] != wanted:
            self._findings.add("load_on_open", stated, ", ".join(types), ", ".join(wanted))
        return found

    def _file_info(self, blocks: Blocks, on_open: list[FoundBlock]) -> Mapping[bytes, bytes] | None:
        for each in on_open:
            if each.type == "file_info" and each.block is not None and each.is_sound:
                with self._findings.collected(each.offset):
                    info = read_file_info(blocks, each.block, self._limits)
                    with self._findings.collected(each.offset):
                        check_index_encoding(info)
                    return info
        return None

    def _roots(
        self, trailer: Trailer, blocks: Blocks, on_open: list[FoundBlock]
    ) -> tuple[Root | None, Root | None]:
        """Return the data index and the meta index, as far as they can be read."""
        found: list[Root | None] = [None, None]
        counts = trailer.data_index_count, trailer.meta_index_count
        for number, (each, count) in enumerate(zip(on_open, counts, strict=False)):
            if each.type == "root_index" and each.block is not None and each.is_sound:
                with self._findings.collected(each.offset):
                    payload = blocks.payload(each.block)
                    found[number] = read_root(
                        payload, count, limits=self._limits, origin=each.offset
                    )
        data = found[0]
        if data is not None and (data.mid_key is not None) != (trailer.num_data_index_levels > 1):
            wanted = "2 or more with a mid key after the root index, 1 without"
            path = "trailer.num_data_index_levels"
            self._findings.add(path, trailer.offset, trailer.num_data_index_levels, wanted)
        return data, found[1]

    def _check_metas(self, root: Root | None) -> None:
        """Check the meta index against the meta blocks."""
        if root is None:
            return
        stated = sorted((entry.offset, entry.size) for entry in root.entries)
        met = [(each.offset, each.size) for each in self._met if each.type == "meta"]
        at = met[0][0] if met else None
        self._findings.expect("meta_index", at, str(stated), str(met))

    def _check_contents(self, file: _Known) -> None:
        """Read every cell, and check everything against them."""
        findings, limits, trailer = self._findings, self._limits, file.trailer
        is_hbase, order = self._dialect == "hbase", self._order(trailer)
        contents = Contents(
            file.blocks, file.form, limits, findings, order, trailer.is_meta_order, is_hbase
        )
        contents.is_complete = all(each.block is not None for each in self._met)
        filters = self._filters(file)
        audits = [BloomAudit(each, findings) for each in filters]
        for met in self._met:
            batch = contents.read(met) if met.type in DATA else None
            for each in audits if batch is not None else ():
                each.add(batch)
        self._cells = contents.cells
        for each in audits if contents.is_complete else ():
            each.close()
        check_chunks(filters, self._met, findings)
        totals.check_counts(trailer, contents, findings)
        totals.check_sizes(trailer, self._met, contents, findings)
        totals.check_file_info(file.info, file.info_at, contents, findings)
        index, origin = Index(file.blocks, self._met, limits, findings), file.on_open[0].offset
        index.check(file.root, origin, trailer, contents.parts)
        if contents.in_order:
            levels = trailer.num_data_index_levels
            index.check_keys(file.root, origin, levels, contents.parts, order)

    def _order(self, trailer: Trailer) -> Callable[[bytes], tuple[Any, ...]]:
        if self._dialect != "hbase":
            return orders.order_of_rows
        return orders.order_of_meta if trailer.is_meta_order else orders.order_of_cells

    def _filters(self, file: _Known) -> list[BloomFilter]:
        found: list[BloomFilter] = []
        end = file.trailer.load_on_open_data_offset
        for each in file.on_open:
            if each.type.endswith("bloom_meta") and each.block is not None and each.is_sound:
                with self._findings.collected(each.offset):
                    found.append(BloomFilter(file.blocks, each.block, file.info, end))
        return found


@dataclass(frozen=True, slots=True)
class _Known:
    """What comes after the data of a file, parsed."""

    trailer: Trailer
    blocks: Blocks
    on_open: list[FoundBlock]
    info: Mapping[bytes, bytes]
    info_at: int
    root: Root
    form: CellForm
