# Written by byteloom from spec.ksy; do not edit.
# type: ignore

import struct

import kaitaistruct
from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct

if getattr(kaitaistruct, "API_VERSION", (0, 9)) < (0, 11):
    raise ImportError(
        f"kaitaistruct 0.11 or newer is wanted, found {kaitaistruct.__version__}"
    )

_BE_2sH = struct.Struct(">2sH").unpack
_BE_f = struct.Struct(">f").unpack
_LE_2sH = struct.Struct("<2sH").unpack
_LE_f = struct.Struct("<f").unpack


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


class Sample(KaitaiStruct):
    def __init__(self, _io, _parent=None, _root=None):
        self._io = _io
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        _on = self.mark
        if _on == b"II":
            self._is_le = True
        elif _on == b"MM":
            self._is_le = False
        else:
            self._is_le = None
        if self._is_le is True:
            self._read_le()
        elif self._is_le is False:
            self._read_be()
        else:
            raise kaitaistruct.UndecidedEndiannessError("/")

    def _read_le(self):
        _io = self._io
        read = _reader(_io)
        data = read(4)
        if len(data) == 4:
            self.skipped, self.number = _LE_2sH(data)
        else:
            _io = _back(_io, data)
            self.skipped = _io.read_bytes(2)
            self.number = _io.read_u2le()
        self.inner = Sample.Inner(_io, self, self._root, self._is_le)

    def _read_be(self):
        _io = self._io
        read = _reader(_io)
        data = read(4)
        if len(data) == 4:
            self.skipped, self.number = _BE_2sH(data)
        else:
            _io = _back(_io, data)
            self.skipped = _io.read_bytes(2)
            self.number = _io.read_u2be()
        self.inner = Sample.Inner(_io, self, self._root, self._is_le)

    def _fetch_instances(self):
        self.inner._fetch_instances()
        _ = self.mark

    class Inner(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            self._io = _io
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if self._is_le is True:
                self._read_le()
            elif self._is_le is False:
                self._read_be()
            else:
                raise kaitaistruct.UndecidedEndiannessError("/types/inner")

        def _read_le(self):
            self.ratio = self._io.read_f4le()

        def _read_be(self):
            self.ratio = self._io.read_f4be()

        def _fetch_instances(self):
            pass

    @property
    def mark(self):
        if hasattr(self, "_m_mark"):
            return self._m_mark
        _pos = self._io.pos()
        self._io.seek(0)
        self._m_mark = self._io.read_bytes(2)
        self._io.seek(_pos)
        return self._m_mark
