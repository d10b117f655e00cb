"""Two types of values: whether the same bytes give the same value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.compat.findings import FINE, Effect, Effects
from byteloom_codegen.compat.rules import could_be
from byteloom_codegen.model import (
    AnyType,
    BitsType,
    BytesType,
    Case,
    ContentsType,
    DataType,
    Delimiting,
    EnumType,
    FloatType,
    IntType,
    OpaqueType,
    Process,
    StrType,
    SwitchType,
    UserType,
)
from byteloom_codegen.python.sizes import fixed_bytes, literal, value_size
from byteloom_codegen.reference.wording import in_short

if TYPE_CHECKING:
    from byteloom_codegen.compat.findings import Context, Where

__all__ = ["compare_storage", "value_kind"]

BROKEN: Final = Effects(old_files=Effect.NO, new_files=Effect.NO)
DOUBTFUL: Final = Effects(old_files=Effect.SOME, new_files=Effect.SOME)
WIDER: Final = Effects(new_files=Effect.SOME)
NARROWER: Final = Effects(old_files=Effect.SOME)
RETYPED: Final = Effects(writers=Effect.NO, programs=Effect.NO)

_SUBSETS: Final = {
    ("ASCII", other) for other in ("UTF-8", "IBM437", "IBM866", "Shift_JIS", "Big5", "EUC-KR")
}


def compare_storage(context: Context, where: Where, old: DataType, new: DataType) -> None:
    """Find what changed in how a value is stored."""
    _Storage(context, where).compare(old, new)


def value_kind(type_: DataType) -> str:
    """Return what a program sees of a value: ``integer``, ``text``, ``record`` ..."""
    match type_:
        case BitsType(is_bool=True):
            return "truth value"
        case EnumType(base=BitsType() | IntType()):
            return "integer"
        case SwitchType(cases=cases):
            return " or ".join(sorted({value_kind(case.type) for case in cases}))
        case UserType() | OpaqueType():
            return "record"
    return in_short(type_) if type(type_) not in _KINDS else _KINDS[type(type_)]


_KINDS: Final = {
    IntType: "integer", BitsType: "integer", FloatType: "number", BytesType: "bytes",
    ContentsType: "bytes", StrType: "text", AnyType: "anything",
}  # fmt: skip


@dataclass(slots=True)
class _Storage:
    context: Context
    where: Where

    def found(self, kind: str, text: str, effects: Effects) -> None:
        self.context.add(kind, self.where, text, effects)

    def compare(self, old: DataType, new: DataType) -> None:
        match old, new:
            case (EnumType(base=was), EnumType(base=now)):
                self.compare(was, now)
            case (EnumType(base=was), IntType() | BitsType()):
                self.found("enum-dropped", "has values without names now", _NAMELESS)
                self.compare(was, new)
            case (IntType() | BitsType(), EnumType(base=now)):
                self.found("enum-given", "has names for its values now", FINE)
                self.compare(old, now)
            case (IntType(), IntType()) | (FloatType(), FloatType()) | (BitsType(), BitsType()):
                self._numbers(old, new)
            case (ContentsType(contents=was), ContentsType(contents=now)):
                if was != now:
                    text = f"is always {now.hex(' ')} now; it was always {was.hex(' ')}"
                    self.found("contents", text, BROKEN)
            case (SwitchType(), SwitchType()):
                self._switches(old, new)
            case (UserType() | OpaqueType() as was, UserType() | OpaqueType() as now):
                self._records(was, now)
            case (BytesType() | StrType() as was, BytesType() | StrType() as now):
                self._bytes(was, now)
            case _:
                self._others(old, new)

    def _numbers(self, old: DataType, new: DataType) -> None:
        if old == new:
            return
        text = f"is stored as {in_short(new)} now; it was stored as {in_short(old)}"
        if value_size(old) != value_size(new):
            self.found("width", text, BROKEN)
        elif isinstance(old, IntType) and isinstance(new, IntType) and old.endian == new.endian:
            self.found("sign", f"{text}; values with the highest bit set differ", DOUBTFUL)
        elif isinstance(old, BitsType) and isinstance(new, BitsType) and old.endian == new.endian:
            return  # a flag and a number of one bit: reported as `value-kind`
        else:
            self.found("byte-order", text, BROKEN)

    def _others(self, old: DataType, new: DataType) -> None:
        """Compare types of different kinds; what programs see is reported as `value-kind`."""
        text = f"is stored as {in_short(new)} now; it was stored as {in_short(old)}"
        size = fixed_bytes(value_size(old))
        if isinstance(old, SwitchType) or isinstance(new, SwitchType):
            self.found("switch", text, DOUBTFUL)
        elif (
            size is None
            or size != fixed_bytes(value_size(new))
            or FloatType in {type(old), type(new)}
        ):
            self.found("layout", text, BROKEN)
        elif isinstance(old, UserType | OpaqueType) or isinstance(new, UserType | OpaqueType):
            self.found("layout", text, DOUBTFUL)
        elif isinstance(old, ContentsType | StrType):
            self.found("contents", text, WIDER)
        elif isinstance(new, ContentsType | StrType):
            self.found("contents", text, NARROWER)

    def _bytes(self, old: BytesType | StrType, new: BytesType | StrType) -> None:
        self._ends(old.delimiting, new.delimiting)
        self._process(old.process, new.process)
        if isinstance(old, StrType) and isinstance(new, StrType):
            self._encoding(str(old.encoding), str(new.encoding))
        elif isinstance(old, BytesType) and isinstance(new, StrType):
            self.found("encoding", f"is text in {new.encoding} now; it was any bytes", NARROWER)
        elif isinstance(old, StrType) and isinstance(new, BytesType):
            self.found("encoding", f"is any bytes now; it was text in {old.encoding}", WIDER)

    def _encoding(self, old: str, new: str) -> None:
        if old == new:
            return
        text = f"is text in {new} now; it was text in {old}"
        if (old, new) in _SUBSETS or (old == "ASCII" and new.startswith(("ISO-8859", "windows"))):
            self.found("encoding", text, WIDER)
        elif (new, old) in _SUBSETS or (new == "ASCII" and old.startswith(("ISO", "windows"))):
            self.found("encoding", text, NARROWER)
        else:
            self.found("encoding", text, DOUBTFUL)

    def _records(self, old: UserType | OpaqueType, new: UserType | OpaqueType) -> None:
        if not self._same_type(old, new):
            text = f"is stored as {in_short(new)} now; it was stored as {in_short(old)}"
            self.found("type", text, BROKEN)
        if not self.context.all_same(old.args, new.args):
            args = [
                ", ".join(map(self.context.text, each.args)) or "nothing" for each in (old, new)
            ]
            self.found("arguments", f"is given {args[1]} now; it was given {args[0]}", DOUBTFUL)
        self._ends(old.delimiting, new.delimiting)
        self._process(old.process, new.process)

    def _same_type(self, old: UserType | OpaqueType, new: UserType | OpaqueType) -> bool:
        if isinstance(old, UserType) and isinstance(new, UserType):
            pairs = self.context.pairs.types
            return any(old.type is one and new.type is other for one, other in pairs)
        if isinstance(old, OpaqueType) and isinstance(new, OpaqueType):
            return old.name == new.name
        return False

    def _process(self, old: Process | None, new: Process | None) -> None:
        versions = [
            "not processed" if each is None
            else f"processed by {each.name}({', '.join(map(self.context.text, each.args))})"
            for each in (old, new)
        ]  # fmt: skip
        if versions[0] != versions[1]:
            self.found("process", f"is {versions[1]} now; it was {versions[0]}", BROKEN)

    def _ends(self, old: Delimiting | None, new: Delimiting | None) -> None:
        was, now = self._end_texts(old), self._end_texts(new)
        if was == now:
            return
        ends = [", ".join(part for part in each if part) for each in (was, now)]
        text = f"ends otherwise now: {ends[1]}; before: {ends[0]}"
        if old is not None and new is not None and was[:-1] == now[:-1]:
            looser = not new.eos_error
            self.found("terminator", text, WIDER if looser else NARROWER)
            return
        sizes = [literal(each.size) if each is not None else None for each in (old, new)]
        sure = None not in sizes and sizes[0] != sizes[1]
        self.found("size", text, BROKEN if sure else DOUBTFUL)

    def _end_texts(self, ends: Delimiting | None) -> list[str]:
        if ends is None:
            return ["as long as its fields", ""]
        parts = []
        if ends.size is not None:
            parts.append(f"size {self.context.text(ends.size)}")
        if ends.size_eos:
            parts.append("to the end")
        if ends.pad_right is not None:
            parts.append(f"padded with {ends.pad_right:02x}")
        if ends.terminator is not None:
            parts.append(f"up to {ends.terminator.hex(' ')}")
            parts += ["terminator included"] * ends.include
            parts += ["terminator left"] * (not ends.consume)
        return [*parts, "" if ends.eos_error else "which may be missing"]

    def _switches(self, old: SwitchType, new: SwitchType) -> None:
        if not self.context.same(old.on, new.on):
            was_by, now_by = self.context.text(old.on), self.context.text(new.on)
            text = f"is chosen by {now_by} now; it was chosen by {was_by}"
            self.found("switch-on", text, DOUBTFUL)
        was, now = self._cases(old), self._cases(new)
        for key in was.keys() & now.keys():
            inner = _Storage(self.context, self.where.inside(f"case {key}"))
            inner.compare(was[key].type, now[key].type)
        for key in now.keys() - was.keys():
            passed = "_" in was and key != "_" and _keeps_place(was["_"].type)
            effects = Effects(
                old_files=Effect.SOME if could_be(old.on, now[key].on) else Effect.OK,
                new_files=Effect.OK if passed else Effect.SOME,
            )
            self.found("case-added", f"has the case {key} now: {in_short(now[key].type)}", effects)
        for key in was.keys() - now.keys():
            effects = Effects(
                old_files=Effect.SOME,
                new_files=Effect.SOME if could_be(new.on, was[key].on) else Effect.OK,
                writers=Effect.SOME,
                programs=Effect.SOME,
            )
            self.found("case-removed", f"has no case {key} any more", effects)

    def _cases(self, switch: SwitchType) -> dict[str, Case]:
        return {
            "_" if case.on is None else self.context.text(case.on): case for case in switch.cases
        }


_NAMELESS: Final = Effects(programs=Effect.NO)


def _keeps_place(type_: DataType) -> bool:
    """Whether a reader of the other version takes the same number of bytes."""
    return isinstance(getattr(type_, "delimiting", None), Delimiting)
