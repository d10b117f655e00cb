"""The repeated records of a file, as `byteloom scan` reads them and as records: for comparison."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from tests.support.scanners import outcome, row_of, rows_of, write_module

from byteloom.columns.record_columns import batch_of
from byteloom.columns.scan_batches import batches
from byteloom.columns.scan_reader import ScanReader
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.module import emit
from byteloom_codegen.scanners.scan_modules import choose, chosen_scanner

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path


__all__ = ["ChosenRecords"]


class ChosenRecords:
    """One repeated record of a spec, and what reads it.

    where  the path to it, as `--records` has it
    """

    def __init__(
        self,
        spec: Path,
        where: str,
        folder: Path,
        *,
        compiled: bool = False,
        wanted: Collection[str] | None = None,
    ) -> None:
        """Write the modules to *folder* and import them; *compiled* loops are not interpreted.

        wanted  the columns, fields inside of records after a point; None for all
        """
        model = load_spec(spec)
        self.where = choose(model, where)
        self.made = chosen_scanner(model, self.where, wanted)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
        specs, texts = [model], {f"{model.name}_scan": self.made.text}
        while specs:
            each = specs.pop()
            texts[each.name] = emit(each, each.name)
            specs += each.imports
        for name, text in texts.items():
            write_module(folder / f"{name}.py", text)
        sys.path.insert(0, str(folder.parent))
        try:
            records = import_module(f"{folder.name}.{model.name}")
            module = import_module(f"{folder.name}.{model.name}_scan")
        finally:
            sys.path.remove(str(folder.parent))
        self.top: Any = getattr(records, model.name.title().replace("_", ""))
        self.scan: Any = vars(module)[self.made.scan]
        self.schema: pa.Schema = self.scan.none("binary").schema
        if compiled:
            _ = self.scan.loop.compiled

    def columns(self) -> list[str]:
        """Return the columns, fields inside of records after a point."""
        return [*_leaves(self.schema, "")]

    def both(self, data: bytes, window: int = 0) -> tuple[Any, Any]:
        """Return what the scan and the records say about *data*.

        window  bytes that are in memory at a time, where the records stream; 0 for all
        """
        found = outcome(lambda: [row for each in self._scan(data, window) for row in rows_of(each)])
        return found, outcome(lambda: [row_of(each, self.schema) for each in self._records(data)])

    def _scan(self, data: bytes, window: int) -> Iterator[pa.RecordBatch]:
        steps = self.where.steps if self.where else ()
        path = (self.top.NAME, *(each.name for each in steps[:-1]))
        if window and self.where is not None and self.where.streams:

            def fetch(at: int, size: int) -> bytes:
                return data[at : at + size]

            yield from batches(
                self.scan, self.top.read, path, fetch, len(data), self._whole, window=window
            )
        elif self.made.loops:
            reader = ScanReader(data)
            reader.begin(self.scan, "binary", path)
            reader.record(self.top.NAME, self.top.read)
            yield reader.batch
        else:
            yield from self._whole(data)

    def _whole(self, data: bytes) -> Iterator[pa.RecordBatch]:
        yield batch_of(self.scan.columns, list(self._records(data)), "binary")

    def _records(self, data: bytes) -> Iterator[Any]:
        found: Any = [self.top.from_bytes(data)]
        for step in self.where.steps if self.where else ():
            values = [getattr(each, step.attribute) for each in found]
            found = [
                one
                for each in values
                for one in (each if isinstance(each, list) else [each])
                if one is not None
            ]
        yield from found


def _leaves(fields: Iterable[pa.Field], before: str) -> Iterator[str]:
    """Yield the paths of fields that are not records."""
    for each in fields:
        if pa.types.is_struct(each.type):
            yield from _leaves(each.type, f"{before}{each.name}.")
        else:
            yield f"{before}{each.name}"
