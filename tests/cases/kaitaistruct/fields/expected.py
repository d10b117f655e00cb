# Written by byteloom from spec.ksy; do not edit.
# type: ignore

import enum
import struct

import kaitaistruct
from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct

if getattr(kaitaistruct, "API_VERSION", (0, 9)) < (0, 11):
    raise ImportError(
        f"kaitaistruct 0.11 or newer is wanted, found {kaitaistruct.__version__}"
    )

_LE_H = struct.Struct("<H").unpack
_LE_I = struct.Struct("<I").unpack


class _Labels(dict):
    """The members of an enum by their numbers; a number without a member stays a number."""

    def __missing__(self, number):
        return number


def _reader(io):
    """Return the method that reads bytes of *io* directly; None if only the runtime can."""
    plain = type(io) is KaitaiStream and not io.bits_left
    return io._io.read if plain else lambda size: b""


def _back(io, data):
    """Return *io*, set back to before *data*; a stream of *data* if it cannot seek."""
    try:
        if data:
            io.seek(io.pos() - len(data))
    except (OSError, ValueError):
        return KaitaiStream(BytesIO(data))
    return io


def _terminated(io, mark, include, consume, eos_error):
    """Read bytes up to the byte *mark*, in memory without a call for each byte."""
    file = io._io
    if type(io) is KaitaiStream and type(file) is BytesIO:
        data, start = file.getvalue(), file.tell()
        found = data.find(mark, start)
        if found >= 0:
            io.align_to_byte()
            file.seek(found + consume)
            return data[start : found + include]
    return io.read_bytes_term(mark, include, consume, eos_error)


class Sample(KaitaiStruct):
    """Every way to read a field.

    Source: https://example.org/sample
    """

    class Kind(enum.IntEnum):
        plain = 1
        nested = 2

    def __init__(self, _io, _parent=None, _root=None):
        self._io = _io
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        _io = self._io
        read = _reader(_io)
        self.magic = (
            data if len(data := read(2)) == 2 else _back(_io, data).read_bytes(2)
        )
        if self.magic != b"S\x1a":
            raise kaitaistruct.ValidationNotEqualError(
                b"S\x1a", self.magic, _io, "/seq/0"
            )
        self.kind = _KIND[(read(1) or _io.read_bytes(1))[0]]
        if not isinstance(self.kind, Sample.Kind):
            raise kaitaistruct.ValidationNotInEnumError(self.kind, _io, "/seq/1")
        data = read(1)
        if len(data) == 1:
            _bits = data[0]
            self.is_long = _bits >> 7 != 0
            self.reserved = _bits & 127
        else:
            _io = _back(_io, data)
            self.is_long = _io.read_bits_int_be(1) != 0
            self.reserved = _io.read_bits_int_be(7)
        self.name = _terminated(_io, 0, False, True, True).decode("UTF-8")
        if self.is_long:
            self.len_items = (
                _LE_H(data)[0]
                if len(data := read(2)) == 2
                else _back(_io, data).read_u2le()
            )
        self._raw_items = []
        self._raw__raw_items = []
        self.items = []
        for i in range(2):
            self._raw__raw_items.append(
                data if len(data := read(3)) == 3 else _back(_io, data).read_bytes(3)
            )
            self._raw_items.append(
                KaitaiStream.process_xor_one(self._raw__raw_items[-1], 90)
            )
            _io__raw_items = KaitaiStream(BytesIO(self._raw_items[-1]))
            self.items.append(Sample.Item(i, _io__raw_items, self, self._root))
        _on = self.kind
        if _on == _KIND_PLAIN:
            self.body = (
                _LE_I(data)[0]
                if len(data := read(4)) == 4
                else _back(_io, data).read_u4le()
            )
        elif _on == _KIND_NESTED:
            self.body = Sample.Item(0, _io, self, self._root)
        self.rest = []
        while True:
            _ = (read(1) or _io.read_bytes(1))[0]
            self.rest.append(_)
            if _ == 0:
                break

    def _fetch_instances(self):
        for each in self.items:
            each._fetch_instances()
        if hasattr(self, "body"):
            if isinstance(self.body, KaitaiStruct):
                self.body._fetch_instances()

    class Item(KaitaiStruct):
        def __init__(self, number, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root
            self.number = number
            self._read()

        def _read(self):
            self.value = KaitaiStream.bytes_strip_right(self._io.read_bytes_full(), 32)

        def _fetch_instances(self):
            pass


_KIND = _Labels({each.value: each for each in Sample.Kind})
_KIND_NESTED = Sample.Kind.nested
_KIND_PLAIN = Sample.Kind.plain
