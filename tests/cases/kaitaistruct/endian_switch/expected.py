# Written by byteloom from spec.ksy; do not edit.
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct

if getattr(kaitaistruct, "API_VERSION", (0, 9)) < (0, 11):
    raise ImportError(
        f"kaitaistruct 0.11 or newer is wanted, found {kaitaistruct.__version__}"
    )


class Sample(KaitaiStruct):
    def __init__(self, _io, _parent=None, _root=None):
        super().__init__(_io)
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
        self.skipped = self._io.read_bytes(2)
        self.number = self._io.read_u2le()
        self.inner = Sample.Inner(self._io, self, self._root, self._is_le)

    def _read_be(self):
        self.skipped = self._io.read_bytes(2)
        self.number = self._io.read_u2be()
        self.inner = Sample.Inner(self._io, self, self._root, self._is_le)

    def _fetch_instances(self):
        self.inner._fetch_instances()
        _ = self.mark

    class Inner(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super().__init__(_io)
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
