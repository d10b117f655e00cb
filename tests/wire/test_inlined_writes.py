"""`write` methods with the writer's calls inlined give what the generated methods give."""

import copy
import importlib
import linecache
import random
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from tests.support.bulk_files import BULK
from tests.support.inlined_parity import at_once, generated_bytes
from tests.support.modules import module_of
from tests.support.strangers import imported_from, inputs, specs, write_records

from byteloom.errors import ByteloomError, FormatError
from byteloom.wire import Record
from byteloom.wire.inlining import writing
from byteloom.wire.members import is_record
from byteloom_codegen.load import load_text
from byteloom_codegen.python.emit import emit

_BENCH = Path(__file__).parents[1] / "bench/formats"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once(monkeypatch)


@pytest.fixture(scope="module")
def _modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have the records of all specs importable: of strangers, and of the benchmark."""
    folder = tmp_path_factory.mktemp("inlined_writes")
    write_records((*specs(), *_BENCH.glob("*.ksy")), folder)
    with imported_from(folder):
        yield


def _top(name: str) -> Any:
    classes = vars(importlib.import_module(name)).values()
    return next(
        each
        for each in classes
        if isinstance(each, type) and issubclass(each, Record) and vars(each).get("NAME") == name
    )


def _records(value: Any) -> list[Any]:
    """All records in *value*, itself the first."""
    found, waiting = list[Any](), [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif is_record(each):
            found.append(each)
            waiting += [getattr(each, name.name) for name in fields(each) if name.compare]
    return found


def _edit(record: Any, chance: random.Random) -> None:
    """Change one value somewhere in *record*: to one that fits, or to one that does not."""
    each = chance.choice(
        [each for each in _records(record) if any(one.compare for one in fields(each))]
    )
    name = chance.choice([one.name for one in fields(each) if one.compare])
    value = getattr(each, name)
    others: list[Any] = [None, -1, 0, 1, 255, 1 << 31, 1 << 64, "x", b"x", "é\0", [], each, 1.5]
    if isinstance(value, list):
        others += [value[:-1], value * 2, tuple(value), value[::-1], [*value, None]]
    elif isinstance(value, bytes | str):
        others += [value[:-1], value * 2, bytearray(b"abc")]
    elif isinstance(value, int):
        others += [value + 1, value - 1, -1 - value]
    setattr(each, name, chance.choice(others))


def _generated(record: Any) -> bytes | str:
    try:
        return generated_bytes(record)
    except ByteloomError as error:
        return str(error)


@pytest.mark.usefixtures("_modules")
def test_all_formats_are_written_alike() -> None:
    """A record that is written inlined has the bytes that its own `write` gives, edited or not."""
    chance, inlined, edited = random.Random(2), 0, 0
    for name, data in inputs():
        try:
            record = _top(name).from_bytes(data)
        except ByteloomError:
            continue
        found = writing.write_inlined(record)
        if found is None:
            continue
        inlined += 1
        assert found == _generated(record), name
        if not any(one.compare for each in _records(record) for one in fields(each)):
            continue
        for _ in range(12):
            other = copy.deepcopy(record)
            _edit(other, chance)
            found, wanted = writing.write_inlined(other), _generated(copy.deepcopy(other))
            if found is not None:
                edited += 1
                assert found == wanted, name
            assert _generated(other) == wanted, name  # nothing was changed by trying
    assert inlined > 70  # what remains has parts of its own places, or asks its stream
    assert edited > 150


@pytest.mark.usefixtures("_modules")
@pytest.mark.parametrize("name", sorted({*BULK} - {"zip"}))
def test_large_files_are_written_by_what_was_inlined(name: str) -> None:
    """No file of the benchmark is left to the generated methods, but those with lazy parts."""
    data = BULK[name](10)
    record = _top(name).from_bytes(data)
    assert writing.write_inlined(record) == data
    assert record.to_bytes() == data


_PARTS = """
seq:
  - {id: len_body, type: u1}
  - {id: body, type: body, size: len_body}
  - {id: points, type: point, repeat: eos}
types:
  body:
    seq:
      - {id: text, type: strz, encoding: UTF-8}
      - {id: rest, size-eos: true}
  point: {seq: [{id: x, type: f4le}, {id: y, type: f4be}, {id: z, type: f8le}]}
"""


def _inlined(record: Any) -> bytes:
    """The bytes of *record*, which is written inlined, and by its own methods to the same."""
    data = writing.write_inlined(record)
    assert data is not None
    assert data == generated_bytes(record)
    return data


def test_a_new_record_is_written_inlined() -> None:
    """A record need not have been read, and its size follows."""
    module = module_of(_PARTS)
    body = module.Body(text="é", rest=b"abc")
    top = module.Sample(body=body, points=[module.Point(x=1, y=2.5, z=float("nan"))])
    assert _inlined(top)[:7] == b"\6\xc3\xa9\0abc"
    assert top.to_bytes() == _inlined(top)


def test_bits_of_numbers_that_are_none_are_kept() -> None:
    """A signaling NaN of four bytes is written with the bits that it was read with."""
    top: Any = module_of(_PARTS).Sample
    nan = b"\1\0\xa0\x7f" + b"\x7f\xa0\0\1" + b"\1\0\0\0\0\0\xf4\x7f"
    data = b"\1\0" + nan
    assert _inlined(top.from_bytes(data)) == data


@pytest.mark.parametrize(
    ("edit", "error"),
    [
        (r"top.body.text = 'a\0'", "without"),
        (r"top.body.text = '\ud800'", "UTF-8"),
        ("top.body.rest = bytes(255)", "255"),
        ("top.points = [top.body]", "a Body"),
        ("top.body = top.points[0]", "a Point"),
        ("top.body = None", "NoneType"),
        ("top.points[0].x = 1e300", "4 bytes"),
        ("top.points[0].z = 'x'", "x"),
    ],
)
def test_what_does_not_fit_is_refused_as_ever(edit: str, error: str) -> None:
    """Inlined methods leave it to the generated ones, which say what is wrong."""
    top = module_of(_PARTS).Sample.from_bytes(b"\3a\0b" + bytes(16))
    exec(edit, {"top": top})  # noqa: S102  (one of those above)
    assert writing.write_inlined(top) is None
    with pytest.raises(FormatError, match=error):
        top.to_bytes()


def test_bytes_after_the_fields_are_kept() -> None:
    """A record whose window has more bytes than its fields is written with them."""
    spec = """
seq: [{id: a, type: one, size: 3}, {id: len_b, type: u1}, {id: b, type: one, size: len_b}]
types: {one: {seq: [{id: x, type: u1}]}}
"""
    module = module_of(spec)
    for data in (b"\1\2\3\1\5", b"\1\0\0\2\5\6"):
        top = module.Sample.from_bytes(data)
        assert writing.write_inlined(top) is None
        assert top.to_bytes() == data
    top = module.Sample.from_bytes(b"\1\2\3\1\5")
    top.a = module.One(x=9)  # two bytes are missing, which are filled up as the window's
    assert writing.write_inlined(top) is None
    rest = module.Sample.from_bytes(b"\1\2\3\1\5\6\7")
    assert writing.write_inlined(rest) is None
    assert rest.to_bytes() == b"\1\2\3\1\5\6\7"


def test_nothing_may_follow_what_takes_the_rest() -> None:
    """A field after one that ends its window is refused, in a window and at the top."""
    spec = """
seq:
  - {id: len_a, type: u1}
  - {id: a, type: two, size: len_a}
  - {id: b, type: rest}
  - {id: c, type: one}
types:
  two: {seq: [{id: x, type: rest}, {id: y, size: 0}, {id: z, type: one}]}
  rest: {seq: [{id: x, size-eos: true}]}
  one: {seq: [{id: x, type: u1, repeat: eos}]}
"""
    module = module_of(spec)
    for inner, outer in (([], []), ([1], []), ([], [1])):
        two = module.Two(x=module.Rest(x=b"ab"), y=b"", z=module.One(x=inner))
        top = module.Sample(a=two, b=module.Rest(x=b"cd"), c=module.One(x=outer))
        if inner or outer:
            assert writing.write_inlined(top) is None
            with pytest.raises(FormatError, match="the end of the stream"):
                top.to_bytes()
        else:
            assert _inlined(top) == b"\2abcd"


_PASSED = """
seq:
  - {id: n, type: u1}
  - {id: children, type: child(n), repeat: eos}
types:
  child:
    params: [{id: n, type: u1}]
    seq: [{id: x, type: u1, if: n == 1}]
"""


def test_parameters_that_change_are_left_to_generated_methods() -> None:
    """A record that passes on changed parameters is left to the generated methods."""
    top: Any = module_of(_PASSED).Sample.from_bytes(b"\1ab")
    assert _inlined(top) == b"\1ab"
    top.children[1].n = 2
    assert writing.write_inlined(top) is None
    with pytest.raises(FormatError, match=r"children\[1\]\.n: found 2, wanted 1"):
        top.to_bytes()
    assert top.children[1].n == 2


def test_a_list_that_can_be_read_once_is_left_untouched() -> None:
    """An iterable that is not a list is left to the generated methods."""
    module = module_of(_PARTS)
    points = iter([module.Point(x=0, y=0, z=0)])
    top = module.Sample(body=module.Body(text="", rest=b""), points=points)
    assert writing.write_inlined(top) is None
    assert len([*points]) == 1


def test_a_subclass_is_written_by_its_own_method() -> None:
    """A record of a class that somebody derived may write anything, at the top and inside."""
    module = module_of(_PARTS)

    class Mine(module.Body):  # type: ignore[misc, name-defined]
        """Puts one byte more."""

        def write(self, w: Any) -> None:
            """Write it."""
            super().write(w)
            w.u1("more", 7)

    top = module.Sample(body=Mine(text="", rest=b"ab"), points=[])
    assert writing.write_inlined(top.body) is None
    assert writing.write_inlined(top) is None


def test_a_record_that_somebody_wrote_is_left_alone() -> None:
    """Only what the generator wrote is looked at."""

    class Mine(Record):
        """Writes a byte."""

        NAME = "mine"

        def write(self, w: Any) -> None:
            """Write it."""
            w.u1("x", 1)

    assert writing.write_inlined(Mine()) is None
    assert Mine().to_bytes() == b"\1"


_OWN = """
class Other:
    @classmethod
    def read(cls, r):
        self = cls()
        self.x = r.u1("x")
        return self

    def write(self, w):
        w.u1("x", self.x)
"""


def test_a_record_that_has_one_of_a_type_of_ones_own_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a user's own class for an opaque type writes is its own affair."""
    spec = load_text("""
meta: {id: around, endian: le, ks-opaque-types: true}
seq: [{id: own, type: other}, {id: last, type: u1}]
""")
    folder = tmp_path / "with_own"
    folder.mkdir()
    (folder / "around.py").write_text(emit(spec, "around.ksy"))
    (folder / "other.py").write_text(_OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    around = importlib.import_module("with_own.around").Around.from_bytes(b"ab")
    assert writing.write_inlined(around) is None
    around.own.x = ord("z")
    assert around.to_bytes() == b"zb"


@pytest.mark.parametrize("other", [sys, None])
def test_a_module_that_is_no_longer_imported_is_inlined_too(
    monkeypatch: pytest.MonkeyPatch, other: Any
) -> None:
    """Types of fields are found in their own module, whatever has its name now, or nothing."""
    module = module_of(_PARTS)
    if other is None:
        monkeypatch.delitem(sys.modules, module.__name__)
    else:
        monkeypatch.setitem(sys.modules, module.__name__, other)
    top = module.Sample.from_bytes(b"\1\0")
    assert _inlined(top) == b"\1\0"
    top.points = [top.body]
    with pytest.raises(FormatError, match="a Body"):
        top.to_bytes()


def test_little_is_written_by_generated_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods are inlined once enough bytes of the format have been written."""
    monkeypatch.setattr(writing, "WORTH", 8)
    top: Any = module_of("seq: [{id: a, type: u4}]").Sample
    record = top(a=1)
    for _ in range(2):
        assert writing.write_inlined(record) is None
        record.to_bytes()
    assert writing.write_inlined(record) == b"\1\0\0\0"


def test_what_is_read_inlined_is_written_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format of which much was read need not be written often before its methods are inlined."""
    monkeypatch.setattr(writing, "WORTH", 1 << 16)
    top: Any = module_of("seq: [{id: a, type: u4}]").Sample
    record = top.from_bytes(b"\1\0\0\0")
    assert writing.write_inlined(record) == b"\1\0\0\0"


def test_a_switch_of_many_cases_is_inlined() -> None:
    """Cases are compared one after another, not one inside the other: Python limits that."""
    cases = ", ".join(f"{n}: one" for n in range(120))
    top: Any = module_of(f"""
seq: [{{id: kind, type: u1}}, {{id: body, type: {{switch-on: kind, cases: {{{cases}, 120: two}}}}}}]
types: {{one: {{seq: [{{id: x, type: u1}}]}}, two: {{seq: [{{id: x, type: u2}}]}}}}
""").Sample
    for data in (b"\1a", b"\x78ab"):
        assert _inlined(top.from_bytes(data)) == data
    record = top.from_bytes(b"\1a")
    record.kind = 120
    assert writing.write_inlined(record) is None


_MEASURED = """
seq:
  - {id: flag, type: u1}
  - {id: len_note, type: u1}
  - {id: xs, type: strz, encoding: ASCII, repeat: expr, repeat-expr: 1}
  - {id: a, size: len_note, if: flag == 1}
  - {id: b, type: u1, if: flag == 2 and len_note > 1}
  - {id: c, size: 'flag == 3 ? len_note : 1'}
  - {id: none, size: 'flag != 6 ? 0 : len_note'}
  - {id: d, type: {switch-on: flag, cases: {4: one, len_note: two}}}
  - {id: note, type: str, encoding: UTF-8, size: len_note}
types:
  one: {seq: [{id: x, type: u1}]}
  two: {seq: [{id: x, type: u2}]}
"""


@pytest.mark.parametrize(
    "data",
    [b"\0\3x\0c", b"\1\3x\0aaac", b"\2\3x\0bc", b"\3\3x\0cccdd", b"\4\3x\0cd", b"\5\3x\0c"],
)
def test_a_text_that_is_measured_in_one_branch_is_encoded_in_others(data: bytes) -> None:
    """The bytes of a text are there in each branch, whichever conditions ask for its length."""
    data += "né".encode()
    assert _inlined(module_of(_MEASURED).Sample.from_bytes(data)) == data


_CONDITIONAL = """
seq:
  - {id: n, type: u1}
  - {id: a, size: 'n == 1 ? 1 : 2'}
  - {id: b, type: str, encoding: UTF-8, size: 'n == 1 ? 1 : 2'}
  - {id: c, type: u2, repeat: expr, repeat-expr: 'n == 1 ? 1 : 2'}
  - {id: d, type: one, repeat: expr, repeat-expr: 'n == 1 ? 1 : 2'}
  - {id: e, type: text, size: 'n == 1 ? 1 : 2'}
types:
  one: {seq: [{id: x, type: u1}]}
  text: {seq: [{id: x, type: str, encoding: UTF-8, size-eos: true}]}
"""


@pytest.mark.parametrize(
    ("other", "data"), [(2, b"\1abc\0de"), (2, b"\2aabbc\0c\0ddee"), (0, b"\0")]
)
def test_sizes_and_counts_may_depend_on_conditions(other: int, data: bytes) -> None:
    """Sizes and counts of either branch are written inlined, and all others are refused."""
    top: Any = module_of(_CONDITIONAL.replace(": 2'", f": {other}'")).Sample
    assert _inlined(top.from_bytes(data)) == data
    sound = top.from_bytes(b"\1abc\0de")
    for name in "abcde":
        record = top.from_bytes(data)
        setattr(record, name, getattr(sound, name))
        if name == "e":
            record.e.x = "text"
        elif data[0] == 1:
            setattr(record, name, getattr(sound, name) * 3)
        assert writing.write_inlined(record) is None
        with pytest.raises(FormatError, match=rf"sample\.{name}"):
            record.to_bytes()


_BITS = """
seq:
  - {id: a, type: b3}
  - {id: pairs, type: pair, repeat: expr, repeat-expr: a}
  - {id: c, type: b5}
  - {id: d, type: part, size: 1}
types:
  pair: {seq: [{id: x, type: b4}, {id: y, type: b4}]}
  part: {seq: [{id: x, type: b3}]}
"""


def test_bits_that_fill_no_byte_are_put_alike() -> None:
    """Bits go on from one record to the next, and a window ends with a whole byte."""
    top: Any = module_of(_BITS).Sample
    data = b"\x40\x12\x34\x28\xe0"
    record = top.from_bytes(data)
    assert writing.write_inlined(record) in {None, data}
    assert record.to_bytes() == data
    record.d.x = 8
    assert writing.write_inlined(record) is None


def test_a_source_that_is_not_what_was_loaded_is_left() -> None:
    """A module whose file has changed since it was imported is written as it was imported."""
    module = module_of("seq: [{id: a, type: u1}]")
    name = module.__name__
    lines = [each.replace("w.u1", "w.u2le") for each in linecache.getlines(name)]
    linecache.cache[name] = 1, None, lines, name
    record = module.Sample(a=1)
    assert writing.write_inlined(record) is None
    assert record.to_bytes() == b"\1"
