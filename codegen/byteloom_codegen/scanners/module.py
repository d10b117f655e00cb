"""The scanners of a spec become the text of a Python module."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from byteloom_codegen.model import EnumSpec, UserType
from byteloom_codegen.python.names import attribute_name, class_names
from byteloom_codegen.python.siblings import Siblings
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.python.templates import templates
from byteloom_codegen.scanners.calculated_columns import (
    Calculation,
    Calculations,
    any_refused,
    left_out,
    wanted_columns,
)
from byteloom_codegen.scanners.column_calculation import FUNCTIONS
from byteloom_codegen.scanners.fixed_records import strided_view
from byteloom_codegen.scanners.loop_records import loop_view
from byteloom_codegen.scanners.record_columns import recorded_columns
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.targets import (
    Looks,
    is_handed_at_once,
    named_fields,
    targets_of,
    walked_types,
)
from byteloom_codegen.scanners.walk_printer import PrintedWalk, WalkPrinter

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import Location, Spec, TypeSpec
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.column_views import ColumnView
    from byteloom_codegen.scanners.fixed_records import StridedView
    from byteloom_codegen.scanners.loop_records import LoopView
    from byteloom_codegen.scanners.targets import Target

__all__ = ["Scanners", "emit_scanners"]

_View = TypeVar("_View", bound="StridedView | LoopView | None")

_RUNTIME: Final = frozenset(
    {
        "Any", "Binary", "Bytes", "Cases", "FixedBytes", "Flag", "Json", "Limits", "List", "Loop",
        "Named", "Number", "Out", "Put", "Reader", "RecordBatch", "Rows", "Scan", "Source",
        "Struct", "Text", "Walk", "Wide",
    }
)  # fmt: skip
"""Names in modules of scanners that no class of a record may have there."""


@dataclass(frozen=True, slots=True)
class Scanners:
    """A module of scanners, and the records that cannot be scanned.

    text     "" where nothing could
    refused  why, for every repeated record that could not
    slow     why no loop takes them, for all whose columns are made of records, one by one
    names    the scanner of each that could, by where it is
    """

    text: str
    refused: list[NotScannableError]
    slow: list[NotScannableError] = field(default_factory=list)
    names: dict[Location, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _ScannerView:
    """One scanner, as the template prints it.

    field   the repeated field
    cls     the class of its records
    window  bytes that each is in, where it has its own
    owner   the class of the record that repeats them; "" where they fill the bytes from end to end
    loop    what takes records that differ in size; else *strided* says where columns are in them
    attribute  the field of the class, where its records are read one by one
    takes      whether a record can be read by itself, handed nothing
    calculations  the functions that calculate instances
    given      whether the owner takes parameters
    """

    name: str
    doc: tuple[str, ...]
    field: str
    cls: str
    window: int | None
    owner: str
    columns: list[ColumnView]
    loop: LoopView | None
    strided: StridedView | None
    attribute: str = ""
    takes: bool = True
    calculations: tuple[Calculation, ...] = ()
    given: bool = False


def emit_scanners(
    spec: Spec,
    source: str,
    *,
    everything: bool = False,
    flat: bool = False,
    only: Target | None = None,
) -> Scanners:
    """Return the scanner module of *spec*; *source* is the path that its header names.

    everything  scan all that can be scanned, and not only types with ``-loom-scan``
    flat        whether the folder that it will be in is not a package
    only        scan this, and nothing else
    """
    emitter, refused, views = _Emitter(spec), list[NotScannableError](), list[_ScannerView]()
    slow = list[NotScannableError]()
    names: dict[Location, str] = {}
    targets = [only] if only else targets_of(spec, everything=everything)
    for target in targets:
        try:
            views.append(emitter.scanner(target) if target.loops else emitter.reader(target))
        except NotScannableError as error:
            try:
                if not (everything or only):
                    raise
                views.append(emitter.reader(target))
                slow.append(error)
            except NotScannableError as last:
                refused.append(last)
                continue
        names[target.field.location] = target.name
    walks = list[PrintedWalk]()
    for each in [] if only else walked_types(spec):
        try:
            if each.loom.get("scan") == "walk":
                walks.append(emitter.walks.walk(each))
            if each.loom.get("put"):
                walks.append(emitter.walks.put(each))
        except NotScannableError as error:
            refused.append(error)
    if not views and not walks:
        return Scanners("", refused, slow, names)
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
    return Scanners(text.rstrip() + "\n", refused, slow, names)


class _Emitter:
    """What the scanners of one module share: its imports."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._types = [each for one in spec.with_imports() for each in one.top.walk()]
        self._looks = Looks(self._types)
        self._named = named_fields(self._types)
        self._wire = set[str]()
        self._records = Siblings(_RUNTIME)
        self._any = self._any_scanner = False
        self.walks = WalkPrinter(self._named.anywhere, self._class)

    def imports(self, *, flat: bool) -> list[list[Statement]]:
        """Return the import statements, in groups."""
        typing = [
            *(["TYPE_CHECKING"] if flat else []),
            *(["Any"] if self._any or self.walks.bodies else []),
        ]
        wire = self.walks.imports()
        if self._any_scanner or self.walks.reads:
            wire.append("from byteloom.wire import Reader")
        scan = [f"from byteloom.columns.scan import {', '.join(sorted(self._wire))}"]
        wire += scan if self._wire else []
        return [
            [f"from typing import {', '.join(typing)}"] if typing else [],
            sorted(wire, key=str),
            self._records.statements(flat=flat),
        ]

    def scanner(self, target: Target) -> _ScannerView:
        """Return the scanner of *target*."""
        type_ = target.field.type
        if not isinstance(type_, UserType) or (type_.type.params and target.owner is None):
            raise NotScannableError(target.field.location, "its records take parameters")
        self._looks.check_alone(target)
        strided, used = _built(target, partial(strided_view, target.field, self._named))
        loop = None
        if strided is None or any_refused(strided.columns):
            strided = None
            loops = partial(loop_view, target.field, target.owner, self._named, self._class)
            loop, used = _built(target, loops)
        columns = strided.columns if strided else loop.columns if loop else []
        refused = any_refused(columns)
        if refused is not None:
            raise refused
        if loop and (loop.around or type_.type.params) and not is_handed_at_once(target.field):
            raise NotScannableError(
                target.field.location, "each record is handed values of the one around it"
            )
        window = _window(target, type_)
        self._wire |= {"Binary", "Limits", "RecordBatch", "Scan", "Source"}
        self._wire |= {"Loop"} if loop else {"Rows"} if strided and strided.wrong else set()
        self._any_scanner |= not type_.type.params
        self._any |= loop is not None or bool(strided and strided.wrong) or bool(used)
        sources = " ".join(each.source for each in used)
        self._wire |= {each for each in FUNCTIONS if f"{each}(" in sources}
        for column in columns:
            self._wire |= column.kinds()
        takes = not type_.type.params
        cls = self._class(type_.type) if takes else ""
        return _ScannerView(
            name=target.name,
            doc=_doc(target, cls, columns),
            field=target.field.name,
            cls=cls,
            window=window,
            owner=self._class(target.owner) if target.owner else "",
            columns=columns,
            loop=loop,
            strided=strided,
            takes=takes,
            calculations=tuple(used),
            given=self._is_given(target),
        )

    def reader(self, target: Target) -> _ScannerView:
        """Return the scanner of *target* that makes columns of records read one by one."""
        type_ = target.field.type
        if isinstance(type_, UserType) and type_.type.params and target.owner is None:
            raise NotScannableError(target.field.location, "a spec that takes parameters")
        columns = recorded_columns(target.field, self._class)
        if target.wanted is not None:
            columns = wanted_columns(columns, target.wanted)
        self._wire |= {"Binary", "Limits", "RecordBatch", "Scan", "Source"}
        self._wire |= set().union(*(each.kinds() for each in columns))
        takes = target.owner is None
        self._any_scanner |= takes
        cls = self._class(type_.type) if takes and isinstance(type_, UserType) else ""
        return _ScannerView(
            name=target.name,
            doc=_doc(target, cls, columns, "Records are read one by one: it is not fast."),
            field=target.field.name,
            cls=cls,
            window=None,
            owner=self._class(target.owner) if target.owner else "",
            columns=columns,
            loop=None,
            strided=None,
            attribute=attribute_name(target.field.name),
            takes=takes,
            given=self._is_given(target),
        )

    def _is_given(self, target: Target) -> bool:
        given = target.owner is not None and bool(target.owner.params)
        self._any |= given
        return given

    def _class(self, item: TypeSpec | EnumSpec) -> str:
        if isinstance(item, EnumSpec):
            spec = item.owner.spec if item.owner else self._spec
        else:
            spec = item.spec
        return self._records.name(spec.name, class_names(spec).of(item))


def _built(
    target: Target, build: Callable[[Calculations], _View]
) -> tuple[_View, list[Calculation]]:
    """Return how records are read, without the instances that are not wanted, and the functions."""
    calculations = Calculations(target.name)
    view = build(calculations)
    if view is not None and target.wanted is not None:
        unwanted = left_out(view.columns, target.wanted)
        if unwanted:
            calculations = Calculations(target.name, unwanted)
            view = build(calculations)
    return view, calculations.all


def _window(target: Target, type_: UserType) -> int | None:
    """Return the size of each record's window; None if it has no window of its own."""
    if type_.delimiting is None:
        return None
    size = literal(type_.delimiting.size)
    if size is None:
        raise NotScannableError(
            target.field.location, "records in bytes whose size is not a number"
        )
    return size


def _doc(target: Target, cls: str, columns: list[ColumnView], *notes: str) -> tuple[str, ...]:
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
        *(line for each in notes for line in ("", each)),
    )
