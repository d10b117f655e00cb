"""Type every expression of a spec, and check it against what its place needs.

The places are those of the model, not of YAML: an expression knows its own location.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from byteloom_codegen import expressions as ast
from byteloom_codegen.errors import Problems, SpecError
from byteloom_codegen.frontend.extensions import extension_mistakes
from byteloom_codegen.frontend.inference import AlreadyReportedError, TypeInference
from byteloom_codegen.frontend.kinds import assignable, described, kind
from byteloom_codegen.frontend.names import Context
from byteloom_codegen.frontend.operators import check_comparable
from byteloom_codegen.frontend.sizes import constant
from byteloom_codegen.model import (
    BytesType,
    DataType,
    Delimiting,
    EndianSwitch,
    EnumType,
    Field,
    Instance,
    OpaqueType,
    Process,
    StrType,
    SwitchType,
    TypeSpec,
    UserType,
    Valid,
    ValidKind,
    ValueInstance,
)

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression

__all__ = ["Checker"]


@dataclass(frozen=True, slots=True)
class Checker:
    """Types and checks the expressions of one file."""

    inference: TypeInference
    problems: Problems

    def check(self, spec: TypeSpec) -> None:
        """Check what is in *spec* itself, not in its nested types."""
        context = Context(self.inference.scopes[spec])
        if isinstance(spec.endian, EndianSwitch) and (
            spec.owner is None or spec.owner.endian is not spec.endian
        ):
            self._cases(spec.endian.on, [on for on, _ in spec.endian.cases], context)
        for member in (*spec.seq, *spec.instances):
            if isinstance(member, ValueInstance):
                self._value_instance(member, context)
            else:
                self._field(member, context)
            self._extensions(member, context)
        if spec.to_string is not None:
            self._wants(spec.to_string, context, "string")

    # Members

    def _value_instance(self, member: ValueInstance, context: Context) -> None:
        with self.problems, suppress(AlreadyReportedError):
            self.inference.type_of_member(member)
        if member.condition is not None:
            self._wants(member.condition, context, "boolean")

    def _field(self, member: Field, context: Context) -> None:
        if member.condition is not None:
            self._wants(member.condition, context, "boolean")
        if isinstance(member, Instance):
            if member.io is not None:
                self._wants(member.io, context, "stream")
            if member.pos is not None:
                self._wants(member.pos, context, "integer")
        element = replace(context, indexed=member.repeat is not None)
        if member.repeat is not None and member.repeat.kind == "expr":
            self._wants(member.repeat.expression, context, "integer")
            self._not_negative(member.repeat.expression, "count")
        self._type(member.type, element)
        if member in self.inference.broken:
            return
        element = replace(element, element=member.type)
        if member.repeat is not None and member.repeat.kind == "until":
            self._wants(member.repeat.expression, element, "boolean")
        if member.valid is not None:
            self._valid(member.valid, member.type, element)

    def _valid(self, valid: Valid, type_: DataType, context: Context) -> None:
        plain = replace(context, element=None)
        match valid.kind:
            case ValidKind.EXPR:
                self._wants(valid.values[0], context, "boolean")
            case ValidKind.RANGE:
                for bound in (valid.minimum, valid.maximum):
                    if bound is not None:
                        self._compares(type_, bound, plain, ordered=True)
            case ValidKind.EQ | ValidKind.ANY_OF:
                for value in valid.values:
                    self._compares(type_, value, plain)

    def _extensions(self, member: Field | ValueInstance, context: Context) -> None:
        for value in member.loom.values():
            if isinstance(value, ast.Node):
                node = cast("Expression", value)
                self._wants(node, context, kind(member.value_type))
        if isinstance(member, Field) and member not in self.inference.broken:
            at = context.scope.unit.keyed_at.get(member, {})
            for mistake in extension_mistakes(context.scope.type, member, at):
                self.problems.error(mistake)

    # Types

    def _type(self, type_: DataType, context: Context) -> None:
        match type_:
            case (
                BytesType(delimiting=delimiting, process=process)
                | StrType(delimiting=delimiting, process=process)
            ):
                self._delimiting(delimiting, context)
                self._process(process, context)
            case UserType() | OpaqueType():
                self._delimiting(type_.delimiting, context)
                self._process(type_.process, context)
                self._arguments(type_, context)
            case EnumType(base=base):
                self._type(base, context)
            case SwitchType(on=on, cases=cases):
                self._cases(on, [case.on for case in cases], context)
                for case in cases:
                    self._type(case.type, context)

    def _delimiting(self, delimiting: Delimiting | None, context: Context) -> None:
        if delimiting is not None and delimiting.size is not None:
            self._wants(delimiting.size, context, "integer")
            self._not_negative(delimiting.size, "size")

    def _process(self, process: Process | None, context: Context) -> None:
        if process is None:
            return
        wanted = {"xor": ("integer", "bytes"), "rol": ("integer",), "ror": ("integer",)}.get(
            process.name, ()
        )
        for each in process.args:
            if wanted:
                self._wants(each, context, *wanted)
            else:
                self._typed(each, context)

    def _arguments(self, type_: UserType | OpaqueType, context: Context) -> None:
        found = [self._typed(each, context) for each in type_.args]
        if isinstance(type_.parent, ast.Node):
            self._wants(type_.parent, context, "record")
        if not isinstance(type_, UserType):
            return
        params = type_.type.params
        if len(params) != len(found) and type_.location is not None:
            text = f"parameter count mismatch: {len(params)} declared, but {len(found)} used"
            self.problems.error(SpecError(type_.location, text, _signature(type_.type)))
        for index, (value, param) in enumerate(zip(found, params, strict=False)):
            if value is None or param in self.inference.broken or assignable(value, param.type):
                continue
            text = f"can't pass argument #{index} of type {described(value)} into `{param.name}`"
            self.problems.error(
                SpecError(type_.args[index].location, f"{text} of type {described(param.type)}")
            )

    def _cases(self, on: Expression, cases: list[Expression | None], context: Context) -> None:
        switched = self._typed(on, context)
        for case in cases:
            if case is not None and switched is not None:
                self._compares(switched, case, context)

    # Expressions

    def _typed(self, node: Expression, context: Context) -> DataType | None:
        """Return the type of *node*; None where it has none, which is reported."""
        with self.problems, suppress(AlreadyReportedError):
            return self.inference.type_of(node, context)
        return None

    def _wants(self, node: Expression | None, context: Context, *wanted: str) -> None:
        found = None if node is None else self._typed(node, context)
        if node is None or found is None or kind(found) in wanted:
            return
        self.problems.error(
            SpecError(
                node.location,
                f"invalid type: expected {' or '.join(wanted)}, got {described(found)}",
            )
        )

    def _compares(
        self, type_: DataType, node: Expression, context: Context, *, ordered: bool = False
    ) -> None:
        with self.problems, suppress(AlreadyReportedError):
            found = self.inference.type_of(node, context)
            check_comparable(type_, found, node, ordered=ordered)

    def _not_negative(self, node: Expression | None, what: str) -> None:
        value = constant(node)
        if node is not None and value is not None and value < 0:
            self.problems.error(
                SpecError(node.location, f"a {what} is never negative, got {value}")
            )


def _signature(spec: TypeSpec) -> str:
    return f"{spec.name}({', '.join(param.name for param in spec.params)})"
