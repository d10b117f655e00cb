"""Code that replaces calls of a writer's methods: it does their work on values that fit.

Every function prints the lines.  `w` is the sink, `_s` what it has put so far.  A value that does
not fit raises an exception of Python, which says as well as any other that this is given up.
"""

from __future__ import annotations

import ast
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.bits import Bits
from byteloom.wire.forms import forms
from byteloom.wire.inlining.calls import FORMS, GIVE_UP
from byteloom.wire.inlining.trees import literal
from byteloom.wire.varints import ONE_BYTE

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.wire.inlining.put_statements import PutStatements

__all__ = ["CALLS"]


def _u1(to: PutStatements, call: ast.Call) -> None:
    to.put(f"_s.append({to.plain(call.args[1])})")


def _number(form: str) -> Callable[[PutStatements, ast.Call], None]:
    def inlined(to: PutStatements, call: ast.Call) -> None:
        packing = to.packing(Struct(form))
        value = to.plain(call.args[1])
        if form[1] != "f":
            to.put(f"_s += {packing}({value})")
            return
        value = to.kept(value)
        with to.inside(f"if {value} == {value}:"):
            to.put(f"_s += {packing}({value})")
        with to.inside("else:"):
            order = "le" if form[0] == "<" else "be"
            to.put(f"w.f4{order}('', {value})")

    return inlined


def _varint(form: str) -> Callable[[PutStatements, ast.Call], None]:
    def inlined(to: PutStatements, call: ast.Call) -> None:
        value = to.kept(to.plain(call.args[1]))
        with to.inside(f"if _type({value}) is _int and 0 <= {value} < {ONE_BYTE[form]}:"):
            to.put(f"_s.append({value})")
        with to.inside("else:"):
            to.put(f"w.{form}('', {value})")

    return inlined


def _run(to: PutStatements, call: ast.Call) -> None:
    layout = to.constant(call.args[1], Struct)
    values = [to.plain(each) for each in call.args[2:]]
    packing = f"({to.plain(call.args[1])}).pack" if layout is None else to.packing(layout)
    to.put(f"_s += {packing}({', '.join(values)})")


def _run_floats(to: PutStatements, call: ast.Call) -> None:
    layout = to.constant(call.args[1], Struct)
    if layout is None:
        to.called(call)
        return
    values = [to.kept(to.plain(each)) for each in call.args[2:]]
    floats = [each for each, form in zip(values, forms(layout), strict=True) if form[1:] == "f"]
    with to.inside(f"if {' or '.join(f'{each} != {each}' for each in floats)}:"):
        names = ast.unparse(call.args[0])
        to.put(f"w.run_floats({names}, {ast.unparse(call.args[1])}, {', '.join(values)})")
    with to.inside("else:"):
        to.put(f"_s += {to.packing(layout)}({', '.join(values)})")


def _bit_run(to: PutStatements, call: ast.Call) -> None:
    layout = to.constant(call.args[1], Bits)
    if layout is None:
        to.called(call)
        return
    values = [to.kept(to.plain(each)) for each in call.args[2:]]
    places = list(zip(values, layout.places, strict=True))
    over = [f"{value} >> {ones.bit_length()}" for value, (_, ones) in places]
    with to.inside(f"if {' or '.join(over)}:"):
        to.put(GIVE_UP)
    word = " | ".join(f"{value} << {shift}" if shift else value for value, (shift, _) in places)
    if layout.size == 1:
        to.put(f"_s.append({word})")
    else:
        to.put(f"_s += ({word}).to_bytes({layout.size}, {layout.order!r})")


def _bytes(to: PutStatements, call: ast.Call) -> None:
    value = to.plain(call.args[1])
    if len(call.args) > 2:  # noqa: PLR2004  (a size)
        value = to.kept(value)
        with to.inside(f"if _len({value}) != ({to.plain(call.args[2])}):"):
            to.put(GIVE_UP)
    to.put(f"_s += {value}")


def _rest(to: PutStatements, call: ast.Call) -> None:
    to.put(f"_s += {to.plain(call.args[1])}")
    _ends(to, call)


def _ends(to: PutStatements, _call: ast.Call) -> None:
    with to.inside("if w._end < 0:"):
        to.put("w._end = _len(_s)")


def _until(to: PutStatements, call: ast.Call) -> None:
    ends = literal(call.args[2], bytes)
    if call.keywords or ends is None or len(ends) != 1:
        to.called(call)
        return
    value = to.kept(to.plain(call.args[1]))
    with to.inside(f"if {ends!r} in {value}:"):
        to.put(GIVE_UP)
    to.put(f"_s += {value}")
    to.put(f"_s.append({ends[0]})")


def _array(to: PutStatements, call: ast.Call) -> None:
    form = literal(call.args[2], str)
    if form is None or form[1] == "f":
        to.called(call)
        return
    values = to.kept(to.plain(call.args[1]))
    if form[1] == "B":
        with to.inside(f"if _type({values}) is not _list:"):
            to.put(GIVE_UP)
        to.put(f"_s += _bytes({values})")
    else:
        to.put(f"_s += _pack(f'{form[0]}{{_len({values})}}{form[1]}', *{values})")


def _check_count(to: PutStatements, call: ast.Call) -> None:
    with to.inside(f"if _len({to.plain(call.args[1])}) != ({to.plain(call.args[2])}):"):
        to.put(GIVE_UP)


def _magic(to: PutStatements, call: ast.Call) -> None:
    to.put(f"_s += {to.plain(call.args[1])}")


def _align(to: PutStatements, call: ast.Call) -> None:
    if to.writes.has_bits:
        to.called(call)


# Records


def _record(to: PutStatements, call: ast.Call) -> None:
    value, writer = to.record(call)
    to.put(f"{writer}({value}, w)")


def _records(to: PutStatements, call: ast.Call) -> None:
    values = to.kept(to.plain(call.args[1]))
    with to.inside(f"if _type({values}) is not _list:"):
        to.put(GIVE_UP)
    each = to.name()
    with to.inside(f"for {each} in {values}:"):
        to.put(f"{to.checked(each, to.kinds_of(call))}({each}, w)")


def _window(to: PutStatements, call: ast.Call) -> None:
    kinds = to.kinds_of(call)
    value, writer = to.record(call)
    with to.inside(f"if _getattr({value}, '_stream', None) is not None:"):
        to.put(GIVE_UP)
    size = to.plain(call.args[2]) if len(call.args) > 2 else None  # noqa: PLR2004
    is_known = size is None or {str(getattr(each, "SIZE", "")) for each in kinds} == {size}
    start = "" if is_known else to.kept("_len(_s)")
    if to.is_measured(call.args[1]):
        found = to.kept(f"w._measured.get(_id({value}))")
        with to.inside(f"if {found} is not None:"):
            to.put(f"_s += {found}")
        with to.inside("else:"):
            _put_stream(to, value, writer, kinds)
    else:
        _put_stream(to, value, writer, kinds)
    if not is_known:
        with to.inside(f"if _len(_s) - {start} != ({size}):"):
            to.put(GIVE_UP)


def _put_stream(to: PutStatements, value: str, writer: str, kinds: tuple[type, ...]) -> None:
    """Print code that puts a record into a new stream."""
    may_end = not all(hasattr(each, "SIZE") for each in kinds)
    if to.writes.has_bits:
        with to.inside("if w._bits_held or w._low_held:"):
            to.put(GIVE_UP)
    end = to.name()
    if may_end:
        to.put(f"{end} = w._end")
        to.put("w._end = -1")
    to.put(f"{writer}({value}, w)")
    if to.writes.has_bits:
        to.put("w.align()")
    if may_end:
        with to.inside("if w._end >= 0 and w._end != _len(_s):"):
            to.put(GIVE_UP)
        to.put(f"w._end = {end}")


CALLS: Final[dict[str, Callable[[PutStatements, Any], None]]] = {
    "u1": _u1,
    **{name: _number(form) for name, form in FORMS.items()},
    **{form: _varint(form) for form in ONE_BYTE},
    "run": _run,
    "run_floats": _run_floats,
    "bit_run": _bit_run,
    "bytes": _bytes,
    "rest": _rest,
    "ends": _ends,
    "until": _until,
    "array": _array,
    "check_count": _check_count,
    "magic": _magic,
    "align": _align,
    "record": _record,
    "records": _records,
    "window": _window,
}
"""For each method of a writer, the function that prints the code in place of a call of it."""
