# Written by byteloom from spec.ksy; do not edit.
# type: ignore

import struct

import kaitaistruct
from kaitaistruct import BytesIO, KaitaiStream, ReadWriteKaitaiStruct

if getattr(kaitaistruct, "API_VERSION", (0, 9)) < (0, 11):
    raise ImportError(
        f"kaitaistruct 0.11 or newer is wanted, found {kaitaistruct.__version__}"
    )

_BE_I = struct.Struct(">I").unpack
_BE_h = struct.Struct(">h").unpack


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


def _end(io):
    """Return how many bytes *io* has at least: it may grow."""
    try:
        return io.size() if type(io) is KaitaiStream else -1
    except (OSError, ValueError):
        return -1


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
    def __init__(self, _io=None, _parent=None, _root=None):
        super().__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._should_write_body = False
        self.body__enabled = True
        self._should_write_first = False
        self.first__enabled = True

    def _read(self):
        self.ofs_body = self._io.read_u4be()
        self._dirty = False

    def _fetch_instances(self):
        _ = self.body
        if getattr(self, "_m_body", None) is not None:
            self._m_body._fetch_instances()
        _ = self.first

    def _write__seq(self, io=None):
        super()._write__seq(io)
        self._should_write_body = self.body__enabled
        self._should_write_first = self.first__enabled
        self._invalidate_size()
        self._io.write_u4be(self.ofs_body)

    def _put_body(self, io, data):
        self._raw__m_body = data
        io.write_bytes(data)

    def _check(self):
        if self.body__enabled:
            if self.ofs_body > 0:
                if self._m_body._root is not self._root:
                    raise kaitaistruct.ConsistencyError(
                        "body", self._root, self._m_body._root
                    )
                if self._m_body._parent is not self:
                    raise kaitaistruct.ConsistencyError(
                        "body", self, self._m_body._parent
                    )
        if self.first__enabled:
            if not self._m_first >= 1:
                raise kaitaistruct.ValidationLessThanError(
                    1, self._m_first, None, "/instances/first"
                )
            if not self._m_first <= 9:
                raise kaitaistruct.ValidationGreaterThanError(
                    9, self._m_first, None, "/instances/first"
                )
        self._dirty = False

    def __str__(self):
        return "sample of " + str(self.size)

    class Part(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None):
            super().__init__(_io)
            self._parent = _parent
            self._root = _root

        def _read(self):
            _io = self._io
            read = _reader(_io)
            self.bytes = []
            tell, end = _io._io.tell, _end(_io)
            while tell() < end or not _io.is_eof():
                self.bytes.append(
                    _BE_h(data)[0]
                    if len(data := read(2)) == 2
                    else _back(_io, data).read_s2be(),
                )
            self._dirty = False

        def _fetch_instances(self):
            pass

        def _write__seq(self, io=None):
            super()._write__seq(io)
            for each in self.bytes:
                if self._io.is_eof():
                    raise kaitaistruct.ConsistencyError(
                        "bytes", 0, self._io.size() - self._io.pos()
                    )
                self._io.write_s2be(each)
            if not self._io.is_eof():
                raise kaitaistruct.ConsistencyError(
                    "bytes", 0, self._io.size() - self._io.pos()
                )

        def _check(self):
            self._dirty = False

    @property
    def size(self):
        if hasattr(self, "_m_size"):
            return self._m_size
        self._m_size = self._io.size()
        return self._m_size

    def _invalidate_size(self):
        vars(self).pop("_m_size", None)

    @property
    def body(self):
        """Stands where the header says."""
        if self._should_write_body:
            self._write_body()
        if hasattr(self, "_m_body"):
            return self._m_body
        if not self.body__enabled:
            return None
        if self.ofs_body > 0:
            _pos = self._io.pos()
            self._io.seek(self.ofs_body)
            self._raw__m_body = self._io.read_bytes(self.size - self.ofs_body)
            _io__raw__m_body = KaitaiStream(BytesIO(self._raw__m_body))
            self._m_body = Sample.Part(_io__raw__m_body, self, self._root)
            self._m_body._read()
            self._io.seek(_pos)
        return getattr(self, "_m_body", None)

    @body.setter
    def body(self, v):
        self._dirty = True
        self._m_body = v

    def _write_body(self):
        self._should_write_body = False
        if self.ofs_body > 0:
            _pos = self._io.pos()
            self._io.seek(self.ofs_body)
            _size = self.size - self.ofs_body
            _io__raw__m_body = _substream(self._io, _size, _size)
            _io__raw__m_body.put_back = self._put_body
            self._m_body._write__seq(_io__raw__m_body)
            self._io.seek(_pos)

    @property
    def first(self):
        if self._should_write_first:
            self._write_first()
        if hasattr(self, "_m_first"):
            return self._m_first
        if not self.first__enabled:
            return None
        io = self.body._io
        _pos = io.pos()
        io.seek(0)
        self._m_first = io.read_u1()
        if not self._m_first >= 1:
            raise kaitaistruct.ValidationLessThanError(
                1, self._m_first, io, "/instances/first"
            )
        if not self._m_first <= 9:
            raise kaitaistruct.ValidationGreaterThanError(
                9, self._m_first, io, "/instances/first"
            )
        io.seek(_pos)
        return getattr(self, "_m_first", None)

    @first.setter
    def first(self, v):
        self._dirty = True
        self._m_first = v

    def _write_first(self):
        self._should_write_first = False
        io = self.body._io
        _pos = io.pos()
        io.seek(0)
        io.write_u1(self._m_first)
        io.seek(_pos)
