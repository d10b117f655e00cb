# Written by byteloom from spec.ksy; do not edit.
# type: ignore

import struct

import kaitaistruct
from kaitaistruct import BytesIO, KaitaiStream, ReadWriteKaitaiStruct

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


class Sample(ReadWriteKaitaiStruct):
    def __init__(self, _io=None, _parent=None, _root=None):
        super().__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._should_write_mark = False
        self.mark__enabled = True

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
        self._dirty = False

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
        self.inner._read()

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
        self.inner._read()

    def _fetch_instances(self):
        self.inner._fetch_instances()
        _ = self.mark

    def _write__seq(self, io=None):
        super()._write__seq(io)
        self._should_write_mark = self.mark__enabled
        _on = self.mark
        if _on == b"II":
            self._is_le = True
        elif _on == b"MM":
            self._is_le = False
        else:
            self._is_le = None
        if self._is_le is True:
            self._write__seq_le()
        elif self._is_le is False:
            self._write__seq_be()
        else:
            raise kaitaistruct.UndecidedEndiannessError("/")

    def _write__seq_le(self):
        self._io.write_bytes(self.skipped)
        self._io.write_u2le(self.number)
        self.inner._write__seq(self._io)

    def _write__seq_be(self):
        self._io.write_bytes(self.skipped)
        self._io.write_u2be(self.number)
        self.inner._write__seq(self._io)

    def _check(self):
        if len(self.skipped) != 2:
            raise kaitaistruct.ConsistencyError("skipped", 2, len(self.skipped))
        if self.inner._root is not self._root:
            raise kaitaistruct.ConsistencyError("inner", self._root, self.inner._root)
        if self.inner._parent is not self:
            raise kaitaistruct.ConsistencyError("inner", self, self.inner._parent)
        if self.mark__enabled:
            if len(self._m_mark) != 2:
                raise kaitaistruct.ConsistencyError("mark", 2, len(self._m_mark))
        self._dirty = False

    class Inner(ReadWriteKaitaiStruct):
        def __init__(self, _io=None, _parent=None, _root=None, _is_le=None):
            super().__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le

        def _read(self):
            if self._is_le is True:
                self._read_le()
            elif self._is_le is False:
                self._read_be()
            else:
                raise kaitaistruct.UndecidedEndiannessError("/types/inner")
            self._dirty = False

        def _read_le(self):
            self.ratio = self._io.read_f4le()

        def _read_be(self):
            self.ratio = self._io.read_f4be()

        def _fetch_instances(self):
            pass

        def _write__seq(self, io=None):
            super()._write__seq(io)
            if self._is_le is True:
                self._write__seq_le()
            elif self._is_le is False:
                self._write__seq_be()
            else:
                raise kaitaistruct.UndecidedEndiannessError("/types/inner")

        def _write__seq_le(self):
            self._io.write_f4le(self.ratio)

        def _write__seq_be(self):
            self._io.write_f4be(self.ratio)

        def _check(self):
            self._dirty = False

    @property
    def mark(self):
        if self._should_write_mark:
            self._write_mark()
        if hasattr(self, "_m_mark"):
            return self._m_mark
        if not self.mark__enabled:
            return None
        _pos = self._io.pos()
        self._io.seek(0)
        self._m_mark = self._io.read_bytes(2)
        self._io.seek(_pos)
        return getattr(self, "_m_mark", None)

    @mark.setter
    def mark(self, v):
        self._dirty = True
        self._m_mark = v

    def _write_mark(self):
        self._should_write_mark = False
        _pos = self._io.pos()
        self._io.seek(0)
        self._io.write_bytes(self._m_mark)
        self._io.seek(_pos)
