# Written by byteloom from spec.ksy; do not edit.
# type: ignore

import struct

import kaitaistruct
from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct

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


class Sample(KaitaiStruct):
    def __init__(self, _io, _parent=None, _root=None):
        self._io = _io
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.ofs_body = self._io.read_u4be()

    def _fetch_instances(self):
        _ = self.body
        if hasattr(self, "_m_body"):
            self._m_body._fetch_instances()
        _ = self.first

    def __str__(self):
        return "sample of " + str(self.size)

    class Part(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            self._io = _io
            self._parent = _parent
            self._root = _root
            self._read()

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

        def _fetch_instances(self):
            pass

    @property
    def size(self):
        if hasattr(self, "_m_size"):
            return self._m_size
        self._m_size = self._io.size()
        return self._m_size

    @property
    def body(self):
        """Stands where the header says."""
        if hasattr(self, "_m_body"):
            return self._m_body
        if self.ofs_body > 0:
            _pos = self._io.pos()
            self._io.seek(self.ofs_body)
            self._raw__m_body = self._io.read_bytes(self.size - self.ofs_body)
            _io__raw__m_body = KaitaiStream(BytesIO(self._raw__m_body))
            self._m_body = Sample.Part(_io__raw__m_body, self, self._root)
            self._io.seek(_pos)
        return getattr(self, "_m_body", None)

    @property
    def first(self):
        if hasattr(self, "_m_first"):
            return self._m_first
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
        return self._m_first
