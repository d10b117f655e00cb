"""The scanners of a spec become the text of a Python module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.model import UserType
from byteloom_codegen.python.names import ClassNames
from byteloom_codegen.python.siblings import Siblings
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.templates import templates
from byteloom_codegen.python.translate import str_literal
from byteloom_codegen.python.uses import expressions_of
from byteloom_codegen.scanners.calculation import NotScannableError
from byteloom_codegen.scanners.columns import tuple_source
from byteloom_codegen.scanners.loop import loop_view
from byteloom_codegen.scanners.strided import strided_view
from byteloom_codegen.scanners.targets import check_alone, targets_of, walked_types
from byteloom_codegen.scanners.walk_printer import PrintedWalk, WalkPrinter

if TYPE_CHECKING:
    from byteloom_codegen.model import Spec, TypeSpec
    from byteloom_codegen.scanners.columns import ColumnView
    from byteloom_codegen.scanners.loop import LoopView
    from byteloom_codegen.scanners.strided import StridedView
    from byteloom_codegen.scanners.targets import Target

__all__ = ["Scanners", "emit_scanners"]


@dataclass(frozen=True, slots=True)
class Scanners:
    """A module of scanners, and what could not be scanned.

    text     "" where nothing could
    refused  why, for every repeated record that could not
    """

    text: str
    refused: list[NotScannableError]


@dataclass(frozen=True, slots=True)
class _ScannerView:
    """One scanner, as the template prints it."""

    name: str
    doc: tuple[str, ...]
    take: tuple[str, str]
    function: list[Statement]
    constant: str
    call: str


def emit_scanners(
    spec: Spec, source: str, *, everything: bool = False, flat: bool = False
) -> Scanners:
    """Return the scanner module of *spec*; *source* is the path that its header names.

    everything  scan all that can be scanned, and not only types with ``-loom-scan``
    flat        the folder that it will lie in is no package
    """
    emitter, refused, views = _Emitter(spec), list[NotScannableError](), list[_ScannerView]()
    for target in targets_of(spec, everything=everything):
        try:
            views.append(emitter.scanner(target))
        except NotScannableError as error:
            refused.append(error)
    walks = list[PrintedWalk]()
    for each in walked_types(spec):
        try:
            walks.append(emitter.walks.walk(each))
            if each.loom.get("put"):
                walks.append(emitter.walks.put(each))
        except NotScannableError as error:
            refused.append(error)
    if not views and not walks:
        return Scanners("", refused)
    template = templates().get_template("scanner.py.jinja")
    text = template.render(
        header=(
            f"# Written by byteloom-codegen from {source}; do not edit.",
            "# To change it, edit that file and generate again.",
        ),
        doc=(f"Scanners of `{spec.name}`: repeated records as Arrow columns.",),
        scanners=views,
        walks=walks,
        imports=emitter.imports(flat=flat),
        exports=sorted(
            [*(walk.exports for walk in walks), *(f"scan_{view.name}" for view in views)]
        ),
    )
    return Scanners(text.rstrip() + "\n", refused)


class _Emitter:
    """What the scanners of one module share: its imports."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._types = [each for one in spec.with_imports() for each in one.top.walk()]
        nodes = (node for each in self._types for node in expressions_of(each))
        self._used = {id(target) for node in nodes if (target := getattr(node, "target", None))}
        self._wire = set[str]()
        self._records = Siblings()
        self._any = False
        self.walks = WalkPrinter(self._used, self._class)

    def imports(self, *, flat: bool) -> list[list[Statement]]:
        """Return the import statements, in groups."""
        typing = [
            *(["TYPE_CHECKING"] if flat else []),
            *(["Any"] if self._any or self.walks.bodies else []),
        ]
        wire: list[Statement] = ["from byteloom.wire import Reader"]
        wire += self.walks.imports()
        scan = [f"from byteloom.wire.scan import {', '.join(sorted(self._wire))}"]
        wire += scan if self._wire else []
        return [
            [f"from typing import {', '.join(typing)}"] if typing else [],
            sorted(wire, key=str),
            self._records.statements(flat=flat),
        ]

    def scanner(self, target: Target) -> _ScannerView:
        """Return the scanner of *target*."""
        self._wire |= {"Binary", "Limits", "RecordBatch", "Scan", "Source"}
        type_ = target.field.type
        if (
            not isinstance(type_, UserType)
            or type_.args
            or type_.type.params
            or target.field.condition is not None
        ):
            raise NotScannableError(
                target.field.location, "its records take parameters, or may be missing"
            )
        check_alone(target, self._types)
        strided = strided_view(target.field, self._used)
        if strided is not None:
            columns, function, extra = (
                strided.columns,
                self._rules(target, strided),
                [f"size={strided.size}"],
            )
            extra += [f"wrong=_wrong_{target.name}"] if function else []
        else:
            loop = loop_view(target.field, self._used)
            columns, function = loop.columns, self._loop(target, loop)
            extra = [f"loop=Loop(_fill_{target.name})"]
            self._wire.add("Loop")
        for column in columns:
            self._wire |= column.kinds()
        cls, constant = self._class(type_.type), f"_{target.name.upper()}"
        options = [
            f'name="{target.field.name}"',
            f"take=_take_{target.name}",
            f"columns={tuple_source([each.source for each in columns])}",
            *extra,
        ]
        within = f"within({self._class(target.owner)}, " if target.owner else "whole("
        return _ScannerView(
            name=target.name,
            doc=_doc(target, cls, columns),
            take=(cls, self._take(target, type_, cls)),
            function=function,
            constant=f"{constant} = Scan({', '.join(options)})",
            call=f"return {constant}.{within}data, limits, binary)",
        )

    def _take(self, target: Target, type_: UserType, cls: str) -> str:
        """Return the expression that reads one record as its class does."""
        window, name = "", str_literal(target.field.name)
        if type_.delimiting is not None:
            size = literal(type_.delimiting.size)
            if size is None:
                raise NotScannableError(
                    target.field.location, "records in bytes of a size that is no number"
                )
            window = f".window({name}, {size})"
        return f"r{window}.record({name}, {cls}.read)"

    def _loop(self, target: Target, loop: LoopView) -> list[Statement]:
        self._any = True
        numbers = "data: bytes, start: int, at: int, end: int, row: int, count: int, most: int"
        slots = "".join(f", {slot}: Any" for slot in loop.slots)
        doc = '"""Fill the slots of the columns; say how it ended, at which row and byte."""'
        head = f"def _fill_{target.name}({numbers}{slots}) -> tuple[int, int, int]:"
        return [Block(head, [doc, *loop.body])]

    def _rules(self, target: Target, view: StridedView) -> list[Statement]:
        if not view.wrong:
            return []
        self._any = True
        self._wire.add("Rows")
        tests = " | ".join(
            f"({each})" if len(view.wrong) > 1 and " " in each.split(", ")[0] else each
            for each in view.wrong
        )
        doc = '"""Return which records break a rule of the spec."""'
        body: list[Statement] = [doc, *view.numbers, f"return {tests}"]
        return [Block(f"def _wrong_{target.name}(rows: Rows) -> Any:", body)]

    def _class(self, spec: TypeSpec) -> str:
        return self._records.name(spec.spec.name, ClassNames(spec.spec).of(spec))


def _doc(target: Target, cls: str, columns: list[ColumnView]) -> tuple[str, ...]:
    where = (
        f"`{target.field.name}` of one `{target.owner.name}`"
        if target.owner
        else f"all records `{cls}` in *data*"
    )
    rows = [("column", "as"), *((each.name, each.kind) for each in columns)]
    width = max(len(name) for name, _ in rows)
    return (
        f"Return {where} as columns.",
        "",
        *(f"    {name:<{width}}  {kind}" for name, kind in rows),
    )
