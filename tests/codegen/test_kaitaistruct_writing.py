"""Drop-in classes of read-write mode run programs written by the official guide."""

import zlib
from io import BytesIO
from types import ModuleType
from typing import Any

import kaitaistruct
import pytest
from kaitaistruct import ConsistencyError, ConsistencyNotCheckedError, KaitaiStream
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
    record = classes(text).Sample(KaitaiStream(BytesIO(data)))
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


def test_a_record_is_built_checked_and_written() -> None:
    """The guide's first example, a list of two numbers, is built, checked and written."""
    record = built("seq: [{id: foo, type: s4, repeat: expr, repeat-expr: 2}]", foo=[-4, 65536])
    record._check()
    assert written(record, 8) == b"\xfc\xff\xff\xff\0\0\1\0"


def test_a_list_of_another_length_is_refused() -> None:
    """A list of a wrong length is refused by the guide's error, with field and lengths."""
    record = built("seq: [{id: foo, type: s4, repeat: expr, repeat-expr: 2}]", foo=[-4, 65536, 128])
    with pytest.raises(ConsistencyError, match=r"^Check failed: foo, expected: 2, actual: 3$"):
        record._check()


def test_a_record_has_to_know_its_parent_and_its_root() -> None:
    """The check of a record refuses a child made without its parent or root."""
    module = classes("seq: [{id: one, type: t}]\ntypes: {t: {seq: [{id: x, type: u1}]}}")
    sample = module.Sample()
    sample.one = module.Sample.T(None, sample)
    sample.one.x = 7
    sample.one._check()
    with pytest.raises(ConsistencyError, match=r"^Check failed: one, expected: <.*, actual: None$"):
        sample._check()
    sample.one = module.Sample.T(None, sample, sample._root)
    sample.one.x = 7
    sample.one._check()
    sample._check()
    assert written(sample, 1) == b"\7"


def test_what_changed_is_not_written_unchecked() -> None:
    """A record that was built or changed has to be checked before it is written."""
    spec = "seq: [{id: a, type: u1}]\ninstances: {b: {pos: 1, type: u1}}"
    record = read(spec, b"\1\2")
    assert written(record, 2) == b"\1\2"
    for name in ("a", "b"):
        setattr(record, name, 9)
        with pytest.raises(ConsistencyNotCheckedError):
            written(record, 2)
        record._check()
    assert written(record, 2) == b"\x09\x09"


def test_an_instance_is_left_out_where_a_program_says_so() -> None:
    """``NAME__enabled = False`` leaves an instance unchecked, unwritten and None if unread."""
    spec = "seq: [{id: a, type: u1}]\ninstances: {b: {pos: 1, size: 1}}"
    record = read(spec, b"\1\2")
    record.b = b"too long"
    record.b__enabled = False
    record._check()
    assert written(record, 2) == b"\1\0"
    record = built(spec, a=1, b__enabled=False)
    record._check()
    assert record.b is None


def test_instances_share_bytes_in_the_order_of_their_names() -> None:
    """Of instances that share bytes, the one whose name comes last is written last."""
    spec = "seq: []\ninstances: {z: {pos: 0, size: 2}, a: {pos: 1, size: 2}}"
    record = read(spec, b"\1\2\3")
    record.a, record.z = b"aa", b"zz"
    record._check()
    assert written(record, 3) == b"zza"


def test_a_calculated_value_follows_at_the_next_check() -> None:
    """A calculated value keeps its old result until it is invalidated or checked."""
    spec = "seq: [{id: raw, type: u1}, {id: data, size: len}]\ninstances: {len: {value: raw - 3}}"
    record = built(spec, raw=8, data=b"12345")
    assert record.len == 5
    record.raw, record.data = 6, b"123"
    assert record.len == 5
    record._invalidate_len()
    record._invalidate_len()
    assert record.len == 3
    record.raw, record.data = 5, b"12"
    record._check()
    assert written(record, 3) == b"\x0512"


def test_a_place_that_is_calculated_from_the_stream_is_where_the_new_stream_has_it() -> None:
    """A footer found from the end moves with the end of the new stream."""
    spec = (
        "seq: [{id: body, size: ofs}]\n"
        "instances: {ofs: {value: _io.size - 1}, footer: {pos: ofs, type: u1}}"
    )
    record = read(spec, b"ab\7")
    assert record.ofs == 2
    record.body = b"abcd"
    record._check()
    assert written(record, 5) == b"abcd\7"


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


def test_a_terminator_that_is_not_consumed_is_the_next_field() -> None:
    """A terminator that is not consumed is overwritten by the next field."""
    spec = "seq: [{id: a, terminator: 7, consume: false}, {id: b, type: u1}]"
    record = built(spec, a=b"ab", b=7)
    record._check()
    assert written(record, 3) == b"ab\7"


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


def test_packed_bytes_that_did_not_change_stay_as_they_were() -> None:
    """Unchanged compressed bytes are written as read; changed ones are compressed anew."""
    spec = (
        "seq: [{id: n, type: u1}, {id: all, size: n, process: zlib, repeat: expr, repeat-expr: 2}]"
    )
    packed = zlib.compress(b"aaaa" * 9, 0)
    data = bytes([len(packed)]) + packed * 2
    record = read(spec, data)
    assert written(record, len(data)) == data
    other = zlib.compress(b"new")
    record.n, record.all = len(other), [b"new", b"new"]
    record._check()
    assert written(record, 1 + 2 * len(other)) == bytes([len(other)]) + other * 2


def test_packed_bytes_are_made_again_where_content_or_size_changed() -> None:
    """Compressed bytes are made again if their content or their size changed."""
    spec = (
        "seq: [{id: n, type: u1}, {id: a, size: n, process: zlib, type: t}]\n"
        "types: {t: {seq: [{id: x, size-eos: true}]}}"
    )
    plain, other = b"a" * 40, b"b" * 40
    stored = zlib.compress(plain, 0)
    for content, size in ((other, len(zlib.compress(other))), (plain, len(zlib.compress(plain)))):
        record = read(spec, bytes([len(stored)]) + stored)
        record.a.x, record.n = content, size
        record.a._check()
        record._check()
        assert written(record, 1 + size) == bytes([size]) + zlib.compress(content)
    record = read(spec, bytes([len(stored)]) + stored)
    record.a.x = other
    record.a._check()
    with pytest.raises(ConsistencyError) as caught:
        written(record, 1 + len(stored))
    assert caught.value.id == "raw(a)"


def test_an_instance_that_is_read_late_leaves_its_record_checked() -> None:
    """Reading an instance late does not require another check of its record."""
    spec = (
        "seq: []\ninstances: {a: {pos: 0, size: 2, terminator: 0, type: t}}\n"
        "types: {t: {seq: [{id: x, type: u1}]}}"
    )
    record = classes(spec).Sample(KaitaiStream(BytesIO(b"\1\0")))
    record._read()
    assert record.a.x == 1
    assert written(record, 2) == b"\1\0"


def test_a_size_that_an_instance_gives_is_checked_while_writing() -> None:
    """A size given by an instance is checked in writing: it may need the stream."""
    record = built("seq: [{id: a, size: n}]\ninstances: {n: {pos: 0, type: u1}}", a=b"ab", n=1)
    record._check()
    with pytest.raises(ConsistencyError, match=r"^Check failed: a, expected: 1, actual: 2$"):
        written(record, 2)


def test_processed_bytes_to_the_end_are_not_more_than_fit() -> None:
    """Processed bytes beyond the end of the stream raise the same error as plain ones."""
    record = built("seq: [{id: a, size-eos: true, process: xor(1)}]", a=b"abc")
    record._check()
    with pytest.raises(kaitaistruct.EndOfStreamError):
        written(record, 2)


def test_bytes_past_which_an_argument_is_looked_at_are_made_with_it() -> None:
    """``_io.pos`` in a process is the position after the bytes, in reading and in writing."""
    spec = "seq: [{id: a, size: 3, process: xor(_io.pos)}, {id: b, type: u1}]"
    record = read(spec, b"abc\1")
    assert record.a == bytes(byte ^ 3 for byte in b"abc")
    assert written(record, 4) == b"abc\1"


def test_streams_as_parameters_are_set_while_writing() -> None:
    """A parameter that is a stream is set in writing; the program sets and checks the others."""
    spec = (
        "seq: [{id: a, type: 't(_io, 5)'}]\n"
        "types: {t: {params: [{id: s, type: io}, {id: n, type: u1}],"
        " seq: [{id: x, size: s.size - n}]}}"
    )
    module = classes(spec)
    sample = module.Sample()
    sample.a = module.Sample.T(None, 4, None, sample, sample._root)
    sample.a.x = b"abc"
    sample.a._check()
    with pytest.raises(ConsistencyError, match=r"^Check failed: a, expected: 5, actual: 4$"):
        sample._check()
    sample.a.n = 5
    sample.a._check()
    sample._check()
    assert written(sample, 8)[:3] == b"abc"


def test_the_byte_order_that_a_field_decides_is_decided_again() -> None:
    """A record built from nothing has the byte order that reading would find."""
    spec = (
        "seq: [{id: mark, type: u1}, {id: body, type: t}]\ntypes: {t: {meta: {endian: "
        "{switch-on: _parent.mark, cases: {1: le, 2: be}}}, seq: [{id: x, type: u2}]}}"
    )
    module = classes(spec)
    for mark, data in ((1, b"\1\5\0"), (2, b"\2\0\5")):
        sample = module.Sample()
        sample.mark = mark
        sample.body = module.Sample.T(None, sample, sample._root)
        sample.body.x = 5
        sample.body._check()
        sample._check()
        assert written(sample, 3) == data


def test_validation_is_part_of_the_check() -> None:
    """The check validates a field, except for a rule that uses the stream."""
    record = built("seq: [{id: a, type: u1, valid: {max: 3}}]", a=4)
    with pytest.raises(kaitaistruct.ValidationGreaterThanError, match=r"^/seq/0: validation"):
        record._check()
    record = built("seq: [{id: a, type: u1, valid: {expr: _ == _io.pos}}]", a=4)
    record._check()
    with pytest.raises(kaitaistruct.ValidationExprError, match=r"^/seq/0: at pos 1: "):
        written(record, 1)


def test_nothing_is_asked_of_a_field_that_is_not_there() -> None:
    """A field whose condition is false may be missing or None."""
    spec = (
        "seq: [{id: has, type: u1}, {id: a, type: t, if: has == 1},"
        " {id: b, size: 3, if: has == 2}]\n"
        "types: {t: {seq: [{id: x, type: u1}]}}"
    )
    for values in ({}, {"a": None, "b": None}):
        record = built(spec, has=0, **values)
        record._check()
        assert written(record, 1) == b"\0"
