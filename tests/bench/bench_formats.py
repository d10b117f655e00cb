"""Everyday formats read and written as records and as drop-ins, beside official parsers.

What is compared is reading all that a parser reads by itself: what it reads when it is asked is
asked of none.  The peer is what the official compiler makes of the same spec, in the same run.
"""

import gc
import importlib
import shutil
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from kaitaistruct import KaitaiStream
from tests.support.bulk_files import BULK
from tests.support.official import compiled
from tests.support.strangers import FORMATS

from byteloom_codegen.kaitaistruct import emit as emit_drop_in
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.module import emit as emit_records

if TYPE_CHECKING:
    from types import ModuleType

SPECS = Path(__file__).parent / "formats"
SHARED = ["pcap", "internet", "zip", "png"]
RUNS = 5

pytestmark = [pytest.mark.bench, pytest.mark.peer("node")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with modules of all specs: official ones, our records, our drop-ins."""
    folder = tmp_path_factory.mktemp("formats")
    for each in ("specs", "official", "records", "drop_in"):
        (folder / each).mkdir()
    for path in [*SPECS.glob("*.ksy"), *(FORMATS / f"{name}.ksy" for name in SHARED)]:
        shutil.copy(path, folder / "specs")
    for path in (folder / "specs").glob("*.ksy"):
        spec = load_spec(path)
        text = emit_records(spec, path.name, flat=True)
        (folder / "records" / f"{path.stem}.py").write_text(text, encoding="utf-8")
        for name, module in emit_drop_in(spec).items():
            (folder / "drop_in" / name).write_text(module, encoding="utf-8")
    compiled(folder / "specs", folder / "official")
    return folder


def _class_of(folder: Path, name: str) -> Any:
    """The class of a format from one of the folders, whichever modules have its name elsewhere."""
    names = {path.stem for path in folder.glob("*.py")}
    others: dict[str, ModuleType] = {each: sys.modules.pop(each) for each in names & {*sys.modules}}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        return getattr(importlib.import_module(name), name.title().replace("_", ""))
    finally:
        sys.path.remove(str(folder))
        for each in names & {*sys.modules}:
            del sys.modules[each]
        sys.modules.update(others)


def _seconds(*runs: Callable[[], Any]) -> Iterator[float]:
    """Yield the processor time of each of *runs*, taken in turns: the median of several."""
    times: list[list[float]] = [[] for _ in runs]
    for turn in range(RUNS + 1):
        for run, taken in zip(runs, times, strict=True):
            gc.collect()
            start = process_time()
            run()
            if turn:  # the first one warms up
                taken.append(process_time() - start)
    yield from map(median, times)


@pytest.mark.parametrize("name", BULK)
def test_reading_and_writing(name: str, folder: Path) -> None:
    """Prints how fast all three forms read a file, and how fast records write it."""
    data = BULK[name]()
    ours, drop_in, peer = (
        _class_of(folder / each, name) for each in ("records", "drop_in", "official")
    )
    record = ours.from_bytes(data, whole=True)
    assert record.to_bytes() == data
    read, dropped, official, written = _seconds(
        lambda: ours.from_bytes(data),
        lambda: drop_in(KaitaiStream(BytesIO(data))),
        lambda: peer(KaitaiStream(BytesIO(data))),
        record.to_bytes,
    )
    print(
        f"\n{name}: official {official * 1e3:.0f} ms; records ratio {official / read:.2f}, "
        f"drop-in ratio {official / dropped:.2f}; writing / reading ratio {written / read:.2f}"
    )
