"""Protobuf messages: parsed by the protobuf package, and checked against their spec.

- The package is imported when the first message is parsed or made.  There is a descriptor pool
  for each Python package with message files, so that programs may have messages of the same names.
- The package's parser is fast and lenient: it reports neither where damage is nor that a value was
  of the wrong type.  If its result differs from the bytes in any way, they are walked field by
  field (`byteloom.documents.message_walk`), which finds the field and its place, or nothing.
- Unknown fields are kept, and written again.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from byteloom.errors import FormatError, LimitExceeded, found_by, with_article
from byteloom.late import (
    descriptor_pb2,
    descriptor_pool,
    message_factory,
    protobuf_message,
    unknown_fields,
)
from byteloom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.documents.message_check import Checks
    from byteloom.documents.message_walk import Layout, Met

__all__ = ["File", "Message"]

_WELL_KNOWN = "google/protobuf/"


class File:
    """A file of messages.

    name        its path from the root of the specs
    module      the Python module that declares its messages
    imports     the files it imports, except those of the protobuf package itself
    descriptor  its FileDescriptorProto, compiled by protoc
    """

    _loading: ClassVar[Lock] = Lock()
    _pools: ClassVar[dict[str, Any]] = {}

    def __init__(self, name: str, module: str, *imports: File) -> None:
        """Make a file without a descriptor, which its module adds."""
        self.name, self._imports = name, imports
        self._package = module.rpartition(".")[0]
        self.descriptor = b""
        self._is_loaded = False

    @cached_property
    def proto(self) -> Any:
        """The FileDescriptorProto."""
        return descriptor_pb2.FileDescriptorProto.FromString(self.descriptor)

    @cached_property
    def layouts(self) -> dict[str, Layout]:
        """The layouts of all messages of this file and its imports, by full name."""
        from byteloom.documents.message_walk import layouts_of

        return layouts_of([each.proto for each in self.closure()])

    def closure(self) -> list[File]:
        """Return this file and everything it imports, each once."""
        found = {id(self): self}
        for each in self._imports:
            found |= {id(one): one for one in each.closure()}
        return list(found.values())

    def message(self, name: str) -> Any:
        """Return the protobuf package's class for a message, by full name."""
        with File._loading:
            return message_factory.GetMessageClass(self._loaded().FindMessageTypeByName(name))

    def _loaded(self) -> Any:
        """The descriptor pool, with this file and everything it imports added."""
        pool = File._pools.setdefault(self._package, descriptor_pool.DescriptorPool())
        if self._is_loaded:
            return pool
        for each in self._imports:
            File._loaded(each)
        for path in self.proto.dependency:
            if path.startswith(_WELL_KNOWN):
                module = import_module(f"{path.removesuffix('.proto').replace('/', '.')}_pb2")
                pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
        pool.AddSerializedFile(self.descriptor)
        self._is_loaded = True
        return pool


class _Kind(type):
    """The metaclass by which objects of the protobuf package are instances of our classes."""

    def __instancecheck__(cls, instance: object) -> bool:
        """Whether *instance* is a message of this type."""
        return issubclass(cls, Message) and isinstance(instance, cls.made())


class Message(metaclass=_Kind):
    """A message type.

    Calling it, and `parse`, return an object of the protobuf package with the fields as
    attributes: an absent field has its default, and `HasField` says whether it is there.
    """

    NAME: ClassVar[str]
    _file: ClassVar[File]
    _made: ClassVar[Any]
    _checks: ClassVar[Checks | None]

    def __init_subclass__(cls, *, file: File, name: str) -> None:
        """Bind the class to the message of *file* with the full name *name*."""
        cls.NAME, cls._file, cls._made, cls._checks = name, file, None, None

    def __new__(cls, **values: Any) -> Self:
        """Make a message with these fields."""
        made: Self = cls.made()(**values)
        return made

    @classmethod
    def made(cls) -> Any:
        """Return the protobuf package's class."""
        if cls._made is None:
            cls._made = cls._file.message(cls.NAME)
        return cls._made

    @classmethod
    def layout(cls) -> Layout:
        """Return the fields of the message type."""
        return cls._file.layouts[cls.NAME]

    @classmethod
    def parse(
        cls, data: bytes, *, limits: Limits = DEFAULT_LIMITS, origin: int = 0, path: str = ""
    ) -> Self:
        """Parse *data* as a message.

        origin       where its first byte is in the file, for errors
        path         the name of the message in errors
        FormatError  damage, with the path and the offset of the field
        """
        if len(data) > limits.metadata_size:
            wanted = f"at most {limits.metadata_size} bytes (limits.metadata_size)"
            raise LimitExceeded(path, origin, f"{len(data)} bytes", wanted)
        if _may_hold(data, limits.objects):
            _hold_count(cls.walk(data, origin, path), limits, path, origin)
        message, is_whole = _parsed(cls.made(), data)
        if is_whole or (message is not None and cls.checks().pass_(data)):
            return cast("Self", message)
        for _ in cls.walk(data, origin, path):
            pass
        return cls._forgiven(data, origin, path)

    @classmethod
    def names(cls) -> frozenset[str]:
        """Return the names of all fields of the message type."""
        return frozenset(each.name for each in cls.made().DESCRIPTOR.fields)

    @classmethod
    def unknown(cls, message: Self) -> tuple[int, ...]:
        """Return the numbers of the unknown fields of *message*."""
        found: Any = unknown_fields.UnknownFieldSet(cast("Any", message))
        return tuple(each.field_number for each in found)

    @classmethod
    def checks(cls) -> Checks:
        """Return the checks for messages whose bytes differ from how they would be written."""
        if cls._checks is None:
            from byteloom.documents.message_check import Checks

            cls._checks = Checks.of(cls.layout())
        return cls._checks

    @classmethod
    def _forgiven(cls, data: bytes, origin: int, path: str) -> Self:
        """Return the message in *data*, in whatever form it was written."""
        message: Self = cls.made()()
        try:
            message.ParseFromString(data)
        except protobuf_message.DecodeError as error:
            found = found_by("malformed bytes", error)
            raise FormatError(path, origin, found, with_article(cls.NAME)) from error
        return message

    @classmethod
    def walk(cls, data: bytes, origin: int = 0, path: str = "") -> Iterator[Met]:
        """Yield the fields of *data* in order, including those of nested messages.

        FormatError  the first that is damaged
        """
        from byteloom.documents.message_walk import walk

        return walk(cls.layout(), data, origin, path)

    @classmethod
    def place_of(cls, data: bytes, path: str, origin: int = 0) -> int | None:
        """Return the offset of the value of field *path* (``types[3].kind``); None if absent."""
        places = (each.start for each in cls.walk(data, origin) if each.path == path)
        return next(places, None)

    if TYPE_CHECKING:  # what the objects of the protobuf package have

        def ByteSize(self) -> int: ...  # noqa: D102, N802

        def ClearField(self, name: str, /) -> None: ...  # noqa: D102, N802

        def CopyFrom(self, other: Self, /) -> None: ...  # noqa: D102, N802

        def HasField(self, name: str, /) -> bool: ...  # noqa: D102, N802

        def ListFields(self) -> list[tuple[Any, Any]]: ...  # noqa: D102, N802

        def WhichOneof(self, name: str, /) -> str | None: ...  # noqa: D102, N802

        def ParseFromString(self, data: bytes, /) -> int: ...  # noqa: D102, N802

        def SerializeToString(self, *, deterministic: bool = ...) -> bytes: ...  # noqa: D102, N802


def _parsed(kind: Any, data: bytes) -> tuple[Any, bool]:
    """Return the parsed message, or None, and whether it would be written as the same bytes.

    In that case nothing was dropped or truncated.
    """
    message, known = kind(), kind()
    try:
        known.ParseFromString(data)
        known.DiscardUnknownFields()
        if known.SerializeToString() == data:
            return known, True
        message.ParseFromString(data)
    except (protobuf_message.DecodeError, protobuf_message.EncodeError):
        return None, False  # the second error where a required field is absent
    return message, False


def _may_hold(data: bytes, most: int) -> bool:
    """Whether *data* may contain more than *most* messages, each of at least two bytes."""
    if len(data) // 2 <= most:
        return False
    import numpy as np

    keys = np.frombuffer(data, np.uint8) & 7
    return bool(np.count_nonzero(keys == 2) > most)  # noqa: PLR2004  the keys of what has a length


def _hold_count(fields: Iterator[Met], limits: Limits, path: str, origin: int) -> None:
    """Refuse data with more messages than a read may make."""
    count = 0
    for each in fields:
        count += each.is_message
        if count > limits.objects:
            wanted = f"at most {limits.objects} messages (limits.objects)"
            raise LimitExceeded(path, origin, "more", wanted)
