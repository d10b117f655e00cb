"""Drop-ins read runs of fields by one call, and end as they do where the runtime reads each field.

Streams of a class of its own are left to the runtime, field by field: this is what the quick way is
compared with, on whole files and on all that they can be cut or changed to.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import kaitaistruct
import pytest
from kaitaistruct import KaitaiStream
from tests.support.gallery import rows

from byteloom_codegen.kaitaistruct import emit
from byteloom_codegen.load import load_spec, load_text

HEAD = "meta: {id: sample, endian: be, encoding: ASCII}\n"

MIXED = """
seq:
  - {id: kind, type: u1, enum: kinds}
  - {id: size, type: u2le}
  - {id: three, type: b3}
  - {id: five, type: b5, enum: kinds}
  - {id: one, type: s1}
  - {id: real, type: f4}
  - {id: raw, size: 3}
  - {id: padded, size: 4, pad-right: 32, terminator: 0}
  - {id: text, type: str, size: 3}
  - {id: limited, type: u2, valid: {max: 300}}
  - {id: magic, contents: [1, 2]}
  - {id: name, type: strz}
  - {id: nibble, type: b4}
  - {id: inner, type: inner}
  - {id: numbers, type: s2le, repeat: expr, repeat-expr: size}
  - {id: body, size: size}
  - {id: rest, type: inner, repeat: eos}
types:
  inner:
    seq: [{id: flag, type: b1}, {id: low, type: b3}, {id: after, type: u1}]
enums: {kinds: {1: one, 2: two}}
"""
MIXED_DATA = bytes.fromhex("01 0200 a2 ff 3f800000 414243 41200020 616263 012c 0102 616200 9f")
MIXED_DATA += bytes.fromhex("07 0100feff 4142 a001 7002")

FIELDS = rows("drop_ins", "fields")


class Slowly(KaitaiStream):  # type: ignore[misc]
    """A stream that is not the runtime's own."""


def module_of(text: str) -> ModuleType:
    """Run the module of the spec ``sample`` given as text."""
    module = ModuleType("sample")
    source = emit(load_text(text))["sample.py"]
    exec(compile(source, "sample.py", "exec"), vars(module))  # noqa: S102  (running it is the test)
    return module


def states(record: Any) -> list[Any]:
    """Return all that records have kept, the state of their streams included."""
    found, seen, waiting = list[Any](), set[int](), [record]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, kaitaistruct.KaitaiStruct):
            if id(value) not in seen:
                seen.add(id(value))
                stream = value._io
                kept = vars(value)
                found += [stream.pos(), stream.bits_left, stream.bits, *kept]
                waiting += reversed(kept.values())
        elif not isinstance(value, KaitaiStream):
            found += [type(value), repr(value) if isinstance(value, float) else value]
    return found


def outcome(class_: Any, stream: KaitaiStream) -> list[Any]:
    """What reading gives, all values and the state of the stream, or how it fails."""
    record = class_.__new__(class_)
    try:
        record.__init__(stream)
        for name in ("c", "d", "e"):
            getattr(record, name, None)
        failed = ""
    except (kaitaistruct.KaitaiStructError, EOFError, ValueError, AttributeError) as error:
        failed = f"{type(error).__name__}: {error}"
    return [failed, *states(record)]


def variants(data: bytes) -> Iterator[bytes]:
    """Yield *data*, its beginnings, and *data* with a byte changed."""
    yield data
    for at in range(len(data)):
        yield data[:at]
        for byte in (0, 1, 255):
            yield data[:at] + bytes((byte,)) + data[at + 1 :]


@pytest.mark.parametrize("spec", [MIXED, *FIELDS])
def test_the_quick_way_ends_as_the_runtime_does(spec: str) -> None:
    """Values, errors and the state of streams are those of a stream that the runtime reads."""
    class_ = module_of(HEAD + spec).Sample
    data = MIXED_DATA if spec is MIXED else b"\1\2\0\3\4\2\0\x81\5\xff\0\6"
    for each in variants(data):
        quick, slow = (of(io.BytesIO(each)) for of in (KaitaiStream, Slowly))
        assert outcome(class_, quick) == outcome(class_, slow)


@pytest.mark.parametrize("spec", FIELDS)
def test_a_stream_inside_a_byte_is_read_on(spec: str) -> None:
    """A record that begins inside a byte reads what it reads from any other stream."""
    class_ = module_of(HEAD + spec).Sample
    quick, slow = (of(io.BytesIO(b"\1\2\0\3\4\2\0\x81\5\xff\0\6")) for of in (KaitaiStream, Slowly))
    for stream in (quick, slow):
        stream.read_bits_int_be(3)
    assert outcome(class_, quick) == outcome(class_, slow)


class Pipe(io.RawIOBase):
    """A file that knows no places."""

    def __init__(self, data: bytes) -> None:
        """Hold *data*."""
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        """Say yes."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        return self._data.read(size)


@pytest.mark.parametrize("size", range(7))
def test_a_file_without_places_is_read_as_far_as_it_goes(size: int) -> None:
    """A run of fields that a pipe cuts short has its whole fields, and fails at the cut one."""
    spec = "seq: [{id: a, type: u1}, {id: b, type: u2}, {id: c, type: s4}]"
    class_ = module_of(HEAD + spec).Sample
    record = class_.__new__(class_)
    with pytest.raises(EOFError) as caught:
        record.__init__(KaitaiStream(Pipe(bytes(size))))
    whole = [name for name, end in (("a", 1), ("b", 3)) if end <= size]
    assert [name for name in "abc" if hasattr(record, name)] == whole
    wanted = {0: 1, 1: 2, 2: 2}.get(size, 4)
    left = {0: 0, 1: 0, 2: 1}.get(size, size - 3)
    assert str(caught.value) == f"requested {wanted} bytes, but only {left} bytes available"


def test_a_file_that_grows_is_read_to_its_new_end() -> None:
    """``repeat: eos`` reads what is appended while it reads."""
    spec = "seq: [{id: a, type: t, repeat: eos}]\ntypes: {t: {seq: [{id: x, type: u1}]}}"
    file = io.BytesIO(b"\1\2")
    module = module_of(HEAD + spec)
    read = module.Sample.T._read

    def growing(record: Any) -> None:
        read(record)
        if record.x == 2:
            file.getbuffer().release()
            file.seek(0, io.SEEK_END)
            file.write(b"\3")
            file.seek(2)

    module.Sample.T._read = growing
    assert [each.x for each in module.Sample(KaitaiStream(file)).a] == [1, 2, 3]


@pytest.mark.parametrize(("data", "left"), [(b"\1\2\3", None), (b"\1\2\6", 3), (b"\6\1\2", 1)])
def test_a_number_of_a_list_that_breaks_its_rule_is_refused(data: bytes, left: int | None) -> None:
    """A list of numbers with a rule is read up to the first that breaks it, in its place."""
    spec = "seq: [{id: a, type: u1, repeat: expr, repeat-expr: 3, valid: {max: 5}}]"
    class_ = module_of(HEAD + spec).Sample
    record = class_.__new__(class_)
    if left is None:
        record.__init__(KaitaiStream(io.BytesIO(data)))
        assert record.a == list(data)
        return
    with pytest.raises(kaitaistruct.ValidationGreaterThanError, match="6"):
        record.__init__(KaitaiStream(io.BytesIO(data)))
    assert (record.a, record._io.pos()) == (list(data[:left]), left)


def test_a_list_of_numbers_for_debugging_has_the_place_of_each() -> None:
    """In debug mode each number of a list has its place, though they could be read at once."""
    text = "meta: {id: sample, ks-debug: true, endian: be}\n"
    text += "seq: [{id: a, type: u2, repeat: expr, repeat-expr: 2}]"
    record = module_of(text).Sample(KaitaiStream(io.BytesIO(bytes(4))))
    record._read()
    assert record._debug["a"]["arr"] == [{"start": 0, "end": 2}, {"start": 2, "end": 4}]


def test_layouts_are_called_after_their_byte_order() -> None:
    """The constant that reads numbers has the order of its bytes in its name."""
    spec = (
        "seq: [{id: a, type: u2be}, {id: b, type: u4be}, {id: c, type: u2le}, {id: d, type: u4le}]"
    )
    names = vars(module_of(HEAD + spec))
    found = {name: names[name].__self__.format for name in names if name[:4] in {"_BE_", "_LE_"}}
    assert found
    assert all((form[0] == ">") == name.startswith("_BE_") for name, form in found.items()), found


FORMATS = sorted((Path(__file__).parents[1] / "bench/formats").glob("*.ksy"))


@pytest.mark.parametrize("path", FORMATS, ids=lambda path: path.stem)
def test_everyday_formats_end_as_the_runtime_does(path: Path) -> None:
    """Damaged and cut files of everyday formats give the same values and the same errors."""
    from tests.support.bulk_files import BULK

    module = ModuleType(path.stem)
    source = emit(load_spec(path))[f"{path.stem}.py"]
    exec(compile(source, path.stem, "exec"), vars(module))  # noqa: S102  (running it is the test)
    class_ = getattr(module, path.stem.title().replace("_", ""))
    data = BULK[path.stem](10)[:700]
    for at in range(0, 700, 7):
        for each in (data[:at], data[:at] + b"\xff" + data[at + 1 :]):
            quick, slow = (of(io.BytesIO(each)) for of in (KaitaiStream, Slowly))
            assert outcome(class_, quick) == outcome(class_, slow)


@pytest.mark.parametrize("endian", ["be", "le"])
@pytest.mark.parametrize(("first", "second"), [(7, 18), (8, 17), (3, 22), (1, 64)])
def test_bits_that_are_missing_leave_the_stream_where_it_was(
    endian: str, first: int, second: int
) -> None:
    """In debug mode the stream is before the bits that it has too few of, with those left over."""
    text = f"""
meta: {{id: sample, ks-debug: true, bit-endian: {endian}}}
seq: [{{id: before, type: b{first}}}, {{id: bits, type: b{second}}}]
"""
    stream = KaitaiStream(io.BytesIO(b"\x81\x42\xff"))
    record = module_of(text).Sample(stream)
    with pytest.raises(EOFError, match="bytes available"):
        record._read()
    rest = 8 - first
    wanted = 0x81 & 2**rest - 1 if endian == "be" else 0x81 >> first
    assert (stream.pos(), stream.bits_left, stream.bits) == (1, rest, wanted)
    assert (record._debug["bits"], hasattr(record, "bits")) == ({"start": 1}, False)
    assert getattr(stream, f"read_bits_int_{endian}")(rest + 8) >= 0
