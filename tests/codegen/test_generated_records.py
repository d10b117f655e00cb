"""Generated records: how they are printed, and what they write after being read or edited."""

import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import isal_zlib
from tests.support.gallery import play, rows
from tests.support.modules import module_of, read
from tests.support.specs import loaded
from tests.support.tools import complaints

from byteloom.errors import FormatError, StorageError
from byteloom.wire import Reader, Record
from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.load import load_spec, load_text
from byteloom_codegen.python.module import emit

_CASES = sorted((Path(__file__).parents[1] / "cases/records").iterdir())


def _examples(*sections: str) -> list[Any]:
    """Return the examples of some sections of the gallery, each called after its claim."""
    return [
        pytest.param(each, id=each["claim"]) for name in sections for each in rows("records", name)
    ]


@pytest.mark.parametrize(
    "example", _examples("follows", "kept", "positions", "refused", "varints", "read")
)
def test_a_record_is_read_edited_and_written(example: dict[str, Any]) -> None:
    """What the gallery of records says of each little spec is so, step by step."""
    play(example)


class TestWhatIsPrinted:
    """The text of generated modules."""

    @pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
    def test_a_spec_prints_as_expected(self, case: Path) -> None:
        """A spec's module of records is the expected text, byte for byte."""
        expected = (case / "expected.py").read_text()
        assert emit(load_spec(case / "spec.ksy"), "spec.ksy") == expected

    @pytest.mark.parametrize("tool", ["format", "mypy"])
    def test_tools_have_nothing_to_say(self, tool: str, tmp_path: Path) -> None:
        """The output is left alone by ruff, and passes mypy at its strictest."""
        for case in _CASES:
            (tmp_path / f"{case.name}.py").write_text((case / "expected.py").read_text())
        assert not complaints(tool, ".", cwd=tmp_path)

    def test_cases_that_do_the_same_are_one_branch(self) -> None:
        """Adjacent equal cases share a branch; others keep their order."""
        cases = "{1: s1, 2: s1, 3: u1, 4: s1}"
        text = f"seq: [{{id: n, type: u1}}, {{id: x, type: {{switch-on: n, cases: {cases}}}}}]"
        printed = emit(loaded(text), "spec.ksy")
        assert printed.count("if self.n in (1, 2):") == 2  # it is read, and it is written
        assert printed.count("elif self.n == 4:") == 2

    def test_a_case_without_parameters_passes_none(self) -> None:
        """A switch passes parameters only for the cases that have them."""
        types = "types: {t: {seq: [{id: y, type: u1}]}, p: {params: [{id: a, type: u1}]}}"
        cases = "{1: t, 2: p(7), 3: t}"
        text = f"seq: [{{id: n, type: u1}}, {{id: x, type: {{switch-on: n, cases: {cases}}}}}]"
        printed = emit(loaded(f"{text}\n{types}"), "spec.ksy")
        assert printed.count("pass_to(self.x, a=7)") == 1
        assert "pass\n" not in printed


class TestWhatFollows:
    """Values that follow from others, so that no one has to set them."""

    @pytest.mark.parametrize(
        ("field", "value", "written"),
        rows("fields", "measured"),
    )
    def test_a_size_or_count_follows_from_what_it_measures(
        self, field: str, value: object, written: bytes
    ) -> None:
        """A record made by hand needs no length: it is calculated when the record is written."""
        text = f"seq: [{{id: n, type: u1}}, {{id: x, {field}}}]\n"
        module = module_of(text + "instances: {twice: {value: n * 2}}")
        record = module.Sample(x=value)
        assert record.to_bytes() == written
        assert module.Sample.from_bytes(written) == record

    def test_a_compressed_size_follows_too(self) -> None:
        """The length of zlib data follows from the data as stored."""
        text = "seq: [{id: n, type: u2}, {id: x, size: n, process: zlib}]"
        record = module_of(text).Sample(x=bytes(1000))
        data = record.to_bytes()
        assert int.from_bytes(data[:2], "little") == len(data) - 2 < 1000
        assert zlib.decompress(data[2:]) == bytes(1000)

    @pytest.mark.parametrize(
        ("field", "data"),
        rows("fields", "derived"),
    )
    def test_a_value_follows_from_any_expression(self, field: str, data: bytes) -> None:
        """A derived value follows from any expression, and another value is refused."""
        text = f"seq: [{{id: b, size: 2, type: str}}, {{id: n, {field}}}]"
        assert read(text, data).to_bytes() == data
        with pytest.raises(FormatError, match=r"sample\.n at byte 2"):
            read(text, data[:2] + b"~" * (len(data) - 2))

    @pytest.mark.parametrize(
        ("fields", "data", "value", "written"),
        rows("fields", "optional"),
    )
    def test_a_length_follows_from_what_may_not_be_there(
        self, fields: str, data: bytes, value: object, written: bytes
    ) -> None:
        """The length of an optional field follows the field if it is present."""
        record = read(f"seq: [{{id: f, type: u1}}, {{id: n, type: u1}}, {fields}]", data)
        assert record.to_bytes() == data
        record.x = value
        assert record.to_bytes() == written

    def test_a_long_chain_of_lengths_is_measured_once_each(self) -> None:
        """Nested records with sizes take time in proportion to their number."""
        text = (
            "seq: [{id: n, type: u4}, {id: x, type: node, size: n}]\n"
            "types: {node: {seq: [{id: n, type: u4}, {id: x, type: node, size: n, if: n != 0}]}}"
        )
        data = b""
        for _ in range(60):
            data = len(data).to_bytes(4, "little") + data
        assert read(text, data).to_bytes() == data


class TestContradictions:
    """Records that cannot be written because two values contradict each other."""

    @pytest.mark.parametrize(
        ("text", "values", "message"),
        rows("fields", "contradictions"),
    )
    def test_the_error_names_the_field_and_why(
        self, text: str, values: dict[str, object], message: str
    ) -> None:
        """A contradiction is refused with the field, the value found and the one wanted."""
        with pytest.raises(FormatError, match=message):
            module_of(text).Sample(**values).to_bytes()


class TestWhatIsKept:
    """Bytes that no field took are written back."""

    @pytest.mark.parametrize(
        ("text", "data"),
        rows("generated_records", "what_was_read_is_written"),
    )
    def test_what_was_read_is_written(self, text: str, data: bytes) -> None:
        """Padding, spare bits, leftovers and compressed bytes are written back as read."""
        record = read(text, data)
        getattr(record, "a")  # noqa: B009  (an instance is read when it is asked for)
        assert record.to_bytes() == data


_FROM_END = """
seq: [{id: magic, contents: PK}]
instances:
  tail: {pos: _io.size - 4, type: tail}
  ofs_payload: {value: _io.size - 4 - tail.len_payload}
  payload: {pos: ofs_payload, size: tail.len_payload}
types: {tail: {seq: [{id: len_payload, type: u4}]}}
"""


class TestFiles:
    """Writing a record by `to_file`."""

    def test_a_file_is_whole_or_as_it_was(self, tmp_path: Path) -> None:
        """A record that cannot be written leaves the old file, and no other."""
        module = module_of("seq: [{id: a, type: u1}]")
        file = tmp_path / "f.bin"
        module.Sample(a=1).to_file(file)
        with pytest.raises(
            FormatError, match=r"^sample\.a: found 256, wanted an integer from 0 to 255"
        ):
            module.Sample(a=256).to_file(file)
        assert file.read_bytes() == b"\1"
        assert list(tmp_path.iterdir()) == [file]

    def test_a_file_may_be_written_over_what_it_was_read_from(self, tmp_path: Path) -> None:
        """A record may overwrite the file that it is mapped from."""
        module = module_of(_FROM_END)
        file = tmp_path / "f.bin"
        file.write_bytes(b"PKunreadpayload\7\0\0\0")
        record = module.Sample.from_file(file)
        record.payload, record.tail.len_payload = b"p", 1
        record.to_file(file)
        assert file.read_bytes() == b"PKunreadp\1\0\0\0"

    def test_a_folder_that_is_not_there_is_a_storage_error(self, tmp_path: Path) -> None:
        """Writing to a missing folder is a StorageError."""
        with pytest.raises(StorageError, match="no/f: No such file or directory"):
            module_of("seq: [{id: a, type: u1}]").Sample(a=1).to_file(tmp_path / "no" / "f")


class TestTheWholeFile:
    """Bytes that are left after the last field of a file."""

    def test_bytes_left_are_refused_where_the_whole_is_asked_for(self, tmp_path: Path) -> None:
        """Bytes after the last field are refused if the whole file is required, else kept."""
        cls = module_of("seq: [{id: n, type: u1}, {id: x, size: n}]").Sample
        (tmp_path / "x").write_bytes(b"\2abrest")
        with pytest.raises(FormatError, match=r"sample at byte 3 \(0x3\): found 4 bytes left"):
            cls.from_bytes(b"\2abrest", whole=True)
        with pytest.raises(FormatError, match="found 4 bytes left, wanted the end") as refused:
            cls.from_file(tmp_path / "x", whole=True)
        assert str(refused.value).startswith(f"{tmp_path / 'x'}: sample at byte 3 ")
        assert cls.from_bytes(b"\2ab", whole=True).x == b"ab"
        assert cls.from_bytes(b"\2abrest").to_bytes() == b"\2abrest"

    def test_a_record_of_a_type_of_ones_own_keeps_bytes_left_too(self) -> None:
        """Bytes that a user's own class for an opaque type leaves are written back."""

        class Own:
            def read(self, r: Any) -> Any:
                self.x = r.u1("x")
                return self

            def write(self, w: Any) -> None:
                w.u1("x", self.x)

        class Around(Record):
            NAME = "around"

            def __init__(self, r: Any) -> None:
                self.own = r.window("own", 3).whole("own", Own().read)

            def write(self, w: Any) -> None:
                w.window("own", self.own)

        around = Around(Reader(b"abc"))
        around.own.x = ord("z")
        assert around.to_bytes() == b"zbc"


class TestHostileFiles:
    """Small files that would take much memory, time or stack."""

    @pytest.mark.parametrize(
        ("text", "data"),
        [
            ("{id: n, type: u4}, {id: x, type: e, repeat: expr, repeat-expr: n}", b"\xff" * 4),
            ("{id: x, type: e, repeat: until, repeat-until: false}", b"abc"),
            ("{id: x, type: e, repeat: eos}", b"abc"),
            ("{id: x, size-eos: true, process: zlib}", isal_zlib.compress(bytes(200 << 20))),
            ("{id: x, type: sample}", b"abc"),
            ("{id: x, type: sample, size-eos: true}", b"abc"),
            ("{id: n, type: u1}, {id: x, type: sample, if: n == 1}", b"\1" * 9_999),
            ("{id: n, type: u1}, {id: x, type: sample, repeat: eos}", b"\1" * 9_999),
            ("{id: n, type: u8}, {id: x, size: n}", b"\xff" * 8),
            ("{id: n, type: u4}, {id: x, type: u8, repeat: expr, repeat-expr: n}", b"\xff" * 8),
            ("{id: n, type: s8}, {id: x, size: n}", b"\xff" * 8),
        ],
    )
    def test_ends_in_an_error_and_little_memory(self, text: str, data: bytes) -> None:
        """A hostile file meets a limit or its end before it takes 50 MB."""
        cls = module_of(f"seq: [{text}]\ntypes: {{e: {{}}}}").Sample
        tracemalloc.start()
        try:
            with pytest.raises(FormatError, match=r"^sample\.[nx]\b.*: found "):
                cls.from_bytes(data)
            assert tracemalloc.get_traced_memory()[1] < 50_000_000
        finally:
            tracemalloc.stop()


_VARINT = """
types:
  varint:
    seq: [{id: groups, type: u1, repeat: until, repeat-until: _ < 128}]
    instances: {value: {value: 'groups[0] & 127'}}
"""


class TestVarints:
    """Integers that ``-loom-varint`` describes."""

    @pytest.mark.parametrize(
        ("form", "value", "stored"),
        rows("generated_records", "an_integer_is_read_and_written"),
    )
    def test_an_integer_is_read_and_written(self, form: str, value: int, stored: str) -> None:
        """A varint is a plain integer as an attribute, alone and in a list."""
        text = (
            f"seq: [{{id: x, type: varint, -loom-varint: {form}}},"
            f" {{id: y, type: varint, -loom-varint: {form}, repeat: expr, repeat-expr: 2}}]"
        )
        record = read(text + _VARINT, bytes.fromhex(stored) * 3)
        assert (record.x, record.y) == (value, [value] * 2)
        assert type(record)(x=value, y=[value] * 2).to_bytes() == bytes.fromhex(stored) * 3


@pytest.mark.parametrize(
    "name",
    rows("generated_records", "a_field_may_have_any_name"),
)
def test_a_field_may_have_any_name(name: str) -> None:
    """A field, length, instance or parameter of any name hides nothing that a record needs."""
    module = module_of(
        f"seq: [{{id: '{name}', type: u1}}, {{id: x, type: t({name}), size: '{name}'}}]\n"
        f"types: {{t: {{params: [{{id: '{name}', type: u1}}], seq: [{{id: y, size: '{name}'}}],"
        f" instances: {{p: {{pos: 0, size: '{name}'}}}}}},"
        f" u: {{instances: {{'{name}': {{pos: 0, type: u1}}}}}}}}"
    )
    record = module.Sample.from_bytes(b"\2ab")
    assert (record.x.y, record.x.p, record.to_bytes()) == (b"ab", b"ab", b"\2ab")
    assert module.U.from_bytes(b"\7").to_bytes() == b"\7"


_MIXED = module_of("""
seq:
  - {id: kind, type: b3}
  - {id: flag, type: b1}
  - {id: rest, type: b9}
  - {id: name, type: strz}
  - {id: len_body, type: u2be}
  - {id: body, type: body, size: len_body}
  - {id: extra, size: 6, pad-right: 0x20, if: flag}
  - {id: last, terminator: 0x40, eos-error: false}
types:
  body:
    seq:
      - {id: num, type: u1}
      - {id: xs, type: s2, repeat: expr, repeat-expr: num}
      - {id: ys, type: f8, repeat: eos}
""")


@given(data=st.data())
def test_any_record_comes_back(data: st.DataObject) -> None:
    """A record with any values is read back equal after it is written."""
    flag = data.draw(st.booleans())
    padded = st.binary(max_size=6).filter(lambda each: not each.endswith(b" "))
    record = _MIXED.Sample(
        kind=data.draw(st.integers(0, 7)),
        flag=flag,
        rest=data.draw(st.integers(0, 511)),
        name=data.draw(st.text(st.characters(exclude_characters="\0", codec="utf-8"))),
        body=_MIXED.Body(
            xs=data.draw(st.lists(st.integers(-(2**15), 2**15 - 1), max_size=255)),
            ys=data.draw(st.lists(st.floats(allow_nan=False), max_size=9)),
        ),
        extra=data.draw(padded) if flag else None,
        last=data.draw(st.binary().filter(lambda each: b"@" not in each)),
    )
    written = record.to_bytes()
    assert _MIXED.Sample.from_bytes(written) == record
    assert _MIXED.Sample.from_bytes(written).to_bytes() == written


@given(data=st.binary(max_size=40))
def test_any_bytes_that_read_come_back(data: bytes) -> None:
    """Any bytes are written back as they were read, or are refused by a FormatError."""
    try:
        record = _MIXED.Sample.from_bytes(data)
    except FormatError:
        return
    assert record.to_bytes() == data


def test_the_path_of_an_error_deep_in_a_recursion_is_short_in_its_text() -> None:
    """An error deep in a recursion shows eight names at each end of its path."""
    spec = "seq: [{id: kids, type: u1}, {id: kid, type: sample, if: kids > 0}]"
    with pytest.raises(FormatError) as caught:
        read(spec, b"\1" * 30)
    eight = ".kid" * 7
    assert str(caught.value).startswith(f"sample{eight}...(16 more)...{eight[1:]}.kids at byte 30 ")
    assert caught.value.path == f"sample{'.kid' * 30}.kids"
    with pytest.raises(FormatError, match=rf"^sample{'.kid' * 18}\.kids at byte 18 "):
        read(spec, b"\1" * 18)


def test_a_record_of_many_fields_is_generated_at_once() -> None:
    """A record of 800 fields is generated fast, in time linear in their number."""
    pairs = (f"  - {{id: l{n}, type: u1}}\n  - {{id: f{n}, size: l{n}}}\n" for n in range(400))
    module = module_of("seq:\n" + "".join(pairs))
    assert module.Sample.from_bytes(bytes(400)).to_bytes() == bytes(400)


def test_a_control_character_in_a_doc_does_no_harm() -> None:
    """A control character in a doc gives a module that compiles."""
    assert module_of('doc: "nul \\0 here"\nseq: [{id: a, type: u1}]').Sample


class TestWhatIsRefused:
    """Edits that would not be read back."""

    @pytest.mark.parametrize(
        ("field", "data", "value"),
        rows("fields", "misread"),
    )
    def test_what_reads_back_otherwise_is_not_written(
        self, field: str, data: bytes, value: object
    ) -> None:
        """An edit that would be read back differently is refused."""
        text = f"seq: [{{id: n, type: u1}}, {{id: x, {field}}}]\n"
        types = "types: {t: {seq: [{id: a, type: u1}]}, e: {}}"
        record = read(text + types, b"\1" + data)
        assert record.to_bytes() == b"\1" + data
        record.x = value
        with pytest.raises(FormatError, match=r"x|NoneType"):
            record.to_bytes()


@pytest.mark.parametrize(
    ("kind", "size", "found"),
    [("u1", 0, 5), ("b3", 0, None), ("u1", 1, None)],
    ids=["an empty one", "after bits", "one with a byte"],
)
def test_a_field_that_may_be_absent_has_a_size_if_it_is_empty(
    kind: str, size: int, found: int | None
) -> None:
    """A conditional field without bytes leaves a record's size known, unless it ends a byte."""
    text = (
        f"seq:\n  - {{id: a, type: {kind}}}\n  - {{id: b, size: {size}, if: a == 1}}\n"
        "  - {id: c, type: u4}\ninstances: {n: {value: _sizeof}}\n"
    )
    if found is None:
        with pytest.raises(SpecErrors, match="dynamic sized type"):
            module_of(text)
    else:
        assert module_of(text).Sample.from_bytes(bytes(5)).n == found


_UNTIL = """
meta: {id: sample, endian: le}
seq: [{id: all, type: one, repeat: until, repeat-until: _.index == 0}]
types: {one: {seq: [{id: index, type: u1}]}}
"""


def test_a_field_named_index_does_not_number_elements() -> None:
    """Elements up to one that an expression ends are read without numbers if it uses none."""
    source = emit(load_text(_UNTIL), "sample.ksy")
    assert 'it = r.another("all", self.all, One.read)\n' in source
    assert 'for index in r.endless("all"):' not in source
