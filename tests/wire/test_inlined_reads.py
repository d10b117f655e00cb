"""`read` methods with the reader's calls inlined give what the generated methods give."""

import gc
import importlib
import linecache
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.bulk_files import BULK
from tests.support.inlined_parity import at_once, difference, read_both_ways
from tests.support.modules import module_of
from tests.support.strangers import imported_from, inputs, specs, write_records

from byteloom.errors import ByteloomError, FormatError
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire import Record
from byteloom.wire.inlining import reading
from byteloom.wire.reader import Reader

_TREE = """
seq:
  - {id: num_children, type: u1}
  - {id: children, type: node, repeat: expr, repeat-expr: num_children}
types:
  node:
    seq:
      - {id: has_next, type: u1}
      - {id: next, type: node, if: has_next == 1}
"""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once(monkeypatch)


@pytest.fixture(scope="module")
def _modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have the records of all specs of strangers importable."""
    folder = tmp_path_factory.mktemp("inlined")
    write_records(specs(), folder)
    with imported_from(folder):
        yield


def _top(name: str) -> Any:
    classes = vars(importlib.import_module(name)).values()
    return next(
        each
        for each in classes
        if isinstance(each, type) and issubclass(each, Record) and vars(each).get("NAME") == name
    )


def _damaged(data: bytes, chance: random.Random) -> Iterator[bytes]:
    for _ in range(12):
        at = chance.randrange(len(data) or 1)
        yield data[:at]
        yield data[:at] + bytes((chance.choice((0, 1, 127, 128, 255)),)) + data[at + 1 :]


def _result(cls: Any, data: bytes) -> tuple[Any, Reader] | str:
    """What the generated method gives: the record and the reader after it, or the error's text."""
    r = Reader(data)
    try:
        return r.whole(cls.NAME, cls.read), r
    except ByteloomError as error:
        return str(error)


@pytest.mark.usefixtures("_modules")
def test_all_formats_are_read_alike() -> None:
    """Sound bytes give equal records, hidden attributes and windows included; damage gives none."""
    chance, inlined = random.Random(1), 0
    for name, data in inputs():
        cls = _top(name)
        for each in (data, *_damaged(data, chance)):
            found = reading.read_inlined(cls, each, DEFAULT_LIMITS, 0, {})
            wanted = _result(cls, each)
            if found is not None:
                inlined += 1
                assert not isinstance(wanted, str), (name, wanted)
                assert not difference(wanted, found), name
            elif isinstance(wanted, str):
                with pytest.raises(ByteloomError) as caught:
                    cls.from_bytes(each)
                assert str(caught.value) == wanted
    assert inlined > 500  # of about 1,000 sound ones; what remains is asked for, or not printed


@pytest.mark.parametrize("name", BULK)
def test_large_files_are_read_by_what_was_inlined(name: str, tmp_path: Path) -> None:
    """No sound file of the benchmark is left to the generated methods."""
    folder = Path(__file__).parents[1]
    places = (folder / "bench/formats", folder / "conformance/formats")
    modules = [name, *(["internet"] if name == "pcap" else [])]
    for each in modules:
        path = next(place / f"{each}.ksy" for place in places if (place / f"{each}.ksy").exists())
        write_records([path], tmp_path)
    others = {each: sys.modules.pop(each, None) for each in modules}
    sys.path.insert(0, str(tmp_path))
    try:
        found = read_both_ways(_top(name), BULK[name](10), DEFAULT_LIMITS, 0, {})
    finally:
        sys.path.remove(str(tmp_path))
        for each, module in others.items():
            del sys.modules[each]
            if module is not None:
                sys.modules[each] = module
    assert found is not None


_LOOPS = """
seq:
  - {id: n, type: u1}
  - {id: flag, type: b1}
  - {id: pairs, type: b7, repeat: expr, repeat-expr: n}
  - {id: until, type: u1, repeat: until, repeat-until: _ == 0}
  - {id: texts, type: strz, encoding: ASCII, repeat: until, repeat-until: '_ == ""'}
  - {id: body, size: 'n << 1 | 1'}
  - {id: chosen, size: 'n == 2 ? 1 : 0'}
  - {id: rest, type: pair, repeat: eos}
types:
  pair: {seq: [{id: a, type: b4}, {id: b, type: b4}]}
"""


@pytest.mark.parametrize("spec", [_LOOPS, _LOOPS.replace("b7", "u1").replace("b4", "u2")])
def test_loops_of_every_kind_are_read_alike(spec: str) -> None:
    """Loops that end by themselves, a count or the window; with single bits, and without."""
    top: Any = module_of(spec).Sample
    data = b"\2" + bytes((0x81, 2, 3, 4, 0)) + b"ab\0c\0\0" + b"BODY!" + b"x" + bytes(range(8))
    found = reading.read_inlined(top, data, DEFAULT_LIMITS, 0, {})
    assert found is not None
    assert not difference(_result(top, data), found)


def test_little_is_read_by_generated_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods are inlined once enough bytes of the format have been read."""
    monkeypatch.setattr(reading, "WORTH", 6)
    top: Any = module_of("seq: [{id: a, type: u4}]").Sample
    assert reading.read_inlined(top, b"\1\0\0\0", DEFAULT_LIMITS, 0, {}) is None
    found = reading.read_inlined(top, b"\1\0\0\0", DEFAULT_LIMITS, 0, {})
    assert found is not None
    assert found[0] == top(a=1)


def test_depth_is_limited_alike() -> None:
    """A chain of records one level too deep is refused with the generated method's error."""
    top: Any = module_of(_TREE).Sample
    limits = Limits(nesting=4)
    assert reading.read_inlined(top, b"\1\1\1\0", limits, 0, {}) is not None
    with pytest.raises(
        FormatError, match=r"\[0\]\.next\.next\.next at .* found 5, wanted at most 4"
    ):
        top.from_bytes(b"\1\1\1\1\0", limits=limits)


@pytest.mark.parametrize("objects", [4, 5])
def test_records_are_counted_alike(objects: int) -> None:
    """One record more than the limit allows is refused; the account after reading is the same."""
    top: Any = module_of(_TREE).Sample
    data, limits = b"\2\1\0\1\0", Limits(objects=objects)
    if objects == 5:
        found = reading.read_inlined(top, data, limits, 0, {})
        assert found is not None
        assert found[1]._spent.objects == 5
    else:
        with pytest.raises(FormatError, match="objects"):
            top.from_bytes(data, limits=limits)


def test_elements_of_no_bytes_are_paid_for() -> None:
    """A count of elements that take no bytes is bounded by the size of the file."""
    top: Any = module_of("""
seq:
  - {id: n, type: u1}
  - {id: xs, type: 'nothing(_index)', repeat: expr, repeat-expr: n}
types:
  nothing: {params: [{id: i, type: u1}], seq: []}
""").Sample
    for limits in (Limits(empty_elements=0), Limits(empty_elements=2), Limits(empty_elements=3)):
        data, r = b"\4", Reader(b"\4", limits=limits)
        found = reading.read_inlined(top, data, limits, 0, {})
        if limits.empty_elements < 3:
            assert found is None
            with pytest.raises(FormatError, match="elements"):
                top.from_bytes(data, limits=limits)
        else:
            assert found is not None
            assert not difference((r.whole("sample", top.read), r), found)


def test_a_module_that_is_no_longer_imported_is_inlined_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Methods are found by their own globals, whatever has the name of their module now."""
    module = module_of("seq: [{id: a, type: u1}]")
    monkeypatch.setitem(sys.modules, module.__name__, sys)
    found = reading.read_inlined(module.Sample, b"\1", DEFAULT_LIMITS, 0, {})
    assert found is not None
    assert found[0].a == 1


def test_a_subclass_is_read_as_itself() -> None:
    """The record of a class that somebody derived is an instance of that class."""
    base: Any = module_of("seq: [{id: a, type: u1}]").Sample

    class Mine(base):  # type: ignore[misc]
        """Adds nothing."""

    assert type(Mine.from_bytes(b"\1")) is Mine
    assert type(base.from_bytes(b"\1")) is base


def test_a_source_that_is_not_what_was_loaded_is_left() -> None:
    """A module whose file has changed since it was imported is read as it was imported."""
    module = module_of("seq: [{id: a, type: u1}]")
    name = module.__name__
    lines = [each.replace("r.u1", "r.s1") for each in linecache.getlines(name)]
    linecache.cache[name] = 1, None, lines, name
    top: Any = module.Sample
    assert top.from_bytes(b"\xff").a == 255
    assert reading.read_inlined(top, b"\xff", DEFAULT_LIMITS, 0, {}) is None


def test_the_collector_runs_again_after_damage() -> None:
    """Garbage is collected again after a large file that was damaged."""
    top: Any = module_of("seq: [{id: a, type: u1, repeat: eos}, {id: b, contents: [1]}]").Sample
    with pytest.raises(FormatError):
        top.from_bytes(bytes(20_000))
    assert gc.isenabled()
