"""Drop-in classes of read-write mode run programs written by the official guide."""

import zlib
from contextlib import nullcontext
from functools import partial
from io import BytesIO
from types import ModuleType
from typing import Any

import kaitaistruct
import pytest
from kaitaistruct import ConsistencyError, KaitaiStream
from tests.support.gallery import rows

from byteloom_codegen.kaitaistruct import emit
from byteloom_codegen.load import load_text

HEAD = "meta: {id: sample, endian: le, encoding: UTF-8}\n"


def classes(text: str) -> ModuleType:
    """Compile a spec given as text and run its module."""
    source = emit(load_text(HEAD + text), read_write=True)["sample.py"]
    module = ModuleType("sample")
    exec(compile(source, "sample.py", "exec"), vars(module))  # noqa: S102  (running it is the test)
    return module


def read(text: str, data: bytes) -> Any:
    """Return the record in *data*, with all its instances."""
    return _read(classes(text).Sample, data)


def _read(class_: Any, data: bytes) -> Any:
    record = class_(KaitaiStream(BytesIO(data)))
    record._read()
    record._fetch_instances()
    return record


def built(text: str, **values: Any) -> Any:
    """Return a record built from nothing."""
    record = classes(text).Sample()
    for name, value in values.items():
        setattr(record, name, value)
    return record


def written(record: Any, size: int, fill: bytes = b"\0") -> bytes:
    """Return what *record* writes into *size* bytes."""
    stream = KaitaiStream(BytesIO(fill * size))
    record._write(stream)
    data: bytes = stream.to_byte_array()
    return data


@pytest.mark.parametrize(
    "example", [pytest.param(each, id=each["claim"]) for each in rows("drop_ins", "steps")]
)
def test_a_record_is_read_edited_checked_and_written(example: dict[str, Any]) -> None:
    """What the gallery of drop-ins says of each little spec is so, step by step."""
    names = dict(vars(classes(example["spec"])))
    names |= {
        "open_stream": lambda data: KaitaiStream(BytesIO(data)),
        "read_record": partial(read, example["spec"]),
        "write_record": written,
    }
    for step in (example, *example.get("then", [])):
        kind, found = getattr(kaitaistruct, step.get("kind", "ConsistencyError")), None
        is_refused = "refused" in step
        with pytest.raises(kind, match=step["refused"]) if is_refused else nullcontext() as caught:
            if "read" in step:
                names["r"] = _read(names["Sample"], step["read"].encode("latin-1"))
            exec(step.get("do", ""), names)  # noqa: S102  (our own examples)
            if "room" in step or "writes" in step:
                found = written(names["r"], step.get("room", len(step.get("writes", ""))))
        if "writes" in step:
            assert found == step["writes"].encode("latin-1")
        if "field" in step:
            assert caught is not None
            assert caught.value.id == step["field"]
        for claim in step.get("holds", []):
            assert eval(claim, names), claim  # noqa: S307  (our own examples)


@pytest.mark.parametrize(
    ("how", "value", "data"),
    rows("drop_ins", "delimited"),
)
def test_bytes_are_written_with_what_marks_their_end(how: str, value: Any, data: bytes) -> None:
    """Bytes are written with their padding or terminator, and read back as given."""
    spec = f"seq: [{{id: a, {how}}}]"
    record = built(spec, a=value)
    record._check()
    assert written(record, 4) == data
    assert read(spec, data).a == value


@pytest.mark.parametrize(
    ("how", "value"),
    rows("drop_ins", "refused"),
)
def test_what_would_read_otherwise_is_refused(how: str, value: Any) -> None:
    """A value that would be read back differently fails the check, by its field."""
    with pytest.raises(ConsistencyError) as caught:
        built(f"seq: [{{id: a, {how}}}]", a=value)._check()
    assert caught.value.id == "a"


@pytest.mark.parametrize(
    ("how", "value"),
    rows("drop_ins", "refused_by_stream"),
)
def test_what_only_the_stream_shows_is_refused_while_writing(how: str, value: Any) -> None:
    """A rule that uses the stream is checked when its field is written."""
    record = built(f"seq: [{{id: a, {how}}}]", a=value)
    record._check()
    with pytest.raises(ConsistencyError) as caught:
        written(record, 4)
    assert caught.value.id == "a"


@pytest.mark.parametrize(
    ("how", "sizes", "data"),
    rows("drop_ins", "substreams"),
)
def test_records_end_where_they_end_when_they_are_read(
    how: str, sizes: dict[str, int], data: bytes
) -> None:
    """The size of a record that no field gives is set by the program, or by reading."""
    spec = (
        f"seq: [{{id: a, type: t, {how}}}, {{id: b, type: u1}}]\n"
        "types: {t: {seq: [{id: x, type: u1}], instances: {y: {pos: _io.size - 1, type: u1}}}}"
    )
    found = read(spec, data)
    assert {name[3:8]: size for name, size in vars(found).items() if "_size" in name} == sizes
    module = classes(spec)
    sample = module.Sample()
    sample.a, sample.b = module.Sample.T(None, sample, sample._root), found.b
    sample.a.x, sample.a.y = found.a.x, found.a.y
    for name, size in sizes.items():
        setattr(sample, f"a__{name}_size", size)
    sample.a._check()
    sample._check()
    assert written(sample, len(data)) == data


@pytest.mark.parametrize(
    ("how", "value"),
    [
        ("size: 3, terminator: 5", 5),
        ("size: 3, pad-right: 5", 5),
        ("terminator: 5", 5),
        ("terminator: 5, include: true", 1),
    ],
)
def test_a_record_that_would_end_elsewhere_is_refused_when_it_is_put_back(
    how: str, value: int
) -> None:
    """A child whose bytes do not fit its parent's field is refused by the field."""
    spec = f"seq: [{{id: a, type: t, {how}}}]\ntypes: {{t: {{seq: [{{id: x, type: u1}}]}}}}"
    module = classes(spec)
    sample = module.Sample()
    sample.a = module.Sample.T(None, sample, sample._root)
    sample.a.x, sample.a__inner_size, sample.a__outer_size = value, 3, 1
    if "pad" in how:
        sample.a__inner_size = 1
    sample.a._check()
    sample._check()
    with pytest.raises(ConsistencyError) as caught:
        written(sample, 4)
    assert caught.value.id == "raw(a)"


def test_records_for_debugging_note_their_places_when_they_are_read() -> None:
    """Records in debug mode have the positions of their fields once they are read."""
    text = "meta: {id: sample, ks-debug: true}\nseq: [{id: a, type: u1, repeat: eos}]"
    source = emit(load_text(text), read_write=True)["sample.py"]
    module = ModuleType("sample")
    exec(compile(source, "sample.py", "exec"), vars(module))  # noqa: S102  (running it is the test)
    record = module.Sample(KaitaiStream(BytesIO(b"\1\2")))
    record._read()
    assert record._debug["a"]["arr"] == [{"start": 0, "end": 1}, {"start": 1, "end": 2}]
    assert written(record, 2) == b"\1\2"


@pytest.mark.parametrize("process", ["xor(0x5a)", "xor([1, 2, 3])", "rol(3)", "ror(3)", "zlib"])
def test_processed_records_come_back(process: str) -> None:
    """Processed bytes are encoded again when their record is written."""
    spec = (
        f"seq: [{{id: a, type: t, size-eos: true, process: '{process}'}}]\n"
        "types: {t: {seq: [{id: x, type: u1}], instances: {y: {pos: 3, type: u1}}}}"
    )
    plain = b"\1\0\0\2"
    module = classes(spec)
    sample = module.Sample()
    sample.a = module.Sample.T(None, sample, sample._root)
    sample.a.x, sample.a.y = 1, 2
    sample.a__inner_size = 4
    sample.a._check()
    sample._check()
    data = written(sample, len(zlib.compress(plain)) if process == "zlib" else 4)
    again = read(spec, data)
    assert (again.a.x, again.a.y, again._raw_a) == (1, 2, plain)
