# Written by byteloom from spec.ksy; do not edit.
# type: ignore

import enum
import functools
import struct

import kaitaistruct
from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct, ReadWriteKaitaiStruct

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


def _substream(parent, size, room):
    """Return a stream of *size* bytes; its ``put_back`` writes them into *room* bytes of *parent*."""
    child = kaitaistruct.KaitaiStream(kaitaistruct.BytesIO(bytes(size)))
    child.write_back_handler = kaitaistruct.KaitaiStream.WriteBackHandler(
        parent.pos(), lambda io: child.put_back(io, child.to_byte_array())
    )
    parent.add_child_stream(child)
    parent.seek(parent.pos() + room)
    return child


class Sample(ReadWriteKaitaiStruct):
    """Every way to read a field.

    Source: https://example.org/sample
    """

    class Kind(enum.IntEnum):
        plain = 1
        nested = 2

    def __init__(self, _io=None, _parent=None, _root=None):
        super().__init__(_io)
        self._parent = _parent
        self._root = _root or self

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
            _t_items = Sample.Item(i, _io__raw_items, self, self._root)
            try:
                _t_items._read()
            finally:
                self.items.append(_t_items)
        _on = self.kind
        if _on == _KIND_PLAIN:
            self.body = (
                _LE_I(data)[0]
                if len(data := read(4)) == 4
                else _back(_io, data).read_u4le()
            )
        elif _on == _KIND_NESTED:
            self.body = Sample.Item(0, _io, self, self._root)
            self.body._read()
        self.rest = []
        while True:
            _ = (read(1) or _io.read_bytes(1))[0]
            self.rest.append(_)
            if _ == 0:
                break
        self._dirty = False

    def _fetch_instances(self):
        for each in self.items:
            each._fetch_instances()
        if getattr(self, "body", None) is not None:
            if isinstance(self.body, KaitaiStruct):
                self.body._fetch_instances()

    def _write__seq(self, io=None):
        super()._write__seq(io)
        self._io.write_bytes(self.magic)
        self._io.write_u1(int(self.kind))
        self._io.write_bits_int_be(1, int(self.is_long))
        self._io.write_bits_int_be(7, self.reserved)
        self._io.write_bytes(self.name.encode("UTF-8"))
        self._io.write_bytes(b"\x00")
        if self.is_long:
            self._io.write_u2le(self.len_items)
        self._raw_items = []
        self._raw__raw_items = []
        for each in self.items:
            _io__raw_items = _substream(self._io, 3, 3)
            _io__raw_items.put_back = functools.partial(self._put_items, size=3, key=90)
            each._write__seq(_io__raw_items)
        _on = self.kind
        if _on == _KIND_PLAIN:
            self._io.write_u4le(self.body)
        elif _on == _KIND_NESTED:
            self.body._write__seq(self._io)
        for _ in self.rest:
            self._io.write_u1(_)

    def _put_items(self, io, data, size, key):
        self._raw_items.append(data)
        data = KaitaiStream.process_xor_one(data, key)
        self._raw__raw_items.append(data)
        if len(data) != size:
            raise kaitaistruct.ConsistencyError("raw(items)", size, len(data))
        io.write_bytes(data)

    def _check(self):
        if len(self.magic) != 2:
            raise kaitaistruct.ConsistencyError("magic", 2, len(self.magic))
        if self.magic != b"S\x1a":
            raise kaitaistruct.ValidationNotEqualError(
                b"S\x1a", self.magic, None, "/seq/0"
            )
        if not isinstance(self.kind, Sample.Kind):
            raise kaitaistruct.ValidationNotInEnumError(self.kind, None, "/seq/1")
        _data = self.name.encode("UTF-8")
        if _data.find(b"\x00") != -1:
            raise kaitaistruct.ConsistencyError("name", -1, _data.find(b"\x00"))
        if len(self.items) != 2:
            raise kaitaistruct.ConsistencyError("items", 2, len(self.items))
        for i, each in enumerate(self.items):
            if each._root is not self._root:
                raise kaitaistruct.ConsistencyError("items", self._root, each._root)
            if each._parent is not self:
                raise kaitaistruct.ConsistencyError("items", self, each._parent)
            if each.number != i:
                raise kaitaistruct.ConsistencyError("items", i, each.number)
        _on = self.kind
        if _on == _KIND_NESTED:
            if self.body._root is not self._root:
                raise kaitaistruct.ConsistencyError("body", self._root, self.body._root)
            if self.body._parent is not self:
                raise kaitaistruct.ConsistencyError("body", self, self.body._parent)
            if self.body.number != 0:
                raise kaitaistruct.ConsistencyError("body", 0, self.body.number)
        if not self.rest:
            raise kaitaistruct.ConsistencyError("rest", 0, len(self.rest))
        for i, _ in enumerate(self.rest):
            if (_ == 0) != (i == len(self.rest) - 1):
                raise kaitaistruct.ConsistencyError(
                    "rest", i == len(self.rest) - 1, _ == 0
                )
        self._dirty = False

    class Item(ReadWriteKaitaiStruct):
        def __init__(self, number, _io=None, _parent=None, _root=None):
            super().__init__(_io)
            self._parent = _parent
            self._root = _root
            self.number = number

        def _read(self):
            self.value = KaitaiStream.bytes_strip_right(self._io.read_bytes_full(), 32)
            self._dirty = False

        def _fetch_instances(self):
            pass

        def _write__seq(self, io=None):
            super()._write__seq(io)
            if len(self.value) > self._io.size() - self._io.pos():
                raise kaitaistruct.ConsistencyError(
                    "value", self._io.size() - self._io.pos(), len(self.value)
                )
            if self.value[-1:] == b" ":
                raise kaitaistruct.ConsistencyError("value", 32, 32)
            self._io.write_bytes_limit(
                self.value, self._io.size() - self._io.pos(), 32, 32
            )
            if not self._io.is_eof():
                raise kaitaistruct.ConsistencyError(
                    "value", 0, self._io.size() - self._io.pos()
                )

        def _check(self):
            self._dirty = False


_KIND = _Labels({each.value: each for each in Sample.Kind})
_KIND_NESTED = Sample.Kind.nested
_KIND_PLAIN = Sample.Kind.plain
