"""A spec and all it imports become a flat folder of modules; what their templates print."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.names import (
    argument_names,
    attribute_of,
    label_names,
    module_alias,
)
from byteloom_codegen.kaitaistruct.reading import Reading, calculated
from byteloom_codegen.kaitaistruct.scope import Module, Scope
from byteloom_codegen.kaitaistruct.sequence import sequence
from byteloom_codegen.kaitaistruct.serializing import Serializing, fetching
from byteloom_codegen.kaitaistruct.settled import marks
from byteloom_codegen.kaitaistruct.translation import PlainTranslator
from byteloom_codegen.kaitaistruct.validating import validation
from byteloom_codegen.kaitaistruct.values import Values, inherits_endian
from byteloom_codegen.model import EndianSwitch, Instance
from byteloom_codegen.nodes import is_optional
from byteloom_codegen.precedence import BIT_OR
from byteloom_codegen.python.docs import prose, sources
from byteloom_codegen.python.names import module_name
from byteloom_codegen.python.templates import templates

if TYPE_CHECKING:
    from byteloom_codegen.model import EnumSpec, Spec, TypeSpec, ValueInstance
    from byteloom_codegen.python.statements import Statement

__all__ = ["emit", "emit_module"]


_HELPERS_WITH: Final = {
    "BytesIO": {"back", "terminated"},
    "KaitaiStream": {"back", "end", "numbers", "reader", "terminated"},
}
"""The functions of a module that use each class of the runtime."""


def emit(spec: Spec, *, read_write: bool = False) -> dict[str, str]:
    """Return the modules of *spec* and of what it imports: file name to text."""
    return {
        f"{module_name(each.name)}.py": emit_module(each, read_write=read_write)
        for each in spec.with_imports()
    }


def emit_module(spec: Spec, *, read_write: bool = False) -> str:
    """Return the module of *spec*, which imports those of its imports from the same folder.

    In read-write mode classes do not read when they are constructed, and can write.
    """
    module = Module.of(spec, read_write=read_write)
    top = _class_view(spec.top, module)
    runtime = {
        name: module.runtime(name)
        for name, helpers in _HELPERS_WITH.items()
        if module.helpers & helpers
    }
    siblings = {
        module_name(name): module_alias(name) for name in sorted(module.siblings - {spec.name})
    }
    return (
        templates("kaitaistruct")
        .get_template("module.py.jinja")
        .render(
            source=PurePath(spec.file).name,
            top=top,
            standard=sorted(module.standard),
            runtime=sorted(module.runtime_names),
            siblings=siblings,
            foreign=sorted(module.foreign),
            helpers=module.helpers,
            **runtime,
            structs=sorted(module.structs.items()),
            constants=sorted(module.constants.items()),
        )
    )


@dataclass(frozen=True, slots=True)
class _EnumView:
    """An enum: its class, and its members as (name, value)."""

    name: str
    base: str
    doc: tuple[str, ...]
    members: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _MethodView:
    """A method without arguments; *decorator* may be empty."""

    name: str
    body: list[Statement]
    doc: tuple[str, ...] = ()
    decorator: str = ""
    arguments: tuple[str, ...] = ("self",)


@dataclass(frozen=True, slots=True)
class _ClassView:
    """A class, with the classes nested in it."""

    name: str
    base: str
    doc: tuple[str, ...]
    seq_fields: tuple[str, ...] | None
    enums: tuple[_EnumView, ...]
    methods: tuple[_MethodView, ...]
    classes: tuple[_ClassView, ...]
    properties: tuple[_MethodView, ...] = field(default=())


def _class_view(spec: TypeSpec, module: Module) -> _ClassView:
    """Return the view of *spec* and of all types in it."""
    properties = [view for each in spec.instances for view in _instance(each, spec, module)]
    return _ClassView(
        name=module.paths.of(spec).rpartition(".")[2],
        base=module.base,
        doc=_doc(spec.doc, spec.doc_ref),
        seq_fields=tuple(attribute_of(each) for each in spec.seq) if spec.debug else None,
        enums=tuple(_enum(each, module) for each in spec.enums.values()),
        methods=tuple(_methods(spec, module)),
        classes=tuple(_class_view(each, module) for each in spec.types.values()),
        # A property called "property" has to come last: it hides the decorator.
        properties=tuple(sorted(properties, key=lambda each: each.name == "property")),
    )


def _doc(doc: str, references: tuple[str, ...]) -> tuple[str, ...]:
    lines = prose(doc) if doc.strip() else []
    if cited := sources(references):
        lines += [*([""] if lines else []), *cited]
    return tuple(lines)


def _enum(enum: EnumSpec, module: Module) -> _EnumView:
    names = label_names(enum)
    return _EnumView(
        name=module.paths.of(enum).rpartition(".")[2],
        base=f"{module.stdlib('enum')}.IntEnum",
        doc=_doc(enum.doc, ()),
        members=tuple((names[each.name], each.value) for each in enum.members),
    )


def _methods(spec: TypeSpec, module: Module) -> list[_MethodView]:
    methods = [_init(spec, module), *_read(spec, module)]
    methods.append(_MethodView("_fetch_instances", fetching(spec, module)))
    if module.read_write:
        methods += _write(spec, module)
    if spec.to_string is not None:
        text = PlainTranslator(Scope(module))(spec.to_string)
        methods.append(_MethodView("__str__", DROP_IN.lines("text", value=text)))
    if spec.member("close") is not None:
        # A field called "close" hides the method that the context manager would call.
        leave = _MethodView(
            "__exit__", DROP_IN.lines("closed"), arguments=("self", "*args", "**kwargs")
        )
        methods.append(leave)
    return methods


def _init(spec: TypeSpec, module: Module) -> _MethodView:
    names = argument_names(spec.params)
    inherits = inherits_endian(spec)
    arguments = [
        "self",
        *names,
        "_io=None" if module.read_write else "_io",
        "_parent=None",
        "_root=None",
        *(["_is_le=None"] if inherits else []),
    ]
    body = DROP_IN.lines(
        "made",
        root="_root or self" if spec.owner is None else "_root",
        order=inherits,
        parameters=[
            (attribute_of(each), name) for each, name in zip(spec.params, names, strict=True)
        ],
        debugged=module.stdlib("collections") if spec.debug else "",
        reads=not spec.debug and not module.read_write,
        writes=module.read_write,
    )
    if module.read_write:
        body += Serializing(spec, module).flags()
    return _MethodView("__init__", body, arguments=tuple(arguments))


def _read(spec: TypeSpec, module: Module) -> list[_MethodView]:
    clean = DROP_IN.lines("clean") if module.read_write else []
    if not isinstance(spec.endian, EndianSwitch):
        return [_MethodView("_read", [*_seq(spec, Values(module, spec)), *clean])]
    decide, path = _decided(spec, module)
    either = DROP_IN.lines("either_order", decision=decide, path=path, verb="read")
    return [
        _MethodView("_read", [*either, *clean]),
        _MethodView("_read_le", _seq(spec, Values(module, spec, endian="le"))),
        _MethodView("_read_be", _seq(spec, Values(module, spec, endian="be"))),
    ]


def _write(spec: TypeSpec, module: Module) -> list[_MethodView]:
    serializing = Serializing(spec, module)
    takes_io = {"_write__seq": ("self", "io=None")}
    methods = [
        _MethodView(name, body, arguments=takes_io.get(name, ("self",)))
        for name, body in serializing.write(*_decided(spec, module)).items()
    ]
    methods += [
        _MethodView(name, body, arguments=parameters)
        for name, (parameters, body) in serializing.put_back().items()
    ]
    return [*methods, _MethodView("_check", serializing.check())]


def _decided(spec: TypeSpec, module: Module) -> tuple[list[Statement], str]:
    """Return the switch that decides the byte order of *spec*, if any, and its path for errors."""
    path = "".join(f"/types/{name}" for name in spec.path[1:]) or "/"
    if not isinstance(spec.endian, EndianSwitch) or inherits_endian(spec):
        return [], path
    return _decision(spec.endian, module), path


def _decision(endian: EndianSwitch, module: Module) -> list[Statement]:
    translate = PlainTranslator(Scope(module))
    cases, otherwise = [], DROP_IN.lines("little_endian", is_little=None)
    for on, order in endian.cases:
        decided = DROP_IN.lines("little_endian", is_little=order == "le")
        if on is None:
            otherwise = decided
        else:
            cases.append((translate(on, BIT_OR), decided))
    return DROP_IN.lines("switch", on=translate(endian.on), cases=cases, otherwise=otherwise)


def _seq(spec: TypeSpec, values: Values) -> list[Statement]:
    return sequence(spec.seq, values)


def _instance(
    instance: Instance | ValueInstance, spec: TypeSpec, module: Module
) -> list[_MethodView]:
    """Return the property of an instance, and in read-write mode what goes with it."""
    name, doc = attribute_of(instance), _doc(instance.doc, instance.doc_ref)
    if isinstance(instance, Instance):
        body = _parsed(instance, spec, module)
        if module.read_write:
            written = Serializing(spec, module).put_instance(instance)
            return [
                _MethodView(
                    name, DROP_IN.lines("written_first", name=name, body=body), doc, "@property"
                ),
                _MethodView(
                    name,
                    DROP_IN.lines("assigned", name=name),
                    decorator=f"@{name}.setter",
                    arguments=("self", "v"),
                ),
                _MethodView(f"_write_{name}", written),
            ]
    else:
        body = _calculated(instance, Values(module, spec))
    cached = DROP_IN.lines("cached", name=name, body=body, may_be_missing=is_optional(instance))
    views = [_MethodView(name, cached, doc, "@property")]
    if module.read_write:
        forgotten = DROP_IN.lines("invalidated", name=name)
        views.append(_MethodView(f"_invalidate_{name}", forgotten))
    return views


def _parsed(instance: Instance, spec: TypeSpec, module: Module) -> list[Statement]:
    if not isinstance(spec.endian, EndianSwitch):
        return Reading(instance, Values(module, spec)).statements()
    little = Reading(instance, Values(module, spec, endian="le")).statements()
    big = Reading(instance, Values(module, spec, endian="be")).statements()
    return little if little == big else DROP_IN.lines("in_order", little=little, big=big)


def _calculated(instance: ValueInstance, values: Values) -> list[Statement]:
    marked, known = set[int](), frozenset[str]()
    if instance.condition is not None:
        marked, known = marks(instance.condition)
    values = replace(values, marked=frozenset(marked | marks(instance.value, known)[0]))
    body = calculated(instance, values)
    body += validation(instance, values, f"self._m_{attribute_of(instance)}")
    if instance.condition is None:
        return body
    return DROP_IN.lines("if_there", test=values.translate(instance.condition), body=body)
