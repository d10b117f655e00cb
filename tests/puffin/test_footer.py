"""What a footer may contain, and the errors for what it may not, by the field's path.

The quick decoder and the strict one are imported, to compare them with each other.
"""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import lz4.frame
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.puffin_files import blob, puffin

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.puffin import BlobMetadata, FileMetadata, PuffinWriter
from byteloom.puffin import open as open_puffin
from byteloom.puffin.metadata import decode, encode
from byteloom.puffin.strict import file_metadata

if TYPE_CHECKING:
    from random import Random

WRONG_FILES = [
    (b"", "footer.payload", "JSON"),
    (b"[]", "footer.payload", "found a list, wanted an object"),
    (b"null", "footer.payload", "found null, wanted an object"),
    (b"{}", "footer.payload.blobs", "found nothing"),
    (b'{"blobs":[]', "footer.payload", "JSON"),
    (b'{"blobs":[]} {}', "footer.payload", "JSON"),
    (b'{"blobs":[],}', "footer.payload", "at byte 19 (0x13): found invalid JSON (Illegal"),
    (b'{"blobs":[],}', "footer.payload", "trailing comma before end of object), wanted JSON"),
    (b'{"blobs":[1,]}', "footer.payload", "trailing comma before end of array), wanted JSON"),
    (b'{"blobs":[] ,\n}', "footer.payload", "at byte 20 (0x14): found invalid JSON (Illegal"),
    (b'{"blobs":[1,]}', "footer.payload", "at byte 19 (0x13): found invalid JSON (Illegal"),
    (b'{"blobs":[1,}', "footer.payload", "at byte 20 (0x14): found invalid JSON (Expecting value"),
    (b'{"blobs":[],]', "footer.payload", "at byte 20 (0x14): found invalid JSON (Expecting prop"),
    (b'\xef\xbb\xbf{"blobs":[]}', "footer.payload", "JSON"),
    (
        b'{"blobs":[],"a":"\xff"}',
        "footer.payload",
        "at byte 25 (0x19): found byte 0xff, wanted UTF-8",
    ),
    (b'{"blobs":[],"a":NaN}', "footer.payload", "NaN is not JSON"),
    (b'{"blobs":[],"a":-Infinity}', "footer.payload", "-Infinity is not JSON"),
    (b'{"blobs":[],"a":1e999999999999999999999}', "footer.payload", "a number too large to keep"),
    (b'{"blobs":[],"a":' + b"9" * 10_000 + b"}", "footer.payload", "a number too large to keep"),
    (b'{"blobs":[],"blobs":[]}', "footer.payload", "key 'blobs' more than once"),
    (b'{"blobs":[],"a":{"b":1,"b":1}}', "footer.payload.a", "key 'b' more than once"),
    (b'{"blobs":[],"a":[{"b":1,"\\u0062":1}]}', "footer.payload.a[0]", "key 'b' more than once"),
    (b'{"blobs":[],"a":"\\ud800"}', "footer.payload.a", "lone surrogates"),
    (b'{"blobs":[],"\\ud800":1}', "footer.payload", "lone surrogates"),
    ({"blobs": None}, "footer.payload.blobs", "found null, wanted a list"),
    ({"blobs": [1]}, "footer.payload.blobs[0]", "found 1, wanted an object"),
    ({"blobs": [], "properties": None}, "footer.payload.properties", "found null"),
    ({"blobs": [], "properties": {"a": 1}}, "footer.payload.properties.a", "found 1"),
]

WRONG_BLOBS = [
    ({"type": None}, "type", "found null, wanted a string"),
    ({"fields": 1}, "fields", "found 1, wanted a list"),
    ({"fields": [1, "2"]}, "fields[1]", "found '2', wanted an integer of 32 bits"),
    ({"fields": [1 << 31]}, "fields[0]", "wanted an integer of 32 bits"),
    ({"fields": [True]}, "fields[0]", "found True"),
    ({"snapshot-id": 1 << 63}, "snapshot-id", "wanted an integer of 64 bits"),
    ({"snapshot-id": -(1 << 63) - 1}, "snapshot-id", "wanted an integer of 64 bits"),
    ({"sequence-number": 1.0}, "sequence-number", "found '1.0', wanted an integer of 64 bits"),
    ({"sequence-number": None}, "sequence-number", "found null"),
    ({"compression-codec": 7}, "compression-codec", "found 7, wanted a string"),
    ({"properties": {"ndv": 7}}, "properties.ndv", "found 7, wanted a string"),
    ({"properties": []}, "properties", "found a list, wanted an object"),
    ({"offset": 3}, "offset", "found 3, wanted 4 to 14"),
    ({"offset": -1}, "offset", "found -1, wanted 4 to 14"),
    ({"offset": 15}, "offset", "found 15, wanted 4 to 14"),
    ({"length": -1}, "length", "found -1, wanted 0 to 10"),
    ({"length": 11}, "length", "found 11, wanted 0 to 10"),
    ({"length": (1 << 63) - 1}, "length", "wanted 0 to 10"),
]


@pytest.mark.parametrize(("payload", "path", "message"), WRONG_FILES)
def test_a_wrong_footer_is_refused(payload: Any, path: str, message: str) -> None:
    """The error for an invalid footer names the field, its offset, and the reason."""
    with pytest.raises(FormatError) as refused:
        open_puffin(puffin(payload))
    assert refused.value.path == path
    assert refused.value.offset is not None
    stored = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    assert 8 <= refused.value.offset <= 8 + len(stored)
    assert message in str(refused.value)


@pytest.mark.parametrize(("fields", "name", "message"), WRONG_BLOBS)
def test_a_wrong_blob_is_refused(fields: dict[str, Any], name: str, message: str) -> None:
    """The error for an invalid blob names it by its index in the footer."""
    file = puffin({"blobs": [blob(), blob(**fields)]}, bytes(10))
    with pytest.raises(FormatError) as refused:
        open_puffin(file)
    assert refused.value.path == f"footer.payload.blobs[1].{name}"
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "name", ["type", "fields", "snapshot-id", "sequence-number", "offset", "length"]
)
def test_a_required_field_is_missed(name: str) -> None:
    """A blob that lacks one of the six required fields is refused by the field's name in JSON."""
    short = {key: value for key, value in blob().items() if key != name}
    with pytest.raises(FormatError, match="found nothing") as refused:
        open_puffin(puffin({"blobs": [short]}))
    assert refused.value.path == f"footer.payload.blobs[0].{name}"


def test_blobs_must_not_overlap() -> None:
    """Blobs that overlap by one byte are refused; the error names both."""
    blobs = [blob(10, 4), blob(4, 7)]
    message = r"blobs\[0\]\.offset .*found 10, wanted 11 or more, where blobs\[1\] ends"
    with pytest.raises(FormatError, match=message):
        open_puffin(puffin({"blobs": blobs}, bytes(10)))


def test_order_gaps_and_empty_blobs_are_free() -> None:
    """A footer may list blobs in any order, leave bytes out, and have empty ones anywhere."""
    blobs = [blob(10, 2), blob(4, 3), blob(5, 0), blob(14, 0), blob(4, 0)]
    with open_puffin(puffin({"blobs": blobs}, b"abcdefghij")) as file:
        assert file.read_many(file.blobs) == [b"gh", b"abc", b"", b"", b""]


def test_a_codec_of_null_is_none() -> None:
    """A null compression codec means no compression, as in Java and PyIceberg."""
    file = open_puffin(puffin({"blobs": [blob(compression_codec=None)]}))
    assert file.blobs[0].compression_codec is None


@pytest.mark.parametrize("depth", [300, 3_000, 300_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_is_bounded(depth: int, brackets: str) -> None:
    """A footer of a million brackets ends in an error, not in the interpreter's stack."""
    nested = "[" * depth + "]" * depth if brackets == "[]" else '{"a":' * depth + "1" + "}" * depth
    with pytest.raises(LimitExceeded, match=r"limits\.nesting"):
        open_puffin(puffin(f'{{"blobs":[],"x":{nested}}}'.encode()))


def test_unknown_fields_are_kept_to_the_last_digit() -> None:
    """Unknown fields of a file and of a blob are kept, and copied with every digit."""
    unknown = b'{"a":[1.10,1e400,123456789012345678901234567890,null,true],"b":{"c":"\xc3\xa4"}}'
    one = json.dumps(blob())[:-1].encode()
    payload = b'{"blobs":[' + one + b',"x":' + unknown + b'}],"extra":' + unknown + b"}"
    file = open_puffin(puffin(payload))
    assert file.metadata.extra["extra"]["a"][0] == Decimal("1.10")
    assert file.blobs[0].extra["x"]["a"][2] == 123456789012345678901234567890
    copy = io.BytesIO()
    with PuffinWriter(copy, like=file) as writer:
        writer.copy(file, file.blobs[0])
    again = open_puffin(copy.getvalue())
    assert (again.metadata.extra, again.blobs) == (file.metadata.extra, file.blobs)
    assert b"[1.10,1E+400,123456789012345678901234567890,null,true]" in again.footer.payload


def test_an_unknown_field_called_extra_is_a_field() -> None:
    """An unknown field named `extra`, like our attribute, is read like any other."""
    file = open_puffin(puffin(b'{"blobs":[],"extra":{"blobs":1}}'))
    assert file.metadata.extra == {"extra": {"blobs": 1}}


class TestCompressedFooter:
    PAYLOAD = json.dumps({"blobs": [blob()], "properties": {"created-by": "x" * 500}}).encode()

    def test_lz4_is_read(self) -> None:
        """A footer compressed with LZ4 is read, though Java, PyIceberg and Rust refuse it."""
        file = open_puffin(puffin(lz4.frame.compress(self.PAYLOAD), flags=1))
        assert file.footer.payload_is_compressed
        assert len(file.blobs) == 1

    @pytest.mark.parametrize(
        "payload",
        [
            PAYLOAD,
            lz4.frame.compress(PAYLOAD, store_size=False),
            lz4.frame.compress(PAYLOAD) + b"\x00",
            lz4.frame.compress(PAYLOAD)[:-1],
        ],
    )
    def test_anything_but_one_frame_with_its_size_is_refused(self, payload: bytes) -> None:
        """A compressed payload other than one LZ4 frame with its size is refused."""
        with pytest.raises(FormatError) as refused:
            open_puffin(puffin(payload, flags=1))
        assert (refused.value.path, refused.value.offset) == ("footer.payload", 8)

    def test_its_size_is_bounded(self) -> None:
        """A compressed footer may decompress to `limits.metadata_size` bytes at most."""
        file = puffin(lz4.frame.compress(self.PAYLOAD), flags=1)
        with pytest.raises(LimitExceeded, match=r"limits\.metadata_size"):
            open_puffin(file, limits=Limits(metadata_size=len(self.PAYLOAD) - 1))


text = st.text(st.characters(codec="utf-8"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(
    ["type", "fields", "snapshot-id", "sequence-number", "offset", "length", "compression-codec",
     "properties", "extra"]
)  # fmt: skip
odd_blobs = st.builds(lambda odd: blob() | odd, st.dictionaries(names, values, max_size=2))


@given(
    st.fixed_dictionaries(
        {"blobs": st.lists(odd_blobs, max_size=3) | values},
        optional={"properties": values, "extra": values},
    )
)
def test_no_footer_escapes_the_error_family(payload: dict[str, Any]) -> None:
    """Any JSON with the right names is read or raises a ByteloomError."""
    try:
        open_puffin(puffin(payload))
    except ByteloomError:
        return


@given(st.binary(max_size=60))
def test_no_bytes_escape_the_error_family(payload: bytes) -> None:
    """Any payload that is not JSON raises a FormatError that gives its offset."""
    for flags in (0, 1):
        with pytest.raises(FormatError, match=r"^footer\.payload at byte \d+ "):
            open_puffin(puffin(payload, flags=flags))


metadatas = st.builds(
    FileMetadata,
    blobs=st.lists(
        st.builds(
            BlobMetadata,
            type=text,
            fields=st.lists(st.integers(-(1 << 31), (1 << 31) - 1), max_size=3),
            snapshot_id=st.integers(-(1 << 63), (1 << 63) - 1),
            sequence_number=st.integers(-(1 << 63), (1 << 63) - 1),
            offset=st.integers(0, (1 << 63) - 1),
            length=st.integers(0, (1 << 63) - 1),
            compression_codec=st.none() | text,
            properties=st.dictionaries(text, text, max_size=2),
        ),
        max_size=3,
    ),
    properties=st.dictionaries(text, text, max_size=2),
)


@given(metadatas, st.sampled_from([-1, 0, 2]))
def test_both_ways_to_read_agree(metadata: FileMetadata, indent: int) -> None:
    """The quick decoder of footers and the strict one agree, with or without blanks."""
    payload = msgspec.json.format(encode(metadata), indent=indent)
    assert decode(payload) == metadata
    assert file_metadata(payload, DEFAULT_LIMITS) == metadata


@given(metadatas, st.randoms(use_true_random=False))
def test_the_order_of_keys_is_free(metadata: FileMetadata, random: Random) -> None:
    """The quick decoder takes keys in any order, empty properties and a null codec."""
    plain = {"properties": {}} | json.loads(encode(metadata))
    spelt_out = [{"properties": {}, "compression-codec": None} | each for each in plain["blobs"]]
    plain["blobs"] = [dict(random.sample(list(each.items()), len(each))) for each in spelt_out]
    payload = json.dumps(plain, ensure_ascii=False).encode()
    assert file_metadata(payload, DEFAULT_LIMITS) == metadata
    assert decode(payload) == metadata


class Pairs(list[tuple[str, Any]]):
    """An object of JSON that may have a key twice."""


def pairs(keys: Any, each: Any) -> Any:
    """Return a strategy for objects with keys in any order, repeated or not."""
    return st.lists(st.tuples(keys, each), max_size=3).map(Pairs)


tricky = st.text(st.sampled_from('\\"/:{}u0 ä\n'), max_size=4)
trees = st.recursive(
    st.integers(-(1 << 70), 1 << 70) | st.sampled_from([None, True, 1.5, 1e300]) | tricky,
    lambda inner: st.lists(inner, max_size=2) | pairs(tricky, inner),
    max_leaves=5,
)


def spelt(value: Any, ensure_ascii: bool) -> str:
    """Return the JSON of *value*, which may contain `Pairs`."""
    if isinstance(value, Pairs):
        members = [f"{spelt(key, ensure_ascii)}:{spelt(each, ensure_ascii)}" for key, each in value]
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(spelt(each, ensure_ascii) for each in value) + "]"
    return json.dumps(value, ensure_ascii=ensure_ascii)


more = pairs(st.sampled_from(["properties", "type", "length", "extra", "x"]) | tricky, trees)
properties = pairs(tricky, tricky)


@given(st.lists(st.tuples(more, properties), max_size=3), more, st.booleans())
def test_the_quick_way_never_errs(
    blobs: list[tuple[Pairs, Pairs]], around: Pairs, ensure_ascii: bool
) -> None:
    """The quick decoder finds what the strict one does, or declines: with unknown fields too."""
    known = [("compression-codec", None), *blob().items()]
    listed = [Pairs([*more, *known, ("properties", stated)]) for more, stated in blobs]
    payload = spelt(Pairs([*around, ("blobs", listed)]), ensure_ascii).encode()
    quick = decode(payload)
    if quick is not None:
        assert quick == file_metadata(payload, DEFAULT_LIMITS)


@pytest.mark.parametrize("unknown", [{"x": 1}, {"extra": {"a": ["b", {"c": "d"}]}}, {"y": 1.10}])
def test_unknown_fields_are_read_quickly(unknown: dict[str, Any]) -> None:
    """The quick decoder reads unknown fields of the file and of single blobs."""
    payload = json.dumps({"blobs": [blob(), blob() | unknown], **unknown}).encode()
    assert decode(payload) == file_metadata(payload, DEFAULT_LIMITS)


@pytest.mark.parametrize("text", ['"', "\\", '\\"', 'a "b" \\', "\n"])
def test_escapes_are_read_quickly(text: str) -> None:
    """The quick decoder reads values with escaped quotation marks and backslashes."""
    payload = json.dumps({"blobs": [blob()], "properties": {"a": text}}).encode()
    assert decode(payload) == file_metadata(payload, DEFAULT_LIMITS)


def test_every_blob_may_have_an_unknown_field_of_its_own() -> None:
    """Many blobs with one unknown field each are read fast, not in quadratic time."""
    count = 30_000
    payload = json.dumps({"blobs": [blob() | {f"x{i}": i} for i in range(count)]}).encode()
    file = open_puffin(puffin(payload))
    assert [each.extra for each in file.blobs] == [{f"x{i}": i} for i in range(count)]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("blobs", "[]"),
        ("type", '"a"'),
        ("fields", "[]"),
        ("snapshot-id", "2"),
        ("length", "0"),
        ("ndv", '"1"'),
        ("c", '"d"'),
        ("properties", "{}"),
    ],
)
def test_a_repeated_key_is_found_wherever_it_stands(key: str, value: str) -> None:
    """A repeated key is refused, though the quick decoder alone would take its last value."""
    good = json.dumps({"blobs": [blob(properties={"ndv": "1"})], "properties": {"c": "d"}})
    at = good.index(f'"{key}":')
    with pytest.raises(FormatError, match=f"key '{key}' more than once"):
        open_puffin(puffin(f'{good[:at]}"{key}": {value}, {good[at:]}'.encode()))


@pytest.mark.parametrize(
    "fields",
    [
        {"fields": [-(1 << 31), (1 << 31) - 1]},
        {"snapshot-id": -(1 << 63), "sequence-number": (1 << 63) - 1},
        {"offset": -(1 << 63), "length": (1 << 63) - 1},
        {"compression-codec": "zstd", "properties": {"a": "b", "c": ""}},
        {"unknown": ["a", {"b": "c"}, 1.5, None], "other": '\\"'},
    ],
    ids=str,
)
def test_the_quick_way_reads_what_the_strict_one_reads(fields: dict[str, Any]) -> None:
    """The quick decoder accepts numbers at the ends of their ranges, as the strict one does."""
    payload = json.dumps({"blobs": [blob(**fields), blob()], "more": ["x"]}).encode()
    quick = decode(payload)
    assert quick is not None
    assert quick == file_metadata(payload, DEFAULT_LIMITS)


def test_properties_show_no_secrets() -> None:
    """The repr of properties, of a file or of a blob, hides the values of secrets."""
    secret = {"s3.secret-access-key": "hidden"}
    payload = {"blobs": [blob(properties=secret)], "properties": secret}
    with open_puffin(puffin(payload)) as file:
        assert dict(file.properties) == secret
        for shown in (file.properties, file.blobs[0].properties, file.metadata, file.blobs):
            assert "hidden" not in repr(shown)
        assert json.loads(encode(file.metadata)) == payload


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_nesting_has_the_limit_and_no_more(pair: str) -> None:
    """Both decoders accept JSON at the nesting limit and none deeper."""
    begin = "[" if pair == "[]" else '{"a":'

    def nested(depth: int) -> bytes:
        return f'{{"blobs":[],"x":{begin * depth}1{pair[1] * depth}}}'.encode()

    limits = Limits(nesting=6)
    for read in (file_metadata, decode):
        assert read(nested(5), limits) is not None
    assert decode(nested(7), limits) is None
    with pytest.raises(LimitExceeded, match=r"deeper nesting, wanted at most 6 levels \(limits\."):
        file_metadata(nested(7), limits)


def test_values_of_a_footer_are_bounded() -> None:
    """A footer has a limit on JSON values, checked before any of them is created."""
    payload = b'{"blobs":[],"x":[' + b",".join([b"1"] * 1_000) + b"]}"
    most = 999 + 1 + 4 * 3 - len(payload) // 6
    assert open_puffin(puffin(payload), limits=Limits(json_values=most)).blobs == []
    said = rf"^footer\.payload at byte 8 .*: found about {1_000 + 12} JSON values, wanted at most "
    with pytest.raises(LimitExceeded, match=said):
        open_puffin(puffin(payload), limits=Limits(json_values=most - 1))


def test_what_was_found_is_cut_where_it_is_long() -> None:
    """An error shows a value of up to 60 characters whole, and the first 57 of a longer one."""
    for size, shown in [(58, f"{'a' * 58!r}"), (59, f"{'a' * 59!r}"[:57] + "...")]:
        payload = json.dumps({"blobs": [blob(snapshot_id="a" * size)]}).encode()
        with pytest.raises(FormatError) as refused:
            file_metadata(payload, DEFAULT_LIMITS)
        assert refused.value.found == shown


@pytest.mark.parametrize("size", [100, 1 << 20])
def test_a_file_of_another_format_is_not_called_cut_off(size: int) -> None:
    """A file of another format has a wrong magic; only one with Puffin's magic is truncated."""
    with pytest.raises(FormatError, match=r"^magic at byte 0 ") as refused:
        open_puffin(b"x" * size)
    assert not isinstance(refused.value, Truncated)
    with pytest.raises(Truncated):
        open_puffin(b"PFA1" + b"x" * size)
