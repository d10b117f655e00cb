# Written by byteloom from spec.ksy; do not edit.
# type: ignore

import enum

import kaitaistruct
from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct

if getattr(kaitaistruct, "API_VERSION", (0, 9)) < (0, 11):
    raise ImportError(
        f"kaitaistruct 0.11 or newer is wanted, found {kaitaistruct.__version__}"
    )


class Sample(KaitaiStruct):
    """Every way to read a field.

    Source: https://example.org/sample
    """

    class Kind(enum.IntEnum):
        plain = 1
        nested = 2

    def __init__(self, _io, _parent=None, _root=None):
        super().__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = self._io.read_bytes(2)
        if self.magic != b"S\x1a":
            raise kaitaistruct.ValidationNotEqualError(
                b"S\x1a", self.magic, self._io, "/seq/0"
            )
        self.kind = KaitaiStream.resolve_enum(Sample.Kind, self._io.read_u1())
        if not isinstance(self.kind, Sample.Kind):
            raise kaitaistruct.ValidationNotInEnumError(self.kind, self._io, "/seq/1")
        self.is_long = self._io.read_bits_int_be(1) != 0
        self.reserved = self._io.read_bits_int_be(7)
        self.name = self._io.read_bytes_term(0, False, True, True).decode("UTF-8")
        if self.is_long:
            self.len_items = self._io.read_u2le()
        self._raw_items = []
        self._raw__raw_items = []
        self.items = []
        for i in range(2):
            self._raw__raw_items.append(self._io.read_bytes(3))
            self._raw_items.append(
                KaitaiStream.process_xor_one(self._raw__raw_items[-1], 90)
            )
            _io__raw_items = KaitaiStream(BytesIO(self._raw_items[-1]))
            self.items.append(Sample.Item(i, _io__raw_items, self, self._root))
        _on = self.kind
        if _on == Sample.Kind.plain:
            self.body = self._io.read_u4le()
        elif _on == Sample.Kind.nested:
            self.body = Sample.Item(0, self._io, self, self._root)
        self.rest = []
        i = 0
        while True:
            _ = self._io.read_u1()
            self.rest.append(_)
            if _ == 0:
                break
            i += 1

    def _fetch_instances(self):
        for each in self.items:
            each._fetch_instances()
        if hasattr(self, "body"):
            if isinstance(self.body, KaitaiStruct):
                self.body._fetch_instances()

    class Item(KaitaiStruct):
        def __init__(self, number, _io, _parent=None, _root=None):
            super().__init__(_io)
            self._parent = _parent
            self._root = _root
            self.number = number
            self._read()

        def _read(self):
            self.value = KaitaiStream.bytes_strip_right(self._io.read_bytes_full(), 32)

        def _fetch_instances(self):
            pass
